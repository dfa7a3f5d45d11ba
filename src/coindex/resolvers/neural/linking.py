"""From scores of candidates to entities: each mention joins the most probable entity before it or begins one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from .pairs import Pairs
from .words import Floats

Decoding = Literal["antecedent", "entity"]
DECODINGS: dict[Decoding, str] = {
    "antecedent": "the most probable antecedent decides",
    "entity": "the probabilities of all candidates of an entity are added up",
}

NEGLIGIBLE = 1e-6
"""Candidates whose weight is this part of the best one's add nothing but time."""


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """How probabilities become links. `new_bias` is added to the score of beginning an entity."""

    decoding: Decoding = "entity"
    min_link: float = 0.0
    new_bias: float = 0.0


class EntityLinker:
    """Keeps the entity of every mention so far, and the probability that it belongs there."""

    def __init__(self, options: LinkOptions) -> None:
        self.options = options
        self.entity: list[int] = []
        self.probability: list[float] = []
        self.is_link: list[bool] = []

    def add(self, pairs: Pairs, scores: Floats, new: Floats) -> None:
        """The next block of mentions: scores of their pairs, and of beginning an entity."""
        first = len(self.entity)
        borders = np.searchsorted(pairs.anaphor, np.arange(first, first + len(new) + 1))
        for row in range(len(new)):
            own = slice(borders[row], borders[row + 1])
            self._place(pairs.candidate[own], scores[own], float(new[row]) + self.options.new_bias)

    def _place(self, candidates: np.ndarray, scores: Floats, new: float) -> None:
        number = len(self.entity)
        top = max(new, float(scores.max())) if len(scores) else new
        weights = np.exp(scores - top)
        new_weight = float(np.exp(new - top))
        total = float(weights.sum()) + new_weight
        best, weight = self._best(candidates, weights)
        if best is None or weight < new_weight or weight / total < self.options.min_link:
            self.entity.append(number)
            self.probability.append(new_weight / total)
            self.is_link.append(False)
        else:
            self.entity.append(best)
            self.probability.append(weight / total)
            self.is_link.append(True)

    def _best(self, candidates: np.ndarray, weights: Floats) -> tuple[int | None, float]:
        """The best entity and its weight."""
        if not len(candidates):
            return None, 0.0
        if self.options.decoding == "antecedent":
            at = int(weights.argmax())
            return self.entity[int(candidates[at])], float(weights[at])
        sums: dict[int, float] = {}
        counted = weights > NEGLIGIBLE * weights.max()
        for candidate, weight in zip(candidates[counted].tolist(), weights[counted].tolist(), strict=True):
            entity = self.entity[candidate]
            sums[entity] = sums.get(entity, 0.0) + weight
        best = max(sums, key=sums.__getitem__)
        return best, sums[best]
