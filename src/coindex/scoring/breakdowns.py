"""Scores by part of speech, with and without singletons, and macro-averaged over datasets.

The macro average over datasets: each counts the same, however large it is.

Every number is the plain mean of the datasets' numbers, as in the shared tasks: F1 is the mean of their F1, not the F1
of mean recall and mean precision, and CoNLL the mean of their CoNLL scores.

On both sides only the entities are kept that have a mention with such a head; then they are scored as usual. The tags
of a head's `flat` children count too: "Mr. Brown" is both NOUN and PROPN.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from ..document import Document
from .corpus import Map, Unit, count_unit, count_units
from .counts import Score
from .profiles import Settings, signature
from .result import ByMetric, Result, UnitCounts, common_settings, package_version, warn
from .sides import head_position
from .token_alignment import Locate, describe_place


@dataclass(frozen=True)
class MacroResult(ByMetric):
    """Mean scores by metric, like those of a `Result`; `results` has the datasets they are the mean of."""

    results: Mapping[str, Result]
    scores: Mapping[str, Score]
    conll: float | None
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: fractions, not rounded; the datasets one by one beside their mean."""
        datasets = {name: result.to_dict() for name, result in self.results.items()}
        for data in datasets.values():
            del data["signature"]  # theirs says the same as ours
        return {
            "signature": self.signature,
            "metrics": {name: score.to_dict() for name, score in self.scores.items()},
            "conll": self.conll,
            "datasets": datasets,
        }


def macro_average(results: Mapping[str, Result]) -> MacroResult:
    """The unweighted mean of results, by the name of the dataset; all must have been scored alike."""
    settings = common_settings(results)
    scores = {}
    for name in settings.metrics:
        found = [result[name] for result in results.values()]
        scores[name] = Score(
            _mean([score.recall for score in found]),
            _mean([score.precision for score in found]),
            _mean([score.f1 for score in found]),
        )
    conll = [result.conll for result in results.values() if result.conll is not None]
    return MacroResult(
        dict(results),
        scores,
        _mean(conll) if conll else None,
        signature(settings, package_version(), f"macro:{len(results)}"),
    )


def _mean(numbers: list[float]) -> float:
    return math.fsum(numbers) / len(numbers)


class SideBySide(NamedTuple):
    """The same response scored twice. Mention detection by the `ecb` profiles is the same in both."""

    without_singletons: Result
    with_singletons: Result


def score_side_by_side(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    locate: Locate = describe_place,
    map: Map = map,
) -> SideBySide:
    """Score without and with singletons in one pass over the documents, whatever the settings say of them."""
    count = partial(count_both, settings=settings, locate=locate)
    found = count_units(count, key, response, settings, locate=locate, map=map)
    warn((note for _, unit in found for note in unit.notes), stacklevel=2)
    return finish_both(settings, found)


def count_both(unit: Unit, settings: Settings, locate: Locate = describe_place) -> tuple[UnitCounts, UnitCounts]:
    """What the metrics find in a unit without and with singletons."""
    without, within = _both(settings)
    return count_unit(unit, without, locate), count_unit(unit, within, locate)


def finish_both(settings: Settings, units: Sequence[tuple[UnitCounts, UnitCounts]]) -> SideBySide:
    """The results of summing the units."""
    without, within = _both(settings)
    return SideBySide(Result.of(without, [one for one, _ in units]), Result.of(within, [other for _, other in units]))


def _both(settings: Settings) -> tuple[Settings, Settings]:
    return replace(settings, singletons=False), replace(settings, singletons=True)


TAGS = (
    *("NOUN", "PRON", "PROPN", "DET", "ADJ", "VERB", "ADV", "NUM"),
    *("ADP", "AUX", "CCONJ", "INTJ", "PART", "PUNCT", "SCONJ", "SYM", "X"),
)
"""All universal tags, those of the paper's table first."""


def head_tags(doc: Document) -> list[frozenset[str]]:
    """For each entity, the tags of its heads and of their flat children."""
    flat = _flat_children(doc)
    return [
        frozenset(
            tag
            for position in map(head_position, entity.mentions)
            for tag in (doc.tokens[position].upos, *flat.get(position, ()))
        )
        for entity in doc.entities
    ]


def _flat_children(doc: Document) -> dict[int, list[str]]:
    """The tags of the words that hang on a position by `flat` or a subtype of it."""
    found: dict[int, list[str]] = {}
    for sentence in doc.sentences:
        tokens = sentence.tokens
        if any(token.deprel.partition(":")[0] == "flat" for token in tokens):
            place = {token.id: sentence.start + offset for offset, token in enumerate(tokens)}
            for token in tokens:
                if token.deprel.partition(":")[0] == "flat" and token.head in place:
                    found.setdefault(place[token.head], []).append(token.upos)
    return found


def score_by_upos(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    tags: Sequence[str] = TAGS,
    locate: Locate = describe_place,
) -> dict[str, Result]:
    """A result for each tag that some entity of either side has."""
    count = partial(count_by_tag, settings=settings, locate=locate, tags=tags)
    return finish_tags(settings, count_units(count, key, response, settings, locate=locate))


def finish_tags(settings: Settings, units: Sequence[Mapping[str, UnitCounts]]) -> dict[str, Result]:
    """The results of summing the units in which each tag was found."""
    seen = dict.fromkeys(tag for unit in units for tag in unit)
    order = {tag: number for number, tag in enumerate(TAGS)}
    return {
        tag: Result.of(settings, [unit[tag] for unit in units if tag in unit])
        for tag in sorted(seen, key=lambda tag: order.get(tag, len(order)))
    }


def count_by_tag(
    unit: Unit, settings: Settings, locate: Locate = describe_place, tags: Sequence[str] = TAGS
) -> dict[str, UnitCounts]:
    """What the metrics find in the entities of each tag that is there."""
    docs = [doc for pair in unit.pairs for doc in (pair.key, pair.response) if doc is not None]
    cached = {id(doc): head_tags(doc) for doc in docs}
    present = {tag for found in cached.values() for entity in found for tag in entity}
    return {tag: count_unit(_with_tag(unit, tag, cached), settings, locate) for tag in tags if tag in present}


def _with_tag(unit: Unit, tag: str, tags: dict[int, list[frozenset[str]]]) -> Unit:
    def keep(doc: Document | None) -> Document | None:
        if doc is None:
            return None
        pairs = zip(doc.entities, tags[id(doc)], strict=True)
        return doc.replace(entities=tuple(entity for entity, found in pairs if tag in found))

    return Unit(unit.id, tuple(replace(p, key=keep(p.key), response=keep(p.response)) for p in unit.pairs))
