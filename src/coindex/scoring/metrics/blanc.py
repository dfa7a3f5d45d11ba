"""BLANC (Recasens and Hovy 2011; Luo et al. 2014): pairs of mentions that corefer, and pairs that do not."""

from __future__ import annotations

from collections.abc import Iterable

from ..alignment import Alignment, Counts, Score
from .registry import Metric

PARTS = ("coreference", "non-coreference")


def count(alignment: Alignment) -> Counts:
    """Count coreference and non-coreference links from the contingency table of the entities."""
    key_sizes = [len(cluster) for cluster in alignment.key.clusters]
    response_sizes = [len(cluster) for cluster in alignment.response.clusters]
    columns: dict[int, int] = {}
    rows = []
    for row in alignment.key_table:
        rows.append(sum(row.values()))
        for column, n in row.items():
            columns[column] = columns.get(column, 0) + n
    together = _count_pairs(n for row in alignment.key_table for n in row.values())
    apart = _count_pairs([sum(rows)]) - _count_pairs(rows) - _count_pairs(columns.values()) + together
    key_links, response_links = _count_pairs(key_sizes), _count_pairs(response_sizes)
    return Counts(
        (
            *(together, key_links, together, response_links),
            *(
                apart,
                _count_pairs([sum(key_sizes)]) - key_links,
                apart,
                _count_pairs([sum(response_sizes)]) - response_links,
            ),
        )
    )


def _count_pairs(sizes: Iterable[int]) -> int:
    return sum(n * (n - 1) // 2 for n in sizes)


def finish(counts: Counts) -> Score:
    """Return the mean of both kinds of links, without a kind that neither side has."""
    return average(counts, [(counts.part(number)[1] != 0) | (counts.part(number)[3] != 0) for number in (0, 1)])


def finish_by_key(counts: Counts) -> Score:
    """Return the mean of the kinds of links that the key has, as in the CoNLL reference scorer 8.01."""
    return average(counts, [counts.part(number)[1] != 0 for number in (0, 1)])


def average(counts: Counts, used: list[bool]) -> Score:
    """Return the mean of the parts in use. There is no branch, so that this also works on arrays."""
    parts = [Score.from_counts(*counts.part(number)) for number in (0, 1)]
    pairs = list(zip(parts, used, strict=True))
    number = sum(used)
    n = number + (number == 0)
    return Score(
        sum(score.recall * is_used for score, is_used in pairs) / n,
        sum(score.precision * is_used for score, is_used in pairs) / n,
        sum(score.f1 * is_used for score, is_used in pairs) / n,
        dict(zip(PARTS, parts, strict=True)),
    )


METRIC = Metric("blanc", "BLANC", count, parts=PARTS, finish=finish)
CONLL_METRIC = Metric("blanc", "BLANC", count, parts=PARTS, finish=finish_by_key)
