"""Documents resolved as users would resolve them, to be scored by coindex's own scorer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..document import Document
from ..document.columns import with_columns
from ..errors import CoindexError
from ..resolvers.resolver import Step
from ..scoring import Settings, make_settings, score_documents
from .neural.config import CorpusConfig
from .neural.data import strip_columns

METRICS = ("muc", "b3", "ceafe", "mentions")
Pipe = Callable[[Iterable[Document]], Iterable[Document]]


def ignore(document: int) -> None:
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
    tick: Callable[[int], None] = ignore,
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
    """A development set, scored after each epoch."""

    corpus: CorpusConfig
    key: tuple[Document, ...]
    settings: Settings

    @classmethod
    def of(cls, corpus: CorpusConfig, docs: Sequence[Document]) -> Dev:
        """What cannot be scored is refused here, as an epoch later much time would be lost."""
        settings = make_settings("crac24", match=corpus.match, singletons=corpus.singletons, metrics=METRICS)
        if not any(doc.entities for doc in docs):
            found = "no entities in it" if docs else "no documents in it"
            raise CoindexError(f"{corpus.dev}: {found}; expected a corpus with coreference; leave it out as dev")
        return cls(corpus, tuple(docs), settings)

    def score(self, resolver: Step, *, tick: Callable[[int], None] = ignore) -> dict[str, Any]:
        """CoNLL and its parts in per cent, with the signature, and words per second."""
        found = resolve_key(self.key, partial(map, resolver), tick=tick)
        result = score_documents(self.key, found.response, self.settings)
        parts = {
            f"{name}_{side}": round(100 * getattr(result[name], side), 2)
            for name in METRICS
            for side in ("recall", "precision", "f1")
        }
        conll = 0.0 if result.conll is None else round(100 * result.conll, 2)
        return {"conll": conll, **parts, "signature": result.signature, "words_per_second": found.words_per_second}
