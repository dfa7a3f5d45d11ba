"""What teams sent, the runs that they chose, and the scores that were computed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from ...errors import CoindexError
from ..names import clean_name
from .keys import add_file
from .models import Choice, ScoreRow, SubmissionRow

MOST_RUN = 60


def add_submission(
    session: Session,
    campaign: int,
    team: int,
    phase: str,
    *,
    run: str,
    tracks: list[str],
    name: str,
    content: bytes,
    by: int,
    at: datetime,
) -> SubmissionRow:
    """A submission with the team's next number. The team's row is held."""
    number = (session.scalar(select(func.max(SubmissionRow.number)).where(SubmissionRow.team_id == team)) or 0) + 1
    shown = clean_name(run, "run's name", most=MOST_RUN) if run.strip() else _free_name(session, team, number)
    if shown in run_names(session, team):
        raise CoindexError(f"your team has a run {shown!r} already; choose another name")
    row = SubmissionRow(
        campaign_id=campaign,
        team_id=team,
        phase=phase,
        number=number,
        run=shown,
        tracks=tracks,
        file_id=add_file(session, campaign, name, content),
        user_id=by,
        at=at,
    )
    session.add(row)
    session.flush()
    return row


def _free_name(session: Session, team: int, number: int) -> str:
    """The number, unless the team gave that name to another run."""
    taken = run_names(session, team)
    return next(name for name in (str(number), *(f"{number}.{more}" for more in range(2, 1000))) if name not in taken)


def run_names(session: Session, team: int) -> set[str]:
    return set(session.scalars(select(SubmissionRow.run).where(SubmissionRow.team_id == team)))


def get_submission(session: Session, submission: int) -> SubmissionRow | None:
    return session.get(SubmissionRow, submission)


def submissions(
    session: Session, campaign: int, *, phase: str | None = None, team: int | None = None
) -> list[SubmissionRow]:
    """Submissions of a campaign, the oldest first."""
    query = select(SubmissionRow).where(SubmissionRow.campaign_id == campaign)
    if phase is not None:
        query = query.where(SubmissionRow.phase == phase)
    if team is not None:
        query = query.where(SubmissionRow.team_id == team)
    return list(session.scalars(query.order_by(SubmissionRow.id)))


# --- choices


def choose(session: Session, row: SubmissionRow, track: str) -> None:
    """Make a submission the one that counts. The team's row is held."""
    where = (row.team_id, row.phase, track)
    found = session.get(Choice, where)
    if found is None:
        session.add(Choice(team_id=row.team_id, phase=row.phase, track=track, submission_id=row.id))
    else:
        found.submission_id = row.id
    session.flush()


def drop_choices(session: Session, submission: int) -> None:
    """A submission is chosen for nothing any more."""
    session.execute(delete(Choice).where(Choice.submission_id == submission))


def choices(session: Session, campaign: int) -> list[Choice]:
    query = select(Choice).join(SubmissionRow, SubmissionRow.id == Choice.submission_id)
    return list(session.scalars(query.where(SubmissionRow.campaign_id == campaign)))


# --- scores


@dataclass(frozen=True, slots=True, kw_only=True)
class NewScore:
    """What a submission was found to be worth in a track."""

    track: str
    source: str
    signature: str
    key: str
    switched_off: str = ""
    score: float | None = None
    failure: str = ""
    missing: tuple[str, ...] = ()
    records: dict[str, Any]


def add_scores(session: Session, submission: int, scores: Iterable[NewScore], *, job: int, at: datetime) -> int:
    """Keep scores; those that are there already stay as they are. How many were new."""
    query = select(ScoreRow.track, ScoreRow.source).where(ScoreRow.submission_id == submission)
    known = {(track, source) for track, source in session.execute(query)}
    added = 0
    for one in scores:
        if (one.track, one.source) in known:
            continue
        session.add(
            ScoreRow(
                submission_id=submission,
                track=one.track,
                source=one.source,
                signature=one.signature,
                key=one.key,
                switched_off=one.switched_off,
                score=one.score,
                failure=one.failure,
                missing=list(one.missing),
                records=one.records,
                job_id=job,
                at=at,
            )
        )
        added += 1
    session.flush()
    return added


def scores_of(session: Session, submission: int) -> list[ScoreRow]:
    """Every score that a submission ever had, the oldest first."""
    return list(session.scalars(select(ScoreRow).where(ScoreRow.submission_id == submission).order_by(ScoreRow.id)))


def scores_in(session: Session, campaign: int, *, phase: str | None = None) -> list[ScoreRow]:
    """Every score of a campaign, without the records."""
    query = select(ScoreRow).join(SubmissionRow, SubmissionRow.id == ScoreRow.submission_id)
    query = query.where(SubmissionRow.campaign_id == campaign)
    if phase is not None:
        query = query.where(SubmissionRow.phase == phase)
    return list(session.scalars(query.order_by(ScoreRow.id)))


def records_of(session: Session, scores: Iterable[int]) -> dict[int, dict[str, Any]]:
    """The records of some scores by their numbers."""
    found = session.execute(select(ScoreRow.id, ScoreRow.records).where(ScoreRow.id.in_(list(scores))))
    return {row.id: row.records for row in found}
