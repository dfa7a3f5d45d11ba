"""One numbering for the words of two documents that should be the same, though empty nodes may differ.

A word is known by its sentence and its place in it. An empty node is known by its id read as a decimal number, as the
official scorers do: 2.1 and 2.10 are one and the same, and stand before 2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..document import Document, Mention, Sentence

Codes = Sequence[int]
"""The number of the word at each position."""
Words = tuple[int, ...]
"""The numbers of a mention's words, growing."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of two documents' words: equal numbers for the same word, growing in reading order."""

    key: Codes
    response: Codes
    size: int


def words_of(mention: Mention, codes: Codes) -> Words:
    """The numbers of the mention's words."""
    if isinstance(codes, range):
        offset = codes.start
        return mention.positions if not offset else tuple(p + offset for p in mention.positions)
    return tuple(sorted({codes[position] for position in mention.positions}))


def number_words(key: Document | None, response: Document | None, offset: int, *, same: bool) -> Numbering:
    """Number the words of both sides from `offset` on; where they are the `same`, words are simply counted."""
    if same:
        size = max(len(doc.tokens) for doc in (key, response) if doc is not None)
        codes = range(offset, offset + size)
        return Numbering(codes, codes, size)
    return _merge(key, response, offset)


def have_same_words(key: Document, response: Document) -> bool:
    """Whether both have the same words and empty nodes in the same sentences, each known by its place."""
    one, other = key.tokens, response.tokens
    if one is other and key.sentences is response.sentences:
        return not _has_double_ids(key)
    if len(one) != len(other) or one.empty_positions != other.empty_positions:
        return False
    if [sentence.end for sentence in key.sentences] != [sentence.end for sentence in response.sentences]:
        return False
    if one.forms != other.forms:
        return False
    ids, other_ids = ([token.id for token in tokens.empty_tokens.values()] for tokens in (one, other))
    return ids == other_ids and not _has_double_ids(key)


def _has_double_ids(doc: Document) -> bool:
    return any(len(token.id.partition(".")[2]) > 1 for token in doc.tokens.empty_tokens.values())


def _merge(key: Document | None, response: Document | None, offset: int) -> Numbering:
    codes: tuple[list[int], list[int]] = ([], [])
    sides = [sentences_of(doc) if doc is not None else () for doc in (key, response)]
    at = offset
    for index in range(max(map(len, sides))):
        places = [_places(side[index]) if index < len(side) else [] for side in sides]
        number = {place: at + rank for rank, place in enumerate(sorted({*places[0], *places[1]}))}
        for side, found in zip(codes, places, strict=True):
            side += [number[place] for place in found]
        at += len(number)
    return Numbering(*codes, at - offset)


def sentences_of(doc: Document) -> tuple[Sentence, ...]:
    """The sentences of a document; all of it is one where it has none."""
    return doc.sentences or (Sentence(doc.tokens, 0, len(doc.tokens)),)


def _places(sentence: Sentence) -> list[float]:
    places = []
    words = 0
    for token in sentence.tokens:
        if token.is_empty:
            places.append(float(token.id))
        else:
            words += 1
            places.append(float(words))
    return places


def is_contiguous(words: Words) -> bool:
    return words[-1] - words[0] == len(words) - 1


def contains(words: Words, word: int) -> bool:
    return words[0] <= word <= words[-1] and (is_contiguous(words) or word in words)


def is_inside(inner: Words, outer: Words) -> bool:
    if inner[0] < outer[0] or inner[-1] > outer[-1]:
        return False
    return is_contiguous(outer) or set(outer).issuperset(inner)


def common_words(one: Words, other: Words) -> int:
    """How many words both have."""
    if is_contiguous(one) and is_contiguous(other):
        return max(0, min(one[-1], other[-1]) - max(one[0], other[0]) + 1)
    return len(set(one).intersection(other))
