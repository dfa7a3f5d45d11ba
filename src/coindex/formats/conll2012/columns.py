"""The columns before the brackets: which layout a document has, and what its cells say of a word."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from ...document import Multiword, Token
from ...errors import quote
from ..source import Source
from ..surface import one_speaker
from .blocks import NO_BRACKET, Row

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


class Words(NamedTuple):
    """The words of a sentence as its rows tell them; `rows` are those of words, one a token."""

    tokens: list[Token]
    rows: list[Row]
    speaker: str | None
    multiwords: list[Multiword]
    """With positions that count from the beginning of the sentence."""


Layout = Callable[[list[Row], Source], Words]


def layout_of(sentences: list[list[Row]]) -> Layout:
    """OntoNotes, or one whose first column numbers the words of a sentence, with CoNLL-U's ten or without."""
    if not _numbers_words(sentences):
        return ontonotes
    rows = [row.cells for sentence in sentences for row in sentence]
    # SemEval-2010 has heads in column 9, where CoNLL-U has DEPS, which is no number
    is_conllu = all(len(cells) > CONLLU_WIDTH and not cells[8].isdigit() for cells in rows)
    return conllu if is_conllu else numbered


def _numbers_words(sentences: list[list[Row]]) -> bool:
    """Whether the first column counts from 1 in each sentence, rather than name the document."""
    counting = [_begins_at_one(sentence[0].cells[0]) for sentence in sentences]
    longer = [
        counts and sentence[0].cells[0] != sentence[1].cells[0]
        for counts, sentence in zip(counting, sentences, strict=True)
        if len(sentence) > 1
    ]
    if longer:  # most, not all: a slip in a number must not make another layout of a whole document
        return sum(longer) * 2 > len(longer)
    return bool(sentences) and all(counting) and not _has_part_and_number(sentences[0][0].cells)


def _begins_at_one(first: str) -> bool:
    return first == "1" or first.startswith(("1-", "0."))


def _has_part_and_number(cells: list[str]) -> bool:
    """Whether this is a row of OntoNotes, of a document that is named 1."""
    return len(cells) > 4 and cells[1].isdecimal() and cells[2].isdecimal()


def ontonotes(rows: list[Row], source: Source) -> Words:
    """Document, part, word number, word, POS, parse bit, lemma, frameset, sense, speaker, NE, arguments …"""
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
    return Words(tokens, rows, one_speaker(speakers, source), [])


def _names_entity(cells: list[str], width: int) -> bool:
    """Whether column 10, that of the speaker, holds named entities, as in GerDraCor's eleven columns."""
    return width == 11 and cells[9][:1] in ("(", "*")


@lru_cache(maxsize=4096)  # few different ones in a corpus
def _extras(parse: str, after_lemma: tuple[str, ...], names_entity: bool) -> tuple[str, str]:
    """FEATS and MISC for the columns that UD has no column for."""
    feats: list[str] = []
    misc: list[str] = [] if parse in NO_BRACKET else ["Parse=" + parse]
    for cell, name in zip(after_lemma, ("Frameset", "Sense", "NE" if names_entity else "", "NE"), strict=False):
        if name and cell not in NO_BRACKET:
            feature = FEATURES.get(cell)
            (misc if feature is None else feats).append(feature or f"{name}={cell}")
    if any(cell not in NO_BRACKET for cell in after_lemma[4:]):
        misc.append("Args=" + ",".join(cell.replace(",", "%2C") for cell in after_lemma[4:]))
    return "|".join(sorted(feats)) or "_", "|".join(pair.replace("|", "%7C") for pair in misc) or "_"


def last_column(rows: list[Row], source: Source) -> Words:
    """Only the brackets count; the word is where OntoNotes has it, if there are so many columns."""
    tokens = []
    for number, row in enumerate(rows, 1):
        before = row.cells[:-1] or ["_"]
        tokens.append(Token(str(number), before[min(3, len(before) - 1)]))
    return Words(tokens, rows, None, [])


def numbered(rows: list[Row], source: Source) -> Words:
    """Word number and word, then columns that are not known, as in SemEval-2010."""
    tokens = [Token(str(number), _form(row, 1, source)) for number, row in enumerate(rows, 1)]
    return Words(tokens, rows, None, [])


def conllu(rows: list[Row], source: Source) -> Words:
    """CoNLL-U's ten columns, then others; Democrat's five are known."""
    words = Words([], [], None, [])
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
        source.problem(row.line, found, str(number), "number the words of a sentence from 1 on")


def _check_heads(words: Words, source: Source) -> None:
    known = {"0", "_"}.union(token.id for token in words.tokens)
    for index, (token, row) in enumerate(zip(words.tokens, words.rows, strict=True)):
        if token.head not in known:
            found = f"head {quote(token.head)} in a sentence of {len(words.tokens)} words"
            source.problem(row.line, found, "0, or the number of a word of the sentence", "mend the head")
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
            "mend the range, or move the brackets",
        )
        if width < 1:
            return
    misc, space = _spacing(row.cells[9])
    multiwords.append(Multiword(position, position + width, _form(row, 1, source), misc, space))


def _trim(multiwords: list[Multiword], size: int, rows: list[Row], source: Source) -> None:
    """Leave out multiword tokens that reach beyond the sentence or into each other."""
    at = 0
    for multiword in list(multiwords):
        if multiword.start < at or multiword.end > size:
            source.problem(
                rows[0].line,
                f"a multiword token {quote(multiword.form)} whose words are not all there",
                "its words after it, each in one multiword token",
                "mend the range",
            )
            multiwords.remove(multiword)
        else:
            at = multiword.end


def _spacing(misc: str) -> tuple[str, str]:
    """MISC without what it says of the blank after the word, and that blank."""
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
        source.problem(row.line, "an empty word", f"a word in column {column + 1}", "mend the row")
        return "_"
    return form
