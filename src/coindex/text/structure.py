"""The structure of raw text: lines, and parts that are not prose.

Code, addresses, markup and noise stay in the document, but no resolver puts a mention there and `resolved` text never
changes them. This module finds their character ranges; `Document.from_text` marks the tokens in them in MISC
(`Protected=code`), so that the mark survives parsers, CoNLL-U and JSON; `Tokens.protected` reads the marks, and
`resolvers.chain.remove_protected` is the filter that every chain of resolvers ends with.

Prose is often wrapped, so most line breaks mean nothing; in lists, chats, tables, verse and e-mail headers each of them
ends a sentence. A line that begins with a marker begins a sentence. For other lines the lengths decide: if nearly every
line is so long that the first word of the next did not fit, the lines are wrapped and are joined; otherwise each line
is separate, unless it begins in lower case after a line without a stop.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Literal, NamedTuple

from .character_classes import CASELESS, GHOSTS, HAN, HEBREW, HIRAGANA, KATAKANA, LONG, SPACES
from .spans import Span

Reason = Literal["code", "link", "markup", "emphasis", "noise"]
"""`markup` are list markers, quote marks, table borders and HTML tags. `emphasis` (`**`) may be inside a mention,
but not at its edge; the others may not be part of one."""
LONGEST_WORD = 200
"""A longer run of characters without white space is not a word but noise, such as Base64, and one token."""
LONGEST_RULER = 80
"""A longer run of signs, white space included, without a letter or digit is noise."""
LEAST_SIGNS = 40
"""The least number of signs in such a run."""


class Range(NamedTuple):
    """The characters start..end, half-open, and why they are protected."""

    start: int
    end: int
    reason: Reason


_UNSPACED = f"{HAN}{HIRAGANA}{KATAKANA}{LONG}{CASELESS}"  # scripts that write without spaces, Thai among CASELESS
# A repeated group is never possessive; see tokenizer.py.
_BLOB = re.compile(f"(?<![^{SPACES}])[^{SPACES}{_UNSPACED}]{{{LONGEST_WORD + 1},}}+(?![^{SPACES}])")
_SIGN = f"[^A-Za-z0-9{_UNSPACED}{HEBREW}]"
_SIGNS = re.compile(f"(?<!{_SIGN}){_SIGN}{{{LONGEST_RULER + 1},}}+")
# Several lines of Base64 and the like, each a single long word.
_ENCODED = re.compile(r"(?:^[A-Za-z0-9+/=_-]{40,}+[ \t\r]*+(?:\n|\Z)){2,}", re.MULTILINE)

_FENCE = re.compile(r"^ {0,3}(?:>[ ]?)* {0,3}(`{3,}+|~{3,}+)([^\n]*+)$", re.MULTILINE)
# A pair of backticks on one line whose content does not begin or end with a space: not ``quotes'' and not `quotes'.
_TICKS = re.compile(r"(?<!`)(`{1,2})(?![`\s])([^`\n\r]{1,500}+)(?<!\s)\1(?!`)")
_MANY_TICKS = re.compile(r"(?<!`)(`++)(?!`)")
_LINK = re.compile(
    r"""
    (?i:\b(?:https?|ftps?|file|sftp|ssh|git|wss?)://) [^\s<>"“”«»`]{1,2000}+
    | (?i:\b(?:mailto|tel):) [^\s<>"“”«»`]{1,300}+
    | (?<![\w.@/-]) (?i:www\.) [^\s<>"“”«»`]{1,2000}+
    | (?<![\w.@/-]) (?:[A-Za-z0-9-]{1,63}+\.){1,5}[a-z]{2,6}/ [^\s<>"“”«»`]{0,2000}+
    | (?<![\w.%+-]) [A-Za-z0-9][\w.%+-]{0,63}+ @ (?:[A-Za-z0-9-]{1,63}+\.){1,6}[A-Za-z]{2,24}
    """,
    re.VERBOSE,
)
_TRAIL = ".,:;!?'’*_~"
_PAIRS = {")": "(", "]": "[", "}": "{"}
_FRONT_MATTER = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\r?\n(?:[^\n]*\n)*?\1[ \t]*(?=\r?\n|\Z)")
_LIST_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+")
_HTML = re.compile(
    r"""
    <!--
    | </?(?P<name>[A-Za-z][A-Za-z0-9-]{0,30}+)(?:\s[^<>]{0,1000}+)?/?>
    | <[A-Za-z][A-Za-z0-9+.-]{1,30}+:[^\s<>]{0,2000}+>
    | &(?:\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});
    """,
    re.VERBOSE,
)
_VERBATIM = frozenset({"script", "style", "pre", "code", "kbd", "samp", "tt", "var"})
"""HTML elements whose content is not prose."""
_TARGET = re.compile(
    r"""
    (?<=\])\( \s{0,9} (?:<[^<>\n]{0,2000}+>|(?:[^\s()]|\([^\s()]{0,500}+\)){0,2000})
        (?:\s{1,9} (?:"[^"]{0,500}+"|'[^']{0,500}+'|\([^()]{0,500}+\)))? \s{0,9} \)
    | (?<=\])\[[^\[\]\n]{0,200}+\]
    | ^[ ]{0,3}\[[^\[\]\n]{1,200}+\]:[^\n]*+
    """,
    re.VERBOSE | re.MULTILINE,
)
_EMPHASIS = re.compile(
    r"""
    (?<!\w)(?:\*{1,3}|_{1,3}|~~)(?=[^\s*_~]) | (?<=[^\s*_~])(?:\*{1,3}|_{1,3}|~~)(?!\w)
    | !?\[(?=[^\[\]\n]{1,200}+\][(\[]) | \](?=[(\[])  # the text of a link
    """,
    re.VERBOSE,
)


def find_protected(text: str, shape: str, *, markdown: bool = False) -> list[Range]:
    """Return the protected ranges of a text in order, without overlap.

    In plain text these are fenced code, code in backticks, addresses and noise; in Markdown also indented code, front
    matter, link targets, HTML and emphasis.
    """
    ranges = list(_noise(shape))
    ranges += [Range(*match.span(), "noise") for match in _ENCODED.finditer(text)]
    if markdown:
        ranges += _front_matter(text)
    ranges += _find_fenced(text, markdown=markdown)
    if markdown:
        ranges = merge_ranges(ranges)
        ranges += _find_indented(text, ranges)
        ranges = merge_ranges(ranges)
        ranges += _outside(_ticks(text), ranges)
        ranges += _outside(_html(text), ranges)
        ranges += _outside((Range(*match.span(), "link") for match in _finditer(_TARGET, "]", text)), ranges)
    else:
        ranges += [Range(*match.span(), "code") for match in _finditer(_TICKS, "`", text)]
    ranges += map(_link, _finditer(_LINK, "@:/.", text))
    ranges = merge_ranges(ranges)
    if markdown:
        ranges = merge_ranges(
            [*ranges, *_outside((Range(*m.span(), "emphasis") for m in _EMPHASIS.finditer(text)), ranges)]
        )
    return ranges


def blobs(shape: str) -> list[Span]:
    """Return runs without white space that are too long to be words."""
    return [match.span() for match in _BLOB.finditer(shape)]


def merge_ranges(ranges: Iterable[Range]) -> list[Range]:
    """Return ranges in order, with overlapping ones joined; the first of them gives the reason."""
    joined: list[Range] = []
    for start, end, reason in sorted(ranges, key=lambda item: (item.start, -item.end)):
        if start >= end:
            continue
        if joined and start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(end, joined[-1].end))
        else:
            joined.append(Range(start, end, reason))
    return joined


def mark_protected_tokens(spans: Iterable[Span], ranges: list[Range]) -> Mapping[int, Reason]:
    """Return why tokens are protected, by their number: those that share a character with a range."""
    marked: dict[int, Reason] = {}
    at = 0
    for number, (start, end) in enumerate(spans):
        while at < len(ranges) and ranges[at].end <= start:
            at += 1
        if at == len(ranges):
            break
        if ranges[at].start < end:
            marked[number] = ranges[at].reason
    return marked


def is_inside(offset: int, ranges: Sequence[Range]) -> Range | None:
    """Return the range that contains a character."""
    index = bisect_right(ranges, offset, key=lambda item: item.start) - 1
    return ranges[index] if index >= 0 and offset < ranges[index].end else None


def _outside(candidates: Iterable[Range], taken: Sequence[Range]) -> list[Range]:
    """Return the ranges that do not begin inside one of `taken`, which is sorted."""
    return [item for item in candidates if is_inside(item.start, taken) is None]


def _finditer(pattern: re.Pattern[str], needed: str, text: str) -> Iterator[re.Match[str]]:
    """Return the matches; skip the search if none of the characters is in the text."""
    return pattern.finditer(text) if any(char in text for char in needed) else iter(())


def _noise(shape: str) -> Iterator[Range]:
    for start, end in blobs(shape):
        yield Range(start, end, "noise")
    for match in _SIGNS.finditer(shape):
        signs = match[0]
        if len(signs) - sum(map(signs.count, SPACES)) >= LEAST_SIGNS:
            yield Range(*match.span(), "noise")


def _front_matter(text: str) -> Iterator[Range]:
    if match := _FRONT_MATTER.match(text):
        yield Range(*match.span(), "code")


def _find_fenced(text: str, *, markdown: bool) -> Iterator[Range]:
    """Return fenced code with its fences. In plain text only ``` is a fence, and only if it is closed."""
    if "```" not in text and not (markdown and "~~~" in text):
        return
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        fence, info = match[1], match[2]
        if opened is None:
            is_fence = markdown or fence[0] == "`"
            opened = match if is_fence and "`" not in info else None
        elif fence.startswith(opened[1]) and not info.strip():
            yield Range(opened.start(), match.end(), "code")
            opened = None
    if opened is not None and markdown:
        yield Range(opened.start(), len(text), "code")


def _find_indented(text: str, taken: Sequence[Range]) -> Iterator[Range]:
    """Return lines of Markdown that are code because of four spaces; in a list, four more than the list's text."""
    at = 0
    column = 0  # where the text of the current list item begins
    after_blank = True
    in_code = False
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        bare = line.expandtabs(4).rstrip()
        if not bare:
            after_blank = True
            continue
        indent = len(bare) - len(bare.lstrip())
        item = _LIST_ITEM.match(bare)
        in_code = indent >= column + 4 and (after_blank or in_code) and is_inside(start, taken) is None
        after_blank = False
        if in_code:
            yield Range(start, start + len(line.rstrip()), "code")
        elif item is not None:
            column = min(len(item[0]), indent + 5)
        elif indent < column:
            column = 0 if indent == 0 else column


def _ticks(text: str) -> Iterator[Range]:
    """Return code in backticks as in Markdown: up to the next run of the same length in the paragraph."""
    if "`" not in text:
        return
    runs = list(_MANY_TICKS.finditer(text))
    blanks = [match.end() for match in re.finditer(r"\n[ \t\r]*+\n", text)]
    following: dict[int, list[int]] = {}
    for index in reversed(range(len(runs))):
        following.setdefault(len(runs[index][1]), []).append(index)
    index = 0
    while index < len(runs):
        run = runs[index]
        later = following[len(run[1])]
        while later and later[-1] <= index:
            later.pop()
        border = bisect_right(blanks, run.end())
        limit = blanks[border] if border < len(blanks) else len(text)
        if later and runs[later[-1]].start() < limit:
            yield Range(run.start(), runs[later[-1]].end(), "code")
            index = later[-1]
        index += 1


def _html(text: str) -> Iterator[Range]:
    """Return tags, entities, comments, and elements such as <code> with their content."""
    at = 0
    unclosed: set[str] = set()
    for match in _finditer(_HTML, "<&", text):
        start, end = match.span()
        if start < at:
            continue
        name = (match["name"] or "").lower()
        ending = "-->" if match[0] == "<!--" else f"</{name}" if name in _VERBATIM and match[0][1] != "/" else ""
        close = re.compile(re.escape(ending), re.IGNORECASE).search(text, end) if ending not in unclosed else None
        if ending and close is not None:
            at = close.end() if ending == "-->" else (text.find(">", close.end()) + 1 or len(text))
            yield Range(start, at, "code")
        else:
            unclosed.add(ending)
            yield Range(start, end, "markup")


def _link(match: re.Match[str]) -> Range:
    """Return an address without the punctuation after it; a closing bracket belongs to it only with its partner."""
    address = match[0]
    while address and (address[-1] in _TRAIL or _is_unpaired(address)):
        address = address[:-1]
    return Range(match.start(), match.start() + len(address), "link")


def _is_unpaired(address: str) -> bool:
    opening = _PAIRS.get(address[-1])
    return opening is not None and address.count(address[-1]) > address.count(opening)


NARROWEST = 40
"""No text is wrapped to fewer characters, except Chinese and Japanese, to half of it."""
WIDEST = 125
SLACK = 10
"""How many characters may be left at the end of a line that was wrapped by hand."""
MOST_SHORT = 0.25
"""The share of short lines that wrapped text may have."""
ENOUGH_LINES = 4
"""How many lines are enough to decide whether they are wrapped."""
SHORT = 0.2
"""The part of the width that is left at the end of a line that ends intentionally, in wrapped text."""

# A repeated group is never possessive; see tokenizer.py.
_LINE = re.compile(r"([^\n\r\f]*+)(\r\n|[\n\r\f]|\Z)")
_QUOTE = re.compile(r"(?:[ \t]{0,3}>)+")
_LINE_SIGNS = "-*+•‣▪◦●○■□·–—☐☑☒✓✔✗✘"
_BULLET = re.compile(rf"(?:[{_LINE_SIGNS}][ \t]++)?\[[ xX✓✔]\](?=\s)|[{_LINE_SIGNS}](?=\s)")
_NUMBER = re.compile(r"(\(?)(\d{1,3}|[A-Za-z]|[ivxlc]{1,7}|[IVXLC]{1,7})([.)])(?=\s)")
_SECTION = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,4}\.?(?=\s)")
_HEADING = re.compile(r"#{1,6}(?=\s)")
_RULER = re.compile(r"([-=~^*_#+.─═])[ \t]?+(?:\1[ \t]?+)+\Z|[-|:+= \t]{3,}+\Z")
_TIME = r"[0-2]?\d:[0-5]\d(?::\d{2})?(?:[.,]\d{1,9})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_DATE = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
_ZONE = r"(?:Z|[+-]\d{2}:?\d{2})?"
STAMP = re.compile(
    rf"[\[(](?:{_DATE}[,T ]\s?)?{_TIME}[^\])\n]{{0,12}}[\])]|{_DATE}(?:,\s?|T|\s){_TIME}{_ZONE}(?:\s-(?=\s))?"
)
LOOSE_STAMP = re.compile(rf"(?:{_TIME}|{_DATE}|[A-Z][a-z]{{2}} {{1,2}}\d{{1,2}} {_TIME})(?=\s)")
_NICK = re.compile(r"<[^<>\s]{1,40}>(?=\s)")
_SPEAKER = re.compile(r"[@<]?[^\W\d_][^\W_]*+(?:[ .'’&/-]{1,2}\w{1,25}+){0,4}[.>]?(?: ?\([^()\n]{1,30}\))?:(?=\s|\Z)")
_ROW = re.compile(r"(?:(?:\"[^\"\n]*+\"|[^,;\t\"\n]*+)(?:[,;](?=[^\s\d])|(?<!\d)[,;](?=\S)|\t)){2}")
_SPACE = re.compile(r"\s")
_PIPES = re.compile(r"\|++")
_DASHES = ("-", "–", "—", "--")
_STOPS = tuple(".!?…。！？؟।")
_DANGLING = frozenset({"a", "an", "the", "and", "of"})
"""English words that do not end a line intentionally."""
_OPENERS = "\"'“‘«(*_"
_UNSPACED_SCRIPTS = HAN + HIRAGANA + KATAKANA + LONG
_BLANK = GHOSTS + "".join(char for char in map(chr, range(0x3001)) if char.isspace())
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


class _Item(NamedTuple):
    """The number of a list item: its style and possible values, because "i" is a letter and a Roman numeral."""

    style: str
    values: tuple[int, ...]


@dataclass(slots=True)
class _Line:
    """A line that is not empty; `text` is its content without quote marks and white space."""

    begin: int
    first: int
    """Its first visible character."""
    end: int
    text: str
    depth: int
    """How many > precede the text."""
    is_first: bool
    """Whether it is the first line or follows a blank line."""
    breaks: bool
    """Whether a sentence begins here for certain."""
    is_marked: bool = False
    """Whether it begins with a marker that may also be there because of wrapping."""
    closes: bool = False
    """Whether the next line begins a sentence for certain."""
    item: _Item | None = None
    dash: str = ""
    """The dash that it begins with, as an item of a list or in the middle of a sentence."""
    signs: str = ""
    """What it looks like: adjacent lines that look alike (a speaker, a time, a table row) are not wrapped prose."""
    marker: Range | None = None
    """The markup if a sentence begins here."""
    markers: list[Range] = field(default_factory=list)
    """The markup in any case."""

    @property
    def length(self) -> int:
        return self.end - self.begin

    @property
    def first_word(self) -> int:
        space = _SPACE.search(self.text)
        return space.start() if space else len(self.text)


class LineStructure(NamedTuple):
    """Offsets where a sentence begins because of a line, and the markers of lines."""

    borders: frozenset[int]
    markers: list[Range]


def find_lines(text: str, shape: str, protected: Sequence[Range]) -> LineStructure:
    """Return the structure of a text. Each line of code in `protected` is separate."""
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
    """Return the lines that are not empty; the first one and those after a blank line begin a sentence."""
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
    """Set the properties of each line that do not depend on others."""
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
        elif match := _HEADING.match(text):
            line.breaks = line.closes = True
            line.markers.append(Range(at, at + match.end(), "markup"))
        elif match := _BULLET.match(text) or STAMP.match(text):
            line.is_marked = True
            line.dash = match[0] if match[0] in _DASHES and line.first == line.begin else ""
            line.breaks = line.breaks or not line.dash
            line.marker = Range(at, at + match.end(), "markup")
        elif match := _NUMBER.match(text):
            line.item = _item(match)
            line.is_marked = True
            line.marker = Range(at, at + match.end(), "markup")
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
    if LOOSE_STAMP.match(text):
        return "time"
    return "speaker" if _SPEAKER.match(text) else ""


def _mark_alike(lines: Sequence[_Line]) -> None:
    """Mark adjacent lines that look alike: each begins a sentence."""
    for before, line in pairwise(lines):
        if line.signs and line.signs == before.signs:
            before.breaks = line.breaks = True
            if line.signs == "row":
                before.closes = line.closes = True
    for before, line in pairwise(lines):
        line.breaks = line.breaks or before.closes


def _mark_dashes(lines: Sequence[_Line]) -> None:
    """Mark adjacent lines that begin with the same dash as a list; a single one may be wrapped prose."""
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
    """Mark lines with numbers that count up; a letter with a dot that does not, as in "A. Smith", is not a marker."""
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
    """Yield runs of lines from one that certainly begins a sentence to the next."""
    run: list[_Line] = []
    for line in lines:
        if line.breaks and run:
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _room(before: _Line, line: _Line, width: int, shape: str) -> int:
    """Return how many characters would be left in a line after the first word of the next one; may be negative."""
    word = 1 if shape[line.first] in _UNSPACED_SCRIPTS else line.first_word
    return width - (before.length + 1 + word)


def _is_wrapped(run: Sequence[_Line], width: int, shape: str) -> bool:
    """Return whether nearly all lines end where the next word did not fit."""
    least = NARROWEST // 2 if shape[run[0].first] in _UNSPACED_SCRIPTS else NARROWEST
    if not least <= width <= WIDEST:
        return False
    if len(run) > 2 and 2 * run[0].length < width:
        run = run[1:]  # "Dear Ann,"
    short = sum(_room(before, line, width, shape) >= SLACK for before, line in pairwise(run))
    return short <= MOST_SHORT * (len(run) - 1)


def _width(run: Sequence[_Line]) -> int:
    """Return the length of the longest line, ignoring lines of a single long word such as a web address."""
    return max((line.length for line in run if line.first_word < len(line.text)), default=0)


def _common_width(runs: Sequence[Sequence[_Line]], shape: str) -> int | None:
    """Return the width to which the text is wrapped; 0 if it is not, None if there is too little text to decide."""
    long = [run for run in runs if len(run) >= ENOUGH_LINES]
    wrapped = [_width(run) for run in long if _is_wrapped(run, _width(run), shape)]
    if 2 * len(wrapped) > len(long):
        return int(median(wrapped))
    return 0 if long else None


def _borders(run: Sequence[_Line], common: int | None, shape: str) -> Iterator[_Line]:
    """Return the lines of a run that begin a sentence, except the first."""
    width = _width(run)
    if len(run) < ENOUGH_LINES and common is not None:
        width = max(width, common)
    is_wrapped = (common != 0 or len(run) >= ENOUGH_LINES) and _is_wrapped(run, width, shape)
    has_capital = any(_initial(line).isupper() for line in run)
    for before, line in pairwise(run):
        stops = before.text.endswith((*_STOPS, ":"))
        if is_wrapped and _room(before, line, width, shape) <= SHORT * width:
            if line.is_marked and stops:
                yield line
        elif line.is_marked or stops or not _goes_on(before, line, has_capital=has_capital):
            yield line


def _goes_on(before: _Line, line: _Line, *, has_capital: bool) -> bool:
    """Return whether a line continues the one before: it begins in lower case, where others begin with a capital."""
    return (has_capital and _initial(line).islower()) or before.text.rpartition(" ")[2] in _DANGLING


def _initial(line: _Line) -> str:
    """Return the first character of a line that is not an opening quote or bracket."""
    return line.text.lstrip(_OPENERS)[:1]
