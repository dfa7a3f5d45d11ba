"""Campaign definitions: TOML files whose keys are the fields below, templates, and edits that keep comments.

The templates in `definitions` contain every field with a comment.

`change_phase` edits the text of a definition line by line and parses the result. If the result is not the intended
definition, for example because of inline tables, it raises an error and the text has to be edited manually.
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
"""Who sees something besides the organisers: nobody, the team it belongs to, all teams, or everyone."""
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
    """Who sees scores."""
    keys: Audience = "nobody"
    """Who can download the annotated key."""
    team_names: Audience = "everyone"
    """Who sees team names; others see aliases."""
    document_errors: Audience = "nobody"
    """Who sees scores and errors per document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A period of a campaign, from `opens` (inclusive) to `closes` (exclusive)."""

    name: str
    opens: datetime
    closes: datetime | None = None
    """The closing time; none if omitted."""
    downloads: bool = True
    """Whether teams may download the input."""
    submissions: bool = True
    """Whether teams may submit."""
    hours_from_download: float | None = None
    """How many hours a team can submit after its first download, at most until `closes`."""
    limit_a_day: int | None = None
    """The maximum number of submissions per team and day (UTC); failed submissions are not counted."""
    limit_total: int | None = None
    releases: tuple[str, ...] = ()
    """Earlier phases that become as visible as this one when it opens."""
    visible: Visible = field(default_factory=Visible)

    def __post_init__(self) -> None:
        for name, moment in (("opens", self.opens), ("closes", self.closes)):
            if moment is not None and moment.utcoffset() != timedelta(0):
                raise ConfigError(
                    f"phase {self.name}: {name} = {moment} is not in UTC; use the form 2026-03-01T12:00:00Z"
                )
        if self.closes is not None and self.closes <= self.opens:
            raise ConfigError(f"phase {self.name}: closes must be later than opens")
        for name in ("hours_from_download", "limit_a_day", "limit_total"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ConfigError(f"phase {self.name}: {name} = {value} is not positive; omit it for no limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A task: what participants receive, how submissions are scored, and which metric ranks them."""

    name: str
    title: str = ""
    profile: str
    """A profile of `coindex score`; `match` to `kind` override single settings of it."""
    match: str | None = None
    singletons: bool | None = None
    zeros: Literal["dependent", "linear"] | None = None
    unit: Literal["document", "topic", "subtopic", "corpus"] | None = None
    kind: Literal["entity", "event"] | None = None
    primary: str
    """The metric whose F1 ranks the submissions; `conll` is the mean of MUC, B³ and CEAF-e."""
    secondary: tuple[str, ...] = ()
    """Other metrics on the leaderboard; they break ties, in this order."""
    one_dataset: bool = False
    """Whether all files of the key form one dataset; otherwise each file or folder at the top level is one."""
    datasets: tuple[str, ...] = ()
    """The datasets of the track; all datasets of the key if empty."""
    part: str = ""
    """The file or folder of a submission (and of the key, if it has one) for this track; by default the name of the
    track. Tracks that score the same responses in different ways name the same part."""
    mentions: Mentions = "hidden"
    """Whether the input contains the mentions of the key, without their entities."""
    blind_zeros: Zeros = "kept"
    """Whether the input contains the empty nodes of the key."""
    task: int | None = None
    """A task of ARE 2007, 1 to 4, which determines the input."""
    report_as: str = ""
    """The suffix of system names in the result tables, such as `task1` or `gold:topic`."""

    def __post_init__(self) -> None:
        if self.task is not None and self.task not in TASKS:
            raise ConfigError(f"track {self.name}: unknown task {self.task}; use 1, 2, 3 or 4")
        compares = RULES[self.settings.rules].compares
        if self.blind_zeros == "stripped" and compares == "words and empty nodes":
            raise ConfigError(
                f"track {self.name}: the scorer of {self.profile} needs empty nodes, which the track strips; "
                'set blind_zeros = "kept", or use the profile crac24 or later'
            )
        known = ("conll", *self.settings.metrics)
        for metric in (self.primary, *self.secondary):
            if metric not in known:
                raise UnknownNameError(f"metric of the track {self.name}", metric, known)

    @property
    def settings(self) -> Settings:
        """The scoring settings."""
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
    """A shared task."""

    name: str
    title: str = ""
    tracks: tuple[Track, ...]
    phases: tuple[Phase, ...]
    counts: Counting = "best"
    """Which run of a team is ranked: the best by the primary metric, the last, or the chosen one (default: last)."""
    alias: str = "S"
    """The prefix of aliases: S1, S2 …"""
    report: str = ""
    """The report of `coindex report` that produces the result tables."""

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
        """Return the track with this name."""
        return _find_item("track", name, self.tracks)

    def phase(self, name: str) -> Phase:
        """Return the phase with this name."""
        return _find_item("phase", name, self.phases)

    @property
    def shown_title(self) -> str:
        return self.title or self.name


def _find_item(what: str, name: str, items: Sequence[Item]) -> Item:
    for item in items:
        if item.name == name:
            return item
    raise UnknownNameError(what, name, [item.name for item in items])


def _check_items(what: str, names: Sequence[str]) -> None:
    if not names:
        raise ConfigError(f"the campaign has no {what}; add a table [[{what}s]]")
    for at, name in enumerate(names):
        if not name.strip() or name != Path(name).name or name.startswith("."):
            raise ConfigError(f"invalid {what} name {quote(name)}; choose one that is a valid folder name")
        if name in names[:at]:
            raise ConfigError(f"two {what}s are named {quote(name)}; rename one of them")


def read_campaign(path: str | Path) -> Campaign:
    """Read the campaign in a TOML file."""
    return parse_campaign(read_toml(Path(path)), str(path))


def parse_campaign(table: dict[str, object], place: str) -> Campaign:
    """Parse a campaign; errors refer to it as `place`."""
    try:
        campaign: Campaign = parse_section(Campaign, table, place)
    except CoindexError as error:
        if error.details.get("place"):  # errors in single values lack the place
            raise
        raise ConfigError(f"{place}: {error}", code=error.code) from error
    return campaign


FOLDER = Path(__file__).parent / "definitions"
READY = ("crac22", "rueval14", "are07", "ecb-realistic")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def find_definition(name: str) -> Path:
    """Return the path of a template."""
    if name not in READY:
        raise UnknownNameError("campaign", name, READY)
    return FOLDER / f"{name}.toml"


def load_campaign(name: str) -> Campaign:
    """Return the campaign in a TOML file, or a template by its name."""
    return read_campaign(find_definition(name) if name in READY and not Path(name).exists() else name)


def new_definition(name: str, like: str, opens: date) -> str:
    """Return the text of a template with a new name and all dates shifted so that the first phase opens on a day."""
    if not name.strip() or name != Path(name).name or name.startswith(".") or not name.isprintable():
        raise ConfigError(f"invalid campaign name {quote(name)}; choose one that is a valid folder name")
    text = find_definition(like).read_text(encoding="utf-8")
    first = min(phase.opens for phase in load_campaign(like).phases)
    by = datetime(opens.year, opens.month, opens.day, tzinfo=UTC) - first
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    text = text.replace(f'\nname = "{like}"\n', f'\nname = "{escaped}"\n', 1)
    return _MOMENT.sub(lambda match: _shift_moment(match[0], by), text)


def _shift_moment(moment: str, by: timedelta) -> str:
    return f"{datetime.fromisoformat(moment) + by:%Y-%m-%dT%H:%M:%S}Z"


PLACE = "campaign definition"
_HEADER = re.compile(r"\s*\[+\s*([\w.]+)\s*\]+\s*(#.*)?$")
Value = datetime | float | int | bool | str | None


def change_phase(text: str, name: str, values: Mapping[str, Value], visible: Mapping[str, str]) -> str:
    """Return the text with new values for fields of a phase; None removes a field."""
    old = _parse(text)
    wanted = replace(old.phase(name), **dict(values), visible=Visible(**dict(visible)))  # type: ignore[arg-type]
    sections = _split_sections(text)
    at = next((number for number, lines in enumerate(sections) if _is_phase(lines, name)), None)
    if at is None:
        raise _cannot_edit(name)
    for key, value in values.items():
        _set(sections[at], key, value)
    own = at + 1
    if own == len(sections) or _header(sections[own]) != "phases.visible":
        sections.insert(own, ["[phases.visible]"])
    for key, audience in visible.items():
        _set(sections[own], key, audience)
    changed = "\n".join(line for lines in sections for line in lines)
    try:
        is_right = _parse(changed) == _replace_phase(old, wanted)
    except CoindexError:
        is_right = False
    if not is_right:
        raise _cannot_edit(name)
    return changed


def _cannot_edit(name: str) -> ConfigError:
    return ConfigError(f"phase {name}: the form cannot change this phase; edit the text of the definition")


def _parse(text: str) -> Campaign:
    return parse_campaign(parse_toml(text, PLACE), PLACE)


def _replace_phase(campaign: Campaign, phase: Phase) -> Campaign:
    return replace(campaign, phases=tuple(phase if other.name == phase.name else other for other in campaign.phases))


def _split_sections(text: str) -> list[list[str]]:
    """Return the lines of each table, starting with its header; the first item has the lines above all tables."""
    groups: list[list[str]] = [[]]
    for line in text.split("\n"):
        if _HEADER.match(line):
            groups.append([])
        groups[-1].append(line)
    return groups


def _header(lines: list[str]) -> str:
    match = _HEADER.match(lines[0]) if lines else None
    return match[1] if match else ""


def _is_phase(lines: list[str], name: str) -> bool:
    if _header(lines) != "phases":
        return False
    body = "\n".join(lines[1:])
    return parse_toml(body, PLACE).get("name") == name


def _set(lines: list[str], key: str, value: Value) -> None:
    """Replace, add or remove the line of a key."""
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
    last = max(number for number, other in enumerate(lines) if other.strip() and not other.lstrip().startswith("#"))
    lines.insert(last + 1, line)


def _literal(value: Value) -> str:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z"
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else f"{value:g}"
