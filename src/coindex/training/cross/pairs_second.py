"""The training of the second look at pairs, on what a first look says that has not seen the topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...document import Kind
from ...resolvers.cross.collection import Flags, Floats, Ints
from ...resolvers.cross.company import Company, feature_names
from ...resolvers.cross.features import FeatureMaker
from ...resolvers.cross.pairing import Pairs
from ...resolvers.cross.scorer import SecondLook, sigmoid
from .pairs_config import PairsConfig
from .pairs_data import Examples
from .pairs_trees import Boosted, Rows, averaged, boost

HALVES = 2
"""The training topics are parted so: each part has the first look of a scorer that learned from the others."""


@dataclass(frozen=True, eq=False, slots=True)
class Sample:
    """Pairs that a scorer learns from, by the places of mentions in a collection."""

    examples: Examples
    maker: FeatureMaker
    left: Ints
    right: Ints
    rows: Rows
    same: NDArray[np.bool_]
    weights: Floats


def train_second(kind: Kind, parts: Sequence[Sample], config: PairsConfig) -> SecondLook | None:
    """The second look, learned from the same pairs; None if there is to be none, or too little to learn from."""
    first = _cross_fitted(parts, config) if config.second else None
    if first is None:
        return None
    names = feature_names(tuple(parts[0].maker.vectors))
    rows = [_company_rows(kind, part, logits, names) for part, logits in zip(parts, first, strict=True)]
    learned = boosted(parts, rows, config, config.second)
    return None if learned is None else SecondLook(names, *learned)


def boosted(
    parts: Sequence[Sample],
    rows: Sequence[Rows],
    config: PairsConfig,
    members: int,
    chosen: Sequence[Flags] | None = None,
) -> Boosted | None:
    """The mean of several sets of trees on some of the pairs; None if all of these are the same, or none."""
    kept = [np.ones(len(part.same), dtype=bool) for part in parts] if chosen is None else chosen
    same = np.concatenate([part.same[own] for part, own in zip(parts, kept, strict=True)])
    weights = np.concatenate([part.weights[own] for part, own in zip(parts, kept, strict=True)])
    if not same.any() or same.all():
        return None
    joined = np.concatenate([one[own] for one, own in zip(rows, kept, strict=True)])
    return averaged([boost(joined, same, config, config.seed + member, weights) for member in range(members)])


def _cross_fitted(parts: Sequence[Sample], config: PairsConfig) -> list[Floats] | None:
    """The logits of pairs by scorers that have not seen their topics; None where topics are too few."""
    half = [part.examples.topic[part.left] % HALVES for part in parts]
    logits = [np.zeros(len(part.same)) for part in parts]
    for number in range(HALVES):
        found = boosted(parts, [part.rows for part in parts], config, 1, [own != number for own in half])
        if found is None:
            return None
        trees, bias = found
        for part, own, result in zip(parts, half, logits, strict=True):
            result[own == number] = trees.sums(part.rows[own == number]) + bias
    return logits


def _company_rows(kind: Kind, part: Sample, logits: Floats, names: Sequence[str]) -> NDArray[np.float32]:
    own = part.examples.rows(kind)
    left, right = np.searchsorted(own, part.left), np.searchsorted(own, part.right)
    company = Company(part.maker, own, Pairs(left, right, sigmoid(logits)))
    return company(left, right, logits, names)
