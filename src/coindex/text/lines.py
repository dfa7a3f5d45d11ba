"""Line structure of raw text: where a line break ends a sentence, and what at the start of a line is markup.

Prose is often wrapped, so most line breaks mean nothing; in lists, chats, tables, verse and e-mail headers each of them
ends a sentence. A line that begins with a marker begins a sentence. For other lines the lengths decide: if nearly every
line is so long that the first word of the next did not fit, the lines are wrapped and are joined; otherwise each stands
for itself, unless it begins with a small letter after a line without a stop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from .character_classes import GHOSTS, HAN, HIRAGANA, KATAKANA, LONG
from .protected import Range, is_inside

NARROWEST = 40
"""No text is wrapped to fewer characters, though Chinese and Japanese are, to half of it."""
WIDEST = 125
SLACK = 10
"""So many characters may be left at the end of a line that was wrapped by hand."""
MOST_SHORT = 0.25
"""The share of short lines that wrapped text may have."""
TELLING = 4
"""So many lines show by themselves whether they are wrapped."""
SHORT = 0.2
"""The part of the width that is left at the end of a line that ends on purpose, in wrapped text."""

# A repeated group is never possessive; see tokenizer.py.
_LINE = re.compile(r"([^\n\r\f]*+)(\r\n|[\n\r\f]|\Z)")
_QUOTE = re.compile(r"(?:[ \t]{0,3}>)+")
_SIGNS = "-*+•‣▪◦●○■□·–—☐☑☒✓✔✗✘"
_BULLET = re.compile(rf"(?:[{_SIGNS}][ \t]++)?\[[ xX✓✔]\](?=\s)|[{_SIGNS}](?=\s)")
_NUMBER = re.compile(r"(\(?)(\d{1,3}|[A-Za-z]|[ivxlc]{1,7}|[IVXLC]{1,7})([.)])(?=\s)")
_SECTION = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,4}\.?(?=\s)")
_HEADING = re.compile(r"#{1,6}(?=\s)")
_RULER = re.compile(r"([-=~^*_#+.─═])[ \t]?+(?:\1[ \t]?+)+\Z|[-|:+= \t]{3,}+\Z")
_TIME = r"[0-2]?\d:[0-5]\d(?::\d{2})?(?:[.,]\d{1,9})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_DATE = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
_ZONE = r"(?:Z|[+-]\d{2}:?\d{2})?"
_STAMP = re.compile(
    rf"[\[(](?:{_DATE}[,T ]\s?)?{_TIME}[^\])\n]{{0,12}}[\])]|{_DATE}(?:,\s?|T|\s){_TIME}{_ZONE}(?:\s-(?=\s))?"
)
_LOOSE_STAMP = re.compile(rf"(?:{_TIME}|{_DATE}|[A-Z][a-z]{{2}} {{1,2}}\d{{1,2}} {_TIME})(?=\s)")
_NICK = re.compile(r"<[^<>\s]{1,40}>(?=\s)")
_SPEAKER = re.compile(r"[@<]?[^\W\d_][^\W_]*+(?:[ .'’&/-]{1,2}\w{1,25}+){0,4}[.>]?(?: ?\([^()\n]{1,30}\))?:(?=\s|\Z)")
_ROW = re.compile(r"(?:(?:\"[^\"\n]*+\"|[^,;\t\"\n]*+)(?:[,;](?=[^\s\d])|(?<!\d)[,;](?=\S)|\t)){2}")
_SPACE = re.compile(r"\s")
_PIPES = re.compile(r"\|++")
_DASHES = ("-", "–", "—", "--")
_STOPS = tuple(".!?…。！？؟।")
_DANGLING = frozenset({"a", "an", "the", "and", "of"})
"""English words that end no line of their own."""
_OPENERS = "\"'“‘«(*_"
_UNSPACED = HAN + HIRAGANA + KATAKANA + LONG
_BLANK = GHOSTS + "".join(char for char in map(chr, range(0x3001)) if char.isspace())
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


class _Item(NamedTuple):
    """The number of a list item: its style, and what it may count as, for "i" is a letter and a Roman number."""

    style: str
    values: tuple[int, ...]


@dataclass(slots=True)
class _Line:
    """A line that is not blank; `text` is what stands in it, without quote marks and white space."""

    begin: int
    first: int
    """Its first character that can be seen."""
    end: int
    text: str
    depth: int
    """How many > stand before the text."""
    is_first: bool
    """Whether it stands at the beginning or after a blank line."""
    breaks: bool
    """Whether a sentence begins here for certain."""
    is_marked: bool = False
    """Whether it begins with a marker that may also have come there by wrapping."""
    closes: bool = False
    """Whether the next line begins a sentence for certain."""
    item: _Item | None = None
    dash: str = ""
    """The dash that it begins with, as an item of a list or in the middle of a sentence."""
    signs: str = ""
    """What it looks like: adjacent lines that look alike (a speaker, a time, a table row) are no wrapped prose."""
    marker: Range | None = None
    """What is markup if a sentence begins here."""
    markers: list[Range] = field(default_factory=list)
    """What is markup in any case."""

    @property
    def length(self) -> int:
        return self.end - self.begin

    @property
    def first_word(self) -> int:
        space = _SPACE.search(self.text)
        return space.start() if space else len(self.text)


class LineStructure(NamedTuple):
    """Characters that begin a sentence because a line begins there, and the markers of lines."""

    borders: frozenset[int]
    markers: list[Range]


def find_lines(text: str, shape: str, protected: Sequence[Range]) -> LineStructure:
    """The structure of a text. Lines of code, which `protected` has, each stand for themselves."""
    lines = list(_lines(text, shape))
    _mark_lines(lines, protected)
    _mark_alike(lines)
    _mark_dashes(lines)
    _mark_items(lines)
    runs = [run for run in _runs(lines) if len(run) > 1]
    common = _common_width(runs, shape)
    borders = {line.first for line in lines if line.breaks}
    for run in runs:
        borders.update(line.first for line in _borders(run, common, shape))
    markers = [marker for line in lines for marker in line.markers]
    markers += [line.marker for line in lines if line.marker is not None and line.first in borders]
    return LineStructure(frozenset(borders), markers)


def _lines(text: str, shape: str) -> Iterator[_Line]:
    """The lines that are not blank; those at the beginning or after a blank line begin a sentence."""
    is_new = True
    for match in _LINE.finditer(shape):
        begin, end = match.span(1)
        raw = text[begin:end].rstrip(_BLANK)
        bare = raw.lstrip(_BLANK)
        if not bare:
            is_new = is_new or match[0] != "" or match[2] == "\f"
            continue
        first = begin + len(raw) - len(bare)
        quote = _QUOTE.match(bare)
        content = bare[quote.end() :].lstrip(_BLANK) if quote else bare
        depth = bare.count(">", 0, quote.end()) if quote else 0
        line = _Line(begin, first, begin + len(raw), content, depth, is_new, is_new)
        if quote:
            line.markers.append(Range(first, first + quote.end(), "markup"))
        yield line
        is_new = match[2] == "\f"


def _mark_lines(lines: Sequence[_Line], protected: Sequence[Range]) -> None:
    """What each line is by itself."""
    before: _Line | None = None
    for line in lines:
        text = line.text
        at = line.end - len(text)
        code = is_inside(line.first, protected)
        if code is not None and code.reason == "code" and code.end >= line.end:
            line.breaks = line.closes = True
        elif text != "--" and _RULER.match(text):
            line.breaks = line.closes = True
            line.markers.append(Range(at, line.end, "markup"))
        elif not text or text[0] == "|" or text.count(" | ") > 1:
            line.breaks = line.closes = True
            line.markers += [Range(at + pipe.start(), at + pipe.end(), "markup") for pipe in _PIPES.finditer(text)]
        elif found := _HEADING.match(text):
            line.breaks = line.closes = True
            line.markers.append(Range(at, at + found.end(), "markup"))
        elif found := _BULLET.match(text) or _STAMP.match(text):
            line.is_marked = True
            line.dash = found[0] if found[0] in _DASHES and line.first == line.begin else ""
            line.breaks = line.breaks or not line.dash
            line.marker = Range(at, at + found.end(), "markup")
        elif found := _NUMBER.match(text):
            line.item = _item(found)
            line.is_marked = True
            line.marker = Range(at, at + found.end(), "markup")
        elif text == "--":
            line.is_marked = line.closes = True
        else:
            line.signs = _signs(text)
            section = _SECTION.match(text)
            line.marker = Range(at, at + section.end(), "markup") if section else None
            line.is_marked = bool(line.signs or section or code)
            line.breaks = line.breaks or _NICK.match(text) is not None
        if before is not None:
            line.breaks = line.breaks or before.closes or before.depth != line.depth
        before = line


def _signs(text: str) -> str:
    if _ROW.match(text):
        return "row"
    if _LOOSE_STAMP.match(text):
        return "time"
    return "speaker" if _SPEAKER.match(text) else ""


def _mark_alike(lines: Sequence[_Line]) -> None:
    """Adjacent lines that look alike each begin a sentence."""
    for before, line in pairwise(lines):
        if line.signs and line.signs == before.signs:
            before.breaks = line.breaks = True
            if line.signs == "row":
                before.closes = line.closes = True
    for before, line in pairwise(lines):
        line.breaks = line.breaks or before.closes


def _mark_dashes(lines: Sequence[_Line]) -> None:
    """Lines without a blank one between that begin with the same dash are a list; a single one may be wrapped prose."""
    last: dict[str, _Line] = {}
    for line in lines:
        if line.is_first:
            last = {}
        if line.dash:
            if line.dash in last:
                last[line.dash].breaks = line.breaks = True
            last[line.dash] = line


def _item(match: re.Match[str]) -> _Item:
    opening, number, closing = match.groups()
    if number.isdigit():
        return _Item(f"{opening}1{closing}", (int(number),))
    style = f"{opening}{'a' if number.islower() else 'A'}{closing}"
    values = [ord(number.lower()) - ord("a") + 1] if len(number) == 1 else []
    if set(number.lower()) <= _ROMAN.keys():
        values.append(_roman(number.lower()))
    return _Item(style, tuple(values))


def _roman(number: str) -> int:
    values = [_ROMAN[letter] for letter in number]
    return sum(-value if value < max(values[at:]) else value for at, value in enumerate(values))


def _mark_items(lines: Sequence[_Line]) -> None:
    """Numbers that count up begin sentences; a letter with a dot that does not, as in "A. Smith", is no marker."""
    last: dict[str, _Line] = {}
    counted = set()
    for line in lines:
        if line.item is None:
            continue
        before = last.get(line.item.style)
        if line.item.style.endswith(("1.", "1)")) and line.item.values == (1,):
            line.breaks = True
        elif before is not None and before.item is not None and _follows(before.item, line.item):
            before.breaks = line.breaks = True
            counted |= {before.first, line.first}
        last[line.item.style] = line
    for line in lines:
        if line.item is not None and line.item.style in ("a.", "A.") and line.first not in counted:
            line.is_marked, line.marker = False, None


def _follows(before: _Item, item: _Item) -> bool:
    return any(value + 1 in item.values for value in before.values)


def _runs(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """The lines from one that begins a sentence for certain to the next."""
    run: list[_Line] = []
    for line in lines:
        if line.breaks and run:
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _room(before: _Line, line: _Line, width: int, shape: str) -> int:
    """How many characters are left in a line after the first word of the next one, which may be below 0."""
    word = 1 if shape[line.first] in _UNSPACED else line.first_word
    return width - (before.length + 1 + word)


def _is_wrapped(run: Sequence[_Line], width: int, shape: str) -> bool:
    """Whether nearly all lines end where the next word did not fit."""
    least = NARROWEST // 2 if shape[run[0].first] in _UNSPACED else NARROWEST
    if not least <= width <= WIDEST:
        return False
    if len(run) > 2 and 2 * run[0].length < width:
        run = run[1:]  # "Dear Ann,"
    short = sum(_room(before, line, width, shape) >= SLACK for before, line in pairwise(run))
    return short <= MOST_SHORT * (len(run) - 1)


def _width(run: Sequence[_Line]) -> int:
    """The longest line, but not one that is a single long word, as a web address is."""
    return max((line.length for line in run if line.first_word < len(line.text)), default=0)


def _common_width(runs: Sequence[Sequence[_Line]], shape: str) -> int | None:
    """To how many characters the text is wrapped; 0 where it is not, None where too little of it shows that."""
    long = [run for run in runs if len(run) >= TELLING]
    wrapped = [_width(run) for run in long if _is_wrapped(run, _width(run), shape)]
    if 2 * len(wrapped) > len(long):
        return int(median(wrapped))
    return 0 if long else None


def _borders(run: Sequence[_Line], common: int | None, shape: str) -> Iterator[_Line]:
    """The lines of a run that begin a sentence, but the first."""
    width = _width(run)
    if len(run) < TELLING and common is not None:
        width = max(width, common)
    is_wrapped = (common != 0 or len(run) >= TELLING) and _is_wrapped(run, width, shape)
    has_capital = any(_initial(line).isupper() for line in run)
    for before, line in pairwise(run):
        stops = before.text.endswith((*_STOPS, ":"))
        if is_wrapped and _room(before, line, width, shape) <= SHORT * width:
            if line.is_marked and stops:
                yield line
        elif line.is_marked or stops or not _goes_on(before, line, has_capital=has_capital):
            yield line


def _goes_on(before: _Line, line: _Line, *, has_capital: bool) -> bool:
    """Whether the words show that a line continues the one before: by a small letter where others are capital."""
    return (has_capital and _initial(line).islower()) or before.text.rpartition(" ")[2] in _DANGLING


def _initial(line: _Line) -> str:
    """The first character of a line that is no opening quote or bracket."""
    return line.text.lstrip(_OPENERS)[:1]
