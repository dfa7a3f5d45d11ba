"""Which words of a tree belong to a mention: a matter of the corpus, learned from each by counting.

A style says of the direct children of a head, by their relation and side, whether they are inside. Where it knows
nothing of a relation, the sieves' own idea of a phrase holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..sieves.candidates import MANY, Candidate, Words
from ..sieves.detection import INSIDE, LONGEST

WHOLE = frozenset({"conj", "cc"})
"""What a coordination as a whole has besides."""


@dataclass(frozen=True, slots=True)
class Style:
    """Keys are such as `n:acl:R` or `v:obj:L`: head a noun or a verb, relation, side."""

    inside: Mapping[str, bool] = field(default_factory=dict)
    gaps: bool = False
    """Whether mentions may have gaps."""

    def holds(self, key: str) -> bool:
        kind, base, side = key.split(":")
        own = base in INSIDE and (base != "case" or side == "R") if kind == "n" else base != "punct"
        return self.inside.get(key, own)

    def to_dict(self) -> dict[str, Any]:
        return {"inside": dict(sorted(self.inside.items())), "gaps": self.gaps}


def read_style(data: Mapping[str, Any]) -> Style:
    return Style(inside=data["inside"], gaps=data["gaps"])


def child_key(words: Words, head: int, child: int) -> str:
    return f"{_kind(words, head)}:{words.bases[child]}:{'L' if child < head else 'R'}"


def _kind(words: Words, head: int) -> str:
    return "v" if words.upos[head] in ("VERB", "AUX") else "n"


def mention_positions(words: Words, candidate: Candidate, style: Style) -> tuple[int, ...]:
    """The words of a candidate in a style, in order."""
    head = candidate.head
    if head in words.empty:
        return (head,)
    positions = {head}
    for child in words.children[head][:MANY]:
        if (candidate.whole and words.bases[child] in WHOLE) or style.holds(child_key(words, head, child)):
            positions |= subtree(words, child)
        if len(positions) > LONGEST:
            return tuple(range(candidate.start, candidate.end))
    marks = positions if style.inside.get(f"{_kind(words, head)}:punct:R") else set()
    return _tidy(words, positions, head, marks=marks, gaps=style.gaps)


def without_shared(positions: tuple[int, ...], head: int, shared: frozenset[int]) -> tuple[int, ...]:
    """Without a determiner that is written in one word with what stands before the mention (del = de + el)."""
    return positions[1:] if positions[0] in shared and positions[0] != head else positions


def subtree(words: Words, top: int) -> set[int]:
    """A word and all below it."""
    positions = {top}
    left = [top]
    while left and len(positions) <= LONGEST:
        below = [child for child in words.children[left.pop()] if child not in positions]
        positions.update(below)
        left += below
    return positions


def _tidy(words: Words, positions: set[int], head: int, *, marks: set[int], gaps: bool) -> tuple[int, ...]:
    """Without marks at the edges but these; others and empty nodes inside belong to it, other gaps end it."""
    between_words = (at for at in range(min(positions), max(positions) + 1) if at not in marks or at in words.empty)
    light = {at for at in between_words if words.upos[at] == "PUNCT" or at in words.empty}
    solid = sorted(positions - light | {head})
    runs: list[list[int]] = []
    for at in solid:
        between = range(runs[-1][-1] + 1, at) if runs else ()
        if runs and all(other in light for other in between):
            runs[-1] += [*between, at]
        else:
            runs.append([at])
    if gaps:
        return tuple(at for run in runs for at in run)
    return tuple(next(run for run in runs if head in run))
