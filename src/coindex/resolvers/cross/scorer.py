"""Pair scorers, which compute probabilities from features: boosted trees, small networks, and weights set by hand.

A trained scorer is a .npz file with `about`, a JSON text, and arrays. The keys of `about` are `version`, `kind`
(`logistic` or `trees`), `features` (names of `features.FeatureMaker` in the order of the columns), `threshold` (the
tuned mean probability at which clusters are joined), `small` (that of small clusters, see `clustering`; default 0),
`few` (added to logits in topics of few documents; default 0), `projected` (the vectors that the array `projection`
combines, if any), `networks` (whether the trees are combined with networks) and `second` (the features of the second
stage, if any). A logistic scorer has the arrays `weights` and `bias`, and `mean` and `scale` to standardize columns.
Arrays of networks start with `network:`, those of the second stage with `second:`.

The nodes of all trees are concatenated. At node i, rows whose column `feature[i]` is at most `threshold[i]` go to
`left[i]`, the others to `right[i]`; missing values go left if `missing_left[i]` is set. A leaf has the feature -1 and
the value `value[i]`. `roots` are the indices of the first nodes. These are the nodes of scikit-learn's histogram
gradient boosting, with children numbered over all trees.

Networks have two hidden layers over the same columns. Trees split single columns and networks combine all of them, so
that they make different errors.

The weights set by hand combine heads, words, arguments and documents. They were chosen with the training topics of
ECB+, and are used if there is no trained scorer, and as its baseline.
"""

from __future__ import annotations

import json
import os
import secrets
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...document import Kind
from ...engines import Workers
from ...errors import CoindexError
from .collection import Collection, Flags, Floats, Ints
from .neighbours import Projection, Vectors

ROWS = 1 << 14
"""Number of rows that are evaluated at the same time."""
LEAF = -1
MOST_NODES = 12
"""Maximum number of inner nodes of a tree with a table."""


@dataclass(frozen=True, eq=False)
class Trees:
    """The arrays of the nodes of all trees."""

    roots: Ints
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats
    missing_left: Flags

    def arrays(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], columns: int) -> Trees:
        """Return trees from the arrays of a file, after checking that they are valid."""
        kinds = {"threshold": np.float64, "value": np.float64, "missing_left": np.bool_}
        trees = cls(**{name: arrays[name].astype(kinds.get(name, np.int64)) for name in cls.__dataclass_fields__})
        trees._check(columns)
        return trees

    def _check(self, columns: int) -> None:
        number = len(self.feature)
        if any(len(column) != number for name, column in self.arrays().items() if name != "roots"):
            raise ValueError("the arrays have different lengths")
        inner = np.flatnonzero(self.feature != LEAF)
        if len(inner) and (self.feature[inner].min() < 0 or self.feature[inner].max() >= columns):
            raise ValueError("a node refers to a missing column")
        # children come after their parents, so that there are no cycles
        for side in (self.left, self.right):
            if (side[inner] <= inner).any() or (side[inner] >= number).any():
                raise ValueError("a node comes after its children")
        if len(self.roots) and (self.roots.min() < 0 or self.roots.max() >= number):
            raise ValueError("a missing root node")

    def sums(self, rows: NDArray[np.float32]) -> Floats:
        """Return the sum of the values of the leaves of each row."""
        add = self._look_up if self._tables is not None else self._walk
        total = np.zeros(len(rows))
        for start in range(0, len(rows), ROWS):
            add(rows[start : start + ROWS], total[start : start + ROWS])
        return total

    def _look_up(self, rows: NDArray[np.float32], total: Floats) -> None:
        """Add the values of the leaves, which tables of the outcomes of all nodes contain.

        A walk reads scattered numbers at each step. The test of a node for all rows reads one column from start to end,
        which is many times as fast, although a walk tests fewer nodes.
        """
        columns = np.ascontiguousarray(rows.T)
        unknown = np.isnan(columns)
        has_unknown = bool(unknown.any())
        goes_left = np.empty(len(rows), dtype=np.bool_)
        for nodes, values in self._tables or ():
            outcomes = np.zeros(len(rows), dtype=np.intp)
            for first in range(0, len(nodes), 8):  # eight nodes as the bits of a byte
                byte = np.zeros(len(rows), dtype=np.uint8)
                for column, threshold, missing_left in reversed(nodes[first : first + 8]):
                    np.less_equal(columns[column], threshold, out=goes_left)
                    if has_unknown and missing_left:
                        goes_left |= unknown[column]
                    byte += byte  # much faster than a shift
                    byte |= goes_left.view(np.uint8)
                outcomes |= byte.astype(np.intp) << first
            total += values[outcomes]

    @cached_property
    def _tables(self) -> list[tuple[list[tuple[int, np.float32, bool]], Floats]] | None:
        """The inner nodes of each tree, and its value for each set of their outcomes; None for large trees."""
        feature, children, depths = self._steps
        tables = []
        for root, depth in zip(self.roots.tolist(), depths, strict=True):
            inner, reached = [], np.array([root])
            while len(reached := reached[self.feature[reached] != LEAF]):
                inner += reached.tolist()
                reached = np.concatenate([self.left[reached], self.right[reached]])
            if len(inner) > MOST_NODES:
                return None
            place = np.zeros(len(feature), dtype=np.int64)
            place[inner] = np.arange(len(inner))
            outcomes, at = np.arange(1 << len(inner)), np.full(1 << len(inner), root)
            for _ in range(depth):
                at = children[2 * at + 1 - (outcomes >> place[at] & 1)]
            columns, thresholds = feature[inner].tolist(), _round_down(self.threshold[inner])
            nodes = list(zip(columns, thresholds, self.missing_left[inner].tolist(), strict=True))
            tables.append((nodes, self.value[at]))
        return tables

    def _walk(self, rows: NDArray[np.float32], total: Floats) -> None:
        """Add the values of the leaves, which are reached from the roots."""
        feature, children, depths = self._steps
        values = rows.astype(np.float64)
        unknown = np.isnan(values)
        has_unknown = bool(unknown.any())
        flat, before = values.ravel(), np.arange(len(rows)) * rows.shape[1]
        for root, depth in zip(self.roots.tolist(), depths, strict=True):
            nodes = np.full(len(rows), root)
            for _ in range(depth):
                places = before + feature[nodes]
                goes_right = ~(flat[places] <= self.threshold[nodes])
                if has_unknown:
                    goes_right &= ~(unknown.ravel()[places] & self.missing_left[nodes])
                nodes = children[2 * nodes + goes_right]
            total += self.value[nodes]

    @cached_property
    def _steps(self) -> tuple[Ints, Ints, list[int]]:
        """Where nodes look and go to, left and right side by side, and the depth of each tree.

        A leaf leads to itself, so that all rows walk on until the deepest leaf is reached: no row is singled out.
        """
        is_leaf = self.feature == LEAF
        own = np.arange(len(self.feature))
        children = np.stack([np.where(is_leaf, own, self.left), np.where(is_leaf, own, self.right)], axis=1)
        depths = np.zeros(len(self.roots), dtype=np.int64)
        for tree, root in enumerate(self.roots.tolist()):
            reached, depth = np.array([root]), 0
            while len(inner := reached[~is_leaf[reached]]):
                reached, depth = children[inner].ravel(), depth + 1
            depths[tree] = depth
        return np.where(is_leaf, 0, self.feature), children.ravel(), depths.tolist()


def _round_down(thresholds: Floats) -> NDArray[np.float32]:
    """Return the largest 32-bit numbers that are not above; comparisons of 32-bit numbers give the same outcomes."""
    rounded = thresholds.astype(np.float32)
    return np.where(rounded > thresholds, np.nextafter(rounded, np.float32(-np.inf)), rounded)


MOST = 4.0
"""Standardized columns are clipped to this number of standard deviations."""
Weights = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Perceptrons:
    """Several networks of the same shape, along the first axis of all arrays except `mean` and `scale`."""

    mean: Weights  # [columns]
    scale: Weights  # [columns]
    first: Weights  # [networks, columns + 1, hidden]: the last row is the bias, here and below
    second: Weights  # [networks, hidden + 1, hidden]
    last: Weights  # [networks, hidden + 1]

    def arrays(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], columns: int) -> Perceptrons:
        """Return networks from the arrays of a file, after checking their shapes."""
        own = cls(**{name: arrays[name].astype(np.float32) for name in cls.__dataclass_fields__})
        networks, hidden = own.last.shape[0], own.last.shape[1] - 1
        expected = {
            "mean": (columns,),
            "scale": (columns,),
            "first": (networks, columns + 1, hidden),
            "second": (networks, hidden + 1, hidden),
        }
        for name, shape in expected.items():
            if getattr(own, name).shape != shape:
                raise ValueError(f"network array {name} has shape {getattr(own, name).shape}; expected {shape}")
        return own

    def logits(self, rows: NDArray[np.float32]) -> Floats:
        """Return the mean logits of all networks."""
        inputs = np.clip((rows - self.mean) / self.scale, -MOST, MOST)
        total = np.zeros(len(rows))
        for first, second, last in zip(self.first, self.second, self.last, strict=True):
            hidden = np.maximum(inputs @ first[:-1] + first[-1], 0)
            hidden = np.maximum(hidden @ second[:-1] + second[-1], 0)
            total += hidden @ last[:-1] + last[-1]
        result: Floats = total / max(1, len(self.last))
        return result


VERSION = 1
SECOND, NETWORK = "second:", "network:"
Features = NDArray[np.float32]
"""[pairs, features]"""


class PairScorer(Protocol):
    """Computes the probabilities of pairs from their features."""

    @property
    def features(self) -> Sequence[str]: ...

    @property
    def threshold(self) -> float: ...

    @property
    def small(self) -> float: ...

    @property
    def few(self) -> float: ...

    @property
    def projection(self) -> Projection | None: ...

    @property
    def second(self) -> SecondStage | None: ...

    def __call__(self, rows: Features) -> Floats: ...


class VectorMaker(Protocol):
    """What gives vectors of all mentions of a collection, each array under a name: [mentions, size].

    Features of the vectors `x` are then called `cosine:x` and `centred:x`.
    """

    def __call__(self, collection: Collection, workers: Workers | int = 1) -> Mapping[str, Vectors]: ...


def sigmoid(values: Floats) -> Floats:
    """Return 1 / (1 + exp(-x)) without overflow."""
    result: Floats = 0.5 * (1 + np.tanh(0.5 * values))
    return result


def logits(probabilities: Floats) -> Floats:
    """Return the inverse of the sigmoid, clipped to ±20."""
    least = 2e-9
    bounded = np.clip(probabilities, least, 1 - least)
    result: Floats = np.log(bounded) - np.log1p(-bounded)
    return result


@dataclass(frozen=True, eq=False)
class SecondStage:
    """Trees over second-stage features that compute a second logit, which is averaged with the first."""

    features: tuple[str, ...]
    trees: Trees
    bias: float = 0.0

    def __call__(self, rows: Features) -> Floats:
        return self.trees.sums(rows) + self.bias


@dataclass(frozen=True, eq=False)
class Logistic:
    """Logistic regression on standardized columns."""

    features: tuple[str, ...]
    weights: Floats
    bias: float = 0.0
    threshold: float = 0.5
    mean: Floats | float = 0.0
    scale: Floats | float = 1.0
    small: float = 0.0
    projection: Projection | None = None
    few: float = 0.0
    second: SecondStage | None = None

    def __call__(self, rows: Features) -> Floats:
        shifted: Floats = (rows.astype(np.float64) - self.mean) / self.scale
        return sigmoid(shifted @ self.weights + self.bias)


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Gradient-boosted trees whose sum is the logit; with networks, the logits are averaged."""

    features: tuple[str, ...]
    trees: Trees
    bias: float = 0.0
    threshold: float = 0.5
    small: float = 0.0
    projection: Projection | None = None
    few: float = 0.0
    second: SecondStage | None = None
    networks: Perceptrons | None = None

    def __call__(self, rows: Features) -> Floats:
        return sigmoid(self.logits(rows))

    def logits(self, rows: Features) -> Floats:
        """Return the logits of the probabilities."""
        logit = self.trees.sums(rows) + self.bias
        return logit if self.networks is None else (logit + self.networks.logits(rows)) / 2


def save_scorer(scorer: Logistic | BoostedTrees, path: str | Path) -> None:
    """Write the scorer to a file, atomically."""
    kind = "logistic" if isinstance(scorer, Logistic) else "trees"
    about: dict[str, Any] = {
        "version": VERSION,
        "kind": kind,
        "features": list(scorer.features),
        "threshold": scorer.threshold,
        "small": scorer.small,
        "few": scorer.few,
    }
    arrays: dict[str, Any] = {"bias": np.float64(scorer.bias)}
    if scorer.projection is not None:
        about["projected"] = list(scorer.projection.names)
        arrays["projection"] = scorer.projection.matrix.astype(np.float16)
    if scorer.second is not None:
        about["second"] = list(scorer.second.features)
        second = {"bias": np.float64(scorer.second.bias), **scorer.second.trees.arrays()}
        arrays |= {f"{SECOND}{name}": array for name, array in second.items()}
    if isinstance(scorer, Logistic):
        arrays |= {"weights": scorer.weights, "mean": np.asarray(scorer.mean), "scale": np.asarray(scorer.scale)}
    else:
        arrays |= scorer.trees.arrays()
        about["networks"] = scorer.networks is not None
        if scorer.networks is not None:
            arrays |= {f"{NETWORK}{name}": array for name, array in scorer.networks.arrays().items()}
    write_arrays(path, about, arrays)


def load_scorer(path: str | Path) -> Logistic | BoostedTrees:
    """Read a scorer from a file."""
    about, arrays = read_arrays(path, VERSION, "a pair scorer", ("kind", "features", "threshold"))
    try:
        features, threshold = tuple(map(str, about["features"])), float(about["threshold"])
        bias, small = float(arrays["bias"]), float(about.get("small", 0.0))
        more: dict[str, Any] = {"projection": _projection(about, arrays), "few": float(about.get("few", 0.0))}
        more["second"] = _second(about, arrays)
        if about["kind"] == "logistic":
            weights, mean, scale = (arrays[name].astype(np.float64) for name in ("weights", "mean", "scale"))
            if weights.shape != (len(features),):
                raise ValueError(f"{weights.shape[0]} weights for {len(features)} features")
            return Logistic(features, weights, bias, threshold, mean, scale, small, **more)
        if about["kind"] == "trees":
            more["networks"] = _networks(about, arrays, len(features))
            return BoostedTrees(features, Trees.of(arrays, len(features)), bias, threshold, small, **more)
        raise ValueError(f"unknown kind {about['kind']!r}")
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise CoindexError(
            f"invalid pair scorer ({error}); expected the kind logistic or trees, with its arrays; write it again with "
            "save_scorer",
            code="invalid-model",
            path=path,
        ) from error


def _projection(about: Mapping[str, Any], arrays: Mapping[str, Any]) -> Projection | None:
    if not about.get("projected"):
        return None
    matrix = arrays["projection"].astype(np.float32)
    if matrix.ndim != 2:
        raise ValueError("the projection is not a matrix")
    return Projection(tuple(map(str, about["projected"])), matrix)


def _second(about: Mapping[str, Any], arrays: Mapping[str, Any]) -> SecondStage | None:
    if not about.get("second"):
        return None
    features = tuple(map(str, about["second"]))
    own = _own(arrays, SECOND)
    return SecondStage(features, Trees.of(own, len(features)), float(own["bias"]))


def _networks(about: Mapping[str, Any], arrays: Mapping[str, Any], columns: int) -> Perceptrons | None:
    return Perceptrons.of(_own(arrays, NETWORK), columns) if about.get("networks") else None


def _own(arrays: Mapping[str, Any], beginning: str) -> dict[str, Any]:
    return {name.removeprefix(beginning): array for name, array in arrays.items() if name.startswith(beginning)}


def write_arrays(path: str | Path, about: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write an .npz file with its metadata, atomically."""
    target = Path(path)
    staged = target.with_name(f".{target.name[:50]}.{secrets.token_hex(8)}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with staged.open("xb") as stream:
            np.savez_compressed(stream, about=np.array(json.dumps(about)), **arrays)
        os.replace(staged, target)
    except OSError as error:
        raise CoindexError(
            f"cannot write the file: {error.strerror or error}", code="unwritable-file", path=path
        ) from error
    finally:
        if staged.exists():
            staged.unlink()


def read_arrays(
    path: str | Path, version: int, what: str, keys: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the metadata and the arrays of an .npz file; raise an error for another type or version."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about: Any = json.loads(str(arrays.pop("about")))
        number = about["version"]
        lacking = [key for key in keys if key not in about]
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "wrong file type"
        raise CoindexError(
            f"cannot read {what}: {reason}; check the path, or create the file again", code="unreadable-file", path=path
        ) from error
    if number != version or lacking:
        problem = f"has version {number!r}" if number != version else f"lacks {' and '.join(lacking)}"
        raise CoindexError(
            f"{what} {problem}; expected version {version}; create the file again", code="unknown-version", path=path
        )
    return about, arrays


EVENT = {
    "head": 1.0,
    "head_trigrams": 2.0,
    "words": 1.5,
    "head_inside": 1.0,
    "numbers_differ": -2.0,
    "pronouns": -1.0,
    "arguments": 1.0,
    "argument_before": 0.5,
    "argument_after": 0.5,
    "window": 2.0,
    "document": 3.0,
    "same_sentence": -2.0,
    "nested": -4.0,
    "chain": 3.0,
}
ENTITY = {
    "head": 0.8,
    "head_trigrams": 1.5,
    "words": 3.0,
    "head_inside": 0.7,
    "numbers_differ": -2.0,
    "pronouns": -2.0,
    "argument_before": 0.2,
    "argument_after": 0.6,
    "window": 1.0,
    "document": 2.0,
    "same_sentence": -1.6,
    "nested": -4.0,
    "chain": 4.0,
    "chain_words": 1.0,
}


def lexical_scorers() -> dict[Kind, Logistic]:
    """Return the scorers with weights set by hand, by kind."""
    return {"event": _scorer(EVENT, bias=-5.5, threshold=0.4), "entity": _scorer(ENTITY, bias=-4.4, threshold=0.4)}


def _scorer(weights: dict[str, float], bias: float, threshold: float) -> Logistic:
    return Logistic(tuple(weights), np.array(list(weights.values())), bias, threshold)
