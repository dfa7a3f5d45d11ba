"""Pages on agreement, quality, votes, tutorials and assessments."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from ...analysis.figures import Growth, inline
from ...annotation.assessment import ASSESSED_BY, assess, feedback
from ...api.agreement import quality
from ...document import Document
from ...errors import CoindexError, UnknownNameError
from ...server import models
from ...server.calls import MANAGERS, REVIEWERS, go, show
from ...server.models import Project, User
from ...server.uploads import quiet
from .. import assessments, projects
from ..adjudication import recreate, vote_versions
from ..agreement import (
    PERIODS,
    SUGGESTED,
    Period,
    Suggested,
    Version,
    common_documents,
    course,
    document_of,
    find_finished_layers,
    tables,
    team_agreement,
    versions,
)
from ..calls import ProjectCall
from ..models import Assessment, Attempt, Layer
from ..projects import Origin
from .comparison import page_start, rows
from .projects import standard_of

SHOWN = 50
"""How many documents the form for tutorials and assessments lists."""


def assessment_page(call: ProjectCall) -> Response:
    """Show the assessments and the attempts of the user; reviewers see all attempts."""
    assert call.project is not None
    with call.store.read() as session:
        offered = assessments.of_project(session, call.project_id)
        attempts = assessments.attempts(session, call.project_id)
        is_waiting = assessments.find_waiting(session, call.project_id)
        people = [(user, role) for user, role in projects.members(session, call.project_id) if role == "annotator"]
        exempt = assessments.exempt(session, call.project_id)
        taken = {document.document for document in offered}
        find = call.query("find")[:200].casefold()
        free = [document for document in projects.documents(session, call.project_id) if document.id not in taken]
        documents = [document for document in free if find in document.name.casefold()]
        layers: dict[int, list[Layer]] = defaultdict(list)
        for layer, _ in projects.layers_of_project(session, call.project_id) if call.who in MANAGERS else ():
            layers[layer.document_id].append(layer)
    return show(
        call,
        "assessment.html",
        title="Assessment",
        project=call.project,
        offered=offered,
        mine=[document for document in attempts if document.attempt.user_id == call.user_id],
        attempts=attempts if call.who in REVIEWERS else [],
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
    """Turn a document into a tutorial or an assessment, or back into an ordinary document."""
    assert call.document is not None
    kind, document = call.text("kind"), call.document.id
    with call.store.write() as session:
        if kind == "none":
            assessments.end(session, document)
        elif call.text("key") in ("", "imported"):
            assessments.make(session, document, kind, projects.load_imported_document(session, document))
        else:
            layer = session.get(Layer, call.number("key"))
            if layer is None or layer.document_id != document:
                raise CoindexError(
                    "the key is not a layer of this document; choose one of its layers", code="invalid-input"
                )
            assessments.make(session, document, kind, call.store.layers.document_at(layer.id))
        models.record(session, "assessment", user=call.user_id, project=call.project_id, document=document, kind=kind)
    return _back(call)


def begin(call: ProjectCall) -> Response:
    """Open the attempt of the user at the document in the editor."""
    assert call.document is not None
    document = call.document.id
    with call.store.write() as session:
        offered = {
            assessment.document: assessment.id for assessment in assessments.of_project(session, call.project_id)
        }
        if document not in offered:
            raise CoindexError("this document is not an assessment; choose one from the list", code="not-found")
        attempt = assessments.begin(session, call.project_id, offered[document], call.user_id, at=call.state.clock())
    return go(f"/projects/{call.project_id}/documents/{document}/layers/{attempt.layer_id}/edit")


def hand_in(call: ProjectCall) -> Response:
    """Submit an attempt and score it; it cannot be changed afterwards."""
    attempt, standard = call.attempt, standard_of(_project(call))
    assert attempt is not None
    if not call.flag("sure"):
        raise CoindexError("not submitted; confirm that you have finished", code="not-confirmed")
    if attempt.handed_in is not None or attempt.layer_id is None:
        raise CoindexError("this attempt has already been submitted", code="wrong-state")
    with call.store.read() as session:
        key = assessments.key_to_score(session, attempt)
    is_kept = False
    while not is_kept:  # an edit may arrive between scoring and saving
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
        models.record(session, "handed in", user=call.user_id, project=call.project_id, attempt=attempt.id)
    return go(f"/projects/{call.project_id}/attempts/{attempt.id}")


def feedback_page(call: ProjectCall) -> Response:
    """Show the key and the answer side by side, with the scores; only after submission."""
    attempt = call.attempt
    assert attempt is not None
    assert call.document is not None
    with call.store.read() as session:
        key = assessments.key_of(session, attempt)
        name = session.get_one(User, attempt.user_id).name
        kind = session.get_one(Assessment, attempt.assessment_id).kind
        if attempt.layer_id is None:
            raise CoindexError(
                "the annotation of this attempt has been deleted; only its score is left", code="not-found"
            )
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
        raise CoindexError("not confirmed; confirm that the annotator may try again", code="not-confirmed")
    with call.store.write() as session:
        attempt = session.get_one(Attempt, call.attempt.id)
        assessments.allow_again(session, call.project_id, attempt, at=call.state.clock())
        models.record(session, "another try", user=call.user_id, project=call.project_id, of=attempt.user_id)
    return _back(call)


def set_exempt(call: ProjectCall) -> Response:
    exempt, user = call.flag("exempt"), int(call.path("user"))
    with call.store.write() as session:
        assessments.set_exempt(session, call.project_id, user, exempt)
        models.record(session, "exempt", user=call.user_id, project=call.project_id, of=user, on=exempt)
    return _back(call)


def _project(call: ProjectCall) -> Project:
    assert call.project is not None
    return call.project


def _back(call: ProjectCall) -> Response:
    return go(f"/projects/{call.project_id}/assessment")


ROLES = ("once", "merged", "final")
"""The roles of versions in the quality table."""


def agreement_page(call: ProjectCall) -> Response:
    suggested, period = _parse_suggested(call.query("suggestions", "with")), _period(call.query("by", "week"))
    by_setting = {how: team_agreement(call.store, call.project_id, suggested=how, period=period) for how in SUGGESTED}
    with call.store.read() as session:
        names = {info.id: info.name for info in projects.documents(session, call.project_id)}
    points = [(stamp, round(100 * value)) for stamp, value in course(by_setting[suggested])]
    chart = Growth(name="course", title="CoNLL score over time", y="CoNLL F1 [%]", points=points, goal=100)
    return show(
        call,
        "agreement.html",
        title="Agreement",
        project=call.project,
        tables=tables(by_setting[suggested], names),
        ways=[(how, title, _summary(by_setting[how])) for how, title in SUGGESTED.items()],
        suggested=suggested,
        period=period,
        periods=list(PERIODS),
        chart=Markup(inline(chart)) if len(points) > 1 else "",
    )


def _summary(agreement: Any) -> dict[str, Any] | None:
    """Return the overall numbers, to compare agreement with and without suggestions."""
    if agreement.whole is None:
        return None
    means = agreement.whole.means()
    return {
        "documents": len(agreement.documents),
        "mentions": means["mentions"],
        "conll": means["conll"],
        "alpha": agreement.whole.alpha["null"],
        "signature": agreement.whole.signature,
        "alpha_signature": agreement.whole.alpha_signatures["null"],
    }


def _parse_suggested(name: str) -> Suggested:
    for how in SUGGESTED:
        if how == name:
            return how
    raise UnknownNameError("treatment of suggestions", name, SUGGESTED)


def _period(name: str) -> Period:
    for period in PERIODS:
        if period == name:
            return period
    raise UnknownNameError("period", name, PERIODS)


def quality_page(call: ProjectCall) -> Response:
    """Score the chosen versions against the vote of the final ones; the choice is in the URL, so it can be shared."""
    known = versions(find_finished_layers(call.store, call.project_id))
    roles = {version.key: call.query(f"as {version.key}") for version in known}
    chosen = {role: [version for version in known if roles[version.key] == role] for role in ROLES}
    table, documents = None, 0
    if chosen["once"] and chosen["final"]:
        documents, table = _quality(call, chosen)
    elif any(chosen.values()):
        raise CoindexError(
            "choose at least one version with the role 'once' and one with the role 'final'", code="invalid-input"
        )
    return show(
        call,
        "quality.html",
        title="Quality",
        project=call.project,
        versions=known,
        roles=roles,
        names=ROLES,
        table=table,
        documents=documents,
    )


def _quality(call: ProjectCall, chosen: dict[str, list[Version]]) -> tuple[int, Any]:
    common = common_documents([version for versions in chosen.values() for version in versions])

    def docs(role: str) -> dict[str, list[Document]]:
        names = {
            version.name: [document_of(call.store, version.layers[at]) for at in common] for version in chosen[role]
        }
        if len(names) < len(chosen[role]):
            raise CoindexError("two chosen versions have the same name; choose only one of them", code="invalid-input")
        return names

    with quiet():
        report = quality(docs("once"), docs("final"), docs("merged"))
    return len(common), report.tables[0]


def vote(call: ProjectCall) -> Response:
    """Create a voted layer for every document that all chosen versions cover."""
    known = versions(find_finished_layers(call.store, call.project_id))
    chosen = [version for number, version in enumerate(known) if call.text(f"version {number}") == version.key]
    names = [version.name for version in chosen]
    joined = ("" if all(len(name) == 1 for name in names) else "+").join(names)
    least = call.number("least") if call.text("least") else None
    vote_versions(
        call.store,
        chosen,
        owner=call.user_id,
        project=call.project_id,
        name=call.text("name").strip() or f"{joined[:180]}-voting",
        least=least,
    )
    return go(f"/projects/{call.project_id}/quality")


def origin_page(call: ProjectCall) -> Response:
    """Show the sources of a layer, and whether recreating it from them gives the same result."""
    assert call.layer is not None
    assert call.document is not None
    origin = Origin.of(call.layer)
    if origin is None:
        raise CoindexError(
            f"{call.layer.name!r} has no provenance record: it was annotated from scratch", code="wrong-state"
        )
    again = recreate(call.store, call.layer)
    is_same = again == call.store.layers.document_at(call.layer.id, 0)
    return show(
        call,
        "origin.html",
        title=f"Provenance of {call.layer.name}",
        project=call.project,
        document=call.document,
        layer=call.layer,
        origin=origin,
        is_same=is_same,
        options={name: value for name, value in origin.options.items() if value is not None and name != "together"},
    )
