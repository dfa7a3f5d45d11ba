"""Pages of work: one's own, with the queue, and how far the project is."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from ..document.naming import count
from ..store import assessments, assignments, audit, work
from ..store.models import Assignment, DocumentRow, Project
from ..store.work_progress import PersonProgress, Progress, by_day, progress
from ..store.work_settings import work_rules
from .calls import Call
from .pages import PAGE, go, part, show
from .work_charts import lines, stacked_bars

STATES = ("done", "started", "open")


def work_page(call: Call) -> Response:
    """What somebody has to do, and the way to the next document."""
    at = call.state.clock()
    work.sweep(call.store, call.project_id, at)
    with call.store.read() as session:
        project = session.get_one(Project, call.project_id)
        held = work.in_hand(session, call.project_id, Assignment.user_id == call.user_id)
        mine = [(one, session.get_one(DocumentRow, one.document)) for one in held]
        is_waiting = call.user_id in assessments.waiting(session, call.project_id)
        free = work.free_slots(session, project)
        rules = work_rules(project)
    return show(
        call,
        "work.html",
        title="Your work",
        project=project,
        mine=sorted(mine, key=lambda pair: (pair[0].state == "done", pair[0].id)),
        is_waiting=is_waiting,
        free=free,
        rules=rules,
        now=at,
    )


def next_document(call: Call) -> Response:
    """Straight into the editor with what is next."""
    at = call.state.clock()
    work.sweep(call.store, call.project_id, at)
    base = f"/projects/{call.project_id}"
    try:
        with call.store.write() as session:
            row = work.next_for(session, call.project_id, call.user_id, at=at)
            if row is None:
                return go(f"{base}/work")
            layer = assignments.begin(session, row, at=at)
            name = session.get_one(DocumentRow, row.document_id).name
            audit.record(session, "next document", user=call.user_id, project=call.project_id, document=name)
    except work.NotPassedError:
        return go(f"{base}/assessment")
    return go(f"{base}/documents/{row.document_id}/layers/{layer.id}/edit")


def progress_page(call: Call) -> Response:
    at = call.state.clock()
    work.sweep(call.store, call.project_id, at)
    with call.store.read() as session:
        found = progress(session, session.get_one(Project, call.project_id), at)
        is_waiting = assessments.waiting(session, call.project_id)
    page, pages = part(call, len(found.documents))
    return show(
        call,
        "progress.html",
        title="Progress",
        project=call.project,
        progress=found,
        documents=found.documents[(page - 1) * PAGE : page * PAGE],
        page=page,
        pages=pages,
        waiting=is_waiting,
        over_time=_over_time(found),
        by_person=_by_person(found.people),
        now=at,
    )


def _over_time(found: Progress) -> str:
    """Words done, day by day, towards all that is wanted."""
    days = by_day(found.done)
    about = f"{count(found.words_done, 'word')} done of {found.words_wanted:,} that are wanted"
    return lines([(f"{day:%Y-%m-%d}", words) for day, words in days], goal=found.words_wanted, title=about)


def _by_person(people: Sequence[PersonProgress]) -> str:
    rows = [(person.name, [person.words.get(state, 0) for state in STATES]) for person in people]
    return stacked_bars(rows, series=STATES, title="Words that each has done, has started and has not begun")
