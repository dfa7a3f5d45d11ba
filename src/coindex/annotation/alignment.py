"""Versions of a text whose words differ here and there, cut down to the words that all have.

The longest common run of words is found with Myers' difference algorithm, whose work grows with the length times the
number of differences. A mention keeps those of its words that are common; one that has none is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from ..document import Document, Entity, Mention, Sentence, Tokens
from ..errors import CoindexError
from .versions import REMEDY

MOST_DIFFERENT = 0.1
"""The share of words up to which two texts count as versions of one."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """The versions over their common words, and what had to be left out."""

    docs: list[Document]
    words: list[int]
    """How many words each version had beside the common ones."""
    mentions: list[int]
    """How many mentions of each version have no common word."""


def align(docs: Sequence[Document], names: Sequence[str]) -> Aligned:
    """The versions over the words that all of them have, in the sentences of the first."""
    base = docs[0]
    forms = [_forms(doc) for doc in docs]
    partners: list[dict[int, int]] = [{position: position for position in range(len(base.tokens))}]
    for other, name in zip(forms[1:], names[1:], strict=True):
        most = math.ceil(MOST_DIFFERENT * (len(forms[0]) + len(other)))
        pairs = common_run(forms[0], other, most)
        if pairs is None:
            raise CoindexError(
                f"{name}: more than {most} words that differ from those of {names[0]}; expected versions of one text; "
                f"{REMEDY}"
            )
        partners.append(dict(pairs))
    common = [position for position in range(len(base.tokens)) if all(position in found for found in partners)]
    layer = Tokens([base.tokens[position] for position in common])
    kept = [0, *accumulate(1 if all(position in found for found in partners) else 0 for position in partners[0])]
    ends = [(kept[sentence.start], kept[sentence.end], sentence) for sentence in base.sentences]
    sentences = tuple(Sentence(layer, start, end, old.id, old.speaker) for start, end, old in ends if end > start)
    aligned = []
    lost = []
    for doc, found in zip(docs, partners, strict=True):
        places = {found[position]: new for new, position in enumerate(common)}
        entities = tuple(_moved(entity, layer, places) for entity in doc.entities)
        lost.append(sum(map(len, doc.entities)) - sum(map(len, entities)))
        fitting = tuple(entity for entity in entities if entity.mentions)
        aligned.append(Document(layer, sentences, fitting, id=base.id, shared_ids=doc.shared_ids))
    return Aligned(aligned, [len(doc.tokens) - len(common) for doc in docs], lost)


def _forms(doc: Document) -> list[tuple[str, bool]]:
    return [(form, position in doc.tokens.empty_positions) for position, form in enumerate(doc.tokens.forms)]


def _moved(entity: Entity, layer: Tokens, places: dict[int, int]) -> Entity:
    """The entity over the common words; of two mentions that have become the same, the first stays."""
    mentions: dict[tuple[int, ...], Mention] = {}
    for mention in entity.mentions:
        positions = tuple(places[position] for position in mention.positions if position in places)
        head = places.get(mention.head) if mention.head is not None else None
        if positions:
            mentions.setdefault(positions, Mention(layer, positions, head, mention.attributes))
    return Entity(entity.id, tuple(mentions.values()), entity.type, entity.kind, entity.attributes)


def common_run(one: Sequence[object], other: Sequence[object], most: int) -> list[tuple[int, int]] | None:
    """The longest common subsequence as pairs of places; None where more than `most` items are not in it.

    >>> common_run("abcd", "acde", 3)
    [(0, 0), (2, 1), (3, 2)]
    """
    furthest = {1: 0}
    steps = []
    for differences in range(most + 1):
        steps.append(dict(furthest))
        for diagonal in range(-differences, differences + 1, 2):
            down = diagonal == -differences or (
                diagonal != differences and furthest[diagonal - 1] < furthest[diagonal + 1]
            )
            x = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
            y = x - diagonal
            while x < len(one) and y < len(other) and one[x] == other[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(one) and y >= len(other):
                return _traced(steps, x, y)
    return None


def _traced(steps: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    """The way back through the steps: what was equal on it."""
    pairs = []
    for differences in range(len(steps) - 1, -1, -1):
        furthest, diagonal = steps[differences], x - y
        down = diagonal == -differences or (diagonal != differences and furthest[diagonal - 1] < furthest[diagonal + 1])
        before = diagonal + 1 if down else diagonal - 1
        start_x = furthest[before]
        start_y = start_x - before
        while x > max(start_x, 0) and y > max(start_y, 0):
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = start_x, start_y
    return pairs[::-1]
