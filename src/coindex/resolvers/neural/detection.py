"""Mention detection with stack tags or scored spans, and the mentions of a document as arrays.

Stack tags represent the mentions of a sentence, including nested and crossing ones, as one tag per word. A tag is a
list of commands on a stack of open mentions: `PUSH` opens a mention at this word, and `POP:k` closes the k-th one from
the top after this word. A word first closes mentions that were open before, then opens new ones, then closes those
that consist only of this word. The empty tag does nothing (Straka and Straková 2022).

With scored spans, every span of a sentence up to a maximum width has a score, and the best ones are kept. These are
more than the mentions: spans that are not linked and have a low probability are removed later (Lee et al. 2017;
Kirstain et al. 2021).
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
from .words import DocumentWords, Floats, Ints, in_reading_order

WIDTHS = 10


@dataclass(frozen=True, slots=True)
class Mentions:
    """Mentions as arrays, one row per mention; word indices refer to the document."""

    start: Ints
    end: Ints
    kind: Ints
    number: Ints
    width: Ints
    sentence: Ints
    speaker: Ints

    def __len__(self) -> int:
        return len(self.start)


def describe(words: DocumentWords, spans: Sequence[Span]) -> Mentions:
    """Return the arrays of mentions, which are given in reading order."""
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
    """Return 0 for one word, 1 for two, 2 for three, 3 for four, then logarithmic buckets."""
    return np.minimum(log_bucket(width - 1), WIDTHS - 1)


def log_bucket(distance: Ints) -> Ints:
    """Map 0, 1, 2, 3, 4, 5-7, 8-15, 16-31 … to 0, 1, 2, 3, 4, 5, 6, 7 …"""
    distance = np.maximum(distance, 0)
    logs = np.floor(np.log2(np.maximum(distance, 1))).astype(np.int64)
    return np.where(distance <= 4, distance, logs + 3)


UNKNOWN, MASCULINE, FEMININE = range(3)
GENDERED_PRONOUNS = {KINDS.index("he"): MASCULINE, KINDS.index("she"): FEMININE}
NAMES = frozenset(KINDS.index(kind) for kind in ("name", "initial"))
NUMBER = {"Masc": MASCULINE, "Fem": FEMININE}


def genders(words: DocumentWords, mentions: Mentions, heads: Ints) -> Ints:
    """Return the gender of each mention if its words are unambiguous."""
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
"""The target of unknown tags and impossible spans, which are not trained."""


class Detector(Protocol):
    """Converts word scores of a model to mentions, and mentions to training targets."""

    @property
    def outputs(self) -> int:
        """The number of scores of each word."""
        ...

    @property
    def by_sentence(self) -> bool:
        """Whether sentences are decoded independently, so that they can be batched."""
        ...

    def raise_mentions(self, scores: Floats, bias: float) -> Floats:
        """Return the scores with a bias towards mentions."""
        ...

    def decode(self, scores: Floats, sentences: Sequence[Span]) -> list[Span]:
        """Return the mentions in reading order."""
        ...

    def targets(self, spans: Iterable[Span], sentences: Sequence[Span]) -> Ints:
        """Return the training targets: tag numbers [words], or 1 for mentions and 0 otherwise [words, outputs]."""
        ...

    def description(self) -> dict[str, Any]:
        """Return the entries for the description of a model folder."""
        ...


@dataclass(frozen=True, slots=True)
class SpanSet:
    """Spans of at most `width` words; the number of kept spans is `ratio` times the number of words."""

    width: int
    ratio: float

    @property
    def outputs(self) -> int:
        return self.width

    @property
    def by_sentence(self) -> bool:
        return False  # they share the number of spans that are kept

    def possible(self, sentences: Sequence[Span]) -> NDArray[np.bool_]:
        """Return whether each span lies within its sentence [words, width]."""
        ends = np.concatenate([np.full(end - start, end) for start, end in sentences])
        starts = np.arange(sentences[0][0], sentences[-1][1])
        return (starts[:, None] + np.arange(1, self.width + 1)) <= ends[:, None]

    def raise_mentions(self, scores: Floats, bias: float) -> Floats:
        return scores + np.float32(bias)

    def decode(self, scores: Floats, sentences: Sequence[Span]) -> list[Span]:
        """Return the best spans of all sentences together."""
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
        """Return 1 for the spans and 0 for others; spans that are too wide are ignored."""
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
    """Return the tags of the words from `start` to `end` for the spans in this range."""
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
    """Return the tags of the words of consecutive sentences."""
    starts = [start for start, _ in sentences]
    own: dict[int, list[Span]] = {}
    for span in spans:
        own.setdefault(bisect_right(starts, span[0]) - 1, []).append(span)
    return [tag for at, (start, end) in enumerate(sentences) for tag in encode_tags(own.get(at, ()), start, end)]


def _close(stack: list[Span], word: int) -> list[str]:
    """Close the spans that end after the word, from the top."""
    commands = []
    for at in reversed(range(len(stack))):
        if stack[at][1] == word + 1:
            commands.append(f"{POP}{len(stack) - at}")
            del stack[at]
    return commands


def decode_tags(tags: Sequence[str], start: int) -> list[Span]:
    """Return the spans of a sentence that starts at word `start`; open spans end with the sentence."""
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
    """The tags of a model. `depth` is the maximum number of open mentions."""

    names: tuple[str, ...]
    depth: int = 8

    @classmethod
    def of(cls, tags: Iterable[str], depth: int = 8) -> TagSet:
        """Return the set of all tags that occur, the empty one first."""
        return cls(("", *sorted(set(tags) - {""})), depth)

    @property
    def outputs(self) -> int:
        return len(self.names)

    @property
    def by_sentence(self) -> bool:
        return True

    def targets(self, spans: Iterable[Span], sentences: Sequence[Span]) -> Ints:
        """Return the numbers of the gold tags."""
        numbers = [self.number.get(tag, NO_TARGET) for tag in sentence_tags(spans, sentences)]
        return np.array(numbers, dtype=np.int64)

    def description(self) -> dict[str, Any]:
        return {"tags": list(self.names), "depth": self.depth}

    @cached_property
    def number(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def effects(self) -> list[tuple[int, int]]:
        """The number of open mentions that each tag needs, and the change of that number."""
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
        """Lower the score of the empty tag, which is the first."""
        return scores - np.where(np.arange(self.outputs) == 0, np.float32(bias), np.float32(0))

    def decode(self, logits: Floats, sentences: Sequence[Span]) -> list[Span]:
        """Return the spans of the best tag sequences in which all mentions are closed."""
        if not sentences:
            return []
        best = self._best_paths(logits, sentences)
        spans: list[Span] = []
        for (start, end), tags in zip(sentences, best, strict=True):
            if tags.any():
                spans += decode_tags([self.names[tag] for tag in tags[: end - start]], start)
        return spans

    def _best_paths(self, logits: Floats, sentences: Sequence[Span]) -> Ints:
        """Return the best tags [sentences, longest] by Viterbi; the state is the number of open mentions."""
        changes = np.array(sorted({change for _, change in self.effects}))
        value, choice = self._best_by_change(logits, changes.tolist())
        lengths = np.array([end - start for start, end in sentences])
        # longer sentences first, so that the active ones come first at every step
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
        """Return the best tag of each word by the number of open mentions and its change [words, depth, change]."""
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
