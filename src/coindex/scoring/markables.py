"""Primary and secondary markables (RU-EVAL 2014, section 3.5): secondary ones are never counted and never penalised.

Secondary are, in the key: appositions (attribute `func` or `ref` with the value `appo`), predicates (`pred`), first
and second person pronouns in direct speech (`ds`), and indefinite descriptions (`indef`) that are the first mention of
their entity. The attribute `markable` says it otherwise: `secondary` or `primary` settles it whatever `func` says.
Attributes of the response decide nothing, or a system could hide its errors behind them.

What it means for the metrics of coreference: both sides are matched with all their mentions. Then the secondary key
mentions go, and with them the response mentions that stand for them, also if several stand for one. What has one
mention left is a singleton and goes too where singletons are out. What is left is counted with the matches it has, so

- a chain of the key is asked for without its secondary mentions, and a link to one of them is no part of recall;
- a response that has them is as good as one that does not, in whatever chain it put them;
- a secondary key mention that is alone takes part in matching too, though other singletons are out.

A response mention of the same kind that the key does not annotate at all is a mistake like any other: the key says
nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace

from ..document import Mention
from .alignment import Alignment, align_pairs
from .lenient import Match
from .sides import Side, build_side

ATTRIBUTE = "markable"
TYPE_ATTRIBUTES = ("func", "ref")
"""The functional type: `func` in our format, `ref` in RuCor."""
SECONDARY_TYPES = frozenset({"appo", "pred", "ds"})
INDEFINITE = "indef"

Matcher = Callable[..., Match]


@dataclass(frozen=True, slots=True)
class MarkedAlignment(Alignment):
    """An alignment of primary markables that knows what it was before the secondary ones went."""

    whole: Alignment | None = None
    secondary: frozenset[int] = frozenset()
    """The secondary mentions of the key."""
    meaning: dict[int, int] = field(default_factory=dict)
    """The key mention that a response mention stands for, which several may."""


def is_secondary(mention: Mention, *, is_first: bool) -> bool:
    """Whether a key mention is a secondary markable; `is_first`: it is the first mention of its entity."""
    said = mention.attributes.get(ATTRIBUTE)
    if said is not None:
        return said == "secondary"
    types = {one for name in TYPE_ATTRIBUTES for one in mention.attributes.get(name, "").split(",")}
    return not SECONDARY_TYPES.isdisjoint(types) or (is_first and INDEFINITE in types)


def align_primary(key: Side, response: Side, *, match: Matcher, zeros_by_dependents: bool) -> MarkedAlignment:
    """Match all mentions, then leave out the secondary ones."""
    key, secondary = _with_secondary(key)
    pairs, meaning, remarks = match(key, response, zeros_by_dependents=zeros_by_dependents)
    whole = align_pairs(key, response, pairs)
    primary_key = _kept(key, key.cluster_of.keys() - secondary)
    primary_response = _kept(response, {m for m in response.cluster_of if meaning.get(m) not in secondary})
    left = [(k, r) for k, r in pairs if k in primary_key.cluster_of and r in primary_response.cluster_of]
    primary = align_pairs(primary_key, primary_response, left)
    return MarkedAlignment(
        primary.key,
        primary.response,
        primary.key_table,
        primary.response_table,
        primary.overlap,
        primary.partner,
        primary.found_key,
        primary.found_response,
        remarks=remarks,
        whole=whole,
        secondary=frozenset(secondary),
        meaning=meaning,
    )


def _with_secondary(key: Side) -> tuple[Side, set[int]]:
    """The key with secondary mentions even if they are alone, and the numbers of the secondary ones."""
    whole = build_side(key.parts, key.table, replace(key.how, singletons=True))
    secondary = {
        mention
        for cluster in whole.clusters
        for place, mention in enumerate(whole.table.in_order(cluster))
        if is_secondary(whole.mentions[mention], is_first=not place)
    }
    if secondary <= key.cluster_of.keys():
        return key, secondary
    wanted = _restricted(whole, key.cluster_of.keys() | secondary, least=1)
    return replace(wanted, how=key.how, repeated=key.repeated), secondary


def _kept(side: Side, mentions: Set[int]) -> Side:
    """The side with these mentions, and without what is a singleton now where singletons are out."""
    if len(mentions) == len(side.cluster_of) and (side.how.singletons or all(len(c) > 1 for c in side.clusters)):
        return side
    return _restricted(side, mentions, least=1 if side.how.singletons else 2)


def _restricted(side: Side, mentions: Set[int], *, least: int) -> Side:
    left = ([m for m in cluster if m in mentions] for cluster in side.clusters)
    clusters = [cluster for cluster in left if len(cluster) >= least]
    cluster_of = {mention: number for number, cluster in enumerate(clusters) for mention in cluster}
    return replace(
        side,
        clusters=clusters,
        cluster_of=cluster_of,
        mentions={number: mention for number, mention in side.mentions.items() if number in cluster_of},
        zeros={number: zero for number, zero in side.zeros.items() if number in cluster_of},
    )
