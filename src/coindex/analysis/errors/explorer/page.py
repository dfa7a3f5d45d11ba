"""The error explorer as one HTML page that asks nothing of the network, with key and responses side by side.

All data are compressed. An index tells of all errors what the filters need; what the list says of them comes in chunks,
and the text and mentions of each document are data of their own, which the script takes apart when it comes to them.
The index, the first chunk, the first document with an error and the script come first, so that a page of a million
words shows its first error while the browser is still reading the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import zip_longest
from typing import Any, Protocol

from .... import render
from ....render.escaping import escape
from ....render.html import packed, page_head
from ....scoring.profiles import Settings
from ...page import script_of
from ..cases import KINDS, TYPES, ErrorCase, Tally
from ..tables import CHANGES
from .data import Pointers, Shown, ShownSide, ShownText

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
    script = script_of(__package__, SCRIPTS)
    style = resources.files(render).joinpath("page.css").read_text(encoding="utf-8")
    style += resources.files(__package__).joinpath("explorer.css").read_text(encoding="utf-8")
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
