"""Adjudication: a decision at each difference, by mouse or keyboard; the layer's log keeps them."""

from __future__ import annotations

from typing import Any, Literal

from starlette.responses import JSONResponse, Response

from ...annotation.differences import Comparison
from ...document import Document
from ...errors import CoindexError
from ...server.calls import Refused
from ...server.database import to_json
from ...server.pages import go, show
from ..adjudication import comparison_of, decide_difference, decided, set_finished, start_adjudication, step_back
from ..calls import ProjectCall
from ..layers import Conflict
from ..models import Assignment, Layer
from .comparison import changed_sentences, chosen_layers, comparable, page_start, result_drawing, rows, sentences

CHANGED = "This layer was changed elsewhere; reload the page."


def start(call: ProjectCall) -> Response:
    """A new layer of the chosen ones, owned by whoever adjudicates."""
    assert call.document is not None
    chosen = chosen_layers([id for id in call.text("layers").split(",") if id], comparable(call))
    kind: Literal["adjudication", "merge"] = "merge" if call.text("kind") == "merge" else "adjudication"
    name = call.text("name").strip() or f"{call.user.name if call.user else ''} {kind}"
    layer = start_adjudication(call.store, chosen, owner=call.user_id, project=call.project_id, name=name, kind=kind)
    return go(f"/projects/{call.project_id}/documents/{call.document.id}/layers/{layer}/adjudicate")


def adjudicate_page(call: ProjectCall) -> Response:
    layer = _layer(call)
    comparison = comparison_of(call.store, layer)
    state = call.store.layers.state(layer.id)
    kind, everything = call.query("kind"), call.query("all") == "yes"
    view = rows(comparison, kind=kind, everything=everything, first=page_start(call))
    shown = {row.sentence for row in view.rows}
    results = sentences(state.document, result_drawing(state.document, comparison), shown)
    chosen = decided(call.store, layer.id, comparison)
    return show(
        call,
        "adjudication.html",
        title=f"Adjudicate: {call.document.name if call.document else ''}",
        project=call.project,
        document=call.document,
        layer=layer,
        base=call.request.url.path.removesuffix("/adjudicate"),
        comparison=comparison,
        view=view,
        kind=kind,
        everything=everything,
        results=results,
        decided=chosen,
        state=state,
        left=len(comparison.differences) - len(chosen),
    )


def decide(call: ProjectCall) -> Response:
    """One decision, or a step back or forth; what has changed as JSON for the page's script, else the page again."""
    layer = _layer(call)
    if layer.is_closed:
        raise CoindexError(f"{layer.name!r} is finished; open it again to go on", code="wrong-state")
    comparison = comparison_of(call.store, layer)
    base, step = call.number("base"), call.text("step")
    before = call.store.layers.document_at(layer.id)
    if step in ("undo", "redo"):
        done = step_back(call.store, layer.id, base, user=call.user_id, again=step == "redo")
    else:
        done = decide_difference(
            call.store, layer, base, call.text("difference"), call.number("choice"), user=call.user_id
        )
    if isinstance(done, Conflict):
        raise Refused(409, CHANGED)
    if "application/json" not in call.request.headers.get("accept", ""):
        return go(f"{call.request.url.path.removesuffix('/decisions')}/adjudicate{_anchor(call, comparison)}")
    return _json(_changes(call, layer, comparison, before))


def _anchor(call: ProjectCall, comparison: Comparison) -> str:
    """To the difference after the one that was decided."""
    ids = [difference.id for difference in comparison.differences]
    id = call.text("difference")
    return f"#d{min(ids.index(id) + 1, len(ids) - 1)}" if id in ids else ""


def _changes(call: ProjectCall, layer: Layer, comparison: Comparison, before: Document) -> dict[str, Any]:
    state = call.store.layers.state(layer.id)
    changed = changed_sentences(before, state.document, comparison)
    chosen = decided(call.store, layer.id, comparison)
    numbers = {difference.id: number for number, difference in enumerate(comparison.differences)}
    return {
        "revision": state.revision,
        "can_undo": state.can_undo,
        "can_redo": state.can_redo,
        "decided": {numbers[id]: choice for id, choice in chosen.items()},
        "left": len(comparison.differences) - len(chosen),
        "rows": {number: str(text) for number, text in changed.items()},
    }


def finish(call: ProjectCall) -> Response:
    """Close a layer of one's own that no assignment closes, or open it again."""
    layer = _layer(call)
    finished = call.flag("finished")
    with call.store.read() as session:
        assignment = session.query(Assignment).where(Assignment.layer_id == layer.id).first()
    if assignment is not None or layer.kind in ("vote", "key", "suggestion", "assessment"):
        raise CoindexError(
            "this layer is finished where it was given, not here; see the page of the project", code="wrong-state"
        )
    set_finished(call.store, layer, finished, user=call.user_id, project=call.project_id)
    return go(f"/projects/{call.project_id}")


def _layer(call: ProjectCall) -> Layer:
    assert call.layer is not None
    return call.layer


def _json(value: Any) -> Response:
    return Response(to_json(value), media_type=JSONResponse.media_type)
