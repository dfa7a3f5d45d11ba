"""What a cell was trained on, seen from the key: size, overlap, and how many errors rare words may explain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from ...analysis.errors import LINKS, examine
from ...analysis.errors.examining import LOW
from ...analysis.overlap import measure_overlap
from ...analysis.vocabulary import Vocabulary
from ...document import Document
from ...scoring import Settings
from ...scoring.corpus import count_units


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """Size and overlap of what was trained on; rates are fractions."""

    documents: int
    words: int
    entities: int
    mentions: int
    oov: float | None
    low: float | None
    """The rate of words of the key that come fewer than ten times."""
    lfw: float | None = None
    """The share of wrong links that involve such a word; None where no link is wrong."""
    repeated: int
    """Documents of the key that are among them, word for word."""
    signature: str
    """Of all but `lfw`, which has that of the scores."""


def measure_training(docs: Iterable[Document], key: Sequence[Document]) -> tuple[Training, frozenset[str]]:
    """What these documents are, seen from the key, and the words that are no low-frequency words."""
    vocabulary = Vocabulary()
    entities = mentions = 0
    for doc in docs:
        vocabulary.add(doc)
        entities += len(doc.entities)
        mentions += sum(map(len, doc.entities))
    found = measure_overlap(vocabulary, key, below=(LOW,))
    training = Training(
        documents=vocabulary.documents,
        words=vocabulary.words,
        entities=entities,
        mentions=mentions,
        oov=found.oov,
        low=found.kinds["words"].rate(LOW),
        repeated=found.repeated,
        signature=found.signature,
    )
    return training, vocabulary.known(LOW)


def lfw_rate(
    key: Sequence[Document], response: Sequence[Document], settings: Settings, frequent: frozenset[str]
) -> float | None:
    """PreCo's LFW rate (section 4.2): of the errors false-new, false-link and wrong-link, those with a rare word."""
    units = count_units(partial(examine, settings=settings, frequent=frequent), key, response, settings)
    errors = [case for unit in units for case in unit.cases if case.kind in LINKS]
    return sum(bool(case.is_lfw) for case in errors) / len(errors) if errors else None
