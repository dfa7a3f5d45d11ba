"""The part of a model that scores pairs of mentions."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..resolvers.linguistics.mention_kinds import KINDS
from ..resolvers.neural.pairs import FEATURES, GRADES
from .config import ModelConfig
from .layers import zeros


def products(query: Tensor, key: Tensor, anaphor: Tensor, candidate: Tensor) -> Tensor:
    """[pairs]: the product of the query of one and the key of the other."""
    # [anaphors, candidates]
    every = query @ key.T
    return every.flatten().index_select(0, anaphor * key.shape[0] + candidate)


def make_link_part(config: ModelConfig) -> LinkPart:
    """The part that the configuration asks for."""
    if config.linking == "start-end":
        return ProductLinks(1 + 2 * config.query, 1.0)
    if config.linking == "ranking":
        return RankingLinks(config)
    return AttentionLinks(config) if config.features else ProductLinks(config.query, math.sqrt(config.query))


class LinkPart(nn.Module):
    """Pairs of mentions to scores. `columns` is the size of queries and keys."""

    columns: int


class ProductLinks(LinkPart):
    """The product of a query and a key, and nothing else: attention without features, or a bilinear form."""

    def __init__(self, columns: int, scale: float) -> None:
        super().__init__()
        self.columns, self.scale = columns, scale

    def forward(self, query: Tensor, key: Tensor, anaphor: Tensor, candidate: Tensor, features: Tensor) -> Tensor:
        return products(query, key, anaphor, candidate) / self.scale


JOINT = 3000
"""Rows of a table for several features; more would no longer stay in the processor's cache."""


class PairFeatures(LinkPart):
    """A network on two mentions and on what is known of the pair, and a table for how mentions of two kinds match."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        names = config.features
        self.product = nn.Linear(config.pair, config.pair)
        self.features = nn.ModuleList(zeros(FEATURES[name], config.pair) for name in names)
        self.sizes = [FEATURES[name] for name in names]
        self.groups = [[column] for column in range(len(names))]
        """The features that each table is for."""
        self.dropout = nn.Dropout(config.dropout)
        self.score = nn.Linear(config.pair, 1)
        self.entry = (names.index("kinds"), names.index("match")) if {"kinds", "match"} <= set(names) else None
        if self.entry is not None:
            self.table = zeros(len(KINDS) ** 2 * len(GRADES), 1)

    def add(self, scores: Tensor, hidden: Tensor, features: Tensor) -> Tensor:
        """[pairs]: the scores, more those of the hidden layer with the features added."""
        for columns, table in zip(self.groups, self.features, strict=True):
            row = features[:, columns[0]]
            for column in columns[1:]:
                row = row * self.sizes[column] + features[:, column]
            hidden = hidden + table(row)
        scores = scores + self.score(self.dropout(torch.relu(hidden))).squeeze(1)
        if self.entry is None:
            return scores
        kinds, match = self.entry
        return scores + self.table(features[:, kinds] * len(GRADES) + features[:, match]).squeeze(1)


def join_tables(part: LinkPart) -> None:
    """Put tables of small features into one, with a row for each combination, as looking up takes most of the time.

    The scores stay as they are but for rounding; there is no way back.
    """
    if not isinstance(part, PairFeatures):
        return
    joined: list[tuple[list[int], Tensor]] = []
    for column, table in enumerate(part.features):
        rows = table.weight.detach()
        for at, (columns, others) in enumerate(joined):
            if len(others) * len(rows) <= JOINT:
                # [rows so far, rows of this one, pair]
                joined[at] = ([*columns, column], (others.unsqueeze(1) + rows).flatten(0, 1))
                break
        else:
            joined.append(([column], rows))
    part.groups = [columns for columns, _ in joined]
    part.features = nn.ModuleList(nn.Embedding.from_pretrained(rows, freeze=False) for _, rows in joined)


class AttentionLinks(PairFeatures):
    """Attention, and a network on the product of the mentions and on the features."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.size = config.query
        self.columns = config.query + config.pair

    def forward(self, query: Tensor, key: Tensor, anaphor: Tensor, candidate: Tensor, features: Tensor) -> Tensor:
        size = self.size
        scores = products(query[:, :size], key[:, :size], anaphor, candidate) / math.sqrt(size)
        # [pairs, pair]
        left = functional.embedding(anaphor, query[:, size:])
        hidden = self.product(left * functional.embedding(candidate, key[:, size:]))
        return self.add(scores, hidden, features)


class RankingLinks(PairFeatures):
    """The coarse score, and a network on both mentions, their product and the features."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.size = config.coarse
        self.pair = config.pair
        self.columns = self.size + 2 * config.pair

    def forward(self, query: Tensor, key: Tensor, anaphor: Tensor, candidate: Tensor, features: Tensor) -> Tensor:
        size = self.size
        scores = products(query[:, :size], key[:, :size], anaphor, candidate)
        # [pairs, 2 * pair]
        left = functional.embedding(anaphor, query[:, size:])
        right = functional.embedding(candidate, key[:, size:])
        # [pairs, pair]: the first half of the columns is added, the second multiplied
        hidden = left[:, : self.pair] + right[:, : self.pair]
        hidden = hidden + self.product(left[:, self.pair :] * right[:, self.pair :])
        return self.add(scores, hidden, features)
