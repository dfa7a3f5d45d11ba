"""Small networks that score pairs beside trees: two hidden layers over the same columns, run with numpy alone.

Trees cut each column at few places, a network weighs all of them together, so the two are wrong about different pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .collection import Floats

MOST = 4.0
"""Columns, shifted and divided, are kept within so many of their deviations."""
Weights = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Perceptrons:
    """Several networks of one shape, side by side: the first axis of each array but `mean` and `scale` is theirs."""

    mean: Weights  # [columns]
    scale: Weights  # [columns]
    first: Weights  # [networks, columns + 1, hidden]: the last row is added, here and below
    second: Weights  # [networks, hidden + 1, hidden]
    last: Weights  # [networks, hidden + 1]

    def arrays(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], columns: int) -> Perceptrons:
        """Networks from arrays of a file, once it is known that they fit each other."""
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
                raise ValueError(f"{name} of a network with the shape {getattr(own, name).shape} for {shape}")
        return own

    def logits(self, rows: NDArray[np.float32]) -> Floats:
        """The mean of all networks."""
        inputs = np.clip((rows - self.mean) / self.scale, -MOST, MOST)
        total = np.zeros(len(rows))
        for first, second, last in zip(self.first, self.second, self.last, strict=True):
            hidden = np.maximum(inputs @ first[:-1] + first[-1], 0)
            hidden = np.maximum(hidden @ second[:-1] + second[-1], 0)
            total += hidden @ last[:-1] + last[-1]
        result: Floats = total / max(1, len(self.last))
        return result
