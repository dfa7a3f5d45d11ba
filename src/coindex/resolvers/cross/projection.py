"""A learned view of vectors: directions in which mentions of one entity differ little and those of a topic much.

Several vectors of a mention are put side by side, each with the same say, and multiplied by one matrix. The result is
one more vector of the mention, under the name LEARNED. The matrix comes with a scorer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...errors import CoindexError
from .neighbours import Vectors, unit_rows

LEARNED = "learned"


@dataclass(frozen=True, eq=False)
class Projection:
    """The names of the vectors, and the matrix: [sum of their sizes, size]."""

    names: tuple[str, ...]
    matrix: Vectors

    def __call__(self, vectors: Mapping[str, Vectors]) -> Vectors:
        joined = side_by_side({name: vectors[name] for name in self.names})
        if joined.shape[1] != len(self.matrix):
            raise CoindexError(
                f"vectors of {joined.shape[1]} numbers side by side; expected {len(self.matrix)}, as the pair scorer "
                "was trained with; use the encoder that it came with"
            )
        projected: Vectors = joined @ self.matrix
        return projected


def side_by_side(vectors: Mapping[str, Vectors]) -> Vectors:
    """All vectors of a mention as one of length 1, each with the same say."""
    return unit_rows(np.concatenate([unit_rows(part) for part in vectors.values()], axis=1))
