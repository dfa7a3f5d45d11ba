"""Pages of a project's settings: rules of work, schema, assessment; and the schema as those who annotate read it."""

from __future__ import annotations

import json

from starlette.responses import Response

from ...annotation.assessment import ASSESSED_BY, Standard
from ...annotation.schemas import FREE, OWN, READY, Schema, check, parse_schema, ready_schema
from ...errors import CoindexError
from ...server import audit
from ...server.models import Project
from ...server.pages import go, show
from ..calls import ProjectCall
from ..project_settings import WorkRules, set_setting, set_work_rules, work_rules

SHOWN = 100
"""How many problems a page lists."""


def schema_of(project: Project) -> Schema:
    """The schema of a project; free where nobody chose one."""
    data = project.settings.get("schema")
    return FREE if data is None else Schema.from_json(data)


def standard_of(project: Project) -> Standard:
    """What has to be reached in its assessments."""
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
        raise CoindexError("copies: say how many annotators each document is for", code="invalid-input")
    exceptions = _exceptions(call.text("exceptions"))
    rules = WorkRules(copies=copies, exceptions=exceptions, idle_days=idle, deadline_days=deadline)
    with call.store.write() as session:
        set_work_rules(session, call.project_id, rules)
        audit.record(session, "work rules", user=call.user_id, project=call.project_id)
    return _back(call)


def _exceptions(text: str) -> tuple[tuple[str, int], ...]:
    """Lines of how names begin and of how many annotators such documents are for."""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        start, _, number = line.rpartition(" ")
        if not start.strip() or not (number.isascii() and number.isdigit() and len(number) < 4):
            raise CoindexError(
                f"{line[:40]!r}; expected how names begin, then a number, such as: dev 3", code="invalid-input"
            )
        found.append((start.strip(), int(number)))
    return tuple(found)


def _days(call: ProjectCall, name: str) -> int | None:
    return call.number(name) if call.text(name) else None


def set_schema(call: ProjectCall) -> Response:
    name = call.text("schema")
    schema = parse_schema(call.text("text")) if name == OWN else ready_schema(name)
    with call.store.write() as session:
        set_setting(session, call.project_id, "schema", schema.to_json())
        audit.record(session, "schema", user=call.user_id, project=call.project_id, name=schema.name)
    return go(f"/projects/{call.project_id}/schema")


def set_standard(call: ProjectCall) -> Response:
    text = call.text("mark").replace(",", ".")
    try:
        mark = float(text) / 100
    except ValueError as error:
        raise CoindexError(
            f"the pass mark {text[:20]!r}; expected a number of percent such as 80", code="invalid-input"
        ) from error
    standard = Standard(call.text("metric"), mark)
    with call.store.write() as session:
        set_setting(session, call.project_id, "assessment", standard.to_json())
        audit.record(session, "pass mark", user=call.user_id, project=call.project_id, **standard.to_json())
    return _back(call)


def _back(call: ProjectCall) -> Response:
    return go(f"/projects/{call.project_id}/settings")


def schema_page(call: ProjectCall) -> Response:
    assert call.project is not None
    return show(call, "schema.html", title="Rules", project=call.project, schema=schema_of(call.project))


def check_before_finish(call: ProjectCall) -> Response | None:
    """What is not as the schema wants it, with the choice to finish all the same; None where nothing is wrong."""
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
        title="Before you finish",
        project=call.project,
        assignment=call.assignment,
        problems=problems[:SHOWN],
        more=len(problems) - SHOWN,
    )
    response.status_code = 422
    return response
