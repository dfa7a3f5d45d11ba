"""Resolving a document with a model: windows, tags, mentions, links, block by block in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...document import Document, Mention, Span
from ..clusters import linked, with_clusters
from .linking import EntityLinker, LinkOptions
from .mentions import Mentions, describe
from .pairs import BASIC, PairMaker, Pairs, rows
from .pieces import Pieces
from .scorer import Memory, MentionScores, Scorer
from .tags import TagSet
from .windows import make_batch, make_windows
from .words import Ints, Words, document_words, in_reading_order, word_span

CONFIDENCE = "mention"
"""The mention attribute with the probability that it is one."""


@dataclass(frozen=True, slots=True)
class ResolveOptions:
    """How a model is used. `window` is in pieces, `block` in windows that are encoded at once."""

    window: int = 256
    block: int = 8
    candidates: int = 150
    min_mention: float = 0.0
    singletons: bool = True
    link: LinkOptions = field(default_factory=LinkOptions)


class NeuralResolver:
    """`Document -> Document` by a model. `corpus` is the number of the annotation scheme to follow, 0 for none."""

    def __init__(
        self,
        scorer: Scorer,
        pieces: Pieces,
        tags: TagSet,
        *,
        name: str,
        features: Sequence[str] = BASIC,
        corpus: int = 0,
        given: bool = False,
        options: ResolveOptions | None = None,
    ) -> None:
        self.scorer = scorer
        self.pieces = pieces
        self.tags = tags
        self.name = name
        self.features = features
        self.corpus = corpus
        self.given = given
        self.options = options or ResolveOptions()

    def __call__(self, doc: Document) -> Document:
        words = document_words(doc)
        if not len(words):
            return with_clusters(doc, ())
        given = self._given_spans(doc, words) if self.given else None
        maker = PairMaker(words, self.options.candidates, self.features)
        linker = EntityLinker(self.options.link)
        keys = Memory()
        found: list[tuple[int, int, int, float]] = []  # start, end, head, probability
        for start, mentions, scores in self._blocks(words, given):
            heads = scores.head + start
            keys.add(scores.key)
            pairs = maker.add(mentions, heads)
            linker.add(pairs, self._link_scores(pairs, scores, keys, len(found)), scores.new)
            columns = (mentions.start, mentions.end, heads, scores.probability)
            found += zip(*(column.tolist() for column in columns), strict=True)
        return self._assemble(doc, words, found, linker)

    def _given_spans(self, doc: Document, words: Words) -> list[Span]:
        """Those that the model can see; the others stay alone."""
        inside = (mention for mention, _ in doc.mentions() if self._is_span(mention.positions, words))
        return in_reading_order(span for mention in inside if (span := word_span(mention, words)) is not None)

    def _blocks(self, words: Words, given: list[Span] | None) -> Iterator[tuple[int, Mentions, MentionScores]]:
        """The mentions of some windows at once, with the first word of these windows."""
        pieces = self.pieces.of(words.forms)
        windows = make_windows(words, pieces, self.options.window)
        for part in _whole_sentences(windows, words, self.options.block):
            start, end = part[0][0], part[-1][1]
            batch = make_batch(words, pieces, part, self.pieces)
            vectors, logits = self.scorer.words(batch, self.corpus)
            if given is None:
                inside = [(a - start, b - start) for a, b in words.sentences if start <= a and b <= end]
                spans = [(a + start, b + start) for a, b in self.tags.decode(logits, inside)]
            else:
                spans = [span for span in given if start <= span[0] < end]
            if not spans:
                continue
            mentions = describe(words, spans)
            local = replace(mentions, start=mentions.start - start, end=mentions.end - start)
            scores = self.scorer.mentions(vectors, local)
            if given is None and self.options.min_mention > 0:
                keep = np.flatnonzero(scores.probability >= self.options.min_mention)
                mentions, scores = rows(mentions, keep), _some(scores, keep)
            yield start, mentions, scores

    def _link_scores(self, pairs: Pairs, scores: MentionScores, keys: Memory, before: int) -> np.ndarray:
        if not len(pairs):
            return np.zeros(0, dtype=np.float32)
        # only the candidates that occur, so that the arrays stay small however long the document is
        used, candidate = np.unique(pairs.candidate, return_inverse=True)
        local = Pairs(pairs.anaphor - before, candidate, pairs.features)
        return self.scorer.links(scores.query, keys[used], local)

    def _assemble(
        self, doc: Document, words: Words, found: Sequence[tuple[int, int, int, float]], linker: EntityLinker
    ) -> Document:
        clusters: dict[int, list[Mention]] = {}
        kept = {mention.positions: mention for mention, _ in doc.mentions()} if self.given else {}
        for number, (start, end, head, confidence) in enumerate(found):
            positions = tuple(words.positions[start:end])
            mention = kept.get(positions) or Mention(doc.tokens, positions, words.positions[head])
            by = f"{self.name}/{'link' if linker.is_link[number] else 'new'}"
            mention = linked(mention, by, linker.probability[number])
            if not self.given:
                mention = replace(mention, attributes={**mention.attributes, CONFIDENCE: f"{confidence:.4f}"})
            clusters.setdefault(linker.entity[number], []).append(mention)
        rest = [[mention] for positions, mention in kept.items() if not self._is_span(positions, words)]
        groups = [group for group in clusters.values() if self.options.singletons or len(group) > 1]
        return with_clusters(doc, groups + rest)

    def _is_span(self, positions: tuple[int, ...], words: Words) -> bool:
        """Whether a given mention is one that the model can see: words of one sentence without gaps."""
        found = [words.word_at.get(position) for position in positions]
        if None in found:
            return False
        first, last = found[0], found[-1]
        assert first is not None
        assert last is not None
        return last - first + 1 == len(found) and words.sentence_of[first] == words.sentence_of[last]


def _whole_sentences(windows: Sequence[Span], words: Words, size: int) -> Iterator[list[Span]]:
    """Some windows at a time, more where a sentence goes on in the next one."""
    ends = {end for _, end in words.sentences}
    part: list[Span] = []
    for window in windows:
        part.append(window)
        if len(part) >= size and window[1] in ends:
            yield part
            part = []
    if part:
        yield part


def _some(scores: MentionScores, keep: Ints) -> MentionScores:
    return MentionScores(*(getattr(scores, name)[keep] for name in MentionScores.__slots__))
