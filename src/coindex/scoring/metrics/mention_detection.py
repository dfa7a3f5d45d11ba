"""Mention detection: the mentions that are found, whatever their entity; also by length."""

from __future__ import annotations

from ..alignment import Alignment, Counts, Score
from ..sides import Side
from .registry import Metric

LENGTHS = ("0", "1", "2", "3", "4", "5+")
PARTS = ("all", *LENGTHS)


def count(alignment: Alignment) -> Counts:
    """Count found mentions by length: for recall those of the key, for precision those of the response."""
    key = _count_by_length(alignment.key, alignment.found_key)
    response = _count_by_length(alignment.response, alignment.found_response)
    return Counts(tuple(n for pair in zip(key, response, strict=True) for both in pair for n in both))


def _count_by_length(side: Side, matched: frozenset[int]) -> list[tuple[int, int]]:
    found_of, all_of = [0] * len(PARTS), [0] * len(PARTS)
    for mention, words in zip(side.cluster_of, side.spans(side.cluster_of), strict=True):
        length = len(words) if not side.empty else sum(word not in side.empty for word in words)
        for part in (0, 1 + min(length, 5)):
            all_of[part] += 1
            found_of[part] += mention in matched
    return list(zip(found_of, all_of, strict=True))


def finish(counts: Counts) -> Score:
    """Return the score of all mentions, with the scores by length as its parts."""
    scores = [Score.from_counts(*counts.part(number)) for number in range(len(PARTS))]
    whole = scores[0]
    return Score(whole.recall, whole.precision, whole.f1, dict(zip(LENGTHS, scores[1:], strict=True)))


METRIC = Metric("mentions", "mention detection", count, parts=PARTS, finish=finish)
DECOUPLED_METRIC = Metric(
    "mentions", "mention detection", count, parts=PARTS, finish=finish, with_singletons=True
)  # Cattan et al. 2021, section 3.1: singletons count in mention detection only
