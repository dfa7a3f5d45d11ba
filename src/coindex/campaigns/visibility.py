"""Who sees what, when, and under which names.

Windows are pure functions of the time. All times are in UTC. A phase has begun at the very moment it opens and is over
at the very moment it closes; a window that runs from the download is over at its end too. Failed and cancelled runs
never count against a limit.

A run shows what its own phase shows, and what a later phase shows that releases it, from the moment that phase opens.
Nothing is visible of a phase that has not begun. Organisers see everything.

Anonymity is decided here alone: team names are replaced in results before anything is made from them, and in every
message. Tables, CSV, JSON and logs are made from what these functions return. ARE 2007 printed S1, S2, S3.
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
    """Something that belongs to a team: a run with its scores, or one that failed."""

    @property
    def team(self) -> str: ...

    def renamed(self, team: str, message: str) -> Self:
        """The same under another name, with another text for what is said of it."""
        ...

    @property
    def message(self) -> str: ...


Owned = TypeVar("Owned", bound=OfTeam)


@dataclass(frozen=True, slots=True)
class Aliases:
    """Aliases by team; a team without one keeps its name."""

    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        twice = len(set(self.names.values())) < len(self.names)
        clash = next(
            (alias for alias in self.names.values() if alias.casefold() in map(str.casefold, self.names)), None
        )
        if twice or clash is not None:
            what = f"the alias {quote(clash)} is a team's name" if clash is not None else "two teams of one alias"
            raise CoindexError(
                f"{what}; expected an alias of its own for each team; choose others", code="invalid-alias"
            )

    def of(self, team: str) -> str:
        """What a team is called."""
        return self.names.get(team, team)

    def text(self, text: str) -> str:
        """A message with every name of a team in it exchanged, whole words only, in whatever case."""
        if not self.names:
            return text
        longest = sorted(self.names, key=len, reverse=True)
        pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest)
        folded = {name.casefold(): alias for name, alias in self.names.items()}
        return re.sub(pattern, lambda match: folded[match[0].casefold()], text, flags=re.IGNORECASE)

    def apply(self, results: Iterable[Owned]) -> list[Owned]:
        """The results under aliases, in an order that says nothing: that of the aliases."""
        renamed = [one.renamed(self.of(one.team), self.text(one.message)) for one in results]
        return sorted(renamed, key=lambda one: natural(one.team))

    def but(self, team: str | None) -> Aliases:
        """The aliases as a team sees them that knows its own name."""
        return Aliases({name: alias for name, alias in self.names.items() if name != team})


def draw_aliases(
    teams: Iterable[str], *, prefix: str = "S", seed: int, given: Mapping[str, str] | None = None
) -> Aliases:
    """S1, S2 … dealt by chance, so that neither names nor the order of registration show; those given stay.

    Who knows the seed and the teams knows who is who, so it is to be a secret.

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
    """An alias for one team more, where teams come one by one: by chance among many, so that it tells no order.

    `taken` are the aliases and the names that it must differ from.
    """
    used = {name.casefold() for name in taken}
    among = 99
    while among < 4 * len(used):
        among = 10 * among + 9
    return SystemRandom().choice(
        [alias for number in range(1, among + 1) if (alias := f"{prefix}{number}").casefold() not in used]
    )


def natural(name: str) -> list[tuple[int, str]]:
    """S2 before S10."""
    return [(int(piece) if piece.isdecimal() else -1, piece) for piece in re.split(r"(\d+)", name)]


@dataclass(frozen=True, slots=True)
class Submitted:
    """A run that was sent before: when, and whether it failed."""

    at: datetime
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """Yes or no, why, and until when a yes holds or from when on a no may be a yes."""

    allowed: bool
    reason: str
    until: datetime | None = None

    def __bool__(self) -> bool:
        return self.allowed


def state(now: datetime, phase: Phase) -> str:
    """`before`, `open` or `over`."""
    _check(now)
    if now < phase.opens:
        return "before"
    return "over" if phase.closes is not None and now >= phase.closes else "open"


def open_phases(now: datetime, campaign: Campaign) -> list[Phase]:
    """The phases that are open now."""
    return [phase for phase in campaign.phases if state(now, phase) == "open"]


def may_download(now: datetime, phase: Phase) -> Answer:
    """Whether the input of a phase may be downloaded."""
    closed = _closed(now, phase)
    if closed is not None:
        return closed
    if not phase.downloads:
        return Answer(False, f"{phase.name} has nothing to download")
    return Answer(True, f"{phase.name} is open", phase.closes)


def deadline(phase: Phase, downloaded: datetime | None) -> datetime | None:
    """When a team must have submitted: the end of the phase, or of its hours if that comes first."""
    if phase.hours_from_download is None or downloaded is None:
        return phase.closes
    own = downloaded + timedelta(hours=phase.hours_from_download)
    return own if phase.closes is None else min(own, phase.closes)


def may_submit(
    now: datetime, phase: Phase, *, downloaded: datetime | None = None, submitted: Iterable[Submitted] = ()
) -> Answer:
    """Whether a team may submit; `downloaded` is its first download, `submitted` are its runs in this phase."""
    closed = _closed(now, phase)
    if closed is not None:
        return closed
    if not phase.submissions:
        return Answer(False, f"{phase.name} takes no submissions")
    if phase.hours_from_download is not None and downloaded is None:
        return Answer(False, f"download the input first: you then have {phase.hours_from_download:g} hours")
    end = deadline(phase, downloaded)
    if end is not None and now >= end:
        return Answer(False, f"your {phase.hours_from_download:g} hours from the download ended {_shown(end)}")
    spent = _spent(now, phase, [run.at for run in submitted if not run.failed])
    return spent if spent is not None else Answer(True, f"{phase.name} is open", end)


def _spent(now: datetime, phase: Phase, counted: Sequence[datetime]) -> Answer | None:
    """No, where a limit is reached."""
    if phase.limit_total is not None and len(counted) >= phase.limit_total:
        return Answer(False, f"{len(counted)} submissions, and {phase.limit_total} are allowed in {phase.name}")
    today = sum(at.astimezone(UTC).date() == now.astimezone(UTC).date() for at in counted)
    if phase.limit_a_day is None or today < phase.limit_a_day:
        return None
    tomorrow = (now.astimezone(UTC) + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    reason = f"{today} submissions today, and {phase.limit_a_day} a day are allowed; go on {_shown(tomorrow)}"
    return Answer(False, reason, tomorrow)


def _closed(now: datetime, phase: Phase) -> Answer | None:
    """No, where the phase is not open."""
    where = state(now, phase)
    if where == "before":
        return Answer(False, f"{phase.name} opens {_shown(phase.opens)}", phase.opens)
    if where == "over" and phase.closes is not None:
        return Answer(False, f"{phase.name} closed {_shown(phase.closes)}")
    return None


def _check(now: datetime) -> None:
    if now.tzinfo is None:
        raise CoindexError(
            f"{now}: a time without a zone; expected one in UTC; give datetime.now(UTC)", code="invalid-argument"
        )


def _shown(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


Role = Literal["organiser", "team", "public"]


def visible(now: datetime, role: Role, what: Shown, campaign: Campaign, phase: Phase, *, own: bool = False) -> bool:
    """Whether somebody sees something of a phase; `own`: it is of the asker's own team."""
    if role not in get_args(Role):
        raise UnknownNameError("role", role, get_args(Role))
    if what not in get_args(Shown):
        raise UnknownNameError("thing to see", what, get_args(Shown))
    if role == "organiser":
        return True
    if state(now, phase) == "before":
        return False
    showing = [phase, *(later for later in campaign.phases if _releases(now, later, phase))]
    return any(_sees(getattr(one.visible, what), role, own=own) for one in showing)


def _releases(now: datetime, later: Phase, phase: Phase) -> bool:
    return phase.name in later.releases and state(now, later) != "before"


def _sees(audience: Audience, role: Role, *, own: bool) -> bool:
    if audience == "everyone":
        return True
    if role != "team":
        return False
    return audience == "teams" or (audience == "own" and own)
