"""The editor page: loading and saving layers, and suggestions of a resolver.

Entities and relations are packed as in `packing`. Words are sent as their forms and the positions without a following
space; empty nodes with all columns, because an edit may remove one and another restore it. `frontend/src/payload.ts`
reads the payload.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

from cachetools import LRUCache
from starlette.responses import JSONResponse, Response

from ...api import resolvers
from ...document import Document, Sentence, Token, Tokens
from ...document.naming import entity_name
from ...errors import CoindexError, EditError
from ...render.layout import is_paragraph
from ...server import models
from ...server.calls import Refused, go, show
from ...server.database import to_json
from .. import projects
from ..calls import ProjectCall, may_edit_layer, may_see_layer
from ..layers import Conflict, Operation
from ..models import Layer
from ..packing import pack
from ..projects import SHARED, UNSHARED, set_setting, shares_entities
from ..suggestions import AUTO, SuggestionRules, accept, ask, find_pending, reject, set_rules, suggestion_layer
from .comparison import CHANGED, Drawing, sentences

OFF = "off"
SHOWN = 100
"""How many suggestions a page shows."""


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
        raise CoindexError("no resolver chosen; choose one, or off", code="invalid-input")
    rules = SuggestionRules(None if chosen == OFF else chosen, call.text("blind_first") == "yes")
    set_rules(call.store, call.project_id, rules, user=call.user_id)
    return go(f"/projects/{call.project_id}/suggestions")


def ask_for(call: ProjectCall) -> Response:
    """Request suggestions for a layer."""
    assert call.layer is not None
    assert call.project is not None
    layer = ask(call.store, call.project, call.layer, user=call.user_id)
    return go(f"/projects/{call.project_id}/documents/{call.layer.document_id}/layers/{layer}/suggestions")


def suggestions_page(call: ProjectCall) -> Response:
    assert call.layer is not None
    assert call.document is not None
    row = suggestion_layer(call.store, call.layer.id)
    pending_differences, texts, revision = [], {}, call.layer.revision
    if row is not None:
        state = call.store.layers.state(call.layer.id)
        revision = state.revision
        pending_differences = find_pending(state.document, call.store.layers.document_at(row.id))
        missing = {at: (number,) for number, each in enumerate(pending_differences[:SHOWN]) for at in each.positions}
        numbers = {entity.id: number for number, entity in enumerate(state.document.entities, 1)}
        texts = sentences(
            state.document, Drawing(numbers, {}, missing), {each.sentence for each in pending_differences[:SHOWN]}
        )
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
        suggestions=pending_differences[:SHOWN],
        more=max(len(pending_differences) - SHOWN, 0),
        texts=texts,
        revision=revision,
    )


def decide(call: ProjectCall) -> Response:
    """Accept or reject a suggestion."""
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
        raise CoindexError("no suggestion chosen; choose one from the list", code="invalid-input")
    return tuple(map(int, parts))


Payload = dict[str, Any]
_DEFAULTS = Token("", "")._asdict()


def payload(doc: Document) -> Payload:
    """Return the document as JSON values for the editor."""
    tokens = doc.tokens
    data = pack(doc.replace(tokens=Tokens(), sentences=(), columns=()))
    data["forms"] = tokens.forms
    ids = [token.id for token in tokens]
    if all(ids[sentence.start : sentence.end] == _plain_ids(sentence) for sentence in doc.sentences):
        del data["ids"]
    else:
        data["ids"] = ids
    spaces = [token.space for token in tokens]
    for multiword in tokens.multiwords:  # the last word has the space of the multiword token
        spaces[multiword.end - 1] = multiword.space
    zeros = tokens.empty_positions
    data["zeros"] = sorted(zeros)
    data["joined"] = [at for at, space in enumerate(spaces) if not space and at not in zeros]
    data["multiwords"] = [[multiword.start, multiword.end, multiword.form] for multiword in tokens.multiwords]
    data["columns"] = [[at, columns] for at in _beside(doc) if (columns := _columns(tokens[at]))]
    data["sentences"] = list(_sentences(doc, spaces))
    return data


@lru_cache(maxsize=256)
def _numbers(length: int) -> list[str]:
    return [str(number) for number in range(1, length + 1)]


def _plain_ids(sentence: Sentence) -> list[str]:
    """Return the default ids: words count from 1 in each sentence, empty nodes after their word."""
    zeros = sentence.layer.empty_positions
    if not zeros:
        return _numbers(len(sentence))
    ids = []
    word = zero = 0
    for at in range(sentence.start, sentence.end):
        word, zero = (word, zero + 1) if at in zeros else (word + 1, 0)
        ids.append(f"{word}.{zero}" if zero else str(word))
    return ids


def _beside(doc: Document) -> list[int]:
    """Return the positions in sentences with empty nodes; the editor needs no columns of other sentences."""
    with_zeros = sorted({doc.sentence_index(zero) for zero in doc.tokens.empty_positions})
    return [at for number in with_zeros for at in range(doc.sentences[number].start, doc.sentences[number].end)]


def _columns(token: Token) -> dict[str, Any]:
    """Return the columns of an empty node, or the parents of a word if one of them is an empty node."""
    if token.is_empty:
        rest = token._replace(extra=())._asdict().items()
        columns = {name: value for name, value in rest if name not in ("id", "form") and value != _DEFAULTS[name]}
        return columns | ({"extra": dict(token.extra)} if token.extra else {})
    if "." in token.head or "." in token.deps:  # a parent is an empty node
        return {"head": token.head, "deps": token.deps}
    return {}


def _sentences(doc: Document, spaces: Sequence[str]) -> Iterator[list[Any]]:
    """Yield start, end, 1 if a paragraph starts there, and the speaker if known."""
    zeros = doc.tokens.empty_positions
    before = ""
    for sentence in doc.sentences:
        values: list[Any] = [sentence.start, sentence.end, int(is_paragraph(sentence.start, before, sentence))]
        yield values if sentence.speaker is None else [*values, sentence.speaker]
        words = (at for at in range(sentence.end - 1, sentence.start - 1, -1) if at not in zeros)
        before = next((spaces[at] for at in words), before)


MOST_OPERATIONS = 1000
_KEYS = {"client", "base", "operations", "take_over"}


def edit_page(call: ProjectCall) -> Response:
    assert call.layer is not None
    assert call.document is not None
    base = call.request.url.path.removesuffix("/edit")
    return show(call, "editor.html", title=call.document.name, base=base, layer=call.layer, project=call.project)


def layer_data(call: ProjectCall) -> Response:
    """Return the document with the annotation of the layer at its latest revision."""
    layer = call.layer
    assert layer is not None
    state = call.store.layers.state(layer.id)
    is_editable = may_edit_layer(call.who, call.user_id, layer) and not layer.is_closed
    return _json(
        {
            "layer": {"id": layer.id, "name": layer.name, "kind": layer.kind, "is_closed": layer.is_closed},
            "is_editable": is_editable,
            "form_token": call.form_token,
            "settings": call.project.settings if call.project else {},
            "revision": state.revision,
            "can_undo": state.can_undo,
            "can_redo": state.can_redo,
            "document": payload(state.document) if call.query("for") == "editor" else pack(state.document),
        }
    )


def layer_log(call: ProjectCall) -> Response:
    """Return the steps after a revision."""
    assert call.layer is not None
    since = call.query("since", "0")
    if not (since.isascii() and since.isdigit() and len(since) < 10):
        raise EditError(f"since {since[:20]!r} is not a revision; expected a whole number", code="invalid-operation")
    steps = [step.to_json() for step in call.store.layers.log(call.layer.id, int(since))]
    return _json({"steps": steps, "form_token": call.form_token})


def append(call: ProjectCall) -> Response:
    """Append operations; answer 409 with both revisions if the layer has changed in the meantime."""
    assert call.layer is not None
    client, base, operations, take_over = _batch(call.data)
    done = call.store.layers.append(
        call.layer.id, base, operations, client=client, user=call.user_id, take_over=take_over
    )
    if isinstance(done, Conflict):
        message = "this layer was changed elsewhere; reload it or overwrite the changes"
        return _json({"error": message, "base": done.base, "revision": done.revision}, 409)
    return _json({"revision": done.revision, "steps": [step.to_json() for step in done.steps]})


def _batch(data: Any) -> tuple[str, int, list[Operation], bool]:
    if not isinstance(data, dict) or not data.keys() <= _KEYS:
        raise EditError(f"expected an object with {', '.join(sorted(_KEYS))}", code="invalid-operation")
    client, base, operations = data.get("client"), data.get("base"), data.get("operations")
    take_over = data.get("take_over", False)
    if not isinstance(client, str) or type(base) is not int or base < 0 or not isinstance(take_over, bool):
        raise EditError(
            "invalid operations; expected client as a string, base as a revision from 0, take_over as true or false",
            code="invalid-operation",
        )
    if not isinstance(operations, list) or len(operations) > MOST_OPERATIONS:
        raise EditError(f"invalid operations; expected a list of at most {MOST_OPERATIONS}", code="invalid-operation")
    return client, base, [Operation.from_json(operation) for operation in operations], take_over


def _json(value: Any, status: int = 200) -> Response:
    return Response(to_json(value), status, media_type=JSONResponse.media_type)


MOST = 5000
"""How many candidates are sent; those of the most documents come first."""

Names = list[tuple[str, str]]
"""The id and the name of each entity."""


class Summaries:
    """A cache of the entity names of layers, so that opening a layer does not read all others."""

    def __init__(self, most: int = 10_000) -> None:
        self._lock = Lock()
        self._kept: LRUCache[int, tuple[int, Names]] = LRUCache(most)

    def of(self, layer: Layer, read: Callable[[int, int], Document]) -> Names:
        """Return the names at the revision of the layer; `read` returns the document of a layer at a revision."""
        with self._lock:
            listed = self._kept.get(layer.id)
        if listed is None or listed[0] != layer.revision:
            doc = read(layer.id, layer.revision)
            entities = doc.entities if doc.shared_ids else ()  # older than the project setting
            listed = layer.revision, [(entity.id, entity_name(entity)) for entity in entities]
        with self._lock:
            self._kept[layer.id] = listed
        return listed[1]


def list_shared_entities(call: ProjectCall) -> Response:
    """Return the entities of the same owner in other documents; none if the project does not share entities."""
    layer = call.layer
    assert layer is not None
    assert call.project is not None
    others = _layers_beside(call, layer) if shares_entities(call.project) else []
    names: dict[str, str] = {}
    places: dict[str, set[int]] = {}
    for other in others:
        for id, name in call.state.summaries.of(other, call.store.layers.document_at):
            names.setdefault(id, name)
            places.setdefault(id, set()).add(other.document_id)
    candidates = [{"id": id, "name": names[id] or id, "documents": len(there)} for id, there in places.items()]
    candidates.sort(
        key=lambda candidate: -len(places[str(candidate["id"])])
    )  # a stable sort: ties keep the order of the documents
    return JSONResponse({"entities": candidates[:MOST]})


def _layers_beside(call: ProjectCall, layer: Layer) -> list[Layer]:
    """Return the visible layers of the same owner for other documents."""
    with call.store.read() as session:
        layers = [open_layer for open_layer, _ in projects.layers_of_project(session, call.project_id)]
    return [
        open_layer
        for open_layer in layers
        if open_layer.document_id != layer.document_id
        and open_layer.owner_id == layer.owner_id
        and open_layer.kind not in UNSHARED
        and may_see_layer(call.who, call.user_id, open_layer)
    ]


def set_sharing(call: ProjectCall) -> Response:
    """Set whether the project shares entities across documents."""
    shared = call.flag("shared")
    with call.store.write() as session:
        set_setting(session, call.project_id, SHARED, shared)
        models.record(session, "shared entities", user=call.user_id, project=call.project_id, on=shared)
    return go(f"/projects/{call.project_id}/settings")
