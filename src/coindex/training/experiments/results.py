"""The results of experiments as tables, frames and curves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Literal

from ...analysis.errors.result import LOW
from ...analysis.figures import Chart, Curves, can_draw, save_as
from ...analysis.tables import Column, Row, Table, Value, title_of
from ...errors import CoindexError, MissingExtraError
from .cells import Outcome

Kind = Literal["size", "overlap", "annotation", "mentions"]
TITLES: dict[Kind, str] = {
    "size": "Scores by the size of the training corpus",
    "overlap": "Scores by the overlap of training corpus and key",
    "annotation": "Scores by training annotation",
    "mentions": "Scores by kind of mentions",
}
STUBS: dict[Kind, str] = {"size": "subset", "overlap": "subset", "annotation": "annotation", "mentions": "mentions"}
CURVES: dict[Kind, str] = {"size": "size", "overlap": "subset"}
"""Experiments with a curve, and the factor on its x axis."""
SEED, SPREAD = "seed", "f1_sd"
SIDES = {"precision": "P", "recall": "R", "f1": "F1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentResult:
    """The results of an experiment, with an outcome for each finished cell."""

    kind: Kind
    key: str
    outcomes: Sequence[Outcome]
    about: Mapping[str, Any] = field(default_factory=dict)
    """What was trained or run, for JSON output."""

    @property
    def groups(self) -> list[list[Outcome]]:
        """The outcomes, grouped by condition; those of a group differ only in their seeds."""
        outcomes: dict[tuple[str, str], list[Outcome]] = {}
        for outcome in self.outcomes:
            outcomes.setdefault((outcome.section, outcome.label), []).append(outcome)
        return list(outcomes.values())

    @property
    def seeds(self) -> tuple[str, ...]:
        """The seeds, if there are several."""
        return tuple(dict.fromkeys(outcome.factors[SEED] for outcome in self.outcomes if SEED in outcome.factors))

    def table(self) -> Table:
        """Return a table with a row for each condition: training data, PreCo averages and F1 of each metric.

        If there are several seeds, the numbers are means.
        """
        rows = [
            Row(
                label=group[0].label,
                values=[number for _, number in self._means(group)],
                section=group[0].section,
                keys={name: value for name, value in group[0].factors.items() if name != SEED},
            )
            for group in self.groups
        ]
        title, columns = TITLES[self.kind], list(self._columns())
        remarks = list(self._remarks())
        return Table(name=self.kind, title=title, stub=STUBS[self.kind], columns=columns, rows=rows, remarks=remarks)

    def _remarks(self) -> Iterator[str]:
        if self.seeds:
            yield f"Means over the seeds {', '.join(self.seeds)}; ± is the standard deviation of the average F1."

    def _columns(self) -> Iterator[Column]:
        """Yield the columns in the order of the numbers; the signature is the same for all cells."""
        first = self.outcomes[0]
        if first.training is not None:
            own = first.training.signature
            for name in self._counted:
                yield Column(name, name, "number", group="training", signature=own)
            yield Column("oov", "OOV", group="key [%]", signature=own)
            yield Column("low", f"<{LOW}", group="key [%]", signature=own)
            yield Column("lfw", "LFW", group="errors [%]", signature=first.signature)
        for side, title in SIDES.items():
            yield Column(f"mean_{side}", title, group="average", best=True, signature=first.signature)
        if self.seeds:
            yield Column(SPREAD, "±", group="average", signature=first.signature)
        for metric in first.scores:
            yield Column(f"{metric}_f1", title_of(metric), group="F1", signature=first.signature)

    @property
    def _counted(self) -> tuple[str, ...]:
        """The columns for the size of a training corpus."""
        more = ("entities", "mentions") if self.kind == "annotation" else ()
        return ("documents", "words", *more)

    def _numbers(self, outcome: Outcome) -> Iterator[tuple[str, Value]]:
        """Yield the numbers of a cell with the names of their columns."""
        if outcome.training is not None:
            for name in (*self._counted, "oov", "low", "lfw"):
                yield name, getattr(outcome.training, name)
        for side in SIDES:
            yield f"mean_{side}", outcome.mean(side)
        for metric, numbers in outcome.scores.items():
            yield f"{metric}_f1", numbers["f1"]

    def _means(self, group: Sequence[Outcome]) -> Iterator[tuple[str, Value]]:
        """Yield the means over cells that differ only in their seeds, with the spread of F1 if there are seeds."""
        every = [dict(self._numbers(outcome)) for outcome in group]
        for name in every[0]:
            yield name, _mean([numbers[name] for numbers in every])
            if self.seeds and name == "mean_f1":
                yield SPREAD, _deviation(group)

    def render(self, form: str = "text", **options: Any) -> str:
        """Return the table as text, json, markdown, latex, csv or html; html has curves if matplotlib is installed."""
        from ...analysis.writers import render

        charts = self._drawable() if form == "html" else []
        return render([self.table()], form, about=self._describe(), charts=charts, **options)

    def _drawable(self) -> list[Chart]:
        """Return the curves if the experiment has any and matplotlib is installed."""
        return self.charts() if self.kind in CURVES and can_draw() else []

    def _describe(self) -> dict[str, Any]:
        return {"experiment": self.kind, "key": self.key, **self.about}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with everything that each cell depends on."""
        return {**self._describe(), "cells": [outcome.to_dict() for outcome in self.outcomes]}

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each cell: its factors and numbers."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtraError("pandas", "pandas") from error
        rows = [
            {**outcome.factors, **dict(self._numbers(outcome)), "signature": outcome.signature}
            for outcome in self.outcomes
        ]
        return pandas.DataFrame(rows)

    def charts(self) -> list[Chart]:
        """Return the curves of PreCo, Figure 5: average F1 and OOV rate (a, c), LFW rate and OOV rate (b, d)."""
        if self.kind not in CURVES:
            raise CoindexError(
                f"the experiment {self.kind} has no curve, only size and overlap have one; print its table",
                code="no-figures",
            )
        scores, spread, lfw, oov = (_empty(self._sections) for _ in range(4))
        for section, groups in self._sections.items():
            for group in groups:
                numbers = {} if group is None else dict(self._means(group))
                scores[section].append(_percent(numbers.get("mean_f1")))
                spread[section].append(_percent(numbers.get(SPREAD)) or 0.0)
                lfw[section].append(_percent(numbers.get("lfw")))
                oov[section].append(_percent(numbers.get("oov")))
        f1, right = _add_titles("average F1", scores), _add_titles("OOV rate", oov)
        common: dict[str, Any] = {"x": self._below, "labels": self._places, "right": right, "y_right": "OOV rate [%]"}
        errors = _add_titles("average F1", spread) if self.seeds else None
        title = TITLES[self.kind]
        rare = "Wrong links with rare words"
        return [
            Curves(name=self.kind, title=title, y="average F1 [%]", series=f1, spread=errors, **common),
            Curves(
                name=f"{self.kind}-lfw", title=rare, y="LFW rate [%]", series=_add_titles("LFW rate", lfw), **common
            ),
        ]

    @property
    def _places(self) -> list[str]:
        """The labels of the x axis."""
        places = dict.fromkeys(outcome.factors[CURVES[self.kind]] for outcome in self.outcomes)
        return sorted(places, key=lambda name: (len(name), name))

    @property
    def _sections(self) -> dict[str, list[list[Outcome] | None]]:
        """The groups of each section in the order of the x axis; None for a group that is not finished."""
        axis = CURVES[self.kind]
        sections: dict[str, list[list[Outcome] | None]] = {}
        for section in dict.fromkeys(outcome.section for outcome in self.outcomes):
            own = {group[0].factors[axis]: group for group in self.groups if group[0].section == section}
            sections[section] = [own.get(place) for place in self._places]
        return sections

    @property
    def _below(self) -> str:
        return "\n".join(["documents trained on" if self.kind == "size" else "subset", *self.table().signatures])

    def draw(self, path: str | Path) -> None:
        """Write the curves of scores to an .svg or .png file, and those of LFW rates to a second one (NAME-lfw.svg)."""
        target = Path(path)
        for chart, name in zip(self.charts(), (target.name, f"{target.stem}-lfw{target.suffix}"), strict=True):
            save_as(chart, target.with_name(name))

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from ...analysis.figures import fragment

        return fragment([self.table()], self._drawable())


Numbers = dict[str, list[Any]]


def _empty(sections: Iterable[str]) -> Numbers:
    return {section: [] for section in sections}


def _add_titles(title: str, series: Numbers) -> Numbers:
    """Return the series by their titles in the legend."""
    return {f"{title}, {section}" if section else title: values for section, values in series.items()}


def _mean(values: Sequence[Value]) -> Value:
    """Return the mean of the known values; equal values are returned as they are."""
    known = [value for value in values if isinstance(value, int | float)]
    if not known or len(set(known)) == 1:
        return known[0] if known else None
    mean = fmean(known)
    return round(mean) if all(isinstance(value, int) for value in known) else mean


def _deviation(group: Sequence[Outcome]) -> float | None:
    known = [mean for outcome in group if (mean := outcome.mean("f1")) is not None]
    return stdev(known) if len(known) > 1 else None


def _percent(value: Value) -> float | None:
    return None if value is None else 100 * float(value)
