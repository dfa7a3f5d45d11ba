"""Stack tags: mentions of a sentence as one tag a word, nested and crossing ones too.

A tag is a list of commands on a stack of open mentions: `PUSH` opens one at this word, `POP:k` closes the k-th from
the top after this word. A word first closes mentions that were open before it, then opens its own, then closes those
that are this word alone. The empty tag does nothing (Straka and Straková 2022).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...document import Span
from .words import Floats, Ints, in_reading_order

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
        changes = sorted({change for _, change in self.effects})
        value, choice = self._best_by_change(logits, changes)
        lengths = np.array([end - start for start, end in sentences])
        starts = np.array([start for start, _ in sentences])
        count, longest, states = len(sentences), int(lengths.max()), self.depth + 1
        scores = np.full((count, states), IMPOSSIBLE)
        scores[:, 0] = 0
        back = np.zeros((longest, count, states), dtype=np.int8)
        for at in range(longest):
            live = lengths > at
            rows = starts[live] + at
            # [live, states, changes]: from a depth by a change
            total = scores[live][:, :, None] + value[rows]
            new = np.full((len(rows), states, len(changes)), IMPOSSIBLE)
            for number, change in enumerate(changes):
                low, high = max(0, change), min(states, states + change)
                new[:, low:high, number] = total[:, low - change : high - change, number]
            back[at, live] = new.argmax(axis=2)
            scores[live] = new.max(axis=2)
        return self._walk_back(back, choice, changes, starts, lengths)

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

    def _walk_back(self, back: NDArray[np.int8], choice: Ints, changes: list[int], starts: Ints, lengths: Ints) -> Ints:
        longest, count, _ = back.shape
        steps = np.array(changes)
        depth = np.zeros(count, dtype=np.int64)  # all closed at the end
        paths = np.zeros((count, longest), dtype=np.int64)
        for at in reversed(range(longest)):
            live = np.flatnonzero(lengths > at)
            column = back[at, live, depth[live]]
            before = np.clip(depth[live] - steps[column], 0, self.depth)
            paths[live, at] = choice[starts[live] + at, before, column]
            depth[live] = before
        return paths
