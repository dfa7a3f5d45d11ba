"""Suggestions of a resolver: turned on for a project, asked for by the annotator, accepted or rejected one by one."""

from __future__ import annotations

from starlette.responses import Response

from ...api import resolvers
from ...errors import CoindexError
from ...server.calls import Refused
from ...server.pages import go, show
from ..calls import ProjectCall
from ..layers import Conflict
from ..suggestions import AUTO, SuggestionRules, accept, ask, pending, reject, set_rules, suggestion_layer
from .adjudication import CHANGED
from .comparison import Drawing, sentences

OFF = "off"
SHOWN = 100
"""How many suggestions stand on a page."""


def settings_page(call: ProjectCall) -> Response:
    assert call.project is not None
    known = [resolver for resolver in resolvers() if resolver.kind in ("rules", "learned") and not resolver.collects]
    rules = SuggestionRules.of(call.project.settings)
    return show(
        call, "suggestion_settings.html", title="Suggestions", project=call.project, rules=rules, known=known, auto=AUTO
    )


def change_settings(call: ProjectCall) -> Response:
    chosen = call.text("chain").strip() or call.text("resolver")
    if not chosen:
        raise CoindexError("resolver: choose one, or off", code="invalid-input")
    rules = SuggestionRules(None if chosen == OFF else chosen, call.text("blind_first") == "yes")
    set_rules(call.store, call.project_id, rules, user=call.user_id)
    return go(f"/projects/{call.project_id}/suggestions")


def ask_for(call: ProjectCall) -> Response:
    """Let the resolver look at the text of one's layer."""
    assert call.layer is not None
    assert call.project is not None
    layer = ask(call.store, call.project, call.layer, user=call.user_id)
    return go(f"/projects/{call.project_id}/documents/{call.layer.document_id}/layers/{layer}/suggestions")


def suggestions_page(call: ProjectCall) -> Response:
    assert call.layer is not None
    assert call.document is not None
    row = suggestion_layer(call.store, call.layer.id)
    found, texts, revision = [], {}, call.layer.revision
    if row is not None:
        state = call.store.layers.state(call.layer.id)
        revision = state.revision
        found = pending(state.document, call.store.layers.document_at(row.id))
        missing = {at: (number,) for number, each in enumerate(found[:SHOWN]) for at in each.positions}
        numbers = {entity.id: number for number, entity in enumerate(state.document.entities, 1)}
        texts = sentences(state.document, Drawing(numbers, {}, missing), {each.sentence for each in found[:SHOWN]})
    assert call.project is not None
    return show(
        call,
        "suggestions.html",
        title=f"Suggestions: {call.document.name}",
        project=call.project,
        document=call.document,
        layer=call.layer,
        base=call.request.url.path.removesuffix("/suggestions"),
        rules=SuggestionRules.of(call.project.settings),
        asked=row is not None,
        suggestions=found[:SHOWN],
        more=max(len(found) - SHOWN, 0),
        texts=texts,
        revision=revision,
    )


def decide(call: ProjectCall) -> Response:
    """Accept a suggestion or reject it."""
    assert call.layer is not None
    positions = _positions(call.text("positions"))
    if call.flag("accept"):
        done = accept(call.store, call.layer.id, call.number("base"), positions, user=call.user_id)
    else:
        done = reject(call.store, call.layer.id, positions, user=call.user_id)
    if isinstance(done, Conflict):
        raise Refused(409, CHANGED)
    return go(call.request.url.path.removesuffix("/decide"))


def _positions(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise CoindexError("positions: choose a suggestion", code="invalid-input")
    return tuple(map(int, parts))
