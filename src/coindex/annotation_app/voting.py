"""Voting over layers of a project, and making derived layers again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..annotation.adjudication import adjudicate
from ..annotation.agreement import trust
from ..api.voting import vote_trusting
from ..document import Document
from ..document.edits import canonical
from ..errors import CoindexError
from ..server import audit
from ..server.uploads import quiet
from .comparison import compare_sources
from .finished_layers import Version, common_documents
from .layers import AnnotationStore
from .models import Layer
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
    """A layer of votes for each document that all versions have; their ids. All of them or none."""
    if len(chosen) < 2:
        raise CoindexError(f"{len(chosen)} chosen; choose two or more to vote", code="too-few-annotations")
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
        audit.record(session, "vote", user=owner, project=project, **detail)
    return made


def _distinct(chosen: Sequence[Version]) -> list[str]:
    return [version.key for version in chosen]


def _documents(store: AnnotationStore, sources: Sequence[Source]) -> list[Document]:
    return [store.layers.document_at(source.layer, source.revision) for source in sources]


def _in_order(
    docs: Sequence[Sequence[Document]], names: Sequence[str], trusted: Sequence[float], least: int | None
) -> list[Document]:
    """The votes in the order of the documents; those that share entities come out last."""
    shared = [any(doc.shared_ids for doc in pair) for pair in docs]
    order = sorted(range(len(docs)), key=lambda at: shared[at])
    voted = dict(zip(order, vote_trusting(docs, names, trusted, least=least), strict=True))
    return [voted[at] for at in range(len(docs))]


def made_again(store: AnnotationStore, layer: Layer) -> Document | None:
    """What the first revision of a derived layer should be, from its record; None for one that was not derived."""
    origin = Origin.of(layer)
    if origin is None:
        return None
    with quiet():
        if origin.method == "vote":
            return canonical(_voted_again(store, origin))
        if origin.method == "adjudication":
            return canonical(adjudicate(compare_sources(store, origin.sources), {}))
        (doc,) = _documents(store, origin.sources)
        return doc if origin.method == "second pass" else canonical(suggest(doc, origin.options["resolver"]))


def _voted_again(store: AnnotationStore, origin: Origin) -> Document:
    options = origin.options
    sides = [origin.sources]
    if "together" in options:
        sides = [tuple(Source(*source) for source in sources) for sources in options["together"]]
    names = [source.name for source in origin.sources]
    docs = [_documents(store, sources) for sources in sides]
    at: int = options.get("at", 0)
    return _in_order(docs, names, options["trust"], options["least"])[at]
