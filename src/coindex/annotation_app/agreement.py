"""Agreement in a project: by pair, annotator, document and time; and comparison of layers.

Each document goes to some annotators only, so each pair is scored on the documents that both have finished. Every pair
of layers is scored once; all numbers are sums of these counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import combinations
from typing import Literal
from weakref import WeakKeyDictionary

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ..analysis.agreement import agreement_columns, document_tables
from ..analysis.tables import Column, Row, Table, Value
from ..annotation.adjudication import Comparison, compare
from ..annotation.agreement import Disagreement, disagreement, score_pairs, scorer_options
from ..annotation.versions import on_same_words
from ..api.agreement import UNMARKED, Agreement, Pair, alpha_signature
from ..document import Document
from ..document.entities import BY
from ..errors import CoindexError
from ..scoring import Result, Settings, make_settings
from ..scoring.profiles import signature
from ..scoring.result import UnitCounts, package_version
from ..server.caching import RecentCache
from ..server.uploads import quiet
from . import assignments, projects
from .layers import AnnotationStore
from .models import DocumentRow, Layer, OperationRow
from .projects import Origin, Source

KEPT = 8
"""How many comparisons are cached; an adjudicator needs the same one again and again."""
MOST = 9
"""The maximum number of layers side by side: each has a digit on the keyboard."""
_made: WeakKeyDictionary[AnnotationStore, RecentCache[tuple[Source, ...], Comparison]] = WeakKeyDictionary()


def sources_of(layers: Sequence[Layer]) -> tuple[Source, ...]:
    """Return the layers at their current revision, with distinct names."""
    if not 2 <= len(layers) <= MOST:
        raise CoindexError(f"{len(layers)} layers chosen; choose 2 to {MOST} to compare", code="invalid-input")
    names = [layer.name for layer in layers]
    return tuple(
        Source(layer.id, layer.revision, f"{layer.name} ({layer.id})" if names.count(layer.name) > 1 else layer.name)
        for layer in layers
    )


def compare_sources(store: AnnotationStore, sources: Sequence[Source]) -> Comparison:
    """Compare layers at the given revisions."""

    def make() -> Comparison:
        names = [source.name for source in sources]
        docs = [store.layers.document_at(source.layer, source.revision) for source in sources]
        return compare(on_same_words(docs, names), names)

    return _made.setdefault(store, RecentCache(KEPT)).get(tuple(sources), make)


VERSION_KINDS = ("annotation", "merge", "adjudication", "vote")
"""The kinds of layers that are annotations; keys, assessments and suggestions are not."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished layer and when it was finished, as far as known."""

    layer: int
    document: int
    revision: int
    owner: int | None
    name: str
    kind: str
    at: datetime
    origin: Origin | None

    @property
    def source(self) -> Source:
        return Source(self.layer, self.revision, self.name)

    @property
    def is_second_pass(self) -> bool:
        """Whether the layer is a second pass with suggestions; the first pass is another layer."""
        return self.origin is not None and self.origin.method == "second pass"


@dataclass(frozen=True)
class Version:
    """The layers of one name and kind across the documents of a project."""

    kind: str
    name: str
    layers: Mapping[int, Finished] = field(default_factory=dict)
    """By the document's id."""

    @property
    def key(self) -> str:
        """Return the key of the version in forms."""
        return f"{self.kind}:{self.name}"


def find_finished_layers(store: AnnotationStore, project: int) -> list[Finished]:
    """Return every finished layer; layers of returned assignments are not finished."""
    with store.read() as session:
        rows = projects.layers_of_project(session, project)
        given = {row.layer_id: row for row, _, _ in assignments.of_project(session, project)}
        last = _last_steps(session, project)
    table_rows = []
    for layer, _ in rows:
        assignment = given.get(layer.id)
        is_done = layer.is_closed and (assignment is None or assignment.state == "done")
        if is_done and layer.kind in VERSION_KINDS:
            at = assignment.changed if assignment is not None else last.get(layer.id, layer.created)
            table_rows.append(_make_finished(layer, at))
    return table_rows


def _last_steps(session: Session, project: int) -> dict[int, datetime]:
    """Return the time of the last step of each layer."""
    query = (
        select(OperationRow.layer_id, func.max(OperationRow.created))
        .join(Layer, Layer.id == OperationRow.layer_id)
        .join(DocumentRow, DocumentRow.id == Layer.document_id)
        .where(DocumentRow.project_id == project)
        .group_by(OperationRow.layer_id)
    )
    return {row[0]: row[1] for row in session.execute(query)}


def _make_finished(layer: Layer, at: datetime) -> Finished:
    origin = Origin.of(layer)
    return Finished(layer.id, layer.document_id, layer.revision, layer.owner_id, layer.name, layer.kind, at, origin)


def blind_revisions(store: AnnotationStore, project: int) -> dict[int, int]:
    """Return, for layers with a second pass, the last revision before the annotator saw suggestions."""
    counts: dict[int, int] = {}
    with store.read() as session:
        rows = projects.layers_of_project(session, project)
    for layer, _ in rows:
        origin = Origin.of(layer)
        if origin is not None and origin.method == "second pass":
            (first,) = origin.sources
            counts[first.layer] = min(first.revision, counts.get(first.layer, first.revision))
    return counts


def versions(layers: Iterable[Finished]) -> list[Version]:
    """Group layers by kind and name; the newer of two layers of one document counts."""
    grouped: dict[tuple[str, str], dict[int, Finished]] = {}
    for layer in sorted(layers, key=lambda layer: layer.layer):
        grouped.setdefault((layer.kind, layer.name), {})[layer.document] = layer
    order = {kind: number for number, kind in enumerate(VERSION_KINDS)}
    names = sorted(grouped, key=lambda key: (order[key[0]], key[1]))
    return [Version(kind, name, grouped[kind, name]) for kind, name in names]


def common_documents(chosen: Sequence[Version]) -> list[int]:
    """Return the documents that all versions cover, sorted."""
    common = set.intersection(*(set(version.layers) for version in chosen)) if chosen else set()
    if not common:
        names = ", ".join(version.name for version in chosen) or "nobody"
        raise CoindexError(
            f"no document has been finished by all of {names}; choose others or finish a document", code="nothing-given"
        )
    return sorted(common)


def document_of(store: AnnotationStore, layer: Finished) -> Document:
    return store.layers.document_at(layer.layer, layer.revision)


Suggested = Literal["with", "without", "untouched"]
SUGGESTED: dict[Suggested, str] = {
    "with": "with suggestions",
    "without": "without suggestions",
    "untouched": "only layers without suggestions",
}
"""With suggested mentions; without them, first passes only; or only layers that contain no suggestions."""
Period = Literal["day", "week", "month"]
PERIODS: dict[Period, str] = {"day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}
DISTANCE = "passonneau"


@dataclass(frozen=True, slots=True)
class Shared:
    """A document that two annotators have finished: its counts, and when the later one finished."""

    pair: Pair
    document: int
    at: datetime
    unit: UnitCounts
    apart: Mapping[str, Disagreement]


@dataclass(frozen=True)
class TeamAgreement:
    """The agreement of a project for one treatment of suggestions; `whole` is None if no two share a document."""

    suggested: Suggested
    whole: Agreement | None
    documents: Mapping[int, Agreement] = field(default_factory=dict)
    periods: Mapping[str, Agreement] = field(default_factory=dict)
    counts: Mapping[Pair, int] = field(default_factory=dict)
    """How many documents each pair of annotators shares."""


Counted = tuple[UnitCounts | None, Mapping[str, Disagreement]]
MOST_COUNTED = 20_000
"""How many counts are kept for each store, about 5 kB each: those of 2,500 documents of three annotators, with and
without suggestions."""
_counted: WeakKeyDictionary[AnnotationStore, RecentCache[object, Counted]] = WeakKeyDictionary()
_flagged: WeakKeyDictionary[AnnotationStore, RecentCache[object, bool]] = WeakKeyDictionary()
"""Counts by layers and their revisions. A layer at a revision never changes, so they are never out of date."""


def team_agreement(
    store: AnnotationStore, project: int, *, suggested: Suggested = "with", period: Period = "week"
) -> TeamAgreement:
    """Return the agreement over the finished annotations of a project."""
    settings = make_settings(**scorer_options({}))
    work = _Work(store, settings, suggested)
    layers = find_finished_layers(store, project)
    if suggested != "with":
        blind = blind_revisions(store, project)
        layers = [replace(layer, revision=blind.get(layer.layer, layer.revision)) for layer in layers]
    by_document = work.layers_by_document(layers)
    shared = [each for document, layers in by_document.items() for each in work.compare_pairs(document, layers)]
    if not shared:
        return TeamAgreement(suggested, None)
    groups = {document: work.group(layers) for document, layers in by_document.items() if len(layers) > 1}

    def over(chosen: Iterable[Shared]) -> Agreement:
        """Return the agreement over the documents of some pairs; alpha is over all annotators of each document."""
        names = list(chosen)
        pooled = _add(groups[document] for document in {each.document for each in names})
        return work.agreement(names, pooled)

    form = PERIODS[period]
    stamps = sorted({each.at.strftime(form) for each in shared})
    pairs = {each.pair for each in shared}
    return TeamAgreement(
        suggested,
        over(shared),
        {document: over(each for each in shared if each.document == document) for document in groups},
        {stamp: over(each for each in shared if each.at.strftime(form) == stamp) for stamp in stamps},
        {pair: sum(each.pair == pair for each in shared) for pair in pairs},
    )


class _Work:
    """Cached counts for one treatment of suggestions."""

    def __init__(self, store: AnnotationStore, settings: Settings, suggested: Suggested) -> None:
        self.store, self.settings, self.suggested = store, settings, suggested
        self._cache = _counted.setdefault(store, RecentCache(MOST_COUNTED))
        self._flags = _flagged.setdefault(store, RecentCache(MOST_COUNTED))

    def layers_by_document(self, layers: Iterable[Finished]) -> dict[int, dict[str, Finished]]:
        """Return the layer of each annotator by document: the second pass, if it exists and suggestions count."""
        finished_by_document: dict[int, dict[str, Finished]] = {}
        for layer in sorted(layers, key=lambda layer: layer.layer):
            if layer.kind != "annotation" or (layer.is_second_pass and self.suggested != "with"):
                continue
            if self.suggested == "untouched" and self._has_suggestions(layer):
                continue
            name = layer.origin.sources[0].name if layer.origin and layer.is_second_pass else layer.name
            finished_by_document.setdefault(layer.document, {})[name] = layer
        return finished_by_document

    def _has_suggestions(self, layer: Finished) -> bool:
        def look() -> bool:
            return any(BY in mention.attributes for mention, _ in document_of(self.store, layer).mentions())

        return self._flags.get((layer.layer, layer.revision), look)

    def compare_pairs(self, document: int, layers: Mapping[str, Finished]) -> Iterable[Shared]:
        for (first, mine), (other, theirs) in combinations(sorted(layers.items()), 2):
            unit, apart = self._count_with_cache([mine, theirs], self._score)
            assert unit is not None
            yield Shared((first, other), document, max(mine.at, theirs.at), unit, apart)

    def group(self, layers: Mapping[str, Finished]) -> Mapping[str, Disagreement]:
        """Return the disagreement of all annotators of a document."""
        return self._count_with_cache([layer for _, layer in sorted(layers.items())], self._disagree)[1]

    def _count_with_cache(self, layers: Sequence[Finished], count: Callable[[Sequence[Document]], Counted]) -> Counted:
        key = (count.__name__, self.suggested == "without", *((layer.layer, layer.revision) for layer in layers))

        def make() -> Counted:
            docs = on_same_words([document_of(self.store, layer) for layer in layers], [each.name for each in layers])
            return count(remove_suggested(docs) if self.suggested == "without" else docs)

        return self._cache.get(key, make)

    def _score(self, docs: Sequence[Document]) -> Counted:
        with quiet():
            (result,) = score_pairs({"one": [docs[0]], "other": [docs[1]]}, self.settings).values()
        return result.units[0], self._disagree(docs)[1]

    def _disagree(self, docs: Sequence[Document]) -> Counted:
        return None, {how: disagreement(docs, unmarked=how) for how in UNMARKED}

    def agreement(self, shared: Sequence[Shared], pooled: Mapping[str, Disagreement]) -> Agreement:
        pairs = sorted({each.pair for each in shared})
        of_pair = {pair: [each for each in shared if each.pair == pair] for pair in pairs}
        apart = {pair: _add(each.apart for each in compared) for pair, compared in of_pair.items()}
        more = () if self.suggested == "with" else (f"suggestions:{'no' if self.suggested == 'without' else 'never'}",)
        return Agreement(
            names=tuple(sorted({name for pair in pairs for name in pair})),
            scores={
                pair: Result.of(self.settings, [each.unit for each in compared]) for pair, compared in of_pair.items()
            },
            alphas={pair: {how: disagreements[how].alpha for how in UNMARKED} for pair, disagreements in apart.items()},
            alpha={how: pooled[how].alpha for how in UNMARKED},
            signature=signature(self.settings, package_version(), *more),
            alpha_signatures={how: alpha_signature(self.settings, DISTANCE, how, *more) for how in UNMARKED},
        )


def _add(many: Iterable[Mapping[str, Disagreement]]) -> dict[str, Disagreement]:
    total = {how: Disagreement() for how in UNMARKED}
    for each in many:
        for how in UNMARKED:
            total[how] += each[how]
    return {str(how): summed for how, summed in total.items()}


def remove_suggested(docs: Sequence[Document]) -> list[Document]:
    """Return the versions without the mentions that a program suggested in any of them.

    Such a mention is removed from all versions; otherwise those who marked it without help would seem to disagree.
    """
    gone = {mention.positions for doc in docs for mention, _ in doc.mentions() if BY in mention.attributes}
    return [_without(doc, gone) for doc in docs]


def _without(doc: Document, gone: set[tuple[int, ...]]) -> Document:
    entities = []
    for entity in doc.entities:
        kept = tuple(mention for mention in entity.mentions if mention.positions not in gone)
        if kept:
            entities.append(replace(entity, mentions=kept))
    return doc.replace(entities=tuple(entities), bridges=(), split_antecedents=())


DOCUMENTS = Column("documents", "documents", "number")


def tables(agreement: TeamAgreement, names: Mapping[int, str]) -> list[Table]:
    """Return the tables of pairs, annotators, documents and periods; `names` are those of the documents."""
    if agreement.whole is None:
        return []
    whole = agreement.whole
    columns = agreement_columns(whole)
    pairs = [
        Row(
            label=f"{first} – {other}",
            values=[agreement.counts[first, other], *_of(whole.values((first, other)), columns)],
        )
        for first, other in whole.scores
    ]
    everything = [len(agreement.documents), *_of(_overall(whole), columns)]
    pairs.append(Row(label="all", values=everything, is_summary=True))
    annotators = [Row(label=name, values=_of(whole.means(name), columns)) for name in whole.names]
    documents = {names[document]: _overall(each) for document, each in agreement.documents.items()}
    plain = list(columns.values())
    return [
        _table("pairs", "Pairs of annotators", [DOCUMENTS, *plain], pairs, "annotators", REMARKS),
        _table("annotators", "Annotators: mean over the others", plain, annotators, "annotator"),
        *document_tables(documents, columns),
        _table("periods", "Over time", plain, _rows(agreement.periods.items(), columns), "finished"),
    ]


REMARKS = [
    "F1 of two annotators on the documents that both have finished; all: the mean over the pairs.",
    "α is Krippendorff's alpha; a mention that not all annotators marked counts as a disagreement. α links leaves such "
    "mentions out. The last row gives α over all annotators of each document.",
]


def course(agreement: TeamAgreement, name: str = "conll") -> list[tuple[str, float]]:
    """Return one number over time."""
    values = ((stamp, _overall(each).get(name)) for stamp, each in agreement.periods.items())
    return [(stamp, value) for stamp, value in values if value is not None]


def _overall(agreement: Agreement) -> dict[str, float | None]:
    return {**agreement.means(), "alpha": agreement.alpha["null"], "alpha_missing": agreement.alpha["missing"]}


def _of(values: Mapping[str, float | None], columns: Mapping[str, Column]) -> list[Value]:
    return [values.get(name) for name in columns]


def _rows(agreements: Iterable[tuple[str, Agreement]], columns: Mapping[str, Column]) -> list[Row]:
    return [Row(label=label, values=_of(_overall(each), columns)) for label, each in agreements]


def _table(
    name: str, title: str, columns: Sequence[Column], rows: Sequence[Row], stub: str, remarks: Sequence[str] = ()
) -> Table:
    return Table(name=name, title=title, columns=columns, rows=rows, stub=stub, remarks=remarks)
