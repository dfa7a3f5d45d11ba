"""What a report is and what it is made of; `coindex.api` reads the files.

- A report on *datasets* says under which settings it wants each dataset scored (`variants`), and what it wants to know
  besides (`Wanted`). It makes tables of what was found (`Findings`).
- A report on *tracks* is of tasks that are scored each in its own way; systems take part in some of them.
- A report on a *collection* gets the documents, since systems answer differently by the part that they see.

Whoever has results already, such as a campaign, calls `make` with them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...document import Document
from ...errors import CoindexError, UnknownNameError
from ...scoring import Result, Settings
from ..figures import Chart, Form
from ..statistics import Counts
from ..tables import Table
from .collection import Collection as DocumentCollection


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The tables of a report, and what they are of."""

    name: str
    source: str
    tables: Sequence[Table]
    about: Mapping[str, Any] = field(default_factory=dict)
    charts: Sequence[Chart] = ()
    """What the HTML page shows below the tables."""

    def render(self, form: str = "text", **options: Any) -> str:
        """All tables as text, json, markdown, latex, csv or html."""
        from ..writers import render

        about = {"report": self.name, "source": self.source, **self.about}
        return render(self.tables, form, about=about, charts=self.charts, **options)

    def table(self, name: str) -> Table:
        """The table of that name."""
        found = {table.name: table for table in self.tables}
        if name not in found:
            raise UnknownNameError("table of this report", name, found)
        return found[name]

    def to_frame(self, name: str | None = None) -> Any:
        """A pandas frame of the table of that name, or of the first: its rows, with fractions as they are."""
        from ..writers import to_frame

        return to_frame(self.tables[0] if name is None else self.table(name))

    def save_figures(self, folder: str | os.PathLike[str], form: Form = "svg") -> list[Path]:
        """Draw the charts into files of a folder; an error where the report has none."""
        from ..figures import save

        if not self.charts:
            raise CoindexError(
                f"{self.name}: no figures; expected a report that has some: documents; leave them out",
                code="no-figures",
            )
        return save(self.charts, os.fspath(folder), form)

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from ..page import fragment

        return fragment(self.tables, self.charts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a report wants to know of each response beside its scores; looking costs time."""

    variants: Collection[str] = ()
    """The names of the settings to score by."""
    upos: str | None = None
    """The variant that is to be scored by the tags of heads too, if any."""
    counts: bool = False
    """Whether documents, entities and mentions are counted."""
    facts: bool = False
    """Whether genre and length of documents are looked at."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What is known of a unit of the key, usually a document."""

    id: str | None
    genre: str | None
    words: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found in the response of one system to one dataset."""

    results: Mapping[str, Result]
    """By variant."""
    by_upos: Mapping[str, Result] = field(default_factory=dict)
    counts: Counts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found in all responses, and in the key."""

    systems: Mapping[str, Mapping[str, Found]]
    """By system and dataset."""
    key_counts: Mapping[str, Counts] = field(default_factory=dict)
    """By dataset."""
    facts: Mapping[str, Sequence[DocumentFacts]] = field(default_factory=dict)
    """By dataset: a fact for each unit, in the order of the results' units."""

    @property
    def datasets(self) -> list[str]:
        return list(next(iter(self.systems.values())))

    def in_order(self, systems: Sequence[str]) -> Findings:
        """The same with the systems in another order."""
        return replace(self, systems={name: self.systems[name] for name in systems})


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetReport:
    """Tables of systems scored on one dataset or several."""

    name: str
    summary: str
    source: str
    tables: Mapping[str, str]
    """The names of its tables, each with its number in the paper, if it has one."""
    variants: Mapping[str, Settings]
    want: Callable[[Collection[str]], Wanted]
    """What the chosen tables need."""
    make: Callable[[Findings, Collection[str]], list[Table]]
    """The chosen tables; one that would be empty is left out."""
    draw: Callable[[Findings], list[Chart]] = lambda findings: []


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackReport:
    """Tables of tasks that are scored each in its own way."""

    name: str
    summary: str
    source: str
    tables: Mapping[str, str]
    tracks: Mapping[str, Settings]
    make: Callable[[Mapping[str, Mapping[str, Result]]], list[Table]]
    """The tables of the results by track and system; a track without results has none."""
    said_by: Callable[[Document], str | None] = lambda doc: None
    """The track that a response says it is of, if it is of that one alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionReport:
    """Tables of systems that work on a collection of documents."""

    name: str
    summary: str
    source: str
    tables: Mapping[str, str]
    make: Callable[[DocumentCollection], list[Table]]


AnyReport = DatasetReport | TrackReport | CollectionReport


def choose_tables(report: AnyReport, asked: Sequence[str] | None) -> list[str]:
    """The names of the tables that were asked for, by name or by number; all where nothing was."""
    if not asked:
        return list(report.tables)
    names = {number: name for name, number in report.tables.items() if number}
    chosen = []
    for one in asked:
        name = names.get(one, one)
        if name not in report.tables:
            known = [f"{name} ({number})" if number else name for name, number in report.tables.items()]
            raise UnknownNameError(f"table of {report.name}", one, known)
        chosen.append(name)
    return [name for name in report.tables if name in chosen]
