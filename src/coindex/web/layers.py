"""The editor's page and its JSON: docs/explanation/web-api.md tells it to those who write clients."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse, Response

from ..errors import EditError
from ..store import Conflict, Operation
from ..store.columns import to_json
from ..store.packing import pack
from .access import may_edit_layer
from .calls import Call
from .pages import show
from .payload import payload

MOST_OPERATIONS = 1000
_KEYS = {"client", "base", "operations", "take_over"}


def edit_page(call: Call) -> Response:
    assert call.layer is not None
    assert call.document is not None
    base = call.request.url.path.removesuffix("/edit")
    return show(call, "editor.html", title=call.document.name, base=base, layer=call.layer, project=call.project)


def layer_data(call: Call) -> Response:
    """The document with the layer's annotation at its newest revision."""
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


def layer_log(call: Call) -> Response:
    """The steps after a revision."""
    assert call.layer is not None
    since = call.query("since", "0")
    if not (since.isascii() and since.isdigit() and len(since) < 10):
        raise EditError(f"since {since[:20]!r}; expected a revision")
    steps = [step.to_json() for step in call.store.layers.log(call.layer.id, int(since))]
    return _json({"steps": steps, "form_token": call.form_token})


def append(call: Call) -> Response:
    """Operations appended, or 409 with both revisions where somebody else was faster."""
    assert call.layer is not None
    client, base, operations, take_over = _batch(call.data)
    done = call.store.layers.append(
        call.layer.id, base, operations, client=client, user=call.user_id, take_over=take_over
    )
    if isinstance(done, Conflict):
        message = "this layer was changed elsewhere; reload it, or take over"
        return _json({"error": message, "base": done.base, "revision": done.revision}, 409)
    return _json({"revision": done.revision, "steps": [step.to_json() for step in done.steps]})


def _batch(data: Any) -> tuple[str, int, list[Operation], bool]:
    if not isinstance(data, dict) or not data.keys() <= _KEYS:
        raise EditError(f"expected an object with {', '.join(sorted(_KEYS))}")
    client, base, operations = data.get("client"), data.get("base"), data.get("operations")
    take_over = data.get("take_over", False)
    if not isinstance(client, str) or type(base) is not int or base < 0 or not isinstance(take_over, bool):
        raise EditError("client is a string, base a revision from 0, take_over true or false")
    if not isinstance(operations, list) or len(operations) > MOST_OPERATIONS:
        raise EditError(f"operations are a list of at most {MOST_OPERATIONS}")
    return client, base, [Operation.from_json(one) for one in operations], take_over


def _json(value: Any, status: int = 200) -> Response:
    return Response(to_json(value), status, media_type=JSONResponse.media_type)
