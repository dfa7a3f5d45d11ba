"""The statistics of the CRAC 2022 shared task (Žabokrtský et al. 2022): Tables 1 and 9 to 14.

Singletons are in or out as in the paper unless told otherwise. That they are in Table 11 its caption does not say, but
its numbers do: 10.2 % of the mentions of Table 10 consist of empty nodes alone, and only 9.9 % of those of Table 11
have an empty node at all, so that there must be more of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...scoring.breakdowns import TAGS
from ...scoring.result import package_version
from ..tables import Column, Row, Table, Value
from .counts import Counts, MentionCounts, ratio, total_of

SIZES = range(1, 6)
LENGTHS = range(6)
SELECTED = TAGS[:8]
"""The tags that have a column; all others are "other"."""
By = Mapping[str, Counts]
"""Counts by the name of the corpus or system."""


def dataset_table(counts: By, *, stub: str = "dataset") -> Table:
    """Table 1: the size of each dataset; the entities are all, the mentions those of entities with several."""
    names = {
        "documents": "docs",
        "sentences": "sents",
        "words": "words",
        "zeros": "zeros",
        "entities": "entities",
        "entity_length": "avg. len.",
        "non_singletons": "non-singletons",
    }
    columns = [_number(name, title, decimals=1) for name, title in names.items()]

    def values(one: Counts) -> list[Value]:
        entities = one.sizes.total()
        mean = ratio(total_of(one.sizes), entities)
        return [one.documents, one.sentences, one.words, one.zeros, entities, mean, one.others.total]

    return make_table("dataset", "Size of the datasets", columns, counts, values, stub=stub, sing="yes")


def entity_table(counts: By, *, singletons: bool = True, stub: str = "system") -> Table:
    """Tables 9 and 12: entities, how many mentions they have."""
    columns = _totals("entities") + _shares("size", SIZES, "distribution of lengths [%]")

    def values(one: Counts) -> list[Value]:
        sizes = one.entity_sizes(singletons=singletons)
        return _totals_of(sizes, one.words) + distribution(sizes, SIZES)

    return make_table("entities", "Entities", columns, counts, values, stub=stub, sing=_yes(singletons))


def mention_table(counts: By, *, singletons: bool = False, stub: str = "system") -> Table:
    """Tables 10 and 13: mentions, how many words they have; those of entities with several unless told otherwise."""
    columns = _totals("mentions") + _shares("length", LENGTHS, "distribution of lengths [%]")

    def values(one: Counts) -> list[Value]:
        lengths = one.mentions(singletons=singletons).lengths
        return _totals_of(lengths, one.words) + distribution(lengths, LENGTHS)

    title = "Mentions" if singletons else "Non-singleton mentions"
    return make_table("mentions", title, columns, counts, values, stub=stub, sing=_yes(singletons))


def mention_type_table(counts: By, *, singletons: bool = True, stub: str = "system") -> Table:
    """The left part of Tables 11 and 14: mentions with empty nodes, with gaps, and that are no part of a tree."""
    return _details("mention_types", "Types of mentions", counts, [_TYPES], singletons, stub)


def upos_table(counts: By, *, singletons: bool = True, stub: str = "system") -> Table:
    """The right part of Tables 11 and 14: the universal tags of heads."""
    return _details("head_upos", "Heads of mentions", counts, [_HEADS], singletons, stub)


def detail_table(counts: By, *, singletons: bool = True, stub: str = "system") -> Table:
    """Tables 11 and 14 as they are printed: both parts side by side."""
    return _details("details", "Details of mentions", counts, [_TYPES, _HEADS], singletons, stub)


Part = tuple[Sequence[Column], Callable[[MentionCounts], list[Value]]]


def _type_values(mentions: MentionCounts) -> list[Value]:
    return [
        ratio(mentions.with_empty, mentions.total),
        ratio(mentions.with_gap, mentions.total),
        ratio(mentions.non_treelet, mentions.in_trees),
    ]


def _head_values(mentions: MentionCounts) -> list[Value]:
    if set(mentions.heads) <= {"_"}:  # a corpus without tags
        return [None] * (len(SELECTED) + 1)
    selected = [mentions.heads[tag] for tag in SELECTED]
    return [ratio(number, mentions.total) for number in (*selected, mentions.total - sum(selected))]


_TYPES: Part = (
    [
        Column("with_empty", "w/empty", group="mention type [%]", decimals=1),
        Column("with_gap", "w/gap", group="mention type [%]", decimals=1),
        Column("non_treelet", "non-tree", group="mention type [%]", decimals=1),
    ],
    _type_values,
)
_HEADS: Part = (
    [Column(f"head_{tag}", tag, group="head UPOS [%]", decimals=1) for tag in (*SELECTED, "other")],
    _head_values,
)


def _details(name: str, title: str, counts: By, parts: Sequence[Part], singletons: bool, stub: str) -> Table:
    columns = [column for columns, _ in parts for column in columns]

    def values(one: Counts) -> list[Value]:
        mentions = one.mentions(singletons=singletons)
        return [value for _, values in parts for value in values(mentions)]

    return make_table(name, title, columns, counts, values, stub=stub, sing=_yes(singletons))


def _number(name: str, title: str, *, group: str = "", decimals: int = 0) -> Column:
    return Column(name, title, "number", group=group, decimals=decimals)


def _totals(group: str) -> list[Column]:
    return [
        _number("total", "total", group=group),
        _number("per_1k", "per 1k words", group=group),
        _number("length_max", "length max", group=group),
        _number("length_avg", "avg.", group=group, decimals=1),
    ]


def _totals_of(numbers: Mapping[int, int], words: int) -> list[Value]:
    total = sum(numbers.values())
    longest = max(numbers, default=None)
    per_thousand = ratio(1000 * total, words)
    return [total, per_thousand, longest, ratio(total_of(numbers), total)]


def _shares(name: str, steps: range, group: str) -> list[Column]:
    """A column for each step; the last is for all that is as much or more."""
    titles = [*(str(step) for step in steps[:-1]), f"{steps[-1]}+"]
    return [Column(f"{name}_{title}", title, group=group, decimals=1) for title in titles]


def distribution(numbers: Mapping[int, int], steps: range) -> list[Value]:
    """The share of each step, the last with all above it; None where there is nothing."""
    total = sum(numbers.values())
    below = [numbers.get(step, 0) for step in steps[:-1]]
    last = sum(number for step, number in numbers.items() if step >= steps[-1])
    return [ratio(number, total) for number in (*below, last)]


def make_table(
    name: str,
    title: str,
    columns: Sequence[Column],
    counts: By,
    values: Callable[[Counts], list[Value]],
    *,
    stub: str,
    sing: str,
    **more: Any,
) -> Table:
    """A row for each corpus or system, in the order given; `sing` is whether the numbers have singletons in them."""
    rows = [
        Row(label=label, values=values(one.settled()), keys={stub: label}, signature=signature(sing))
        for label, one in counts.items()
    ]
    return Table(name=name, title=title, columns=columns, rows=rows, stub=stub, **more)


def signature(sing: str) -> str:
    """By which definitions a number was counted; `sing` says whether singletons are in it: yes, no or apart."""
    return f"coindex|stats@1|sing:{sing}|v:{package_version()}"


def _yes(singletons: bool) -> str:
    return "yes" if singletons else "no"
