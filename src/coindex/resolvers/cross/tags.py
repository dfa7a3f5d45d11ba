"""Flat mentions as tags of words: outside, the first word of a mention of some type, one further inside it.

Events and entities have tags of their own, since a word may be in one of each; within a kind mentions do not nest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...document import Kind, Span
from ..neural.words import Floats, Ints

OUTSIDE = 0
IMPOSSIBLE = np.float32(-1e9)


class Found(NamedTuple):
    """A mention: its words, and how probable it is."""

    start: int
    end: int
    probability: float


@dataclass(frozen=True)
class KindTags:
    """The tags of one kind. `bias` is added to the score of being outside: below 0 more mentions are found.

    Tag 0 is outside; type n begins with tag 1 + 2n and goes on with tag 2 + 2n.
    """

    types: tuple[str, ...]
    bias: float = 0.0

    @property
    def outputs(self) -> int:
        return 1 + 2 * len(self.types)

    @cached_property
    def _barred(self) -> Floats:
        """[tags, tags]: what stands against a tag after another: it goes on with what is not there."""
        before, after = np.meshgrid(np.arange(self.outputs), np.arange(self.outputs), indexing="ij")
        goes_on = (after > 0) & (after % 2 == 0)
        fits = (before == after) | (before == after - 1)
        return np.where(goes_on & ~fits, IMPOSSIBLE, np.float32(0))

    def targets(self, spans: Iterable[tuple[Span, str]], words: int) -> Ints:
        """The tags of words for mentions with their types; of two that overlap the first one counts."""
        tags = np.zeros(words, dtype=np.int64)
        for (start, end), name in spans:
            if not tags[start:end].any():
                first = 1 + 2 * self.types.index(name)
                tags[start] = first
                tags[start + 1 : end] = first + 1
        return tags

    def decode(self, scores: Floats, sentences: Sequence[Span]) -> list[Found]:
        """The mentions of the likeliest tags that fit each other; `scores` are logarithms of probabilities."""
        biased = scores.copy()
        biased[:, OUTSIDE] += self.bias
        probability = np.exp(scores)
        inside = probability[:, 2::2].sum(axis=1)
        begins = probability[:, 1::2].sum(axis=1)
        return [
            Found(first, last, _probability(begins, inside, first, last, end))
            for start, end in sentences
            for first, last in _spans(self._best(biased[start:end]), start)
        ]

    def _best(self, scores: Floats) -> list[int]:
        """Viterbi over the words of a sentence."""
        total = scores[0] + self._barred[OUTSIDE]
        back = []
        for row in scores[1:]:
            # [tags before, tags]
            steps = total[:, None] + self._barred
            back.append(steps.argmax(axis=0))
            total = steps.max(axis=0) + row
        tags = [int(total.argmax())]
        for sources in reversed(back):
            tags.append(int(sources[tags[-1]]))
        return tags[::-1]


def _spans(tags: Sequence[int], start: int) -> list[Span]:
    spans: list[Span] = []
    begin = None
    for at, tag in enumerate([*tags, OUTSIDE], start):
        if begin is not None and (tag % 2 == 1 or tag == OUTSIDE):
            spans.append((begin, at))
            begin = None
        if tag % 2 == 1:
            begin = at
    return spans


def _probability(begins: Floats, inside: Floats, first: int, last: int, end: int) -> float:
    """That a mention of any type begins here, goes on, and ends here."""
    ends = 1 - inside[last] if last < end else 1.0
    return float(begins[first] * inside[first + 1 : last].prod() * ends)


def read_tags(data: Mapping[str, Any]) -> dict[Kind, KindTags]:
    """The tags that a model folder describes, in the order of its columns."""
    return {_kind(name): KindTags(tuple(values["types"]), float(values["bias"])) for name, values in data.items()}


def tags_description(tags: Mapping[Kind, KindTags]) -> dict[str, Any]:
    """What a model folder says of its tags."""
    return {kind: {"types": list(own.types), "bias": own.bias} for kind, own in tags.items()}


def _kind(name: str) -> Kind:
    if name not in ("entity", "event"):
        raise ValueError(f"the kind {name!r}")
    return "event" if name == "event" else "entity"
