"""Which windows a step of training sees, and what the frozen layers make of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from ...resolvers.cross.windows import Window, by_length, window_batch
from ...resolvers.neural.words import Pieces
from .data import Examples
from .network import TagNetwork, batch_inputs

NEAR = 16
"""Batches whose windows are sorted by length together."""
KEPT = 2 << 30
"""Bytes of states that are kept at most."""


def epoch_batches(windows: Sequence[Window], size: int, rng: np.random.Generator) -> list[list[int]]:
    """The numbers of windows in an order of chance, those of a batch of about one length, so that little is padded."""
    order = rng.permutation(len(windows)).tolist()
    batches = []
    for start in range(0, len(order), size * NEAR):
        some = sorted(order[start : start + size * NEAR], key=lambda number: windows[number].size)
        batches += [some[at : at + size] for at in range(0, len(some), size)]
    return [batches[number] for number in rng.permutation(len(batches))]


class LowerStates:
    """What the frozen layers make of the windows, computed once and kept in 16 bits, unless it would be too much."""

    def __init__(self, network: TagNetwork, examples: Examples, pieces: Pieces) -> None:
        self.network = network
        self.kept: dict[Window, Tensor] = {}
        self.windows = examples.windows
        if sum(window.size for window in self.windows) * network.plain.hidden * 2 > KEPT:
            return
        network.eval()
        for group in by_length(self.windows):
            ids, mask, *_ = batch_inputs(window_batch(examples.texts, group, pieces))
            states = self._computed(ids, mask)
            self.kept |= {window: states[row, : window.size].half() for row, window in enumerate(group)}

    @torch.no_grad()
    def _computed(self, ids: Tensor, mask: Tensor) -> Tensor:
        return self.network.plain.lower(ids, mask)

    def __call__(self, numbers: Sequence[int], ids: Tensor, mask: Tensor) -> Tensor:
        """[windows, pieces, hidden] of the windows of these numbers."""
        if not self.kept:
            return self._computed(ids, mask)
        states = torch.zeros(*ids.shape, self.network.plain.hidden)
        for row, number in enumerate(numbers):
            own = self.kept[self.windows[number]]
            states[row, : len(own)] = own
        return states
