"""Lenient matching and markables of RU-EVAL 2014 (sections 3.5 and 4), and matching by overlap (ARE 2007).

**Lenient matching.** A response mention matches a key mention if they share words and the head of the key mention is
among these words, except if the response mention contains the whole key mention and has its own head outside of it
("the captain's dog" does not match "the captain").

The head is the annotated one or the highest word in the dependency tree. If the head is unknown, the rule that needs
it is not applied, and a warning reports how often: without a key head any shared word is sufficient, and without a
response head no match is excluded.

"A System NP matches the only one GOLD NP": the paper specifies neither which one, nor whether two response mentions
may match the same key mention. Here matching is one to one, so that a mention never counts twice: first equal
mentions, then the pairs with the greatest total overlap (shared words divided by the words of the longer mention); ties
are broken by the order in the text. Where only the key counterpart of a response mention matters (the anaphora track,
secondary markables), the counterpart of an unmatched response mention is the key mention with the greatest overlap
among those it could match.

**Primary and secondary markables.** Secondary markables (RU-EVAL 2014, section 3.5) are never counted and never
penalised. In the key these are appositions (attribute `func` or `ref` with the value `appo`), predicates (`pred`),
first and second person pronouns in direct speech (`ds`), and indefinite descriptions (`indef`) that are the first
mention of their entity. The attribute `markable` with the value `secondary` or `primary` overrides `func`. Attributes
of the response are ignored, as a system could use them to hide its errors.

For the coreference metrics, both sides are matched with all their mentions. Then the secondary key mentions are
removed, together with the response mentions that are their counterparts, even if several share one. An entity with one
mention left is a singleton and is removed too if singletons are excluded. The rest is counted with its matches, so

- a key entity is scored without its secondary mentions, and a link to one of them is not part of recall;
- a response that contains them scores the same as one that does not, whatever entity they are in;
- a secondary key mention that is a singleton takes part in matching, although other singletons are excluded.

A response mention of this kind that the key does not annotate at all is an ordinary error.

**Matching by overlap.** ARE 2007 (section 3.3.3, after Cristea and Postolache 2006) divides the shared words by the
words of the longer mention. The paper defines "the length in words of the string resulting from the overlap of E1 and
E2, if this overlap is possible". Entities are positions in the text (tasks 3 and 4 identify them by nodes), so the
overlap is that of positions, not of equal strings: "the government of Zair" and "the government" inside it overlap by 2
/ 4, and "Zair's government" elsewhere in the text by 0, as in the paper; comparing strings, the latter would share
*Zair* or *government*.

As a matching, a mention has at most one partner, and the pairs are those with the greatest total overlap. Pairing
equal mentions first does not reduce the total, because one minus the overlap is a distance that satisfies the triangle
inequality. Ties are broken by the order in the text, see `assignment`. Most metrics count such a pair like any other;
only the metrics of the ARE profiles weight it by its overlap (`are`, `weighted_muc`).
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..document import Document, Mention
from ..document.heads import Trees, find_head
from .alignment import Alignment, Remark, align_pairs
from .corefud12 import Pair, Rows, find_pairs
from .metrics.mor import find_shared_words
from .sides import Side, build_side
from .token_alignment import Words, common_words, contains


class Match(NamedTuple):
    """The mentions that match."""

    pairs: list[Pair]
    """Key and response mentions, each at most once."""
    meaning: dict[int, int]
    """The key counterpart of each response mention; several may share one."""
    remarks: tuple[Remark, ...] = ()


def align_lenient(key: Side, response: Side, *, zeros_by_dependents: bool) -> Alignment:
    """Match mentions that share the head of the key mention."""
    judge = _Judge(key, response)
    pairs = judge.find_pairs(zeros_by_dependents=zeros_by_dependents)
    return replace(align_pairs(key, response, pairs), remarks=judge.make_remarks())


def match_lenient(key: Side, response: Side, *, zeros_by_dependents: bool) -> Match:
    """Return the pairs of `align_lenient`, and the key counterparts of unmatched response mentions."""
    judge = _Judge(key, response)
    pairs = judge.find_pairs(zeros_by_dependents=zeros_by_dependents)
    meaning = {r: k for k, r in pairs}
    rows = key.table.in_order(key.cluster_of)
    columns = key.table.in_order(response.cluster_of.keys() - meaning.keys())
    best: dict[int, tuple[float, int]] = {}
    for mention, line in zip(rows, judge.weigh(rows, columns), strict=True):
        for column, weight in line.items():
            if weight > best.get(columns[column], (0.0, -1))[0]:
                best[columns[column]] = weight, mention
    return Match(pairs, meaning | {r: k for r, (_, k) in best.items()}, judge.make_remarks())


class _Judge:
    """Decides which mentions of two sides match, and records the mentions whose head is unknown."""

    def __init__(self, key: Side, response: Side) -> None:
        self.key, self.response = key, response
        self.key_heads, self.response_heads = _MentionHeads(key), _MentionHeads(response)
        self.unsure_key: dict[int, None] = {}
        self.unsure_response: dict[int, None] = {}

    def find_pairs(self, *, zeros_by_dependents: bool) -> list[Pair]:
        pairs, same = find_pairs(
            self.key,
            self.response,
            lambda rows, columns, key, response: self.weigh(rows, columns),
            zeros_by_dependents=zeros_by_dependents,
        )
        return [*pairs, *((mention, mention) for mention in sorted(same))]

    def weigh(self, rows: list[int], columns: list[int]) -> Rows:
        """Return for each key mention its overlap with the response mentions that match it."""
        words = self.key.table.words
        mine, theirs = [words[mention] for mention in rows], [words[mention] for mention in columns]
        return [
            {
                column: number / max(len(mine[row]), len(theirs[column]))
                for column, number in shared.items()
                if self._match(rows[row], columns[column], number == len(mine[row]))
            }
            for row, shared in enumerate(find_shared_words(mine, theirs))
        ]

    def _match(self, key: int, response: int, has_all: bool) -> bool:
        """Return whether two mentions that share words match; `has_all`: the response has all words of the key."""
        words = self.key.table.words
        if not has_all:
            head = self.key_heads.find(key)
            if head is None:
                self.unsure_key[key] = None
            return head is None or contains(words[response], head)
        if len(words[response]) == len(words[key]):
            return True
        head = self.response_heads.find(response)
        if head is None:
            self.unsure_response[response] = None
        return head is None or contains(words[key], head)

    def make_remarks(self) -> tuple[Remark, ...]:
        return tuple(
            Remark(name, side, [side.mentions[mention] for mention in unsure], code="unknown-head")
            for name, side, unsure in (
                ("key", self.key, self.unsure_key),
                ("response", self.response, self.unsure_response),
            )
        )


class _MentionHeads:
    """The heads of the mentions of a side, where they are known."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.trees: dict[int, Trees] = {}
        self.cache: dict[int, int | None] = {}

    def find(self, mention: int) -> int | None:
        """Return the head word, or None if it is neither annotated nor given by a dependency tree."""
        if mention not in self.cache:
            doc, codes, given = self.side.spot(self.side.mentions[mention])
            position = self._find_position(doc, given)
            self.cache[mention] = None if position is None else codes[position]
        return self.cache[mention]

    def _find_position(self, doc: Document, mention: Mention) -> int | None:
        if mention.head is not None:
            return mention.head
        if not doc.sentences or any(token.head in ("_", "") for token in mention.tokens if not token.is_empty):
            return None
        return find_head(mention, self.trees.setdefault(id(doc), Trees(doc)))


def match_exact(key: Side, response: Side, *, zeros_by_dependents: bool) -> Match:
    """Match mentions that have the same words."""
    pairs, same = find_pairs(key, response, None, zeros_by_dependents=zeros_by_dependents)
    pairs += [(mention, mention) for mention in sorted(same)]
    return Match(pairs, {r: k for k, r in pairs})


ATTRIBUTE = "markable"
TYPE_ATTRIBUTES = ("func", "ref")
"""The attributes with the functional type: `func` in the format of coindex, `ref` in RuCor."""
SECONDARY_TYPES = frozenset({"appo", "pred", "ds"})
INDEFINITE = "indef"

Matcher = Callable[..., Match]


@dataclass(frozen=True, slots=True)
class MarkedAlignment(Alignment):
    """An alignment of primary markables, with the alignment before the secondary ones were removed."""

    whole: Alignment | None = None
    secondary: frozenset[int] = frozenset()
    """The secondary mentions of the key."""
    meaning: dict[int, int] = field(default_factory=dict)
    """The key counterpart of each response mention; several may share one."""


def is_secondary(mention: Mention, *, is_first: bool) -> bool:
    """Return whether a key mention is a secondary markable; `is_first`: it is the first mention of its entity."""
    markable = mention.attributes.get(ATTRIBUTE)
    if markable is not None:
        return markable == "secondary"
    types = {type for name in TYPE_ATTRIBUTES for type in mention.attributes.get(name, "").split(",")}
    return not SECONDARY_TYPES.isdisjoint(types) or (is_first and INDEFINITE in types)


def align_primary(key: Side, response: Side, *, match: Matcher, zeros_by_dependents: bool) -> MarkedAlignment:
    """Match all mentions, then remove the secondary ones."""
    key, secondary = _add_secondary(key)
    pairs, meaning, remarks = match(key, response, zeros_by_dependents=zeros_by_dependents)
    whole = align_pairs(key, response, pairs)
    primary_key = _filter_mentions(key, key.cluster_of.keys() - secondary)
    primary_response = _filter_mentions(response, {m for m in response.cluster_of if meaning.get(m) not in secondary})
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


def _add_secondary(key: Side) -> tuple[Side, set[int]]:
    """Return the key with its secondary mentions, also if they are singletons, and their numbers."""
    whole = build_side(key.parts, key.table, replace(key.how, singletons=True))
    secondary = {
        mention
        for cluster in whole.clusters
        for place, mention in enumerate(whole.table.in_order(cluster))
        if is_secondary(whole.mentions[mention], is_first=not place)
    }
    if secondary <= key.cluster_of.keys():
        return key, secondary
    wanted = _restrict(whole, key.cluster_of.keys() | secondary, least=1)
    return replace(wanted, how=key.how, repeated=key.repeated), secondary


def _filter_mentions(side: Side, mentions: Set[int]) -> Side:
    """Return the side with only these mentions, and without new singletons if singletons are excluded."""
    if len(mentions) == len(side.cluster_of) and (side.how.singletons or all(len(c) > 1 for c in side.clusters)):
        return side
    return _restrict(side, mentions, least=1 if side.how.singletons else 2)


def _restrict(side: Side, mentions: Set[int], *, least: int) -> Side:
    left = ([m for m in cluster if m in mentions] for cluster in side.clusters)
    clusters = [cluster for cluster in left if len(cluster) >= least]
    cluster_of = {mention: number for number, cluster in enumerate(clusters) for mention in cluster}
    return replace(
        side,
        clusters=clusters,
        cluster_of=cluster_of,
        mentions={number: mention for number, mention in side.mentions.items() if number in cluster_of},
        zeros={number: zero for number, zero in side.zeros.items() if number in cluster_of},
        other_zeros=frozenset(),  # of the entities before; whether a zero is one is judged by its first mention here
    )


def overlap(first: Words, second: Words) -> float:
    """Return the number of shared words divided by the number of words of the longer mention.

    >>> overlap((0, 1, 2, 3), (0, 1)), overlap((0, 1, 2, 3), (6, 7))
    (0.5, 0.0)
    """
    return common_words(first, second) / max(len(first), len(second))


def align_overlap(key: Side, response: Side, *, zeros_by_dependents: bool) -> Alignment:
    """Match mentions that share words, with the greatest total overlap."""
    pairs, same = find_pairs(key, response, _weigh, zeros_by_dependents=zeros_by_dependents)
    return replace(align_pairs(key, response, [*pairs, *((m, m) for m in same)]), weighted=True)


def _weigh(rows: list[int], columns: list[int], key: Side, response: Side) -> Rows:
    words = key.table.words
    theirs = [words[mention] for mention in columns]
    return [
        {column: overlap(words[mention], theirs[column]) for column in shared}
        for mention, shared in zip(rows, find_shared_words([words[mention] for mention in rows], theirs), strict=True)
    ]
