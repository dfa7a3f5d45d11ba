"""The error explorer: one self-contained HTML page with key and responses side by side.

What the error explorer shows of a unit: the text once, the mentions of each side as numbers, and where errors point.

A unit of text is a word, a multiword token or an empty node, as in `layout`; all numbers below count units.

The error explorer as one HTML page that asks nothing of the network, with key and responses side by side.

All data are compressed. An index tells of all errors what the filters need; what the list says of them comes in chunks,
and the text and mentions of each document are data of their own, which the script takes apart when it comes to them.
The index, the first chunk, the first document with an error and the script come first, so that a page of a million
words shows its first error while the browser is still reading the rest.
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
from ...render.html import packed, page_head
from ...render.layout import Layout
from ...render.markup import colour, colours
from ...scoring.profiles import Settings
from ..page import script_of
from .cases import KINDS, TYPES, ErrorCase, Tally
from .finding import Finder, Finding, SideView
from .tables import CHANGES

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


_KINDS, _TYPES = list(KINDS), list(TYPES)
CHUNK = 2000
"""Errors whose sentences and texts are unpacked together."""
SCRIPTS = ("make", "errors", "documents", "list", "card", "sheet", "marks", "follow", "start")
"""The parts of the script in their order; each may use what those before it made, and all functions."""


class Explored(Protocol):
    """What the page shows: the errors of a response, and of a second one if there is one."""

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
    """An error on the page: its change, its row, and its row in the second response where both have it."""

    change: int
    row: list[Any]
    text: str
    """The texts of all mentions that it involves, its own first, parted by tabs: what is searched."""
    again: list[Any] | None = None


def page(found: Explored, *, title: str) -> Iterator[str]:
    """The page, piece by piece."""
    script = script_of(__package__, [f"explorer/{name}" for name in SCRIPTS])
    style = resources.files(render).joinpath("page.css").read_text(encoding="utf-8")
    style += resources.files(__package__).joinpath("explorer/explorer.css").read_text(encoding="utf-8")
    yield page_head(title, style=style, script=script) + (
        f'<body>\n<header class="bar"><h1 dir="auto">{escape(title)}</h1><div id="tools"></div></header>\n'
        '<div class="columns"><main aria-busy="true"></main></div>\n'
        "<noscript><p>This page needs JavaScript; it loads nothing from elsewhere.</p></noscript>\n"
    )
    index, chunks, docs = _contents(found)
    yield _data("index", index)
    first = next((number for number, doc in enumerate(index["docs"]) if doc[2]), 0)
    yield from chunks[:1]
    yield from docs[first : first + 1]
    yield f"<script>{script}</script>\n"
    yield from chunks[1:]
    yield from (doc for number, doc in enumerate(docs) if number != first)
    yield "</body>\n</html>\n"


def _contents(found: Explored) -> tuple[dict[str, Any], list[str], list[str]]:
    """The index, the chunks of what is listed, and the documents; all but the index are packed already."""
    genres: dict[str, int] = {}
    listed, docs = [], []
    sentences: list[int] = []
    texts: list[str] = []
    for number, (tally, shown, entries) in enumerate(_documents(found)):
        rows = [[one.change, one.row, one.again] if found.second is not None else one.row for one in entries]
        docs.append(_data(f"d{number}", {**shown, "errors": rows}))
        name = tally.document or f"document {number + 1}"
        listed.append([name, genres.setdefault(tally.genre, len(genres)), *_columns(entries)])
        sentences += (one.row[3] for one in entries)
        texts += (one.text for one in entries)
    chunks = [
        _data(f"t{number}", [sentences[at : at + CHUNK], texts[at : at + CHUNK]])
        for number, at in enumerate(range(0, len(texts), CHUNK))
    ]
    index = {
        "responses": [found.name] if found.second is None else [found.name, found.second.name],
        "kinds": [[kind.name, kind.group, kind.meaning] for kind in KINDS.values()],
        "types": _TYPES,
        "genres": list(genres),
        "docs": listed,
        "chunk": CHUNK,
        "signature": found.signature,
        "singletons": found.settings.singletons,
    }
    return index, chunks, docs


def _data(id: str, data: Any) -> str:
    return f'<script type="text/plain" id="{id}">{packed(data)}</script>\n'


def _columns(entries: Sequence[Entry]) -> Iterator[str]:
    """What filters look at: kind, type and change, a digit for each error."""
    yield "".join(str(one.row[1]) for one in entries)
    yield "".join(str(one.row[2]) for one in entries)
    yield "".join(str(one.change) for one in entries)


def _documents(found: Explored) -> Iterator[tuple[Tally, dict[str, Any], list[Entry]]]:
    """Each document: its tally, its texts and sides, its errors."""
    second = found.second
    others = zip(second.shown or (), _by_document(second), strict=True) if second is not None else ()
    own = zip(found.tallies, found.shown or (), _by_document(found), strict=True)
    for (tally, shown, cases), other in zip_longest(own, others):
        sides = [shown.key, shown.response]
        entries = _entries(shown, cases)
        if other is not None:
            sides.append(other[0].response)
            entries = _merged(entries, _entries(*other))
        yield tally, _sides(sides), entries


def _by_document(found: Explored) -> Iterator[Sequence[ErrorCase]]:
    """The errors of each document, as many as it has pointers."""
    at = 0
    for shown in found.shown or ():
        yield found.cases[at : at + len(shown.pointers)]
        at += len(shown.pointers)


def _entries(shown: Shown, cases: Sequence[ErrorCase]) -> list[Entry]:
    return [
        Entry(0, _row(case, pointers), "\t".join(dict.fromkeys(place.text for place in case.involved)))
        for case, pointers in zip(cases, shown.pointers, strict=True)
    ]


def _row(case: ErrorCase, at: Pointers) -> list[Any]:
    """An error as the script has it; documents.js says what stands where."""
    distance = -1 if case.distance is None else case.distance
    rare = " ".join(case.rare_words or ())
    flags = case.is_alone + 2 * case.is_matched + 4 * case.is_head
    kind, type = _KINDS.index(case.kind), _TYPES.index(case.type)
    pointers = [at.key, at.response, at.key_antecedent, at.response_antecedent]
    return [case.id, kind, type, case.mention.sentence - 1, *pointers, distance, case.size, flags, rare, *at.parts]


def _merged(first: list[Entry], second: list[Entry]) -> list[Entry]:
    """The errors of two responses in the order of the text."""
    mine, theirs = ({one.row[0]: one for one in entries} for entries in (first, second))
    both, fixed, broken = range(len(CHANGES))
    found = []
    for one in first:
        other = theirs.get(one.row[0])
        if other is None:
            found.append(Entry(fixed, one.row, one.text))
        else:
            text = one.text if one.text == other.text else f"{one.text}\t{other.text}"
            found.append(Entry(both, one.row, text, other.row))
    found += [Entry(broken, one.row, one.text) for one in second if one.row[0] not in mine]
    return sorted(found, key=lambda entry: entry.row[3])


def _sides(sides: Sequence[ShownSide]) -> dict[str, Any]:
    """Texts, each once, and of each side the number of its text, its entities and its mentions."""
    texts: list[ShownText] = []
    drawn = []
    for side in sides:
        if side.text not in texts:
            texts.append(side.text)
        drawn.append([texts.index(side.text), side.entities, side.mentions])
    return {"texts": [[text.units, text.lines, text.zeros, text.speakers] for text in texts], "sides": drawn}
