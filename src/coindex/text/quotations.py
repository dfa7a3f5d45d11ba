"""Find quotations in raw text: between quotation marks, and block quotes.

A quotation ends at its closing mark or, if there is none, at the end of its paragraph: in long speeches only the last
paragraph has a closing mark. A straight mark opens or closes by the white space around it; with white space on both
sides, as in tokenized text, opening and closing marks alternate. An apostrophe closes a quotation only after
punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .spans import Span

_PAIRS = {"“": "”", "„": "“”", "«": "»", "‹": "›", "``": "''", "「": "」", "『": "』"}
"""Closing marks by opening marks."""
_MARKS = re.compile(r"``|''|[“”„«»‹›「」『』\"]")
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
_BLOCK = re.compile(r"^[ \t]{0,3}>[^\n]*+", re.MULTILINE)
_HTML = re.compile(r"<(blockquote|q)\b[^>]{0,200}>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
# ‘Come in,’ she said: the closing mark follows punctuation, which an apostrophe in "the boys’ game" does not.
_SINGLE_MARK = re.compile(r"(?<![\w’'])[‘'](?=[^\W\d_])|(?<=[.,!?;:…—-])[’'](?!\w)")


def find_quotations(text: str) -> list[Span]:
    """Return the character spans of quotations, including their marks; they may overlap."""
    spans = [match.span() for match in _BLOCK.finditer(text)] if ">" in text else []
    if "<" in text:
        spans += [match.span() for match in _HTML.finditer(text)]
    at = 0
    for match in _PARAGRAPH.finditer(text):
        spans += (*_marked(text, at, match.start()), *_in_single_marks(text, at, match.start()))
        at = match.end()
    spans += (*_marked(text, at, len(text)), *_in_single_marks(text, at, len(text)))
    return sorted(spans)


def _marked(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the quotations between marks in one paragraph."""
    opened: tuple[int, str] | None = None
    for match in _MARKS.finditer(text, start, end):
        mark = match[0]
        if opened is not None and (mark in _PAIRS.get(opened[1], opened[1])) and not _only_opens(text, match):
            yield opened[0], match.end()
            opened = None
        elif opened is None and (mark in _PAIRS or (mark == '"' and not _only_closes(text, match))):
            opened = match.start(), mark
    if opened is not None:
        yield opened[0], end


def _in_single_marks(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the quotations between single marks in one paragraph; one that is not closed may begin with *'tis*."""
    opened: int | None = None
    for match in _SINGLE_MARK.finditer(text, start, end):
        if text[match.start() - 1 : match.start()] not in tuple(".,!?;:…—-"):
            opened = match.start()
        elif opened is not None:
            yield opened, match.end()
            opened = None


def _only_opens(text: str, match: re.Match[str]) -> bool:
    """Return whether a straight mark stands at the beginning of a word and after white space."""
    return match[0] == '"' and _is_space(text, match.start() - 1) and not _is_space(text, match.end())


def _only_closes(text: str, match: re.Match[str]) -> bool:
    """Return whether a straight mark stands after a word, as in *5"*, and before white space or punctuation."""
    return (
        not _is_space(text, match.start() - 1)
        and text[match.start() - 1] not in "([{—–-/"
        and (_is_space(text, match.end()) or text[match.end()] in ".,;:!?)]}")
    )


def _is_space(text: str, at: int) -> bool:
    return not 0 <= at < len(text) or text[at].isspace()
