"""Mention detection: stack tags, scored spans, and the mentions of a document in arrays.

Scored spans: every span of a sentence up to a width has a score, and the best are kept.

Nested and crossing mentions come by themselves. What is kept is more than the mentions: a span that nothing is linked
to and that is hardly a mention itself is left out afterwards (Lee et al. 2017; Kirstain et al. 2021).

Stack tags: mentions of a sentence as one tag a word, nested and crossing ones too.

A tag is a list of commands on a stack of open mentions: `PUSH` opens one at this word, `POP:k` closes the k-th from
the top after this word. A word first closes mentions that were open before it, then opens its own, then closes those
that are this word alone. The empty tag does nothing (Straka and Straková 2022).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...document import Span
from ..linguistics.languages import language
from ..linguistics.mention_kinds import KINDS, kind_of, number_of
from .words import Floats, Ints, Words, in_reading_order

WIDTHS = 10


@dataclass(frozen=True, slots=True)
class Mentions:
    """One row a mention; words are counted in the document."""

    start: Ints
    end: Ints
    kind: Ints
    number: Ints
    width: Ints
    sentence: Ints
    speaker: Ints

    def __len__(self) -> int:
        return len(self.start)


def describe(words: Words, spans: Sequence[Span]) -> Mentions:
    """What the words tell of mentions that are given in reading order."""
    start = np.array([span[0] for span in spans], dtype=np.int64)
    end = np.array([span[1] for span in spans], dtype=np.int64)
    sentence = words.sentence_of[start] if len(spans) else start
    begins = [words.sentences[number][0] for number in sentence]
    kinds = [kind_of(words.forms, span, begin) for span, begin in zip(spans, begins, strict=True)]
    numbers = [number_of(words.forms, span) for span in spans]
    return Mentions(
        start=start,
        end=end,
        kind=np.array(kinds, dtype=np.int64),
        number=np.array(numbers, dtype=np.int64),
        width=width_bucket(end - start),
        sentence=sentence,
        speaker=np.array(words.speakers, dtype=np.int64)[sentence],
    )


def width_bucket(width: Ints) -> Ints:
    """0 for one word, 1 for two, 2 for three, 3 for four, then in doubling steps."""
    return np.minimum(log_bucket(width - 1), WIDTHS - 1)


def log_bucket(distance: Ints) -> Ints:
    """0, 1, 2, 3, 4, 5-7, 8-15, 16-31 … as 0, 1, 2, 3, 4, 5, 6, 7 …"""
    distance = np.maximum(distance, 0)
    logs = np.floor(np.log2(np.maximum(distance, 1))).astype(np.int64)
    return np.where(distance <= 4, distance, logs + 3)


UNKNOWN, MASCULINE, FEMININE = range(3)
GENDERED_PRONOUNS = {KINDS.index("he"): MASCULINE, KINDS.index("she"): FEMININE}
NAMES = frozenset(KINDS.index(kind) for kind in ("name", "initial"))
NUMBER = {"Masc": MASCULINE, "Fem": FEMININE}


def genders(words: Words, mentions: Mentions, heads: Ints) -> Ints:
    """Of each mention, as far as its words leave no doubt."""
    columns = (mentions.start.tolist(), mentions.end.tolist(), mentions.kind.tolist(), heads.tolist())
    return np.array([_gender(words.forms, *row) for row in zip(*columns, strict=True)], dtype=np.int64)


def _gender(forms: list[str], start: int, end: int, kind: int, head: int) -> int:
    if kind in GENDERED_PRONOUNS:
        return GENDERED_PRONOUNS[kind]
    english = language("en")
    if kind not in NAMES:
        return NUMBER.get(english.persons.get(forms[head].lower(), ""), UNKNOWN)
    first = forms[start].lower()
    if end - start > 1 and first in english.titles:
        return NUMBER.get(english.titles[first], UNKNOWN)
    return NUMBER.get(english.names.get(first, ""), UNKNOWN)


NO_TARGET = -100
"""Stands where there is nothing to learn: a tag that the model does not know, a span that cannot be."""


class Detector(Protocol):
    """Turns the scores that a model gives to words into mentions, and mentions into what its scores should be."""

    @property
    def outputs(self) -> int:
        """How many scores each word has."""
        ...

    @property
    def by_sentence(self) -> bool:
        """Whether the mentions of a sentence do not depend on the others, so that any may be decoded together."""
        ...

    def raise_mentions(self, scores: Floats, bias: float) -> Floats:
        """The scores with mentions more probable by so much."""
        ...

    def decode(self, scores: Floats, sentences: Sequence[Span]) -> list[Span]:
        """The mentions in reading order."""
        ...

    def targets(self, spans: Iterable[Span], sentences: Sequence[Span]) -> Ints:
        """What is learned: [words] the number of a tag, or [words, outputs] 1 for a mention and 0 for none."""
        ...

    def description(self) -> dict[str, Any]:
        """What a model folder says of it."""
        ...


@dataclass(frozen=True, slots=True)
class SpanSet:
    """Spans of at most `width` words; as many of them are kept as `ratio` times the words."""

    width: int
    ratio: float

    @property
    def outputs(self) -> int:
        return self.width

    @property
    def by_sentence(self) -> bool:
        return False  # they share the number of spans that are kept

    def possible(self, sentences: Sequence[Span]) -> NDArray[np.bool_]:
        """[words, width]: whether the span of so many words from this one on lies in its sentence."""
        ends = np.concatenate([np.full(end - start, end) for start, end in sentences])
        starts = np.arange(sentences[0][0], sentences[-1][1])
        return (starts[:, None] + np.arange(1, self.width + 1)) <= ends[:, None]

    def raise_mentions(self, scores: Floats, bias: float) -> Floats:
        return scores + np.float32(bias)

    def decode(self, scores: Floats, sentences: Sequence[Span]) -> list[Span]:
        """The best spans of all sentences together."""
        if not sentences:
            return []
        first, last = sentences[0][0], sentences[-1][1]
        possible = self.possible(sentences).ravel()
        values = np.where(possible, scores[first:last].ravel(), -np.inf)
        count = min(ceil(self.ratio * (last - first)), int(possible.sum()))
        best = np.argsort(-values, kind="stable")[:count]
        starts, widths = best // self.width + first, best % self.width + 1
        return in_reading_order(zip(starts.tolist(), (starts + widths).tolist(), strict=True))

    def targets(self, spans: Iterable[Span], sentences: Sequence[Span]) -> Ints:
        """1 for the spans, 0 for the others; spans that are too wide cannot be learned."""
        targets = np.where(self.possible(sentences), 0, NO_TARGET).astype(np.int64)
        for start, end in spans:
            if end - start <= self.width:
                targets[start - sentences[0][0], end - start - 1] = 1
        return targets

    def description(self) -> dict[str, Any]:
        return {"tags": [], "depth": 0, "width": self.width, "ratio": self.ratio}


PUSH = "PUSH"
POP = "POP:"
IMPOSSIBLE = np.float32(-1e9)


def encode_tags(spans: Iterable[Span], start: int, end: int) -> list[str]:
    """The tags of the words start..end for the spans that lie among them."""
    opening: dict[int, list[Span]] = {}
    for span in in_reading_order(spans):
        opening.setdefault(span[0], []).append(span)
    stack: list[Span] = []
    tags = []
    for word in range(start, end):
        commands = _close(stack, word)
        for span in opening.get(word, ()):
            commands.append(PUSH)
            stack.append(span)
        tags.append(",".join(commands + _close(stack, word)))
    return tags


def sentence_tags(spans: Iterable[Span], sentences: Sequence[Span]) -> list[str]:
    """The tags of the words of some sentences that follow each other."""
    starts = [start for start, _ in sentences]
    own: dict[int, list[Span]] = {}
    for span in spans:
        own.setdefault(bisect_right(starts, span[0]) - 1, []).append(span)
    return [tag for at, (start, end) in enumerate(sentences) for tag in encode_tags(own.get(at, ()), start, end)]


def _close(stack: list[Span], word: int) -> list[str]:
    """Close what ends after the word, from the top."""
    commands = []
    for at in reversed(range(len(stack))):
        if stack[at][1] == word + 1:
            commands.append(f"{POP}{len(stack) - at}")
            del stack[at]
    return commands


def decode_tags(tags: Sequence[str], start: int) -> list[Span]:
    """The spans of a sentence that begins at word `start`; what is left open ends with it."""
    stack: list[int] = []
    spans = []
    for word, tag in enumerate(tags, start):
        for command in filter(None, tag.split(",")):
            if command == PUSH:
                stack.append(word)
            elif stack:
                at = max(0, len(stack) - int(command.removeprefix(POP)))
                spans.append((stack.pop(at), word + 1))
    spans += [(first, start + len(tags)) for first in stack]
    return in_reading_order(spans)


@dataclass(frozen=True)
class TagSet:
    """The tags a model knows. `depth` is how many mentions may be open at once."""

    names: tuple[str, ...]
    depth: int = 8

    @classmethod
    def of(cls, tags: Iterable[str], depth: int = 8) -> TagSet:
        """All tags that occur, the empty one first."""
        return cls(("", *sorted(set(tags) - {""})), depth)

    @property
    def outputs(self) -> int:
        return len(self.names)

    @property
    def by_sentence(self) -> bool:
        return True

    def targets(self, spans: Iterable[Span], sentences: Sequence[Span]) -> Ints:
        """The numbers of the gold tags."""
        numbers = [self.number.get(tag, NO_TARGET) for tag in sentence_tags(spans, sentences)]
        return np.array(numbers, dtype=np.int64)

    def description(self) -> dict[str, Any]:
        return {"tags": list(self.names), "depth": self.depth}

    @cached_property
    def number(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def effects(self) -> list[tuple[int, int]]:
        """For each tag: how many mentions must be open before it, and how many more are open after it."""
        effects = []
        for name in self.names:
            need = change = 0
            for command in filter(None, name.split(",")):
                if command == PUSH:
                    change += 1
                else:
                    need = max(need, int(command.removeprefix(POP)) - change)
                    change -= 1
            effects.append((need, change))
        return effects

    def raise_mentions(self, scores: Floats, bias: float) -> Floats:
        """Against the empty tag, which is the first."""
        return scores - np.where(np.arange(self.outputs) == 0, np.float32(bias), np.float32(0))

    def decode(self, logits: Floats, sentences: Sequence[Span]) -> list[Span]:
        """The best spans: in each sentence the tags of the highest sum that close all that they open."""
        if not sentences:
            return []
        best = self._best_paths(logits, sentences)
        spans: list[Span] = []
        for (start, end), tags in zip(sentences, best, strict=True):
            if tags.any():
                spans += decode_tags([self.names[tag] for tag in tags[: end - start]], start)
        return spans

    def _best_paths(self, logits: Floats, sentences: Sequence[Span]) -> Ints:
        """Viterbi whose state is the number of open mentions, on all sentences at once: [sentences, longest]."""
        changes = np.array(sorted({change for _, change in self.effects}))
        value, choice = self._best_by_change(logits, changes.tolist())
        lengths = np.array([end - start for start, end in sentences])
        # the longer sentences first, so that those that go on are the first ones at every step
        order = np.argsort(-lengths, kind="stable")
        starts = np.array([start for start, _ in sentences])[order]
        live = np.searchsorted(-lengths[order], -np.arange(int(lengths.max())), side="left").tolist()
        states, steps = self.depth + 1, len(changes)
        # [states, changes]: the state before a change that leads to this state
        before = np.arange(states)[:, None] - changes
        source = (np.clip(before, 0, self.depth) * steps + np.arange(steps)).ravel()
        barred = np.where((before < 0) | (before > self.depth), IMPOSSIBLE, np.float32(0)).ravel()
        scores = np.full((len(sentences), states), IMPOSSIBLE)
        scores[:, 0] = 0
        back = np.zeros((len(live), len(sentences), states), dtype=np.int8)
        for at, count in enumerate(live):
            # [live, states before, changes], then [live, states after, changes]
            total = scores[:count, :, None] + value[starts[:count] + at]
            new = (total.reshape(count, -1)[:, source] + barred).reshape(count, states, steps)
            back[at, :count] = new.argmax(axis=2)
            scores[:count] = new.max(axis=2)
        paths = np.zeros((len(sentences), len(live)), dtype=np.int64)
        paths[order] = self._walk_back(back, choice, changes, starts, live)
        return paths

    def _best_by_change(self, logits: Floats, changes: list[int]) -> tuple[Floats, Ints]:
        """The best tag of each word by the number of open mentions and its change: [words, depth, change]."""
        shape = (len(logits), self.depth + 1, len(changes))
        value = np.full(shape, IMPOSSIBLE, dtype=np.float32)
        choice = np.zeros(shape, dtype=np.int64)
        groups: dict[tuple[int, int], list[int]] = {}
        for tag, effect in enumerate(self.effects):
            groups.setdefault(effect, []).append(tag)
        for (need, change), tags in groups.items():
            if need > self.depth:
                continue
            own = logits[:, tags]
            score, best = own.max(axis=1), np.array(tags)[own.argmax(axis=1)]
            column = changes.index(change)
            better = score[:, None] > value[:, need:, column]
            value[:, need:, column] = np.where(better, score[:, None], value[:, need:, column])
            choice[:, need:, column] = np.where(better, best[:, None], choice[:, need:, column])
        return value, choice

    def _walk_back(self, back: NDArray[np.int8], choice: Ints, changes: Ints, starts: Ints, live: list[int]) -> Ints:
        depth = np.zeros(len(starts), dtype=np.int64)  # all closed at the end
        paths = np.zeros((len(starts), len(live)), dtype=np.int64)
        every = np.arange(len(starts))
        for at in reversed(range(len(live))):
            count = live[at]
            column = back[at, every[:count], depth[:count]]
            before = np.minimum(np.maximum(depth[:count] - changes[column], 0), self.depth)
            paths[:count, at] = choice[starts[:count] + at, before, column]
            depth[:count] = before
        return paths
