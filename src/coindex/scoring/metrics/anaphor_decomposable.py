"""The anaphor-decomposable score (Tuggener 2014; CRAC 2022): is an anaphor linked to a correct antecedent?

It is computed for zeros, and on request for pronouns and for nominal anaphors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Set
from functools import partial

from ..alignment import Alignment, Counts
from ..sides import Side
from .registry import Metric

Find = Callable[[Side], list[Set[int]]]
"""Returns the mentions of each entity that are counted; an empty list if there are none."""


def count(find: Find, alignment: Alignment) -> Counts:
    """Count right, wrong, missed and spurious anaphors, that is, mentions that are not the first of their entity."""
    key, response = alignment.key, alignment.response
    wanted, candidates = find(key), find(response)
    if not wanted and not candidates:
        return Counts((0, 0, 0, 0))
    first = {min(cluster, key=response.table.order) for cluster in response.clusters}
    outcomes: Counter[str] = Counter()
    covered = set()
    for cluster, anaphors in zip(key.clusters, wanted, strict=False):
        if anaphors:
            for outcome, mention in _judge(cluster, anaphors, alignment, first):
                outcomes[outcome] += 1
                covered.add(mention)
    spurious = sum(mention not in first and mention not in covered for anaphors in candidates for mention in anaphors)
    right, wrong = outcomes["right"], outcomes["wrong"]
    return Counts((right, right + wrong + outcomes["missed"], right, right + wrong + spurious))


def _judge(
    cluster: list[int], wanted: Set[int], alignment: Alignment, first: set[int]
) -> Iterator[tuple[str, int | None]]:
    """Yield the outcome of each anaphor of a key entity, and the response mention matched to it."""
    entity_of = alignment.response.cluster_of
    before: set[int | None] = set()
    for place, mention in enumerate(alignment.key.table.in_order(cluster)):
        partner = alignment.partner(mention)
        entity = None if partner is None else entity_of.get(partner)
        if place and mention in wanted:
            if partner is None or partner in first:
                yield "missed", partner
            else:
                yield ("right" if entity in before else "wrong"), partner
        before.add(entity)


def find_zeros(side: Side) -> list[Set[int]]:
    """Return the mentions whose head is an empty node."""
    if not side.zeros and not side.other_zeros:
        return []
    return [
        {mention for mention in cluster if (mention in side.zeros) != ((entity, mention) in side.other_zeros)}
        for entity, cluster in enumerate(side.clusters)
    ]


def find_by_upos(tags: frozenset[str], side: Side) -> list[Set[int]]:
    """Return the mentions whose head is a word with one of these tags."""
    fitting = {m for m in side.cluster_of if m not in side.zeros and side.head_token(m).upos in tags}
    return [fitting.intersection(cluster) for cluster in side.clusters] if fitting else []


PRONOUNS = frozenset({"PRON"})
NOMINALS = frozenset({"NOUN", "PROPN"})

ZERO = Metric("zero", "zero anaphors", partial(count, find_zeros))
PRONOUN = Metric("pronoun", "pronouns", partial(count, partial(find_by_upos, PRONOUNS)))
NOMINAL = Metric("nominal", "nominal anaphors", partial(count, partial(find_by_upos, NOMINALS)))
