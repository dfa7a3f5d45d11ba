"""Spans of the text that must stay as they are: ranges of characters, or all places of an exact string."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from ...errors import CoindexError
from ..entities import Span

Keep = str | Span
"""A range of characters (half-open, from 0) or an exact string, which is kept wherever it stands."""

SEPARATOR = ";"
_RANGE = re.compile(r"([0-9]{1,15})-([0-9]{1,15})")


def parse_keep(text: str) -> list[Keep]:
    """What a user wrote: "10-25;the girl" is a range and a string; a backslash before ; or a digit makes it plain."""
    kept: list[Keep] = []
    for piece in re.split(r"(?<!\\);", text):
        piece = piece.strip()
        if not piece:
            continue
        if found := _RANGE.fullmatch(piece):
            kept.append(_checked((int(found[1]), int(found[2]))))
        else:
            kept.append(re.sub(r"\\(.)", r"\1", piece))
    return kept


def _checked(span: Span) -> Span:
    if not 0 <= span[0] <= span[1]:
        raise CoindexError(
            f"keep {span[0]}-{span[1]}: ends before it begins; expected START-END in characters from 0, with the end "
            "outside; mend the range"
        )
    return span


class Protection:
    """The protected spans of one text."""

    def __init__(self, text: str, keep: Iterable[Keep]) -> None:
        spans: list[Span] = []
        for kept in keep:
            if isinstance(kept, str):
                spans += _places(text, kept)
            else:
                spans.append(_checked((int(kept[0]), int(kept[1]))))
        self._spans = _joined(spans)
        self._starts = [start for start, _ in self._spans]

    def touches(self, start: int, end: int) -> bool:
        """Whether a protected span shares a character with these; a place without characters must not be inside one."""
        index = bisect_right(self._starts, end if start == end else end - 1) - 1
        if index < 0:
            return False
        first, last = self._spans[index]
        return first <= start <= last if start == end else last > start


def _places(text: str, wanted: str) -> list[Span]:
    if not wanted:
        return []
    return [(found.start(), found.end()) for found in re.finditer(re.escape(wanted), text)]


def _joined(spans: list[Span]) -> list[Span]:
    """Spans in order, those that overlap made one."""
    joined: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
