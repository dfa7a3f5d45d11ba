"""Pieces of what may be one large cluster, joined by samples of their members.

In a component too large for all of its pairs, linkage on the known pairs alone gives pieces: a pair that nobody
looked at counts as unlike there. So pieces between which some pair reaches the threshold are compared by the pairs of
SAMPLE members each, evenly spread over the piece, and joined by average linkage over these means, again and again
until nothing changes.
"""

from __future__ import annotations

import numpy as np

from . import linkage
from .collection import Floats, Ints
from .pairing import Pairs, PairScores, distinct

SAMPLE = 8
ROUNDS = 10


def refined(labels: Ints, is_fixed: Ints, partial: Ints, pairs: Pairs, threshold: float, score: PairScores) -> Ints:
    """Labels after the pieces of these mentions were joined; a label is the number of the first mention it has."""
    is_partial = np.zeros(len(labels), dtype=bool)
    is_partial[partial] = True
    strong = is_partial[pairs.left] & (pairs.probability >= threshold - linkage.ROUNDING)
    left, right = pairs.left[strong], pairs.right[strong]
    for _ in range(ROUNDS):
        one, other = distinct(labels[left], labels[right], len(labels))
        barred = (is_fixed[one] == 1) & (is_fixed[other] == 1)
        one, other = one[~barred], other[~barred]
        if not len(one):
            return labels
        means = _sampled(labels, one, other, score)
        names, places = np.unique(np.concatenate([one, other]), return_inverse=True)
        sizes = np.bincount(labels, minlength=len(labels))[names]
        here, there = places[: len(one)], places[len(one) :]
        joined = linkage.sparse(here, there, means * sizes[here] * sizes[there], sizes, threshold, is_fixed[names] == 1)
        changed = names[joined] != names
        if not changed.any():
            return labels
        new = np.arange(len(labels))
        new[names] = names[joined]
        labels = new[labels]
        is_fixed = is_fixed.copy()
        is_fixed[names[joined][is_fixed[names] == 1]] = 1
    return labels


def _sampled(labels: Ints, one: Ints, other: Ints, score: PairScores) -> Floats:
    """The mean probability between samples of two pieces each."""
    order = np.argsort(labels, kind="stable")
    own = labels[order]
    pieces = np.unique(np.concatenate([one, other]))
    starts, ends = np.searchsorted(own, pieces), np.searchsorted(own, pieces, side="right")
    steps = (np.arange(SAMPLE) + 0.5) / SAMPLE
    # [pieces, SAMPLE]; a small piece has members several times, which changes no mean by much
    members = order[(starts[:, None] + steps * (ends - starts)[:, None]).astype(np.int64)]
    first, second = members[np.searchsorted(pieces, one)], members[np.searchsorted(pieces, other)]
    left = np.repeat(first, SAMPLE, axis=1).ravel()
    right = np.tile(second, (1, SAMPLE)).ravel()
    number = len(labels)
    low, high = np.minimum(left, right), np.maximum(left, right)
    unique, place = np.unique(low * number + high, return_inverse=True)
    values = score(unique // number, unique % number)
    means: Floats = values[place].reshape(len(one), -1).mean(axis=1)
    return means
