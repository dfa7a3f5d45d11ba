"""Who may do what: the kinds of people, and what each may do with layers and assignments.

`routes` names the people of each route; nothing else decides about rights but the functions here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ..store.models import Assignment, Attempt, Layer

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


def may_see_layer(who: Who, user: int, layer: Layer) -> bool:
    """Those who review see every layer, annotators their own, viewers what was published."""
    if who in REVIEWERS:
        return True
    if who == "annotator":
        return layer.owner_id == user
    return who == "viewer" and layer.is_published


def may_edit_layer(who: Who, user: int, layer: Layer) -> bool:
    """Only its owner writes to a layer, and only while they work in the project."""
    return (who in WORKERS or who == "administrator") and layer.owner_id == user


def may_work_on(who: Who, user: int, assignment: Assignment) -> bool:
    """Only the one it was given to."""
    return who in WORKERS and assignment.user_id == user


def may_steer(who: Who, user: int, assignment: Assignment) -> bool:
    """Those who manage, and the one it was given to."""
    return who in MANAGERS or may_work_on(who, user, assignment)


def may_see_attempt(who: Who, user: int, attempt: Attempt) -> bool:
    """Those who review, and whoever made it."""
    return who in REVIEWERS or may_hand_in(who, user, attempt)


def may_hand_in(who: Who, user: int, attempt: Attempt) -> bool:
    """Only whoever made it."""
    return who in WORKERS and attempt.user_id == user


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
    layer: Callable[[Who, int, Layer], bool] | None = None
    """The right that is needed on the layer of the path."""
    assignment: Callable[[Who, int, Assignment], bool] | None = None
    attempt: Callable[[Who, int, Attempt], bool] | None = None
    body: BodyKind = "form"
    most: int = 64 * KILOBYTE
    """The most bytes of the body."""
    is_data: bool = False
    """Answers, errors too, are JSON."""
    hashes: bool = False
    """Hashes a password, which takes long on purpose: few do so at a time."""
    is_api: bool = False
    """An API token may call it, and its body may be JSON or a form."""
