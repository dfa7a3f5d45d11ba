"""From a collection with topics to labels of its mentions: candidates, features, probabilities, clusters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ...document import Kind
from .candidates import CandidateOptions, candidate_pairs
from .clustering import ClusterOptions, Known, cluster, in_reading_order, link_scores
from .collection import KINDS, Collection, Flags, Floats, Ints
from .features import FeatureMaker
from .neighbours import Vectors, near_rows
from .pairing import Pairs
from .projection import LEARNED, side_by_side
from .scorer import PairScorer

ALONE = -1
FEW = 4
"""In topics of so many documents small clusters are as good as others: there are few pairs that can be wrong."""
AT_ONCE = 1 << 17
"""How many pairs have their features in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOptions:
    """`min_link` is the least mean probability at which clusters are joined; None for that of the scorer."""

    min_link: float | None = None
    keep_chains: bool = False
    """Whether chains within documents stay together whatever the scorer says."""
    candidates: CandidateOptions = field(default_factory=CandidateOptions)
    clusters: ClusterOptions = field(default_factory=ClusterOptions)


@dataclass(frozen=True, eq=False)
class Links:
    """The label of each mention in reading order, and how sure its links are on average."""

    labels: Ints
    scores: Floats


def link(
    collection: Collection,
    topics: Ints,
    scorers: Mapping[Kind, PairScorer],
    *,
    vectors: Mapping[str, Vectors] | None = None,
    known: Ints | None = None,
    options: LinkOptions | None = None,
) -> Links:
    """Put the mentions of a collection into clusters; `topics` are those of its documents.

    `known` holds the label of mentions whose entity is known already and -1 for others. Known entities stay as they
    are, and no pair of two known mentions is looked at. Their labels come out as they went in.
    """
    options = options or LinkOptions()
    maker = FeatureMaker(collection, topics, vectors)
    fixed = np.full(len(collection), ALONE) if known is None else known
    left, right = _candidates(maker, fixed == ALONE, side_by_side(vectors) if vectors else None, options.candidates)
    labels, scores = np.zeros(len(collection), dtype=np.int64), np.ones(len(collection))
    before = 0
    for number, kind in enumerate(KINDS):
        rows = np.flatnonzero(collection.kind == number)
        if not len(rows):
            continue
        own = collection.kind[left] == number
        places = np.searchsorted(rows, left[own]), np.searchsorted(rows, right[own])
        found, sure = _linked(maker, rows, places, scorers[kind], fixed[rows], options)
        labels[rows], scores[rows] = found + before, sure
        before += int(found.max(initial=-1)) + 1
    return Links(_with_known(in_reading_order(labels), fixed), scores)


def _candidates(
    maker: FeatureMaker, new: Flags, vectors: Vectors | None, options: CandidateOptions
) -> tuple[Ints, Ints]:
    collection, words = maker.collection, maker.words
    blocks = maker.topic * len(KINDS) + collection.kind
    keys = [np.where(words.is_pronoun, ALONE, key) for key in (words.head, words.string, words.rarest)]
    near = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if len(blocks) and np.bincount(blocks).max() > options.all_up_to:
        near = near_rows(maker.texts.documents, options.near_documents)
    return candidate_pairs(blocks, keys, collection.document, near, vectors=vectors, new=new, options=options)


def prepared(maker: FeatureMaker, scorer: PairScorer) -> FeatureMaker:
    """The maker with the vectors that the scorer makes of others."""
    if scorer.projection is None or not maker.vectors.keys() >= set(scorer.projection.names):
        return maker  # which says then what is missing
    return maker.also({LEARNED: scorer.projection(maker.vectors)})


def _linked(
    maker: FeatureMaker,
    rows: Ints,
    pairs: tuple[Ints, Ints],
    scorer: PairScorer,
    fixed: Ints,
    options: LinkOptions,
) -> tuple[Ints, Floats]:
    """Labels and scores of the mentions of one kind."""
    maker = prepared(maker, scorer)

    def score(left: Ints, right: Ints) -> Floats:
        probability = np.empty(len(left))
        for start in range(0, len(left), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            probability[part] = scorer(maker(rows[left[part]], rows[right[part]], scorer.features))
        return probability

    threshold = scorer.threshold if options.min_link is None else options.min_link
    chains = np.full(len(rows), ALONE)
    if options.keep_chains:
        is_chained = (maker.collection.chain_sizes[rows] > 1) & (fixed == ALONE)
        chains = np.where(is_chained, maker.collection.chain[rows], ALONE)
    small = scorer.small if options.min_link is None else 0.0
    clusters = replace(options.clusters, threshold=threshold, small=small)
    scored = Pairs(*pairs, score(*pairs))
    known = Known(together=chains, fixed=fixed)
    crowded = np.bincount(maker.texts.topics)[maker.topic[rows]] > FEW
    labels, looked_at = cluster(len(rows), scored, clusters, score=score, known=known, crowded=crowded)
    return labels, link_scores(labels, looked_at)


def _with_known(labels: Ints, known: Ints) -> Ints:
    """Clusters with a known entity under its label, the others on behind the known ones."""
    is_known = known != ALONE
    if not is_known.any():
        return labels
    names = np.full(int(labels.max()) + 1, ALONE)
    names[labels[is_known]] = known[is_known]
    new = np.flatnonzero(names == ALONE)
    names[new] = int(known.max()) + 1 + np.arange(len(new))
    return names[labels]
