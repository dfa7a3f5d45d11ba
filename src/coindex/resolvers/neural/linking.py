"""From scores of candidates to entities: each mention joins the most probable entity before it or begins one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .pairs import Pairs
from .words import Floats, Ints

Decoding = Literal["antecedent", "entity"]
DECODINGS: dict[Decoding, str] = {
    "antecedent": "the most probable antecedent decides",
    "entity": "the probabilities of all candidates of an entity are added up",
}

NEGLIGIBLE = 1e-4
"""Candidates whose weight is this part of the best choice's add nothing but time."""


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """How probabilities become links. `new_bias` is added to the score of beginning an entity."""

    decoding: Decoding = "entity"
    min_link: float = 0.0
    new_bias: float = 0.0
    crowd: float = 0.0
    """How much less a large entity attracts when probabilities are added up: they are divided by its number of mentions
    to this power. Else the entity that is spoken of most gets what belongs to none."""


class EntityLinker:
    """Keeps the entity of every mention so far, and the probability that it belongs there."""

    def __init__(self, options: LinkOptions) -> None:
        self.options = options
        self.entity: list[int] = []
        self.probability: list[float] = []
        self.is_link: list[bool] = []
        self._crowd = options.crowd if options.decoding == "entity" else 0.0  # one antecedent is no crowd
        self._sizes: dict[int, int] = {}
        self._genders: dict[int, int] = {}
        """By entity: that of the first mention that has one."""

    def add(self, pairs: Pairs, scores: Floats, new: Floats, genders: Ints | None = None) -> None:
        """The next mentions: scores of their pairs, and of beginning an entity; their genders, 0 where nobody knows.

        Nobody is *he* and *she* at once: an entity of one gender is not joined by the other, however probable it looks.
        """
        first, count = len(self.entity), len(new)
        owner = pairs.anaphor - first
        begins = np.searchsorted(owner, np.arange(count + 1))
        some = np.flatnonzero(begins[1:] > begins[:-1])  # those that have candidates
        best = np.full(count, -np.inf, dtype=np.float32)
        new = new + np.float32(self.options.new_bias)
        # of each mention the best choice weighs 1, and the others by how far they are from it
        if len(some):
            best[some] = np.maximum.reduceat(scores, begins[some])
        top = np.maximum(best, new)
        weights = np.exp(scores - top[owner])
        alone = np.exp(new - top)
        total = alone.copy()
        if len(some):
            total[some] += np.add.reduceat(weights, begins[some])
        matters = weights > NEGLIGIBLE if self.options.decoding == "entity" else scores == best[owner]
        if self.options.decoding == "antecedent" and genders is not None:
            matters |= genders[owner] > 0  # the best may be barred, and then the next best is wanted
        kept = np.flatnonzero(matters)
        cuts = np.searchsorted(owner[kept], np.arange(count + 1)).tolist()
        candidates, kept_weights = pairs.candidate[kept].tolist(), weights[kept].tolist()
        known: list[int] = [0] * count if genders is None else genders.tolist()
        for row, (new_weight, all_weight) in enumerate(zip(alone.tolist(), total.tolist(), strict=True)):
            own = slice(cuts[row], cuts[row + 1])
            self._place(candidates[own], kept_weights[own], new_weight, all_weight, known[row])

    def _place(
        self, candidates: Sequence[int], weights: Sequence[float], new: float, total: float, gender: int
    ) -> None:
        number = len(self.entity)
        if gender:
            free = [
                at
                for at, candidate in enumerate(candidates)
                if self._genders.get(self.entity[candidate], gender) == gender
            ]
            candidates, weights = [candidates[at] for at in free], [weights[at] for at in free]
        best, weight = self._best(candidates, weights)
        attraction = weight / self._sizes[best] ** self._crowd if best is not None else 0.0
        linked = best is not None and attraction >= new and weight / total >= self.options.min_link
        self.entity.append(best if linked and best is not None else number)
        self.probability.append((weight if linked else new) / total)
        self.is_link.append(linked)
        self._sizes[self.entity[-1]] = self._sizes.get(self.entity[-1], 0) + 1
        if gender:
            self._genders.setdefault(self.entity[-1], gender)

    def _best(self, candidates: Sequence[int], weights: Sequence[float]) -> tuple[int | None, float]:
        """The best entity and its weight."""
        if not candidates:
            return None, 0.0
        entity = self.entity
        if self.options.decoding == "antecedent":
            at = weights.index(max(weights))
            return entity[candidates[at]], weights[at]
        sums: dict[int, float] = {}
        for candidate, weight in zip(candidates, weights, strict=True):
            of = entity[candidate]
            sums[of] = sums.get(of, 0.0) + weight
        crowd, sizes = self._crowd, self._sizes
        best = max(sums, key=lambda of: sums[of] / sizes[of] ** crowd) if crowd else max(sums, key=sums.__getitem__)
        return best, sums[best]
