"""Statistics of corpora and responses: counts, and the tables of the CRAC 2022 and PreCo papers."""

from .counts import Counts, MentionCounts, count, count_document
from .tables import (
    cluster_size_table,
    dataset_table,
    detail_table,
    entity_table,
    mention_table,
    mention_type_table,
    property_table,
    upos_table,
)

__all__ = [
    "Counts",
    "MentionCounts",
    "cluster_size_table",
    "count",
    "count_document",
    "dataset_table",
    "detail_table",
    "entity_table",
    "mention_table",
    "mention_type_table",
    "property_table",
    "upos_table",
]
