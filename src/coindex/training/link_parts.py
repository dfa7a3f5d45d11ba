"""The part of a model that scores pairs of mentions."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..resolvers.neural.kinds import KINDS
from ..resolvers.neural.matches import GRADES
from ..resolvers.neural.pairs import FEATURES
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


class PairFeatures(LinkPart):
    """A network on two mentions and on what is known of the pair, and a table for how mentions of two kinds match."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        names = config.features
        self.product = nn.Linear(config.pair, config.pair)
        self.features = nn.ModuleList(zeros(FEATURES[name], config.pair) for name in names)
        self.dropout = nn.Dropout(config.dropout)
        self.score = nn.Linear(config.pair, 1)
        self.entry = (names.index("kinds"), names.index("match")) if {"kinds", "match"} <= set(names) else None
        if self.entry is not None:
            self.table = zeros(len(KINDS) ** 2 * len(GRADES), 1)

    def add(self, scores: Tensor, hidden: Tensor, features: Tensor) -> Tensor:
        """[pairs]: the scores, more those of the hidden layer with the features added."""
        for column, table in enumerate(self.features):
            hidden = hidden + table(features[:, column])
        scores = scores + self.score(self.dropout(torch.relu(hidden))).squeeze(1)
        if self.entry is None:
            return scores
        kinds, match = self.entry
        return scores + self.table(features[:, kinds] * len(GRADES) + features[:, match]).squeeze(1)


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
