"""The model: an encoder, a tagger, mention vectors, link scores. The exported graphs compute the same."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..resolvers.neural.kinds import KINDS, NUMBERS
from ..resolvers.neural.matches import GRADES
from ..resolvers.neural.mentions import WIDTHS
from ..resolvers.neural.pairs import FEATURES
from ..resolvers.neural.pieces import SHAPES
from ..resolvers.neural.windows import SPEAKER_SLOTS
from .config import ModelConfig

FAR_BELOW = -1e4


class MentionParts(NamedTuple):
    """What the model makes of mentions."""

    heads: Tensor  # [mentions, words]: scores of being the head, far below 0 outside the mention
    query: Tensor  # [mentions, query + pair]
    key: Tensor  # [mentions, query + pair]
    new: Tensor  # [mentions]
    mention: Tensor  # [mentions]


class WordEncoder(nn.Module):
    """Pieces to word vectors and tag scores."""

    def __init__(self, encoder: Any, config: ModelConfig, tags: int, corpora: int) -> None:
        super().__init__()
        hidden = encoder.config.hidden_size
        self.encoder = encoder
        self.shape_in = _zeros(len(SHAPES), hidden)
        self.speaker_in = _zeros(SPEAKER_SLOTS + 1, hidden)
        self.corpus_in = _zeros(corpora + 1, hidden)
        self.shape_out = _zeros(len(SHAPES), hidden)
        self.corpus_out = _zeros(corpora + 1, hidden)
        self.dropout = nn.Dropout(config.word_dropout)
        self.tagger = nn.Sequential(
            nn.Linear(hidden, config.tag_hidden),
            nn.ReLU(),
            nn.Dropout(config.dropout),
            nn.Linear(config.tag_hidden, tags),
        )

    def forward(
        self,
        ids: Tensor,
        mask: Tensor,
        shapes: Tensor,
        speakers: Tensor,
        corpus: Tensor,
        piece_index: Tensor,
        piece_weight: Tensor,
        word_shapes: Tensor,
    ) -> tuple[Tensor, Tensor]:
        # [windows, pieces, hidden]
        inputs = self.encoder.get_input_embeddings()(ids)
        inputs = inputs + self.shape_in(shapes) + self.speaker_in(speakers) + self.corpus_in(corpus)
        states = self.encoder(inputs_embeds=inputs, attention_mask=mask).last_hidden_state
        # [words, pieces of a word, hidden]
        parts = functional.embedding(piece_index, states.flatten(0, 1))
        # [words, hidden]
        vectors = (parts * piece_weight.unsqueeze(-1)).sum(1) + self.shape_out(word_shapes) + self.corpus_out(corpus)
        vectors = self.dropout(vectors)
        # [words, tags]
        return vectors, self.tagger(vectors)


class MentionEncoder(nn.Module):
    """Spans of words to heads and vectors for linking."""

    def __init__(self, hidden: int, config: ModelConfig) -> None:
        super().__init__()
        self.head_query = nn.Linear(2 * hidden, 64)
        self.head_key = nn.Linear(hidden, 64)
        self.head_score = nn.Linear(hidden, 1)
        self.vector = nn.Linear(4 * hidden, config.mention)
        self.kind = _zeros(len(KINDS), config.mention)
        self.width = _zeros(WIDTHS, config.mention)
        self.number = _zeros(len(NUMBERS), config.mention)
        self.dropout = nn.Dropout(config.dropout)
        size = config.query + config.pair
        self.query = nn.Linear(config.mention, size)
        self.key = nn.Linear(config.mention, size)
        self.new = nn.Linear(config.mention, 1)
        self.mention = nn.Linear(config.mention, 1)

    def forward(
        self, vectors: Tensor, start: Tensor, end: Tensor, kind: Tensor, width: Tensor, number: Tensor
    ) -> MentionParts:
        places = torch.arange(vectors.shape[0], device=vectors.device)
        # [mentions, words]
        inside = (places >= start.unsqueeze(1)) & (places < end.unsqueeze(1))
        # [mentions, 2 * hidden]
        borders = torch.cat([vectors[start], vectors[end - 1]], dim=1)
        heads = self.head_query(borders) @ self.head_key(vectors).T / 8 + self.head_score(vectors).squeeze(1)
        heads = heads.masked_fill(~inside, FAR_BELOW)
        # [mentions, hidden]
        head_vector = heads.softmax(1) @ vectors
        mean = inside.to(vectors.dtype) @ vectors / (end - start).unsqueeze(1)
        # [mentions, mention]
        whole = self.vector(torch.cat([borders, head_vector, mean], dim=1))
        whole = self.dropout(torch.relu(whole + self.kind(kind) + self.width(width) + self.number(number)))
        return MentionParts(
            heads, self.query(whole), self.key(whole), self.new(whole).squeeze(1), self.mention(whole).squeeze(1)
        )


class LinkScorer(nn.Module):
    """Pairs of mentions to scores."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.size = config.query
        self.product = nn.Linear(config.pair, config.pair)
        self.features = nn.ModuleList(_zeros(FEATURES[name], config.pair) for name in config.features)
        self.match, self.kinds = config.features.index("match"), config.features.index("kinds")
        self.dropout = nn.Dropout(config.dropout)
        self.score = nn.Linear(config.pair, 1)
        self.table = _zeros(len(KINDS) ** 2 * len(GRADES), 1)

    def forward(self, query: Tensor, key: Tensor, anaphor: Tensor, candidate: Tensor, features: Tensor) -> Tensor:
        # [anaphors, candidates], then [pairs]
        attention = query[:, : self.size] @ key[:, : self.size].T / math.sqrt(self.size)
        scores = attention.flatten().index_select(0, anaphor * key.shape[0] + candidate)
        # [pairs, pair]
        left = functional.embedding(anaphor, query[:, self.size :])
        hidden = self.product(left * functional.embedding(candidate, key[:, self.size :]))
        for column, table in enumerate(self.features):
            hidden = hidden + table(features[:, column])
        hidden = self.dropout(torch.relu(hidden))
        entry = features[:, self.kinds] * len(GRADES) + features[:, self.match]
        return scores + self.score(hidden).squeeze(1) + self.table(entry).squeeze(1)


class CoreferenceModel(nn.Module):
    """The three parts together."""

    def __init__(self, encoder: Any, config: ModelConfig, *, tags: int, corpora: int) -> None:
        super().__init__()
        self.words = WordEncoder(encoder, config, tags, corpora)
        self.mentions = MentionEncoder(encoder.config.hidden_size, config)
        self.links = LinkScorer(config)


def load_encoder(config: ModelConfig, *, settings: Path | None = None, attention: str = "sdpa") -> Any:
    """A Hugging Face encoder by name or folder; with a `settings` file only its shape, to be filled with own weights.

    Attention dropout stays 0: only then is the fused kernel used, which more than doubles the speed on a CPU.
    """
    from transformers import AutoConfig, AutoModel

    if settings is not None:
        data = json.loads(settings.read_text(encoding="utf-8"))
        shape = AutoConfig.for_model(data.pop("model_type"), **data)
        return AutoModel.from_config(shape, attn_implementation=attention)
    shape = AutoConfig.from_pretrained(config.encoder)
    shape.attention_probs_dropout_prob = 0.0
    shape.hidden_dropout_prob = config.encoder_dropout
    encoder = AutoModel.from_pretrained(config.encoder, config=shape, attn_implementation=attention)
    # Words not seen in training keep their place beside those that are.
    encoder.get_input_embeddings().weight.requires_grad_(False)
    return encoder


def _zeros(count: int, size: int) -> nn.Embedding:
    """An embedding that changes nothing until it is trained."""
    table = nn.Embedding(count, size)
    nn.init.zeros_(table.weight)
    return table
