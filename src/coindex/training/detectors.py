"""The part of a model that finds mentions: word vectors in, scores of tags or of spans out."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .config import ModelConfig
from .layers import perceptron, words_ahead, zeros

MOST = 5.0
"""The weight of a word in its span is between e to the power of minus and plus this."""


def make_detector_part(config: ModelConfig, hidden: int, outputs: int) -> nn.Module:
    """The part that the configuration asks for."""
    if config.detection == "spans":
        return SpanScores(config, hidden)
    if config.detection == "start-end":
        return StartEndScores(config, hidden)
    return nn.Sequential(
        nn.Linear(hidden, config.tag_hidden),
        nn.ReLU(),
        nn.Dropout(config.dropout),
        nn.Linear(config.tag_hidden, outputs),
    )


class SpanScores(nn.Module):
    """A feed-forward network on [start; end; weighted mean; width] of every span.

    Its first layer is computed word by word and added up span by span, one width after another, so that memory grows
    with words times the layer's size and not with the number of spans times it.
    """

    def __init__(self, config: ModelConfig, hidden: int) -> None:
        super().__init__()
        size = config.tag_hidden
        self.most = config.span_width
        self.start, self.end, self.mean = (nn.Linear(hidden, size) for _ in range(3))
        self.weight = nn.Linear(hidden, 1)
        self.width = zeros(config.span_width, size)
        self.dropout = nn.Dropout(config.dropout)
        self.score = nn.Linear(size, 1)

    def forward(self, vectors: Tensor) -> Tensor:
        start = self.start(vectors)
        # [words, 1]
        weight = (MOST * torch.tanh(self.weight(vectors) / MOST)).exp()
        ends = words_ahead(self.end(vectors), self.most)
        means = words_ahead(self.mean(vectors) * weight, self.most)
        weights = words_ahead(weight, self.most)
        # [words, size] and [words, 1]: sums over the words of the spans that begin at each word
        total, norm = torch.zeros_like(start), torch.zeros_like(weight)
        scores = []
        for width in range(self.most):
            total, norm = total + means[width], norm + weights[width]
            layer = start + ends[width] + total / norm + self.width.weight[width]
            scores.append(self.score(self.dropout(torch.relu(layer))))
        # [words, widths]
        return torch.cat(scores, dim=1)


class StartEndScores(nn.Module):
    """The score of a span from its first and its last word alone: one term for each, one for both together."""

    def __init__(self, config: ModelConfig, hidden: int) -> None:
        super().__init__()
        self.most = config.span_width
        self.start, self.end = (perceptron(hidden, config.query, config.dropout) for _ in range(2))
        self.start_score, self.end_score = nn.Linear(config.query, 1), nn.Linear(config.query, 1)
        self.both = nn.Linear(config.query, config.query, bias=False)

    def forward(self, vectors: Tensor) -> Tensor:
        start, end = self.start(vectors), self.end(vectors)
        # [words, query] and [words, query + 1]
        left = self.both(start)
        right = torch.cat([end, self.end_score(end)], dim=1)
        scores = [(left * ahead[:, :-1]).sum(1) + ahead[:, -1] for ahead in words_ahead(right, self.most)]
        # [words, widths]
        return torch.stack(scores, dim=1) + self.start_score(start)
