"""What teachers say of a document."""

from __future__ import annotations

from dataclasses import dataclass

from ..resolvers.neural.words import Floats, Ints


@dataclass(frozen=True, slots=True)
class Labels:
    """Probabilities, and the mentions that the most probable tags or spans give."""

    detection: Floats  # [words, tags or widths]
    start: Ints  # [mentions]
    end: Ints  # [mentions]
    head: Ints  # [mentions]
    links: Floats  # [pairs], in the order of `PairMaker`
    new: Floats  # [mentions]
    vectors: Floats  # [words, hidden] of the first teacher, where words learn to tell them; else without columns
