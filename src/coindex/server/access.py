"""Who may do what: the kinds of people, and the rule of a route.

`routes` names the people of each route; rights on layers and campaigns are decided by the apps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Who = Literal[
    "nobody",
    "stranger",
    "viewer",
    "annotator",
    "adjudicator",
    "manager",
    "participant",
    "organiser",
    "administrator",
]
"""What somebody is to a route: not logged in, logged in but not of its project or campaign, or what they are in it."""

NOBODY: frozenset[Who] = frozenset({"nobody"})
ADMINISTRATOR: frozenset[Who] = frozenset({"administrator"})
MANAGERS: frozenset[Who] = frozenset({"manager", "administrator"})
REVIEWERS: frozenset[Who] = MANAGERS | {"adjudicator"}
WORKERS: frozenset[Who] = frozenset({"annotator", "adjudicator", "manager"})
MEMBERS: frozenset[Who] = WORKERS | ADMINISTRATOR | {"viewer"}
USERS: frozenset[Who] = MEMBERS | {"stranger"}
EVERYBODY: frozenset[Who] = USERS | NOBODY
ORGANISERS: frozenset[Who] = frozenset({"organiser", "administrator"})
PARTICIPANTS: frozenset[Who] = frozenset({"participant"})
INVOLVED: frozenset[Who] = ORGANISERS | PARTICIPANTS
WORLD: frozenset[Who] = INVOLVED | {"stranger", "nobody"}
"""Who a campaign may be seen by: what it shows of itself when is decided by its phases."""


BodyKind = Literal["form", "json", "upload"]
KILOBYTE = 1 << 10
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Rule:
    """One route: how it is called, who may call it, what it does."""

    method: Literal["GET", "POST"]
    path: str
    handler: Callable[..., Any]
    who: frozenset[Who]
    body: BodyKind = "form"
    most: int = 64 * KILOBYTE
    """The most bytes of the body."""
    is_data: bool = False
    """Answers, errors too, are JSON."""
    hashes: bool = False
    """Hashes a password, which takes long on purpose: few do so at a time."""
    is_api: bool = False
    """An API token may call it, and its body may be JSON or a form."""
