"""Agreement over documents: how it spreads, and each of them, the hardest first.

Alpha of a whole collection is a sum within documents and says nothing about how they differ; these tables do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, stdev

from ..analysis.tables import Column, Row, Table

Values = Mapping[str, float | None]
SPREAD: Mapping[str, Callable[[Sequence[float]], float | None]] = {
    "mean": fmean,
    "standard deviation": lambda values: stdev(values) if len(values) > 1 else None,
    "lowest": min,
    "highest": max,
}


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
