"""Cleaning texts of files, or showing what would be cleaned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..document import Document

if TYPE_CHECKING:
    from ..annotation.cleaning import Change


@dataclass
class Cleaning:
    """Documents cleaned as they pass; `changes` has what was changed so far, with the number and id of the document."""

    rules: Sequence[str]
    changes: list[tuple[int, str | None, Change]] = field(default_factory=list)

    def __call__(self, docs: Iterable[Document]) -> Iterator[Document]:
        from ..annotation.cleaning import clean

        for number, doc in enumerate(docs, 1):
            cleaned, changes = clean(doc, self.rules)
            self.changes += [(number, doc.id, change) for change in changes]
            yield cleaned


def describe(number: int, id: str | None, change: Change) -> str:
    """A change in three lines: its place, and the text before and after."""
    name = id if id is not None else str(number)
    return f"{name}, sentence {change.sentence + 1}: {change.rule}\n- {change.before}\n+ {change.after}"
