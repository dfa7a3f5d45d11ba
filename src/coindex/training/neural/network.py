"""The network: encoder, mention detector, mention vectors, link scores and losses.

Auxiliary losses are the trees of words and the types of mentions, if a corpus has them, and the word vectors of a
teacher. They help the encoder to detect and link mentions. Trees and types are also predicted by the exported model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ...document import Span
from ...resolvers.linguistics.mention_kinds import KINDS, NUMBERS
from ...resolvers.neural.detection import NO_TARGET, WIDTHS
from ...resolvers.neural.pairs import FEATURES, GRADES
from ...resolvers.neural.windows import SPEAKER_SLOTS
from ...resolvers.neural.words import COLUMNS, SHAPES, Floats, Ints
from ..encoders import AdaptedEncoder
from .config import ModelConfig
from .data import NO_HEAD, NO_VALUE, TAGS, Example

NOTHING = -1
"""The entity of a span that is no gold mention."""


def detection_loss(scores: Tensor, targets: Tensor, smoothing: float) -> Tensor:
    """Return the cross-entropy of tags, averaged over words, or of spans being mentions, summed per word.

    Tags that training has not seen and spans that cannot be are passed over.
    """
    if targets.dim() == 1:
        return functional.cross_entropy(scores, targets, ignore_index=NO_TARGET, label_smoothing=smoothing)
    possible = targets != NO_TARGET
    wanted = targets[possible].to(scores.dtype)
    losses = functional.binary_cross_entropy_with_logits(scores[possible], wanted, reduction="sum")
    return losses / len(scores)


def head_loss(scores: Tensor, heads: Ints) -> Tensor:
    """Return the cross-entropy of the head among the mention's words, if it is known and not the only word."""
    return compute_known_loss(scores, torch.from_numpy(heads), unknown=NO_HEAD)


def compute_known_loss(scores: Tensor, targets: Tensor, *, unknown: int) -> Tensor:
    """Return the mean cross-entropy of the known labels; 0 if there are none."""
    known = torch.nonzero(targets != unknown).squeeze(1)
    return functional.cross_entropy(scores[known], targets[known]) if len(known) else scores.sum() * 0


def mention_loss(scores: Tensor, entities: Ints) -> Tensor:
    """Return the loss of deciding whether a span is a mention."""
    return functional.binary_cross_entropy_with_logits(
        scores, torch.from_numpy((entities != NOTHING).astype(np.float32))
    )


def link_loss(scores: Tensor, new: Tensor, anaphor: Ints, candidate: Ints, entities: Ints) -> Tensor:
    """Return minus the log probability of all gold antecedents together, or of a new entity if there are none."""
    gold = (entities[anaphor] == entities[candidate]) & (entities[anaphor] != NOTHING)
    has_antecedent = np.zeros(len(entities), dtype=bool)
    has_antecedent[anaphor[gold]] = True
    rows = torch.from_numpy(anaphor)
    # [mentions]
    total = log_sum(torch.cat([scores, new]), torch.cat([rows, torch.arange(len(new))]), len(new))
    right = torch.from_numpy(np.flatnonzero(gold))
    alone = torch.from_numpy(np.flatnonzero(~has_antecedent))
    chosen = log_sum(torch.cat([scores[right], new[alone]]), torch.cat([rows[right], alone]), len(new))
    return (total - chosen).mean()


def log_sum(scores: Tensor, rows: Tensor, count: int) -> Tensor:
    """Return the log-sum-exp of the scores of each row; every row has at least one."""
    # [rows]
    top = torch.full((count,), -torch.inf).scatter_reduce(0, rows, scores.detach(), "amax")
    total = torch.zeros(count).index_add(0, rows, (scores - top[rows]).exp())
    return total.log() + top


def align_spans(spans: Sequence[Span], heads: Ints, example: Example) -> tuple[Ints, Ints]:
    """Return the entity and the head of each proposed span, taken from its gold mention.

    A span that is not a gold mention is aligned with one that has the same head and is not proposed itself.
    """
    exact = {span: row for row, span in enumerate(example.spans)}
    free: dict[int, int] = {}
    taken = set(spans)
    for row, (span, head) in enumerate(zip(example.spans, example.heads, strict=True)):
        if head != NO_HEAD and span not in taken:
            free.setdefault(head, row)
    entities = np.full(len(spans), NOTHING, dtype=np.int64)
    gold_heads = np.full(len(spans), NO_HEAD, dtype=np.int64)
    for number, span in enumerate(spans):
        match = exact.get(span)
        if match is None:
            match = free.pop(int(heads[number]), None)
        if match is not None:
            entities[number] = example.entities[match]
            head = example.heads[match]
            gold_heads[number] = head if span[0] <= head < span[1] else NO_HEAD
    return entities, gold_heads


def zeros(count: int, size: int) -> nn.Embedding:
    """Return an embedding that has no effect until it is trained."""
    table = nn.Embedding(count, size)
    nn.init.zeros_(table.weight)
    return table


def shift_rows(rows: Tensor, most: int) -> list[Tensor]:
    """Return the rows shifted by 0, 1, … `most` - 1 places, with zeros after the end."""
    count = rows.shape[0]
    # [words + most, size]
    padded = torch.cat([rows, rows.new_zeros(most, rows.shape[1])])
    return [padded[ahead : ahead + count] for ahead in range(most)]


def perceptron(inputs: int, size: int, dropout: float) -> nn.Sequential:
    """Return one layer as in s2e, for the starts and the ends of spans."""
    return nn.Sequential(nn.Linear(inputs, size), nn.GELU(), nn.LayerNorm(size), nn.Dropout(dropout))


MOST = 5.0
"""The weight of a word in its span is between e to the power of minus and plus this."""


def make_detector_part(config: ModelConfig, hidden: int, outputs: int) -> nn.Module:
    """Return the detector that the configuration specifies."""
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
        ends = shift_rows(self.end(vectors), self.most)
        means = shift_rows(self.mean(vectors) * weight, self.most)
        weights = shift_rows(weight, self.most)
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
        scores = [(left * ahead[:, :-1]).sum(1) + ahead[:, -1] for ahead in shift_rows(right, self.most)]
        # [words, widths]
        return torch.stack(scores, dim=1) + self.start_score(start)


FAR_BELOW = -1e4


class MentionParts(NamedTuple):
    """What the model makes of mentions."""

    heads: Tensor  # [mentions, words]: scores of being the head, far below 0 outside the mention
    query: Tensor  # [mentions, columns]
    key: Tensor  # [mentions, columns]
    new: Tensor  # [mentions]
    mention: Tensor  # [mentions]


def make_mention_part(config: ModelConfig, hidden: int) -> HeadWordScorer:
    """Return the mention scorer that the configuration specifies."""
    kinds = {"attention": AttentionMentions, "ranking": RankingMentions, "start-end": StartEndMentions}
    return kinds[config.linking](hidden, config)


class HeadWordScorer(nn.Module):
    """Which word of a mention is its head: what every way of linking has."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.head_query = nn.Linear(2 * hidden, 64)
        self.head_key = nn.Linear(hidden, 64)
        self.head_score = nn.Linear(hidden, 1)

    def heads(self, vectors: Tensor, borders: Tensor, inside: Tensor) -> Tensor:
        """Return the scores of heads: [mentions, words]."""
        scores = self.head_query(borders) @ self.head_key(vectors).T / 8 + self.head_score(vectors).squeeze(1)
        return scores.masked_fill(~inside, FAR_BELOW)


class MentionVectors(HeadWordScorer):
    """Computes vectors of spans from the first word, the last word, the head, the mean, and features of the mention."""

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
        """Return the scores of heads and the vectors."""
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


class StartEndMentions(HeadWordScorer):
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
    """Return the words in each mention, [mentions, words], and its first and last vector, [mentions, 2 * hidden]."""
    places = torch.arange(vectors.shape[0], device=vectors.device)
    inside = (places >= start.unsqueeze(1)) & (places < end.unsqueeze(1))
    return inside, torch.cat([vectors[start], vectors[end - 1]], dim=1)


def products(query: Tensor, key: Tensor, anaphor: Tensor, candidate: Tensor) -> Tensor:
    """Return the product of the query of one and the key of the other: [pairs]."""
    # [anaphors, candidates]
    every = query @ key.T
    return every.flatten().index_select(0, anaphor * key.shape[0] + candidate)


def make_link_part(config: ModelConfig) -> LinkPart:
    """Return the link scorer that the configuration specifies."""
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
        """Add to the scores those of the hidden layer with the features: [pairs]."""
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


PARENT = 64
"""Size of the vectors whose product scores a parent."""


class AuxiliaryLosses(nn.Module):
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
        """Return the loss of tags and parents; words are counted from the first row of the vectors."""
        numbers = torch.from_numpy(syntax)
        losses = [
            compute_known_loss(layer(vectors), numbers[:, column], unknown=0) for column, layer in enumerate(self.tags)
        ]
        sentence = torch.from_numpy(sentence_of)
        # [words, words]
        scores = self.child(vectors) @ self.parent(vectors).T / PARENT**0.5
        scores = scores.masked_fill(sentence[:, None] != sentence[None, :], FAR_BELOW)
        losses.append(compute_known_loss(scores, numbers[:, -1], unknown=NO_VALUE))
        return torch.stack(losses).mean()

    def arcs(self, vectors: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return two vectors per word, whose products score parents, and the most probable relation of each word."""
        relation = self.tags[TAGS.index("deprel")](vectors)[:, 1:].argmax(1) + 1  # 0 is for unknown relations
        return self.child(vectors), self.parent(vectors), relation

    def teacher(self, vectors: Tensor, wanted: Floats) -> Tensor:
        """Return the distance to the word vectors of the teacher, normalised to mean 0 and variance 1."""
        target = torch.from_numpy(wanted.astype(np.float32))
        return functional.mse_loss(self.hints(vectors), functional.layer_norm(target, target.shape[1:]))

    def mentions(self, keys: Tensor, types: Ints) -> Tensor:
        """Return the loss of the types of mentions."""
        return compute_known_loss(self.types(keys), torch.from_numpy(types), unknown=NO_VALUE)


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
        self.is_mixed = False
        """Whether the encoder computes products in bfloat16."""

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
        if self.is_mixed:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                states = self.encoder(inputs_embeds=inputs, attention_mask=mask).last_hidden_state.float()
        else:
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
        self.lessons = AuxiliaryLosses(config, encoder.config.hidden_size, self.links.columns)

    @property
    def has_syntax(self) -> bool:
        """Whether it predicts trees."""
        return hasattr(self.lessons, "child")

    @property
    def has_types(self) -> bool:
        """Whether it predicts entity types."""
        return hasattr(self.lessons, "types")

    def type_probabilities(self, keys: Tensor) -> Tensor:
        """[mentions, types]"""
        return self.lessons.types(keys).softmax(1)

    @property
    def auxiliary_losses(self) -> AuxiliaryLosses:
        """The auxiliary losses; weights in model folders call them `lessons`."""
        return self.lessons
