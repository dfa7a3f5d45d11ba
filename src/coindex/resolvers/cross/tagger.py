"""Mentions of events and entities found by a learned tagger, each with its probability."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np

from ...document import Document, Kind, Mention
from ...document.entities import DETECTION
from ..clusters import with_clusters
from ..neural.windows import Batch
from ..neural.words import Floats, Pieces
from .model import LOWER, LOWER_OUTPUTS, TAG_INPUTS, TAG_OUTPUTS, TAGS, CrossModel, KindTags, open_model
from .windows import Text, Windows, group_by_length, read_text, text_windows, window_batch

BATCH = 64
"""Documents whose windows are put into batches together."""


class WordScorer(Protocol):
    """What gives the words of a batch the scores of their tags."""

    def __call__(self, batch: Batch) -> Floats:
        """[words, tags]: the tags of all kinds side by side."""
        ...


class GraphTags:
    """The tags by the graphs of a model."""

    def __init__(self, model: CrossModel) -> None:
        self._sessions = model.sessions

    def __call__(self, batch: Batch) -> Floats:
        (states,) = self._sessions.run(LOWER, LOWER_OUTPUTS, {"ids": batch.ids, "mask": batch.mask})
        values = {name: states if name == "states" else getattr(batch, name) for name in TAG_INPUTS}
        scores: Floats = self._sessions.run(TAGS, TAG_OUTPUTS, values)[0]
        return scores


class Tagger:
    """Documents with the mentions that are found, each an entity of its own.

    Sentences that a document marks as context alone (see `document.validated`) are read, but nothing is found in them.
    """

    def __init__(
        self,
        scorer: WordScorer,
        pieces: Pieces,
        tags: Mapping[Kind, KindTags],
        *,
        windows: Windows,
        limit: int,
    ) -> None:
        self.scorer = scorer
        self.pieces = pieces
        self.tags = tags
        self.windows = windows
        self.limit = limit

    def with_tags(self, tags: Mapping[Kind, KindTags]) -> Tagger:
        """The same with other biases."""
        return Tagger(self.scorer, self.pieces, tags, windows=self.windows, limit=self.limit)

    def __call__(self, doc: Document) -> Document:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Document], *, batch_size: int = BATCH) -> Iterator[Document]:
        """Documents in order; the same mentions as one by one, up to rounding."""
        stream = iter(docs)
        while batch := list(islice(stream, batch_size)):
            for doc, (text, scores) in zip(batch, self.scores(batch), strict=True):
                yield self.decode(doc, text, scores)

    def scores(self, docs: Sequence[Document]) -> list[tuple[Text, Floats]]:
        """Each document as a text, with the logarithms of the probabilities of its words' tags."""
        texts = [read_text(doc, self.pieces, self.windows, self.limit, validated=True) for doc in docs]
        outputs = sum(tag.outputs for tag in self.tags.values())
        scored = [np.zeros((len(text.words), outputs), dtype=np.float32) for text in texts]
        for group in group_by_length(text_windows(texts)):
            scores = self.scorer(window_batch(texts, group, self.pieces))
            at = 0
            for window in group:
                start, end = window.span
                scored[window.text][start:end] = scores[at : at + end - start]
                at += end - start
        return [(text, self._normalise(own)) for text, own in zip(texts, scored, strict=True)]

    def _normalise(self, scores: Floats) -> Floats:
        """The logarithms of probabilities, each kind by itself."""
        parts = []
        for part in self._by_kind(scores).values():
            shifted = part - part.max(axis=1, keepdims=True, initial=0)
            parts.append(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
        return np.concatenate(parts, axis=1)

    def _by_kind(self, scores: Floats) -> dict[Kind, Floats]:
        borders = np.cumsum([tag.outputs for tag in self.tags.values()])[:-1]
        return dict(zip(self.tags, np.split(scores, borders, axis=1), strict=True))

    def decode(self, doc: Document, text: Text, scores: Floats) -> Document:
        """The document with the mentions that the scores tell of."""
        words = text.words
        mentions: list[list[Mention]] = []
        kinds: list[Kind] = []
        for kind, own in self._by_kind(scores).items():
            for span in self.tags[kind].decode(own, text.sentences):
                positions = tuple(words.positions[span.start : span.end])
                mentions.append([Mention(doc.tokens, positions, None, {DETECTION: f"{span.probability:.4f}"})])
                kinds.append(kind)
        return with_clusters(doc, mentions, kinds=kinds)


def load_tagger(folder: str | Path, *, threads: int = 0) -> Tagger:
    """The tagger of a model folder."""
    model = open_model(folder, threads=threads)
    return Tagger(GraphTags(model), model.pieces, model.tags, windows=model.windows, limit=model.limit)
