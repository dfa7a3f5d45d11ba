"""Tables of inter-annotator agreement: by pair, by annotator, as a matrix, and by document.

Alpha of a whole collection is summed within documents and does not show how they differ. The tables of documents do:
the spread over documents, and each document, the one with the lowest agreement first.
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
    """Return a table of the spread over documents, and a table of all documents, the lowest agreement first."""
    by = "conll" if "conll" in columns else next(iter(columns))
    hardest = sorted(documents, key=lambda name: _order(documents[name].get(by)))
    rows = [
        Row(label=name, values=[documents[name].get(key) for key in columns], keys={"document": name})
        for name in hardest
    ]
    each = Table(
        name="documents",
        title=f"Documents, lowest {columns[by].title} first",
        columns=list(columns.values()),
        rows=rows,
        stub="document",
        remarks=["Scores are means over the pairs; alpha is computed over all annotators of the document."],
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
        title=f"Spread over {len(documents)} documents",
        columns=list(columns.values()),
        rows=rows,
        stub="statistic",
    )


SOURCE = "F1 between annotators; alpha after Passonneau (2004)"
ALPHA = {"alpha": ("α", "null"), "alpha_missing": ("α links", "missing")}


def make_report(scores: AgreementScores, matrix: str | None, *, by_document: bool) -> Report:
    """Return the report of agreement; `matrix` names the column shown as a matrix of annotators."""
    columns = agreement_columns(scores)
    tables = [_make_pairs(scores, columns)]
    if len(scores.names) > 2:
        tables += [_make_annotators(scores, columns), _make_matrix(scores, columns, matrix)]
    elif matrix is not None:
        tables.append(_make_matrix(scores, columns, matrix))
    if by_document:
        tables += document_tables(scores.by_document(), columns)
    return Report(name="agreement", source=SOURCE, tables=tables, about=scores.about)


def agreement_columns(scores: AgreementScores) -> dict[str, Column]:
    """Return the columns: metrics, with CoNLL after its three metrics, then alpha."""
    result = next(iter(scores.scores.values()))
    names = [name for name in result.scores if name not in CONLL]
    if result.conll is not None:
        before = [name for name in names if name == "mentions"]
        names = [*before, *CONLL, "conll", *(name for name in names if name not in before)]
    else:
        names = list(result.scores)
    titles = {"conll": "CoNLL", "mentions": "mentions"}
    columns = {
        name: Column(name, titles.get(name) or get_metric(name).title, signature=scores.signature) for name in names
    }
    for name, (title, how) in ALPHA.items():
        signature = scores.alpha_signatures["null" if how == "null" else "missing"]
        columns[name] = Column(name, title, kind="number", decimals=3, signature=signature)
    return columns


def _values(values: Mapping[str, float | None], columns: Mapping[str, Column]) -> list[float | None]:
    return [values.get(name) for name in columns]


def _make_pairs(scores: AgreementScores, columns: Mapping[str, Column]) -> Table:
    rows = [
        Row(label=f"{a} – {b}", values=_values(scores.values((a, b)), columns), keys={"a": a, "b": b})
        for a, b in scores.scores
    ]
    if len(rows) > 1:
        means = {**scores.means(), "alpha": scores.alpha["null"], "alpha_missing": scores.alpha["missing"]}
        rows.append(Row(label="all", values=_values(means, columns), keys={"a": "all", "b": "all"}, is_summary=True))
    remarks = ["all: mean over the pairs; alpha is computed over all annotators."] if len(rows) > 1 else []
    return _table("pairs", "Agreement, F1", columns, rows, "annotators", remarks)


def _make_annotators(scores: AgreementScores, columns: Mapping[str, Column]) -> Table:
    rows = [
        Row(label=name, values=_values(scores.means(name), columns), keys={"annotator": name}) for name in scores.names
    ]
    return _table("annotators", "By annotator: mean over the other annotators", columns, rows, "annotator", [])


def _make_matrix(scores: AgreementScores, columns: Mapping[str, Column], name: str | None) -> Table:
    """Return the matrix of annotators for one column."""
    chosen = name or ("conll" if "conll" in columns else next(iter(columns)))
    if chosen not in columns:
        raise UnknownNameError("column of the agreement tables", chosen, columns)
    like = columns[chosen]
    heads = [
        Column(other, other, like.kind, decimals=like.decimals, signature=like.signature) for other in scores.names
    ]
    rows = []
    for annotator in scores.names:
        values: list[float | None] = []
        for other in scores.names:
            pair = (annotator, other) if (annotator, other) in scores.scores else (other, annotator)
            values.append(None if annotator == other else scores.values(pair)[chosen])
        rows.append(Row(label=annotator, values=values, keys={"annotator": annotator}))
    return Table(name=f"matrix-{chosen}", title=f"All pairs, {like.title}", columns=heads, rows=rows)


def _table(
    name: str, title: str, columns: Mapping[str, Column], rows: Sequence[Row], stub: str, remarks: Sequence[str]
) -> Table:
    return Table(name=name, title=title, columns=list(columns.values()), rows=rows, stub=stub, remarks=remarks)
