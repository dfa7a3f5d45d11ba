"""Train the scorer of mention pairs: decision trees and networks, first and second stage, thresholds.

Training pairs are within topics. Their mentions are gold mentions, mentions found by taggers that were not trained on
the topic (so that wrong mentions are included), or both. The choice and the thresholds are those that are best on the
development topics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ...document import Document, Kind
from ...errors import CoindexError, MissingPackageError
from ...resolvers.cross.clustering import ClusterOptions, cluster
from ...resolvers.cross.collection import KINDS, Collection, Flags, Floats, Ints, with_entities
from ...resolvers.cross.features import (
    CENTRED,
    COSINE,
    FEATURES,
    MEANING,
    TYPED,
    WITHIN,
    FeatureMaker,
    SecondStageFeatures,
    feature_names,
)
from ...resolvers.cross.linking import project_vectors, score_pairs
from ...resolvers.cross.model import SCORERS
from ...resolvers.cross.neighbours import LEARNED, Pairs, Projection
from ...resolvers.cross.scorer import (
    LEAF,
    MOST,
    BoostedTrees,
    Perceptrons,
    SecondStage,
    Trees,
    VectorMaker,
    logits,
    save_scorer,
    sigmoid,
)
from ...resolvers.cross.vectors import OF_WORDS, WordEncoder, make_vectors
from ...scoring import make_settings, score_documents
from ..run import Report
from .config import PairsConfig
from .pairs_data import CachedEncoder, Examples, draw_pairs, fit_projection, make_examples, pair_weights, project_parts

Rows = NDArray[np.float32]
Boosted = tuple[Trees, float]
"""Trees, and what their sum begins with."""


def boost(
    rows: Rows, targets: NDArray[np.bool_], config: PairsConfig, seed: int, weights: Floats | None = None
) -> Boosted:
    """Return trees whose sum is the logit of coreference."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError as error:
        raise MissingPackageError("scikit-learn") from error
    model = HistGradientBoostingClassifier(
        max_iter=config.rounds,
        learning_rate=config.rate,
        max_leaf_nodes=config.leaves,
        min_samples_leaf=config.least,
        l2_regularization=config.smoothing,
        max_features=config.share,
        early_stopping=False,
        random_state=seed,
    )
    return convert_trees(model.fit(rows, targets, sample_weight=weights))


def convert_trees(model: Any) -> Boosted:
    """Return the trees of a fitted model of two classes; child indices count over all trees."""
    parts = [predictor.nodes for (predictor,) in model._predictors]
    starts = np.cumsum([0, *map(len, parts)])
    nodes = np.concatenate(parts)
    offsets = np.repeat(starts[:-1], [len(part) for part in parts])
    is_leaf = nodes["is_leaf"].astype(bool)
    trees = Trees(
        roots=starts[:-1].astype(np.int64),
        feature=np.where(is_leaf, LEAF, nodes["feature_idx"]).astype(np.int64),
        threshold=np.where(is_leaf, 0.0, nodes["num_threshold"]),
        left=np.where(is_leaf, 0, nodes["left"] + offsets).astype(np.int64),
        right=np.where(is_leaf, 0, nodes["right"] + offsets).astype(np.int64),
        value=np.where(is_leaf, nodes["value"], 0.0),
        missing_left=nodes["missing_go_to_left"].astype(bool) & ~is_leaf,
    )
    return trees, float(np.ravel(model._baseline_prediction)[0])


def average_trees(members: Sequence[Boosted]) -> Boosted:
    """Return one set of trees whose sum is the mean of the members' sums."""
    starts = np.cumsum([0, *(len(trees.feature) for trees, _ in members)])
    share = 1 / len(members)

    def join(name: str) -> Any:
        return np.concatenate([getattr(trees, name) for trees, _ in members])

    def join_shifted(name: str) -> Any:
        return np.concatenate(
            [getattr(trees, name) + start for (trees, _), start in zip(members, starts, strict=False)]
        )

    is_leaf = join("feature") == LEAF
    trees = Trees(
        roots=join_shifted("roots"),
        feature=join("feature"),
        threshold=join("threshold"),
        left=np.where(is_leaf, 0, join_shifted("left")),
        right=np.where(is_leaf, 0, join_shifted("right")),
        value=join("value") * share,
        missing_left=join("missing_left"),
    )
    return trees, share * sum(bias for _, bias in members)


BATCH = 1024
EPOCHS = 8
RATE = 2e-3
DECAY = 0.05
DROPOUT, HIDDEN_DROPOUT = 0.1, 0.3


def train_networks(rows: Rows, targets: NDArray[np.bool_], weights: Floats, config: PairsConfig) -> Perceptrons:
    """Train networks, each from a new initialisation, whose mean is the logit of coreference."""
    mean, scale = rows.mean(axis=0, dtype=np.float64), rows.std(axis=0, dtype=np.float64) + 1e-6
    inputs = torch.from_numpy(np.clip((rows - mean) / scale, -MOST, MOST).astype(np.float32))
    wanted, share = (torch.from_numpy(part.astype(np.float32)) for part in (targets, weights))
    networks = [
        _train_network(inputs, wanted, share, config, config.seed + member) for member in range(config.networks)
    ]
    layers = [[layer for layer in network if isinstance(layer, nn.Linear)] for network in networks]
    first, second, last = (np.stack([_append_bias(own[place]) for own in layers]) for place in range(3))
    return Perceptrons(mean.astype(np.float32), scale.astype(np.float32), first, second, last[:, :, 0])


def _train_network(inputs: Any, wanted: Any, share: Any, config: PairsConfig, seed: int) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _make_network(inputs.shape[1], config.hidden)
        batches = max(1, len(wanted) // BATCH)
        optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
        rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=EPOCHS * batches + 1)
        for _ in range(EPOCHS):
            for chosen in torch.randperm(len(wanted)).tensor_split(batches):
                logits = network(inputs[chosen])[:, 0]
                losses = nn.functional.binary_cross_entropy_with_logits(logits, wanted[chosen], reduction="none")
                optimizer.zero_grad()
                (losses * share[chosen]).mean().backward()
                optimizer.step()
                rates.step()
    return network


def _make_network(columns: int, hidden: int) -> Any:
    return nn.Sequential(
        nn.Dropout(DROPOUT),
        nn.Linear(columns, hidden),
        nn.ReLU(),
        nn.Dropout(HIDDEN_DROPOUT),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Dropout(HIDDEN_DROPOUT),
        nn.Linear(hidden, 1),
    )


def _append_bias(layer: Any) -> NDArray[np.float32]:
    """Append the bias as the last row: [inputs + 1, outputs]."""
    weight, bias = layer.weight.detach().numpy(), layer.bias.detach().numpy()
    joined: NDArray[np.float32] = np.concatenate([weight.T, bias[None]]).astype(np.float32)
    return joined


@dataclass(frozen=True, eq=False, slots=True)
class Sample:
    """Pairs that a scorer learns from, by the places of mentions in a collection."""

    examples: Examples
    maker: FeatureMaker
    left: Ints
    right: Ints
    names: tuple[str, ...]
    """Of the columns."""
    rows: Rows
    same: NDArray[np.bool_]
    weights: Floats


def train_first_stage(
    kind: Kind, parts: Sequence[Sample], config: PairsConfig, *, chosen: Sequence[Flags] | None = None
) -> BoostedTrees | None:
    """Train the mean of several trees and networks on the pairs; return None if all have the same label."""
    kept = [np.ones(len(part.same), dtype=bool) for part in parts] if chosen is None else chosen
    rows, same, weights = (
        np.concatenate([getattr(part, name)[own] for part, own in zip(parts, kept, strict=True)])
        for name in ("rows", "same", "weights")
    )
    if not same.any() or same.all():
        return None
    trees = [boost(rows, same, config, config.seed + member, weights) for member in range(config.members)]
    networks = None
    if config.networks and kind in config.networks_of:
        networks = train_networks(rows, same, weights, config)
    return BoostedTrees(parts[0].names, *average_trees(trees), networks=networks)


HALVES = 2
"""The training topics are split so: each part gets first-stage scores of a scorer that learned from the others."""


def train_second_stage(kind: Kind, parts: Sequence[Sample], config: PairsConfig) -> SecondStage | None:
    """Train the second stage on the same pairs; None if there is to be none, or too little to learn from."""
    first = _cross_fit(kind, parts, config) if config.second else None
    if first is None:
        return None
    names = feature_names(tuple(parts[0].maker.vectors), meanings=kind in config.meanings)
    rows = [_second_stage_rows(kind, part, logits, names) for part, logits in zip(parts, first, strict=True)]
    same, weights = (np.concatenate([getattr(part, name) for part in parts]) for name in ("same", "weights"))
    joined = np.concatenate(rows)
    trees = [boost(joined, same, config, config.seed + member, weights) for member in range(config.second)]
    return SecondStage(names, *average_trees(trees))


def _cross_fit(kind: Kind, parts: Sequence[Sample], config: PairsConfig) -> list[Floats] | None:
    """Return the logits of pairs by scorers trained on other topics; None if there are too few topics."""
    half = [part.examples.topic[part.left] % HALVES for part in parts]
    logits = [np.zeros(len(part.same)) for part in parts]
    alone = replace(config, members=1, networks=min(1, config.networks))
    for number in range(HALVES):
        scorer = train_first_stage(kind, parts, alone, chosen=[own != number for own in half])
        if scorer is None:
            return None
        for part, own, result in zip(parts, half, logits, strict=True):
            result[own == number] = scorer.logits(part.rows[own == number])
    return logits


def _second_stage_rows(kind: Kind, part: Sample, logits: Floats, names: Sequence[str]) -> NDArray[np.float32]:
    own = part.examples.rows(kind)
    left, right = np.searchsorted(own, part.left), np.searchsorted(own, part.right)
    features = SecondStageFeatures(part.maker, own, Pairs(left, right, sigmoid(logits)))
    return features(left, right, logits, names)


THRESHOLDS = tuple(number / 100 for number in range(10, 80, 4))
SMALL = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9)
DEFAULT = 0.5
Choice = tuple[float, float]
"""The threshold of all clusters, and that of small ones."""
PROFILE = "ecb-topic"


@dataclass(frozen=True, eq=False)
class Dev:
    """Documents of the key, and their mentions as they are given or were found."""

    key: Sequence[Document]
    examples: Examples


@dataclass(frozen=True, slots=True)
class Tuned:
    """The thresholds, and the scores of each set of mentions with them: CoNLL in per cent, without singletons."""

    threshold: float = DEFAULT
    small: float = 0.0
    scores: list[dict[str, Any]] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return float(sum(row["conll"] for row in self.scores)) / max(1, len(self.scores))


def best_threshold(scorer: BoostedTrees, kind: Kind, dev: Sequence[Dev]) -> Tuned:
    """Return the thresholds with the best mean over all sets of mentions; of ties, the middle ones."""
    scored = [(part, score_examples(scorer, kind, part.examples)) for part in dev]
    scored = [(part, pairs) for part, pairs in scored if len(pairs)]
    if not scored:
        return Tuned()
    choices = [(at, small) for at in THRESHOLDS for small in SMALL if not small or small > at]
    results = {choice: [score_clusters(kind, part, pairs, choice) for part, pairs in scored] for choice in choices}
    means = {choice: sum(row["conll"] for row in rows) for choice, rows in results.items()}
    equal = [choice for choice in choices if means[choice] == max(means.values())]
    chosen = equal[len(equal) // 2]
    return Tuned(*chosen, results[chosen])


def score_examples(scorer: BoostedTrees, kind: Kind, examples: Examples) -> Pairs:
    """Return all pairs within topics as indices of the mentions of the kind."""
    left, right, _ = examples.pairs(kind)
    maker, rows = project_vectors(examples.maker(), scorer), examples.rows(kind)
    pairs = np.searchsorted(rows, left), np.searchsorted(rows, right)
    looked_at, _ = score_pairs(maker, rows, pairs, scorer, np.zeros(len(rows)))
    return looked_at


def score_clusters(kind: Kind, dev: Dev, pairs: Pairs, choice: Choice) -> dict[str, Any]:
    threshold, small = choice
    collection, rows = dev.examples.collection, dev.examples.rows(kind)
    clusters, _ = cluster(len(rows), pairs, ClusterOptions(threshold=threshold, small=small))
    labels = len(rows) + np.arange(len(collection))
    labels[rows] = clusters
    response = with_entities(collection, labels, by="pairs")
    result = score_documents(dev.key, response, make_settings(PROFILE, kind=kind))
    return {"conll": round(100 * (result.conll or 0.0), 2), "signature": result.signature}


SIZES = (2, 3, 5, 8)
DRAWN = 40
SHIFTS = (0.0, 0.5, 1.0, 1.5)
SEED = 7


def best_few(scorer: BoostedTrees, kind: Kind, dev: Dev) -> float:
    """Return the offset of logits with the best mean CoNLL over single subtopics; of ties, the smallest."""
    parts = [part for part in _draw_collections(dev) if len(part.examples.rows(kind)) > 1]
    scored = [(part, score_examples(scorer, kind, part.examples)) for part in parts]
    choice = (scorer.threshold, 0.0)
    totals = {}
    for shift in SHIFTS:
        rows = [score_clusters(kind, part, _shift(pairs, shift), choice) for part, pairs in scored]
        totals[shift] = sum(row["conll"] for row in rows)
    return max(totals, key=lambda shift: totals[shift])


def _shift(pairs: Pairs, shift: float) -> Pairs:
    return Pairs(pairs.left, pairs.right, sigmoid(logits(pairs.probability) + shift))


def _draw_collections(dev: Dev) -> list[Dev]:
    groups: dict[str | None, list[int]] = {}
    for number, doc in enumerate(dev.key):
        groups.setdefault(doc.subtopic or doc.topic, []).append(number)
    random = np.random.default_rng(SEED)
    drawn: dict[tuple[int, ...], None] = {}  # each once, in order
    for turn in range(DRAWN):
        size = SIZES[turn % len(SIZES)]
        large = [group for group in groups.values() if len(group) >= size]
        if large:
            group = large[int(random.integers(len(large)))]
            drawn[tuple(sorted(random.choice(group, size, replace=False).tolist()))] = None
    return [_select_documents(dev, np.array(numbers)) for numbers in drawn]


def _select_documents(dev: Dev, numbers: Ints) -> Dev:
    examples = dev.examples
    rows = np.flatnonzero(np.isin(examples.collection.document, numbers))
    collection = Collection.of(examples.collection.documents[number] for number in numbers)
    vectors = {name: part[rows] for name, part in examples.vectors.items()}
    topics = np.zeros(len(numbers), dtype=np.int64)
    return Dev([dev.key[number] for number in numbers], Examples(collection, topics, examples.entity[rows], vectors))


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
    vectors: VectorMaker = lambda collection, workers=1: {}  # noqa: E731  # a constant
    if encoder is not None:
        vectors = make_vectors(CachedEncoder(encoder))
    train, dev = (_examples(docs[name], predicted.get(name, ()), vectors) for name in ("train", "dev"))
    facts: dict[str, Any] = {}
    for kind in KINDS:
        best = _train_best(kind, train, [Dev(docs["dev"], part) for part in dev], config, report)
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
        raise CoindexError(
            "no mentions of the training topics are coreferent; use a corpus with coreference annotation",
            code="no-entities",
        )
    return facts


def _train_best(
    kind: Kind, train: Sequence[Examples], dev: Sequence[Dev], config: PairsConfig, report: Report
) -> tuple[str, Tuned, BoostedTrees] | None:
    """Return the best scorer on dev of those trained on gold mentions, on detected ones, and on both."""
    given, detected = list(train[:1]), list(train[1:])
    sources = {"given": given, "found": detected, "both": given + detected}
    if not detected or (config.learn_from == "best" and not dev):
        sources = {"given": given + detected}
    elif config.learn_from != "best":
        sources = {config.learn_from: sources[config.learn_from]}
    results = []
    for source, examples in sources.items():
        scorer = _train_scorer(kind, examples, given[0], config)
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
    """Return examples of gold mentions, and of detected ones if there are any."""
    if not key:
        return []
    given = make_examples(key, None, vectors)
    return [given, make_examples(key, response, vectors)] if response else [given]


def pair_feature_names(
    examples: Examples, projection: Projection | None = None, *, meanings: bool = False
) -> tuple[str, ...]:
    """Return the features that a scorer uses, with those of word senses if it compares them."""
    words = [name for name in FEATURES if name not in LEFT_OUT and f"{name}{WITHIN}" not in FEATURES]
    words = [name for name in words if meanings or not name.startswith(MEANING)]
    cosines = [f"{how}{name}" for name in examples.vectors for how in (COSINE, CENTRED)]
    typed = [f"{TYPED}{name}" for name in OF_WORDS if name in examples.vectors]
    learned = [f"{CENTRED}{LEARNED}"] if projection is not None else []
    return (*words, *cosines, *typed, *learned)


def _train_scorer(kind: Kind, train: Sequence[Examples], given: Examples, config: PairsConfig) -> BoostedTrees | None:
    """Train the mean of several scorers, with a projection learned from gold mentions; None without positive pairs."""
    projection = fit_projection(given, kind, config.projection)
    makers = _cross_fit_makers(kind, train, given, config) if projection is not None else None
    if makers is None:
        projection, makers = None, [examples.maker() for examples in train]
    names = pair_feature_names(train[0], projection, meanings=kind in config.meanings)
    random = np.random.default_rng(config.seed)
    parts = [
        _sample(kind, examples, maker, names, config, random) for examples, maker in zip(train, makers, strict=True)
    ]
    first = train_first_stage(kind, parts, config)
    if first is None:
        return None
    return replace(first, projection=projection, second=train_second_stage(kind, parts, config))


def _cross_fit_makers(
    kind: Kind, train: Sequence[Examples], given: Examples, config: PairsConfig
) -> list[FeatureMaker] | None:
    """Return feature makers whose projections are learned from other topics; None if these are too few."""
    topics = np.unique(given.topics)
    part = topics % config.parts
    fitted = {
        int(number): fit_projection(given, kind, config.projection, without=topics[part == number])
        for number in np.unique(part)
    }
    makers = []
    for examples in train:
        learned = project_parts(examples, fitted, examples.topic % config.parts)
        if learned is None:
            return None
        makers.append(examples.maker().add_vectors({LEARNED: learned}))
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
    chosen = draw_pairs(same, config.negatives, random)
    left, right, same = left[chosen], right[chosen], same[chosen]
    rows, weights = maker(left, right, names), pair_weights(examples, left, same)
    return Sample(examples, maker, left, right, names, rows, same, weights)
