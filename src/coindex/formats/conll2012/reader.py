"""Read CoNLL-2012: lines into documents of sentences of rows, columns into words, brackets into mentions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from ...document import Document, Multiword, Span, Token, Tokens
from ...errors import quote
from ..source import Source
from ..surface import entities_from_spans, one_speaker, sentences_of

NO_BRACKET = frozenset({"-", "_", "*", ""})
FEWEST_COLUMNS = 3
BEGIN = "'#begin document (NAME); part 000'"
END = "'#end document'"

_DIRECTIVE = re.compile(r"#\s{0,9}(begin|end) document\b")
_PIECE = re.compile(r"(\()?([^()|\s]+)(\))?\|?")
_SPACES = re.compile(r"[ \t]+")

Piece = tuple[bool, str, bool]
"""Whether a mention opens here, the id of its entity, whether a mention closes here."""


class Row(NamedTuple):
    """The cells of a line; the last one contains the brackets."""

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
        """The name of the document; parts after the first have their number appended, so that ids differ."""
        return self.name if is_first_part(self.part) else f"{self.name}_{self.part}"


def is_first_part(part: str | None) -> bool:
    return part is None or not part.strip("0")


def begins_document(line: str) -> bool:
    match = _DIRECTIVE.match(line)
    return match is not None and match[1] == "begin"


def pieces(cell: str) -> list[Piece] | None:
    """Parse the brackets of a cell such as `(12|(3)|4)`; return None if they are malformed."""
    pieces: list[Piece] = []
    at = 0
    for match in _PIECE.finditer(cell):
        opens, closes = match[1] is not None, match[3] is not None
        if match.start() != at or not (opens or closes):
            return None
        pieces.append((opens, match[2], closes))
        at = match.end()
    return pieces if at == len(cell) and not cell.endswith("|") else None


def is_bracket_cell(cell: str) -> bool:
    return cell.strip() in NO_BRACKET or pieces(cell.strip()) is not None


def blocks(source: Source, *, ragged: bool = False) -> Iterator[Block]:
    """Yield the documents of a source, part by part; `ragged` rows may have any number of columns."""
    reader = _Blocks(source, ragged=ragged)
    for line, text in source.lines():
        if text.startswith("#"):
            directive = _DIRECTIVE.match(text)
            if directive is None:
                source.count("comment lines, ignored", code="left-out")
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
        self.is_lost = False  # rows outside a document are reported once
        self.is_empty = True

    def begin(self, line: int, rest: str) -> Iterator[Block]:
        self.is_empty = False
        if self.block is not None:
            found = f"a new document inside the one of line {self.block.line}"
            self.source.problem(
                line,
                found,
                f"{END} before it",
                "add the line, or look for missing rows",
                code="unclosed-document",
            )
            yield self._close(self.block)
        name, part = _name_and_part(rest)
        self.block = Block(name or self.source.stem, part, line)
        self.is_lost = False

    def end(self, line: int) -> Iterator[Block]:
        self.is_empty = False
        if self.block is None:
            self.source.problem(
                line, f"{END} where no document is open", BEGIN, "remove one of the two lines", code="unopened-document"
            )
        else:
            yield self._close(self.block)

    def blank(self) -> None:
        if self.sentence and self.block is not None:
            self.block.sentences.append(self.sentence)
            self.sentence = []

    def row(self, line: int, text: str) -> None:
        self.is_empty = False
        if self.block is None:
            if not self.is_lost:
                self.source.problem(
                    line, "a row outside a document", f"{BEGIN} before it", "add the line", code="row-outside-document"
                )
            self.is_lost = True
            return
        if self.ragged:
            self.sentence.append(Row(line, text.split()))
            return
        if self.has_tabs is None:
            self.has_tabs = "\t" in text
        cells = text.split("\t") if self.has_tabs else _SPACES.split(text.strip(" \t"))
        expected = len(self.sentence[0].cells) if self.sentence else None
        if len(cells) < FEWEST_COLUMNS or (expected is not None and len(cells) != expected):
            wanted = f"at least {FEWEST_COLUMNS}" if expected is None else f"{expected}, as in the rows before it"
            by = "tabs" if self.has_tabs else "spaces"
            found = f"a row of {len(cells)} columns"
            self.source.problem(
                line, found, wanted, f"fix the row; columns are separated by {by} in this file", code="column-count"
            )
            return
        self.sentence.append(Row(line, cells))

    def finish(self) -> Iterator[Block]:
        if self.block is not None:
            last = self.sentence or (self.block.sentences[-1] if self.block.sentences else [])
            line = last[-1].line if last else self.block.line
            remedy = "add the line, or fetch the file again if it was cut short"
            self.source.problem(
                line, "the end of the file inside a document", f"{END} after it", remedy, code="unclosed-document"
            )
            yield self._close(self.block)
        elif self.is_empty:
            self.source.problem(1, "no document", BEGIN, "check that this is a CoNLL-2012 file", code="no-document")

    def _close(self, block: Block) -> Block:
        self.blank()
        self.block = None
        return block


def _name_and_part(rest: str) -> tuple[str, str | None]:
    """Parse `(NAME); part 001`, with or without the brackets or the part."""
    name, part = rest.strip().removesuffix(";").rstrip(), None
    before, semicolon, after = name.rpartition(";")
    words = after.split()
    if semicolon and len(words) == 2 and words[0] == "part":
        name, part = before.rstrip(), words[1]
    if name.startswith("(") and name.endswith(")"):
        name = name[1:-1]
    return name, part


UNSAID = frozenset({"-", "_", ""})
# GerDraCor puts number and gender where OntoNotes has frameset and sense.
FEATURES = {
    "sg": "Number=Sing",
    "pl": "Number=Plur",
    "masc": "Gender=Masc",
    "fem": "Gender=Fem",
    "neut": "Gender=Neut",
}
CONLLU_WIDTH = 10
DEMOCRAT_WIDTH = 15  # CoNLL-U, speaker, paragraph, named entities in two notations, brackets


class SentenceRows(NamedTuple):
    """The words of a sentence; `rows` has the row of each token."""

    tokens: list[Token]
    rows: list[Row]
    speaker: str | None
    multiwords: list[Multiword]
    """Multiword tokens with positions relative to the beginning of the sentence."""


Layout = Callable[[list[Row], Source], SentenceRows]


def layout_of(sentences: list[list[Row]]) -> Layout:
    """Return the layout: OntoNotes, CoNLL-U with further columns, or another one with word numbers in column 1."""
    if not _numbers_words(sentences):
        return ontonotes
    rows = [row.cells for sentence in sentences for row in sentence]
    # SemEval-2010 has heads in column 9, where CoNLL-U has DEPS, which is not a number
    is_conllu = all(len(cells) > CONLLU_WIDTH and not cells[8].isdigit() for cells in rows)
    return conllu if is_conllu else read_numbered


def _numbers_words(sentences: list[list[Row]]) -> bool:
    """Return whether the first column counts words from 1 in each sentence, instead of naming the document."""
    counting = [_begins_at_one(sentence[0].cells[0]) for sentence in sentences]
    longer = [
        counts and sentence[0].cells[0] != sentence[1].cells[0]
        for counts, sentence in zip(counting, sentences, strict=True)
        if len(sentence) > 1
    ]
    if longer:  # most, not all: a wrong number must not change the layout of a whole document
        return sum(longer) * 2 > len(longer)
    return bool(sentences) and all(counting) and not _has_part_and_number(sentences[0][0].cells)


def _begins_at_one(first: str) -> bool:
    return first == "1" or first.startswith(("1-", "0."))


def _has_part_and_number(cells: list[str]) -> bool:
    """Return whether this is an OntoNotes row of a document with the name 1."""
    return len(cells) > 4 and cells[1].isdecimal() and cells[2].isdecimal()


def ontonotes(rows: list[Row], source: Source) -> SentenceRows:
    """Read OntoNotes: document, part, word number, word, POS, parse bit, lemma, frameset, sense, speaker, NE, …"""
    width = len(rows[0].cells)
    word = min(3, width - 2)
    tokens = []
    speakers = []
    for number, row in enumerate(rows, 1):
        cells = row.cells
        form = cells[word] or _form(row, word, source)
        if width < 6:
            tokens.append(Token(str(number), form))
            continue
        xpos = "_" if cells[4] in UNSAID else cells[4]
        lemma = "_" if width < 8 or cells[6] in UNSAID else cells[6]
        names_entity = _names_entity(cells, width)
        feats, misc = _extras("_" if width < 7 else cells[5], tuple(cells[7:-1]), names_entity)
        if width > 10 and not names_entity:
            speakers.append(cells[9])
        tokens.append(Token(str(number), form, lemma, "_", xpos, feats, "_", "_", "_", misc))
    return SentenceRows(tokens, rows, one_speaker(speakers, source), [])


def _names_entity(cells: list[str], width: int) -> bool:
    """Return whether column 10, usually the speaker, contains named entities, as in GerDraCor's eleven columns."""
    return width == 11 and cells[9][:1] in ("(", "*")


@lru_cache(maxsize=4096)  # a corpus has few different values
def _extras(parse: str, after_lemma: tuple[str, ...], names_entity: bool) -> tuple[str, str]:
    """Return FEATS and MISC with the columns that UD does not have."""
    feats: list[str] = []
    misc: list[str] = [] if parse in NO_BRACKET else ["Parse=" + parse]
    for cell, name in zip(after_lemma, ("Frameset", "Sense", "NE" if names_entity else "", "NE"), strict=False):
        if name and cell not in NO_BRACKET:
            feature = FEATURES.get(cell)
            (misc if feature is None else feats).append(feature or f"{name}={cell}")
    if any(cell not in NO_BRACKET for cell in after_lemma[4:]):
        misc.append("Args=" + ",".join(cell.replace(",", "%2C") for cell in after_lemma[4:]))
    return "|".join(sorted(feats)) or "_", "|".join(pair.replace("|", "%7C") for pair in misc) or "_"


def last_column(rows: list[Row], source: Source) -> SentenceRows:
    """Read only the brackets and the word, which is in the column of OntoNotes if there are enough columns."""
    tokens = []
    for number, row in enumerate(rows, 1):
        before = row.cells[:-1] or ["_"]
        tokens.append(Token(str(number), before[min(3, len(before) - 1)]))
    return SentenceRows(tokens, rows, None, [])


def read_numbered(rows: list[Row], source: Source) -> SentenceRows:
    """Read word number and word, then unknown columns, as in SemEval-2010."""
    tokens = [Token(str(number), _form(row, 1, source)) for number, row in enumerate(rows, 1)]
    return SentenceRows(tokens, rows, None, [])


def conllu(rows: list[Row], source: Source) -> SentenceRows:
    """Read the ten columns of CoNLL-U, then others; the five of Democrat are known."""
    words = SentenceRows([], [], None, [])
    speakers = []
    number = 0
    for row in rows:
        cells = row.cells
        if "-" in cells[0]:
            _multiword(row, len(words.tokens), words.multiwords, source)
            continue
        if "." not in cells[0]:
            number += 1
            _check_number(row, number, source)
        misc, space = _spacing(cells[9])
        if len(cells) == DEMOCRAT_WIDTH:
            speakers.append(cells[10])
            misc = _with_entity(misc, cells[12])
        name = cells[0] if "." in cells[0] else str(number)
        columns = [cell or "_" for cell in cells[2:9]]
        words.tokens.append(Token._make([name, _form(row, 1, source), *columns, misc, space, ()]))
        words.rows.append(row)
    _trim(words.multiwords, len(words.tokens), rows, source)
    _check_heads(words, source)
    return words._replace(speaker=one_speaker(speakers, source))


def _check_number(row: Row, number: int, source: Source) -> None:
    if row.cells[0] != str(number):
        found = f"word number {quote(row.cells[0])}"
        source.problem(
            row.line,
            found,
            str(number),
            "number the words of a sentence from 1 on",
            code="invalid-token-id",
            fragment=row.cells[0],
        )


def _check_heads(words: SentenceRows, source: Source) -> None:
    known = {"0", "_"}.union(token.id for token in words.tokens)
    for index, (token, row) in enumerate(zip(words.tokens, words.rows, strict=True)):
        if token.head not in known:
            found = f"head {quote(token.head)} in a sentence of {len(words.tokens)} words"
            source.problem(
                row.line,
                found,
                "0, or the number of a word of the sentence",
                "fix the head",
                code="invalid-dependency-head",
                fragment=token.head,
            )
            words.tokens[index] = token._replace(head="_")


def _multiword(row: Row, position: int, multiwords: list[Multiword], source: Source) -> None:
    first, _, last = row.cells[0].partition("-")
    is_range = first.isdecimal() and last.isdecimal() and len(first) < 7 and len(last) < 7
    width = int(last) - int(first) + 1 if is_range else 0
    if width < 1 or row.cells[-1].strip() not in NO_BRACKET:
        source.problem(
            row.line,
            f"a multiword token {quote(row.cells[0])} with {quote(row.cells[-1])} in the last column",
            "a range such as 3-4, and brackets at its words only",
            "fix the range, or move the brackets",
            code="invalid-multiword-token",
            fragment=row.cells[0],
        )
        if width < 1:
            return
    misc, space = _spacing(row.cells[9])
    multiwords.append(Multiword(position, position + width, _form(row, 1, source), misc, space))


def _trim(multiwords: list[Multiword], size: int, rows: list[Row], source: Source) -> None:
    """Drop multiword tokens that overlap or extend beyond the sentence."""
    at = 0
    for multiword in list(multiwords):
        if multiword.start < at or multiword.end > size:
            source.problem(
                rows[0].line,
                f"a multiword token {quote(multiword.form)} some of whose words are missing",
                "its words after it, each in one multiword token",
                "fix the range",
                code="invalid-multiword-token",
                fragment=multiword.form,
            )
            multiwords.remove(multiword)
        else:
            at = multiword.end


def _spacing(misc: str) -> tuple[str, str]:
    """Return MISC without its attribute for the space after the word, and that space."""
    pairs = [] if misc in UNSAID else misc.split("|")
    if "SpaceAfter=No" not in pairs:
        return misc or "_", " "
    pairs.remove("SpaceAfter=No")
    return "|".join(pairs) or "_", ""


def _with_entity(misc: str, entity: str) -> str:
    if entity in NO_BRACKET:
        return misc
    pair = "NE=" + entity.replace("|", "%7C")
    return pair if misc == "_" else f"{misc}|{pair}"


def _form(row: Row, column: int, source: Source) -> str:
    form = row.cells[column]
    if not form:
        source.problem(row.line, "an empty word", f"a word in column {column + 1}", "fix the row", code="empty-word")
        return "_"
    return form


def read(source: Source, columns: str = "regular") -> Iterator[Document]:
    """Read the documents of a file; each part is a document, and `meta["part"]` has its number as written."""
    seen: set[str] = set()
    ragged = columns == "any"
    for block in blocks(source, ragged=ragged):
        if block.id in seen:
            source.problem(
                block.line,
                f"duplicate document {quote(block.id)}",
                "a unique name and part number for each document",
                "rename one of them",
                severity="warning",
                code="duplicate-document-id",
                fragment=block.id,
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


def _tokens(sentences: list[SentenceRows]) -> Tokens:
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
    """Set the text after the last surface token."""
    last = len(tokens) - 1
    while last and tokens[last].is_empty:
        last -= 1
    tokens[last] = tokens[last]._replace(space=space)
    if multiwords and multiwords[-1].end > last:
        multiwords[-1] = replace(multiwords[-1], space=space)


class _Brackets:
    """Finds the spans between brackets; of the open mentions of an entity, the last one opened is closed first."""

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
                    code="unclosed-mention",
                    fragment=id,
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
                "fix the cell, or check that the last column is the coreference column",
                code="invalid-brackets",
                fragment=cell,
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
            f"a closing bracket for entity {quote(id)} without an opening one",
            f"{quote('(' + id)} before it",
            "add the opening bracket, or remove the closing one",
            code="unopened-mention",
            fragment=id,
        )
        return None
