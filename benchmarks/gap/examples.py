"""The examples of GAP (Webster et al. 2018): a text, a pronoun in it and two names, each of which it may mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from coindex import Document
from coindex.document import Span
from coindex.errors import CoindexError, quote

Gender = Literal["feminine", "masculine"]
GENDERS: dict[str, Gender] = {
    **dict.fromkeys(("she", "her", "hers"), "feminine"),
    **dict.fromkeys(("he", "him", "his"), "masculine"),
}
HEADER = ("ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "URL")
LABELS = {"TRUE": True, "FALSE": False}


@dataclass(frozen=True, slots=True)
class Example:
    """Places are half-open spans of characters; `answers` say whether A and B are what the pronoun means."""

    id: str
    text: str
    pronoun: Span
    names: tuple[Span, Span]
    answers: tuple[bool, bool]

    @property
    def gender(self) -> Gender:
        return GENDERS[self.text[slice(*self.pronoun)].lower()]

    def document(self) -> Document:
        """Return the raw text; tokens are split so that pronoun and names are whole tokens."""
        cuts = [offset for span in (self.pronoun, *self.names) for offset in span]
        return Document.from_text(self.text, id=self.id, language="en", cuts=cuts)


def read_examples(path: Path) -> Iterator[Example]:
    """Read the rows of a file as released for GAP: tab-separated, no quoting."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if not lines or tuple(lines[0].split("\t")) != HEADER:
        raise _problem(path, 1, "another header", " ".join(HEADER))
    for number, line in enumerate(lines[1:], 2):
        fields = line.split("\t")
        if len(fields) != len(HEADER):
            raise _problem(path, number, f"{len(fields)} fields", f"{len(HEADER)} fields, a tab between them")
        yield _example(dict(zip(HEADER, fields, strict=True)), path, number)


def _example(row: dict[str, str], path: Path, number: int) -> Example:
    if row["Pronoun"].lower() not in GENDERS:
        raise _problem(path, number, f"the pronoun {quote(row['Pronoun'])}", f"one of {', '.join(GENDERS)}")
    pronoun, a, b = (_span(row, column, path, number) for column in ("Pronoun", "A", "B"))
    answers = [LABELS.get(row[column].upper()) for column in ("A-coref", "B-coref")]
    first, second = answers
    if first is None or second is None:
        raise _problem(path, number, f"the labels {row['A-coref']} and {row['B-coref']}", "TRUE or FALSE")
    return Example(row["ID"], row["Text"], pronoun, (a, b), (first, second))


def _span(row: dict[str, str], column: str, path: Path, number: int) -> Span:
    offset, words = row[f"{column}-offset"], row[column]
    start = int(offset) if offset.isdigit() else -1
    if start < 0 or not words or not row["Text"].startswith(words, start):
        raise _problem(path, number, f"{quote(words)} at {offset}", f"the place of {column} in the text")
    return start, start + len(words)


def _problem(path: Path, line: int, found: str, expected: str) -> CoindexError:
    return CoindexError(f"{path}:{line}: {found}; expected {expected}; take the file as GAP releases it")
