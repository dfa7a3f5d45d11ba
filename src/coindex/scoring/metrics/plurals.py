"""The coreference metrics of the Universal Anaphora scorer, which give partial credit for split antecedents.

The plurals of key and response (see `scoring.ua`) are aligned for every metric: the metric itself compares the members
of two plurals as if they were the entities of two documents, and the pairs with the greatest total F1 are aligned. An
aligned plural counts as a mention that is found with the weight of that recall, precision or F1. Without plurals the
metrics are the usual ones. `only_plurals` scores only the alignment of the plurals.

Two formulas depend on the order of the mentions in an entity, as in the official scorer: in BLANC, a plural counts with
its weight only in pairs with mentions after it; in LEA of version 1, the weight of a plural also reduces that of the
mentions after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..alignment import Alignment, Counts, Score, Table
from ..assignment import assign, best_total
from ..sides import Side
from ..ua import Plural, UAAlignment, UASide, count_equal, make_tables
from . import b3, blanc, ceaf, lea, muc
from .registry import Metric

Found = dict[int, tuple[int, float]]
"""The entity of the plural that a plural is aligned with, and the weight, by the entity of the plural."""
Count = Callable[[Alignment], Counts]


class _Plurals(NamedTuple):
    """The aligned plurals, and the counts of their alignment."""

    key: Found
    response: Found
    both: Found
    """From key to response, with F1."""
    counts: tuple[float, ...]


def _align(alignment: UAAlignment, count: Count, part: int = 0) -> _Plurals:
    """Align the plurals of both sides by the part of a metric."""
    key, response = list(alignment.key_side.plurals.items()), list(alignment.response_side.plurals.items())
    counts = [[count(_make_small(alignment, k, r)).part(part) for _, r in response] for _, k in key]
    scores = [[Score.from_counts(*numbers) for numbers in line] for line in counts]
    weights = [{column: score.f1 for column, score in enumerate(line) if score.f1 > 0} for line in scores]
    to_response: Found = {}
    to_key: Found = {}
    both: Found = {}
    found_key = found_response = 0.0
    for row, column in assign(weights, len(response)):
        k, r, score = key[row][0], response[column][0], scores[row][column]
        both[k] = r, score.f1
        to_response[k] = r, score.recall
        to_key[r] = k, score.precision
        found_key += counts[row][column][0]
        found_response += counts[row][column][2]
    nothing = Plural((), 0)
    all_key = sum(count(_make_small(alignment, k, nothing)).part(part)[1] for _, k in key)
    all_response = sum(count(_make_small(alignment, nothing, r)).part(part)[3] for _, r in response)
    return _Plurals(to_response, to_key, both, (found_key, all_key, found_response, all_response))


def _make_small(alignment: UAAlignment, key: Plural, response: Plural) -> Alignment:
    """Return the alignment of the members of two plurals."""
    mine, theirs = _make_side(alignment.key_side, key), _make_side(alignment.response_side, response)
    key_table, response_table, overlap = make_tables(mine, theirs, alignment.other)
    if alignment.equals is not None:
        overlap = count_equal(mine, theirs, alignment.equals)
    return Alignment(mine, theirs, key_table, response_table, overlap, lambda mention: None, frozenset(), frozenset())


def _make_side(side: UASide, plural: Plural) -> Side:
    small = Side(side.table, side.how, side.parts)
    small.clusters = [list(member) for member in plural.members]
    small.cluster_of = {mention: number for number, cluster in enumerate(small.clusters) for mention in cluster}
    small.mentions = side.every
    return small


def _has_plurals(alignment: Alignment) -> bool:
    return isinstance(alignment, UAAlignment) and bool(
        alignment.key_side.plurals or alignment.response_side.plurals or alignment.only_plurals
    )


def _ua(alignment: Alignment) -> UAAlignment:
    assert isinstance(alignment, UAAlignment)
    return alignment


def count_muc(alignment: Alignment) -> Counts:
    """Count links; a plural adds a link if it is with other mentions of its entity on the other side."""
    if not _has_plurals(alignment):
        return muc.count(alignment)
    ua = _ua(alignment)
    plurals = _align(ua, _count_members)
    if ua.only_plurals:
        return Counts(plurals.counts)
    values: list[float] = []
    for side, table, found in _both_sides(ua, plurals):
        total = 0.0
        for entity, row in enumerate(table):
            total += sum(row.values()) - len(row)
            if entity in found and found[entity][0] in row:
                total += found[entity][1]
        values += [total, sum(side.size(entity) - 1 for entity in range(len(side.clusters)))]
    return Counts(tuple(values))


def _count_members(alignment: Alignment) -> Counts:
    """Count the links of members; a member of one mention counts as a link that is found in a member of one mention."""
    counts = muc.count(alignment).values
    singles: list[float] = []
    for side, table, other in (
        (alignment.key, alignment.key_table, alignment.response),
        (alignment.response, alignment.response_table, alignment.key),
    ):
        single = [row for cluster, row in zip(side.clusters, table, strict=True) if len(cluster) == 1]
        singles += [sum(len(other.clusters[entity]) == 1 for row in single for entity in row), len(single)]
    return Counts(tuple(a + b for a, b in zip(counts, singles, strict=True)))


def _both_sides(ua: UAAlignment, plurals: _Plurals) -> tuple[tuple[UASide, Table, Found], ...]:
    return (
        (ua.key_side, ua.key_table, plurals.key),
        (ua.response_side, ua.response_table, plurals.response),
    )


def count_b3(alignment: Alignment) -> Counts:
    """Count shares of entities; a plural adds its weight to the entity of its partner."""
    if not _has_plurals(alignment):
        return b3.count(alignment)
    ua = _ua(alignment)
    plurals = _align(ua, b3.count)
    if ua.only_plurals:
        return Counts(plurals.counts)
    values: list[float] = []
    for side, table, found in _both_sides(ua, plurals):
        total = 0.0
        for entity, row in enumerate(table):
            total += sum(n * n for n in _add(row, found.get(entity)).values()) / side.size(entity)
        values += [total, sum(map(side.size, range(len(side.clusters))))]
    return Counts(tuple(values))


def _add(row: dict[int, int], found: tuple[int, float] | None) -> dict[int, float]:
    weighted: dict[int, float] = dict(row)
    if found is not None:
        weighted[found[0]] = weighted.get(found[0], 0) + found[1]
    return weighted


def count_ceafe(alignment: Alignment) -> Counts:
    """Count the similarity of paired entities (phi 4)."""
    if not _has_plurals(alignment):
        return ceaf.count_entities(alignment)
    ua = _ua(alignment)
    plurals = _align(ua, ceaf.count_entities)
    if ua.only_plurals:
        return Counts(plurals.counts)
    key, response = ua.key_side, ua.response_side
    best = best_total(
        {other: 2 * common / (key.size(entity) + response.size(other)) for other, common in row.items()}
        for entity, row in enumerate(_overlap(ua, plurals))
    )
    return Counts((best, len(key.clusters), best, len(response.clusters)))


def count_ceafm(alignment: Alignment) -> Counts:
    """Count the mentions that the best pairing of entities keeps together (phi 3)."""
    if not _has_plurals(alignment):
        return ceaf.count_mentions(alignment)
    ua = _ua(alignment)
    plurals = _align(ua, ceaf.count_mentions)
    if ua.only_plurals:
        return Counts(plurals.counts)
    best = best_total(_overlap(ua, plurals))
    sizes = [sum(map(side.size, range(len(side.clusters)))) for side in (ua.key_side, ua.response_side)]
    return Counts((best, sizes[0], best, sizes[1]))


def _overlap(ua: UAAlignment, plurals: _Plurals) -> list[dict[int, float]]:
    return [_add(row, plurals.both.get(entity)) for entity, row in enumerate(ua.overlap)]


def count_lea(alignment: Alignment) -> Counts:
    """Count resolved links, those with a plural by its weight."""
    if not _has_plurals(alignment):
        return lea.count(alignment)
    ua = _ua(alignment)
    plurals = _align(ua, lea.count)
    if ua.only_plurals:
        return Counts(plurals.counts)
    values: list[float] = []
    sides = ((ua.key_side, plurals.key, ua.response_side), (ua.response_side, plurals.response, ua.key_side))
    for side, found, other in sides:
        total = 0.0
        for entity in range(len(side.clusters)):
            size = side.size(entity)
            mentions = _list_mentions(ua, side, other, entity, found)
            if size == 1:
                target = mentions[0][0]
                total += target is not None and other.size(target) == 1
            else:
                total += 2 * _weigh_links(mentions, leaks=ua.version == 1) / (size - 1)
        values += [total, sum(map(side.size, range(len(side.clusters))))]
    return Counts(tuple(values))


Looked = tuple[int | None, float]
"""The entity of the other side in which a mention is found, and its weight."""


def _list_mentions(ua: UAAlignment, side: UASide, other: UASide, entity: int, found: Found) -> list[Looked]:
    """Return the mentions of an entity in order, the plural among them."""
    names = (ua.other.get(mention, mention) for mention in side.clusters[entity])
    looked: list[Looked] = [(other.cluster_of.get(name), 1.0) for name in names]
    if entity in side.plurals:
        plural = side.plurals[entity]
        looked.insert(plural.place, found.get(entity, (_find_same(plural, other), 1.0)))
    return looked


def _find_same(plural: Plural, other: UASide) -> int | None:
    """Return the entity of the other side with the same plural."""
    return next((entity for entity, known in other.plurals.items() if known.value == plural.value), None)


def _weigh_links(mentions: list[Looked], *, leaks: bool) -> float:
    total = 0.0
    for place, (entity, weight) in enumerate(mentions):
        if entity is None:
            continue
        for other, factor in mentions[place + 1 :]:
            if leaks:
                weight *= factor
            if other == entity:
                total += weight if leaks else weight * factor
    return total


def count_blanc(alignment: Alignment) -> Counts:
    """Count links between mentions that corefer and that do not, those with a plural by its weight."""
    if not _has_plurals(alignment):
        counts = blanc.count(alignment).values
        return Counts((*counts, *_totals(_ua(alignment))))
    ua = _ua(alignment)
    coreference, rest = (_align(ua, blanc.count, part) for part in (0, 1))
    totals = _totals(ua)
    if ua.only_plurals:
        return Counts((*coreference.counts, *rest.counts, *totals))
    together = 0.0
    for entity in range(len(ua.key_side.clusters)):
        mentions = _list_mentions(ua, ua.key_side, ua.response_side, entity, coreference.both)
        plural = ua.key_side.plurals.get(entity)
        for place, (target, weight) in enumerate(mentions):
            for later, (other, _) in enumerate(mentions[place + 1 :], place + 1):
                if plural is not None and later == plural.place:
                    other = _find_same(plural, ua.response_side)
                if target is not None and target == other:
                    together += weight
    columns: dict[int, float] = {}
    rows = []
    squares = 0.0
    for entity, row in enumerate(ua.key_table):
        found = rest.both.get(entity)
        if found is None and entity in ua.key_side.plurals:
            same = _find_same(ua.key_side.plurals[entity], ua.response_side)
            found = None if same is None else (same, 1.0)
        weighted = _add(row, found)
        rows.append(sum(weighted.values()))
        squares += sum(n * n for n in weighted.values())
        for column, n in weighted.items():
            columns[column] = columns.get(column, 0) + n
    apart = (sum(rows) ** 2 - sum(n * n for n in rows) - sum(n * n for n in columns.values()) + squares) / 2
    key_links, response_links, key_rest, response_rest = (totals[at] for at in (1, 3, 5, 7))
    return Counts((together, key_links, together, response_links, apart, key_rest, apart, response_rest, *totals))


def _totals(ua: UAAlignment) -> tuple[float, ...]:
    """Return the numbers of links of each kind in key and response, as counts without anything found."""
    sizes = [[side.size(entity) for entity in range(len(side.clusters))] for side in (ua.key_side, ua.response_side)]
    links = [sum(n * (n - 1) // 2 for n in side) for side in sizes]
    rest = [sum(side) * (sum(side) - 1) // 2 - number for side, number in zip(sizes, links, strict=True)]
    return 0, links[0], 0, links[1], 0, rest[0], 0, rest[1]


def finish_blanc(counts: Counts) -> Score:
    """Return the mean of both kinds of links, without a kind that neither side has."""
    used = [(counts.part(number)[1] != 0) | (counts.part(number)[3] != 0) for number in (2, 3)]
    return blanc.average(counts, used)


MUC = Metric("muc", "MUC", count_muc)
B3 = Metric("b3", "B³", count_b3)
CEAF_E = Metric("ceafe", "CEAF-e", count_ceafe)
CEAF_M = Metric("ceafm", "CEAF-m", count_ceafm)
LEA = Metric("lea", "LEA", count_lea)
BLANC = Metric("blanc", "BLANC", count_blanc, parts=(*blanc.PARTS, "links", "non-links"), finish=finish_blanc)
