"""Documents resolved as users would resolve them, to be scored by coindex's own scorer."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any

from ..document import Document
from ..document.documents import with_columns
from ..errors import CoindexError, DataWarning
from ..resolvers.resolver import Step
from ..scoring import Settings, score_documents
from .neural.data import strip_columns
from .run import Progress, Tick

METRICS = ("muc", "b3", "ceafe", "mentions")
Pipe = Callable[[Iterable[Document]], Iterable[Document]]


def ignore_document(document: int) -> None:
    """Nobody wants to know how far it is."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A response, and what it took."""

    response: list[Document]
    words: int
    seconds: float

    @property
    def words_per_second(self) -> int:
        return round(self.words / max(self.seconds, 1e-9))


def resolve_key(
    key: Sequence[Document],
    pipe: Pipe,
    *,
    keep_columns: bool = False,
    keep_entities: bool = False,
    tick: Callable[[int], None] = ignore_document,
) -> Resolved:
    """Resolve the raw tokens of a key, or with `keep_columns` all that it has but its entities.

    With `keep_entities` its entities are there too, for a pipe that takes no more than their mentions.

    The response comes on the tokens of the key: whatever columns were made on the way, only entities are scored, and
    zeros can be matched by what they depend on. `tick` is told the number of each document that is done.
    """
    given = list(key) if keep_columns else [_raw(doc, keep_entities=keep_entities) for doc in key]
    response = []
    begun = time.perf_counter()
    for number, doc in enumerate(pipe(given), 1):
        response.append(doc)
        tick(number)
    seconds = time.perf_counter() - begun
    words = sum(len(doc.tokens) - len(doc.tokens.empty_positions) for doc in key)
    return Resolved(list(_on_tokens(key, response)), words, seconds)


def _raw(doc: Document, *, keep_entities: bool) -> Document:
    bare = strip_columns(doc)
    if not keep_entities:
        return bare
    return with_columns(doc, bare.tokens).replace(bridges=(), split_antecedents=(), origin=None)


def _on_tokens(key: Sequence[Document], response: Sequence[Document]) -> Iterator[Document]:
    for own, doc in zip(key, response, strict=True):
        alike = len(doc.tokens) == len(own.tokens) and doc.tokens.empty_positions == own.tokens.empty_positions
        yield with_columns(doc, own.tokens) if alike else doc


@dataclass(frozen=True, slots=True)
class Dev:
    """A development set, scored during training."""

    corpus: str
    """The name of its corpus."""
    path: str
    key: tuple[Document, ...]
    settings: Settings
    keep_columns: bool = False
    """Whether the resolver sees its tags and trees."""
    is_timed: bool = True
    """Whether words per second are reported."""

    def check(self) -> Dev:
        """Return the same; refuse what cannot be scored now, since after an epoch much time would be lost."""
        if not any(doc.entities for doc in self.key):
            found = "no entities in it" if self.key else "no documents in it"
            raise CoindexError(
                f"{found}; expected a corpus with coreference; leave it out as dev", code="no-entities", path=self.path
            )
        return self

    def score(self, resolver: Step, *, tick: Callable[[int], None] = ignore_document) -> dict[str, Any]:
        """Return CoNLL and its parts in per cent, the signature, and words per second."""
        resolved = resolve_key(self.key, partial(map, resolver), keep_columns=self.keep_columns, tick=tick)
        result = score_documents(self.key, resolved.response, self.settings)
        parts = {
            f"{name}_{side}": round(100 * getattr(result[name], side), 2)
            for name in self.settings.metrics
            for side in ("recall", "precision", "f1")
        }
        conll = 0.0 if result.conll is None else round(100 * result.conll, 2)
        speed = {"words_per_second": resolved.words_per_second} if self.is_timed else {}
        return {"conll": conll, **parts, "signature": result.signature, **speed}


class DevSets:
    """The development sets of a run, by names that no two of them share."""

    def __init__(self, devs: Iterable[Dev]) -> None:
        self.by_name: dict[str, Dev] = {}
        for dev in devs:
            stem = Path(dev.path).stem
            names = chain(
                (dev.corpus, f"{dev.corpus} ({stem})"), (f"{dev.corpus} ({stem} {number})" for number in count(2))
            )
            self.by_name[next(name for name in names if name not in self.by_name)] = dev
        self._has_warned = False

    def score(self, make_resolver: Callable[[str], Step], progress: Progress, tick: Tick) -> dict[str, Any]:
        """Return the scores of each set, with a resolver for the name of its corpus.

        `tick` gets `progress` with the documents that are done. Warnings about the keys are issued the first time.
        """
        with warnings.catch_warnings():
            if self._has_warned:
                warnings.simplefilter("ignore", DataWarning)
            self._has_warned = True
            return {name: self._score(name, make_resolver, progress, tick) for name in self.by_name}

    def _score(self, name: str, make_resolver: Callable[[str], Step], progress: Progress, tick: Tick) -> dict[str, Any]:
        dev = self.by_name[name]
        now = replace(progress, steps=len(dev.key), dev=name)
        return dev.score(make_resolver(dev.corpus), tick=lambda number: tick(replace(now, step=number)))
