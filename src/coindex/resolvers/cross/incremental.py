"""A resolved collection that grows: new documents find their place among the entities that are there.

The state holds the resolved documents with all their mentions, their topics, and the vectors of mentions if there are
any. New documents are compared with the old ones and with each other; old entities keep their ids and their mentions,
and two of them are never joined. The weights of terms are those of the grown collection.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...document import Document
from ...document.naming import count
from ...errors import CoindexError
from ...formats.json import WrongField, document_record, record_document
from .collection import Collection, Ints, with_entities
from .neighbours import Vectors
from .resolver import ALONE, CrossResolver, link
from .scorer import read_arrays, write_arrays
from .terms import document_terms, tf_idf
from .topics import TOPICS, Topics, assign_topics, choose_topics, find_topics, wider_topics

VERSION = 1
WHAT = "a state of a collection"
VECTORS = "vectors:"


@dataclass(frozen=True, eq=False)
class State:
    """What has to be known of a resolved collection to add documents to it."""

    documents: tuple[Document, ...] = ()
    topics: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    how: Topics = "auto"
    """Where the topics come from; `auto` before there are documents."""
    resolver: str = ""
    vectors: Mapping[str, Vectors] = field(default_factory=dict)


def add_documents(state: State, docs: Iterable[Document], resolver: CrossResolver) -> State:
    """The state with more documents, resolved; an empty state makes it a first run."""
    _check_resolver(state, resolver)
    new = resolver.collect(docs)
    _check_names(state, new)
    collection = Collection.of((*state.documents, *new.documents))
    how, topics = _topics(state, collection, resolver)
    made = {} if resolver.vectors is None else resolver.vectors(new)
    vectors = _join_vectors(state, made)
    known, names = _known_labels(state, len(collection))
    links = link(
        collection,
        topics,
        resolver.scorers,
        wider=wider_topics(collection.documents, how, topics),
        vectors=vectors or None,
        known=known,
        options=resolver.options.link,
    )
    resolved = with_entities(collection, links.labels, by=resolver.name, scores=links.scores, names=names)
    documents = (*state.documents, *resolved[len(state.documents) :])
    return State(documents, topics, how, resolver.name, vectors)


def _check_resolver(state: State, resolver: CrossResolver) -> None:
    if state.resolver and state.resolver != resolver.name:
        raise CoindexError(
            f"the state was made by {state.resolver}, and documents are to be added by {resolver.name}; expected the "
            "same resolver; name it with -r, or begin a new state",
            code="different-settings",
        )
    asked = resolver.options.topics
    if state.how != "auto" and asked not in ("auto", state.how):
        raise CoindexError(
            f"the state has topics of the kind {state.how!r}, and {asked!r} are asked for; expected the same; leave "
            "--topics out, or begin a new state",
            code="different-settings",
        )


def _check_names(state: State, new: Collection) -> None:
    """A document that is there already would count twice."""
    there = {doc.id for doc in state.documents if doc.id is not None}
    again = [doc.id for doc in new.documents if doc.id in there]
    if again:
        more = f" and {count(len(again) - 1, 'more document')}" if len(again) > 1 else ""
        raise CoindexError(
            f"{again[0]}{more}: in the state already; expected documents that are new; leave them out, or give other "
            "names to other texts",
            code="duplicate-document-id",
        )


def _topics(state: State, collection: Collection, resolver: CrossResolver) -> tuple[Topics, Ints]:
    how = choose_topics(collection.documents, resolver.options.topics if state.how == "auto" else state.how)
    if how != "predicted":
        return how, find_topics(collection.documents, how)
    return how, assign_topics(tf_idf([document_terms(doc) for doc in collection.documents]), state.topics)


def _join_vectors(state: State, made: Mapping[str, Vectors]) -> dict[str, Vectors]:
    if not state.documents:
        return dict(made)
    if set(made) != set(state.vectors):
        raise CoindexError(
            f"the state has vectors {sorted(state.vectors) or 'of no kind'}, the resolver makes "
            f"{sorted(made) or 'none'}; expected the same; begin a new state",
            code="different-settings",
        )
    return {name: np.concatenate([state.vectors[name], part]) for name, part in made.items()}


def _known_labels(state: State, number: int) -> tuple[Ints, dict[int, str]]:
    """The label of each mention of old documents, -1 for new ones, and the ids of the labels."""
    numbers: dict[str, int] = {}
    old = [numbers.setdefault(entity.id, len(numbers)) for doc in state.documents for _, entity in doc.mentions()]
    known = np.full(number, ALONE)
    known[: len(old)] = old
    return known, {label: id for id, label in numbers.items()}


def save_state(state: State, path: str | Path) -> None:
    """Write the state to one file, which is there only when it is whole."""
    lines = "\n".join(json.dumps(document_record(doc), ensure_ascii=False) for doc in state.documents)
    about = {"version": VERSION, "topics": state.how, "resolver": state.resolver}
    texts = np.frombuffer(lines.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    vectors = {f"{VECTORS}{name}": part for name, part in state.vectors.items()}
    write_arrays(path, about, {"documents": texts, "topic": state.topics, **vectors})


def load_state(path: str | Path) -> State:
    """The state of a file."""
    about, arrays = read_arrays(path, VERSION, WHAT, ("topics", "resolver"))
    try:
        text = arrays["documents"].tobytes().decode("utf-8", "surrogatepass")
        documents = tuple(record_document(json.loads(line)) for line in text.split("\n") if line)
        topics = arrays["topic"].astype(np.int64)
        vectors = {name.removeprefix(VECTORS): part for name, part in arrays.items() if name.startswith(VECTORS)}
        if len(topics) != len(documents) or about["topics"] not in TOPICS:
            raise ValueError(f"{len(topics)} topics for {len(documents)} documents")
    except (KeyError, ValueError, TypeError, WrongField) as error:
        raise CoindexError(
            f"{WHAT} that cannot be used ({error}); expected a whole one; make it anew", code="invalid-state", path=path
        ) from error
    return State(documents, topics, about["topics"], str(about["resolver"]), vectors)
