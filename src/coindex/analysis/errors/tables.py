"""Tables and lists of errors: by kind, type, distance, size, genre and document, and for two responses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...document.naming import ZERO, short
from ..tables import Column, Row, Table, Value
from .cases import DISTANCES, KINDS, LINKS, SIZES, TYPES, ErrorCase, Place, Tally, distance_group, size_group

Change = Literal["both", "fixed", "broken"]
CHANGES: tuple[Change, ...] = ("both", "fixed", "broken")
"""Whether an error is in both responses, only in the first (fixed by the second), or only in the second (broken)."""


def compare_cases(first: Sequence[ErrorCase], second: Sequence[ErrorCase]) -> Iterator[tuple[Change, ErrorCase]]:
    """Yield all errors of two responses, identified by their ids; an error in both is that of the first."""
    own, other = ({case.id for case in cases} for cases in (first, second))
    yield from (("both" if case.id in other else "fixed", case) for case in first)
    yield from (("broken", case) for case in second if case.id not in own)


WORST = 20
"""The number of documents in tables for people; JSON has all."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """A way to group errors: the group of an error, and the number of key mentions in each group."""

    name: str
    title: str
    group: Callable[[ErrorCase], str]
    mentions: Callable[[Tally], Mapping[str, int]]
    order: Sequence[str] = ()
    """The order of the groups; if empty, groups with more errors come first."""


def _count_groups(counts: Mapping[int, int] | Mapping[int | None, int], group: Callable[..., str]) -> Counter[str]:
    groups: Counter[str] = Counter()
    for value, number in counts.items():
        groups[group(value)] += number
    return groups


GROUPINGS = {
    grouping.name: grouping
    for grouping in (
        Grouping("type", "type of mention", lambda case: case.type, lambda tally: tally.types, TYPES),
        Grouping(
            "distance",
            "sentences to the antecedent",
            lambda case: distance_group(case.distance),
            lambda tally: _count_groups(tally.distances, distance_group),
            DISTANCES,
        ),
        Grouping(
            "size",
            "mentions of the entity",
            lambda case: size_group(case.size),
            lambda tally: _count_groups(tally.sizes, size_group),
            SIZES,
        ),
        Grouping("genre", "genre", lambda case: case.genre, lambda tally: {tally.genre: tally.mentions}),
        Grouping("document", "document", lambda case: case.document, lambda tally: {tally.document: tally.mentions}),
    )
}


def kinds_table(cases: Sequence[ErrorCase], tallies: Iterable[Tally], signature: str, *, title: str = "") -> Table:
    """Return the table of errors by kind."""
    mentions = sum(tally.mentions for tally in tallies)
    has_words = any(case.rare_words is not None for case in cases)
    columns = [
        Column("errors", "errors", "number", signature=signature),
        Column("share", "% of errors", decimals=1, signature=signature),
        Column("rate", "per 100 mentions", decimals=1, signature=signature),
    ]
    columns += [Column("lfw", "LFW %", decimals=1, signature=signature)] if has_words else []

    def row(label: str, group: Sequence[ErrorCase], section: str = "", *, is_summary: bool = False) -> Row:
        values: list[Value] = [len(group), _share(len(group), len(cases)), _share(len(group), mentions)]
        values += [_share(sum(bool(case.is_lfw) for case in group), len(group))] if has_words else []
        return Row(label=label, values=values, section=section, keys={"kind": label}, is_summary=is_summary)

    rows = [row(kind.name, [c for c in cases if c.kind == kind.name], kind.group) for kind in KINDS.values()]
    rows += [row("all links", [c for c in cases if c.kind in LINKS], is_summary=True)]
    rows += [row("all", cases, is_summary=True)]
    remarks = [f"The key has {mentions:,} mentions."]
    if has_words:
        remarks.append(
            "LFW: errors with a word that occurs fewer than 10 times in training; PreCo reports it for all links."
        )
    title = title or "Errors by kind"
    return Table(name="kinds", title=title, stub="kind", columns=columns, rows=rows, remarks=remarks)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def cross_table(
    grouping: Grouping,
    cases: Sequence[ErrorCase],
    tallies: Iterable[Tally],
    signature: str,
    *,
    most: int | None = None,
    title: str = "",
) -> Table:
    """Return the table of errors by group and kind, with the key mentions of each group; the first `most` groups."""
    mentions: Counter[str] = Counter()
    for tally in tallies:
        mentions.update(grouping.mentions(tally))
    counts = Counter((grouping.group(case), case.kind) for case in cases)
    errors = Counter(grouping.group(case) for case in cases)
    present = mentions.keys() | errors.keys()
    groups = [group for group in grouping.order if group in present]
    if not grouping.order:
        groups = sorted(present, key=lambda group: (-errors[group], group))
    columns = [Column("mentions", "mentions", "number", signature=signature)]
    columns += [Column(kind.name, kind.name, "number", group=kind.group) for kind in KINDS.values()]
    columns += [Column("errors", "all", "number"), Column("rate", "per 100", decimals=1)]
    rows = []
    for group in groups[:most]:
        values: list[Value] = [mentions[group], *(counts[group, kind] for kind in KINDS), errors[group]]
        values.append(_share(errors[group], mentions[group]))
        rows.append(Row(label=group or "—", values=values, keys={grouping.name: group}))
    total = Counter(case.kind for case in cases)
    values = [mentions.total(), *(total[kind] for kind in KINDS), len(cases), _share(len(cases), mentions.total())]
    rows.append(Row(label="all", values=values, keys={grouping.name: "all"}, is_summary=True))
    left = len(groups) - len(groups[:most])
    return Table(
        name=grouping.name,
        title=title or f"Errors by {grouping.title}",
        stub=grouping.title,
        columns=columns,
        rows=rows,
        remarks=[f"{left:,} more with fewer errors are included in the JSON output."] if left else [],
    )


def changes_table(
    first: Sequence[ErrorCase], second: Sequence[ErrorCase], names: tuple[str, str], signature: str
) -> Table:
    """Return the table of the errors of two responses by kind: in both, fixed or broken by the second."""
    counts = Counter((change, case.kind) for change, case in compare_cases(first, second))
    own, other = (Counter(case.kind for case in cases) for cases in (first, second))
    titles = ("in both", f"fixed by {names[1]}", f"broken by {names[1]}")
    columns = [Column("first", names[0], "number", signature=signature), Column("second", names[1], "number")]
    columns += [Column(change, title, "number") for change, title in zip(CHANGES, titles, strict=True)]
    rows = []
    for kind in KINDS.values():
        values = [own[kind.name], other[kind.name], *(counts[change, kind.name] for change in CHANGES)]
        rows.append(Row(label=kind.name, values=values, section=kind.group, keys={"kind": kind.name}))
    sums = [sum(int(row.values[at] or 0) for row in rows) for at in range(len(columns))]
    rows.append(Row(label="all", values=sums, keys={"kind": "all"}, is_summary=True))
    title = f"Errors of {names[0]} and {names[1]}"
    return Table(name="changes", title=title, stub="kind", columns=columns, rows=rows)


COLUMNS = (
    *("id", "kind", "document", "genre", "type", "side", "sentence", "start", "end", "mention", "entity"),
    *("key_antecedent", "response_antecedent", "counterpart", "parts", "distance", "size", "is_alone", "is_matched"),
    *("is_head", "is_lfw", "rare_words", "before", "after"),
)
"""The columns of CSV files and data frames."""
Mark = Callable[[str], str]


def to_row(case: ErrorCase) -> dict[str, str | int | bool | None]:
    """Return an error as a flat row, with only the text of other mentions."""
    place = case.mention
    return {
        "id": case.id,
        "kind": case.kind,
        "document": case.document,
        "genre": case.genre,
        "type": case.type,
        "side": place.side,
        "sentence": place.sentence,
        "start": place.positions[0],
        "end": place.positions[-1] + 1,
        "mention": place.text,
        "entity": place.entity,
        "key_antecedent": _text(case.key_antecedent),
        "response_antecedent": _text(case.response_antecedent),
        "counterpart": _text(case.counterpart),
        "parts": " | ".join(part.text for part in case.parts) or None,
        "distance": case.distance,
        "size": case.size,
        "is_alone": case.is_alone,
        "is_matched": case.is_matched,
        "is_head": case.is_head,
        "is_lfw": case.is_lfw,
        "rare_words": None if case.rare_words is None else " ".join(case.rare_words),
        "before": case.before,
        "after": case.after,
    }


def _text(place: Place | None) -> str | None:
    return None if place is None else place.text


def to_lines(cases: Iterable[tuple[str, ErrorCase]], bold: Mark = str) -> Iterator[str]:
    """Yield the lines of a list of errors: kind and place, the mention in its context, and other mentions involved.

    `cases` contains errors with their change in a second response, or "" without one.
    """
    for change, case in cases:
        where = f"{case.document or '—'}, sentence {case.mention.sentence}"
        yield f"{case.id}  {f'{change}: ' if change else ''}{case.kind}, {case.type}; {where}"
        gap = " " if case.mention.text.startswith(ZERO) else ""  # a zero has no space after it
        yield f"    {case.before}{bold(f'[{short(case.mention.text)}]')}{gap}{case.after}".rstrip()
        yield from (f"    {line}" for line in explain(case))
        yield ""


def explain(case: ErrorCase) -> Iterator[str]:
    """Yield lines about the other mentions that an error involves."""
    if case.counterpart is not None:
        note = " (matched nevertheless)" if case.is_matched else " (with another head)" if case.is_head else ""
        yield f"response: {short(case.counterpart.text)}{note}"
    if case.parts:
        yield "parts: " + " | ".join(_at(part) for part in case.parts)
    elif case.key_antecedent is not None:
        yield f"key: {_at(case.key_antecedent)}"
    if case.response_antecedent is not None and not case.parts:
        yield f"response: {_at(case.response_antecedent)}"
    if case.is_alone:
        other = "response" if case.mention.side == "key" else "key"
        yield f"singleton in the {other}, which is not scored"
    if case.rare_words:
        yield f"rare in training: {' '.join(case.rare_words)}"


def _at(place: Place) -> str:
    return f"{short(place.text)} (s. {place.sentence})"
