"""The model: an encoder, a detector, mention vectors, link scores. The exported graphs compute the same."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from torch.nn import functional

from ..resolvers.neural.windows import SPEAKER_SLOTS
from ..resolvers.neural.words import COLUMNS, SHAPES
from .adapters import AdaptedEncoder
from .config import ModelConfig
from .detectors import make_detector_part
from .layers import zeros
from .lessons import Lessons
from .link_parts import make_link_part
from .mention_parts import make_mention_part


class WordEncoder(nn.Module):
    """Pieces to word vectors and the scores by which mentions are found."""

    def __init__(self, encoder: Any, config: ModelConfig, outputs: int, corpora: int) -> None:
        super().__init__()
        hidden = encoder.config.hidden_size
        inputs = encoder.get_input_embeddings().embedding_dim  # less than hidden in some encoders
        self.encoder = encoder
        self.shape_in = zeros(len(SHAPES), inputs)
        self.speaker_in = zeros(SPEAKER_SLOTS + 1, inputs)
        self.corpus_in = zeros(corpora + 1, inputs)
        self.shape_out = zeros(len(SHAPES), hidden)
        self.corpus_out = zeros(corpora + 1, hidden)
        self.columns_out = nn.ModuleList(zeros(COLUMNS[name], hidden) for name in config.columns)
        self.dropout = nn.Dropout(config.word_dropout)
        self.tagger = make_detector_part(config, hidden, outputs)

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
        columns: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        # [windows, pieces, hidden]
        adapted = isinstance(self.encoder, AdaptedEncoder)
        inputs = self.encoder.lower(ids, mask) if adapted else self.encoder.get_input_embeddings()(ids)
        inputs = inputs + self.shape_in(shapes) + self.speaker_in(speakers) + self.corpus_in(corpus)
        states = self.encoder(inputs_embeds=inputs, attention_mask=mask).last_hidden_state
        # [words, pieces of a word, hidden]
        parts = functional.embedding(piece_index, states.flatten(0, 1))
        # [words, hidden]
        vectors = (parts * piece_weight.unsqueeze(-1)).sum(1) + self.shape_out(word_shapes) + self.corpus_out(corpus)
        if columns is not None:
            for number, table in enumerate(self.columns_out):
                vectors = vectors + table(columns[:, number])
        vectors = self.dropout(vectors)
        # [words, outputs]
        return vectors, self.tagger(vectors)


class CoreferenceModel(nn.Module):
    """The three parts together. `outputs` is how many scores the detector has for each word."""

    def __init__(self, encoder: Any, config: ModelConfig, *, outputs: int, corpora: int) -> None:
        super().__init__()
        self.words = WordEncoder(encoder, config, outputs, corpora)
        self.mentions = make_mention_part(config, encoder.config.hidden_size)
        self.links = make_link_part(config)
        self.lessons = Lessons(config, encoder.config.hidden_size, self.links.columns)
