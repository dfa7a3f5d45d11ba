"""Lenient matching and markables of RU-EVAL 2014 (sections 3.5 and 4), and matching by overlap.

A response mention matches a key mention if

- they share words, and the head of the key mention is among these;
- not: it holds the whole key mention and its own head lies outside ("the captain's dog" is no match for "the
  captain").

A head is the one that is given, else the highest word in the dependency tree. Where nobody knows it, a rule that needs
it is not applied and a warning says how often: any shared word will do for the key's head, and no match is excluded
for the response's.

"A System NP matches the only one GOLD NP": of several that it could match. The paper neither says which nor whether
two response mentions may match one key mention. Here matching is one to one, so that one found mention never counts as
two: first equal mentions, then the pairs of greatest total overlap (shared words over the words of the longer); of
equal totals the order in the text decides. Where only the question is what a response mention stands for (the anaphora
track, secondary markables), one without a partner stands for the key mention it matches with the greatest overlap.

Primary and secondary markables (RU-EVAL 2014, section 3.5): secondary ones are never counted and never penalised.

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

Matching by overlap (ARE 2007, section 3.3.3, after Cristea and Postolache 2006): shared words over the longer.

The paper has "the length in words of the string resulting from the overlap of E1 and E2, if this overlap is possible".
Entities are places in the text (tasks 3 and 4 name them by nodes), so the overlap is that of places: the words that
both have, not words that look alike. So "the government of Zair" and "the government" inside it overlap by 2 / 4, and
"Zair's government" elsewhere in the text by 0, as the paper says. By look, the latter would have *Zair* or
*government* in common.

As a matching, a mention has at most one partner, and the pairs are those of greatest total overlap. To pair equal
mentions first takes nothing from the total: one minus the overlap is a distance that keeps the triangle inequality.
Among equal totals the order in the text decides, as `assignment` has it. Metrics count such a pair as any other; only
the metrics of the ARE profiles count it by its overlap (`are`, `weighted_muc`).
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..document import Document, Mention
from ..document.heads import Trees, find_head
from .alignment import Alignment, Remark, align_pairs
from .corefud12 import Pair, Rows, find_pairs
from .metrics.mor import shared_words
from .sides import Side, build_side
from .token_alignment import Words, common_words, contains


class Match(NamedTuple):
    """Which mentions correspond."""

    pairs: list[Pair]
    """Key and response mentions, each at most once."""
    meaning: dict[int, int]
    """The key mention that a response mention stands for, which several may."""
    remarks: tuple[Remark, ...] = ()


def align_lenient(key: Side, response: Side, *, zeros_by_dependents: bool) -> Alignment:
    """Mentions match that share the key's head."""
    judge = _Judge(key, response)
    pairs = judge.pairs(zeros_by_dependents=zeros_by_dependents)
    return replace(align_pairs(key, response, pairs), remarks=judge.remarks())


def match_lenient(key: Side, response: Side, *, zeros_by_dependents: bool) -> Match:
    """The pairs of `align_lenient`, and what mentions without a partner stand for."""
    judge = _Judge(key, response)
    pairs = judge.pairs(zeros_by_dependents=zeros_by_dependents)
    meaning = {r: k for k, r in pairs}
    rows = key.table.in_order(key.cluster_of)
    columns = key.table.in_order(response.cluster_of.keys() - meaning.keys())
    best: dict[int, tuple[float, int]] = {}
    for mention, line in zip(rows, judge.weigh(rows, columns), strict=True):
        for column, weight in line.items():
            if weight > best.get(columns[column], (0.0, -1))[0]:
                best[columns[column]] = weight, mention
    return Match(pairs, meaning | {r: k for r, (_, k) in best.items()}, judge.remarks())


class _Judge:
    """Decides which mentions of two sides match, and remembers where it had to guess."""

    def __init__(self, key: Side, response: Side) -> None:
        self.key, self.response = key, response
        self.key_heads, self.response_heads = _Heads(key), _Heads(response)
        self.unsure_key: dict[int, None] = {}
        self.unsure_response: dict[int, None] = {}

    def pairs(self, *, zeros_by_dependents: bool) -> list[Pair]:
        pairs, same = find_pairs(
            self.key,
            self.response,
            lambda rows, columns, key, response: self.weigh(rows, columns),
            zeros_by_dependents=zeros_by_dependents,
        )
        return [*pairs, *((mention, mention) for mention in sorted(same))]

    def weigh(self, rows: list[int], columns: list[int]) -> Rows:
        """For each key mention the overlap with the response mentions that match it."""
        words = self.key.table.words
        mine, theirs = [words[mention] for mention in rows], [words[mention] for mention in columns]
        return [
            {
                column: number / max(len(mine[row]), len(theirs[column]))
                for column, number in shared.items()
                if self._match(rows[row], columns[column], number == len(mine[row]))
            }
            for row, shared in enumerate(shared_words(mine, theirs))
        ]

    def _match(self, key: int, response: int, has_all: bool) -> bool:
        """Whether two mentions that share words match; `has_all`: the response one has all words of the other."""
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

    def remarks(self) -> tuple[Remark, ...]:
        return tuple(
            Remark(name, side, [side.mentions[mention] for mention in unsure], code="unknown-head")
            for name, side, unsure in (
                ("key", self.key, self.unsure_key),
                ("response", self.response, self.unsure_response),
            )
        )


class _Heads:
    """The heads of a side's mentions, as far as anybody knows them."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.trees: dict[int, Trees] = {}
        self.found: dict[int, int | None] = {}

    def find(self, mention: int) -> int | None:
        """The head word; None where neither the mention nor a tree says it."""
        if mention not in self.found:
            doc, codes, given = self.side.spot(self.side.mentions[mention])
            position = self._position(doc, given)
            self.found[mention] = None if position is None else codes[position]
        return self.found[mention]

    def _position(self, doc: Document, mention: Mention) -> int | None:
        if mention.head is not None:
            return mention.head
        if not doc.sentences or any(token.head in ("_", "") for token in mention.tokens if not token.is_empty):
            return None
        return find_head(mention, self.trees.setdefault(id(doc), Trees(doc)))


def match_exact(key: Side, response: Side, *, zeros_by_dependents: bool) -> Match:
    """The mentions that have the same words."""
    pairs, same = find_pairs(key, response, None, zeros_by_dependents=zeros_by_dependents)
    pairs += [(mention, mention) for mention in sorted(same)]
    return Match(pairs, {r: k for k, r in pairs})


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


def overlap(one: Words, other: Words) -> float:
    """Shared words over the words of the longer.

    >>> overlap((0, 1, 2, 3), (0, 1)), overlap((0, 1, 2, 3), (6, 7))
    (0.5, 0.0)
    """
    return common_words(one, other) / max(len(one), len(other))


def align_overlap(key: Side, response: Side, *, zeros_by_dependents: bool) -> Alignment:
    """Mentions match that share words, so that all pairs together overlap most."""
    pairs, same = find_pairs(key, response, _weigh, zeros_by_dependents=zeros_by_dependents)
    return replace(align_pairs(key, response, [*pairs, *((m, m) for m in same)]), weighted=True)


def _weigh(rows: list[int], columns: list[int], key: Side, response: Side) -> Rows:
    words = key.table.words
    theirs = [words[mention] for mention in columns]
    return [
        {column: overlap(words[mention], theirs[column]) for column in shared}
        for mention, shared in zip(rows, shared_words([words[mention] for mention in rows], theirs), strict=True)
    ]
