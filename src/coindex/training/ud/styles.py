"""Learning the style of a corpus: which children of heads are inside its mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ...resolvers.sieves.candidates import MANY
from ...resolvers.ud.candidates import Reading
from ...resolvers.ud.styles import Style, child_key

LEAST = 3
"""Children that must have been seen before anything is concluded."""
GAPS = 0.002
"""The share of mentions with gaps from which on a style has them."""


def learn_style(readings: Iterable[Reading]) -> Style:
    """Inside is what is so more often than not; mentions of one word say what is outside."""
    inside: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    mentions = gaps = 0
    for reading in readings:
        words = reading.words
        for mention, _ in reading.doc.mentions():
            if mention.head is None or mention.is_zero:
                continue
            own = set(mention.positions)
            mentions += 1
            gaps += not mention.is_contiguous
            for child in words.children[mention.head][:MANY]:
                (inside if child in own else outside)[child_key(words, mention.head, child)] += 1
    seen = inside + outside
    return Style(
        inside={key: inside[key] > outside[key] for key, count in seen.items() if count >= LEAST},
        gaps=gaps > GAPS * mentions,
    )


def common_style(styles: Sequence[Style]) -> Style:
    """What most corpora agree on, for one that nobody has seen."""
    votes: Counter[str] = Counter()
    for style in styles:
        for key, holds in style.inside.items():
            votes[key] += 1 if holds else -1
    return Style(inside={key: vote > 0 for key, vote in votes.items() if vote}, gaps=False)
