"""Entities that the documents of a project share: what an annotator has in others, as candidates for this one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from starlette.responses import JSONResponse, Response

from ..document import Document
from ..document.naming import entity_name
from ..store import audit, projects
from ..store.models import Layer
from ..store.sharing import SHARED, UNSHARED, shares_entities
from ..store.work_settings import set_setting
from .access import may_see_layer
from .calls import Call
from .pages import go

MOST = 5000
"""How many candidates are sent: those of most documents."""

Names = list[tuple[str, str]]
"""The id and the name of each entity."""


class Summaries:
    """The names of layers' entities, so that not every layer is read again when another one is opened."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[int, tuple[int, Names]] = OrderedDict()

    def of(self, layer: Layer, read: Callable[[int, int], Document]) -> Names:
        """The names at the layer's revision; `read` gives the document of a layer at a revision."""
        with self._lock:
            found = self._kept.get(layer.id)
        if found is None or found[0] != layer.revision:
            doc = read(layer.id, layer.revision)
            entities = doc.entities if doc.shared_ids else ()  # begun before the project shared them
            found = layer.revision, [(entity.id, entity_name(entity)) for entity in entities]
        with self._lock:
            self._kept[layer.id] = found
            self._kept.move_to_end(layer.id)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return found[1]


def shared_entities(call: Call) -> Response:
    """The entities of the same owner's layers of other documents; none where the project does not share them."""
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
    found = [{"id": id, "name": names[id] or id, "documents": len(there)} for id, there in places.items()]
    found.sort(key=lambda one: -len(places[str(one["id"])]))  # of equal ones those of the first document first
    return JSONResponse({"entities": found[:MOST]})


def _layers_beside(call: Call, layer: Layer) -> list[Layer]:
    """The layers whose entities count: another document, the same owner, and theirs to see who asks."""
    with call.store.read() as session:
        layers = [one for one, _ in projects.layers_of_project(session, call.project_id)]
    return [
        one
        for one in layers
        if one.document_id != layer.document_id
        and one.owner_id == layer.owner_id
        and one.kind not in UNSHARED
        and may_see_layer(call.who, call.user_id, one)
    ]


def set_sharing(call: Call) -> Response:
    """Whether the project shares entities over its documents."""
    shared = call.flag("shared")
    with call.store.write() as session:
        set_setting(session, call.project_id, SHARED, shared)
        audit.record(session, "shared entities", user=call.user_id, project=call.project_id, on=shared)
    return go(f"/projects/{call.project_id}/settings")
