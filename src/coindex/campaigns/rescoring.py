"""Scoring anew: after a chain is switched off or on, a key replaced, a definition changed, or the program upgraded.

Old scores are never touched. Boards show those of what holds now; see `setups.Setup.source`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy.orm import Session

from ..corpora.files import read_annotated
from ..errors import CoindexError
from ..server.uploads import quiet
from . import jobs, queries
from .disputes import Chain, Disputes, check_disputes
from .files import find_datasets, own_part
from .models import CampaignRow, SubmissionRow
from .queries import get_submission, scores_in, scores_of, submissions
from .server import CampaignServer, NotFoundError
from .setups import Setup, find_setup, get_setup, parse_definition, unpack_folder
from .viewers import Viewer, definition_of, find_phase, organiser


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchInfo:
    """A chain that somebody switched, and why."""

    at: datetime
    by: str
    phase: str
    dataset: str
    document: str
    entity: str
    is_off: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreVersion:
    """A score that a submission has or had."""

    track: str
    signature: str
    key: str
    switched_off: str
    score: float | None
    failure: str
    at: datetime
    is_current: bool


# --- the queue


def queue_all(session: Session, row: CampaignRow, *, at: datetime, phase: str | None = None) -> int:
    """A job for each submission that has no score of what holds now; how many. The campaign's row is held."""
    return jobs.queue_scoring(session, row.id, _outdated(session, row, phase), at=at)


def _outdated(session: Session, row: CampaignRow, phase: str | None) -> list[int]:
    known: dict[int, set[tuple[str, str]]] = {}
    for score in scores_in(session, row.id, phase=phase):
        known.setdefault(score.submission_id, set()).add((score.track, score.source))
    setups: dict[str, Setup | None] = {}
    found = []
    for one in submissions(session, row.id, phase=phase):
        if one.outcome == "cancelled":
            continue
        if one.phase not in setups:
            setups[one.phase] = find_setup(session, row, one.phase)
        setup = setups[one.phase]
        if setup is not None and not wanted_sources(one, setup) <= known.get(one.id, set()):
            found.append(one.id)
    return found


def wanted_sources(submission: SubmissionRow, setup: Setup) -> set[tuple[str, str]]:
    """The tracks of a submission with what their scores are known by now."""
    sources = setup.sources()
    return {(track, sources[track]) for track in submission.tracks if track in sources}


def queue_outdated(server: CampaignServer) -> int:
    """Jobs for whatever has no score of what holds now, as after an upgrade; not for what was given up before."""
    queued = 0
    with server.store.read() as session:
        names = [row.id for row in queries.campaigns(session) if _waits(session, row)]
    for campaign in names:
        with server.store.write() as session:
            row = queries.lock_campaign(session, campaign)
            added = jobs.queue_scoring(session, row.id, _waits(session, row), at=server.clock())
            if added:
                at = server.clock()
                queries.record(session, row.id, "scored anew", by=None, at=at, jobs=added, why="another signature")
            queued += added
    return queued


def _waits(session: Session, row: CampaignRow) -> list[int]:
    try:
        outdated = _outdated(session, row, None)
    except CoindexError:  # a definition that this program cannot read
        return []
    last = jobs.last_jobs(session, row.id)
    return [one for one in outdated if one not in last or last[one].state == "done"]


def rescore(server: CampaignServer, viewer: Viewer, *, phase: str | None = None, why: str) -> int:
    """Score everything of a phase, or of all, anew; how many jobs. What is as it was gives the same scores."""
    by, at = organiser(viewer), server.clock()
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign)
        if phase is not None:
            find_phase(parse_definition(row.definition), phase)
        sent = [one.id for one in submissions(session, row.id, phase=phase) if one.outcome != "cancelled"]
        queued = jobs.queue_scoring(session, row.id, sent, at=at)
        queries.record(session, row.id, "scored anew", by=by, at=at, phase=phase, jobs=queued, why=why)
        return queued


def retry(server: CampaignServer, viewer: Viewer, submission: int) -> int:
    """Score one submission again, as one that was given up; how many jobs were made, 0 where one waits already."""
    by, at = organiser(viewer), server.clock()
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign)
        found = get_submission(session, submission)
        if found is None or found.campaign_id != row.id or found.outcome == "cancelled":
            raise NotFoundError(f"there is no submission {submission} to score; it may have been cancelled")
        queries.record(session, row.id, "scored anew", by=by, at=at, submission=submission)
        return jobs.queue_scoring(session, row.id, [submission], at=at)


# --- chains switched off


def switch_chain(
    server: CampaignServer,
    viewer: Viewer,
    phase: str,
    *,
    document: str,
    entity: str,
    reason: str,
    dataset: str = "",
    off: bool = True,
) -> int:
    """Switch a chain of a phase's key off, or on again; everything of the phase is scored anew. How many jobs."""
    by, at = organiser(viewer), server.clock()
    if not reason.strip():
        raise CoindexError("no reason; expected one, which is kept in the log; say why", code="nothing-given")
    chain = Chain(document=document, entity=entity, dataset=dataset, reason=reason)
    with server.store.read() as session:
        row, definition = definition_of(session, viewer)
        find_phase(definition, phase)
        setup = get_setup(session, row.id, phase)
        content = queries.file_content(session, setup.key_file) if off else b""
    if off:
        _check_there(setup, chain, content)
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign)
        now_off = {
            (one.dataset, one.document, one.entity) for one in queries.switched_off(session, row.id, setup.key_phase)
        }
        if ((dataset, document, entity) in now_off) == off:
            raise CoindexError(
                f"the chain {entity!r} is {'off' if off else 'on'} already; choose another", code="nothing-to-change"
            )
        about = {"dataset": dataset, "document": document, "entity": entity, "reason": reason}
        queries.add_switch(session, row.id, setup.key_phase, **about, is_off=off, by=by, at=at)
        row.revision += 1
        session.flush()
        queued = queue_all(session, row, at=at)
        action = "chain switched off" if off else "chain switched on"
        queries.record(session, row.id, action, by=by, at=at, phase=setup.key_phase, jobs=queued, **about)
        return queued


def _check_there(setup: Setup, chain: Chain, content: bytes) -> None:
    """Refuse a chain that is nowhere in the key."""
    with tempfile.TemporaryDirectory(prefix="coindex-") as name, quiet():
        unpack_folder(content, Path(name))
        datasets = {}
        for track in setup.definition.tracks:
            datasets.update(find_datasets(track, own_part(Path(name), track)))
        docs = {
            dataset: [doc for doc in read_annotated(path) if doc.id == chain.document]
            for dataset, path in datasets.items()
        }
        check_disputes(Disputes(chains=(chain,)), docs)


def switches(server: CampaignServer, viewer: Viewer) -> list[SwitchInfo]:
    """Everything that was ever switched, the oldest first."""
    organiser(viewer)
    with server.store.read() as session:
        return [
            SwitchInfo(
                at=row.at,
                by=name or "",
                phase=row.phase,
                dataset=row.dataset,
                document=row.document,
                entity=row.entity,
                is_off=row.is_off,
                reason=row.reason,
            )
            for row, name in queries.switches(session, viewer.campaign)
        ]


def switched_off(server: CampaignServer, viewer: Viewer, phase: str) -> list[Chain]:
    """The chains of a phase's key that are off now."""
    organiser(viewer)
    with server.store.read() as session:
        return list(get_setup(session, viewer.campaign, phase).chains)


def score_history(server: CampaignServer, viewer: Viewer, submission: int) -> list[ScoreVersion]:
    """Every score that a submission ever had, the oldest first."""
    organiser(viewer)
    with server.store.read() as session:
        row = queries.get_campaign(session, viewer.campaign)
        found = get_submission(session, submission)
        if found is None or found.campaign_id != row.id:
            raise NotFoundError(f"there is no submission {submission}; choose one of the list")
        setup = find_setup(session, row, found.phase)
        current: Iterable[tuple[str, str]] = set() if setup is None else wanted_sources(found, setup)
        return [
            ScoreVersion(
                track=one.track,
                signature=one.signature,
                key=one.key,
                switched_off=one.switched_off,
                score=one.score,
                failure=one.failure,
                at=one.at,
                is_current=(one.track, one.source) in current,
            )
            for one in scores_of(session, submission)
        ]
