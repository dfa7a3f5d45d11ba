"""The scores of a corpus, with what they were computed by and from."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

from ..errors import CoindexError, MissingExtraError, UnknownNameError, quote
from .counts import Counts, Score
from .metrics.registry import get_metric
from .notes import Note
from .profiles import CONLL, Settings, signature


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """What the metrics found in one unit, usually a document."""

    id: str | None
    counts: Mapping[str, Counts]
    notes: tuple[Note, ...] = ()


class ByMetric:
    """Scores by the name of their metric, to look up and to go through."""

    scores: Mapping[str, Score]

    def __getitem__(self, name: str) -> Score:
        if name not in self.scores:
            raise UnknownNameError("metric in this result", name, self.scores)
        return self.scores[name]

    def __contains__(self, name: object) -> bool:
        return name in self.scores

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)


@dataclass(frozen=True)
class Result(ByMetric):
    """Scores by metric: `result["muc"].f1`. `units` has the counts of every document, to sum them in other ways."""

    settings: Settings
    scores: Mapping[str, Score]
    counts: Mapping[str, Counts]
    units: Sequence[UnitCounts] = field(repr=False)

    @classmethod
    def of(cls, settings: Settings, units: Sequence[UnitCounts]) -> Result:
        """The result of summing the units."""
        scores = {}
        totals = {}
        for name in settings.metrics:
            metric = get_metric(name, settings.rules)
            totals[name] = Counts.total((unit.counts[name] for unit in units), len(metric.parts))
            scores[name] = metric.finish(totals[name])
        return cls(settings, scores, totals, units)

    @property
    def conll(self) -> float | None:
        """The mean F1 of MUC, B³ and CEAF-e; None where one of them was not asked for."""
        return mean_conll(self.scores)

    @cached_property
    def signature(self) -> str:
        return signature(self.settings, package_version())

    def by_document(self) -> dict[str, Result]:
        """A result for each document, by its id; one without an id goes by its number, a second of that id by both."""
        found: dict[str, Result] = {}
        for number, unit in enumerate(self.units, 1):
            name = str(number) if unit.id is None else unit.id
            found[f"{name} ({number})" if name in found else name] = Result.of(self.settings, [unit])
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: fractions, not rounded."""
        return {
            "signature": self.signature,
            "metrics": {name: score_dict(name, score) for name, score in self.scores.items()},
            "conll": self.conll,
        }

    def to_frame(self) -> Any:
        """A pandas data frame: a row for each metric."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("pandas", "pandas") from error
        frame = pd.DataFrame.from_dict({name: score.to_dict() for name, score in self.scores.items()}, orient="index")
        frame.index.name = "metric"
        frame.attrs["signature"] = self.signature
        return frame

    def __repr__(self) -> str:
        rows = [f"{'':9} {'recall':>9} {'precision':>9} {'F1':>9}"]
        for name, score in self.scores.items():
            numbers = f"{100 * score.recall:9.2f} {100 * score.precision:9.2f} {100 * score.f1:9.2f}"
            rows.append(f"{name:9} {numbers}")
        if self.conll is not None:
            rows.append(f"{'CoNLL':9} {'':9} {'':9} {100 * self.conll:9.2f}")
        return "\n".join([*rows, self.signature])

    def _repr_html_(self) -> str:
        rows = [_row(name, score.recall, score.precision, score.f1) for name, score in self.scores.items()]
        if self.conll is not None:
            rows.append(_row("CoNLL", None, None, self.conll))
        head = "<tr><th>metric</th><th>recall</th><th>precision</th><th>F1</th></tr>"
        caption = f"<caption>{escape(self.signature)}</caption>"
        return f"<table>{caption}<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"


def score_dict(name: str, score: Score) -> dict[str, Any]:
    """A score as plain data; mention detection has its numbers by length too."""
    data: dict[str, Any] = {**score.to_dict()}
    if name == "mentions" and score.parts:
        data["lengths"] = {part: found.to_dict() for part, found in score.parts.items()}
    return data


def mean_conll(scores: Mapping[str, Score]) -> float | None:
    """The CoNLL score of these scores, if all three are there; of arrays an array."""
    if not all(name in scores for name in CONLL):
        return None
    return sum(scores[name].f1 for name in CONLL) / len(CONLL)


def common_settings(results: Mapping[str, Result]) -> Settings:
    """The settings that all results were computed by; an error where they differ, as such numbers do not compare."""
    if not results:
        raise CoindexError("no results were given; give at least one, by its name", code="nothing-given")
    (name, first), *others = results.items()
    for other_name, other in others:
        if other.settings != first.settings:
            raise CoindexError(
                f"{quote(name)} and {quote(other_name)} were not scored alike: {_described(first)} against "
                f"{_described(other)}; score all with the same profile and options",
                code="different-settings",
            )
    return first.settings


def _described(result: Result) -> str:
    return f"{result.signature} with the metrics {', '.join(result.settings.metrics)}"


def _row(name: str, *values: float | None) -> str:
    cells = "".join(f"<td>{'' if value is None else f'{100 * value:.2f}'}</td>" for value in values)
    return f"<tr><th>{escape(name)}</th>{cells}</tr>"


def package_version() -> str:
    """The version of coindex. The package is above this layer, so it is asked for, not imported."""
    return str(getattr(sys.modules.get(__name__.partition(".")[0]), "__version__", "unknown"))
