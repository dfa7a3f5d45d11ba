"""What a project keeps about how it works: each part of the program has a name of its own in its settings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import CoindexError
from ..server.models import Project

MOST_DAYS = 3650
MOST_COPIES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRules:
    """How documents are given out: to how many people each, and when work returns."""

    copies: int = 1
    exceptions: tuple[tuple[str, int], ...] = ()
    """How names of documents begin that are for another number of people; the first that fits counts."""
    idle_days: int | None = 30
    """After so many days without an edit work returns; None for never."""
    deadline_days: int | None = None
    """The deadline of what somebody takes from the queue; None for none."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "exceptions", tuple((str(start), int(copies)) for start, copies in self.exceptions))
        if not 1 <= self.copies <= MOST_COPIES:
            raise CoindexError(
                f"{self.copies} annotators for each document; expected 1 to {MOST_COPIES}", code="invalid-input"
            )
        for start, copies in self.exceptions:
            if not start or not 0 <= copies <= MOST_COPIES:
                raise CoindexError(
                    f"{copies} annotators for documents {start!r}…; expected 0 to {MOST_COPIES}", code="invalid-input"
                )
        for days in (self.idle_days, self.deadline_days):
            if days is not None and not 1 <= days <= MOST_DAYS:
                raise CoindexError(f"{days} days; expected 1 to {MOST_DAYS}, or nothing", code="invalid-input")

    def copies_of(self, name: str) -> int:
        """How many people a document of this name is for."""
        return next((copies for start, copies in self.exceptions if name.startswith(start)), self.copies)


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
        raise CoindexError(f"there is no project {project}; it may have been deleted", code="not-found")
    return row
