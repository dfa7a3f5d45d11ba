"""Find the errors of a response in a corpus, and the result: tables, lists, and the explorer page."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...document.documents import genre_of
from ...document.naming import count
from ...errors import CoindexError, MissingExtraError, UnknownNameError
from ...scoring.corpus import Unit, align_unit
from ...scoring.profiles import Settings, signature
from ...scoring.result import Note, check_repeated, collect_notes, package_version
from ...scoring.token_alignment import Locate, describe_place, words_of
from ..figures import fragment
from ..overlap import words_at
from ..tables import Mark, Table
from ..writers import FORMS, render
from .cases import KINDS, NO_GENRE, TYPES, ErrorCase, Tally, mention_type
from .explorer import Shown, show
from .finding import Finder, MentionError, SideView, document_key
from .tables import (
    COLUMNS,
    GROUPINGS,
    WORST,
    Change,
    changes_table,
    compare_cases,
    cross_table,
    kinds_table,
    to_lines,
    to_row,
)

LOW = 10
"""Words with fewer occurrences in training are low-frequency words (PreCo, footnote 3)."""
RESPONSE_SIZES = ("spurious", "merged", "conflated")
"""The kinds of errors whose size is that of the response entity."""


@dataclass(frozen=True, slots=True)
class UnitErrors:
    """The errors of one unit; `shown` is its data for the explorer, if requested."""

    cases: tuple[ErrorCase, ...]
    tally: Tally
    notes: tuple[Note, ...]
    shown: Shown | None = None


def examine(
    unit: Unit,
    settings: Settings,
    locate: Locate = describe_place,
    frequent: frozenset[str] | None = None,
    *,
    for_page: bool = False,
) -> UnitErrors:
    """Return the errors of one unit.

    Parameters:
        unit: The documents that are scored together.
        settings: How mentions are matched.
        locate: Returns the place of a token for messages.
        frequent: The words that are not low-frequency words; None without a training corpus.
        for_page: Whether to include the data for the explorer.
    """
    alignment = align_unit(unit, settings)
    check_repeated(alignment, settings, locate)
    finder = Finder(unit, alignment, settings)
    findings = finder.find()
    maker = _CaseMaker(unit, finder, frequent)
    cases = tuple(map(maker.make, findings))
    notes = tuple(collect_notes(alignment, settings, locate))
    return UnitErrors(cases, maker.make_tally(), notes, show(finder, findings) if for_page else None)


class _CaseMaker:
    """Makes error cases from the findings of a unit."""

    def __init__(self, unit: Unit, finder: Finder, frequent: frozenset[str] | None) -> None:
        self.finder, self.frequent = finder, frequent
        self.key, self.response = finder.key, finder.response
        docs = [doc for pair in unit.pairs for doc in (pair.key, pair.response) if doc is not None]
        self.document = unit.id or ""
        self.name = document_key(unit.id, docs[0])
        self.genre = next(filter(None, map(genre_of, docs)), NO_GENRE)
        self.alone = {view.name: _find_singletons(view) for view in (self.key, self.response)}

    def make_tally(self) -> Tally:
        """Return the number of mentions of the key."""
        key = self.key
        mentions = [mention for cluster in key.clusters for mention in cluster]
        return Tally(
            document=self.document,
            genre=self.genre,
            types=Counter(mention_type(key.mention(m), key.entity(m)) for m in mentions),
            distances=Counter(map(key.distance, mentions)),
            sizes=Counter(map(key.size, mentions)),
        )

    def make(self, finding: MentionError) -> ErrorCase:
        """Return the error case of a finding."""
        view = self.key if finding.on_key else self.response
        mention = finding.mention
        before, after = view.context(mention)
        return ErrorCase(
            id=self._make_id(finding, view),
            kind=finding.kind,
            document=self.document,
            genre=self.genre,
            type=mention_type(view.mention(mention), view.entity(mention)),
            mention=view.place(mention),
            key_antecedent=None if finding.key_antecedent is None else self.key.place(finding.key_antecedent),
            response_antecedent=(
                None if finding.response_antecedent is None else self.response.place(finding.response_antecedent)
            ),
            counterpart=None if finding.counterpart is None else self.response.place(finding.counterpart),
            parts=tuple(map(self.key.place, finding.parts)),
            distance=self._find_distance(finding, view),
            size=self._find_size(finding, view),
            is_alone=self._is_alone(finding, view),
            is_matched=finding.is_matched,
            is_head=self._is_head(finding),
            rare_words=None if self.frequent is None else self._find_rare(finding, view, self.frequent),
            before=before,
            after=after,
        )

    def _make_id(self, finding: MentionError, view: SideView) -> str:
        places = [view.address(mention) for mention in finding.known_by or (finding.mention,)]
        text = "\x1f".join((self.name, finding.kind, view.name, *places))
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]

    def _find_distance(self, finding: MentionError, view: SideView) -> int | None:
        if finding.key_antecedent is None and finding.response_antecedent is not None:
            partner = self.finder.partner[finding.mention]
            return self.response.sentence(partner) - self.response.sentence(finding.response_antecedent)
        return view.distance(finding.mention)

    def _find_size(self, finding: MentionError, view: SideView) -> int:
        if finding.kind in RESPONSE_SIZES and finding.on_key:
            return self.response.size(self.finder.partner[finding.mention])
        return view.size(finding.mention)

    def _is_alone(self, finding: MentionError, view: SideView) -> bool:
        if finding.kind not in ("missed", "spurious"):
            return False
        return view.side.spans([finding.mention])[0] in self.alone["response" if finding.on_key else "key"]

    def _is_head(self, finding: MentionError) -> bool:
        """Return whether only the heads differ in a span error."""
        other = finding.counterpart
        return other is not None and not finding.is_matched and not self.finder.differ(finding.mention, other)

    def _find_rare(self, finding: MentionError, view: SideView, frequent: frozenset[str]) -> tuple[str, ...]:
        """Return the low-frequency words of all mentions involved (PreCo, footnote 4)."""
        involved: list[tuple[SideView, int | None]] = [
            (view, finding.mention),
            (self.key, finding.key_antecedent),
            (self.response, finding.response_antecedent),
            (self.response, finding.counterpart),
            *((self.key, part) for part in finding.parts),
        ]
        rare: dict[str, None] = {}
        for side, mention in involved:
            if mention is not None:
                words = words_at(side.document(mention), side.mention(mention).positions)
                rare.update(dict.fromkeys(word for word in words if word not in frequent))
        return tuple(rare)


def _find_singletons(view: SideView) -> set[tuple[int, ...]]:
    """Return the words of singletons that are not scored."""
    if view.side.how.singletons:
        return set()
    parts = view.side.parts
    return {words_of(e.mentions[0], codes) for doc, codes in parts for e in doc.entities if e.is_singleton}


def distinct(cases: Iterable[ErrorCase]) -> list[ErrorCase]:
    """Return the cases with unique ids, even if documents are equal: "…", "…-2", "…-3"."""
    seen: Counter[str] = Counter()
    result = []
    for case in cases:
        seen[case.id] += 1
        result.append(case if seen[case.id] == 1 else replace(case, id=f"{case.id}-{seen[case.id]}"))
    return result


SHOWN = 10
"""The number of errors listed in text and Markdown."""


@dataclass(frozen=True)
class ErrorsFound:
    """The errors of a response in the order of the key documents; `second` has those of a second response."""

    name: str
    cases: tuple[ErrorCase, ...]
    tallies: tuple[Tally, ...] = field(repr=False)
    settings: Settings
    second: ErrorsFound | None = field(default=None, repr=False)
    shown: tuple[Shown, ...] | None = field(default=None, repr=False)
    """The data of each document for the explorer, if requested."""

    @property
    def signature(self) -> str:
        """How mentions were matched, in the same form as for scores."""
        return signature(self.settings, package_version())

    def __len__(self) -> int:
        return len(self.cases)

    def __iter__(self) -> Iterator[ErrorCase]:
        return iter(self.cases)

    def only(self, *names: str) -> tuple[ErrorCase, ...]:
        """Return the errors of these kinds and types: `only("false-link", "wrong-link", "pronoun")`."""
        return tuple(case for case in self.cases if _is_wanted(case, names))

    @cached_property
    def counts(self) -> Counter[str]:
        """The number of errors by kind."""
        return Counter(case.kind for case in self.cases)

    @cached_property
    def changes(self) -> tuple[tuple[Change | None, ErrorCase], ...]:
        """All errors of both responses with their change in the second; None without a second response."""
        if self.second is None:
            return tuple((None, case) for case in self.cases)
        return tuple(compare_cases(self.cases, self.second.cases))

    def changed(self, change: Change) -> tuple[ErrorCase, ...]:
        """Return the errors that are in "both" responses, or "fixed" or "broken" by the second."""
        return tuple(case for own, case in self.changes if own == change)

    def tables(self, *, most: int | None = None) -> list[Table]:
        """Return the tables of changes, of kinds, and of kinds by type, distance, size, genre and document.

        `most` limits the number of genres and documents.
        """
        tables: list[Table] = []
        if self.second is not None:
            names = (self.name, self.second.name)
            tables.append(changes_table(self.cases, self.second.cases, names, self.signature))
        for response in (self,) if self.second is None else (self, self.second):
            tables += response._make_tables(most, f"{response.name}: " if self.second is not None else "")
        return tables

    def _make_tables(self, most: int | None, prefix: str) -> Iterator[Table]:
        title = f"{prefix}errors by kind" if prefix else ""
        yield kinds_table(self.cases, self.tallies, self.signature, title=title)
        for grouping in GROUPINGS.values():
            if grouping.name == "genre" and all(tally.genre == NO_GENRE for tally in self.tallies):
                continue
            title = f"{prefix}errors by {grouping.title}" if prefix else ""
            table = cross_table(grouping, self.cases, self.tallies, self.signature, most=most, title=title)
            if most is None or grouping.order or len(table.rows) > 2:  # a single group equals the total
                yield table

    def render(self, form: str = "text", *, bold: Mark = str, show: int = SHOWN, only: Sequence[str] = ()) -> str:
        """Return the errors as text, json, markdown, latex, csv (a row for each error) or html (the explorer).

        Text and Markdown list the first `show` errors below the tables. `only` selects the kinds and types of the
        errors in these lists, in JSON and in CSV.
        """
        if form not in FORMS:
            raise UnknownNameError("format of errors", form, FORMS)
        listed = [(change or "", case) for change, case in self.changes if _is_wanted(case, only)]
        if form == "csv":
            return self._write_csv(listed)
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

    def _write_csv(self, listed: Sequence[tuple[str, ErrorCase]]) -> str:
        out = io.StringIO()
        change = ("change",) if self.second is not None else ()
        writer = csv.DictWriter(out, (*change, *COLUMNS), lineterminator="\n")
        writer.writeheader()
        writer.writerows({**dict.fromkeys(change, own), **to_row(case)} for own, case in listed)
        return out.getvalue()

    def page(self, *, title: str = "Errors") -> Iterator[str]:
        """Yield the parts of the error explorer, a self-contained HTML page."""
        from .explorer import page

        if self.shown is None:
            raise CoindexError(
                "the explorer needs the texts, which were not kept; call find_errors with explorer=True",
                code="texts-not-kept",
            )
        return page(self, title=title)

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each error; with two responses it has a column `change`."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtraError("pandas", "pandas") from error
        change = ("change",) if self.second is not None else ()
        rows = [{**dict.fromkeys(change, own), **to_row(case)} for own, case in self.changes]
        frame = pandas.DataFrame(rows, columns=[*change, *COLUMNS])
        return frame.astype({"distance": "Int64", "is_lfw": "boolean"})

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        return fragment(self.tables(most=WORST))


def _is_wanted(case: ErrorCase, names: Sequence[str]) -> bool:
    """Return whether the kind and the type of an error are among the names; without names, all are."""
    for name in names:
        if name not in KINDS and name not in TYPES:
            raise UnknownNameError("kind of error or type of mention", name, (*KINDS, *TYPES))
    kinds, types = ([name for name in names if name in known] for known in (KINDS, TYPES))
    return (not kinds or case.kind in kinds) and (not types or case.type in types)
