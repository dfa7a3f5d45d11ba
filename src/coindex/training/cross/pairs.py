"""The second stage of a run: trees that say which pairs of mentions mean the same, one set for each kind.

They learn from pairs within topics, of given mentions or of those that taggers found which had not seen the topic, so
that wrong mentions are known to them, or of both: what is best on the development topics, as are the thresholds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...document import Document, Kind
from ...errors import CoindexError
from ...resolvers.cross.collection import KINDS
from ...resolvers.cross.features import CENTRED, COSINE, FEATURES, MEANING, TYPED, WITHIN, FeatureMaker
from ...resolvers.cross.model import SCORERS
from ...resolvers.cross.neighbours import LEARNED, Projection
from ...resolvers.cross.scorer import BoostedTrees, VectorMaker, save_scorer
from ...resolvers.cross.vectors import OF_WORDS, WordEncoder, make_vectors
from ..progress import Report
from .pairs_config import PairsConfig
from .pairs_data import Examples, drawn, make_examples, pair_weights
from .pairs_encoder import Remembering
from .pairs_few import best_few
from .pairs_first import Sample, first_look
from .pairs_projection import cross_fitted, fit_projection
from .pairs_second import train_second
from .pairs_tuning import Dev, Tuned, best_threshold

LEFT_OUT = ("chain", "chain_words")
"""Features of chains within documents, which nobody has made when pairs are learned."""


def train_pairs(
    config: PairsConfig,
    folder: Path,
    docs: Mapping[str, Sequence[Document]],
    encoder: WordEncoder | None,
    predicted: Mapping[str, Sequence[Document]],
    report: Report,
) -> dict[str, Any]:
    """Write the scorer of each kind into a folder, and give what is to be known of them.

    `docs` are the documents of `train` and `dev` with their entities, `predicted` the same documents with mentions that
    were found, empty where none were. Without an encoder only words are compared.
    """
    vectors: VectorMaker = make_vectors(Remembering(encoder)) if encoder is not None else lambda collection: {}
    train, dev = (_examples(docs[name], predicted.get(name, ()), vectors) for name in ("train", "dev"))
    facts: dict[str, Any] = {}
    for kind in KINDS:
        best = _best(kind, train, [Dev(docs["dev"], part) for part in dev], config, report)
        if best is None:
            report({"pairs": kind, "remark": "no two mentions that mean the same: no scorer"})
            continue
        source, tuned, scorer = best
        save_scorer(scorer, folder / SCORERS[kind])
        facts[kind] = {
            "learned_from": source,
            "threshold": scorer.threshold,
            "small": scorer.small,
            "few": scorer.few,
            "trees": len(scorer.trees.roots),
            "scores": tuned.scores,
        }
        report({"pairs": kind, **facts[kind]})
    if not facts:
        raise CoindexError("no two mentions of the training topics mean the same; expected a corpus with coreference")
    return facts


def _best(
    kind: Kind, train: Sequence[Examples], dev: Sequence[Dev], config: PairsConfig, report: Report
) -> tuple[str, Tuned, BoostedTrees] | None:
    """The best scorer on dev of those that learn from given mentions, from found ones, and from both."""
    given, found = list(train[:1]), list(train[1:])
    sources = {"given": given, "found": found, "both": given + found}
    if not found or (config.learn_from == "best" and not dev):
        sources = {"given": given + found}
    elif config.learn_from != "best":
        sources = {config.learn_from: sources[config.learn_from]}
    results = []
    for source, examples in sources.items():
        scorer = _trained(kind, examples, given[0], config)
        if scorer is None:
            continue
        tuned = best_threshold(scorer, kind, dev)
        results.append((source, tuned, replace(scorer, threshold=tuned.threshold, small=tuned.small)))
        report({"pairs": kind, "learned_from": source, "conll": [row["conll"] for row in tuned.scores]})
    if not results:
        return None
    source, tuned, scorer = max(results, key=lambda result: result[1].mean)
    return source, tuned, replace(scorer, few=best_few(scorer, kind, dev[-1]) if dev else 0.0)


def _examples(key: Sequence[Document], response: Sequence[Document], vectors: VectorMaker) -> list[Examples]:
    """Of given mentions, and of those that were found, if there are any."""
    if not key:
        return []
    given = make_examples(key, None, vectors)
    return [given, make_examples(key, response, vectors)] if response else [given]


def feature_names(
    examples: Examples, projection: Projection | None = None, *, meanings: bool = False
) -> tuple[str, ...]:
    """The features that a scorer uses; those of what words can mean if it is to compare that."""
    words = [name for name in FEATURES if name not in LEFT_OUT and f"{name}{WITHIN}" not in FEATURES]
    words = [name for name in words if meanings or not name.startswith(MEANING)]
    cosines = [f"{how}{name}" for name in examples.vectors for how in (COSINE, CENTRED)]
    typed = [f"{TYPED}{name}" for name in OF_WORDS if name in examples.vectors]
    learned = [f"{CENTRED}{LEARNED}"] if projection is not None else []
    return (*words, *cosines, *typed, *learned)


def _trained(kind: Kind, train: Sequence[Examples], given: Examples, config: PairsConfig) -> BoostedTrees | None:
    """The mean of several scorers; None if nothing is the same. The projection is learned from given mentions."""
    projection = fit_projection(given, kind, config.projection)
    makers = _makers(kind, train, given, config) if projection is not None else None
    if makers is None:
        projection, makers = None, [examples.maker() for examples in train]
    names = feature_names(train[0], projection, meanings=kind in config.meanings)
    random = np.random.default_rng(config.seed)
    parts = [
        _sample(kind, examples, maker, names, config, random) for examples, maker in zip(train, makers, strict=True)
    ]
    first = first_look(kind, parts, config)
    if first is None:
        return None
    return replace(first, projection=projection, second=train_second(kind, parts, config))


def _makers(kind: Kind, train: Sequence[Examples], given: Examples, config: PairsConfig) -> list[FeatureMaker] | None:
    """What makes features, with vectors projected by what other topics taught; None if those are too few."""
    topics = np.unique(given.topics)
    part = topics % config.parts
    fitted = {
        int(number): fit_projection(given, kind, config.projection, without=topics[part == number])
        for number in np.unique(part)
    }
    makers = []
    for examples in train:
        learned = cross_fitted(examples, fitted, examples.topic % config.parts)
        if learned is None:
            return None
        makers.append(examples.maker().also({LEARNED: learned}))
    return makers


def _sample(
    kind: Kind,
    examples: Examples,
    maker: FeatureMaker,
    names: tuple[str, ...],
    config: PairsConfig,
    random: np.random.Generator,
) -> Sample:
    left, right, same = examples.pairs(kind)
    chosen = drawn(same, config.negatives, random)
    left, right, same = left[chosen], right[chosen], same[chosen]
    rows, weights = maker(left, right, names), pair_weights(examples, left, same)
    return Sample(examples, maker, left, right, names, rows, same, weights)
