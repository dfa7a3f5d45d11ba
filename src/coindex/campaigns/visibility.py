"""Visibility rules: who sees what, when, and under which team names.

These are pure functions of the time, in UTC. A phase includes its opening time and excludes its closing time, and so
does the submission window after a download. Failed and cancelled runs never count towards a limit.

A run is as visible as its own phase specifies, or as any later phase that releases it, once that phase is open. Nothing
of a phase is visible before it opens. Organisers see everything.

Anonymity is implemented only here: team names are replaced in results and messages before tables, files and logs are
created from them. The default aliases S1, S2, S3 follow ARE 2007.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random, SystemRandom
from typing import Literal, Protocol, Self, TypeVar, get_args

from ..errors import CoindexError, UnknownNameError, quote
from .definition import Audience, Campaign, Phase, Shown


class OfTeam(Protocol):
    """Something that belongs to a team, such as a scored or failed run."""

    @property
    def team(self) -> str: ...

    def with_team(self, team: str, message: str) -> Self:
        """Return a copy with another team name and message."""
        ...

    @property
    def message(self) -> str: ...


Owned = TypeVar("Owned", bound=OfTeam)


@dataclass(frozen=True, slots=True)
class Aliases:
    """Aliases by team name; a team without an alias keeps its name."""

    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        twice = len(set(self.names.values())) < len(self.names)
        clash = next(
            (alias for alias in self.names.values() if alias.casefold() in map(str.casefold, self.names)), None
        )
        if twice or clash is not None:
            what = (
                f"the alias {quote(clash)} is a team's name" if clash is not None else "two teams have the same alias"
            )
            raise CoindexError(f"{what}; choose other aliases", code="invalid-alias")

    def of(self, team: str) -> str:
        """Return the alias of a team, or its name if it has none."""
        return self.names.get(team, team)

    def text(self, text: str) -> str:
        """Replace team names in a message; whole words only, ignoring case."""
        if not self.names:
            return text
        longest = sorted(self.names, key=len, reverse=True)
        pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest)
        folded = {name.casefold(): alias for name, alias in self.names.items()}
        return re.sub(pattern, lambda match: folded[match[0].casefold()], text, flags=re.IGNORECASE)

    def apply(self, results: Iterable[Owned]) -> list[Owned]:
        """Return the results under aliases, sorted by alias so that the order reveals nothing."""
        renamed = [result.with_team(self.of(result.team), self.text(result.message)) for result in results]
        return sorted(renamed, key=lambda result: natural(result.team))

    def but(self, team: str | None) -> Aliases:
        """Return the aliases without that of a team, which sees its own name."""
        return Aliases({name: alias for name, alias in self.names.items() if name != team})


def draw_aliases(
    teams: Iterable[str], *, prefix: str = "S", seed: int, given: Mapping[str, str] | None = None
) -> Aliases:
    """Assign aliases (S1, S2 …) at random, so that they reveal neither names nor the order of registration.

    Aliases in `given` are kept. Keep the seed secret: with the team names it reveals the assignment.

    >>> sorted(draw_aliases(["mill", "lake"], seed=7).names.values())
    ['S1', 'S2']
    """
    known = dict(given or {})
    waiting = sorted(set(teams) - known.keys())
    taken = {alias.casefold() for alias in known.values()} | {team.casefold() for team in (*known, *waiting)}
    free: list[str] = []
    number = 0
    while len(free) < len(waiting):
        number += 1
        alias = f"{prefix}{number}"
        if alias.casefold() not in taken:
            free.append(alias)
    Random(seed).shuffle(free)
    return Aliases({**known, **dict(zip(waiting, free, strict=True))})


def draw_alias(taken: Iterable[str], *, prefix: str = "S") -> str:
    """Draw a random alias for a new team, from a range large enough not to reveal the order of registration.

    It differs from the aliases and names in `taken`.
    """
    used = {name.casefold() for name in taken}
    among = 99
    while among < 4 * len(used):
        among = 10 * among + 9
    return SystemRandom().choice(
        [alias for number in range(1, among + 1) if (alias := f"{prefix}{number}").casefold() not in used]
    )


def natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key that puts S2 before S10."""
    return [(int(piece) if piece.isdecimal() else -1, piece) for piece in re.split(r"(\d+)", name)]


@dataclass(frozen=True, slots=True)
class Submitted:
    """The time of a previous submission, and whether it failed."""

    at: datetime
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether an action is allowed, the reason, and the time when the answer changes."""

    allowed: bool
    reason: str
    until: datetime | None = None

    def __bool__(self) -> bool:
        return self.allowed


def state(now: datetime, phase: Phase) -> str:
    """Return the state of a phase: `before`, `open` or `over`."""
    _check(now)
    if now < phase.opens:
        return "before"
    return "over" if phase.closes is not None and now >= phase.closes else "open"


def open_phases(now: datetime, campaign: Campaign) -> list[Phase]:
    """Return the phases that are open."""
    return [phase for phase in campaign.phases if state(now, phase) == "open"]


def may_download(now: datetime, phase: Phase) -> Answer:
    """Return whether the input of a phase can be downloaded."""
    closed = _refuse_closed(now, phase)
    if closed is not None:
        return closed
    if not phase.downloads:
        return Answer(False, f"the phase {phase.name} has no input to download")
    return Answer(True, f"{phase.name} is open", phase.closes)


def deadline(phase: Phase, downloaded: datetime | None) -> datetime | None:
    """Return the deadline of a team: the end of the phase or of its submission window, whichever is first."""
    if phase.hours_from_download is None or downloaded is None:
        return phase.closes
    own = downloaded + timedelta(hours=phase.hours_from_download)
    return own if phase.closes is None else min(own, phase.closes)


def may_submit(
    now: datetime, phase: Phase, *, downloaded: datetime | None = None, submitted: Iterable[Submitted] = ()
) -> Answer:
    """Return whether a team can submit, given its first download and its submissions in this phase."""
    closed = _refuse_closed(now, phase)
    if closed is not None:
        return closed
    if not phase.submissions:
        return Answer(False, f"the phase {phase.name} does not accept submissions")
    if phase.hours_from_download is not None and downloaded is None:
        return Answer(False, f"download the input first; you then have {phase.hours_from_download:g} hours to submit")
    end = deadline(phase, downloaded)
    if end is not None and now >= end:
        return Answer(False, f"your {phase.hours_from_download:g}-hour submission window ended on {_format_time(end)}")
    refusal = _check_limits(now, phase, [run.at for run in submitted if not run.failed])
    return refusal if refusal is not None else Answer(True, f"{phase.name} is open", end)


def _check_limits(now: datetime, phase: Phase, counted: Sequence[datetime]) -> Answer | None:
    """Return a negative answer if a submission limit is reached."""
    if phase.limit_total is not None and len(counted) >= phase.limit_total:
        return Answer(False, f"submission limit reached: {len(counted)} of {phase.limit_total} in {phase.name}")
    today = sum(at.astimezone(UTC).date() == now.astimezone(UTC).date() for at in counted)
    if phase.limit_a_day is None or today < phase.limit_a_day:
        return None
    tomorrow = (now.astimezone(UTC) + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    reason = (
        f"daily submission limit reached: {today} of {phase.limit_a_day}; submit again after {_format_time(tomorrow)}"
    )
    return Answer(False, reason, tomorrow)


def _refuse_closed(now: datetime, phase: Phase) -> Answer | None:
    """Return a negative answer if the phase is not open."""
    where = state(now, phase)
    if where == "before":
        return Answer(False, f"{phase.name} opens on {_format_time(phase.opens)}", phase.opens)
    if where == "over" and phase.closes is not None:
        return Answer(False, f"{phase.name} closed on {_format_time(phase.closes)}")
    return None


def _check(now: datetime) -> None:
    if now.tzinfo is None:
        raise CoindexError(
            f"{now}: the time has no time zone; pass a time in UTC, such as datetime.now(UTC)", code="invalid-argument"
        )


def _format_time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


Role = Literal["organiser", "team", "public"]


def visible(now: datetime, role: Role, what: Shown, campaign: Campaign, phase: Phase, *, own: bool = False) -> bool:
    """Return whether a role sees a kind of data of a phase; `own`: the data belongs to the viewer's team."""
    if role not in get_args(Role):
        raise UnknownNameError("role", role, get_args(Role))
    if what not in get_args(Shown):
        raise UnknownNameError("kind of data", what, get_args(Shown))
    if role == "organiser":
        return True
    if state(now, phase) == "before":
        return False
    showing = [phase, *(later for later in campaign.phases if _releases(now, later, phase))]
    return any(_sees(getattr(shown_phase.visible, what), role, own=own) for shown_phase in showing)


def _releases(now: datetime, later: Phase, phase: Phase) -> bool:
    return phase.name in later.releases and state(now, later) != "before"


def _sees(audience: Audience, role: Role, *, own: bool) -> bool:
    if audience == "everyone":
        return True
    if role != "team":
        return False
    return audience == "teams" or (audience == "own" and own)
