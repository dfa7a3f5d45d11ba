"""The tables of inter-annotator agreement: pairs, annotators, a matrix of one number, and documents.

Alpha of a whole collection is a sum within documents and says nothing about how they differ; the tables over documents
do: how it spreads, and each of them, the hardest first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import UnknownNameError
from ..scoring.metrics.registry import get_metric
from ..scoring.profiles import CONLL
from .reports.base import Report
from .tables import Column, Row, Table

if TYPE_CHECKING:
    from ..scoring import Result


Values = Mapping[str, float | None]
SPREAD: Mapping[str, Callable[[Sequence[float]], float | None]] = {
    "mean": fmean,
    "standard deviation": lambda values: stdev(values) if len(values) > 1 else None,
    "lowest": min,
    "highest": max,
}


class AgreementScores(Protocol):
    """The scores of pairs of annotators, and their alphas."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def scores(self) -> Mapping[tuple[str, str], Result]: ...
    @property
    def signature(self) -> str: ...
    @property
    def alpha(self) -> Mapping[Any, float | None]: ...
    @property
    def alpha_signatures(self) -> Mapping[Any, str]: ...
    @property
    def about(self) -> Mapping[str, Any]: ...
    def values(self, pair: tuple[str, str]) -> dict[str, float | None]: ...
    def means(self, name: str | None = None) -> dict[str, float | None]: ...
    def by_document(self) -> dict[str, dict[str, float | None]]: ...


def document_tables(documents: Mapping[str, Values], columns: Mapping[str, Column]) -> list[Table]:
    """The spread of each column over the documents, and the documents in the order of the first of these columns."""
    by = "conll" if "conll" in columns else next(iter(columns))
    hardest = sorted(documents, key=lambda name: _order(documents[name].get(by)))
    rows = [
        Row(label=name, values=[documents[name].get(key) for key in columns], keys={"document": name})
        for name in hardest
    ]
    each = Table(
        name="documents",
        title=f"Each document, the lowest {columns[by].title} first",
        columns=list(columns.values()),
        rows=rows,
        stub="document",
        remarks=["Scores are the mean over the pairs; alpha is that of all annotators of the document together."],
    )
    return [_spread(list(documents.values()), columns), each] if len(documents) > 1 else [each]


def _order(value: float | None) -> tuple[bool, float]:
    return value is None, value or 0.0


def _spread(documents: Sequence[Values], columns: Mapping[str, Column]) -> Table:
    rows = []
    for label, measure in SPREAD.items():
        values: list[float | None] = []
        for key in columns:
            known = [value for document in documents if (value := document.get(key)) is not None]
            values.append(measure(known) if known else None)
        rows.append(Row(label=label, values=values, keys={"measure": label}))
    return Table(
        name="spread",
        title=f"Over the {len(documents)} documents",
        columns=list(columns.values()),
        rows=rows,
        stub="over documents",
    )


SOURCE = "F1 between annotators; alpha after Passonneau (2004)"
ALPHA = {"alpha": ("α", "null"), "alpha_missing": ("α links", "missing")}


def make_report(found: AgreementScores, matrix: str | None, *, by_document: bool) -> Report:
    columns = agreement_columns(found)
    tables = [_pairs(found, columns)]
    if len(found.names) > 2:
        tables += [_annotators(found, columns), _matrix(found, columns, matrix)]
    elif matrix is not None:
        tables.append(_matrix(found, columns, matrix))
    if by_document:
        tables += document_tables(found.by_document(), columns)
    return Report(name="agreement", source=SOURCE, tables=tables, about=found.about)


def agreement_columns(found: AgreementScores) -> dict[str, Column]:
    """Metrics with CoNLL after its three, then alpha."""
    result = next(iter(found.scores.values()))
    names = [name for name in result.scores if name not in CONLL]
    if result.conll is not None:
        before = [name for name in names if name == "mentions"]
        names = [*before, *CONLL, "conll", *(name for name in names if name not in before)]
    else:
        names = list(result.scores)
    titles = {"conll": "CoNLL", "mentions": "mentions"}
    columns = {
        name: Column(name, titles.get(name) or get_metric(name).title, signature=found.signature) for name in names
    }
    for name, (title, how) in ALPHA.items():
        signature = found.alpha_signatures["null" if how == "null" else "missing"]
        columns[name] = Column(name, title, kind="number", decimals=3, signature=signature)
    return columns


def _values(values: Mapping[str, float | None], columns: Mapping[str, Column]) -> list[float | None]:
    return [values.get(name) for name in columns]


def _pairs(found: AgreementScores, columns: Mapping[str, Column]) -> Table:
    rows = [
        Row(label=f"{one} – {other}", values=_values(found.values((one, other)), columns), keys={"a": one, "b": other})
        for one, other in found.scores
    ]
    if len(rows) > 1:
        means = {**found.means(), "alpha": found.alpha["null"], "alpha_missing": found.alpha["missing"]}
        rows.append(Row(label="all", values=_values(means, columns), keys={"a": "all", "b": "all"}, is_summary=True))
    remarks = ["all: the mean of the pairs; alpha is that of all annotators together."] if len(rows) > 1 else []
    return _table("pairs", "Agreement, F1", columns, rows, "annotators", remarks)


def _annotators(found: AgreementScores, columns: Mapping[str, Column]) -> Table:
    rows = [
        Row(label=name, values=_values(found.means(name), columns), keys={"annotator": name}) for name in found.names
    ]
    return _table("annotators", "Each annotator: mean over the others", columns, rows, "annotator", [])


def _matrix(found: AgreementScores, columns: Mapping[str, Column], name: str | None) -> Table:
    """One number for each two annotators."""
    chosen = name or ("conll" if "conll" in columns else next(iter(columns)))
    if chosen not in columns:
        raise UnknownNameError("column of the agreement", chosen, columns)
    like = columns[chosen]
    heads = [Column(other, other, like.kind, decimals=like.decimals, signature=like.signature) for other in found.names]
    rows = []
    for one in found.names:
        values: list[float | None] = []
        for other in found.names:
            pair = (one, other) if (one, other) in found.scores else (other, one)
            values.append(None if one == other else found.values(pair)[chosen])
        rows.append(Row(label=one, values=values, keys={"annotator": one}))
    return Table(name=f"matrix-{chosen}", title=f"Each with each, {like.title}", columns=heads, rows=rows)


def _table(
    name: str, title: str, columns: Mapping[str, Column], rows: Sequence[Row], stub: str, remarks: Sequence[str]
) -> Table:
    return Table(name=name, title=title, columns=list(columns.values()), rows=rows, stub=stub, remarks=remarks)
