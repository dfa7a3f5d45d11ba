"""Submissions as runs with the scores that hold now, for whoever asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from ...campaigns.aliases import Aliases
from ...campaigns.definition import Campaign, Phase, Track
from ...campaigns.records import Run, from_record
from ...store.campaigns import teams
from ...store.campaigns.models import SubmissionRow, Team
from ...store.campaigns.submissions import choices, records_of, scores_in, submissions
from .assembling import current_scores
from .server import CampaignServer
from .setups import Setup, find_setup
from .viewing import Viewer, aliases_for, definition_of, find_phase, sees

FAILED = "it could not be scored"
"""What others are told of a run that failed: its messages quote what its team sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseView:
    """A phase as a viewer sees it now."""

    definition: Campaign
    phase: Phase
    setup: Setup | None
    at: datetime
    teams: Mapping[int, Team]
    aliases: Aliases
    sees_all: bool
    """The scores of all teams."""
    sees_own: bool
    """The scores of one's own team."""

    def shows(self, team: int, viewer: Viewer) -> bool:
        """Whether scores of a team are shown."""
        return self.sees_all or (self.sees_own and team == viewer.team)


def view_phase(server: CampaignServer, session: Session, viewer: Viewer, phase: str) -> PhaseView:
    """What the viewer sees of a phase."""
    row, definition = definition_of(session, viewer)
    found, at = find_phase(definition, phase), server.clock()
    registered = teams.all_teams(session, row.id)
    return PhaseView(
        definition=definition,
        phase=found,
        setup=find_setup(session, row, phase),
        at=at,
        teams={team.id: team for team in registered},
        aliases=aliases_for(viewer, definition, found, registered, at=at),
        sees_all=sees(viewer, "scores", definition, found, at=at),
        sees_own=sees(viewer, "scores", definition, found, at=at, own=True),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A run with its submission."""

    row: SubmissionRow
    run: Run


def find_runs(
    session: Session, viewer: Viewer, view: PhaseView, track: Track, *, bare: bool = False
) -> tuple[list[Scored], int]:
    """The runs of a track whose scores the viewer sees, by the teams' own names; and how many are being scored anew.

    `bare` leaves the results out, which is quick.
    """
    if view.setup is None:
        return [], 0
    found = [
        (row, score)
        for row, score in current_scores(session, view.setup)
        if score.track == track.name and view.shows(row.team_id, viewer)
    ]
    records = {} if bare else records_of(session, [score.id for _, score in found])
    runs = []
    for row, score in found:
        results = {dataset: from_record(record, "a score") for dataset, record in records.get(score.id, {}).items()}
        run = Run(
            team=view.teams[row.team_id].name,
            name=row.run,
            track=track.name,
            results=results,
            failure=told_failure(score.failure, row, viewer),
            missing=tuple(score.missing),
            order=row.number,
            notes=view.setup.disputes.note(),
        )
        runs.append(Scored(row=row, run=run))
    known = {row.id for row, _ in found}
    sent = submissions(session, viewer.campaign, phase=view.phase.name)
    for row in sent:
        if row.id in known or track.name not in row.tracks or not view.shows(row.team_id, viewer):
            continue
        if row.outcome == "failed":  # given up before there was a score
            runs.append(Scored(row=row, run=_failed(row, view, track, viewer)))
    scored = {one.row.id for one in runs}
    before = {score.submission_id for score in scores_in(session, viewer.campaign, phase=view.phase.name)}
    anew = sum(
        row.id in before - scored and row.outcome == "scored" and view.shows(row.team_id, viewer) for row in sent
    )
    return runs, anew


def _failed(row: SubmissionRow, view: PhaseView, track: Track, viewer: Viewer) -> Run:
    return Run(
        team=view.teams[row.team_id].name,
        name=row.run,
        track=track.name,
        failure=told_failure(row.failure, row, viewer),
        order=row.number,
    )


def told_failure(failure: str, row: SubmissionRow, viewer: Viewer) -> str:
    """Why a run failed, for the viewer."""
    return failure if not failure or viewer.is_organiser or row.team_id == viewer.team else FAILED


def chosen_runs(session: Session, view: PhaseView, track: Track, runs: list[Scored]) -> dict[str, str]:
    """The runs that teams chose, by team, where that is what counts; only those that are there and did not fail."""
    if view.definition.counts != "chosen" or view.setup is None:
        return {}
    good = {one.row.id: one.run for one in runs if not one.run.failure}
    return {
        good[choice.submission_id].team: good[choice.submission_id].name
        for choice in choices(session, view.setup.campaign)
        if choice.phase == view.phase.name and choice.track == track.name and choice.submission_id in good
    }
