"""What a report is and what it is made of; `coindex.api` reads the files.

- A report on *datasets* says under which settings it wants each dataset scored (`variants`), and what it wants to know
  besides (`Wanted`). It makes tables of what was found (`Findings`).
- A report on *tracks* is of tasks that are scored each in its own way; systems take part in some of them.
- A report on a *collection* gets the documents, since systems answer differently by the part that they see.

Whoever has results already, such as a campaign, calls `make` with them.

Systems on a collection of documents: what they see of its topics, and what they answer.

A level is what counts as one collection: a subtopic, a topic, or all documents. A system that looks at several
documents together is run for each level, and sees the units of that level as the topics of the documents; so a
subtopic's documents are resolved apart from the rest where the level is `subtopic`, as in the upper half of Table 3 of
Cattan et al. 2021. With predicted topics it sees those instead, at all levels the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from ...document import Document
from ...document.documents import validated_part
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
"""The topic of each document, found by what the documents say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A system on gold or on predicted mentions, and its response at each level that it was made for."""

    system: str
    mentions: MentionSource
    respond: Respond
    levels: tuple[Level, ...] = LEVELS


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentCollection:
    """Documents with topics, the systems that answer, and the levels of interest."""

    key: Sequence[Document]
    whole: Sequence[Document] = ()
    """The same documents with sentences that are context, which resolvers see; the key itself where empty."""
    runs: Sequence[Run] = ()
    levels: tuple[Level, ...] = LEVELS
    topics: Mapping[str, str] | None = None
    """Predicted topics by the id of the document; the key's own, by level, where None."""

    @property
    def has_context(self) -> bool:
        """Whether resolvers see more than is scored."""
        return any(len(one.tokens) > len(other.tokens) for one, other in zip(self.whole, self.key, strict=False))

    def seen(self, level: Level) -> list[Document]:
        """The documents as a system sees them: what counts as one collection is their topic and subtopic."""
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
    """What a chain makes of the key, or of the mentions that another system gave; run as rarely as possible."""
    sees_one = not chain.collects or collection.topics is not None

    @cache
    def resolve(level: Level) -> list[Document]:
        seen = collection.seen(level)
        if source is not None:
            pairs = zip(source(level), seen, strict=True)
            seen = [doc.replace(topic=own.topic, subtopic=own.subtopic) for doc, own in pairs]
        resolved = chain.pipe(seen)
        return [validated_part(doc) for doc in resolved] if collection.whole else list(resolved)

    return lambda level: resolve(collection.levels[0] if sees_one and source is None else level)


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
