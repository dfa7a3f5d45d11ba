"""What the error explorer shows of a unit: the text once, the mentions of each side as numbers, and where errors point.

A unit of text is a word, a multiword token or an empty node, as in `layout`; all numbers below count units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ....document import Document, Entity, Mention, runs
from ....document.naming import labels, representative
from ....render.colours import colour, colours
from ....render.layout import Layout
from ..finding import Finder, Finding, SideView

FAR = 1000
"""Where the colours of response entities begin that have no twin in the key."""


@dataclass(slots=True)
class ShownText:
    """The units of a text with the blanks after them; empty nodes are "" and have a hint at what is left out."""

    units: list[str] = field(default_factory=list)
    zeros: dict[int, str] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)
    """How many units each sentence has."""
    speakers: dict[int, str] = field(default_factory=dict)
    """Who speaks from a sentence on."""


@dataclass(slots=True)
class ShownSide:
    """One side: entities as [id, label, colour, mention to name it by], mentions as [entity, start, size, start, …].

    Of an entity of one mention there is the id alone.
    """

    text: ShownText
    entities: list[list[str | int]]
    mentions: list[list[int]]


@dataclass(frozen=True, slots=True)
class Pointers:
    """The mentions of an error by their numbers in `ShownSide.mentions`, -1 for none; parts are of the key."""

    key: int
    response: int
    key_antecedent: int
    response_antecedent: int
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A unit as the explorer shows it; there are pointers for each of its errors, in their order."""

    key: ShownSide
    response: ShownSide
    pointers: tuple[Pointers, ...]


def show(finder: Finder, found: Sequence[Finding]) -> Shown:
    """What the explorer needs of a unit."""
    key, response = _Drawer(finder.key), _Drawer(finder.response)
    key.paint()
    response.paint_like(key, _twins(finder))
    return Shown(key.side(), response.side(), tuple(_point(finder, one, key, response) for one in found))


def _point(finder: Finder, finding: Finding, key: _Drawer, response: _Drawer) -> Pointers:
    other = finding.counterpart
    if not finding.on_key:
        other = finding.mention
    elif other is None:
        other = finder.partner.get(finding.mention)
    return Pointers(
        key.number(finding.mention if finding.on_key else None),
        response.number(other),
        key.number(finding.key_antecedent),
        response.number(finding.response_antecedent),
        tuple(map(key.number, finding.parts)),
    )


def _twins(finder: Finder) -> dict[int, Entity]:
    """The key entity that a response entity (by its `id()`) is most like; each has one twin at most."""
    counts = [
        (-number, key, response)
        for key, row in enumerate(finder.alignment.key_table)
        for response, number in row.items()
    ]
    twins: dict[int, Entity] = {}
    taken: set[int] = set()
    seen: set[int] = set()
    for _, key, response in sorted(counts):
        if key not in taken and response not in seen and finder.key.chains[key]:
            taken.add(key)
            seen.add(response)
            own = finder.key.entity(finder.key.chains[key][0])
            twins.update((id(finder.response.entity(one)), own) for one in finder.response.chains[response])
    return twins


class _Drawer:
    """Numbers the units, entities and mentions of one side."""

    def __init__(self, view: SideView) -> None:
        self.view = view
        self.text = ShownText()
        self.entities: list[Entity] = []
        self.labels: list[str] = []
        self.colours: list[str] = []
        self.mentions: list[list[int]] = []
        self._numbers: dict[int, int] = {}
        self._owners: dict[int, int] = {}
        for doc, _ in view.side.parts:
            self._add(doc)

    def _add(self, doc: Document) -> None:
        bare = doc.replace(entities=_zeros(doc), bridges=(), split_antecedents=())
        layout = Layout(bare)
        text, offset, line = self.text, len(self.text.units), len(self.text.lines)
        text.lines += [0] * max(1, len(doc.sentences))
        for number, unit in enumerate(layout.units, offset):
            text.units.append(unit.text + unit.space)
            if unit.is_zero:
                text.zeros[number] = unit.hint
            text.lines[line + max(0, doc.sentence_index(unit.position))] += 1
        speaker = None
        for number, sentence in enumerate(doc.sentences, line):
            if sentence.speaker != speaker:
                speaker = sentence.speaker
                text.speakers[number] = speaker or ""
        for entity in doc.entities:
            self._owners[id(entity)] = len(self.entities)
            self.entities.append(entity)
        for mention, entity in doc.mentions():
            self._numbers[id(mention)] = len(self.mentions)
            self.mentions.append([self._owners[id(entity)], *self._spans(layout, mention, offset)])

    def _spans(self, layout: Layout, mention: Mention, offset: int) -> list[int]:
        """Starts and sizes; a gap in which only empty nodes stand is none."""
        spans: list[list[int]] = []
        units = sorted({layout.unit_of[position] for position in mention.positions} - {-1})
        for start, end in runs(units):
            if spans and all(unit.is_zero for unit in layout.units[sum(spans[-1]) : start]):
                spans[-1][1] = end - spans[-1][0]
            else:
                spans.append([start, end - start])
        return [number for start, size in spans for number in (start + offset, size)]

    def number(self, mention: int | None) -> int:
        """The number of a mention that the scorer knows by another one; -1 for none."""
        return -1 if mention is None else self._numbers[id(self.view.mention(mention))]

    def paint(self) -> None:
        """Labels and colours as on every page."""
        for doc, _ in self.view.side.parts:
            self.labels += labels(doc)
            self.colours += colours(doc)

    def paint_like(self, key: _Drawer, twins: dict[int, Entity]) -> None:
        """Labels and colours of the twins in the key; others are new."""
        new = 0
        for entity in self.entities:
            twin = twins.get(id(entity))
            if twin is not None:
                at = key._owners[id(twin)]
                self.labels.append(key.labels[at])
                self.colours.append(key.colours[at])
                continue
            new += not entity.is_singleton
            self.labels.append("" if entity.is_singleton else f"+{new}")
            self.colours.append(colour(FAR + new))

    def side(self) -> ShownSide:
        entities: list[list[str | int]] = []
        for entity, label, painted in zip(self.entities, self.labels, self.colours, strict=True):
            if len(entity) < 2:
                entities.append([entity.id])
                continue
            best = self._numbers[id(entity.mentions[representative(entity)])]
            entities.append([entity.id, label, painted, best])
        return ShownSide(self.text, entities, self.mentions)


def _zeros(doc: Document) -> tuple[Entity, ...]:
    """An entity of all empty nodes, so that each has a place in the layout whoever mentions it."""
    empty = sorted(doc.tokens.empty_positions)
    return (Entity("", tuple(doc.mention([position]) for position in empty)),) if empty else ()
