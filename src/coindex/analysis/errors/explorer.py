"""The error explorer: one self-contained HTML page with key and responses side by side.

For each scored unit the page contains the text, the mentions of each side as numbers, and the mentions of each error. A
unit of text is a word, a multiword token or an empty node, as in `render.layout`; all numbers count these units.

All data are compressed. An index has the properties of all errors that the filters need; the texts for the list are in
chunks, and each document is embedded separately and unpacked by the script when it is opened. The index, the first
chunk, the first document with an error and the script come first, so that a page of a million words shows its first
error while the browser is still loading the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import resources
from itertools import zip_longest
from typing import Any, Protocol

from ... import render
from ...document import Document, Entity, Mention, runs
from ...document.naming import labels, representative
from ...render.escaping import escape
from ...render.html import pack_json, page_head
from ...render.layout import Layout
from ...render.markup import colour, colours
from ...scoring.profiles import Settings
from ..figures import script_of
from .cases import KINDS, TYPES, ErrorCase, Tally
from .finding import Finder, MentionError, SideView
from .tables import CHANGES

FAR = 1000
"""The number of the first colour of response entities without a counterpart in the key."""


@dataclass(slots=True)
class ShownText:
    """The units of a text, each with the space after it; empty nodes are "" and have a hint at the omitted word."""

    units: list[str] = field(default_factory=list)
    zeros: dict[int, str] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)
    """The number of units of each sentence."""
    speakers: dict[int, str] = field(default_factory=dict)
    """The speakers, by the first sentence of their turn."""


@dataclass(slots=True)
class ShownSide:
    """One side: entities as [id, label, colour, naming mention], mentions as [entity, start, size, start, …].

    Singletons have only the id.
    """

    text: ShownText
    entities: list[list[str | int]]
    mentions: list[list[int]]


@dataclass(frozen=True, slots=True)
class Pointers:
    """The mentions of an error by their numbers in `ShownSide.mentions`, -1 for none; parts are in the key."""

    key: int
    response: int
    key_antecedent: int
    response_antecedent: int
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """The data of a unit for the explorer, with the pointers of its errors in order."""

    key: ShownSide
    response: ShownSide
    pointers: tuple[Pointers, ...]


def show(finder: Finder, findings: Sequence[MentionError]) -> Shown:
    """Return the data of a unit for the explorer."""
    key, response = _Drawer(finder.key), _Drawer(finder.response)
    key.paint()
    response.paint_like(key, _find_twins(finder))
    return Shown(
        key.make_side(), response.make_side(), tuple(_point(finder, finding, key, response) for finding in findings)
    )


def _point(finder: Finder, finding: MentionError, key: _Drawer, response: _Drawer) -> Pointers:
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


def _find_twins(finder: Finder) -> dict[int, Entity]:
    """Return the most similar key entity of each response entity (by its `id()`); each has at most one twin."""
    counts = [
        (-number, key, response)
        for key, row in enumerate(finder.alignment.key_table)
        for response, number in row.items()
    ]
    twins: dict[int, Entity] = {}
    taken: set[int] = set()
    seen: set[int] = set()
    for _, key, response in sorted(counts):
        if key not in taken and response not in seen and finder.key.clusters[key]:
            taken.add(key)
            seen.add(response)
            own = finder.key.entity(finder.key.clusters[key][0])
            twins.update((id(finder.response.entity(mention)), own) for mention in finder.response.clusters[response])
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
        bare = doc.replace(entities=_make_zeros(doc), bridges=(), split_antecedents=())
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
        """Return starts and sizes; a gap that contains only empty nodes is ignored."""
        spans: list[list[int]] = []
        units = sorted({layout.unit_of[position] for position in mention.positions} - {-1})
        for start, end in runs(units):
            if spans and all(unit.is_zero for unit in layout.units[sum(spans[-1]) : start]):
                spans[-1][1] = end - spans[-1][0]
            else:
                spans.append([start, end - start])
        return [number for start, size in spans for number in (start + offset, size)]

    def number(self, mention: int | None) -> int:
        """Return the number of a mention on the page, given its number in the scorer; -1 for None."""
        return -1 if mention is None else self._numbers[id(self.view.mention(mention))]

    def paint(self) -> None:
        """Set the labels and colours of all entities, as on other pages."""
        for doc, _ in self.view.side.parts:
            self.labels += labels(doc)
            self.colours += colours(doc)

    def paint_like(self, key: _Drawer, twins: dict[int, Entity]) -> None:
        """Set the labels and colours of all entities to those of their twins in the key, or to new ones."""
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

    def make_side(self) -> ShownSide:
        """Return the data of the side."""
        entities: list[list[str | int]] = []
        for entity, label, painted in zip(self.entities, self.labels, self.colours, strict=True):
            if len(entity) < 2:
                entities.append([entity.id])
                continue
            best = self._numbers[id(entity.mentions[representative(entity)])]
            entities.append([entity.id, label, painted, best])
        return ShownSide(self.text, entities, self.mentions)


def _make_zeros(doc: Document) -> tuple[Entity, ...]:
    """Return an entity of all empty nodes, so that the layout includes each of them."""
    empty = sorted(doc.tokens.empty_positions)
    return (Entity("", tuple(doc.mention([position]) for position in empty)),) if empty else ()


_KINDS, _TYPES = list(KINDS), list(TYPES)
CHUNK = 2000
"""The number of errors whose sentences and texts are unpacked together."""
SCRIPTS = ("make", "errors", "documents", "list", "card", "sheet", "marks", "follow", "start")
"""The parts of the script in order; each may use the variables of those before it, and all functions."""


class Explored(Protocol):
    """The content of the page: the errors of a response, and of a second one, if any."""

    @property
    def name(self) -> str: ...
    @property
    def cases(self) -> Sequence[ErrorCase]: ...
    @property
    def tallies(self) -> Sequence[Tally]: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def signature(self) -> str: ...
    @property
    def shown(self) -> Sequence[Shown] | None: ...
    @property
    def second(self) -> Explored | None: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """An error on the page: its change, its row, and its row in the second response if both have it."""

    change: int
    row: list[Any]
    text: str
    """The texts of all its mentions, separated by tabs, for the search."""
    again: list[Any] | None = None


def page(errors: Explored, *, title: str) -> Iterator[str]:
    """Yield the parts of the page."""
    script = script_of(__package__, [f"explorer/{name}" for name in SCRIPTS])
    style = resources.files(render).joinpath("page.css").read_text(encoding="utf-8")
    style += resources.files(__package__).joinpath("explorer/explorer.css").read_text(encoding="utf-8")
    yield page_head(title, style=style, script=script) + (
        f'<body>\n<header class="bar"><h1 dir="auto">{escape(title)}</h1><div id="tools"></div></header>\n'
        '<div class="columns"><main aria-busy="true"></main></div>\n'
        "<noscript><p>This page needs JavaScript. It loads nothing from the network.</p></noscript>\n"
    )
    index, chunks, docs = _make_contents(errors)
    yield _data("index", index)
    first = next((number for number, doc in enumerate(index["docs"]) if doc[2]), 0)
    yield from chunks[:1]
    yield from docs[first : first + 1]
    yield f"<script>{script}</script>\n"
    yield from chunks[1:]
    yield from (doc for number, doc in enumerate(docs) if number != first)
    yield "</body>\n</html>\n"


def _make_contents(errors: Explored) -> tuple[dict[str, Any], list[str], list[str]]:
    """Return the index, the chunks of the list, and the documents; chunks and documents are packed."""
    genres: dict[str, int] = {}
    listed, docs = [], []
    sentences: list[int] = []
    texts: list[str] = []
    for number, (tally, shown, entries) in enumerate(_collect_documents(errors)):
        rows = [[entry.change, entry.row, entry.again] if errors.second is not None else entry.row for entry in entries]
        docs.append(_data(f"d{number}", {**shown, "errors": rows}))
        name = tally.document or f"document {number + 1}"
        listed.append([name, genres.setdefault(tally.genre, len(genres)), *_columns(entries)])
        sentences += (entry.row[3] for entry in entries)
        texts += (entry.text for entry in entries)
    chunks = [
        _data(f"t{number}", [sentences[at : at + CHUNK], texts[at : at + CHUNK]])
        for number, at in enumerate(range(0, len(texts), CHUNK))
    ]
    index = {
        "responses": [errors.name] if errors.second is None else [errors.name, errors.second.name],
        "kinds": [[kind.name, kind.group, kind.meaning] for kind in KINDS.values()],
        "types": _TYPES,
        "genres": list(genres),
        "docs": listed,
        "chunk": CHUNK,
        "signature": errors.signature,
        "singletons": errors.settings.singletons,
    }
    return index, chunks, docs


def _data(id: str, data: Any) -> str:
    return f'<script type="text/plain" id="{id}">{pack_json(data)}</script>\n'


def _columns(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the columns of the filters: kind, type and change, with a digit for each error."""
    yield "".join(str(entry.row[1]) for entry in entries)
    yield "".join(str(entry.row[2]) for entry in entries)
    yield "".join(str(entry.change) for entry in entries)


def _collect_documents(errors: Explored) -> Iterator[tuple[Tally, dict[str, Any], list[Entry]]]:
    """Yield each document: its tally, its texts and sides, and its errors."""
    second = errors.second
    others = zip(second.shown or (), _group_by_document(second), strict=True) if second is not None else ()
    own = zip(errors.tallies, errors.shown or (), _group_by_document(errors), strict=True)
    for (tally, shown, cases), other in zip_longest(own, others):
        sides = [shown.key, shown.response]
        entries = _make_entries(shown, cases)
        if other is not None:
            sides.append(other[0].response)
            entries = _merge_entries(entries, _make_entries(*other))
        yield tally, _sides(sides), entries


def _group_by_document(errors: Explored) -> Iterator[Sequence[ErrorCase]]:
    """Yield the errors of each document, of which there are as many as pointers."""
    at = 0
    for shown in errors.shown or ():
        yield errors.cases[at : at + len(shown.pointers)]
        at += len(shown.pointers)


def _make_entries(shown: Shown, cases: Sequence[ErrorCase]) -> list[Entry]:
    return [
        Entry(0, _make_row(case, pointers), "\t".join(dict.fromkeys(place.text for place in case.involved)))
        for case, pointers in zip(cases, shown.pointers, strict=True)
    ]


def _make_row(case: ErrorCase, at: Pointers) -> list[Any]:
    """Return an error as the script expects it; see documents.js for the fields."""
    distance = -1 if case.distance is None else case.distance
    rare = " ".join(case.rare_words or ())
    flags = case.is_alone + 2 * case.is_matched + 4 * case.is_head
    kind, type = _KINDS.index(case.kind), _TYPES.index(case.type)
    pointers = [at.key, at.response, at.key_antecedent, at.response_antecedent]
    return [case.id, kind, type, case.mention.sentence - 1, *pointers, distance, case.size, flags, rare, *at.parts]


def _merge_entries(first: list[Entry], second: list[Entry]) -> list[Entry]:
    """Return the errors of two responses in the order of the text."""
    mine, theirs = ({entry.row[0]: entry for entry in entries} for entries in (first, second))
    both, fixed, broken = range(len(CHANGES))
    merged = []
    for entry in first:
        other = theirs.get(entry.row[0])
        if other is None:
            merged.append(Entry(fixed, entry.row, entry.text))
        else:
            text = entry.text if entry.text == other.text else f"{entry.text}\t{other.text}"
            merged.append(Entry(both, entry.row, text, other.row))
    merged += [Entry(broken, entry.row, entry.text) for entry in second if entry.row[0] not in mine]
    return sorted(merged, key=lambda entry: entry.row[3])


def _sides(sides: Sequence[ShownSide]) -> dict[str, Any]:
    """Return the distinct texts, and for each side the number of its text, its entities and its mentions."""
    texts: list[ShownText] = []
    drawn = []
    for side in sides:
        if side.text not in texts:
            texts.append(side.text)
        drawn.append([texts.index(side.text), side.entities, side.mentions])
    return {"texts": [[text.units, text.lines, text.zeros, text.speakers] for text in texts], "sides": drawn}
