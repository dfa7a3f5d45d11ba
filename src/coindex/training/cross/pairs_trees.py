"""Gradient-boosted trees by scikit-learn, as the arrays that `resolvers.cross.trees` walks with numpy alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import MissingPackageError
from ...resolvers.cross.collection import Floats
from ...resolvers.cross.scorer import LEAF, Trees
from .pairs_config import PairsConfig

Rows = NDArray[np.float32]
Boosted = tuple[Trees, float]
"""Trees, and what their sum begins with."""


def boost(
    rows: Rows, targets: NDArray[np.bool_], config: PairsConfig, seed: int, weights: Floats | None = None
) -> Boosted:
    """Trees whose sum is the logit of being the same."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError as error:
        raise MissingPackageError("scikit-learn") from error
    model = HistGradientBoostingClassifier(
        max_iter=config.rounds,
        learning_rate=config.rate,
        max_leaf_nodes=config.leaves,
        min_samples_leaf=config.least,
        l2_regularization=config.smoothing,
        max_features=config.share,
        early_stopping=False,
        random_state=seed,
    )
    return converted(model.fit(rows, targets, sample_weight=weights))


def converted(model: Any) -> Boosted:
    """The trees of a fitted model of two classes; the children of a node are counted over all trees."""
    parts = [predictor.nodes for (predictor,) in model._predictors]
    starts = np.cumsum([0, *map(len, parts)])
    nodes = np.concatenate(parts)
    offsets = np.repeat(starts[:-1], [len(part) for part in parts])
    is_leaf = nodes["is_leaf"].astype(bool)
    trees = Trees(
        roots=starts[:-1].astype(np.int64),
        feature=np.where(is_leaf, LEAF, nodes["feature_idx"]).astype(np.int64),
        threshold=np.where(is_leaf, 0.0, nodes["num_threshold"]),
        left=np.where(is_leaf, 0, nodes["left"] + offsets).astype(np.int64),
        right=np.where(is_leaf, 0, nodes["right"] + offsets).astype(np.int64),
        value=np.where(is_leaf, nodes["value"], 0.0),
        missing_left=nodes["missing_go_to_left"].astype(bool) & ~is_leaf,
    )
    return trees, float(np.ravel(model._baseline_prediction)[0])


def averaged(members: Sequence[Boosted]) -> Boosted:
    """One set of trees whose sum is the mean of the members' sums."""
    starts = np.cumsum([0, *(len(trees.feature) for trees, _ in members)])
    share = 1 / len(members)

    def joined(name: str) -> Any:
        return np.concatenate([getattr(trees, name) for trees, _ in members])

    def moved(name: str) -> Any:
        return np.concatenate(
            [getattr(trees, name) + start for (trees, _), start in zip(members, starts, strict=False)]
        )

    is_leaf = joined("feature") == LEAF
    trees = Trees(
        roots=moved("roots"),
        feature=joined("feature"),
        threshold=joined("threshold"),
        left=np.where(is_leaf, 0, moved("left")),
        right=np.where(is_leaf, 0, moved("right")),
        value=joined("value") * share,
        missing_left=joined("missing_left"),
    )
    return trees, share * sum(bias for _, bias in members)
