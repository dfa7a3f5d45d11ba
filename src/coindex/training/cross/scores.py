"""How good the mentions of a tagger are, by coindex's own scorer, and the bias that makes them best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...document import Document, Kind
from ...resolvers.cross.tagger import Tagger
from ...scoring import make_settings, score_documents

BIASES = tuple(number / 4 for number in range(-8, 9))
PROFILE = "ecb-topic"


def mention_scores(key: Sequence[Document], response: Sequence[Document], kind: Kind) -> dict[str, Any]:
    """Mention detection by exact spans in per cent, singletons among them, with its signature."""
    there = any(entity.kind == kind for doc in response for entity in doc.entities)  # a tagger may find nothing yet
    settings = make_settings(PROFILE, kind=kind, unit="document", singletons=True, metrics=("mentions",), strict=there)
    result = score_documents(key, response, settings)
    sides = {side: round(100 * getattr(result["mentions"], side), 2) for side in ("recall", "precision", "f1")}
    return {**sides, "signature": result.signature}


def score_tagger(tagger: Tagger, key: Sequence[Document]) -> dict[str, Any]:
    """The scores of each kind that the tagger finds."""
    response = list(tagger.pipe(key))
    return {kind: mention_scores(key, response, kind) for kind in tagger.tags}


def with_best_bias(tagger: Tagger, key: Sequence[Document]) -> Tagger:
    """The tagger with the bias of each kind that gives the best F1; of several equally good the one nearest to 0."""
    scored = tagger.scores(key)
    tags = dict(tagger.tags)
    for kind, own in tagger.tags.items():
        results = {}
        for bias in sorted(BIASES, key=abs):
            trial = tagger.with_tags({**tags, kind: replace(own, bias=bias)})
            response = [trial.decode(doc, *one) for doc, one in zip(key, scored, strict=True)]
            results[bias] = mention_scores(key, response, kind)["f1"]
        tags[kind] = replace(own, bias=_best(results))
    return tagger.with_tags(tags)


def _best(results: dict[float, float]) -> float:
    return max(results, key=lambda bias: results[bias])
