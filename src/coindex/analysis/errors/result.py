"""All errors of a response, or of two responses to one key: to look through, to count, to write out."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...document.naming import count
from ...errors import CoindexError, MissingExtraError, UnknownNameError
from ...scoring.profiles import Settings, signature
from ...scoring.result import package_version
from ..page import fragment
from ..tables import Mark, Table
from ..writers import FORMS, render
from .cases import KINDS, NO_GENRE, TYPES, ErrorCase, Tally
from .explorer import Shown
from .tables import (
    COLUMNS,
    GROUPINGS,
    WORST,
    Change,
    changes_table,
    compared,
    cross_table,
    kinds_table,
    to_lines,
    to_row,
)

SHOWN = 10
"""Errors that text and Markdown list."""


@dataclass(frozen=True)
class ErrorsFound:
    """The errors of a response in the order of the key's documents; `second` has those of another response."""

    name: str
    cases: tuple[ErrorCase, ...]
    tallies: tuple[Tally, ...] = field(repr=False)
    settings: Settings
    second: ErrorsFound | None = field(default=None, repr=False)
    shown: tuple[Shown, ...] | None = field(default=None, repr=False)
    """What the explorer draws of each document, where it was asked for."""

    @property
    def signature(self) -> str:
        """How mentions were matched, as with scores."""
        return signature(self.settings, package_version())

    def __len__(self) -> int:
        return len(self.cases)

    def __iter__(self) -> Iterator[ErrorCase]:
        return iter(self.cases)

    def only(self, *names: str) -> tuple[ErrorCase, ...]:
        """The errors of these kinds and types: `only("false-link", "wrong-link", "pronoun")`."""
        return tuple(case for case in self.cases if _is_wanted(case, names))

    @cached_property
    def counts(self) -> Counter[str]:
        """How many errors there are of each kind."""
        return Counter(case.kind for case in self.cases)

    @cached_property
    def changes(self) -> tuple[tuple[Change | None, ErrorCase], ...]:
        """All errors of both responses with what the second makes of them; None where there is no second."""
        if self.second is None:
            return tuple((None, case) for case in self.cases)
        return tuple(compared(self.cases, self.second.cases))

    def changed(self, change: Change) -> tuple[ErrorCase, ...]:
        """The errors that are in "both" responses, or "fixed" or "broken" by the second."""
        return tuple(case for found, case in self.changes if found == change)

    def tables(self, *, most: int | None = None) -> list[Table]:
        """By kind; kinds by type, distance, size, genre and document, of which at most `most`; changes."""
        found: list[Table] = []
        if self.second is not None:
            names = (self.name, self.second.name)
            found.append(changes_table(self.cases, self.second.cases, names, self.signature))
        for one in (self,) if self.second is None else (self, self.second):
            found += one._own_tables(most, f"{one.name}: " if self.second is not None else "")
        return found

    def _own_tables(self, most: int | None, prefix: str) -> Iterator[Table]:
        title = f"{prefix}errors by kind" if prefix else ""
        yield kinds_table(self.cases, self.tallies, self.signature, title=title)
        for grouping in GROUPINGS.values():
            if grouping.name == "genre" and all(tally.genre == NO_GENRE for tally in self.tallies):
                continue
            title = f"{prefix}errors by {grouping.title}" if prefix else ""
            table = cross_table(grouping, self.cases, self.tallies, self.signature, most=most, title=title)
            if most is None or grouping.order or len(table.rows) > 2:  # a single group says what the total says
                yield table

    def render(self, form: str = "text", *, bold: Mark = str, show: int = SHOWN, only: Sequence[str] = ()) -> str:
        """Written out in a form: text, json, markdown, latex, csv (a row for each error) or html (the explorer).

        Text and Markdown list the first `show` errors below the tables; `only` names the kinds and types of those
        errors, and of those in JSON and CSV.
        """
        if form not in FORMS:
            raise UnknownNameError("form of errors", form, FORMS)
        listed = [(change or "", case) for change, case in self.changes if _is_wanted(case, only)]
        if form == "csv":
            return self._csv(listed)
        if form == "html":
            return "".join(self.page())
        if form == "json":
            return render(self.tables(), form, about=self._about(listed))
        text = render(self.tables(most=WORST), form, bold=bold)
        if form == "latex" or not show:
            return text
        lines = "\n".join(to_lines(listed[:show], bold))
        if form == "markdown":
            lines = f"```text\n{lines.replace('```', '` ` `')}```\n" if lines else ""
        rest = len(listed) - min(show, len(listed))
        return f"{text}\n{lines}" + (f"\n… and {count(rest, 'more error')}\n" if rest else "")

    def _about(self, listed: Sequence[tuple[str, ErrorCase]]) -> dict[str, Any]:
        about: dict[str, Any] = {"signature": self.signature, "responses": [self.name]}
        if self.second is not None:
            about["responses"].append(self.second.name)
        errors = [{**({"change": change} if change else {}), **case.to_dict()} for change, case in listed]
        return {**about, "kinds": {kind.name: kind.meaning for kind in KINDS.values()}, "errors": errors}

    def _csv(self, listed: Sequence[tuple[str, ErrorCase]]) -> str:
        out = io.StringIO()
        change = ("change",) if self.second is not None else ()
        writer = csv.DictWriter(out, (*change, *COLUMNS), lineterminator="\n")
        writer.writeheader()
        writer.writerows({**dict.fromkeys(change, found), **to_row(case)} for found, case in listed)
        return out.getvalue()

    def page(self, *, title: str = "Errors") -> Iterator[str]:
        """The error explorer, one self-contained HTML page, piece by piece."""
        from .explorer import page

        if self.shown is None:
            raise CoindexError(
                "the explorer needs the texts, which were not kept; give explorer=True to find_errors",
                code="texts-not-kept",
            )
        return page(self, title=title)

    def to_frame(self) -> Any:
        """A pandas frame with a row for each error; with two responses the column `change` tells them apart."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtraError("pandas", "pandas") from error
        change = ("change",) if self.second is not None else ()
        rows = [{**dict.fromkeys(change, found), **to_row(case)} for found, case in self.changes]
        frame = pandas.DataFrame(rows, columns=[*change, *COLUMNS])
        return frame.astype({"distance": "Int64", "is_lfw": "boolean"})

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        return fragment(self.tables(most=WORST))


def _is_wanted(case: ErrorCase, names: Sequence[str]) -> bool:
    """Whether the kind and the type of an error are among the names; where none is named, all are meant."""
    for name in names:
        if name not in KINDS and name not in TYPES:
            raise UnknownNameError("kind of error or type of mention", name, (*KINDS, *TYPES))
    kinds, types = ([name for name in names if name in known] for known in (KINDS, TYPES))
    return (not kinds or case.kind in kinds) and (not types or case.type in types)
