"""BLANC (Recasens and Hovy 2011; Luo et al. 2014): pairs of mentions that corefer, and pairs that do not."""

from __future__ import annotations

from collections.abc import Iterable

from ..alignment import Alignment, Counts, Score
from .registry import Metric

PARTS = ("coreference", "non-coreference")


def count(alignment: Alignment) -> Counts:
    """Links are counted from the key's side; those between entities from the contingency table, pair by pair never."""
    key_sizes = [len(cluster) for cluster in alignment.key.clusters]
    response_sizes = [len(cluster) for cluster in alignment.response.clusters]
    columns: dict[int, int] = {}
    rows = []
    for row in alignment.key_table:
        rows.append(sum(row.values()))
        for column, n in row.items():
            columns[column] = columns.get(column, 0) + n
    together = _pairs(n for row in alignment.key_table for n in row.values())
    apart = _pairs([sum(rows)]) - _pairs(rows) - _pairs(columns.values()) + together
    key_links, response_links = _pairs(key_sizes), _pairs(response_sizes)
    return Counts(
        (
            *(together, key_links, together, response_links),
            *(
                apart,
                _pairs([sum(key_sizes)]) - key_links,
                apart,
                _pairs([sum(response_sizes)]) - response_links,
            ),
        )
    )


def _pairs(sizes: Iterable[int]) -> int:
    return sum(n * (n - 1) // 2 for n in sizes)


def finish(counts: Counts) -> Score:
    """The means of both kinds of link; a kind that neither side has is left out."""
    return _mean(counts, [(counts.part(number)[1] != 0) | (counts.part(number)[3] != 0) for number in (0, 1)])


def finish_by_key(counts: Counts) -> Score:
    """The means of the kinds of link that the key has, as the CoNLL reference scorer 8.01 has it."""
    return _mean(counts, [counts.part(number)[1] != 0 for number in (0, 1)])


def _mean(counts: Counts, used: list[bool]) -> Score:
    """Arithmetic only, no branches: arrays of counts are put through it as well."""
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
