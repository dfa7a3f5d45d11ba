"""Pair scorers: features of a pair of mentions in, the probability that both mean the same out.

A trained scorer is one .npz file that numpy alone reads: `about`, a JSON text, and arrays. `about` says `version`,
`kind` (`logistic` or `trees`), `features` (names of `features.FeatureMaker`, in the order of the columns), `threshold`
(the mean probability at which clusters are joined, as tuned), `small` (that of small clusters, see `clustering`; 0
where nothing is said), `few` (what is added to logits in topics of few documents; 0 where nothing is said), `projected`
(the vectors of which the array `projection` makes one, if there is any), `networks` (whether trees have networks
beside them) and `second` (the features of a second look, see `company`, if there is one). The arrays of a logistic
scorer: `weights`, `bias`, and `mean` and `scale` by which columns are shifted and divided. Those of trees stand in
`trees`; those of networks, see `perceptron`, begin with `network:`, those of a second look with `second:`.
"""

from __future__ import annotations

import json
import os
import secrets
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import CoindexError
from .collection import Collection, Floats
from .neighbours import Vectors
from .perceptron import Perceptrons
from .projection import Projection
from .trees import Trees

VERSION = 1
SECOND, NETWORK = "second:", "network:"
Features = NDArray[np.float32]
"""[pairs, features]"""


class PairScorer(Protocol):
    """What tells the probability of pairs by their features."""

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
    def second(self) -> SecondLook | None: ...

    def __call__(self, rows: Features) -> Floats: ...


class VectorMaker(Protocol):
    """What gives vectors of all mentions of a collection, each array under a name: [mentions, size].

    Features of the vectors `x` are then called `cosine:x` and `centred:x`.
    """

    def __call__(self, collection: Collection) -> Mapping[str, Vectors]: ...


def sigmoid(values: Floats) -> Floats:
    """1 / (1 + exp(-x)) without overflow."""
    result: Floats = 0.5 * (1 + np.tanh(0.5 * values))
    return result


def logits(probabilities: Floats) -> Floats:
    """What the sigmoid makes these of; no more than 20 either way."""
    least = 2e-9
    bounded = np.clip(probabilities, least, 1 - least)
    result: Floats = np.log(bounded) - np.log1p(-bounded)
    return result


@dataclass(frozen=True, eq=False)
class SecondLook:
    """Trees over features of `company`, whose sum is a second logit; the mean of both looks counts."""

    features: tuple[str, ...]
    trees: Trees
    bias: float = 0.0

    def __call__(self, rows: Features) -> Floats:
        return self.trees.sums(rows) + self.bias


@dataclass(frozen=True, eq=False)
class Logistic:
    """Logistic regression on columns that are shifted and divided first."""

    features: tuple[str, ...]
    weights: Floats
    bias: float = 0.0
    threshold: float = 0.5
    mean: Floats | float = 0.0
    scale: Floats | float = 1.0
    small: float = 0.0
    projection: Projection | None = None
    few: float = 0.0
    second: SecondLook | None = None

    def __call__(self, rows: Features) -> Floats:
        shifted: Floats = (rows.astype(np.float64) - self.mean) / self.scale
        return sigmoid(shifted @ self.weights + self.bias)


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Gradient-boosted trees whose sum is the logit; where there are networks, the mean of both logits counts."""

    features: tuple[str, ...]
    trees: Trees
    bias: float = 0.0
    threshold: float = 0.5
    small: float = 0.0
    projection: Projection | None = None
    few: float = 0.0
    second: SecondLook | None = None
    networks: Perceptrons | None = None

    def __call__(self, rows: Features) -> Floats:
        return sigmoid(self.logits(rows))

    def logits(self, rows: Features) -> Floats:
        """What the probabilities are the sigmoid of."""
        logit = self.trees.sums(rows) + self.bias
        return logit if self.networks is None else (logit + self.networks.logits(rows)) / 2


def save_scorer(scorer: Logistic | BoostedTrees, path: str | Path) -> None:
    """Write the file; it is there only when it is whole."""
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
    """The scorer of a file."""
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
        raise ValueError(f"the kind {about['kind']!r}")
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise CoindexError(
            f"{path}: a pair scorer that cannot be used ({error}); expected logistic or trees with their arrays; "
            "write it anew with save_scorer"
        ) from error


def _projection(about: Mapping[str, Any], arrays: Mapping[str, Any]) -> Projection | None:
    if not about.get("projected"):
        return None
    matrix = arrays["projection"].astype(np.float32)
    if matrix.ndim != 2:
        raise ValueError("a projection that is no matrix")
    return Projection(tuple(map(str, about["projected"])), matrix)


def _second(about: Mapping[str, Any], arrays: Mapping[str, Any]) -> SecondLook | None:
    if not about.get("second"):
        return None
    features = tuple(map(str, about["second"]))
    own = _own(arrays, SECOND)
    return SecondLook(features, Trees.of(own, len(features)), float(own["bias"]))


def _networks(about: Mapping[str, Any], arrays: Mapping[str, Any], columns: int) -> Perceptrons | None:
    return Perceptrons.of(_own(arrays, NETWORK), columns) if about.get("networks") else None


def _own(arrays: Mapping[str, Any], beginning: str) -> dict[str, Any]:
    return {name.removeprefix(beginning): array for name, array in arrays.items() if name.startswith(beginning)}


def write_arrays(path: str | Path, about: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """An .npz file with what it says of itself, under its name only when it is complete."""
    target = Path(path)
    staged = target.with_name(f".{target.name[:50]}.{secrets.token_hex(8)}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with staged.open("xb") as stream:
            np.savez_compressed(stream, about=np.array(json.dumps(about)), **arrays)
        os.replace(staged, target)
    except OSError as error:
        raise CoindexError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        if staged.exists():
            staged.unlink()


def read_arrays(
    path: str | Path, version: int, what: str, keys: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What an .npz file says of itself, and its arrays; a file of another kind or version is refused."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about: Any = json.loads(str(arrays.pop("about")))
        found = about["version"]
        lacking = [key for key in keys if key not in about]
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no file of this kind"
        raise CoindexError(f"{path}: cannot be read as {what}: {reason}; check the path, or make it anew") from error
    if found != version or lacking:
        said = f"version {found!r}" if found != version else f"no {' and no '.join(lacking)}"
        raise CoindexError(f"{path}: {what} of {said}; expected version {version}; make it anew")
    return about, arrays
