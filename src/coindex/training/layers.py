"""Small layers that the parts of a model share."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def zeros(count: int, size: int) -> nn.Embedding:
    """An embedding that changes nothing until it is trained."""
    table = nn.Embedding(count, size)
    nn.init.zeros_(table.weight)
    return table


def words_ahead(rows: Tensor, most: int) -> list[Tensor]:
    """For each number of words up to `most`: the rows that stand so many places later, zeros after the end."""
    count = rows.shape[0]
    # [words + most, size]
    padded = torch.cat([rows, rows.new_zeros(most, rows.shape[1])])
    return [padded[ahead : ahead + count] for ahead in range(most)]


def perceptron(inputs: int, size: int, dropout: float) -> nn.Sequential:
    """One layer as s2e has it for the starts and the ends of spans."""
    return nn.Sequential(nn.Linear(inputs, size), nn.GELU(), nn.LayerNorm(size), nn.Dropout(dropout))
