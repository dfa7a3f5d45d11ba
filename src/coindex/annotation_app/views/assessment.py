"""Pages of tutorials and assessments: attempts, handing in, feedback beside the key."""

from __future__ import annotations

from collections import defaultdict

from starlette.responses import Response

from ...annotation.assessment import ASSESSED_BY, assess, feedback
from ...errors import CoindexError
from ...server import audit
from ...server.calls import MANAGERS, REVIEWERS
from ...server.models import Project, User
from ...server.pages import go, show
from .. import assessments, projects
from ..calls import ProjectCall
from ..models import Assessment, Attempt, Layer
from .comparison import page_start, rows
from .settings import standard_of

SHOWN = 50
"""How many documents are offered to make a tutorial or an assessment of."""


def assessment_page(call: ProjectCall) -> Response:
    """What one can attempt and has attempted; for those who review, the attempts of all."""
    assert call.project is not None
    with call.store.read() as session:
        offered = assessments.of_project(session, call.project_id)
        found = assessments.attempts(session, call.project_id)
        is_waiting = assessments.waiting(session, call.project_id)
        people = [(user, role) for user, role in projects.members(session, call.project_id) if role == "annotator"]
        exempt = assessments.exempt(session, call.project_id)
        taken = {one.document for one in offered}
        find = call.query("find")[:200].casefold()
        free = [one for one in projects.documents(session, call.project_id) if one.id not in taken]
        documents = [one for one in free if find in one.name.casefold()]
        layers: dict[int, list[Layer]] = defaultdict(list)
        for layer, _ in projects.layers_of_project(session, call.project_id) if call.who in MANAGERS else ():
            layers[layer.document_id].append(layer)
    return show(
        call,
        "assessment.html",
        title="Assessment",
        project=call.project,
        offered=offered,
        mine=[one for one in found if one.attempt.user_id == call.user_id],
        attempts=found if call.who in REVIEWERS else [],
        waiting=is_waiting,
        people=people,
        exempt=exempt,
        find=call.query("find")[:200],
        documents=documents[:SHOWN],
        more=len(documents) - SHOWN,
        layers=layers,
        standard=standard_of(call.project),
        metrics=ASSESSED_BY,
    )


def change_assessment(call: ProjectCall) -> Response:
    """A document becomes a tutorial or an assessment, or an ordinary one again."""
    assert call.document is not None
    kind, document = call.text("kind"), call.document.id
    with call.store.write() as session:
        if kind == "none":
            assessments.end(session, document)
        elif call.text("key") in ("", "imported"):
            assessments.make(session, document, kind, projects.imported_document(session, document))
        else:
            layer = session.get(Layer, call.number("key"))
            if layer is None or layer.document_id != document:
                raise CoindexError(
                    "this is no layer of the document; choose one of its layers as the key", code="invalid-input"
                )
            assessments.make(session, document, kind, call.store.layers.document_at(layer.id))
        audit.record(session, "assessment", user=call.user_id, project=call.project_id, document=document, kind=kind)
    return _back(call)


def begin(call: ProjectCall) -> Response:
    """Into the editor with one's attempt at the document of the path."""
    assert call.document is not None
    document = call.document.id
    with call.store.write() as session:
        offered = {one.document: one.id for one in assessments.of_project(session, call.project_id)}
        if document not in offered:
            raise CoindexError("this document is no assessment; choose one from the list", code="not-found")
        attempt = assessments.begin(session, call.project_id, offered[document], call.user_id, at=call.state.clock())
    return go(f"/projects/{call.project_id}/documents/{document}/layers/{attempt.layer_id}/edit")


def hand_in(call: ProjectCall) -> Response:
    """Score what was annotated; nothing can be changed afterwards."""
    attempt, standard = call.attempt, standard_of(_project(call))
    assert attempt is not None
    if not call.flag("sure"):
        raise CoindexError("say that you are done; then it is handed in", code="not-confirmed")
    if attempt.handed_in is not None or attempt.layer_id is None:
        raise CoindexError("this was handed in already", code="wrong-state")
    with call.store.read() as session:
        key = assessments.key_to_score(session, attempt)
    is_kept = False
    while not is_kept:  # again where an edit came in between
        state = call.store.layers.state(attempt.layer_id)
        outcome = assess(key, state.document, standard)
        with call.store.write() as session:
            is_kept = assessments.hand_in(
                session,
                attempt,
                revision=state.revision,
                score=outcome.score,
                is_passed=outcome.is_passed,
                detail=outcome.to_json(),
                at=call.state.clock(),
            )
    with call.store.write() as session:
        audit.record(session, "handed in", user=call.user_id, project=call.project_id, attempt=attempt.id)
    return go(f"/projects/{call.project_id}/attempts/{attempt.id}")


def feedback_page(call: ProjectCall) -> Response:
    """The key and the answer side by side, with the scores; only after handing in."""
    attempt = call.attempt
    assert attempt is not None
    assert call.document is not None
    with call.store.read() as session:
        key = assessments.key_of(session, attempt)
        name = session.get_one(User, attempt.user_id).name
        kind = session.get_one(Assessment, attempt.assessment_id).kind
        if attempt.layer_id is None:
            raise CoindexError("the annotation of this attempt was deleted; only its score is left", code="not-found")
    comparison = feedback(key, call.store.layers.document_at(attempt.layer_id))
    return show(
        call,
        "feedback.html",
        title=f"{call.document.name}: {kind} {attempt.number} of {name}",
        kind=kind,
        project=call.project,
        attempt=attempt,
        detail=attempt.detail,
        metrics=ASSESSED_BY,
        comparison=comparison,
        view=rows(comparison, everything=True, first=page_start(call)),
        differences=len(comparison.differences),
    )


def allow_again(call: ProjectCall) -> Response:
    assert call.attempt is not None
    if not call.flag("sure"):
        raise CoindexError("say yes; then they may try again", code="not-confirmed")
    with call.store.write() as session:
        attempt = session.get_one(Attempt, call.attempt.id)
        assessments.allow_again(session, call.project_id, attempt, at=call.state.clock())
        audit.record(session, "another try", user=call.user_id, project=call.project_id, of=attempt.user_id)
    return _back(call)


def set_exempt(call: ProjectCall) -> Response:
    exempt, user = call.flag("exempt"), int(call.path("user"))
    with call.store.write() as session:
        assessments.set_exempt(session, call.project_id, user, exempt)
        audit.record(session, "exempt", user=call.user_id, project=call.project_id, of=user, on=exempt)
    return _back(call)


def _project(call: ProjectCall) -> Project:
    assert call.project is not None
    return call.project


def _back(call: ProjectCall) -> Response:
    return go(f"/projects/{call.project_id}/assessment")
