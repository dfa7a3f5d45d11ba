"""Lessons beside the task: trees of words and types of mentions where a corpus has them, word vectors of a teacher.

What an encoder must know to tell them helps it to find mentions and to link them; the exported graphs have none of it.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ..resolvers.neural.words import COLUMNS, Floats, Ints
from .config import ModelConfig
from .losses import known_loss
from .mention_parts import FAR_BELOW
from .syntax import NO_VALUE, TAGS

PARENT = 64
"""Size of the vectors whose product scores a parent."""


class Lessons(nn.Module):
    """What is read off word vectors and off the keys of mentions. `columns` is the size of a key."""

    def __init__(self, config: ModelConfig, hidden: int, columns: int) -> None:
        super().__init__()
        if config.syntax:
            self.tags = nn.ModuleList(nn.Linear(hidden, COLUMNS[name]) for name in TAGS)
            self.child, self.parent = nn.Linear(hidden, PARENT), nn.Linear(hidden, PARENT)
        if config.types:
            self.types = nn.Linear(columns, len(config.types))
        if config.hints:
            self.hints = nn.Linear(hidden, config.hints)

    def words(self, vectors: Tensor, syntax: Ints, sentence_of: Ints) -> Tensor:
        """The loss of tags and parents; words are counted from the first row of the vectors."""
        numbers = torch.from_numpy(syntax)
        losses = [known_loss(layer(vectors), numbers[:, column], unknown=0) for column, layer in enumerate(self.tags)]
        sentence = torch.from_numpy(sentence_of)
        # [words, words]
        scores = self.child(vectors) @ self.parent(vectors).T / PARENT**0.5
        scores = scores.masked_fill(sentence[:, None] != sentence[None, :], FAR_BELOW)
        losses.append(known_loss(scores, numbers[:, -1], unknown=NO_VALUE))
        return torch.stack(losses).mean()

    def teacher(self, vectors: Tensor, wanted: Floats) -> Tensor:
        """How far words are from telling the teacher's vectors, each of which is brought to mean 0 and variance 1."""
        target = torch.from_numpy(wanted.astype(np.float32))
        return functional.mse_loss(self.hints(vectors), functional.layer_norm(target, target.shape[1:]))

    def mentions(self, keys: Tensor, types: Ints) -> Tensor:
        """The loss of the types of mentions."""
        return known_loss(self.types(keys), torch.from_numpy(types), unknown=NO_VALUE)
