"""Leaderboards, comparisons of a team's runs, and scores per document, as a viewer may see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from ..analysis.tables import Column, Row, Table, Value
from ..errors import UnknownNameError
from . import queries
from .definition import Campaign, Phase, Track
from .job_files import current_scores
from .keys import perform_with
from .leaderboard import ROUNDS, leaderboard, metric_title
from .models import FileRow, SubmissionRow, Team
from .queries import choices, get_submission, records_of, scores_in, submissions
from .scoring import Run, from_record, value_of
from .server import CampaignServer, NotFoundError, Viewer, aliases_for, definition_of, find_phase, sees
from .setups import Setup, find_setup
from .visibility import Aliases

FAILED = "it could not be scored"
"""Shown to others instead of the failure of a run: its own message can quote the submission."""


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
    """Whether the viewer sees the scores of all teams."""
    sees_own: bool
    """Whether the viewer sees the scores of their own team."""

    def shows(self, team: int, viewer: Viewer) -> bool:
        """Return whether the viewer sees the scores of a team."""
        return self.sees_all or (self.sees_own and team == viewer.team)


def view_phase(server: CampaignServer, session: Session, viewer: Viewer, phase: str) -> PhaseView:
    """Return what the viewer sees of a phase."""
    row, definition = definition_of(session, viewer)
    shown_phase, at = find_phase(definition, phase), server.clock()
    registered = queries.all_teams(session, row.id)
    return PhaseView(
        definition=definition,
        phase=shown_phase,
        setup=find_setup(session, row, phase),
        at=at,
        teams={team.id: team for team in registered},
        aliases=aliases_for(viewer, definition, shown_phase, registered, at=at),
        sees_all=sees(viewer, "scores", definition, shown_phase, at=at),
        sees_own=sees(viewer, "scores", definition, shown_phase, at=at, own=True),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A scored run with its submission."""

    row: SubmissionRow
    run: Run


def find_runs(
    session: Session, viewer: Viewer, view: PhaseView, track: Track, *, bare: bool = False
) -> tuple[list[Scored], int]:
    """Return the runs of a track whose scores the viewer sees, and how many are being rescored.

    The runs have the real team names. `bare` omits the results, which is faster.
    """
    if view.setup is None:
        return [], 0
    scored_runs = [
        (row, score)
        for row, score in current_scores(session, view.setup)
        if score.track == track.name and view.shows(row.team_id, viewer)
    ]
    records = {} if bare else records_of(session, [score.id for _, score in scored_runs])
    runs = []
    for row, score in scored_runs:
        results = {dataset: from_record(record, "a score") for dataset, record in records.get(score.id, {}).items()}
        run = Run(
            team=view.teams[row.team_id].name,
            name=row.run,
            track=track.name,
            results=results,
            failure=visible_failure(score.failure, row, viewer),
            missing=tuple(score.missing),
            order=row.number,
            notes=view.setup.disputes.note(),
        )
        runs.append(Scored(row=row, run=run))
    known = {row.id for row, _ in scored_runs}
    sent = submissions(session, viewer.campaign, phase=view.phase.name)
    for row in sent:
        if row.id in known or track.name not in row.tracks or not view.shows(row.team_id, viewer):
            continue
        if row.outcome == "failed":  # given up before there was a score
            runs.append(Scored(row=row, run=_make_failed_run(row, view, track, viewer)))
    scored = {scored_run.row.id for scored_run in runs}
    before = {score.submission_id for score in scores_in(session, viewer.campaign, phase=view.phase.name)}
    rescored = sum(
        row.id in before - scored and row.outcome == "scored" and view.shows(row.team_id, viewer) for row in sent
    )
    return runs, rescored


def _make_failed_run(row: SubmissionRow, view: PhaseView, track: Track, viewer: Viewer) -> Run:
    return Run(
        team=view.teams[row.team_id].name,
        name=row.run,
        track=track.name,
        failure=visible_failure(row.failure, row, viewer),
        order=row.number,
    )


def visible_failure(failure: str, row: SubmissionRow, viewer: Viewer) -> str:
    """Return why a run failed, as the viewer may see it."""
    return failure if not failure or viewer.is_organiser or row.team_id == viewer.team else FAILED


def find_chosen_runs(session: Session, view: PhaseView, track: Track, runs: list[Scored]) -> dict[str, str]:
    """Return the runs that teams selected, by team, if the campaign ranks selected runs; failed runs are omitted."""
    if view.definition.counts != "chosen" or view.setup is None:
        return {}
    good = {scored_run.row.id: scored_run.run for scored_run in runs if not scored_run.run.failure}
    return {
        good[choice.submission_id].team: good[choice.submission_id].name
        for choice in choices(session, view.setup.campaign)
        if choice.phase == view.phase.name and choice.track == track.name and choice.submission_id in good
    }


def board(
    server: CampaignServer, viewer: Viewer, phase: str, track: str, *, rounds: int = ROUNDS, seed: int = 0
) -> Table:
    """Return the leaderboard of a track in a phase; `rounds=0` omits the significance test.

    If a phase shows teams only their own scores, the leaderboard contains only their own runs.
    """
    with server.store.read() as session:
        view = view_phase(server, session, viewer, phase)
        chosen_track = _track(view, track)
        if not view.sees_all and not view.sees_own:
            raise NotFoundError(
                f"the scores of {phase} are not visible yet; the organisers decide when they are published"
            )
        bare, rescored = find_runs(session, viewer, view, chosen_track, bare=True)
        chosen = find_chosen_runs(session, view, chosen_track, bare)

        def make() -> Table:
            runs, _ = find_runs(session, viewer, view, chosen_track)
            return leaderboard(
                view.definition,
                chosen_track,
                [scored_run.run for scored_run in runs],
                aliases=view.aliases,
                chosen=chosen,
                rounds=rounds,
                seed=seed,
            )

        source = "" if view.setup is None else view.setup.source(chosen_track)
        about = (viewer.campaign, phase, track, source, rounds, seed, repr(view.definition), repr(view.aliases))
        shown = tuple(
            (scored_run.row.id, scored_run.run.team, scored_run.run.name, scored_run.run.failure) for scored_run in bare
        )
        table = server.boards.get((*about, shown, tuple(chosen.items())), make)
    if rescored:
        table = replace(
            table, remarks=[*table.remarks, f"{rescored} submissions are being rescored and will appear here later."]
        )
    return table


def visible_boards(server: CampaignServer, viewer: Viewer) -> list[tuple[str, str]]:
    """Return the phases and tracks whose leaderboard the viewer may see, for all teams or for their own."""
    boards = []
    with server.store.read() as session:
        _, definition = definition_of(session, viewer)
        at = server.clock()
        for phase in definition.phases:
            if sees(viewer, "scores", definition, phase, at=at, own=True):
                boards += [(phase.name, track.name) for track in definition.tracks]
    return boards


def own_runs(server: CampaignServer, viewer: Viewer, phase: str, track: str, *, team: int | None = None) -> Table:
    """Return a table of all runs of the viewer's team with all metrics of the track, the latest run first.

    Organisers pass the team.
    """
    chosen = team if viewer.is_organiser and team is not None else viewer.team
    with server.store.read() as session:
        view = view_phase(server, session, viewer, phase)
        track_view = _track(view, track)
        if chosen is None or not (view.sees_all or view.sees_own):
            raise NotFoundError(
                f"the scores of {phase} are not visible yet; the organisers decide when they are published"
            )
        runs, _ = find_runs(session, viewer, view, track_view)
    own = [scored_run for scored_run in runs if scored_run.row.team_id == chosen]
    return _runs_table(track_view, own)


def _runs_table(track: Track, runs: Sequence[Scored]) -> Table:
    metrics = list(dict.fromkeys((track.primary, *track.secondary, *track.settings.metrics)))
    several = list(dict.fromkeys(name for scored_run in runs for name in scored_run.run.results))
    datasets = several if len(several) > 1 else []
    rows = []
    for scored_run in sorted(runs, key=lambda scored_run: scored_run.row.number, reverse=True):
        values: list[Value] = [scored_run.row.number, f"{scored_run.row.at:%Y-%m-%d %H:%M}"]
        values += [scored_run.run.score(metric) for metric in metrics]
        values += [_of_dataset(scored_run.run, name, track.primary) for name in datasets]
        about = {"run": scored_run.run.name, "submission": str(scored_run.row.id)}
        rows.append(Row(label=scored_run.run.name, values=values, keys=about, signature=scored_run.run.signature))
    group = f"{metric_title(track, track.primary)} by dataset"
    return Table(
        name="runs",
        title=f"Submissions: {track.shown_title}",
        stub="run",
        columns=[
            Column("number", "#", "number"),
            Column("at", "submitted (UTC)", "name"),
            *(Column(metric, metric_title(track, metric), best=True) for metric in metrics),
            *(Column(f"{track.primary}:{name}", name, best=True, group=group) for name in datasets),
        ],
        rows=rows,
        remarks=[
            f"{scored_run.run.name}: not scored: {scored_run.run.failure}"
            for scored_run in runs
            if scored_run.run.failure
        ],
    )


def _of_dataset(run: Run, dataset: str, metric: str) -> float | None:
    return value_of(run.results[dataset], metric) if dataset in run.results else None


# --- documents


def document_scores(server: CampaignServer, viewer: Viewer, submission: int, track: str) -> Table:
    """Return the scores of a submission per document, if the phase shows them."""
    with server.store.read() as session:
        row, view, team_run = _with_documents(server, session, viewer, submission, track)
        runs, _ = find_runs(session, viewer, replace(view, sees_all=True), team_run)
    run = next((scores.run for scores in runs if scores.row.id == row.id), None)
    if run is None or run.failure:
        raise NotFoundError(f"submission {submission} has no scores in the track {track} yet")
    metrics = list(dict.fromkeys((team_run.primary, *team_run.secondary)))
    rows = []
    for dataset, result in run.results.items():
        for document, scores in result.by_document().items():
            values = [value_of(scores, metric) for metric in metrics]
            about = {"dataset": dataset, "document": document}
            rows.append(Row(label=document, values=values, section=dataset, keys=about))
    return Table(
        name="documents",
        title=f"Scores of run {run.name} per document",
        stub="document",
        columns=[Column(metric, metric_title(team_run, metric), signature=run.dataset_signature) for metric in metrics],
        rows=rows,
    )


def document_errors(
    server: CampaignServer, viewer: Viewer, submission: int, track: str, *, dataset: str, document: str
) -> list[dict[str, Any]]:
    """Return the errors in a document of a submission, as in `coindex errors`, if the phase shows them."""
    with server.store.read() as session:
        row, view, run = _with_documents(server, session, viewer, submission, track)
        setup, name = view.setup, session.get_one(FileRow, row.file_id).name
        content = queries.file_content(session, row.file_id)
    if setup is None:
        raise NotFoundError(f"the phase {row.phase} has no key", code="missing-key")
    about = {"track": run.name, "dataset": dataset, "document": document}
    errors: list[dict[str, Any]] = perform_with(server, setup, "errors", name, content, **about)["errors"]
    return errors


def _with_documents(
    server: CampaignServer, session: Session, viewer: Viewer, submission: int, track: str
) -> tuple[SubmissionRow, PhaseView, Track]:
    """Return a submission whose documents the viewer may see."""
    row = get_submission(session, submission)
    if row is not None and row.campaign_id == viewer.campaign:
        view = view_phase(server, session, viewer, row.phase)
        own = row.team_id == viewer.team
        if sees(viewer, "document_errors", view.definition, view.phase, at=view.at, own=own):
            return row, view, _track(view, track)
    raise NotFoundError(f"the documents of submission {submission} are not visible to you")


def _track(view: PhaseView, name: str) -> Track:
    try:
        return view.definition.track(name)
    except UnknownNameError as error:
        raise NotFoundError(str(error), code=error.code) from error
