"""RuCor's tables of tokens and of groups to documents."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path

from ...document import Document, Entity, Mention, Sentence, Token, Tokens, mention_order
from ...errors import quote
from ..detection import RUCOR_GROUPS
from ..source import BOM, Source
from ..surface import each_once

FIRST_COLUMN = b"doc_id\t"
_SENTENCE_END = "SENT"
_MAX_GAP = 1000  # characters from token to token; more is a broken table, and would be filled with blanks
GROUPS = "Groups"
_NAMES = (("Tokens", GROUPS), ("tokens", "groups"), ("TOKENS", "GROUPS"))

Row = dict[str, str]


def read_tables(source: Source) -> Iterator[Document]:
    """The documents of a table of groups, or of tokens, with the other table beside it."""
    is_groups = source.head().removeprefix(BOM).startswith(RUCOR_GROUPS.encode())
    other = _beside(source, is_groups)
    if other is None:
        if is_groups:
            expected = "the table of tokens Tokens.txt beside Groups.txt"
            source.problem(
                1, "groups without tokens", expected, "put both tables into one folder", code="missing-companion-file"
            )
        else:
            yield from _documents(source, None)
        return
    try:
        yield from _documents(*((other, source) if is_groups else (source, other)))
        other.warn_counts()
    finally:
        other.close()


def _documents(tokens: Source, groups: Source | None) -> Iterator[Document]:
    by_doc: dict[str, list[tuple[int, Row]]] = {}
    if groups is not None:
        for line, row in _rows(groups, ("doc_id", "group_id", "chain_id", "shift", "length")):
            by_doc.setdefault(row["doc_id"], []).append((line, row))
    seen: set[str] = set()
    rows = _rows(tokens, ("doc_id", "shift", "token"))
    for id, of_doc in groupby(rows, key=lambda numbered: numbered[1]["doc_id"]):
        numbered = list(of_doc)
        if id in seen:
            found = f"tokens of text {quote(id)} in a second place"
            tokens.problem(
                numbered[0][0],
                found,
                "each text in one place",
                "sort the table by doc_id",
                code="scattered-rows",
                fragment=id,
            )
        seen.add(id)
        yield _Layer(tokens, numbered).document(id, by_doc.pop(id, []), groups or tokens)
    if by_doc and groups is not None:
        groups.count("groups of texts without tokens, left out", sum(map(len, by_doc.values())), code="left-out")


def _beside(source: Source, is_groups: bool) -> Source | None:
    if source.path is None:
        return None
    for tokens, groups in _NAMES:
        mine, other = (groups, tokens) if is_groups else (tokens, groups)
        if mine in source.path.name:
            name = source.path.name.replace(mine, other)
            for path in (name, name.removesuffix(".gz"), f"{name}.gz"):
                if (found := source.path.with_name(path)).is_file():
                    return source.sibling(Path(found))
    return None


def _rows(source: Source, needed: tuple[str, ...]) -> Iterator[tuple[int, Row]]:
    """The rows by the names in the first line; cells missing at the end of a row are empty."""
    header: list[str] = []
    for line, text in source.lines():
        cells = text.split("\t")
        if not header:
            header = [cell.strip() for cell in cells]
            if missing := [name for name in needed if name not in header]:
                found = f"no column {' or '.join(missing)}"
                source.problem(
                    line,
                    found,
                    "a first line with the names of the columns",
                    "add the names",
                    code="invalid-column-names",
                )
                return
            continue
        if not text.strip():
            continue
        row = dict.fromkeys(header, "") | dict(zip(header, cells, strict=False))
        if len(cells) > len(header) or len(cells) <= max(map(header.index, needed)):
            expected = f"{len(header)} columns as in the first line"
            source.problem(line, f"{len(cells)} columns", expected, "check the row's tabs", code="column-count")
            continue
        yield line, row


def _number(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


class _Layer:
    """The tokens of one text, and where each of them begins."""

    def __init__(self, source: Source, rows: list[tuple[int, Row]]) -> None:
        self.source = source
        self.shifts: list[int] = []
        kept: list[Row] = []
        for line, row in rows:
            shift = _number(row["shift"])
            last = self.shifts[-1] if self.shifts else -1
            if shift is None or not last < shift <= last + _MAX_GAP:
                found = f"shift {quote(row['shift'])} after {last if kept else 'the beginning'}"
                source.problem(
                    line,
                    found,
                    "tokens in the order of the text",
                    "correct or sort the table",
                    code="invalid-token-order",
                    fragment=row["shift"],
                )
            elif not row["token"].strip():
                source.count("tokens without text, left out", code="left-out")
            else:
                self.shifts.append(shift)
                kept.append(row)
        self.position = {shift: position for position, shift in enumerate(self.shifts)}
        self.sentence_ends = [i + 1 for i, row in enumerate(kept) if row.get("gram", "").strip() == _SENTENCE_END]
        if kept and (not self.sentence_ends or self.sentence_ends[-1] < len(kept)):
            self.sentence_ends.append(len(kept))
        self.tokens = self._tokens(kept)

    def _tokens(self, rows: list[Row]) -> Tokens:
        tokens = []
        start_of = {position: start for start, end in self._sentences() for position in range(start, end)}
        for position, row in enumerate(rows):
            form = row["token"].strip()
            end = self.shifts[position] + len(form)
            gap = self.shifts[position + 1] - end if position + 1 < len(rows) else 0
            if gap < 0:
                self.source.count("tokens that are longer than their place", code="token-length")
            number = str(position - start_of[position] + 1)
            lemma, gram = row.get("lemma", "").strip() or "_", row.get("gram", "").strip() or "_"
            tokens.append(Token(number, form, lemma, xpos=gram, space=" " * max(gap, 0)))
        return Tokens(tokens, prefix=" " * self.shifts[0] if self.shifts else "")

    def _sentences(self) -> Iterator[tuple[int, int]]:
        return pairwise([0, *self.sentence_ends])

    def document(self, id: str, groups: list[tuple[int, Row]], source: Source) -> Document:
        chains: dict[str, list[Mention]] = {}
        for line, row in groups:
            positions = self._positions(row, source)
            if not positions:
                source.problem(
                    line,
                    f"group {quote(row['group_id'])}, where text {quote(id)} has no token",
                    "shifts of tokens in tk_shifts, or shift and length over tokens",
                    "correct the group",
                    code="invalid-span",
                    fragment=row["group_id"],
                )
                continue
            if "".join(row.get("content", "").split()) not in ("", self._letters(positions)):
                source.count("groups whose content is not what their tokens say", code="text-mismatch")
            heads = [self.position.get(shift) for shift in _numbers(row.get("hd_shifts", ""))]
            head = next((position for position in heads if position in positions), None)
            name = row["chain_id"].strip() or f"group-{row['group_id']}"
            mention = Mention(self.tokens, tuple(positions), head, _attributes(row))
            chains.setdefault(name, []).append(mention)
        entities = [Entity(name, each_once(found, source)) for name, found in chains.items()]
        entities.sort(key=lambda entity: mention_order(entity.mentions[0]))
        sentences = tuple(Sentence(self.tokens, start, end) for start, end in self._sentences())
        return Document(self.tokens, sentences, tuple(entities), id=id, language="ru")

    def _positions(self, row: Row, source: Source) -> list[int]:
        shifts = _numbers(row.get("tk_shifts", ""))
        found = sorted({self.position[shift] for shift in shifts if shift in self.position})
        if len(found) < len(shifts):
            source.count("pointers to tokens that do not resolve", code="unresolved-reference")
        if found:
            return found
        start, length = _number(row["shift"]), _number(row["length"])
        if start is None or length is None:
            return []
        return [position for position, shift in enumerate(self.shifts) if start <= shift < start + length]

    def _letters(self, positions: list[int]) -> str:
        return "".join("".join(self.tokens[position].form.split()) for position in positions)


def _numbers(cell: str) -> list[int]:
    return [number for piece in cell.split(",") if (number := _number(piece)) is not None]


def _attributes(row: Row) -> dict[str, str]:
    """The group's id, variant and link, and what its attributes say: str:noun|type:coref|val:spec."""
    attributes = {"id": row["group_id"].strip()}
    attributes |= {name: row[name].strip() for name in ("variant", "link") if row.get(name, "").strip()}
    for pair in filter(None, row.get("attributes", "").strip().split("|")):
        name, separator, value = pair.partition(":")
        name, value = (name, value) if separator else ("attributes", name)
        if name == "id":
            continue
        attributes[name] = f"{attributes[name]},{value}" if name in attributes else value
    return attributes
