"""What corpora and responses are made of: counts of documents, and the tables that papers make of them."""

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
