"""Link the mentions of a collection: candidate pairs, their probabilities, and clusters, in one or several processes.

Pairs are found and scored in shards of SHARD mentions, each with the pairs of which it has the earlier mention; a
second stage scores them again. Connected components are then clustered in batches. Workers map what they need from
temporary files (see `sharing`). Shards and batches depend on the collection alone, and the same functions process them
in every case, so that the result is the same with any number of workers, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...document import Kind
from ...engines import Workers, map_documents
from .clustering import Batch, Clustered, Clustering, ClusterOptions, ComponentLinker, Known, in_reading_order
from .collection import KINDS, Collection, Flags, Floats, Ints
from .features import FeatureMaker, SecondStageFeatures
from .mentions import CandidateIndex, CandidateOptions, near_codes, vector_searches
from .neighbours import LEARNED, Pairs, PairScores, PairTable, Vectors, concatenate_vectors, near_rows
from .scorer import PairScorer, logits, sigmoid
from .sharing import Shared, shared_folder

Item = TypeVar("Item")
Result = TypeVar("Result")
ALONE = -1
FEW = 8
"""Topics with at most this number of documents are small. In them, small clusters need no higher threshold, because few
pairs can be wrong, and the scorer can link more readily, because there is less context to share."""
KNOWN = 3
"""Number of following mentions of a known entity that are neighbours of a mention from the start."""
AT_ONCE = 1 << 17
"""Number of pairs whose features are in memory at the same time."""
SHARD = 1024
"""Number of mentions whose pairs are scored together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOptions:
    """Options of linking; `min_link` is the lowest mean probability of a join, or None for that of the scorer."""

    min_link: float | None = None
    keep_chains: bool = False
    """Whether the entities within documents always stay together."""
    candidates: CandidateOptions = field(default_factory=CandidateOptions)
    clusters: ClusterOptions = field(default_factory=ClusterOptions)


@dataclass(frozen=True, eq=False)
class Links:
    """The label of each mention in reading order, and the mean probability of its links."""

    labels: Ints
    scores: Floats


@dataclass(frozen=True, eq=False)
class PairScoring:
    """Scores pairs of mentions, given as indices of `rows`; `shift` is added to the logits of each mention."""

    maker: Shared[FeatureMaker]
    rows: Ints
    scorer: PairScorer
    shift: Floats
    second: Shared[SecondStageFeatures] | None = None

    def __call__(self, left: Ints, right: Ints) -> Floats:
        """Return the probabilities of pairs."""
        return self.finish(left, right, self.first(left, right))

    def first(self, left: Ints, right: Ints) -> Floats:
        """Return the probabilities of the first stage."""
        maker, rows, scorer = self.maker.value, self.rows, self.scorer
        return _score_in_parts(
            left, right, lambda first, second: scorer(maker(rows[first], rows[second], scorer.features))
        )

    def finish(self, left: Ints, right: Ints, probability: Floats) -> Floats:
        """Return the final probabilities, given those of the first stage."""
        logit = logits(probability)
        if self.second is not None and (stage := self.scorer.second) is not None:
            make = self.second.value
            again = _score_in_parts(
                left, right, lambda first, second, part: stage(make(first, second, part, stage.features)), logit
            )
            logit = (logit + again) / 2
        return sigmoid(logit + self.shift[left])


def _score_in_parts(left: Ints, right: Ints, score: Callable[..., Floats], *more: Floats) -> Floats:
    """Score the pairs in parts, to limit the memory for their features."""
    parts = [slice(start, start + AT_ONCE) for start in range(0, len(left), AT_ONCE)]
    scored = (score(left[part], right[part], *(column[part] for column in more)) for part in parts)
    return np.concatenate([np.zeros(0), *scored])


def score_pairs(
    maker: FeatureMaker, rows: Ints, pairs: tuple[Ints, Ints], scorer: PairScorer, shift: Floats
) -> tuple[Pairs, PairScores]:
    """Return pairs of mention indices with probabilities, and a function that scores further pairs."""
    scoring = PairScoring(Shared(maker), rows, scorer, shift)
    looked_at = Pairs(*pairs, scoring.first(*pairs))
    if scorer.second is not None:
        scoring = replace(scoring, second=Shared(SecondStageFeatures(maker, rows, looked_at)))
    return Pairs(*pairs, scoring.finish(*pairs, looked_at.probability)), scoring


def project_vectors(maker: FeatureMaker, scorer: PairScorer) -> FeatureMaker:
    """Return the feature maker with the vectors that the scorer projects."""
    if scorer.projection is None or not maker.vectors.keys() >= set(scorer.projection.names):
        return maker  # which then reports the missing vectors
    return maker.add_vectors({LEARNED: scorer.projection(maker.vectors)})


def _count_shards(mentions: int) -> int:
    return (mentions + SHARD - 1) // SHARD


@dataclass(frozen=True, eq=False)
class Shards:
    """Finds and scores the pairs of one kind of mentions, in shards."""

    candidates: CandidateIndex
    scoring: PairScoring

    def __len__(self) -> int:
        return _count_shards(len(self.scoring.rows))

    def score(self, number: int) -> tuple[Ints, NDArray[np.int32], Floats]:
        """Return the number of pairs of each mention, their later mentions, and their probabilities."""
        start, end = number * SHARD, min((number + 1) * SHARD, len(self.scoring.rows))
        left, right = self.candidates.pairs(start, end)
        score = self.scoring if self.scoring.scorer.second is None else self.scoring.first
        counts = np.bincount(left - start, minlength=end - start).astype(np.int64)
        return counts, right.astype(np.int32), score(left, right)


@dataclass(frozen=True, eq=False)
class ScoredShards:
    """Scores the pairs of one kind of mentions again, in the same shards."""

    table: PairTable
    scoring: PairScoring

    def __len__(self) -> int:
        return _count_shards(self.table.number)

    def score(self, number: int) -> Floats:
        """Return the final probabilities of the pairs of a shard."""
        pairs = self.table.pairs(number * SHARD, min((number + 1) * SHARD, self.table.number))
        return self.scoring.finish(pairs.left, pairs.right, pairs.probability)


@dataclass(frozen=True, eq=False)
class VectorSearch:
    """Searches the near vectors of one kind of mentions."""

    blocks: Ints
    rows: Ints
    vectors: Shared[Vectors]
    wanted: Flags
    options: CandidateOptions

    def search(self, which: tuple[int, int]) -> Ints:
        """Return the pairs of one search as sorted codes."""
        return near_codes(which, self.blocks, self.vectors.value, self.rows, self.wanted, self.options.near)


def _score_first(item: tuple[int, int], kinds: Shared[Sequence[Shards]]) -> tuple[Ints, NDArray[np.int32], Floats]:
    kind, number = item
    return kinds.value[kind].score(number)


def _score_again(item: tuple[int, int], kinds: Shared[Sequence[ScoredShards]]) -> Floats:
    kind, number = item
    return kinds.value[kind].score(number)


def _search_vectors(item: tuple[int, tuple[int, int]], kinds: Shared[Sequence[VectorSearch]]) -> Ints:
    kind, which = item
    return kinds.value[kind].search(which)


def _link_components(item: tuple[int, Batch], linkers: Shared[Sequence[ComponentLinker]]) -> Clustered:
    kind, batch = item
    return linkers.value[kind](batch)


def _score_part(pairs: tuple[Ints, Ints], scoring: Shared[PairScoring]) -> Floats:
    return scoring.value(*pairs)


def link(
    collection: Collection,
    topics: Ints,
    scorers: Mapping[Kind, PairScorer],
    *,
    wider: Ints | None = None,
    vectors: Mapping[str, Vectors] | None = None,
    known: Ints | None = None,
    options: LinkOptions | None = None,
    workers: Workers | int = 1,
) -> Links:
    """Cluster the mentions of a collection; `topics` are those of its documents.

    Features are computed within `wider` topics (see `topics.wider_topics`), by default within `topics`. `known` has the
    label of each mention whose entity is already known, and -1 for others. Known entities and their labels do not
    change, and pairs of two known mentions are not scored.
    """
    fixed = np.full(len(collection), ALONE) if known is None else known
    chosen = Workers.of(workers)
    with shared_folder(chosen) as folder:
        linker = _Linker(
            FeatureMaker(collection, topics if wider is None else wider, vectors),
            topics,
            scorers,
            fixed,
            options or LinkOptions(),
            chosen,
            folder,
        )
        labels, scores = linker.link()
    return Links(_keep_known_labels(in_reading_order(labels), fixed), scores)


class _Linker:
    """Links all mentions of a collection, kind by kind; each step processes both kinds together."""

    def __init__(
        self,
        maker: FeatureMaker,
        topics: Ints,
        scorers: Mapping[Kind, PairScorer],
        fixed: Ints,
        options: LinkOptions,
        workers: Workers,
        folder: Path | None,
    ) -> None:
        self.maker, self.fixed, self.options = maker, fixed, options
        self.workers, self.folder = workers, folder
        self.topic = topics[maker.collection.document]
        self.crowded = np.bincount(topics, minlength=1)[self.topic] > FEW
        kinds = [(kind, np.flatnonzero(maker.collection.kind == number)) for number, kind in enumerate(KINDS)]
        self.kinds = [(scorers[kind], rows) for kind, rows in kinds if len(rows)]

    def link(self) -> Clustered:
        """Return the labels and scores of all mentions."""
        labels, scores = np.zeros(len(self.fixed), dtype=np.int64), np.ones(len(self.fixed))
        scored = self._score()
        parts = [self._plan(*kind, *own) for kind, own in zip(self.kinds, scored, strict=True)]
        linkers: Shared[Sequence[ComponentLinker]] = Shared([part.linker for part in parts], self.folder)
        items = [(kind, batch) for kind, part in enumerate(parts) for batch in part.batches]
        results = self._map(partial(_link_components, linkers=linkers), items)
        before = 0
        for (_, rows), (_, scoring), part in zip(self.kinds, scored, parts, strict=True):
            own_results = [next(results) for _ in part.batches]
            own_labels, own_scores = part.finish(own_results, partial(self._score_samples, scoring))
            labels[rows], scores[rows] = own_labels + before, own_scores
            before += int(own_labels.max(initial=-1)) + 1
        return labels, scores

    def _score(self) -> list[tuple[PairTable, PairScoring]]:
        """Return the scored pairs of each kind, and what scores further pairs."""
        scorings = [
            PairScoring(self._share(scorer), rows, scorer, np.where(self.crowded[rows], 0.0, scorer.few))
            for scorer, rows in self.kinds
        ]
        first = [Shards(index, scoring) for index, scoring in zip(self._candidates(), scorings, strict=True)]
        if self.folder is not None and all(scorer.second is None for scorer, _ in self.kinds):
            self.maker = self.maker.prepare(())  # what features were computed from is not needed any more
        items = [(kind, number) for kind, shards in enumerate(first) for number in range(len(shards))]
        scored = self._map(partial(_score_first, kinds=Shared(first, self.folder)), items)
        tables = [_join_shards([next(scored) for _ in range(len(shards))]) for shards in first]
        for kind, (scorer, rows) in enumerate(self.kinds):
            if scorer.second is not None:
                pairs = _add_known_pairs(tables[kind].pairs(), self.fixed[rows])
                features = SecondStageFeatures(project_vectors(self.maker, scorer), rows, pairs)
                if self.folder is not None:
                    features = features.prepare(scorer.second.features)
                scorings[kind] = replace(scorings[kind], second=Shared(features, self.folder))
        again = [ScoredShards(*parts) for parts in zip(tables, scorings, strict=True)]
        items = [
            (kind, number)
            for kind, (scorer, _) in enumerate(self.kinds)
            if scorer.second is not None
            for number in range(len(again[kind]))
        ]
        finished = self._map(partial(_score_again, kinds=Shared(again, self.folder)), items) if items else iter(())
        for kind, (scorer, _) in enumerate(self.kinds):
            if scorer.second is not None:
                parts = [next(finished) for _ in range(len(again[kind]))]
                tables[kind] = replace(tables[kind], probability=np.concatenate([np.zeros(0), *parts]))
        return list(zip(tables, scorings, strict=True))

    def _share(self, scorer: PairScorer) -> Shared[FeatureMaker]:
        maker = project_vectors(self.maker, scorer)
        return Shared(maker if self.folder is None else maker.prepare(scorer.features), self.folder)

    def _candidates(self) -> list[CandidateIndex]:
        """Return the candidate index of each kind."""
        options, words, document = self.options.candidates, self.maker.words, self.maker.collection.document
        near = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        if any(np.bincount(self.topic[rows]).max() > options.all_up_to for _, rows in self.kinds):
            near = near_rows(self.maker.texts.documents, options.near_documents)
        keys = [np.where(words.is_pronoun, ALONE, key) for key in (words.head, words.string, words.rarest)]
        return [
            CandidateIndex(
                self.topic[rows],
                [key[rows] for key in keys],
                document[rows],
                near,
                near_codes=found,
                new=self.fixed[rows] == ALONE,
                options=options,
            )
            for (_, rows), found in zip(self.kinds, self._near_vectors(), strict=True)
        ]

    def _near_vectors(self) -> list[Ints]:
        """Return the pairs of near vectors of each kind, as sorted codes."""
        options = self.options.candidates
        news = [self.fixed[rows] == ALONE for _, rows in self.kinds]
        items = [
            (kind, which)
            for kind, (_, rows) in enumerate(self.kinds)
            for which in vector_searches(self.topic[rows], news[kind], options)
        ]
        if not items or not self.maker.vectors:
            return [np.zeros(0, dtype=np.int64)] * len(self.kinds)
        vectors = Shared(concatenate_vectors(self.maker.vectors), self.folder)
        kinds: Shared[Sequence[VectorSearch]] = Shared(
            [
                VectorSearch(self.topic[rows], rows, vectors, new, options)
                for (_, rows), new in zip(self.kinds, news, strict=True)
            ],
            self.folder,
        )
        found: list[list[Ints]] = [[np.zeros(0, dtype=np.int64)] for _ in self.kinds]
        results = self._map(partial(_search_vectors, kinds=kinds), items)
        for (kind, _), codes in zip(items, results, strict=True):
            found[kind].append(codes)
        return [np.unique(np.concatenate(parts)) for parts in found]

    def _plan(self, scorer: PairScorer, rows: Ints, table: PairTable, scoring: PairScoring) -> Clustering:
        """Return the clustering of the mentions of one kind."""
        options, fixed, collection = self.options, self.fixed[rows], self.maker.collection
        together = np.full(len(rows), ALONE)
        if options.keep_chains:
            is_linked = (collection.entity_sizes[rows] > 1) & (fixed == ALONE)
            together = np.where(is_linked, collection.entity[rows], ALONE)
        clusters = replace(
            options.clusters,
            threshold=scorer.threshold if options.min_link is None else options.min_link,
            small=scorer.small if options.min_link is None else 0.0,
        )
        known = Known(together=together, fixed=fixed)
        return Clustering(table, clusters, score=scoring, known=known, crowded=self.crowded[rows])

    def _score_samples(self, scoring: PairScoring, left: Ints, right: Ints) -> Floats:
        """Score pairs in parts, on the workers if there are many."""
        if len(left) <= AT_ONCE:
            return scoring(left, right)
        parts = [(left[at : at + AT_ONCE], right[at : at + AT_ONCE]) for at in range(0, len(left), AT_ONCE)]
        return np.concatenate(list(self._map(partial(_score_part, scoring=Shared(scoring, self.folder)), parts)))

    def _map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Return the results in order; all of them are ready."""
        return iter(list(map_documents(function, items, self.workers if len(items) > 1 else 1)))


def _join_shards(shards: Sequence[tuple[Ints, NDArray[np.int32], Floats]]) -> PairTable:
    counts, right, probability = (np.concatenate(parts) for parts in zip(*shards, strict=True))
    return PairTable.of(counts, right, probability)


def _add_known_pairs(pairs: Pairs, known: Ints) -> Pairs:
    """Return the pairs of the first stage and pairs of mentions of known entities, which are not scored."""
    order = np.flatnonzero(known != ALONE)
    order = order[np.argsort(known[order], kind="stable")]
    left, right = [pairs.left], [pairs.right]
    for step in range(1, KNOWN + 1):
        same = known[order[step:]] == known[order[:-step]]
        left.append(order[:-step][same])
        right.append(order[step:][same])
    sure = np.ones(sum(map(len, left)) - len(pairs))
    return Pairs(np.concatenate(left), np.concatenate(right), np.concatenate([pairs.probability, sure]))


def _keep_known_labels(labels: Ints, known: Ints) -> Ints:
    """Return the labels with known entities under their own labels; new clusters are numbered after them."""
    is_known = known != ALONE
    if not is_known.any():
        return labels
    names = np.full(int(labels.max()) + 1, ALONE)
    names[labels[is_known]] = known[is_known]
    new = np.flatnonzero(names == ALONE)
    names[new] = int(known.max()) + 1 + np.arange(len(new))
    return names[labels]
