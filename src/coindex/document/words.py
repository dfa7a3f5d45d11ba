"""Words and their characters: also inside a multiword token, whose words share one surface."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right

from .entities import Span
from .tokens import Multiword, Tokens


def is_punctuation(form: str) -> bool:
    """Whether a token has no letter, digit or symbol in it; & and the like stand for words."""
    return bool(form) and all(unicodedata.category(char)[0] == "P" and char not in "&#%@*" for char in form)


def multiword_at(layer: Tokens, position: int) -> Multiword | None:
    """The multiword token that holds a position."""
    index = bisect_right(layer.multiwords, position, key=lambda multiword: multiword.start) - 1
    found = layer.multiwords[index] if index >= 0 else None
    return found if found is not None and position < found.end else None


def word_span(layer: Tokens, position: int) -> Span | None:
    """The characters of a word; None for one that is not visible as such, like *el* in the Spanish *del*."""
    multiword = multiword_at(layer, position)
    if multiword is None:
        return layer.start_char(position), layer.end_char(position)
    at = layer.start_char(multiword.start)
    span = None
    rest = multiword.form
    for other in range(multiword.start, multiword.end):
        if other in layer.empty_positions:
            continue
        form = layer[other].form
        if rest[: len(form)].lower() != form.lower():
            return None
        if other == position:
            span = at, at + len(form)
        at, rest = at + len(form), rest[len(form) :]
    return None if rest else span


def words_span(layer: Tokens, start: int, end: int) -> Span | None:
    """The characters from the first to the last of some words; None where a multiword token hides a border."""
    visible = [position for position in range(start, end) if position not in layer.empty_positions]
    if not visible:
        return None
    first, last = word_span(layer, visible[0]), word_span(layer, visible[-1])
    if first is None:
        multiword = multiword_at(layer, visible[0])
        whole = multiword is not None and multiword.start == visible[0] and multiword.end <= end
        first = (layer.start_char(visible[0]), layer.end_char(visible[0])) if whole else None
    if last is None:
        multiword = multiword_at(layer, visible[-1])
        whole = multiword is not None and multiword.end == visible[-1] + 1 and multiword.start >= start
        last = (layer.start_char(visible[-1]), layer.end_char(visible[-1])) if whole else None
    return None if first is None or last is None else (first[0], last[1])


def word_text(layer: Tokens, start: int, end: int) -> str:
    """The text of words; where a multiword token hides a border, their forms with blanks between."""
    span = words_span(layer, start, end)
    if span is not None:
        return layer.text[span[0] : span[1]]
    return " ".join(layer[position].form for position in range(start, end) if position not in layer.empty_positions)
