"""Project pages: documents, members, assignments, settings, and the schema as annotators read it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import quote

from starlette.responses import Response

from ...annotation.assessment import ASSESSED_BY, Standard
from ...annotation.schemas import FREE, OWN, READY, Schema, check, parse_schema, ready_schema
from ...errors import CoindexError
from ...formats.registry import all_formats
from ...server import accounts, models
from ...server.account_pages import show_link
from ...server.accounts import clean_name, clean_text
from ...server.calls import MANAGERS, PAGE, go, part, show
from ...server.models import NAME, PROJECT_ROLES, Project, ProjectRole
from .. import assignments, projects, work
from ..calls import ProjectCall, may_edit_layer, may_see_layer, may_work_on
from ..models import Assignment, DocumentRow, Layer
from ..projects import WorkRules, set_setting, set_work_rules, work_rules
from .work import deadline_of

SHOWN = 100
"""How many problems a page lists."""


def schema_of(project: Project) -> Schema:
    """Return the schema of a project; the free schema by default."""
    data = project.settings.get("schema")
    return FREE if data is None else Schema.from_json(data)


def standard_of(project: Project) -> Standard:
    """Return the pass mark and metric of the assessments of a project."""
    return Standard.from_json(project.settings.get("assessment", {}))


def settings_page(call: ProjectCall) -> Response:
    assert call.project is not None
    schema = schema_of(call.project)
    return show(
        call,
        "settings.html",
        title="Settings",
        project=call.project,
        rules=work_rules(call.project),
        schema=schema,
        ready=READY,
        own=OWN,
        schema_text=json.dumps(schema.to_json(), ensure_ascii=False, indent=1),
        standard=standard_of(call.project),
        metrics=ASSESSED_BY,
    )


def set_work(call: ProjectCall) -> Response:
    copies, idle, deadline = (_days(call, name) for name in ("copies", "idle_days", "deadline_days"))
    if copies is None:
        raise CoindexError("the number of annotators per document is missing; enter one", code="invalid-input")
    exceptions = _exceptions(call.text("exceptions"))
    rules = WorkRules(copies=copies, exceptions=exceptions, idle_days=idle, deadline_days=deadline)
    with call.store.write() as session:
        set_work_rules(session, call.project_id, rules)
        models.record(session, "work rules", user=call.user_id, project=call.project_id)
    return _back_to_settings(call)


def _exceptions(text: str) -> tuple[tuple[str, int], ...]:
    """Parse lines with the beginning of document names and their number of annotators."""
    rows = []
    for line in filter(None, map(str.strip, text.splitlines())):
        start, _, number = line.rpartition(" ")
        if not start.strip() or not (number.isascii() and number.isdigit() and len(number) < 4):
            raise CoindexError(
                f"invalid exception {line[:40]!r}; write the beginning of the names and a number, such as: dev 3",
                code="invalid-input",
            )
        rows.append((start.strip(), int(number)))
    return tuple(rows)


def _days(call: ProjectCall, name: str) -> int | None:
    return call.number(name) if call.text(name) else None


def set_schema(call: ProjectCall) -> Response:
    name = call.text("schema")
    schema = parse_schema(call.text("text")) if name == OWN else ready_schema(name)
    with call.store.write() as session:
        set_setting(session, call.project_id, "schema", schema.to_json())
        models.record(session, "schema", user=call.user_id, project=call.project_id, name=schema.name)
    return go(f"/projects/{call.project_id}/schema")


def set_standard(call: ProjectCall) -> Response:
    text = call.text("mark").replace(",", ".")
    try:
        mark = float(text) / 100
    except ValueError as error:
        raise CoindexError(
            f"the pass mark {text[:20]!r} is not a number; enter a percentage such as 80", code="invalid-input"
        ) from error
    standard = Standard(call.text("metric"), mark)
    with call.store.write() as session:
        set_setting(session, call.project_id, "assessment", standard.to_json())
        models.record(session, "pass mark", user=call.user_id, project=call.project_id, **standard.to_json())
    return _back_to_settings(call)


def _back_to_settings(call: ProjectCall) -> Response:
    return go(f"/projects/{call.project_id}/settings")


def schema_page(call: ProjectCall) -> Response:
    assert call.project is not None
    return show(call, "schema.html", title="Rules", project=call.project, schema=schema_of(call.project))


def check_before_finish(call: ProjectCall) -> Response | None:
    """Show what violates the schema, with the choice to submit anyway; return None if nothing does."""
    assert call.assignment is not None
    assert call.project is not None
    if call.assignment.layer_id is None or call.text("anyway") == "yes":
        return None
    problems = check(call.store.layers.document_at(call.assignment.layer_id), schema_of(call.project))
    if not problems:
        return None
    response = show(
        call,
        "check.html",
        title="Before you submit",
        project=call.project,
        assignment=call.assignment,
        problems=problems[:SHOWN],
        more=len(problems) - SHOWN,
    )
    response.status_code = 422
    return response


def projects_page(call: ProjectCall) -> Response:
    assert call.user is not None
    with call.store.read() as session:
        rows = [
            (project, role, projects.count_documents(session, project.id))
            for project, role in projects.projects_of(session, call.user)
        ]
    return show(call, "projects.html", title="Projects", projects=rows)


def add_project(call: ProjectCall) -> Response:
    with call.store.write() as session:
        project = projects.add_project(session, call.text("name"), call.text("description"), manager=call.user_id)
        models.record(session, "project made", user=call.user_id, project=project.id)
    return go(f"/projects/{project.id}")


def change_project(call: ProjectCall) -> Response:
    with call.store.write() as session:
        project = session.get_one(Project, call.project_id)
        project.name = clean_name(call.text("name"))
        project.description = clean_text(call.text("description"))
        models.record(session, "project changed", user=call.user_id, project=project.id)
    return _back(call)


def project_page(call: ProjectCall) -> Response:
    """Show the project; everybody sees only what they have access to."""
    id = call.project_id
    work.sweep(call.store, id, call.state.clock())
    named = call.query("named").strip()[:NAME]
    with call.store.read() as session:
        page, pages = part(call, projects.count_documents(session, id, named=named))
        docs = projects.documents(session, id, named=named, first=(page - 1) * PAGE, most=PAGE)
        ids = [document.id for document in docs]
        layers: dict[int, list[tuple[Layer, str | None, bool]]] = defaultdict(list)
        for layer, owner in projects.layers_of_project(session, id, documents=ids):
            if may_see_layer(call.who, call.user_id, layer):
                editable = may_edit_layer(call.who, call.user_id, layer)
                layers[layer.document_id].append((layer, owner, editable))
        given = assignments.of_project(session, id, documents=ids)
        own = assignments.of_project(session, id, user=call.user_id)
        people = projects.members(session, id)
    return show(
        call,
        "project.html",
        title=call.project.name if call.project else "",
        project=call.project,
        documents=docs,
        layers=layers,
        page=page,
        pages=pages,
        named=named,
        and_named=f"&named={quote(named)}" if named else "",
        mine=_sort_unfinished_first(row for row in own if may_work_on(call.who, call.user_id, row[0])),
        assignments=given,
        assigned={row[0].layer_id for row in given},
        members=people,
        roles=PROJECT_ROLES,
        now=datetime.now(UTC),
        formats=[format for format in all_formats() if format.name != "table"],  # it needs the name of a column
    )


def _sort_unfinished_first(rows: Iterable[tuple[Assignment, str, str]]) -> list[tuple[Assignment, str, str]]:
    return sorted(rows, key=lambda row: row[0].state not in work.UNFINISHED)[:PAGE]


def _back(call: ProjectCall) -> Response:
    return go(f"/projects/{call.project_id}")


# --- members


def invite(call: ProjectCall) -> Response:
    role = _role(call.text("role"))
    with call.store.write() as session:
        secret = accounts.make_link(session, "invitation", by=call.user_id, project=call.project_id, role=role)
        models.record(session, "invited", user=call.user_id, project=call.project_id, role=role)
    return show_link(call, "invitations", secret, back=f"/projects/{call.project_id}")


def _role(name: str) -> ProjectRole:
    for role in PROJECT_ROLES:
        if role == name:
            return role
    raise CoindexError(f"{name!r} is not a role; choose one of {', '.join(PROJECT_ROLES)}", code="invalid-input")


def change_member(call: ProjectCall) -> Response:
    """Change or remove the role of a member; others join by invitation only."""
    user = int(call.path("user"))
    role = None if call.text("role") == "none" else _role(call.text("role"))
    with call.store.write() as session:
        if user not in {member.id for member, _ in projects.members(session, call.project_id)}:
            raise CoindexError("this user is not a member of the project; invite them first", code="not-a-member")
        projects.set_role(session, call.project_id, user, role)
        models.record(session, "role", user=call.user_id, project=call.project_id, of=user, role=role)
    return _back(call)


# --- documents and layers


def delete_document(call: ProjectCall) -> Response:
    """Delete a document with all its layers; the user confirms by typing its name, because this cannot be undone."""
    assert call.document is not None
    if call.text("name") != call.document.name:
        raise CoindexError(
            "the document was not deleted: the name does not match; type the name exactly as shown",
            code="not-confirmed",
        )
    with call.store.write() as session:
        session.delete(session.get_one(DocumentRow, call.document.id))
        models.record(session, "deleted", user=call.user_id, project=call.project_id, document=call.document.name)
    return _back(call)


def add_layer(call: ProjectCall) -> Response:
    """Create a layer for the user without an assignment."""
    assert call.document is not None
    with call.store.write() as session:
        layer = projects.start_layer(
            session,
            call.document.id,
            name=call.text("name"),
            owner=call.user_id,
            with_entities=call.text("start") == "imported",
        )
        models.record(session, "layer made", user=call.user_id, project=call.project_id, layer=layer.id)
    return go(f"/projects/{call.project_id}/documents/{call.document.id}/layers/{layer.id}/edit")


def publish_layer(call: ProjectCall) -> Response:
    assert call.layer is not None
    published = call.flag("published")
    with call.store.write() as session:
        session.get_one(Layer, call.layer.id).is_published = published
        models.record(
            session, "published", user=call.user_id, project=call.project_id, layer=call.layer.id, on=published
        )
    return _back(call)


# --- assignments


def assign(call: ProjectCall) -> Response:
    """Assign one document, or all of them, to one member."""
    user, deadline = call.number("user"), deadline_of(call.text("deadline"), call.state.clock())
    with call.store.write() as session:
        mine = {document.id for document in projects.documents(session, call.project_id)}
        real = [document.id for document in work.documents_to_deal(session, call.project_id)]
        chosen = real if call.text("document") == "all" else [call.number("document")]
        for document in chosen:
            if document not in mine:
                raise CoindexError(
                    "this document belongs to another project; choose a document of this project", code="invalid-input"
                )
            assignments.assign(session, document, user, deadline=deadline, at=call.state.clock())
        models.record(session, "assigned", user=call.user_id, project=call.project_id, to=user, documents=chosen)
    return _back(call)


def begin(call: ProjectCall) -> Response:
    with call.store.write() as session:
        row = session.get_one(Assignment, call.request.path_params["assignment"])
        layer = assignments.begin(session, row, at=call.state.clock())
    return go(f"/projects/{call.project_id}/documents/{row.document_id}/layers/{layer.id}/edit")


def change_assignment(call: ProjectCall) -> Response:
    """Submit, return or reopen an assignment."""
    ways = {"finish": assignments.finish, "return": assignments.give_back, "reopen": assignments.reopen}
    way = ways.get(call.text("to"))
    if way is None:
        raise CoindexError(
            f"{call.text('to')[:20]!r} is not a change of an assignment; expected one of {', '.join(ways)}",
            code="invalid-input",
        )
    if way is assignments.finish and (unfit := check_before_finish(call)) is not None:
        return unfit
    with call.store.write() as session:
        row = session.get_one(Assignment, call.request.path_params["assignment"])
        if way is assignments.reopen and row.state == "returned" and call.who not in MANAGERS:
            raise CoindexError("this document was returned; request the next document instead", code="wrong-state")
        way(session, row, at=call.state.clock())
        models.record(session, call.text("to"), user=call.user_id, project=call.project_id, assignment=row.id)
    return _back(call)
