"""The lines of a CoNLL-2012 file gathered into documents of sentences of rows, and the brackets of a cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ..source import Source

NO_BRACKET = frozenset({"-", "_", "*", ""})
FEWEST_COLUMNS = 3
BEGIN = "'#begin document (NAME); part 000'"
END = "'#end document'"

_DIRECTIVE = re.compile(r"#\s{0,9}(begin|end) document\b")
_PIECE = re.compile(r"(\()?([^()|\s]+)(\))?\|?")
_BLANKS = re.compile(r"[ \t]+")

Piece = tuple[bool, str, bool]
"""Whether a mention opens here, the id of its entity, whether one closes here."""


class Row(NamedTuple):
    """The cells of one line; the last one holds the brackets."""

    line: int
    cells: list[str]


@dataclass(slots=True)
class Block:
    """The rows between two document lines."""

    name: str
    part: str | None
    line: int
    sentences: list[list[Row]] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The name, with the part where it is not the first, so that the parts of a document differ."""
        return self.name if is_first_part(self.part) else f"{self.name}_{self.part}"


def is_first_part(part: str | None) -> bool:
    return part is None or not part.strip("0")


def begins_document(line: str) -> bool:
    found = _DIRECTIVE.match(line)
    return found is not None and found[1] == "begin"


def pieces(cell: str) -> list[Piece] | None:
    """The brackets of a cell such as `(12|(3)|4)`; None where it is not well made."""
    found: list[Piece] = []
    at = 0
    for match in _PIECE.finditer(cell):
        opens, closes = match[1] is not None, match[3] is not None
        if match.start() != at or not (opens or closes):
            return None
        found.append((opens, match[2], closes))
        at = match.end()
    return found if at == len(cell) and not cell.endswith("|") else None


def is_bracket_cell(cell: str) -> bool:
    return cell.strip() in NO_BRACKET or pieces(cell.strip()) is not None


def blocks(source: Source, *, ragged: bool = False) -> Iterator[Block]:
    """The documents of a source, part by part; `ragged` rows may have any number of columns."""
    reader = _Blocks(source, ragged=ragged)
    for line, text in source.lines():
        if text.startswith("#"):
            directive = _DIRECTIVE.match(text)
            if directive is None:
                source.count("comment lines that are passed over")
            elif directive[1] == "begin":
                yield from reader.begin(line, text[directive.end() :])
            else:
                yield from reader.end(line)
        elif not text or text.isspace():
            reader.blank()
        else:
            reader.row(line, text)
    yield from reader.finish()


class _Blocks:
    def __init__(self, source: Source, *, ragged: bool) -> None:
        self.source = source
        self.ragged = ragged
        self.block: Block | None = None
        self.sentence: list[Row] = []
        self.has_tabs: bool | None = None
        self.is_lost = False  # rows outside a document, said once
        self.is_empty = True

    def begin(self, line: int, rest: str) -> Iterator[Block]:
        self.is_empty = False
        if self.block is not None:
            found = f"a new document inside the one of line {self.block.line}"
            self.source.problem(line, found, f"{END} before it", "add the line, or look for rows that are lost")
            yield self._closed(self.block)
        name, part = _name_and_part(rest)
        self.block = Block(name or self.source.stem, part, line)
        self.is_lost = False

    def end(self, line: int) -> Iterator[Block]:
        self.is_empty = False
        if self.block is None:
            self.source.problem(line, f"{END} where no document is open", BEGIN, "remove one of the two lines")
        else:
            yield self._closed(self.block)

    def blank(self) -> None:
        if self.sentence and self.block is not None:
            self.block.sentences.append(self.sentence)
            self.sentence = []

    def row(self, line: int, text: str) -> None:
        self.is_empty = False
        if self.block is None:
            if not self.is_lost:
                self.source.problem(line, "a row outside a document", f"{BEGIN} before it", "add the line")
            self.is_lost = True
            return
        if self.ragged:
            self.sentence.append(Row(line, text.split()))
            return
        if self.has_tabs is None:
            self.has_tabs = "\t" in text
        cells = text.split("\t") if self.has_tabs else _BLANKS.split(text.strip(" \t"))
        expected = len(self.sentence[0].cells) if self.sentence else None
        if len(cells) < FEWEST_COLUMNS or (expected is not None and len(cells) != expected):
            wanted = f"at least {FEWEST_COLUMNS}" if expected is None else f"{expected}, as in the rows before it"
            by = "tabs" if self.has_tabs else "blanks"
            found = f"a row of {len(cells)} columns"
            self.source.problem(line, found, wanted, f"mend the row; columns are parted by {by} in this file")
            return
        self.sentence.append(Row(line, cells))

    def finish(self) -> Iterator[Block]:
        if self.block is not None:
            last = self.sentence or (self.block.sentences[-1] if self.block.sentences else [])
            line = last[-1].line if last else self.block.line
            remedy = "add the line, or fetch the file again if it was cut short"
            self.source.problem(line, "the end of the file inside a document", f"{END} after it", remedy)
            yield self._closed(self.block)
        elif self.is_empty:
            self.source.problem(1, "no document", BEGIN, "check that this is a CoNLL-2012 file")

    def _closed(self, block: Block) -> Block:
        self.blank()
        self.block = None
        return block


def _name_and_part(rest: str) -> tuple[str, str | None]:
    """`(NAME); part 001`, with or without the brackets or the part."""
    name, part = rest.strip().removesuffix(";").rstrip(), None
    before, semicolon, after = name.rpartition(";")
    words = after.split()
    if semicolon and len(words) == 2 and words[0] == "part":
        name, part = before.rstrip(), words[1]
    if name.startswith("(") and name.endswith(")"):
        name = name[1:-1]
    return name, part
