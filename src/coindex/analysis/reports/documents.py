"""The distribution of scores over documents: by system, hardest documents, by genre, and agreement of systems.

Each document is scored separately. A document whose key has nothing to score is omitted from all tables except that of
genres, which sums the counts of documents.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from ...document.naming import count
from ...errors import CoindexError, UnknownNameError
from ...scoring import Result, Settings, make_settings
from ...scoring.profiles import CONLL, signature
from ...scoring.result import UnitCounts, mean_conll, package_version
from ..figures import Boxes, Chart
from ..statistics.tables import Spread, rank_correlation
from ..tables import Column, Row, Table, Value, title_of
from .base import DatasetReport, ReportData, Wanted

VARIANT = "score"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredDocument:
    """A document of the key with the scores of systems."""

    dataset: str
    name: str
    genre: str | None
    words: int
    units: Mapping[str, UnitCounts]
    """By system."""
    scores: Mapping[str, float]
    """By system; empty if the key has nothing to score."""

    @property
    def mean(self) -> float:
        """The mean over systems; the lower, the harder is the document."""
        return statistics.fmean(self.scores.values())


@dataclass(frozen=True, slots=True)
class Measure:
    """The score of documents: the F1 of a metric, or the CoNLL score."""

    settings: Settings
    metric: str

    @classmethod
    def of(cls, settings: Settings, metric: str | None) -> Measure:
        """Return the measure of a metric; by default CoNLL if the profile includes it, otherwise its first metric."""
        known = (*settings.metrics, *(["conll"] if set(CONLL) <= set(settings.metrics) else []))
        chosen = metric or ("conll" if "conll" in known else settings.metrics[0])
        if chosen not in known:
            raise UnknownNameError(f"metric of {settings.profile}", chosen, known)
        needed = CONLL if chosen == "conll" else (chosen,)
        return cls(replace(settings, metrics=needed), chosen)

    def score(self, units: Sequence[UnitCounts]) -> float:
        """Return the score of documents together."""
        result = Result.of(self.settings, units)
        value = mean_conll(result.scores) if self.metric == "conll" else result[self.metric].f1
        assert value is not None, "the settings include its metrics"
        return value

    def has_key(self, unit: UnitCounts) -> bool:
        """Return whether the key has anything to score."""
        name = "b3" if self.metric == "conll" else self.metric
        return any(unit.counts[name].values[1::4])

    def signature(self, *more: str) -> str:
        """Return how a score was computed; `more` describes what was done to it afterwards."""
        return signature(self.settings, package_version(), *more)


def collect_documents(data: ReportData, measure: Measure) -> list[ScoredDocument]:
    """Return the documents of all datasets with their scores."""
    documents = []
    for dataset in data.datasets:
        results = {system: by[dataset].results[VARIANT] for system, by in data.systems.items()}
        first = next(iter(results.values()))
        rows = zip(*(result.units for result in results.values()), strict=True)
        for name, facts, row in zip(first.by_document(), data.facts[dataset], rows, strict=True):
            units = dict(zip(results, row, strict=True))
            scores = {}
            if measure.has_key(row[0]):
                scores = {system: measure.score([unit]) for system, unit in units.items()}
            documents.append(
                ScoredDocument(
                    dataset=dataset, name=name, genre=facts.genre, words=facts.words, units=units, scores=scores
                )
            )
    return documents


TOP = 10
NO_GENRE = "(none)"
TABLES = {"spread": "", "hardest": "", "genres": "", "agreement": ""}
SPREAD = {
    "mean": "mean",
    "sd": "sd",
    "least": "min",
    "first_quartile": "25%",
    "median": "median",
    "third_quartile": "75%",
    "most": "max",
}


def document_report(profile: str | None = None, metric: str | None = None, top: int | None = None) -> DatasetReport:
    """Return the report for a profile and one of its metrics.

    Parameters:
        profile: The name of a profile; by default crac24.
        metric: A metric of the profile, or "conll"; by default CoNLL if the profile includes it.
        top: The number of hardest documents to list (default: 10); 0 for all.
    """
    measure = Measure.of(make_settings(profile), metric)
    number = TOP if top is None else top
    if number < 0:
        raise CoindexError(
            f"invalid number of documents: {number}; expected a positive number, or 0 for all", code="invalid-option"
        )

    def make(data: ReportData, tables: Collection[str]) -> list[Table]:
        return make_tables(collect_documents(data, measure), measure, tables, top=number)

    def draw(data: ReportData) -> list[Chart]:
        return [draw_spread(collect_documents(data, measure), measure)]

    return DatasetReport(
        name="documents",
        summary="distribution of scores over documents, hardest documents, genres, and agreement of systems",
        source="scores by document",
        tables=TABLES,
        variants={VARIANT: measure.settings},
        want=lambda tables: Wanted(variants=[VARIANT], facts=True),
        make=make,
        draw=draw,
    )


def make_tables(
    documents: Sequence[ScoredDocument], measure: Measure, tables: Collection[str], *, top: int = TOP
) -> list[Table]:
    """Return the chosen tables; genres and agreement are omitted if there are no genres or not several systems."""
    scored, systems = _select_scored(documents)
    several = len({doc.dataset for doc in documents}) > 1
    makers: dict[str, Callable[[], list[Table]]] = {
        "spread": lambda: [_make_spread(documents, scored, systems, measure)],
        "hardest": lambda: [_make_hardest(scored, systems, measure, top, with_dataset=several)],
        "genres": lambda: _make_genres(documents, systems, measure, with_dataset=several),
        "agreement": lambda: _make_agreement(scored, systems, measure),
    }
    return [table for name, maker in makers.items() if name in tables for table in maker()]


def draw_spread(documents: Sequence[ScoredDocument], measure: Measure) -> Chart:
    """Return the table `spread` as a box plot in percent."""
    scored, systems = _select_scored(documents)
    series = {system: [100 * doc.scores[system] for doc in scored] for system in systems}
    title = f"{title_of(measure.metric)} over {count(len(scored), 'document')}"
    return Boxes(name="spread", title=title, y=f"{title_of(measure.metric)} of a document [%]", series=series)


def _select_scored(documents: Sequence[ScoredDocument]) -> tuple[list[ScoredDocument], list[str]]:
    """Return the documents that have scores, and the systems, the best first."""
    scored = [doc for doc in documents if doc.scores]
    if not scored:
        raise CoindexError(
            f"none of the {len(documents)} documents of the key has an entity to score; "
            "choose another key, profile or metric",
            code="no-entities",
        )
    means = {system: statistics.fmean(doc.scores[system] for doc in scored) for system in scored[0].scores}
    return scored, sorted(means, key=lambda system: (-means[system], system))


def _make_spread(
    documents: Sequence[ScoredDocument], scored: Sequence[ScoredDocument], systems: Sequence[str], measure: Measure
) -> Table:
    """Return the table of scores over all documents and of the spread of the scores of documents."""
    title = title_of(measure.metric)
    over = measure.signature(f"docs:{len(scored)}")
    columns = [Column("together", title, best=True, group="corpus", signature=measure.signature())]
    columns += [Column(name, short, group="by document", signature=over) for name, short in SPREAD.items()]
    rows = []
    for system in systems:
        spread = asdict(Spread.of([doc.scores[system] for doc in scored]))
        values: list[Value] = [measure.score([doc.units[system] for doc in documents])]
        values += [spread[name] for name in SPREAD]
        rows.append(Row(label=system, values=values, keys={"system": system}))
    left = len(documents) - len(scored)
    remarks = [f"{count(left, 'document')} without an entity to score {'is' if left == 1 else 'are'} omitted."]
    return Table(
        name="spread",
        title=f"{title} over {count(len(scored), 'document')}",
        columns=columns,
        rows=rows,
        stub="system",
        remarks=remarks if left else [],
    )


def _make_hardest(
    scored: Sequence[ScoredDocument], systems: Sequence[str], measure: Measure, top: int, *, with_dataset: bool
) -> Table:
    """Return the table of the documents with the lowest mean score."""
    over = measure.signature(f"systems:{len(systems)}")
    columns = [
        Column("genre", "genre", "name"),
        Column("words", "words", "number"),
        Column("mean", "mean", signature=over),
        Column("sd", "sd", signature=over),
        *(Column(system, system, group=title_of(measure.metric), signature=measure.signature()) for system in systems),
    ]
    order = sorted(scored, key=lambda doc: (doc.mean, doc.dataset, doc.name))
    rows = []
    for doc in order[: top or None]:
        scores = [doc.scores[system] for system in systems]
        spread = Spread.of(scores)
        label = f"{doc.dataset}/{doc.name}" if with_dataset else doc.name
        keys = {"dataset": doc.dataset, "document": doc.name}
        values: list[Value] = [doc.genre, doc.words, spread.mean, spread.sd, *scores]
        rows.append(Row(label=label, values=values, keys=keys))
    which = "hardest" if len(rows) == 1 else f"{len(rows)} hardest"
    title = f"The {which} of {len(scored)} documents" if len(rows) < len(scored) else "Documents, hardest first"
    return Table(name="hardest", title=title, columns=columns, rows=rows, stub="document")


def _make_genres(
    documents: Sequence[ScoredDocument], systems: Sequence[str], measure: Measure, *, with_dataset: bool
) -> list[Table]:
    """Return the table of scores by genre; no table if no document has a genre."""
    if not any(doc.genre for doc in documents):
        return []
    groups: dict[tuple[str, str], list[ScoredDocument]] = {}
    for doc in sorted(documents, key=lambda doc: (doc.dataset, doc.genre is None, doc.genre or "")):
        groups.setdefault((doc.dataset if with_dataset else "", doc.genre or NO_GENRE), []).append(doc)
    columns = [Column("documents", "documents", "number"), Column("words", "words", "number")]
    columns += [
        Column(system, system, group=title_of(measure.metric), signature=measure.signature()) for system in systems
    ]

    def row(label: str, docs: Sequence[ScoredDocument], section: str = "", *, is_summary: bool = False) -> Row:
        scores = [measure.score([doc.units[system] for doc in docs]) for system in systems]
        values: list[Value] = [len(docs), sum(doc.words for doc in docs), *scores]
        keys = {"dataset": section, "genre": label} if with_dataset else {"genre": label}
        return Row(label=label, values=values, section=section, keys=keys, is_summary=is_summary)

    rows = [row(genre, docs, dataset) for (dataset, genre), docs in groups.items()]
    rows.append(row("all", documents, is_summary=True))
    return [Table(name="genres", title="Scores by genre", columns=columns, rows=rows, stub="genre")]


def _make_agreement(scored: Sequence[ScoredDocument], systems: Sequence[str], measure: Measure) -> list[Table]:
    """Return the table of rank correlations between systems; no table for one system or one document."""
    if len(systems) < 2 or len(scored) < 2:
        return []
    over = measure.signature(f"docs:{len(scored)}", "corr:spearman")
    columns = [Column(system, system, "number", decimals=2, signature=over) for system in systems]
    numbers = {system: [doc.scores[system] for doc in scored] for system in systems}
    rows = []
    for system in systems:
        values = [rank_correlation(numbers[system], numbers[other]) for other in systems]
        rows.append(Row(label=system, values=values, keys={"system": system}))
    title = "Rank correlation of document scores"
    return [Table(name="agreement", title=title, columns=columns, rows=rows, stub="system")]


REPORT = document_report()
