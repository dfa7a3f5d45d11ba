"""Resolve events and entities across the documents of a collection, and add documents to a resolved collection.

For each topic, mentions are collected, candidate pairs are chosen and scored by their features, and the mentions are
clustered. Without a trained scorer, pairs are scored by weights set by hand; without a trained tagger, mentions are
detected as `within` describes. All documents are kept in memory until the last one has been read.

The state of a resolved collection contains the documents with all mentions, their topics, and the vectors of mentions,
if there are any. New documents are compared with the old ones and with each other. Existing entities keep their ids and
mentions, and two of them are never merged. The weights of terms are those of the enlarged collection.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...document import Document, Kind
from ...document.naming import count
from ...engines import Workers
from ...errors import CoindexError
from ...formats.json import WrongField, document_record, record_document
from ...formats.registry import Option
from ..neural.folder import DESCRIPTION
from ..resolver import Resolver, Step, probability
from .collection import Collection, Ints, with_entities
from .linking import ALONE, LinkOptions, link
from .model import SCORERS, open_model
from .neighbours import Vectors
from .scorer import (
    PairScorer,
    VectorMaker,
    lexical_scorers,
    load_scorer,
    read_arrays,
    write_arrays,
)
from .terms import document_terms, tf_idf
from .topics import TOPICS, Topics, assign_topics, choose_topics, find_topics, wider_topics
from .vectors import Encoder
from .within import AUTO, NONE, Tagger, add_entities, load_tagger

NAME = "cross"
LEXICAL = "lexical"
WHEN_GIVEN = "given"


@dataclass(frozen=True, kw_only=True)
class CrossOptions:
    """The options of a collection resolver; `chains` is the resolver for single documents (see `within`)."""

    topics: Topics = "auto"
    chains: str = AUTO
    given: bool = False
    singletons: bool = True
    link: LinkOptions = field(default_factory=LinkOptions)


class CrossResolver:
    """All documents together; `vectors` makes what the scorers compare beyond words, if they ask for it.

    `tagger` finds mentions where they are to be found.
    """

    collects = True

    def __init__(
        self,
        scorers: Mapping[Kind, PairScorer],
        *,
        name: str = NAME,
        vectors: VectorMaker | None = None,
        tagger: Tagger | None = None,
        options: CrossOptions | None = None,
    ) -> None:
        self.scorers = scorers
        self.name = name
        self.vectors = vectors
        self.tagger = tagger
        self.options = options or CrossOptions()

    def __call__(self, doc: Document) -> Document:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Document], *, batch_size: int = 1) -> Iterator[Document]:
        return self.distribute(docs, 1)

    def distribute(self, docs: Iterable[Document], workers: Workers | int) -> Iterator[Document]:
        """Resolve the documents on workers; the result does not depend on their number."""
        collection = self.collect(docs, workers)
        topics = find_topics(collection.documents, self.options.topics)
        links = link(
            collection,
            topics,
            self.scorers,
            wider=wider_topics(collection.documents, self.options.topics, topics),
            vectors=None if self.vectors is None else self.vectors(collection, workers),
            options=self.options.link,
            workers=workers,
        )
        yield from with_entities(
            collection, links.labels, by=self.name, scores=links.scores, singletons=self.options.singletons
        )

    def collect(self, docs: Iterable[Document], workers: Workers | int = 1) -> Collection:
        """Return the documents with mentions and their entities within documents, as a collection."""
        options = self.options
        found = add_entities(docs, options.chains, given=options.given, tagger=self.tagger, workers=workers)
        return Collection.of(found)


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The parts of a model: pair scorers and, if available, vectors and a tagger."""

    scorers: Mapping[Kind, PairScorer]
    vectors: VectorMaker | None = None
    tagger: Tagger | None = None


def load_parts(model: str | Path) -> Parts:
    """Load a model folder, a folder with only `entity.npz` and `event.npz`, or the parts without training.

    A model folder without scorers has those that nobody trained.
    """
    if model == LEXICAL:
        return Parts(scorers=lexical_scorers())
    folder = Path(model)
    if not (folder / DESCRIPTION).exists():
        return Parts(scorers={kind: load_scorer(folder / file) for kind, file in SCORERS.items()})
    opened = open_model(folder)
    trained = {kind: load_scorer(path) for kind, path in opened.scorers.items()}
    vectors = None
    if trained:
        from .vectors import make_vectors

        vectors = make_vectors(Encoder(folder))
    return Parts(scorers={**lexical_scorers(), **trained}, vectors=vectors, tagger=load_tagger(folder))


def make(
    *,
    mentions: str,
    topics: Topics = "auto",
    chains: str = AUTO,
    keep_chains: str = AUTO,
    min_link: str | None = None,
    singletons: str = WHEN_GIVEN,
    model: str | Path = LEXICAL,
    name: str = NAME,
) -> Step:
    """Return the resolver with these options; `name` is recorded as the origin of links."""
    given = mentions == "given"
    options = CrossOptions(
        topics=topics,
        chains=chains,
        given=given,
        singletons=given if singletons == WHEN_GIVEN else singletons == "yes",
        link=LinkOptions(
            min_link=None if min_link is None else probability(min_link),
            keep_chains=not given if keep_chains == AUTO else keep_chains == "yes",
        ),
    )
    parts = load_parts(model)
    return CrossResolver(parts.scorers, name=name, vectors=parts.vectors, tagger=parts.tagger, options=options)


OPTIONS = (
    Option("topics", TOPICS, "how documents are grouped; auto: by the given topics if all documents have one"),
    Option(
        "chains",
        (),
        f"resolver for single documents; {AUTO}: a suitable one where mentions are detected; or {NONE}",
    ),
    Option("keep_chains", (AUTO, "yes", "no"), "whether its entities stay together; auto: where mentions are detected"),
    Option("min_link", (), "lowest mean probability at which clusters are joined, from 0 to 1"),
    Option("singletons", (WHEN_GIVEN, "yes", "no"), "whether to keep entities that the collection mentions only once"),
)


RESOLVER = Resolver(
    name=NAME,
    kind="rules",
    summary="links events and entities across the documents of a collection, by words, arguments and topics",
    make=make,
    source="Cattan et al. 2021 (pairs, average linkage, topics); the features and weights are ours",
    options=(
        *OPTIONS,
        Option(
            "model", (), f"model folder, folder with entity.npz and event.npz, or {LEXICAL} for weights set by hand"
        ),
    ),
    collects=True,
)


VERSION = 1
WHAT = "a state of a collection"
VECTORS = "vectors:"


@dataclass(frozen=True, eq=False)
class State:
    """Everything that is needed to add documents to a resolved collection."""

    documents: tuple[Document, ...] = ()
    topics: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    how: Topics = "auto"
    """The source of the topics; `auto` for an empty state."""
    resolver: str = ""
    vectors: Mapping[str, Vectors] = field(default_factory=dict)


def add_documents(state: State, docs: Iterable[Document], resolver: CrossResolver, workers: Workers | int = 1) -> State:
    """Resolve more documents and return the new state; start with an empty state."""
    _check_resolver(state, resolver)
    new = resolver.collect(docs, workers)
    _check_names(state, new)
    collection = Collection.of((*state.documents, *new.documents))
    how, topics = _topics(state, collection, resolver)
    made = {} if resolver.vectors is None else resolver.vectors(new, workers)
    vectors = _join_vectors(state, made)
    known, names = _number_known_labels(state, len(collection))
    links = link(
        collection,
        topics,
        resolver.scorers,
        wider=wider_topics(collection.documents, how, topics),
        vectors=vectors or None,
        known=known,
        options=resolver.options.link,
        workers=workers,
    )
    resolved = list(with_entities(collection, links.labels, by=resolver.name, scores=links.scores, names=names))
    documents = (*state.documents, *resolved[len(state.documents) :])
    return State(documents, topics, how, resolver.name, vectors)


def _check_resolver(state: State, resolver: CrossResolver) -> None:
    if state.resolver and state.resolver != resolver.name:
        raise CoindexError(
            f"the state was created by {state.resolver}, but the resolver is now {resolver.name}; choose the same "
            "resolver with -r, or start a new state",
            code="different-settings",
        )
    asked = resolver.options.topics
    if state.how != "auto" and asked not in ("auto", state.how):
        raise CoindexError(
            f"the state was created with --topics {state.how}, but now --topics is {asked}; omit --topics, or start a "
            "new state",
            code="different-settings",
        )


def _check_names(state: State, new: Collection) -> None:
    """Raise an error if a document is already in the state."""
    there = {doc.id for doc in state.documents if doc.id is not None}
    again = [doc.id for doc in new.documents if doc.id in there]
    if again:
        more = f" and {count(len(again) - 1, 'more document')}" if len(again) > 1 else ""
        raise CoindexError(
            f"{again[0]}{more}: already in the state; remove the documents from the input, or rename them if they are "
            "different texts",
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
            f"the state has the vectors {sorted(state.vectors) or 'none'}, but the resolver computes "
            f"{sorted(made) or 'none'}; start a new state",
            code="different-settings",
        )
    return {name: np.concatenate([state.vectors[name], part]) for name, part in made.items()}


def _number_known_labels(state: State, number: int) -> tuple[Ints, dict[int, str]]:
    """Return the labels of the mentions (-1 for those of new documents), and the ids of the labels."""
    numbers: dict[str, int] = {}
    old = [numbers.setdefault(entity.id, len(numbers)) for doc in state.documents for _, entity in doc.mentions()]
    known = np.full(number, ALONE)
    known[: len(old)] = old
    return known, {label: id for id, label in numbers.items()}


def save_state(state: State, path: str | Path) -> None:
    """Write the state to a file, atomically."""
    lines = "\n".join(json.dumps(document_record(doc), ensure_ascii=False) for doc in state.documents)
    about = {"version": VERSION, "topics": state.how, "resolver": state.resolver}
    texts = np.frombuffer(lines.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    vectors = {f"{VECTORS}{name}": part for name, part in state.vectors.items()}
    write_arrays(path, about, {"documents": texts, "topic": state.topics, **vectors})


def load_state(path: str | Path) -> State:
    """Read the state from a file."""
    about, arrays = read_arrays(path, VERSION, WHAT, ("topics", "resolver"))
    try:
        text = arrays["documents"].tobytes().decode("utf-8", "surrogatepass")
        documents = tuple(record_document(json.loads(line)) for line in text.split("\n") if line)
        topics = arrays["topic"].astype(np.int64)
        vectors = {name.removeprefix(VECTORS): part for name, part in arrays.items() if name.startswith(VECTORS)}
        if len(topics) != len(documents) or about["topics"] not in TOPICS:
            raise ValueError(f"{len(topics)} topics for {len(documents)} documents")
    except (KeyError, ValueError, TypeError, WrongField) as error:
        raise CoindexError(f"cannot use {WHAT} ({error}); create it again", code="invalid-state", path=path) from error
    return State(documents, topics, about["topics"], str(about["resolver"]), vectors)
