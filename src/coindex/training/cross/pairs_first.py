"""The training of the first look at pairs: trees over features, and networks beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...document import Kind
from ...resolvers.cross.collection import Flags, Floats, Ints
from ...resolvers.cross.features import FeatureMaker
from ...resolvers.cross.scorer import BoostedTrees
from .pairs_config import PairsConfig
from .pairs_data import Examples
from .pairs_trees import Rows, averaged, boost


@dataclass(frozen=True, eq=False, slots=True)
class Sample:
    """Pairs that a scorer learns from, by the places of mentions in a collection."""

    examples: Examples
    maker: FeatureMaker
    left: Ints
    right: Ints
    names: tuple[str, ...]
    """Of the columns."""
    rows: Rows
    same: NDArray[np.bool_]
    weights: Floats


def first_look(
    kind: Kind, parts: Sequence[Sample], config: PairsConfig, *, chosen: Sequence[Flags] | None = None
) -> BoostedTrees | None:
    """The mean of several sets of trees and networks on some of the pairs; None if these are all the same, or none."""
    kept = [np.ones(len(part.same), dtype=bool) for part in parts] if chosen is None else chosen
    rows, same, weights = (
        np.concatenate([getattr(part, name)[own] for part, own in zip(parts, kept, strict=True)])
        for name in ("rows", "same", "weights")
    )
    if not same.any() or same.all():
        return None
    trees = [boost(rows, same, config, config.seed + member, weights) for member in range(config.members)]
    networks = None
    if config.networks and kind in config.networks_of:
        from .pairs_network import train_networks

        networks = train_networks(rows, same, weights, config)
    return BoostedTrees(parts[0].names, *averaged(trees), networks=networks)
