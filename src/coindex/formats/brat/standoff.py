"""The lines of a .ann file, each kind in its own list; what they mean is for the reader to say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ...document import Span
from ...errors import quote
from ..source import Source

_SPANS = re.compile(r"(\S+) ([0-9]{1,9} [0-9]{1,9}(?:;[0-9]{1,9} [0-9]{1,9})*)")
_ARGUMENT = re.compile(r"[^\s:]+:([A-Z][0-9]+)")


@dataclass(frozen=True, slots=True)
class Bound:
    """A T line: a label on characters, in one span or several."""

    id: str
    label: str
    spans: tuple[Span, ...]
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Relation:
    """An R line or an equivalence (*): a name and the annotations it joins."""

    name: str
    members: tuple[str, ...]
    line: int
    is_equivalence: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """An E line: the annotation that is the event's trigger."""

    trigger: str
    line: int


@dataclass(slots=True)
class Standoff:
    """All that a .ann file says."""

    bounds: dict[str, Bound] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    attributes: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: dict[str, dict[str, str]] = field(default_factory=dict)


def read_standoff(source: Source) -> Standoff:
    """The annotations of a file; a line that cannot be understood is a problem."""
    found = Standoff()
    for number, line in source.lines():
        if not line.strip():
            continue
        id, _, rest = line.partition("\t")
        kind = id[:1]
        if kind == "T":
            _read_bound(found, source, number, id, rest)
        elif kind in ("R", "*"):
            _read_relation(found, source, number, kind, rest)
        elif kind == "E":
            _read_event(found, source, number, id, rest)
        elif kind in ("A", "M"):
            _read_attribute(found, source, number, rest)
        elif kind == "#":
            _read_note(found, rest)
        elif kind == "N":
            source.count("normalisations (N lines), left out")
        else:
            _bad_line(source, number, line, "a line that begins with T, R, *, E, A, M, N or #")
    return found


def _bad_line(source: Source, number: int, line: str, expected: str) -> None:
    source.problem(number, f"the line {quote(line)}", expected, "correct or remove the line")


def _read_bound(found: Standoff, source: Source, number: int, id: str, rest: str) -> None:
    about, tab, text = rest.partition("\t")
    match = _SPANS.fullmatch(about)
    if match is None or not tab:
        _bad_line(source, number, f"{id}\t{rest}", "T1, tab, label and offsets (0 5;8 9), tab, text")
        return
    if id in found.bounds:
        source.problem(
            number,
            f"a second annotation {quote(id)}; the first is on line {found.bounds[id].line}",
            "an id for each annotation",
            "give it a new number",
        )
        return
    pairs = (pair.split(" ") for pair in match[2].split(";"))
    spans = tuple(sorted((int(start), int(end)) for start, end in pairs))
    found.bounds[id] = Bound(id, match[1], spans, text, number)


def _read_relation(found: Standoff, source: Source, number: int, kind: str, rest: str) -> None:
    name, *members = rest.split() or [""]
    if kind == "R":
        arguments = [_ARGUMENT.fullmatch(member) for member in members]
        members = [argument[1] for argument in arguments if argument]
        if len(arguments) != 2 or len(members) != 2:
            _bad_line(source, number, f"R…\t{rest}", "R1, tab, name, Arg1:T1 and Arg2:T2")
            return
    elif not members:
        _bad_line(source, number, f"*\t{rest}", "*, tab, name and the ids of annotations")
        return
    found.relations.append(Relation(name, tuple(members), number, kind == "*"))


def _read_event(found: Standoff, source: Source, number: int, id: str, rest: str) -> None:
    trigger, *arguments = rest.split() or [""]
    match = _ARGUMENT.fullmatch(trigger)
    if match is None or id in found.events:
        _bad_line(source, number, f"{id}\t{rest}", "E1 (once), tab, and Label:T1")
        return
    found.events[id] = Event(match[1], number)
    if arguments:
        source.count("arguments of events, left out", len(arguments))


def _read_attribute(found: Standoff, source: Source, number: int, rest: str) -> None:
    name, _, about = rest.partition(" ")
    target, blank, value = about.partition(" ")
    if not name or not target.strip():
        _bad_line(source, number, f"A…\t{rest}", "A1, tab, name, T1 and a value if it has one")
        return
    found.attributes.setdefault(target.strip(), {})[name] = value if blank else "true"


def _read_note(found: Standoff, rest: str) -> None:
    about, _, text = rest.partition("\t")
    kind, _, target = about.partition(" ")
    found.notes.setdefault(target.strip(), {})[kind] = text
