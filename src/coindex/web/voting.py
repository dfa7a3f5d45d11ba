"""Voting over finished layers, and the record of how a layer was made."""

from __future__ import annotations

from starlette.responses import Response

from ..api.team.finished import finished_layers, versions
from ..api.team.voting import made_again, vote_versions
from ..errors import CoindexError
from ..store.origins import Origin
from .calls import Call
from .pages import go, show


def vote(call: Call) -> Response:
    """A layer of votes for every document that all chosen versions have."""
    known = versions(finished_layers(call.store, call.project_id))
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


def origin_page(call: Call) -> Response:
    """What a layer was made of; it is made again to see whether it comes out the same."""
    assert call.layer is not None
    assert call.document is not None
    origin = Origin.of(call.layer)
    if origin is None:
        raise CoindexError(f"{call.layer.name!r} was annotated from the text; it was not made of other layers")
    again = made_again(call.store, call.layer)
    is_same = again == call.store.layers.document_at(call.layer.id, 0)
    return show(
        call,
        "origin.html",
        title=f"How {call.layer.name} was made",
        project=call.project,
        document=call.document,
        layer=call.layer,
        origin=origin,
        is_same=is_same,
        options={name: value for name, value in origin.options.items() if value is not None and name != "together"},
    )
