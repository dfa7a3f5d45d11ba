"""The network in numpy: states of words, scores of mentions and pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from ..neural.words import Floats, Ints
from .mentions import COLUMNS, WordTypes
from .mentions import OFFSETS as COLUMN_OFFSETS
from .pairs import WIDTH, Described, Pairs

CHUNK = 8192
"""Number of pairs that are scored at the same time."""
EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class MentionScores:
    """The scores of candidates, one row per candidate."""

    linked: Floats  # [candidates]: logit of being one of several mentions of an entity
    mention: Floats  # [candidates]: logit of being a mention at all
    new: Floats  # [candidates]: score of beginning an entity
    anaphor: Floats  # [candidates, hidden]
    antecedent: Floats  # [candidates, hidden]
    query: Floats  # [candidates, product]
    key: Floats  # [candidates, product]


def column_rows(columns: Mapping[str, Ints]) -> Ints:
    """Return the indices of all feature values [candidates, columns]."""
    return np.stack([columns[name] + COLUMN_OFFSETS[name] for name in COLUMNS], axis=1)


def word_states(weights: Mapping[str, Floats], types: WordTypes) -> Floats:
    """Return the states of words [words, size] from their labels and, layer by layer, from their neighbours."""
    if not len(types):
        return np.zeros((0, weights["words.embed"].shape[1]), dtype=np.float32)
    states: Floats = weights["words.embed"][types.labels].sum(1)[types.of]
    children = np.bincount(types.parent, minlength=len(types) + 1)[: len(types)]
    share = (1 / np.maximum(children, 1)).astype(np.float32)[:, None]
    for layer in count():
        if f"words.{layer}.weight" not in weights:
            return states
        own, before, after, above, below = np.split(weights[f"words.{layer}.weight"].T, 5)
        padded = np.concatenate([states, np.zeros_like(states[:1])])
        new = states @ own + weights[f"words.{layer}.bias"]
        for where, part in ((types.before, before), (types.after, after), (types.parent, above)):
            new += (padded @ part)[where]
        new += (_sums(states, types.parent, len(types)) * share) @ below
        states = states + np.maximum(new, 0, out=new)
        states = _normalise(states) * weights[f"words.{layer}.scale"] + weights[f"words.{layer}.shift"]
    raise AssertionError


def _sums(states: Floats, parent: Ints, size: int) -> Floats:
    """Return the sum over the children of each word."""
    order = np.argsort(parent, kind="stable")
    order = order[: int(np.searchsorted(parent[order], size))]
    sums = np.zeros_like(states)
    if len(order):
        tops, begins = np.unique(parent[order], return_index=True)
        sums[tops] = np.add.reduceat(states[order], begins, axis=0)
    return sums


def _normalise(states: Floats) -> Floats:
    """Scale each row to mean 0 and variance 1."""
    centred = states - states.mean(1, keepdims=True)
    normal: Floats = centred / np.sqrt((centred**2).mean(1, keepdims=True) + EPSILON)
    return normal


@dataclass(frozen=True, slots=True)
class Scores:
    """The averaged scores of the networks for a document."""

    linked: Floats  # [candidates]: probability of being one of several mentions of an entity
    mention: Floats  # [candidates]: probability of being a mention at all
    new: Floats  # [candidates]: score of beginning an entity
    pairs: Floats  # [pairs kept]
    kept: Ints
    """Rows of pairs whose candidates are probable enough."""


def score_document(
    members: Sequence[Mapping[str, Floats]], types: WordTypes, described: Described, style: int, *, min_linked: float
) -> Scores:
    """Return the mean scores of the networks."""
    each = [mention_scores(member, word_states(member, types), described, style) for member in members]
    linked = probability(_mean([scores.linked for scores in each]))
    likely, pairs = linked >= min_linked, described.pairs
    kept = np.flatnonzero(likely[pairs.anaphor] & likely[pairs.candidate])
    some = pairs.some(kept)
    links = [pair_scores(weights, scores, some, style) for weights, scores in zip(members, each, strict=True)]
    mention, new = _mean([scores.mention for scores in each]), _mean([scores.new for scores in each])
    return Scores(linked, probability(mention), new, _mean(links), kept)


def _mean(each: Sequence[Floats]) -> Floats:
    mean: Floats = np.mean(each, axis=0, dtype=np.float32)
    return mean


def probability(logits: Floats) -> Floats:
    """Return the probabilities of logits."""
    return (1 / (1 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32)


def mention_scores(weights: Mapping[str, Floats], states: Floats, described: Described, style: int) -> MentionScores:
    """Return the scores of the candidates of a document for a style."""
    places = (described.head, described.parent, described.start)
    hidden = np.concatenate([states[at] for at in places], axis=1) @ weights["mention.words"].T
    for column in column_rows(described.columns).T:  # column by column, to limit the memory for long documents
        hidden += weights["mention.columns"][column]
    hidden += weights["mention.style"][style] + weights["mention.bias"]
    hidden = np.maximum(hidden, 0)
    scores = hidden @ weights["mention.out"].T + weights["mention.out_bias"]
    return MentionScores(
        linked=scores[:, 0],
        mention=scores[:, 1],
        new=scores[:, 2],
        anaphor=hidden @ weights["pair.anaphor"].T,
        antecedent=hidden @ weights["pair.antecedent"].T,
        query=hidden @ weights["pair.query"].T,
        key=hidden @ weights["pair.key"].T,
    )


def pair_scores(weights: Mapping[str, Floats], mentions: MentionScores, pairs: Pairs, style: int) -> Floats:
    """Return the scores of pairs, computed in chunks."""
    parts = [_score_rows(weights, mentions, pairs, rows, style) for rows in _chunks(len(pairs))]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)


def _score_rows(
    weights: Mapping[str, Floats], mentions: MentionScores, pairs: Pairs, rows: slice, style: int
) -> Floats:
    features = pairs.features[rows]
    hot = np.zeros((len(features), WIDTH), dtype=np.float32)
    hot[np.arange(len(features))[:, None], features] = 1
    hidden = hot @ weights["pair.features"]
    hidden += weights["pair.classes"][pairs.classes[rows]]
    hidden += mentions.anaphor[pairs.anaphor[rows]]
    hidden += mentions.antecedent[pairs.candidate[rows]]
    hidden += weights["pair.style"][style] + weights["pair.bias"]
    hidden = np.maximum(hidden, 0) @ weights["pair.second"].T + weights["pair.second_bias"]
    scores: Floats = np.maximum(hidden, 0) @ weights["pair.out"]
    scores += (mentions.query[pairs.anaphor[rows]] * mentions.key[pairs.candidate[rows]]).sum(1)
    return scores + weights["pair.linked"] * mentions.linked[pairs.candidate[rows]]


def _chunks(count: int) -> Iterator[slice]:
    return (slice(at, at + CHUNK) for at in range(0, count, CHUNK))
