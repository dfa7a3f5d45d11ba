"""Layers of a document side by side."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from ..api.team.comparing import MOST, compare_sources, sources_of
from ..errors import CoindexError
from ..store import projects
from ..store.models import Layer
from .calls import Call
from .comparison_rows import rows
from .pages import show

COMPARED = ("annotation", "merge", "adjudication", "vote")


def compare_page(call: Call) -> Response:
    assert call.document is not None
    known = comparable(call)
    chosen = chosen_layers(call.request.query_params.getlist("layer"), known)
    if not chosen:
        chosen = [layer for layer in known if layer.kind == "annotation" and layer.is_closed][:MOST]
    values = {"layers": known, "chosen": chosen, "project": call.project, "document": call.document, "most": MOST}
    title = f"Compare: {call.document.name}"
    if len(chosen) < 2:
        return show(call, "comparison.html", title=title, comparison=None, **values)
    comparison = compare_sources(call.store, sources_of(chosen))
    kind, everything = call.query("kind"), call.query("all") == "yes"
    view = rows(comparison, kind=kind, everything=everything, first=page_start(call))
    return show(
        call,
        "comparison.html",
        title=title,
        comparison=comparison,
        view=view,
        kind=kind,
        everything=everything,
        **values,
    )


def page_start(call: Call) -> int:
    """The row that a page begins with."""
    first = call.query("from", "0")
    return int(first) if first.isascii() and first.isdigit() and len(first) < 9 else 0


def comparable(call: Call) -> list[Layer]:
    """The layers of the document that can be compared; only those who see all of them get here."""
    assert call.document is not None
    with call.store.read() as session:
        found = projects.layers(session, call.document.id)
    return [layer for layer, _ in found if layer.kind in COMPARED]


def chosen_layers(ids: Sequence[str], known: Sequence[Layer]) -> list[Layer]:
    """Layers by their ids; one that is not of the document is refused."""
    by_id = {str(layer.id): layer for layer in known}
    for id in ids:
        if id not in by_id:
            raise CoindexError(f"there is no layer {id[:10]!r} of this document to compare; choose from the list")
    return [by_id[id] for id in dict.fromkeys(ids)]
