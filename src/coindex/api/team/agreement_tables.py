"""The tables of a project's agreement, and the line of its course."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...analysis.tables import Column, Row, Table, Value
from ..agreement import Agreement
from ..agreement_documents import document_tables
from ..agreement_tables import agreement_columns
from .agreement import TeamAgreement

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
