"""Agreement, quality and voting pages."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from ...analysis.figures import Growth, inline
from ...api.quality import quality
from ...document import Document
from ...errors import CoindexError, UnknownNameError
from ...server.pages import go, show
from ...server.uploads import quiet
from .. import projects
from ..agreement import PERIODS, SUGGESTED, Period, Suggested, course, tables, team_agreement
from ..calls import ProjectCall
from ..finished_layers import Version, common_documents, document_of, finished_layers, versions
from ..projects import Origin
from ..voting import made_again, vote_versions

ROLES = ("once", "merged", "final")
"""What a version is in the table of quality."""


def agreement_page(call: ProjectCall) -> Response:
    suggested, period = _suggested(call.query("suggestions", "with")), _period(call.query("by", "week"))
    found = {how: team_agreement(call.store, call.project_id, suggested=how, period=period) for how in SUGGESTED}
    with call.store.read() as session:
        names = {info.id: info.name for info in projects.documents(session, call.project_id)}
    points = [(stamp, round(100 * value)) for stamp, value in course(found[suggested])]
    chart = Growth(name="course", title="CoNLL score over time", y="CoNLL F1 [%]", points=points, goal=100)
    return show(
        call,
        "agreement.html",
        title="Agreement",
        project=call.project,
        tables=tables(found[suggested], names),
        ways=[(how, title, _summary(found[how])) for how, title in SUGGESTED.items()],
        suggested=suggested,
        period=period,
        periods=list(PERIODS),
        chart=Markup(inline(chart)) if len(points) > 1 else "",
    )


def _summary(found: Any) -> dict[str, Any] | None:
    """The numbers of all together, for the comparison of with and without."""
    if found.whole is None:
        return None
    means = found.whole.means()
    return {
        "documents": len(found.documents),
        "mentions": means["mentions"],
        "conll": means["conll"],
        "alpha": found.whole.alpha["null"],
        "signature": found.whole.signature,
        "alpha_signature": found.whole.alpha_signatures["null"],
    }


def _suggested(name: str) -> Suggested:
    for how in SUGGESTED:
        if how == name:
            return how
    raise UnknownNameError("way to look at suggestions", name, SUGGESTED)


def _period(name: str) -> Period:
    for period in PERIODS:
        if period == name:
            return period
    raise UnknownNameError("period", name, PERIODS)


def quality_page(call: ProjectCall) -> Response:
    """Chosen versions against the vote of the final ones; the choice is in the address, so it can be passed on."""
    known = versions(finished_layers(call.store, call.project_id))
    roles = {version.key: call.query(f"as {version.key}") for version in known}
    chosen = {role: [version for version in known if roles[version.key] == role] for role in ROLES}
    table, documents = None, 0
    if chosen["once"] and chosen["final"]:
        documents, table = _quality(call, chosen)
    elif any(chosen.values()):
        raise CoindexError("choose at least one version as once and one as final", code="invalid-input")
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
    common = common_documents([version for found in chosen.values() for version in found])

    def docs(role: str) -> dict[str, list[Document]]:
        found = {
            version.name: [document_of(call.store, version.layers[at]) for at in common] for version in chosen[role]
        }
        if len(found) < len(chosen[role]):
            raise CoindexError("two versions of one name; choose one of them", code="invalid-input")
        return found

    with quiet():
        report = quality(docs("once"), docs("final"), docs("merged"))
    return len(common), report.tables[0]


def vote(call: ProjectCall) -> Response:
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


def origin_page(call: ProjectCall) -> Response:
    """What a layer was made of; it is made again to see whether it comes out the same."""
    assert call.layer is not None
    assert call.document is not None
    origin = Origin.of(call.layer)
    if origin is None:
        raise CoindexError(
            f"{call.layer.name!r} was annotated from the text; it was not made of other layers", code="wrong-state"
        )
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
