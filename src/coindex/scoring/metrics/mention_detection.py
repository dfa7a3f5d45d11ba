"""Mention detection: which mentions are found at all, whatever entity they are put in; also by their length."""

from __future__ import annotations

from ..alignment import Alignment, Counts, Score
from ..sides import Side
from .registry import Metric

LENGTHS = ("0", "1", "2", "3", "4", "5+")
PARTS = ("all", *LENGTHS)


def count(alignment: Alignment) -> Counts:
    """Recall counts key mentions by the length they have in the key, precision response mentions by theirs."""
    key = _by_length(alignment.key, alignment.found_key)
    response = _by_length(alignment.response, alignment.found_response)
    return Counts(tuple(n for pair in zip(key, response, strict=True) for both in pair for n in both))


def _by_length(side: Side, found: frozenset[int]) -> list[tuple[int, int]]:
    found_of, all_of = [0] * len(PARTS), [0] * len(PARTS)
    for mention, words in zip(side.cluster_of, side.spans(side.cluster_of), strict=True):
        length = len(words) if not side.empty else sum(word not in side.empty for word in words)
        for part in (0, 1 + min(length, 5)):
            all_of[part] += 1
            found_of[part] += mention in found
    return list(zip(found_of, all_of, strict=True))


def finish(counts: Counts) -> Score:
    scores = [Score.from_counts(*counts.part(number)) for number in range(len(PARTS))]
    whole = scores[0]
    return Score(whole.recall, whole.precision, whole.f1, dict(zip(LENGTHS, scores[1:], strict=True)))


METRIC = Metric("mentions", "mention detection", count, parts=PARTS, finish=finish)
DECOUPLED_METRIC = Metric(
    "mentions", "mention detection", count, parts=PARTS, finish=finish, with_singletons=True
)  # Cattan et al. 2021, section 3.1: singletons are found or not here, and only here
