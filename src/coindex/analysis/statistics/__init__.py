"""What corpora and responses are made of: counts of documents, and the tables that papers make of them."""

from .counting import count, count_document
from .counts import Counts, MentionCounts
from .crac import dataset_table, detail_table, entity_table, mention_table, mention_type_table, upos_table
from .preco import cluster_size_table, property_table

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
