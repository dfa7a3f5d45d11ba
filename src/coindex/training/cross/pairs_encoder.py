"""An encoder that remembers documents, since given and found mentions are of the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...document import Document
from ...resolvers.cross.neighbours import Vectors
from ...resolvers.cross.vectors import Encoded, WordEncoder

Half = NDArray[np.float16]


@dataclass(frozen=True, eq=False, slots=True)
class Kept:
    """The vectors of a document with half the bits."""

    half: tuple[Half, Half, Half]

    @classmethod
    def of(cls, encoded: Encoded) -> Kept:
        words, lower, sentences = (
            part.astype(np.float16) for part in (encoded.words, encoded.lower, encoded.sentences)
        )
        return cls((words, lower, sentences))

    @property
    def words(self) -> Vectors:
        return self.half[0].astype(np.float32)

    @property
    def lower(self) -> Vectors:
        return self.half[1].astype(np.float32)

    @property
    def sentences(self) -> Vectors:
        return self.half[2].astype(np.float32)


class Remembering:
    """The same vectors whenever the same words in the same sentences come again."""

    def __init__(self, encoder: WordEncoder) -> None:
        self.encoder = encoder
        self._kept: dict[tuple[tuple[str, ...], tuple[int, ...]], Kept] = {}

    @property
    def size(self) -> int:
        return self.encoder.size

    def encode(self, docs: Sequence[Document]) -> list[Encoded]:
        names = [(tuple(doc.tokens.forms), tuple(sentence.end for sentence in doc.sentences)) for doc in docs]
        new = {name: doc for name, doc in zip(names, docs, strict=True) if name not in self._kept}
        for name, encoded in zip(new, self.encoder.encode(list(new.values())), strict=True):
            self._kept[name] = Kept.of(encoded)
        return [self._kept[name] for name in names]
