"""What a project keeps about how it works: each part of the program has a name of its own in its settings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import CoindexError
from .models import Project

MOST_DAYS = 3650


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRules:
    """How documents are given out: to how many people each, and when work returns."""

    copies: int = 1
    idle_days: int | None = 30
    """After so many days without an edit work returns; None for never."""
    deadline_days: int | None = None
    """The deadline of what somebody takes from the queue; None for none."""

    def __post_init__(self) -> None:
        if not 1 <= self.copies <= 20:
            raise CoindexError(f"{self.copies} annotators for each document; expected 1 to 20")
        for days in (self.idle_days, self.deadline_days):
            if days is not None and not 1 <= days <= MOST_DAYS:
                raise CoindexError(f"{days} days; expected 1 to {MOST_DAYS}, or nothing")


def work_rules(project: Project) -> WorkRules:
    return WorkRules(**project.settings.get("work", {}))


def set_work_rules(session: Session, project: int, rules: WorkRules) -> None:
    set_setting(session, project, "work", asdict(rules))


def set_setting(session: Session, project: int, name: str, value: Any) -> None:
    """Keep a value under its name; the others stay, also those that somebody changes at the same time."""
    row = lock_project(session, project)
    row.settings = {**row.settings, name: value}
    session.flush()


def lock_project(session: Session, project: int) -> Project:
    """The project, for one writer at a time until the transaction ends; as it is now, not as it was read before."""
    query = select(Project).where(Project.id == project).with_for_update()
    row = session.scalar(query, execution_options={"populate_existing": True})
    if row is None:
        raise CoindexError(f"there is no project {project}; it may have been deleted")
    return row
