"""All tables of corpora, by name."""

from __future__ import annotations

from collections.abc import Mapping

from ..tables import Table
from .crac import dataset_table, detail_table, entity_table, mention_table
from .preco import cluster_size_table, property_table
from .spread import document_table, genre_table, spread_table
from .survey import Survey

Surveys = Mapping[str, Survey]
STUB = "corpus"


def _in(singletons: bool | None, paper: bool) -> bool:
    """Whether singletons count: as in the paper unless said otherwise."""
    return paper if singletons is None else singletons


def all_tables(surveys: Surveys, *, singletons: bool | None = None) -> dict[str, Table]:
    """Every table; `singletons` says whether they count in the tables of entities and mentions (None: as in papers)."""
    totals = {name: one.total.settled() for name, one in surveys.items()}
    found = [
        dataset_table(totals, stub=STUB),
        entity_table(totals, singletons=_in(singletons, True), stub=STUB),
        mention_table(totals, singletons=_in(singletons, False), stub=STUB),
        detail_table(totals, singletons=_in(singletons, True), stub=STUB),
        property_table(totals, stub=STUB),
        cluster_size_table(totals, stub=STUB),
        genre_table(surveys),
        spread_table(surveys),
        document_table(surveys),
    ]
    return {table.name: table for table in found}


TABLES = {
    "dataset": "sizes of the corpora (CRAC 2022, Table 1)",
    "entities": "entities and their lengths (CRAC 2022, Tables 9 and 12)",
    "mentions": "mentions and their lengths (CRAC 2022, Tables 10 and 13)",
    "details": "kinds of mentions, tags of heads (CRAC 2022, Tables 11 and 14)",
    "properties": "lengths and densities, singletons apart (PreCo, Table 4)",
    "cluster_sizes": "sizes of entities with several mentions (PreCo, Figure 4)",
    "genres": "genres side by side",
    "spread": "quartiles over documents, outliers",
    "documents": "a row for each document",
}
LONG = ("documents",)
"""Tables that are shown only when they are asked for."""
