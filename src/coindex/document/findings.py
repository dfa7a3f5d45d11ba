"""One thing that a check found in a document, said as the readers say their problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .documents import Document

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found, what was expected, what to do, and the place: position, sentence number, entity."""

    severity: Severity
    found: str
    expected: str
    remedy: str
    position: int | None = None
    sentence: int | None = None
    entity: str | None = None

    @property
    def message(self) -> str:
        return f"{self.found}; expected {self.expected}; {self.remedy}"


def sentence_of(doc: Document, position: int) -> int | None:
    """The number of the sentence with that position, None where there is none."""
    if not 0 <= position < len(doc.tokens):
        return None
    index = doc.sentence_index(position)
    return index if index >= 0 else None
