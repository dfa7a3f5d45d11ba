"""A campaign is one TOML file, whose keys are the fields below; ready definitions; edits that keep comments.

The ready definitions beside this module have every field with a comment.

Single values of a phase changed in the text of a definition; comments and all else stay as they are.

The text is changed line by line and read again: where that does not give what was wanted, as with tables written on one
line, nothing is changed and the text is to be edited by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Literal, TypeVar

from ..analysis.reports import MODULES as REPORTS
from ..errors import CoindexError, UnknownNameError, quote
from ..scoring import Settings, make_settings
from ..scoring.matching import RULES
from ..settings import ConfigError, parse_section, parse_toml, read_toml

Audience = Literal["nobody", "own", "teams", "everyone"]
"""Who sees something, beside the organisers: nobody, the team it belongs to, all teams, or the world."""
Shown = Literal["scores", "keys", "team_names", "document_errors"]
Mentions = Literal["hidden", "given"]
Zeros = Literal["kept", "stripped"]
Counting = Literal["best", "last", "chosen"]
TASKS = (1, 2, 3, 4)
Item = TypeVar("Item", "Track", "Phase")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visible:
    """Who sees what of a phase."""

    scores: Audience = "nobody"
    """The scores, of one's own runs or of all."""
    keys: Audience = "nobody"
    """The annotated key."""
    team_names: Audience = "everyone"
    """Who is who; others see aliases."""
    document_errors: Audience = "nobody"
    """Scores and errors document by document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A stretch of time. It has begun at `opens` and is over at `closes`."""

    name: str
    opens: datetime
    closes: datetime | None = None
    """No end where it is left out."""
    downloads: bool = True
    """Whether teams may download the input."""
    submissions: bool = True
    """Whether teams may submit."""
    hours_from_download: float | None = None
    """A team may submit for so many hours from its first download, and not after `closes`."""
    limit_a_day: int | None = None
    """Submissions of a team on a day in UTC; failed ones are not counted."""
    limit_total: int | None = None
    releases: tuple[str, ...] = ()
    """Earlier phases of which is shown, from `opens` on, what is shown of this one."""
    visible: Visible = field(default_factory=Visible)

    def __post_init__(self) -> None:
        for name, moment in (("opens", self.opens), ("closes", self.closes)):
            if moment is not None and moment.utcoffset() != timedelta(0):
                raise ConfigError(
                    f"phase {self.name}: {name} = {moment}; expected a time in UTC; write it as 2026-03-01T12:00:00Z"
                )
        if self.closes is not None and self.closes <= self.opens:
            raise ConfigError(f"phase {self.name}: it closes at or before it opens; expected a later end; mend closes")
        for name in ("hours_from_download", "limit_a_day", "limit_total"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ConfigError(f"phase {self.name}: {name} {value}; expected more than 0; leave it out for no limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A task: what is given, how it is scored, and what decides the order."""

    name: str
    title: str = ""
    profile: str
    """A profile of `coindex score`; `match` to `kind` change single choices of it."""
    match: str | None = None
    singletons: bool | None = None
    zeros: Literal["dependent", "linear"] | None = None
    unit: Literal["document", "topic", "subtopic", "corpus"] | None = None
    kind: Literal["entity", "event"] | None = None
    primary: str
    """The metric that decides the order, by its F1; `conll` is the mean of MUC, B³ and CEAF-e."""
    secondary: tuple[str, ...] = ()
    """Metrics that stand beside it; in their order they decide between equals."""
    one_dataset: bool = False
    """Whether all files of the key are one dataset; else each file or folder right below it is one."""
    datasets: tuple[str, ...] = ()
    """The datasets that count; all that the key has where empty."""
    part: str = ""
    """The file or folder of a submission, and of the key if it has one, that this track is about; its own name if
    empty. Tracks that score the same answers in several ways name the same part."""
    mentions: Mentions = "hidden"
    """Whether the input has the mentions of the key, without their entities."""
    blind_zeros: Zeros = "kept"
    """Whether the input has the empty nodes of the key."""
    task: int | None = None
    """A task of ARE 2007, 1 to 4: the input is what that task gives."""
    report_as: str = ""
    """What a system's name ends in for the report of the findings, such as `task1` or `gold:topic`."""

    def __post_init__(self) -> None:
        if self.task is not None and self.task not in TASKS:
            raise ConfigError(f"track {self.name}: task {self.task}; expected 1, 2, 3 or 4; mend the value")
        compares = RULES[self.settings.rules].compares
        if self.blind_zeros == "stripped" and compares == "words and empty nodes":
            raise ConfigError(
                f"track {self.name}: empty nodes are stripped, and the scorer of {self.profile} needs them; "
                'expected blind_zeros = "kept", or a profile from crac24 on; change one of them'
            )
        known = ("conll", *self.settings.metrics)
        for metric in (self.primary, *self.secondary):
            if metric not in known:
                raise UnknownNameError(f"metric of the track {self.name}", metric, known)

    @property
    def settings(self) -> Settings:
        """How it is scored."""
        return make_settings(
            self.profile,
            match=self.match,
            singletons=self.singletons,
            zeros=self.zeros,
            unit=self.unit,
            kind=self.kind,
        )

    @property
    def part_name(self) -> str:
        return self.part or self.name

    @property
    def shown_title(self) -> str:
        return self.title or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """A whole shared task."""

    name: str
    title: str = ""
    tracks: tuple[Track, ...]
    phases: tuple[Phase, ...]
    counts: Counting = "best"
    """Which run of a team counts: its best by the primary metric, its last, or the one it chose, else its last."""
    alias: str = "S"
    """What aliases begin with: S1, S2 …"""
    report: str = ""
    """The report of `coindex report` that has the tables of the findings."""

    def __post_init__(self) -> None:
        for what, items in (("track", self.tracks), ("phase", self.phases)):
            _check_items(what, [item.name for item in items])
        if self.report and self.report not in REPORTS:
            raise UnknownNameError("report", self.report, REPORTS)
        names = [phase.name for phase in self.phases]
        for phase in self.phases:
            for released in phase.releases:
                if released not in names:
                    raise UnknownNameError(f"phase that {phase.name} releases", released, names)

    def track(self, name: str) -> Track:
        """The track of that name."""
        return _named("track", name, self.tracks)

    def phase(self, name: str) -> Phase:
        """The phase of that name."""
        return _named("phase", name, self.phases)

    @property
    def shown_title(self) -> str:
        return self.title or self.name


def _named(what: str, name: str, items: Sequence[Item]) -> Item:
    for item in items:
        if item.name == name:
            return item
    raise UnknownNameError(what, name, [item.name for item in items])


def _check_items(what: str, names: Sequence[str]) -> None:
    if not names:
        raise ConfigError(f"no {what}; expected at least one; add [[{what}s]]")
    for at, name in enumerate(names):
        if not name.strip() or name != Path(name).name or name.startswith("."):
            raise ConfigError(f"{what} {quote(name)}; expected a name that can be a folder's; rename it")
        if name in names[:at]:
            raise ConfigError(f"two {what}s {quote(name)}; expected a name for each; rename one")


def read_campaign(path: str | Path) -> Campaign:
    """The campaign in a TOML file."""
    return parse_campaign(read_toml(Path(path)), str(path))


def parse_campaign(table: dict[str, object], place: str) -> Campaign:
    """The campaign in a table; `place` is what errors call it."""
    try:
        campaign: Campaign = parse_section(Campaign, table, place)
    except CoindexError as error:
        if error.details.get("place"):  # of the table itself; others are of the values in it
            raise
        raise ConfigError(f"{place}: {error}", code=error.code) from error
    return campaign


FOLDER = Path(__file__).parent / "definitions"
READY = ("crac22", "rueval14", "are07", "ecb-realistic")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def find_definition(name: str) -> Path:
    """The file of a ready definition."""
    if name not in READY:
        raise UnknownNameError("campaign", name, READY)
    return FOLDER / f"{name}.toml"


def load_campaign(name: str) -> Campaign:
    """The campaign of a TOML file, or a ready one by its name."""
    return read_campaign(find_definition(name) if name in READY and not Path(name).exists() else name)


def new_definition(name: str, like: str, opens: date) -> str:
    """The text of a definition with another name, its first phase opening on that day and all others moved along."""
    if not name.strip() or name != Path(name).name or name.startswith(".") or not name.isprintable():
        raise ConfigError(f"the name {quote(name)}; expected one that can be a folder's; choose another")
    text = find_definition(like).read_text(encoding="utf-8")
    first = min(phase.opens for phase in load_campaign(like).phases)
    by = datetime(opens.year, opens.month, opens.day, tzinfo=UTC) - first
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    text = text.replace(f'\nname = "{like}"\n', f'\nname = "{escaped}"\n', 1)
    return _MOMENT.sub(lambda match: _moved(match[0], by), text)


def _moved(moment: str, by: timedelta) -> str:
    return f"{datetime.fromisoformat(moment) + by:%Y-%m-%dT%H:%M:%S}Z"


PLACE = "the definition"
_HEADER = re.compile(r"\s*\[+\s*([\w.]+)\s*\]+\s*(#.*)?$")
Value = datetime | float | int | bool | str | None


def change_phase(text: str, name: str, values: Mapping[str, Value], visible: Mapping[str, str]) -> str:
    """The text with other values for fields of a phase; None takes a field out."""
    old = _parsed(text)
    wanted = replace(old.phase(name), **dict(values), visible=Visible(**dict(visible)))  # type: ignore[arg-type]
    sections = _sections(text)
    at = next((number for number, lines in enumerate(sections) if _is_phase(lines, name)), None)
    if at is None:
        raise _by_hand(name)
    for key, value in values.items():
        _set(sections[at], key, value)
    own = at + 1
    if own == len(sections) or _header(sections[own]) != "phases.visible":
        sections.insert(own, ["[phases.visible]"])
    for key, audience in visible.items():
        _set(sections[own], key, audience)
    changed = "\n".join(line for lines in sections for line in lines)
    try:
        is_right = _parsed(changed) == _with(old, wanted)
    except CoindexError:
        is_right = False
    if not is_right:
        raise _by_hand(name)
    return changed


def _by_hand(name: str) -> ConfigError:
    return ConfigError(f"phase {name}: written in a way that a form cannot change; edit the text of the definition")


def _parsed(text: str) -> Campaign:
    return parse_campaign(parse_toml(text, PLACE), PLACE)


def _with(campaign: Campaign, phase: Phase) -> Campaign:
    return replace(campaign, phases=tuple(phase if one.name == phase.name else one for one in campaign.phases))


def _sections(text: str) -> list[list[str]]:
    """The lines of each table, beginning with its header; before the first what stands above all."""
    found: list[list[str]] = [[]]
    for line in text.split("\n"):
        if _HEADER.match(line):
            found.append([])
        found[-1].append(line)
    return found


def _header(lines: list[str]) -> str:
    match = _HEADER.match(lines[0]) if lines else None
    return match[1] if match else ""


def _is_phase(lines: list[str], name: str) -> bool:
    if _header(lines) != "phases":
        return False
    body = "\n".join(lines[1:])
    return parse_toml(body, PLACE).get("name") == name


def _set(lines: list[str], key: str, value: Value) -> None:
    """The line of a key written anew, added or taken out."""
    at = next((number for number, line in enumerate(lines) if re.match(rf"\s*{key}\s*=", line)), None)
    if value is None:
        if at is not None:
            del lines[at]
        return
    line = f"{key} = {_literal(value)}"
    if at is not None:
        comment = re.search(r"\s#[^\"']*$", lines[at])
        lines[at] = line + (comment[0] if comment else "")
        return
    last = max(number for number, one in enumerate(lines) if one.strip() and not one.lstrip().startswith("#"))
    lines.insert(last + 1, line)


def _literal(value: Value) -> str:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z"
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else f"{value:g}"
