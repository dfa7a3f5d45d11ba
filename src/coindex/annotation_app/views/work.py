"""Work pages: one's own queue, progress with charts, assignment by rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from markupsafe import Markup, escape
from sqlalchemy.orm import Session
from starlette.responses import Response

from ...annotation.assigning import Plan, Text, deal
from ...document.naming import count
from ...errors import CoindexError
from ...server import audit
from ...server.models import Project, User
from ...server.pages import PAGE, go, part, show
from .. import assessments, assignments, projects, work
from ..calls import ProjectCall
from ..models import Assignment, DocumentRow
from ..project_settings import lock_project, work_rules
from ..work import PersonProgress, Progress, by_day, progress

WIDTH = 720
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 14, 34
HEIGHT = 240
BAR = 26
NAMES = 150
LONGEST_NAME = 20


def lines(points: Sequence[tuple[str, int]], *, goal: int, title: str) -> Markup:
    """Values that grow over days, with a dashed line at the goal; nothing where there are no points."""
    if not points:
        return Markup()
    top = nice_top(max(goal, *(value for _, value in points)))
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(number: int) -> float:
        return LEFT + (width * number / (len(points) - 1) if len(points) > 1 else width / 2)

    def y(value: float) -> float:
        return TOP + height * (1 - value / top)

    parts = [_grid(top, y)]
    parts += [
        Markup('<text class="axis" x="{}" y="{}" text-anchor="{}">{}</text>').format(
            _n(x(at)), HEIGHT - 12, "middle" if 0 < at < len(points) - 1 or len(points) == 1 else anchor, points[at][0]
        )
        for at, anchor in _labelled(len(points))
    ]
    path = " ".join(f"{'L' if at else 'M'}{_n(x(at))} {_n(y(value))}" for at, (_, value) in enumerate(points))
    ground = f"{path} L{_n(x(len(points) - 1))} {_n(y(0))} L{_n(x(0))} {_n(y(0))} Z"
    parts.append(Markup('<path class="area" d="{}"/><path class="line" d="{}"/>').format(ground, path))
    if goal:
        at = _n(y(goal))
        parts.append(Markup('<path class="goal" d="M{} {} H{}"/>').format(LEFT, at, WIDTH - RIGHT))
    dots = [
        Markup('<circle class="dot" cx="{}" cy="{}" r="3"><title>{}: {}</title></circle>').format(
            _n(x(at)), _n(y(value)), day, f"{value:,}"
        )
        for at, (day, value) in enumerate(points)
        if at in (0, len(points) - 1) or value != points[at - 1][1]
    ]
    return _svg(HEIGHT, title, [*parts, *dots])


def stacked_bars(rows: Sequence[tuple[str, Sequence[int]]], *, series: Sequence[str], title: str) -> Markup:
    """A bar for each row, its parts one after the other in the order of the series."""
    if not rows:
        return Markup()
    top = nice_top(max(sum(values) for _, values in rows))
    width = WIDTH - NAMES - LEFT
    parts: list[Markup] = []
    for number, (name, values) in enumerate(rows):
        y = TOP + number * BAR
        short = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
        parts.append(
            Markup('<text class="axis" x="{}" y="{}" text-anchor="end">{}</text>').format(NAMES - 8, y + 14, short)
        )
        x = float(NAMES)
        for at, value in enumerate(values):
            length = width * value / top
            parts.append(
                Markup(
                    '<rect class="part-{}" x="{}" y="{}" width="{}" height="{}"><title>{}, {}: {}</title></rect>'
                ).format(at, _n(x), y, _n(length), BAR - 8, name, series[at], f"{value:,}")
            )
            x += length
        parts.append(Markup('<text class="axis" x="{}" y="{}">{}</text>').format(_n(x + 6), y + 14, f"{sum(values):,}"))
    below = TOP + len(rows) * BAR + 18
    for at, name in enumerate(series):
        x = NAMES + at * 110
        parts.append(
            Markup('<rect class="part-{}" x="{}" y="{}" width="12" height="12"/>').format(at, x, below - 10)
            + Markup('<text class="axis" x="{}" y="{}">{}</text>').format(x + 18, below, name)
        )
    return _svg(below + 10, title, parts)


def nice_top(value: float) -> int:
    """The end of an axis: the next of 1, 2, 4, 5, 8 times a power of ten.

    >>> [nice_top(value) for value in (0, 7, 31, 1204)]
    [1, 8, 40, 2000]
    """
    power = 1
    while True:
        for step in (1, 2, 4, 5, 8):
            if step * power >= value:
                return step * power
        power *= 10


def _grid(top: int, y: Callable[[float], float]) -> Markup:
    found = Markup()
    for quarter in range(5):
        value = top * quarter / 4
        at = _n(y(value))
        label = f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
        found += Markup(
            '<path class="grid" d="M{} {} H{}"/><text class="axis" x="{}" y="{}" text-anchor="end">{}</text>'
        ).format(LEFT, at, WIDTH - RIGHT, LEFT - 8, _n(y(value) + 4), label)
    return found


def _labelled(count: int) -> list[tuple[int, str]]:
    """The points that get a label, and how it stands when it is at an edge."""
    chosen = {0: "start", count - 1: "end"}
    if count > 4:
        chosen[count // 2] = "middle"
    return sorted(chosen.items())


def _svg(height: int, title: str, parts: Sequence[Markup]) -> Markup:
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, height, escape(title), Markup().join(parts)
    )


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


STATES = ("done", "started", "open")


def work_page(call: ProjectCall) -> Response:
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


def next_document(call: ProjectCall) -> Response:
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


def progress_page(call: ProjectCall) -> Response:
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


PERSON = "person-"


def dealing_page(call: ProjectCall) -> Response:
    """The form; with its fields in the address, also what would be done."""
    fields = call.request.query_params
    with call.store.read() as session:
        project = session.get_one(Project, call.project_id)
        people, is_waiting = _people(session, project.id)
        chosen = _chosen(fields) if fields else {user.id for user, role in people if role == "annotator"}
        names = {document.id: document for document in work.documents_to_deal(session, project.id)}
        plan = _plan(session, project.id, fields, chosen) if fields else None
    return show(
        call,
        "dealing.html",
        title="Assign by rule",
        project=project,
        people=people,
        waiting=is_waiting,
        chosen=chosen - is_waiting,
        fields=fields,
        copies=fields.get("copies") or str(work_rules(project).copies),
        plan=plan,
        takers=_takers(plan) if plan else {},
        exceptions=work_rules(project).exceptions,
        names=names,
        users={user.id: user.name for user, _ in people},
    )


def deal_out(call: ProjectCall) -> Response:
    """Do the plan that the same fields give now."""
    deadline = deadline_of(call.text("deadline"), call.state.clock())
    with call.store.write() as session:
        lock_project(session, call.project_id)
        plan = _plan(session, call.project_id, call.fields, _chosen(call.fields))
        given = work.give(session, call.project_id, plan.given, deadline=deadline, at=call.state.clock())
        audit.record(
            session,
            "dealt",
            user=call.user_id,
            project=call.project_id,
            copies=_number(call.fields, "copies"),
            seed=_number(call.fields, "seed"),
            given=given,
        )
    return go(f"/projects/{call.project_id}/progress")


def _people(session: Session, project: int) -> tuple[list[tuple[User, str]], set[int]]:
    found = [(user, role) for user, role in projects.members(session, project) if role != "viewer" and user.is_active]
    return found, assessments.waiting(session, project)


def _chosen(fields: Mapping[str, str]) -> set[int]:
    ids = (name.removeprefix(PERSON) for name in fields if name.startswith(PERSON))
    return {int(id) for id in ids if id.isascii() and id.isdigit() and len(id) < 10}


def _plan(session: Session, project: int, fields: Mapping[str, str], chosen: set[int]) -> Plan:
    people, is_waiting = _people(session, project)
    loads = work.words_in_hand(session, project)
    takers = {user.id: loads.get(user.id, 0) for user, _ in people if user.id in chosen - is_waiting}
    if not takers:
        raise CoindexError("nobody to give documents to; choose at least one person who may work", code="nothing-given")
    copies = _number(fields, "copies")
    rules = replace(work_rules(session.get_one(Project, project)), copies=copies)
    texts = [
        Text(one.id, one.words, one.copies, frozenset(one.people), wanted=rules.copies_of(one.name))
        for one in work.documents_to_deal(session, project)
    ]
    return deal(texts, takers, copies=copies, seed=_number(fields, "seed"))


def _takers(plan: Plan) -> dict[int, list[int]]:
    """Who gets each document of a plan."""
    found: dict[int, list[int]] = {}
    for document, user in plan.given:
        found.setdefault(document, []).append(user)
    return found


def _number(fields: Mapping[str, str], name: str) -> int:
    value = fields.get(name, "")
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise CoindexError(f"{name}: {value[:20]!r}; expected a whole number", code="invalid-input")
    return int(value)


def deadline_of(text: str, now: datetime) -> datetime | None:
    """A day that is not over, up to its end in UTC."""
    if not text:
        return None
    try:
        day = datetime.strptime(text, "%Y-%m-%d").replace(hour=23, minute=59, second=59, tzinfo=UTC)
    except ValueError as error:
        raise CoindexError(
            f"the deadline {text[:20]!r}; expected a day such as 2030-01-31", code="invalid-input"
        ) from error
    if day < now:
        raise CoindexError(f"the deadline {text} is over; choose a day to come", code="invalid-input")
    return day
