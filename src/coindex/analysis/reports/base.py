"""The kinds of reports and their input data; `coindex.api` reads the files.

- A report on *datasets* specifies the settings by which each dataset is scored (`variants`) and the other data that it
  needs (`Wanted`). It makes tables from the collected data (`ReportData`).
- A report on *tracks* covers tasks that are scored with different settings; systems take part in some of them.
- A report on a *collection* gets the documents, because the responses of a system depend on the part that it sees.

Code that already has results, such as a campaign, calls `make` directly.

A level is what counts as one collection: a subtopic, a topic, or all documents. A system that resolves several
documents together is run for each level and sees the units of that level as the topics of the documents. At the level
`subtopic` the documents of a subtopic are therefore resolved separately from the rest, as in the upper half of Table 3
of Cattan et al. 2021. With predicted topics a system sees these at all levels.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from ...document import Document
from ...document.documents import keep_validated
from ...errors import CoindexError, UnknownNameError
from ...resolvers.chain import Chain
from ...scoring import Result, Settings
from ..figures import Chart, Form
from ..statistics import Counts
from ..tables import Table

Level = Literal["subtopic", "topic", "corpus"]
LEVELS: tuple[Level, ...] = ("subtopic", "topic", "corpus")
MentionSource = Literal["gold", "predicted"]
MENTION_SOURCES: tuple[MentionSource, ...] = ("gold", "predicted")
Respond = Callable[[Level], Sequence[Document]]
Predict = Callable[[Sequence[Document]], Sequence[str]]
"""Returns the topic of each document, predicted from its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A system on gold or predicted mentions, with its response at each level."""

    system: str
    mentions: MentionSource
    respond: Respond
    levels: tuple[Level, ...] = LEVELS


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentCollection:
    """Documents with topics, the runs of systems on them, and the levels to report."""

    key: Sequence[Document]
    whole: Sequence[Document] = ()
    """The same documents with unannotated context sentences, as resolvers see them; if empty, those of the key."""
    runs: Sequence[Run] = ()
    levels: tuple[Level, ...] = LEVELS
    topics: Mapping[str, str] | None = None
    """Predicted topics by the id of the document; None for the topics of the key by level."""

    @property
    def has_context(self) -> bool:
        """Whether resolvers see more sentences than are scored."""
        return any(len(whole.tokens) > len(doc.tokens) for whole, doc in zip(self.whole, self.key, strict=False))

    def make_inputs(self, level: Level) -> list[Document]:
        """Return the documents as a system sees them, with the units of the level as topics and subtopics."""
        docs = self.whole or self.key
        names = [self._name(doc, level) for doc in docs]
        return [doc.replace(topic=name, subtopic=name) for doc, name in zip(docs, names, strict=True)]

    def _name(self, doc: Document, level: Level) -> str | None:
        if self.topics is not None:
            return self.topics.get(doc.id or "")
        if level == "corpus":
            return "corpus"
        names = [doc.topic, doc.subtopic if level == "subtopic" else None]
        return "/".join(name for name in names if name is not None) or None


def chain_responses(chain: Chain, collection: DocumentCollection, source: Respond | None = None) -> Respond:
    """Return the responses of a chain of resolvers to the key, or to the mentions of another system, with a cache."""
    sees_one = not chain.collects or collection.topics is not None

    @cache
    def resolve(level: Level) -> list[Document]:
        seen = collection.make_inputs(level)
        if source is not None:
            pairs = zip(source(level), seen, strict=True)
            seen = [doc.replace(topic=own.topic, subtopic=own.subtopic) for doc, own in pairs]
        resolved = chain.pipe(seen)
        return [keep_validated(doc) for doc in resolved] if collection.whole else list(resolved)

    return lambda level: resolve(collection.levels[0] if sees_one and source is None else level)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The tables of a report, with its name and source."""

    name: str
    source: str
    tables: Sequence[Table]
    about: Mapping[str, Any] = field(default_factory=dict)
    charts: Sequence[Chart] = ()
    """The charts on the HTML page, below the tables."""

    def render(self, form: str = "text", **options: Any) -> str:
        """Return all tables as text, json, markdown, latex, csv or html."""
        from ..writers import render

        about = {"report": self.name, "source": self.source, **self.about}
        return render(self.tables, form, about=about, charts=self.charts, **options)

    def table(self, name: str) -> Table:
        """Return the table of that name."""
        tables = {table.name: table for table in self.tables}
        if name not in tables:
            raise UnknownNameError("table of this report", name, tables)
        return tables[name]

    def to_frame(self, name: str | None = None) -> Any:
        """Return a table as a pandas data frame, with fractions that are not rounded; by default the first table."""
        from ..writers import to_frame

        return to_frame(self.tables[0] if name is None else self.table(name))

    def save_figures(self, folder: str | os.PathLike[str], form: Form = "svg") -> list[Path]:
        """Write the charts to files in a folder and return their paths; raise an error if the report has none."""
        from ..figures import save

        if not self.charts:
            raise CoindexError(
                f"the report {self.name} has no figures; use the report documents, or omit the figures",
                code="no-figures",
            )
        return save(self.charts, os.fspath(folder), form)

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from ..figures import fragment

        return fragment(self.tables, self.charts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The data that a report needs for each response, so that nothing else is computed."""

    variants: Collection[str] = ()
    """The names of the settings to score with."""
    upos: str | None = None
    """The variant that is also scored by the tags of heads, if any."""
    counts: bool = False
    """Whether documents, entities and mentions are counted."""
    facts: bool = False
    """Whether genre and length of documents are collected."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """Properties of a unit of the key, usually a document."""

    id: str | None
    genre: str | None
    words: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemData:
    """The data about the response of one system to one dataset."""

    results: Mapping[str, Result]
    """By variant."""
    by_upos: Mapping[str, Result] = field(default_factory=dict)
    counts: Counts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """The data about all responses and the key."""

    systems: Mapping[str, Mapping[str, SystemData]]
    """By system and dataset."""
    key_counts: Mapping[str, Counts] = field(default_factory=dict)
    """By dataset."""
    facts: Mapping[str, Sequence[DocumentFacts]] = field(default_factory=dict)
    """By dataset: the properties of each unit, in the order of the units of the results."""

    @property
    def datasets(self) -> list[str]:
        """The names of the datasets."""
        return list(next(iter(self.systems.values())))

    def in_order(self, systems: Sequence[str]) -> ReportData:
        """Return the same data with the systems in another order."""
        return replace(self, systems={name: self.systems[name] for name in systems})


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetReport:
    """A report on systems that are scored on one or more datasets."""

    name: str
    summary: str
    source: str
    tables: Mapping[str, str]
    """The names of the tables with their numbers in the paper, if they have one."""
    variants: Mapping[str, Settings]
    want: Callable[[Collection[str]], Wanted]
    """Returns the data that the chosen tables need."""
    make: Callable[[ReportData, Collection[str]], list[Table]]
    """Returns the chosen tables, without empty ones."""
    draw: Callable[[ReportData], list[Chart]] = lambda data: []


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackReport:
    """A report on tasks that are scored with different settings."""

    name: str
    summary: str
    source: str
    tables: Mapping[str, str]
    tracks: Mapping[str, Settings]
    make: Callable[[Mapping[str, Mapping[str, Result]]], list[Table]]
    """Returns the tables of the results by track and system; a track without results has none."""
    find_track: Callable[[Document], str | None] = lambda doc: None
    """Returns the track of a response if it is for a single track."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionReport:
    """A report on systems that resolve a collection of documents."""

    name: str
    summary: str
    source: str
    tables: Mapping[str, str]
    make: Callable[[DocumentCollection], list[Table]]


AnyReport = DatasetReport | TrackReport | CollectionReport


def choose_tables(report: AnyReport, requested: Sequence[str] | None) -> list[str]:
    """Return the names of the requested tables, given by name or number; all tables if nothing is requested."""
    if not requested:
        return list(report.tables)
    names = {number: name for name, number in report.tables.items() if number}
    chosen = []
    for request in requested:
        name = names.get(request, request)
        if name not in report.tables:
            known = [f"{name} ({number})" if number else name for name, number in report.tables.items()]
            raise UnknownNameError(f"table of {report.name}", request, known)
        chosen.append(name)
    return [name for name in report.tables if name in chosen]
