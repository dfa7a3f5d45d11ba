"""Dev scores: documents resolved as users would, scored by coindex's own scorer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..document import Document
from ..resolvers.registry import Step
from ..scoring import make_settings, score_documents
from .config import CorpusConfig
from .data import strip_columns

METRICS = ("muc", "b3", "ceafe", "mentions")


@dataclass(frozen=True, slots=True)
class Dev:
    """A development set: the key, and the raw tokens that are resolved."""

    corpus: CorpusConfig
    key: tuple[Document, ...]
    raw: tuple[Document, ...]

    @classmethod
    def of(cls, corpus: CorpusConfig, docs: Sequence[Document]) -> Dev:
        return cls(corpus, tuple(docs), tuple(map(strip_columns, docs)))

    def resolve(self, resolver: Step) -> list[Document]:
        """The response, on the tokens of the key so that the scorer sees its trees."""
        return [resolver(doc) for doc in self.raw]

    def score(self, resolver: Step) -> dict[str, Any]:
        """CoNLL and its parts in per cent, with the signature, and words per second."""
        begun = time.perf_counter()
        response = self.resolve(resolver)
        seconds = time.perf_counter() - begun
        settings = make_settings("crac24", match=self.corpus.match, singletons=self.corpus.singletons, metrics=METRICS)
        result = score_documents(self.key, response, settings)
        words = sum(len(doc.tokens) for doc in self.raw)
        parts = {
            f"{name}_{side}": round(100 * getattr(result[name], side), 2)
            for name in METRICS
            for side in ("recall", "precision", "f1")
        }
        conll = 0.0 if result.conll is None else round(100 * result.conll, 2)
        return {"conll": conll, **parts, "signature": result.signature, "words_per_second": round(words / seconds)}
