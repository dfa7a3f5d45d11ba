"""Adjudication: layers derived from others by a decision at each difference, or by a vote.

An adjudication layer starts with the majority. Every decision is an operation of its log, so undo, redo and replay work
as in any layer, and changes that the adjudicator makes in the editor are kept. The client of the operation records the
decision; a decision that changes nothing is stored as adding and removing a mention, so that it can be undone too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import select

from ..annotation.adjudication import Comparison, adjudicate
from ..annotation.agreement import trust
from ..api.agreement import vote_trusting
from ..document import Document
from ..document.edit_log import Edit, apply, edits_between
from ..document.edits import canonical, fresh_id
from ..errors import CoindexError, EditError, UnknownNameError
from ..server import models
from ..server.caching import RecentCache
from ..server.uploads import quiet
from .agreement import KEPT, Version, common_documents, compare_sources, sources_of
from .layers import AnnotationStore, Appended, Conflict, Operation
from .models import Layer, OperationRow
from .projects import Origin, Source, add_derived
from .suggestions import suggest

Sides = list[tuple[Source, ...]]


def vote_versions(
    store: AnnotationStore,
    chosen: Sequence[Version],
    *,
    owner: int,
    project: int,
    name: str,
    least: int | None = None,
    documents: Sequence[int] | None = None,
) -> list[int]:
    """Create a voted layer for each document that all versions cover; return the ids. Create all or none."""
    if len(chosen) < 2:
        raise CoindexError(f"{len(chosen)} versions chosen; choose at least two to vote", code="too-few-annotations")
    wanted = list(documents) if documents is not None else common_documents(chosen)
    sides = [tuple(version.layers[document].source for version in chosen) for document in wanted]
    docs = [_documents(store, sources) for sources in sides]
    names = [version.name for version in chosen]
    with quiet():
        trusted = trust({each: [pair[at] for pair in docs] for at, each in enumerate(_distinct(chosen))})
        results = list(_in_order(docs, names, trusted, least))
    made = []
    with store.write() as session:
        for at, (document, voted) in enumerate(zip(wanted, results, strict=True)):
            options: dict[str, Any] = {"trust": trusted, "least": least}
            if any(doc.shared_ids for doc in docs[at]):
                together = [number for number, pair in enumerate(docs) if any(doc.shared_ids for doc in pair)]
                options["at"] = together.index(at)
                options["together"] = [[[s.layer, s.revision, s.name] for s in sides[n]] for n in together]
            origin = Origin("vote", sides[at], options)
            layer = add_derived(session, document, voted, origin, name=name, owner=owner, kind="vote")
            layer.is_closed = True
            made.append(layer.id)
        detail = {"of": names, "documents": len(made), "layers": made[:100]}
        models.record(session, "vote", user=owner, project=project, **detail)
    return made


def _distinct(chosen: Sequence[Version]) -> list[str]:
    return [version.key for version in chosen]


def _documents(store: AnnotationStore, sources: Sequence[Source]) -> list[Document]:
    return [store.layers.document_at(source.layer, source.revision) for source in sources]


def _in_order(
    docs: Sequence[Sequence[Document]], names: Sequence[str], trusted: Sequence[float], least: int | None
) -> list[Document]:
    """Return the votes in the order of the documents; `vote_trusting` yields those with shared entities last."""
    shared = [any(doc.shared_ids for doc in pair) for pair in docs]
    order = sorted(range(len(docs)), key=lambda at: shared[at])
    voted = dict(zip(order, vote_trusting(docs, names, trusted, least=least), strict=True))
    return [voted[at] for at in range(len(docs))]


def recreate(store: AnnotationStore, layer: Layer) -> Document | None:
    """Recreate the first revision of a derived layer from its record; None for a layer that was not derived."""
    origin = Origin.of(layer)
    if origin is None:
        return None
    with quiet():
        if origin.method == "vote":
            return canonical(_recreate_vote(store, origin))
        if origin.method == "adjudication":
            return canonical(adjudicate(compare_sources(store, origin.sources), {}))
        (doc,) = _documents(store, origin.sources)
        return doc if origin.method == "second pass" else canonical(suggest(doc, origin.options["resolver"]))


def _recreate_vote(store: AnnotationStore, origin: Origin) -> Document:
    options = origin.options
    sides = [origin.sources]
    if "together" in options:
        sides = [tuple(Source(*source) for source in sources) for sources in options["together"]]
    names = [source.name for source in origin.sources]
    docs = [_documents(store, sources) for sources in sides]
    at: int = options.get("at", 0)
    return _in_order(docs, names, options["trust"], options["least"])[at]


_CLIENT = "decision"
NOBODY = 0
"""The choice of no source; sources are numbered from 1."""


def mark_of(difference: str) -> str:
    """Return a short hash of the id of a difference, because client names are short."""
    return hashlib.sha256(difference.encode()).hexdigest()[:20]


def decide(
    store: AnnotationStore,
    layer: int,
    base: int,
    difference: str,
    choice: int,
    edits: Sequence[Edit],
    *,
    user: int,
    doc: Document,
) -> Appended | Conflict:
    """Append a decision on the document at `base`, with the edits that follow from it."""
    client = f"{_CLIENT} {mark_of(difference)} {choice}"
    operation = Operation(base, tuple(edits) or _make_empty_decision(doc))
    return store.layers.append(layer, base, [operation], client=client, user=user)


def step_back(store: AnnotationStore, layer: int, base: int, *, user: int, again: bool = False) -> Appended | Conflict:
    """Undo the last step of the layer, decision or not; with `again`, redo it."""
    operation = Operation(base, kind="redo" if again else "undo")
    return store.layers.append(layer, base, [operation], client="decision undo", user=user)


def decisions(store: AnnotationStore, layer: int, differences: Iterable[str]) -> dict[str, int]:
    """Return the current choice for each decided difference: undone choices do not count, later ones win."""
    with store.read() as session:
        columns = (OperationRow.revision, OperationRow.kind, OperationRow.target, OperationRow.client)
        query = select(*columns).where(OperationRow.layer_id == layer).order_by(OperationRow.revision)
        rows = session.execute(query).all()
    first: dict[int, int] = {}
    in_force: dict[int, str] = {}
    clients: dict[int, str] = {}
    for revision, kind, target, client in rows:
        first[revision] = revision if target is None else first[target]
        if kind == "edit":
            clients[revision] = client
        if kind == "undo":
            in_force.pop(first[revision], None)
        else:
            in_force[first[revision]] = clients[first[revision]]
    chosen: dict[str, int] = {}
    for _, client in sorted(in_force.items()):
        kind, _, rest = client.partition(" ")
        mark, _, choice = rest.partition(" ")
        if kind == _CLIENT and choice.isdigit():
            chosen[mark] = int(choice)
    return {id: chosen[mark] for id in differences if (mark := mark_of(id)) in chosen}


def _make_empty_decision(doc: Document) -> tuple[Edit, ...]:
    where = {"entity": fresh_id(doc), "positions": [0]}
    return Edit("add_mention", where), Edit("remove_mention", where)


FINISH = "decision finish"
"""The client of the operation that removes unused empty nodes."""


def start_adjudication(
    store: AnnotationStore,
    layers: Sequence[Layer],
    *,
    owner: int,
    project: int,
    name: str,
    kind: Literal["adjudication", "merge"],
) -> int:
    """Create a layer from layers of one document; return its id."""
    sources = sources_of(layers)
    start = adjudicate(compare_sources(store, sources), {})
    document = layers[0].document_id
    with store.write() as session:
        origin = Origin("adjudication", sources)
        layer = add_derived(session, document, start, origin, name=name, owner=owner, kind=kind)
        models.record(session, "adjudication", user=owner, project=project, layer=layer.id, **origin.to_json())
        return layer.id


def comparison_of(store: AnnotationStore, layer: Layer) -> Comparison:
    """Return the comparison that an adjudication layer is based on."""
    origin = Origin.of(layer)
    if origin is None or origin.method != "adjudication":
        raise CoindexError(f"{layer.name!r} is not an adjudication; start one from a comparison", code="wrong-state")
    return compare_sources(store, origin.sources)


def list_decisions(store: AnnotationStore, layer: int, comparison: Comparison) -> dict[str, int]:
    """Return the current decisions: the number of the annotator, from 1, or 0 for nobody."""
    return decisions(store, layer, [difference.id for difference in comparison.differences])


def decide_difference(
    store: AnnotationStore, layer: Layer, base: int, difference: str, choice: int, *, user: int
) -> Appended | Conflict:
    """Choose the answer of one annotator at a difference, or of nobody, as an operation of the layer."""
    comparison = comparison_of(store, layer)
    known = {each.id: each for each in comparison.differences}
    if difference not in known:
        raise UnknownNameError("difference", difference, known)
    if not NOBODY <= choice <= len(comparison.names):
        raise CoindexError(
            f"invalid choice {choice}; expected 0 for nobody, or 1 to {len(comparison.names)}", code="invalid-input"
        )
    if choice and known[difference].option_of(comparison.names[choice - 1]) is None:
        raise CoindexError(
            f"{comparison.names[choice - 1]} has no answer here; choose another annotator, or 0", code="invalid-input"
        )
    before = list_decisions(store, layer.id, comparison)
    doc = store.layers.document_at(layer.id)
    if doc.tokens != comparison.docs[0].tokens:
        raise CoindexError(
            "empty nodes were edited since the adjudication started; undo those edits first, or continue in the editor",
            code="concurrent-change",
        )
    edits = edits_between(_result(comparison, before), _result(comparison, {**before, difference: choice}))
    try:
        return decide(store, layer.id, base, difference, choice, edits, user=user, doc=doc)
    except EditError as error:
        raise CoindexError(
            f"the layer was edited here, and the decision no longer fits ({error}); "
            "undo those edits first, or resolve the difference in the editor",
            code="concurrent-change",
        ) from error


def _result(comparison: Comparison, chosen: Mapping[str, int]) -> Document:
    """Return the document that follows from the decisions; cached, because the next decision starts from it."""

    def make() -> tuple[Comparison, Document]:
        names = (None, *comparison.names)
        return comparison, adjudicate(comparison, {id: names[choice] for id, choice in chosen.items()})

    return _results.get((id(comparison), frozenset(chosen.items())), make)[1]


_results: RecentCache[object, tuple[Comparison, Document]] = RecentCache(2 * KEPT)
"""Documents before and after the last decision. The values hold the comparison, so that its `id()` stays unique."""


def set_finished(store: AnnotationStore, layer: Layer, finished: bool, *, user: int, project: int) -> None:
    """Finish or reopen a layer that belongs to no assignment."""
    if finished == layer.is_closed:
        return
    if finished and layer.kind in ("adjudication", "merge"):
        edits = _make_zero_removals(store, layer)
        if edits:
            operation = Operation(layer.revision, tuple(edits))
            store.layers.append(layer.id, layer.revision, [operation], client=FINISH, user=user)
    with store.write() as session:
        row = session.get_one(Layer, layer.id)
        row.is_closed = finished
        models.record(session, "finish" if finished else "reopen", user=user, project=project, layer=layer.id)
        last = session.get(OperationRow, (layer.id, row.revision)) if row.revision else None
        reverts = not finished and last is not None and last.client == FINISH and last.kind == "edit"
        head = row.revision
    if reverts:
        store.layers.append(layer.id, head, [Operation(head, kind="undo")], client="decision undo", user=user)


def _make_zero_removals(store: AnnotationStore, layer: Layer) -> list[Edit]:
    """Return edits that remove empty nodes whose mentions were not chosen."""
    doc = store.layers.document_at(layer.id)
    origin = Origin.of(layer)
    if origin is None or not origin.sources:
        return []
    first = store.layers.document_at(origin.sources[0].layer, origin.sources[0].revision)
    known = {(first.sentence_index(at), token.id) for at, token in first.tokens.empty_tokens.items()}
    edits = []
    for position in sorted(doc.tokens.empty_positions, reverse=True):
        used = any(position in mention.positions for mention, _ in doc.mentions())
        if used or (doc.sentence_index(position), doc.tokens[position].id) in known:
            continue
        edit = Edit("remove_zero", {"position": position})
        try:
            doc = apply(doc, edit)
        except EditError:  # another node depends on it
            continue
        edits.append(edit)
    return edits
