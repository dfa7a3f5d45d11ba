"""The part of a model that looks at mentions: heads, and the vectors by which they are linked."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..resolvers.linguistics.mention_kinds import KINDS, NUMBERS
from ..resolvers.neural.mentions import WIDTHS
from .config import ModelConfig
from .layers import perceptron, zeros

FAR_BELOW = -1e4


class MentionParts(NamedTuple):
    """What the model makes of mentions."""

    heads: Tensor  # [mentions, words]: scores of being the head, far below 0 outside the mention
    query: Tensor  # [mentions, columns]
    key: Tensor  # [mentions, columns]
    new: Tensor  # [mentions]
    mention: Tensor  # [mentions]


def make_mention_part(config: ModelConfig, hidden: int) -> MentionHeads:
    """The part that the configuration asks for."""
    kinds = {"attention": AttentionMentions, "ranking": RankingMentions, "start-end": StartEndMentions}
    return kinds[config.linking](hidden, config)


class MentionHeads(nn.Module):
    """Which word of a mention is its head: what every way of linking has."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.head_query = nn.Linear(2 * hidden, 64)
        self.head_key = nn.Linear(hidden, 64)
        self.head_score = nn.Linear(hidden, 1)

    def heads(self, vectors: Tensor, borders: Tensor, inside: Tensor) -> Tensor:
        """[mentions, words]"""
        scores = self.head_query(borders) @ self.head_key(vectors).T / 8 + self.head_score(vectors).squeeze(1)
        return scores.masked_fill(~inside, FAR_BELOW)


class MentionVectors(MentionHeads):
    """Spans of words to vectors: first word, last word, head, mean, and what the words tell of the mention."""

    def __init__(self, hidden: int, config: ModelConfig) -> None:
        super().__init__(hidden)
        self.vector = nn.Linear(4 * hidden, config.mention)
        self.has_kinds = "kinds" in config.features
        if self.has_kinds:
            self.kind = zeros(len(KINDS), config.mention)
        self.width = zeros(WIDTHS, config.mention)
        if self.has_kinds:
            self.number = zeros(len(NUMBERS), config.mention)
        self.dropout = nn.Dropout(config.dropout)

    def whole(
        self, vectors: Tensor, start: Tensor, end: Tensor, kind: Tensor, width: Tensor, number: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The scores of heads and the vectors."""
        inside, borders = spans_of_words(vectors, start, end)
        heads = self.heads(vectors, borders, inside)
        # [mentions, hidden]
        head_vector = heads.softmax(1) @ vectors
        mean = inside.to(vectors.dtype) @ vectors / (end - start).unsqueeze(1)
        # [mentions, mention]
        whole = self.vector(torch.cat([borders, head_vector, mean], dim=1))
        whole = whole + self.kind(kind) if self.has_kinds else whole
        whole = whole + self.width(width)
        whole = whole + self.number(number) if self.has_kinds else whole
        return heads, self.dropout(torch.relu(whole))


class AttentionMentions(MentionVectors):
    """A query and a key for attention, before those for the network on pairs if there is one; the score of the new."""

    def __init__(self, hidden: int, config: ModelConfig) -> None:
        super().__init__(hidden, config)
        size = config.query + (config.pair if config.features else 0)
        self.query = nn.Linear(config.mention, size)
        self.key = nn.Linear(config.mention, size)
        self.new = nn.Linear(config.mention, 1)
        self.mention = nn.Linear(config.mention, 1)

    def forward(self, vectors: Tensor, *mentions: Tensor) -> MentionParts:
        heads, whole = self.whole(vectors, *mentions)
        return MentionParts(
            heads, self.query(whole), self.key(whole), self.new(whole).squeeze(1), self.mention(whole).squeeze(1)
        )


class RankingMentions(MentionVectors):
    """Columns for the coarse score, then for the fine one, which sees both mentions and their product.

    No link has the score 0 and a link the scores of both mentions and of the pair. Its own mention's score is the same
    for all candidates, so it is taken from the score of a new entity; that of the candidate is a column of its key.
    """

    def __init__(self, hidden: int, config: ModelConfig) -> None:
        super().__init__(hidden, config)
        self.scale = math.sqrt(config.query)
        self.coarse = nn.Linear(config.mention, config.query)
        self.coarse_key = nn.Linear(config.mention, config.query)
        self.fine, self.fine_key = (
            nn.Linear(config.mention, 2 * config.pair),
            nn.Linear(config.mention, 2 * config.pair),
        )
        self.mention = nn.Linear(config.mention, 1)

    def forward(self, vectors: Tensor, *mentions: Tensor) -> MentionParts:
        heads, whole = self.whole(vectors, *mentions)
        # [mentions, 1]
        mention = self.mention(whole)
        # [mentions, 1 + query + 2 * pair]
        query = torch.cat([torch.ones_like(mention), self.coarse(whole) / self.scale, self.fine(whole)], dim=1)
        key = torch.cat([mention, self.coarse_key(whole), self.fine_key(whole)], dim=1)
        return MentionParts(heads, query, key, -mention.squeeze(1), mention.squeeze(1))


class StartEndMentions(MentionHeads):
    """No vectors of spans: first and last words alone, each with one layer; a link is one bilinear form of both.

    The four forms of s2e, start with start, start with end and so on, are the quarters of one matrix.
    """

    def __init__(self, hidden: int, config: ModelConfig) -> None:
        super().__init__(hidden)
        size = config.query
        self.mention_start, self.mention_end = (perceptron(hidden, size, config.dropout) for _ in range(2))
        self.start_score, self.end_score = nn.Linear(size, 1), nn.Linear(size, 1)
        self.both = nn.Linear(size, size, bias=False)
        self.link_start, self.link_end = (perceptron(hidden, size, config.dropout) for _ in range(2))
        self.forms = nn.Linear(2 * size, 2 * size, bias=False)

    def forward(
        self, vectors: Tensor, start: Tensor, end: Tensor, kind: Tensor, width: Tensor, number: Tensor
    ) -> MentionParts:
        inside, borders = spans_of_words(vectors, start, end)
        first, last = vectors[start], vectors[end - 1]
        left, right = self.mention_start(first), self.mention_end(last)
        # [mentions, 1]
        mention = self.start_score(left) + self.end_score(right) + (self.both(left) * right).sum(1, keepdim=True)
        # [mentions, 1 + 2 * query]
        ends = torch.cat([self.link_start(first), self.link_end(last)], dim=1)
        query = torch.cat([torch.ones_like(mention), self.forms(ends)], dim=1)
        key = torch.cat([mention, ends], dim=1)
        return MentionParts(self.heads(vectors, borders, inside), query, key, -mention.squeeze(1), mention.squeeze(1))


def spans_of_words(vectors: Tensor, start: Tensor, end: Tensor) -> tuple[Tensor, Tensor]:
    """Which words are in each mention, [mentions, words], and its first and last vector, [mentions, 2 * hidden]."""
    places = torch.arange(vectors.shape[0], device=vectors.device)
    inside = (places >= start.unsqueeze(1)) & (places < end.unsqueeze(1))
    return inside, torch.cat([vectors[start], vectors[end - 1]], dim=1)
