"""CoNLL-2012 read: rows to words, brackets to mentions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...document import Document, Multiword, Span, Token, Tokens
from ...errors import quote
from ..source import Source
from ..surface import entities_from_spans, sentences_of
from .blocks import NO_BRACKET, Block, Piece, Row, blocks, pieces
from .columns import Layout, Words, last_column, layout_of


def read(source: Source, columns: str = "regular") -> Iterator[Document]:
    """The documents of a file; each part is one, and `meta["part"]` keeps its number as it is written."""
    seen: set[str] = set()
    ragged = columns == "any"
    for block in blocks(source, ragged=ragged):
        if block.id in seen:
            source.problem(
                block.line,
                f"the document {quote(block.id)} for the second time",
                "a name and part of its own for each document",
                "rename one of them",
                severity="warning",
            )
        seen.add(block.id)
        yield _document(block, source, last_column if ragged else layout_of(block.sentences))


def _document(block: Block, source: Source, layout: Layout) -> Document:
    sentences = [layout(rows, source) for rows in block.sentences]
    tokens = _tokens(sentences)
    rows = [row for sentence in sentences for row in sentence.rows]
    return Document(
        tokens,
        sentences_of(tokens, (len(s.tokens) for s in sentences), (s.speaker for s in sentences)),
        entities_from_spans(tokens, _Brackets(source).spans(rows), source),
        id=block.id,
        meta={} if block.part is None else {"part": block.part},
    )


def _tokens(sentences: list[Words]) -> Tokens:
    tokens: list[Token] = []
    multiwords: list[Multiword] = []
    for sentence in sentences:
        if tokens:
            _end(tokens, multiwords, "\n")
        start = len(tokens)
        tokens += sentence.tokens
        multiwords += [replace(m, start=start + m.start, end=start + m.end) for m in sentence.multiwords]
    if tokens:
        _end(tokens, multiwords, "")
    return Tokens(tokens, multiwords=multiwords)


def _end(tokens: list[Token], multiwords: list[Multiword], space: str) -> None:
    """Let the last surface token be followed by this."""
    last = len(tokens) - 1
    while last and tokens[last].is_empty:
        last -= 1
    tokens[last] = tokens[last]._replace(space=space)
    if multiwords and multiwords[-1].end > last:
        multiwords[-1] = replace(multiwords[-1], space=space)


class _Brackets:
    """Finds the spans between brackets; of an entity's open mentions the one opened last is closed first."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: dict[str, list[Span]] = {}
        self.open: dict[str, list[tuple[int, int]]] = {}  # id -> positions and lines
        self.known: dict[str, list[Piece] | None] = {}

    def spans(self, rows: list[Row]) -> dict[str, list[Span]]:
        for position, row in enumerate(rows):
            cell = row.cells[-1]
            if cell not in NO_BRACKET:
                self._cell(cell, position, row.line)
        for id, waiting in self.open.items():
            for _, line in waiting:
                self.source.problem(
                    line,
                    f"a mention of entity {quote(id)} that is never closed",
                    f"{quote(id + ')')} before the end of the document",
                    "add the closing bracket, or remove the opening one",
                )
        return self.found

    def _cell(self, cell: str, position: int, line: int) -> None:
        if cell not in self.known:
            stripped = cell.strip()
            self.known[cell] = [] if stripped in NO_BRACKET else pieces(stripped)
        brackets = self.known[cell]
        if brackets is None:
            self.source.problem(
                line,
                f"{quote(cell)} in the last column",
                "brackets such as (12|(3)|4), or - for none",
                "mend the cell, or check that the last column is that of coreference",
            )
            return
        for opens, id, closes in brackets:
            if not closes:
                self.open.setdefault(id, []).append((position, line))
                continue
            start = position if opens else self._start(id, line)
            if start is not None:
                self.found.setdefault(id, []).append((start, position + 1))

    def _start(self, id: str, line: int) -> int | None:
        waiting = self.open.get(id)
        if waiting:
            return waiting.pop()[0]
        self.source.problem(
            line,
            f"a mention of entity {quote(id)} that is closed and was never opened",
            f"{quote('(' + id)} before it",
            "add the opening bracket, or remove the closing one",
        )
        return None
