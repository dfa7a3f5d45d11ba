"""How far a project is: every document and annotator, and the words that were done over time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import accumulate

from sqlalchemy.orm import Session

from ..server.models import Project
from .project_settings import work_rules
from .projects import members
from .work import HELD, UNFINISHED, InHand, documents_to_deal, in_hand


@dataclass(frozen=True, slots=True)
class Share:
    """Somebody's part in a document."""

    user: int
    name: str
    state: str
    reason: str | None
    deadline: datetime | None
    active: datetime
    is_late: bool


@dataclass(slots=True)
class DocumentProgress:
    """A document with the parts of all."""

    id: int
    name: str
    words: int
    shares: list[Share] = field(default_factory=list)

    copies: int = 1
    """How many it is for: as many as the project wants, or as have got it."""

    def count(self, *states: str) -> int:
        return sum(share.state in states for share in self.shares)


@dataclass(slots=True)
class PersonProgress:
    """What somebody has done and has to do, in documents and words."""

    user: int
    name: str
    role: str
    documents: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    late: int = 0
    active: datetime | None = None

    def add(self, share: Share, words: int) -> None:
        self.documents[share.state] = self.documents.get(share.state, 0) + 1
        self.words[share.state] = self.words.get(share.state, 0) + words
        self.late += share.is_late
        self.active = max(self.active or share.active, share.active)


@dataclass(frozen=True, slots=True)
class Progress:
    """A project at a moment."""

    copies: int
    documents: list[DocumentProgress]
    people: list[PersonProgress]
    done: list[tuple[datetime, int]]
    """When how many words were finished, in order."""

    @property
    def words_wanted(self) -> int:
        return sum(document.words * document.copies for document in self.documents)

    @property
    def words_done(self) -> int:
        return sum(words for _, words in self.done)

    def share(self, *states: str) -> float:
        """The part of all wanted words that are in these states."""
        words = sum(document.words * document.count(*states) for document in self.documents)
        return words / self.words_wanted if self.words_wanted else 0.0


def progress(session: Session, project: Project, at: datetime) -> Progress:
    """How far the real work of a project is; assessments are left out."""
    documents = {
        document.id: DocumentProgress(document.id, document.name, document.words)
        for document in documents_to_deal(session, project.id)
    }
    people = {user.id: PersonProgress(user.id, user.name, role) for user, role in members(session, project.id)}
    done: list[tuple[datetime, int]] = []
    for held in in_hand(session, project.id):
        document = documents.get(held.document)
        if document is None:
            continue
        person = people.get(held.user)
        share = _share(held, person.name if person else "somebody who left", at)
        document.shares.append(share)
        if person is not None:
            person.add(share, document.words)
        if share.state == "done":
            done.append((held.changed, document.words))
    rules = work_rules(project)
    ordered = sorted(documents.values(), key=lambda document: document.name)
    for document in ordered:
        document.copies = max(rules.copies_of(document.name), document.count(*HELD))
        document.shares.sort(key=lambda share: (share.state not in HELD, share.name))
    wanted = [person for person in people.values() if person.role == "annotator" or person.documents]
    return Progress(rules.copies, ordered, wanted, sorted(done))


def _share(held: InHand, name: str, at: datetime) -> Share:
    is_late = held.state in UNFINISHED and held.deadline is not None and held.deadline < at
    return Share(held.user, name, held.state, held.reason, held.deadline, held.active, is_late)


def by_day(done: Iterable[tuple[datetime, int]]) -> list[tuple[date, int]]:
    """All days from the first to the last, each with the words that were done up to its end."""
    days: dict[date, int] = {}
    for moment, words in done:
        days[moment.date()] = days.get(moment.date(), 0) + words
    if not days:
        return []
    first, last = min(days), max(days)
    every = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    return list(zip(every, accumulate(days.get(day, 0) for day in every), strict=True))
