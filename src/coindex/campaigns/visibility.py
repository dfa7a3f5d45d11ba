"""Who sees what, when: one pure function that pages, files and logs all ask.

What is visible of a run is what its own phase shows, and what a later phase shows that releases it, from the moment
that phase opens. Of a phase that has not begun nothing is visible. Organisers see everything.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from ..errors import UnknownNameError
from .definition import Audience, Campaign, Phase, Shown
from .windows import state

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
