"""Agreement in a project: pairs, annotators, documents, and over time.

Each document goes to some annotators only, so every two of them are scored on the documents that both have finished.
A document of two annotators is scored once; all numbers are sums of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import combinations
from typing import Literal
from weakref import WeakKeyDictionary

from ..analysis.agreement import agreement_columns, document_tables
from ..analysis.tables import Column, Row, Table, Value
from ..annotation.agreement import Disagreement, disagreement, score_pairs, scorer_options
from ..annotation.versions import on_same_words
from ..api.agreement import UNMARKED, Agreement, Pair, alpha_signature
from ..document import Document
from ..document.entities import BY
from ..scoring import Result, Settings, make_settings
from ..scoring.profiles import signature
from ..scoring.result import UnitCounts, package_version
from ..server.caching import RecentCache
from ..server.uploads import quiet
from .finished_layers import Finished, blind_revisions, document_of, finished_layers
from .layers import AnnotationStore

Suggested = Literal["with", "without", "untouched"]
SUGGESTED: dict[Suggested, str] = {
    "with": "with suggestions",
    "without": "without suggestions",
    "untouched": "layers without any suggestion",
}
"""With what programs suggested; without it, in first passes alone; or only layers in which there is none at all."""
Period = Literal["day", "week", "month"]
PERIODS: dict[Period, str] = {"day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}
DISTANCE = "passonneau"


@dataclass(frozen=True, slots=True)
class Shared:
    """A document that two annotators have finished: what was counted, and when the later one was done."""

    pair: Pair
    document: int
    at: datetime
    unit: UnitCounts
    apart: Mapping[str, Disagreement]


@dataclass(frozen=True)
class TeamAgreement:
    """The agreement of a project in one way to look at suggestions; `whole` is None where no two share a document."""

    suggested: Suggested
    whole: Agreement | None
    documents: Mapping[int, Agreement] = field(default_factory=dict)
    periods: Mapping[str, Agreement] = field(default_factory=dict)
    counts: Mapping[Pair, int] = field(default_factory=dict)
    """How many documents two annotators have in common."""


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
    """The agreement over the finished annotations of a project."""
    settings = make_settings(**scorer_options({}))
    work = _Work(store, settings, suggested)
    layers = finished_layers(store, project)
    if suggested != "with":
        blind = blind_revisions(store, project)
        layers = [replace(layer, revision=blind.get(layer.layer, layer.revision)) for layer in layers]
    by_document = work.layers_by_document(layers)
    shared = [each for document, layers in by_document.items() for each in work.shared(document, layers)]
    if not shared:
        return TeamAgreement(suggested, None)
    groups = {document: work.group(layers) for document, layers in by_document.items() if len(layers) > 1}

    def over(chosen: Iterable[Shared]) -> Agreement:
        """What the documents of some pairs say together; alpha is over all annotators of each document."""
        found = list(chosen)
        pooled = _add(groups[document] for document in {each.document for each in found})
        return work.agreement(found, pooled)

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
    """Counting in one way to look at suggestions."""

    def __init__(self, store: AnnotationStore, settings: Settings, suggested: Suggested) -> None:
        self.store, self.settings, self.suggested = store, settings, suggested
        self._cache = _counted.setdefault(store, RecentCache(MOST_COUNTED))
        self._flags = _flagged.setdefault(store, RecentCache(MOST_COUNTED))

    def layers_by_document(self, layers: Iterable[Finished]) -> dict[int, dict[str, Finished]]:
        """For each document the layer of each annotator: the second pass, if there is one and suggestions count."""
        found: dict[int, dict[str, Finished]] = {}
        for layer in sorted(layers, key=lambda layer: layer.layer):
            if layer.kind != "annotation" or (layer.is_second_pass and self.suggested != "with"):
                continue
            if self.suggested == "untouched" and self._has_suggestions(layer):
                continue
            name = layer.origin.sources[0].name if layer.origin and layer.is_second_pass else layer.name
            found.setdefault(layer.document, {})[name] = layer
        return found

    def _has_suggestions(self, layer: Finished) -> bool:
        def look() -> bool:
            return any(BY in mention.attributes for mention, _ in document_of(self.store, layer).mentions())

        return self._flags.get((layer.layer, layer.revision), look)

    def shared(self, document: int, layers: Mapping[str, Finished]) -> Iterable[Shared]:
        for (one, mine), (other, theirs) in combinations(sorted(layers.items()), 2):
            unit, apart = self._kept([mine, theirs], self._score)
            assert unit is not None
            yield Shared((one, other), document, max(mine.at, theirs.at), unit, apart)

    def group(self, layers: Mapping[str, Finished]) -> Mapping[str, Disagreement]:
        """How far all annotators of a document disagree."""
        return self._kept([layer for _, layer in sorted(layers.items())], self._disagree)[1]

    def _kept(self, layers: Sequence[Finished], count: Callable[[Sequence[Document]], Counted]) -> Counted:
        key = (count.__name__, self.suggested == "without", *((layer.layer, layer.revision) for layer in layers))

        def make() -> Counted:
            docs = on_same_words([document_of(self.store, layer) for layer in layers], [each.name for each in layers])
            return count(without_suggested(docs) if self.suggested == "without" else docs)

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
        apart = {pair: _add(each.apart for each in found) for pair, found in of_pair.items()}
        more = () if self.suggested == "with" else (f"suggestions:{'no' if self.suggested == 'without' else 'never'}",)
        return Agreement(
            names=tuple(sorted({name for pair in pairs for name in pair})),
            scores={pair: Result.of(self.settings, [each.unit for each in found]) for pair, found in of_pair.items()},
            alphas={pair: {how: found[how].alpha for how in UNMARKED} for pair, found in apart.items()},
            alpha={how: pooled[how].alpha for how in UNMARKED},
            signature=signature(self.settings, package_version(), *more),
            alpha_signatures={how: alpha_signature(self.settings, DISTANCE, how, *more) for how in UNMARKED},
        )


def _add(many: Iterable[Mapping[str, Disagreement]]) -> dict[str, Disagreement]:
    total = {how: Disagreement() for how in UNMARKED}
    for each in many:
        for how in UNMARKED:
            total[how] += each[how]
    return {str(how): found for how, found in total.items()}


def without_suggested(docs: Sequence[Document]) -> list[Document]:
    """The versions without the mentions that a program suggested in any of them.

    Such a mention goes from all versions: else whoever marked it without help would seem to disagree.
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


def tables(found: TeamAgreement, names: Mapping[int, str]) -> list[Table]:
    """Pairs, annotators, documents and periods; `names` are those of the documents."""
    if found.whole is None:
        return []
    whole = found.whole
    columns = agreement_columns(whole)
    pairs = [
        Row(label=f"{one} – {other}", values=[found.counts[one, other], *_of(whole.values((one, other)), columns)])
        for one, other in whole.scores
    ]
    everything = [len(found.documents), *_of(_overall(whole), columns)]
    pairs.append(Row(label="all", values=everything, is_summary=True))
    annotators = [Row(label=name, values=_of(whole.means(name), columns)) for name in whole.names]
    documents = {names[document]: _overall(each) for document, each in found.documents.items()}
    plain = list(columns.values())
    return [
        _table("pairs", "Pairs of annotators", [DOCUMENTS, *plain], pairs, "annotators", REMARKS),
        _table("annotators", "Each annotator: mean over the others", plain, annotators, "annotator"),
        *document_tables(documents, columns),
        _table("periods", "Over time", plain, _rows(found.periods.items(), columns), "finished"),
    ]


REMARKS = [
    "F1 of two annotators over the documents that both have finished; all: the mean of the pairs.",
    "α is Krippendorff's, with mentions that not all marked as a disagreement; α links leaves these out. In the last "
    "row it is that of all annotators of each document together.",
]


def course(found: TeamAgreement, name: str = "conll") -> list[tuple[str, float]]:
    """One number over time."""
    values = ((stamp, _overall(each).get(name)) for stamp, each in found.periods.items())
    return [(stamp, value) for stamp, value in values if value is not None]


def _overall(found: Agreement) -> dict[str, float | None]:
    return {**found.means(), "alpha": found.alpha["null"], "alpha_missing": found.alpha["missing"]}


def _of(values: Mapping[str, float | None], columns: Mapping[str, Column]) -> list[Value]:
    return [values.get(name) for name in columns]


def _rows(found: Iterable[tuple[str, Agreement]], columns: Mapping[str, Column]) -> list[Row]:
    return [Row(label=label, values=_of(_overall(each), columns)) for label, each in found]


def _table(
    name: str, title: str, columns: Sequence[Column], rows: Sequence[Row], stub: str, remarks: Sequence[str] = ()
) -> Table:
    return Table(name=name, title=title, columns=columns, rows=rows, stub=stub, remarks=remarks)
