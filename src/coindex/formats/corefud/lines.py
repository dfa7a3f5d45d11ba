"""The word lines of CoNLL-U, which are checked when they are read and parsed when tokens are accessed.

In CoNLL-U Plus, a `# global.columns` line names the columns of a file, in any order, more or fewer than ten. In this
package every word line has the internal order: the ID, the other columns of CoNLL-U, the further columns of the file,
and MISC last. A `Layout` converts lines from the order of a file to the internal order and back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from typing import NamedTuple

from ...document import Multiword, Token
from ...document.tokens import Extra, extra_columns
from ...errors import quote
from ..source import Source

STANDARD = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
GLOBAL_COLUMNS = "# global.columns = "
BAD = "?"
"""Replaces a line with a wrong number of columns; it has too few columns itself."""


def problem_of(names: Sequence[str]) -> str | None:
    """Return what is wrong with these names of columns, None if they are valid."""
    if odd := [name for name in names if not name or any(map(str.isspace, name))]:
        return f"the column name {odd[0]!r}"
    if repeated := [name for name, count in Counter(names).items() if count > 1]:
        return f"the column {repeated[0]} {'twice' if names.count(repeated[0]) == 2 else 'several times'}"
    return None if "FORM" in names else "no column FORM"


def further_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that are not columns of CoNLL-U, in their order."""
    return tuple(name for name in names if name not in STANDARD)


@dataclass(frozen=True)
class Layout:
    """The columns of a file, in the order of the file."""

    names: tuple[str, ...]
    line: str = field(default="", compare=False)
    """The comment that names the columns, as it was read."""

    @cached_property
    def comment(self) -> str:
        return self.line or GLOBAL_COLUMNS + " ".join(self.names)

    @cached_property
    def further(self) -> tuple[str, ...]:
        return further_columns(self.names)

    @cached_property
    def _inside(self) -> tuple[str, ...]:
        """The names in the internal order."""
        return (*STANDARD[:-1], *self.further, STANDARD[-1])

    @cached_property
    def _sources(self) -> list[int | None]:
        """The index in the file of each internal column."""
        places = {name: place for place, name in enumerate(self.names)}
        return [places.get(name) for name in self._inside]

    @cached_property
    def _targets(self) -> list[int]:
        places = {name: place for place, name in enumerate(self._inside)}
        return [places[name] for name in self.names]

    def to_inside(self, lines: Sequence[str]) -> list[str]:
        """Return the lines of a sentence in internal order; lines that cannot be converted become `BAD`."""
        number = 0
        converted = []
        for line in lines:
            if not line or self._is_comment(line):
                converted.append(line if number == 0 else BAD)
                continue
            cells = line.split("\t")
            number += 1
            if len(cells) != len(self.names):
                converted.append(BAD)
                continue
            picked = ["_" if place is None else cells[place] for place in self._sources]
            if self._sources[0] is None:
                picked[0] = str(number)
            converted.append("\t".join(picked))
        return converted

    def _is_comment(self, line: str) -> bool:
        """Return whether a line is a comment; if the first column is not the ID, a word may begin with "#" too."""
        if not line.startswith("#"):
            return False
        return len(self.names) == 1 or self.names[0] == "ID" or line.count("\t") != len(self.names) - 1

    def to_file(self, text: str) -> str:
        """Return text in internal order converted to the order of the file."""
        if self._inside == self.names:
            return text
        lines = text.split("\n")
        for at, line in enumerate(lines):
            if line and not line.startswith("#"):
                cells = line.split("\t")
                lines[at] = "\t".join([cells[place] for place in self._targets])
        return "\n".join(lines)

    def find_missing_columns(self, text: str) -> list[str]:
        """Return the columns of CoNLL-U that have values in an internal text, but are not in the file."""
        absent = [(place, name) for place, name in enumerate(self._inside) if name not in self.names]
        if not absent:
            return []
        needed = set()
        number = 0
        for line in text.split("\n"):
            if not line or line.startswith("#"):
                number = 0
                continue
            number += 1
            cells = line.split("\t")
            needed |= {name for place, name in absent if place and cells[place] != "_"}
            if cells[0] != str(number) or (len(self.names) == 1 and cells[1].startswith("#")):
                needed.add("ID")
        return [name for _, name in absent if name in needed]

    def with_columns(self, names: Iterable[str]) -> Layout:
        """Return a layout with these columns added: the ID first, others at the end."""
        new = [name for name in dict.fromkeys(names) if name not in self.names]
        if not new:
            return self
        first = ["ID"] if "ID" in new else []
        return Layout((*first, *self.names, *[name for name in new if name != "ID"]))


def with_further(text: str, old: tuple[str, ...], new: tuple[str, ...]) -> str:
    """Convert internal text with `old` further columns to the `new` ones; columns without a value get "_"."""
    if old == new:
        return text
    places = {name: place for place, name in enumerate(old, len(STANDARD) - 1)}
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if line and not line.startswith("#"):
            cells = line.split("\t")
            further = [cells[places[name]] if name in places else "_" for name in new]
            lines[at] = "\t".join([*cells[: len(STANDARD) - 1], *further, cells[-1]])
    return "\n".join(lines)


_ESCAPES = {"\\s": " ", "\\t": "\t", "\\n": "\n", "\\r": "\r", "\\p": "|", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\[stnrp\\]")
_OURS = re.compile(r"(?:^|\|)(?:Entity|Bridge|SplitAnte|SpaceAfter|SpacesAfter)=")
_FORM = re.compile(r"\n[0-9]+(?:\.[0-9]+)?\t([^\t]*)")
NO_WORDS = "1\t_\t_\t_\t_\t_\t0\t_\t_\tEmpty=Yes"
"""CoNLL-U has no sentences without words; udapi writes and reads this line instead."""
_BEGINNINGS: list[str] = []  # "1\t", "2\t", …, extended as sentences need them


class SentenceWords(NamedTuple):
    """The position of each line of a sentence, None for a multiword token or a bad line."""

    lines: list[str]
    positions: range | list[int | None]
    empty: list[int]
    length: int
    good: list[str]
    """The valid lines: all of them, unless problems are collected instead of raised."""


def check_words(
    lines: list[str], line: int, start: int, source: Source, layout: Layout | None = None, written: Sequence[str] = ()
) -> SentenceWords:
    """Check the columns and ids of a sentence whose first token is at `start`; bad lines have no position.

    In a CoNLL-U Plus file, `written` are the lines as they are in the file.
    """
    if set(map(str.count, lines, repeat("\t"))) == {_tabs(layout)}:
        while len(_BEGINNINGS) < len(lines):
            _BEGINNINGS.append(f"{len(_BEGINNINGS) + 1}\t")
        if all(map(str.startswith, lines, _BEGINNINGS)):
            return SentenceWords(lines, range(start, start + len(lines)), [], len(lines), lines)
        if positions := _with_multiwords(lines, start):
            return SentenceWords(lines, positions, [], len(positions) - positions.count(None), lines)
    return _check_slowly(lines, line, start, source, layout, written or lines)


def _with_multiwords(lines: list[str], start: int) -> list[int | None]:
    """Return the positions of words and multiword tokens that are in order; None if there is anything else."""
    positions: list[int | None] = []
    words = open_until = 0
    for text in lines:
        if text.startswith(_BEGINNINGS[words]):
            positions.append(start + words)
            words += 1
        elif (end := _multiword_end(text[: text.find("\t")], words + 1, open_until)) > 0:
            positions.append(None)
            open_until = end
        else:
            return []
    return positions if open_until <= words else []


def _tabs(layout: Layout | None) -> int:
    return 9 if layout is None else 9 + len(layout.further)


def _check_slowly(
    lines: list[str], line: int, start: int, source: Source, layout: Layout | None, written: Sequence[str]
) -> SentenceWords:
    tabs = _tabs(layout)
    ids = [text[: text.find("\t")] for text in lines]
    good: list[str] = []
    positions: list[int | None] = []
    empty: list[int] = []
    next_id, position, multiword_end, last_empty = 1, start, 0, 0
    for number, (text, name) in enumerate(zip(lines, ids, strict=True), line):
        positions.append(None)
        if text.count("\t") != tabs:
            _bad_columns(number, written[number - line], layout, source)
            continue
        if name == str(next_id):
            next_id, last_empty = next_id + 1, 0
        elif "-" in name and (end := _multiword_end(name, next_id, multiword_end)):
            good.append(text)
            multiword_end = end
            continue
        elif "." in name and (minor := _empty_number(name, next_id)) > last_empty:
            empty.append(position)
            last_empty = minor
        else:
            _bad_id(number, name, next_id, source)
            continue
        good.append(text)
        positions[-1] = position
        position += 1
    if multiword_end >= next_id:
        _bad_id(line + len(lines) - 1, ids[-1], next_id, source)
    return SentenceWords(lines, positions, empty, position - start, good)


def _multiword_end(name: str, next_id: int, open_until: int) -> int:
    """Return the last word of a multiword token that may precede the word `next_id`, otherwise 0."""
    first, _, last = name.partition("-")
    if not (_is_number(first) and _is_number(last)):
        return 0
    return int(last) if open_until < next_id == int(first) < int(last) else 0


def _empty_number(name: str, next_id: int) -> int:
    """Return the number after the dot of an empty node that may precede the word `next_id`, otherwise 0."""
    word, _, number = name.partition(".")
    if not (_is_number(word) and _is_number(number)):
        return 0
    return int(number) if int(word) == next_id - 1 else 0


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10 and (text == "0" or text[0] != "0")


def _bad_columns(line: int, text: str, layout: Layout | None, source: Source) -> None:
    is_comment = text.startswith("#")
    if is_comment:
        found, expected = "a comment after the first word", "comments before the words of a sentence"
    else:
        found = f"{_columns(text.count(chr(9)) + 1)}: {quote(text)}"
        expected = "ten columns separated by tabs"
        if layout is not None:
            expected = f"{_columns(len(layout.names))} separated by tabs, as the first line says"
    source.problem(
        line,
        found,
        expected,
        "fix the line; a blank line must stand between sentences",
        code="late-comment" if is_comment else "column-count",
        fragment="" if is_comment else text,
    )


def _columns(count: int) -> str:
    return f"{count} column{'' if count == 1 else 's'}"


def _bad_id(line: int, name: str, next_id: int, source: Source) -> None:
    source.problem(
        line,
        f"the word id {quote(name)}",
        f"{next_id}, or an empty node {next_id - 1}.1",
        "number words from 1 in each sentence without gaps or repetition",
        code="invalid-token-id",
        fragment=name,
    )


@dataclass(frozen=True, slots=True)
class Lines:
    """The tokens of a document as unparsed lines; `raw` has a string for each sentence."""

    raw: tuple[str, ...]
    paragraphs: frozenset[int]
    """The sentences that begin a paragraph."""
    starts: tuple[int, ...]
    """Where each sentence begins."""
    length: int
    empty_positions: frozenset[int]
    further: tuple[str, ...] = ()
    """The names of columns beyond those of CoNLL-U."""

    def forms(self) -> list[str]:
        return [form for raw in self.raw for form in _FORM.findall("\n" + raw)]

    def token(self, position: int) -> Token | None:
        """Return a token without parsing the others; None for the last of a sentence: its space depends on the next."""
        index = bisect_right(self.starts, position) - 1
        end = self.starts[index + 1] if index + 1 < len(self.starts) else self.length
        if position + 1 == end:
            return None
        tokens: list[Token] = []
        _parse(self.raw[index], tokens, [], self.further)
        return tokens[position - self.starts[index]]

    def empty_tokens(self) -> dict[int, Token]:
        """Return the empty nodes; only the sentences that have some are parsed."""
        by_number: dict[int, Token] = {}
        for index in sorted({bisect_right(self.starts, position) - 1 for position in self.empty_positions}):
            position = self.starts[index]
            for text in self.raw[index].split("\n"):
                name = text[: text.find("\t")]
                if text[:1] in ("#", "") or "-" in name:
                    continue
                if "." in name:
                    tokens: list[Token] = []
                    _parse(text, tokens, [], self.further)
                    by_number[position] = tokens[0]
                position += 1
        return by_number

    def __call__(self) -> tuple[tuple[Token, ...], tuple[Multiword, ...]]:
        tokens: list[Token] = []
        multiwords: list[Multiword] = []
        for index, raw in enumerate(self.raw):
            if index in self.paragraphs and tokens:
                _set_last_space(tokens, multiwords, ("", " "), "\n")
            _parse(raw, tokens, multiwords, self.further)
        if tokens:  # the space after the last word is dropped
            _set_last_space(tokens, multiwords, (" ",), "")
        return tuple(tokens), tuple(multiwords)


def _set_last_space(tokens: list[Token], multiwords: list[Multiword], if_it_is: tuple[str, ...], space: str) -> None:
    """Set the text after the last word; empty nodes after it have no surface."""
    last = len(tokens) - 1
    while last and tokens[last].is_empty:
        last -= 1
    if multiwords and multiwords[-1].end > last:
        multiword = multiwords[-1]
        if multiword.space in if_it_is:
            multiwords[-1] = replace(multiword, space=space)
    elif tokens[last].space in if_it_is:
        tokens[last] = tokens[last]._replace(space=space)


def _parse(raw: str, tokens: list[Token], multiwords: list[Multiword], further: tuple[str, ...]) -> None:
    pending: tuple[str, int, str, str, str, Extra] | None = (
        None  # a multiword token whose last word has not been read yet
    )
    extra: Extra = ()
    for text in raw.split("\n"):
        if text[:1] in ("#", ""):
            continue
        columns = text.split("\t")
        if further:
            extra = extra_columns(dict(zip(further, columns[9:-1], strict=True)))
            del columns[9:-1]
        space = " "
        if columns[9] != "_" and _OURS.search(columns[9]):
            columns[9], space, _ = split_misc(columns[9])
        if "-" in columns[0]:
            last = columns[0].partition("-")[2]
            pending = last, len(tokens), columns[1], columns[9], space, extra
            continue
        tokens.append(Token._make((*columns, space, extra)))
        if pending is not None and columns[0] == pending[0]:
            multiwords.append(Multiword(pending[1], len(tokens), *pending[2:]))
            pending = None


def split_misc(misc: str) -> tuple[str, str, dict[str, str]]:
    """Split MISC into the attributes that have no other field, the text after the word, and the annotation."""
    kept = []
    ours = {}
    space = " "
    for pair in misc.split("|"):
        name, _, value = pair.partition("=")
        if name in ("Entity", "Bridge", "SplitAnte"):
            ours[name] = value
        elif pair == "SpaceAfter=No":
            space = ""
        elif name == "SpacesAfter":
            space = _ESCAPE.sub(lambda match: _ESCAPES[match.group()], value)
        else:
            kept.append(pair)
    return "|".join(kept) or "_", space, ours
