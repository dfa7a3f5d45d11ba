"""Documents with the score of each system on them."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...errors import UnknownNameError
from ...scoring import Result, Settings
from ...scoring.profiles import CONLL, signature
from ...scoring.result import UnitCounts, mean_conll, package_version
from .kinds import Findings

VARIANT = "score"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredDocument:
    """A document of the key, and what systems reach on it."""

    dataset: str
    name: str
    genre: str | None
    words: int
    units: Mapping[str, UnitCounts]
    """By system."""
    scores: Mapping[str, float]
    """By system; empty where the key has nothing to find."""

    @property
    def mean(self) -> float:
        """The mean over systems, by which a document is hard."""
        return statistics.fmean(self.scores.values())


@dataclass(frozen=True, slots=True)
class Measure:
    """The number that documents are looked at by: the F1 of a metric, or the CoNLL score."""

    settings: Settings
    metric: str

    @classmethod
    def of(cls, settings: Settings, metric: str | None) -> Measure:
        """The metric of that name; where none is named, CoNLL if it is among those of the profile, else the first."""
        known = (*settings.metrics, *(["conll"] if set(CONLL) <= set(settings.metrics) else []))
        chosen = metric or ("conll" if "conll" in known else settings.metrics[0])
        if chosen not in known:
            raise UnknownNameError(f"metric of {settings.profile}", chosen, known)
        needed = CONLL if chosen == "conll" else (chosen,)
        return cls(replace(settings, metrics=needed), chosen)

    def score(self, units: Sequence[UnitCounts]) -> float:
        """The number of documents together."""
        result = Result.of(self.settings, units)
        value = mean_conll(result.scores) if self.metric == "conll" else result[self.metric].f1
        assert value is not None, "its metrics were asked for"
        return value

    def has_key(self, unit: UnitCounts) -> bool:
        """Whether the key has anything to find."""
        name = "b3" if self.metric == "conll" else self.metric
        return any(unit.counts[name].values[1::4])

    def signature(self, *more: str) -> str:
        return signature(self.settings, package_version(), *more)


def scored_documents(findings: Findings, measure: Measure) -> list[ScoredDocument]:
    """Every document of every dataset, with its scores."""
    found = []
    for dataset in findings.datasets:
        results = {system: by[dataset].results[VARIANT] for system, by in findings.systems.items()}
        first = next(iter(results.values()))
        rows = zip(*(result.units for result in results.values()), strict=True)
        for name, facts, row in zip(first.by_document(), findings.facts[dataset], rows, strict=True):
            units = dict(zip(results, row, strict=True))
            scores = {}
            if measure.has_key(row[0]):
                scores = {system: measure.score([unit]) for system, unit in units.items()}
            found.append(
                ScoredDocument(
                    dataset=dataset, name=name, genre=facts.genre, words=facts.words, units=units, scores=scores
                )
            )
    return found
