"""Find parts of raw text that are not prose: code, addresses, markup and noise.

They stay in the document like everything else, but no resolver puts a mention there and `resolved` text never changes
them. This module finds the character ranges; `Document.from_text` marks the tokens in them in MISC (`Protected=code`),
so that the mark survives parsers, CoNLL-U and JSON; `Tokens.protected` reads the marks, and
`resolvers.protection.unprotected` is the one filter that every chain of resolvers ends with.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from .character_classes import BLANKS, CASELESS, HAN, HEBREW, HIRAGANA, KATAKANA, LONG
from .spans import Span

Reason = Literal["code", "link", "markup", "emphasis", "noise"]
"""`markup` are list markers, quote marks, table borders and HTML tags. `emphasis` (`**`) may stand inside a mention,
but not at its edge; nothing of the others may be part of one."""
LONGEST_WORD = 200
"""A longer run of characters without white space is no word but noise, such as Base64, and one token."""
LONGEST_RULER = 80
"""A run of signs longer than this, white space included, in which no letter or digit stands, is noise."""
LEAST_SIGNS = 40
"""How many signs such a run has at least."""


class Range(NamedTuple):
    """The characters start..end, half-open, and why they are protected."""

    start: int
    end: int
    reason: Reason


_UNSPACED = f"{HAN}{HIRAGANA}{KATAKANA}{LONG}{CASELESS}"  # scripts that write without spaces, Thai among CASELESS
# A repeated group is never possessive; see tokenizer.py.
_BLOB = re.compile(f"(?<![^{BLANKS}])[^{BLANKS}{_UNSPACED}]{{{LONGEST_WORD + 1},}}+(?![^{BLANKS}])")
_SIGN = f"[^A-Za-z0-9{_UNSPACED}{HEBREW}]"
_SIGNS = re.compile(f"(?<!{_SIGN}){_SIGN}{{{LONGEST_RULER + 1},}}+")
# Lines of Base64 and the like: each a single long word, several in a row.
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
"""HTML elements whose content is no prose."""
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
    """The protected ranges of a text in order; they do not overlap.

    In plain text these are fenced code, code in backticks, addresses and noise; in Markdown also indented code, front
    matter, link targets, HTML and emphasis.
    """
    found = list(_noise(shape))
    found += [Range(*match.span(), "noise") for match in _ENCODED.finditer(text)]
    if markdown:
        found += _front_matter(text)
    found += _fenced(text, markdown=markdown)
    if markdown:
        found = merged(found)
        found += _indented(text, found)
        found = merged(found)
        found += _outside(_ticks(text), found)
        found += _outside(_html(text), found)
        found += _outside((Range(*match.span(), "link") for match in _finditer(_TARGET, "]", text)), found)
    else:
        found += [Range(*match.span(), "code") for match in _finditer(_TICKS, "`", text)]
    found += map(_link, _finditer(_LINK, "@:/.", text))
    found = merged(found)
    if markdown:
        found = merged([*found, *_outside((Range(*m.span(), "emphasis") for m in _EMPHASIS.finditer(text)), found)])
    return found


def blobs(shape: str) -> list[Span]:
    """Runs without white space that are too long to be words."""
    return [match.span() for match in _BLOB.finditer(shape)]


def merged(ranges: Iterable[Range]) -> list[Range]:
    """Ranges in order, those that overlap joined; the first of them gives the reason."""
    joined: list[Range] = []
    for start, end, reason in sorted(ranges, key=lambda found: (found.start, -found.end)):
        if start >= end:
            continue
        if joined and start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(end, joined[-1].end))
        else:
            joined.append(Range(start, end, reason))
    return joined


def marks(spans: Iterable[Span], ranges: list[Range]) -> Mapping[int, Reason]:
    """Why tokens are protected, by their number: those that share a character with a range."""
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
    """The range that holds a character."""
    index = bisect_right(ranges, offset, key=lambda found: found.start) - 1
    return ranges[index] if index >= 0 and offset < ranges[index].end else None


def _outside(candidates: Iterable[Range], taken: Sequence[Range]) -> list[Range]:
    """Those that do not begin in what is taken, which is in order."""
    return [found for found in candidates if is_inside(found.start, taken) is None]


def _finditer(pattern: re.Pattern[str], needed: str, text: str) -> Iterator[re.Match[str]]:
    """The matches; nothing is searched where none of the characters is in the text."""
    return pattern.finditer(text) if any(char in text for char in needed) else iter(())


def _noise(shape: str) -> Iterator[Range]:
    for start, end in blobs(shape):
        yield Range(start, end, "noise")
    for match in _SIGNS.finditer(shape):
        signs = match[0]
        if len(signs) - sum(map(signs.count, BLANKS)) >= LEAST_SIGNS:
            yield Range(*match.span(), "noise")


def _front_matter(text: str) -> Iterator[Range]:
    if match := _FRONT_MATTER.match(text):
        yield Range(*match.span(), "code")


def _fenced(text: str, *, markdown: bool) -> Iterator[Range]:
    """Fenced code with its fences. In plain text only ``` is a fence, and only if it is closed."""
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


def _indented(text: str, taken: Sequence[Range]) -> Iterator[Range]:
    """Lines of Markdown that are code by four spaces; in a list, by four more than the list's text."""
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
    """Code in backticks as in Markdown: a run of them and the next run of the same length in the paragraph."""
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
    """Tags, entities, comments, and elements such as <code> with all that is in them."""
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
    """An address without the punctuation after it; a closing bracket belongs to it only with its partner."""
    found = match[0]
    while found and (found[-1] in _TRAIL or _is_unpaired(found)):
        found = found[:-1]
    return Range(match.start(), match.start() + len(found), "link")


def _is_unpaired(found: str) -> bool:
    opening = _PAIRS.get(found[-1])
    return opening is not None and found.count(found[-1]) > found.count(opening)
