"""What CRAC 2022 published of the systems that three resolvers are made after.

Žabokrtský et al. 2022, table 6: CoNLL with partial match and without singletons on the test parts of CorefUD 1.0, which
are not the data here. Only corpora that are here in some part are listed.
"""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """Numbers on the test part of a corpus: the baseline is what the steps came after."""

    corpus: str
    simple_rules: float
    baseline: float
    berulasek: float
    moravec: float


PUBLISHED = {
    "en_gum dev": Published("en_gum", 21.99, 62.59, 63.07, 59.15),
    "en_parcorfull train+dev": Published("en_parcorfull", 11.37, 36.44, 36.44, 36.44),
    "es_ancora dev": Published("es_ancora", 16.64, 65.99, 66.61, 62.01),
    "fr_democrat dev": Published("fr_democrat", 21.74, 55.55, 56.04, 54.87),
}
