"""Lenient matching (RU-EVAL 2014, section 4): borders may differ as long as the key's head is there.

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
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ..document import Document, Mention
from ..document.heads import find_head
from ..document.trees import Trees
from .alignment import Alignment, Remark, align_pairs
from .mor import shared_words
from .onetoone import Pair, Rows, find_pairs
from .sides import Side
from .words import contains


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
            Remark(f"unknown head in {name}", side, [side.mentions[mention] for mention in unsure])
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
