"""The properties of a corpus as PreCo has them (Chen et al. 2018): Table 4, and Figure 4 as a table.

The rate of unknown words, which Table 4 has too, takes a training corpus: `coindex overlap` has it.
"""

from __future__ import annotations

from ..tables import Column, Table, Value
from .counts import Counts, ratio, total_of
from .crac import By, distribution, make_table

CLUSTER_SIZES = range(2, 17)
"""The steps of Figure 4; the last is 16 and more."""
_OTHERS, _SINGLES = "non-singleton mentions", "singleton mentions"


def property_table(counts: By, *, stub: str = "corpus") -> Table:
    """Table 4. A density is the number of mentions or clusters for each token."""
    columns = [
        Column("documents", "documents", "number"),
        Column("tokens", "tokens", "number"),
        Column("tokens_per_document", "tokens per document", "number", decimals=0),
        Column("mention_length", "mention length", "number", group=_OTHERS, decimals=2),
        Column("mention_density", "density", "number", group=_OTHERS, decimals=2),
        Column("cluster_size", "cluster size", "number", group=_OTHERS, decimals=2),
        Column("cluster_density", "cluster density", "number", group=_OTHERS, decimals=3),
        Column("singleton_length", "length", "number", group=_SINGLES, decimals=2),
        Column("singleton_density", "density", "number", group=_SINGLES, decimals=2),
        Column("singleton_rate", "rate [%]", group=_SINGLES, decimals=1),
    ]

    def values(one: Counts) -> list[Value]:
        clusters = one.entity_sizes(singletons=False)
        several, alone = one.others, one.singletons
        return [
            one.documents,
            one.words,
            ratio(one.words, one.documents),
            ratio(several.words, several.total),
            ratio(several.total, one.words),
            ratio(total_of(clusters), clusters.total()),
            ratio(clusters.total(), one.words),
            ratio(alone.words, alone.total),
            ratio(alone.total, one.words),
            ratio(alone.total, alone.total + several.total),
        ]

    return make_table("properties", "Properties of the corpora", columns, counts, values, stub=stub, sing="apart")


def cluster_size_table(counts: By, *, stub: str = "corpus") -> Table:
    """Figure 4: of the entities with several mentions, how many have 2, 3, …"""
    titles = [*(str(size) for size in CLUSTER_SIZES[:-1]), f"{CLUSTER_SIZES[-1]}+"]
    columns = [Column(f"size_{title}", title, group="number of mentions [%]", decimals=1) for title in titles]

    def values(one: Counts) -> list[Value]:
        return distribution(one.entity_sizes(singletons=False), CLUSTER_SIZES)

    title = "Sizes of non-singleton entities"
    return make_table("cluster_sizes", title, columns, counts, values, stub=stub, sing="no")
