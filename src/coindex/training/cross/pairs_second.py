"""The training of the second look at pairs, on what a first look says that has not seen the topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...document import Kind
from ...resolvers.cross.collection import Floats
from ...resolvers.cross.neighbours import Pairs
from ...resolvers.cross.scorer import SecondLook, sigmoid
from ...resolvers.cross.second_stage import Company, feature_names
from .pairs_config import PairsConfig
from .pairs_first import Sample, first_look
from .pairs_trees import averaged, boost

HALVES = 2
"""The training topics are parted so: each part has the first look of a scorer that learned from the others."""


def train_second(kind: Kind, parts: Sequence[Sample], config: PairsConfig) -> SecondLook | None:
    """The second look, learned from the same pairs; None if there is to be none, or too little to learn from."""
    first = _cross_fitted(kind, parts, config) if config.second else None
    if first is None:
        return None
    names = feature_names(tuple(parts[0].maker.vectors), meanings=kind in config.meanings)
    rows = [_company_rows(kind, part, logits, names) for part, logits in zip(parts, first, strict=True)]
    same, weights = (np.concatenate([getattr(part, name) for part in parts]) for name in ("same", "weights"))
    joined = np.concatenate(rows)
    trees = [boost(joined, same, config, config.seed + member, weights) for member in range(config.second)]
    return SecondLook(names, *averaged(trees))


def _cross_fitted(kind: Kind, parts: Sequence[Sample], config: PairsConfig) -> list[Floats] | None:
    """The logits of pairs by scorers that have not seen their topics; None where topics are too few."""
    half = [part.examples.topic[part.left] % HALVES for part in parts]
    logits = [np.zeros(len(part.same)) for part in parts]
    alone = replace(config, members=1, networks=min(1, config.networks))
    for number in range(HALVES):
        scorer = first_look(kind, parts, alone, chosen=[own != number for own in half])
        if scorer is None:
            return None
        for part, own, result in zip(parts, half, logits, strict=True):
            result[own == number] = scorer.logits(part.rows[own == number])
    return logits


def _company_rows(kind: Kind, part: Sample, logits: Floats, names: Sequence[str]) -> NDArray[np.float32]:
    own = part.examples.rows(kind)
    left, right = np.searchsorted(own, part.left), np.searchsorted(own, part.right)
    company = Company(part.maker, own, Pairs(left, right, sigmoid(logits)))
    return company(left, right, logits, names)
