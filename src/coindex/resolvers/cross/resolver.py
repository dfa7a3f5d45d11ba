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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ...document import Document, Kind
from ...document.naming import count
from ...errors import CoindexError
from ...formats.json import WrongField, document_record, record_document
from ...formats.registry import Option
from ..clusters import without_singletons_of_all
from ..neural.folder import DESCRIPTION
from ..resolver import Resolver, Step, probability
from .clustering import ClusterOptions, Known, cluster, in_reading_order, link_scores
from .collection import KINDS, Collection, Flags, Floats, Ints, with_entities
from .features import FeatureMaker, SecondStageFeatures
from .mentions import CandidateOptions, candidate_pairs
from .model import SCORERS, open_model
from .neighbours import LEARNED, Pairs, PairScores, Vectors, concatenate_vectors, near_rows
from .scorer import (
    PairScorer,
    SecondStage,
    VectorMaker,
    lexical_scorers,
    load_scorer,
    logits,
    read_arrays,
    sigmoid,
    write_arrays,
)
from .terms import document_terms, tf_idf
from .topics import TOPICS, Topics, assign_topics, choose_topics, find_topics, wider_topics
from .vectors import Encoder
from .within import AUTO, NONE, Tagger, add_entities, load_tagger

ALONE = -1
FEW = 8
"""Topics with at most this number of documents are small. In them, small clusters need no higher threshold, because few
pairs can be wrong, and the scorer can link more readily, because there is less context to share."""
KNOWN = 3
"""Number of following mentions of a known entity that are neighbours of a mention from the start."""
AT_ONCE = 1 << 17
"""Number of pairs whose features are in memory at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOptions:
    """Options of linking; `min_link` is the lowest mean probability of a join, or None for that of the scorer."""

    min_link: float | None = None
    keep_chains: bool = False
    """Whether the entities within documents always stay together."""
    candidates: CandidateOptions = field(default_factory=CandidateOptions)
    clusters: ClusterOptions = field(default_factory=ClusterOptions)


@dataclass(frozen=True, eq=False)
class Links:
    """The label of each mention in reading order, and the mean probability of its links."""

    labels: Ints
    scores: Floats


def link(
    collection: Collection,
    topics: Ints,
    scorers: Mapping[Kind, PairScorer],
    *,
    wider: Ints | None = None,
    vectors: Mapping[str, Vectors] | None = None,
    known: Ints | None = None,
    options: LinkOptions | None = None,
) -> Links:
    """Cluster the mentions of a collection; `topics` are those of its documents.

    Features are computed within `wider` topics (see `topics.wider_topics`), by default within `topics`. `known` has the
    label of each mention whose entity is already known, and -1 for others. Known entities and their labels do not
    change, and pairs of two known mentions are not scored.
    """
    options = options or LinkOptions()
    maker = FeatureMaker(collection, topics if wider is None else wider, vectors)
    topic = topics[collection.document]
    fixed = np.full(len(collection), ALONE) if known is None else known
    joined = concatenate_vectors(vectors) if vectors else None
    left, right = _candidates(maker, topic, fixed == ALONE, joined, options.candidates)
    crowded = np.bincount(topics, minlength=1)[topic] > FEW
    labels, scores = np.zeros(len(collection), dtype=np.int64), np.ones(len(collection))
    before = 0
    for number, kind in enumerate(KINDS):
        rows = np.flatnonzero(collection.kind == number)
        if not len(rows):
            continue
        own = collection.kind[left] == number
        places = np.searchsorted(rows, left[own]), np.searchsorted(rows, right[own])
        own_labels, sure = _link_kind(maker, rows, places, scorers[kind], fixed[rows], crowded[rows], options)
        labels[rows], scores[rows] = own_labels + before, sure
        before += int(own_labels.max(initial=-1)) + 1
    return Links(_keep_known_labels(in_reading_order(labels), fixed), scores)


def _candidates(
    maker: FeatureMaker, topic: Ints, new: Flags, vectors: Vectors | None, options: CandidateOptions
) -> tuple[Ints, Ints]:
    collection, words = maker.collection, maker.words
    blocks = topic * len(KINDS) + collection.kind
    keys = [np.where(words.is_pronoun, ALONE, key) for key in (words.head, words.string, words.rarest)]
    near = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if len(blocks) and np.bincount(blocks).max() > options.all_up_to:
        near = near_rows(maker.texts.documents, options.near_documents)
    return candidate_pairs(blocks, keys, collection.document, near, vectors=vectors, new=new, options=options)


def project_vectors(maker: FeatureMaker, scorer: PairScorer) -> FeatureMaker:
    """Return the feature maker with the vectors that the scorer projects."""
    if scorer.projection is None or not maker.vectors.keys() >= set(scorer.projection.names):
        return maker  # which then reports the missing vectors
    return maker.add_vectors({LEARNED: scorer.projection(maker.vectors)})


def _link_kind(
    maker: FeatureMaker,
    rows: Ints,
    pairs: tuple[Ints, Ints],
    scorer: PairScorer,
    fixed: Ints,
    crowded: Flags,
    options: LinkOptions,
) -> tuple[Ints, Floats]:
    """Return the labels and scores of the mentions of one kind."""
    shift = np.where(crowded, 0.0, scorer.few)
    scored, score = score_pairs(project_vectors(maker, scorer), rows, pairs, scorer, shift, fixed)
    threshold = scorer.threshold if options.min_link is None else options.min_link
    together = np.full(len(rows), ALONE)
    if options.keep_chains:
        is_linked = (maker.collection.entity_sizes[rows] > 1) & (fixed == ALONE)
        together = np.where(is_linked, maker.collection.entity[rows], ALONE)
    small = scorer.small if options.min_link is None else 0.0
    clusters = replace(options.clusters, threshold=threshold, small=small)
    known = Known(together=together, fixed=fixed)
    labels, scored = cluster(len(rows), scored, clusters, score=score, known=known, crowded=crowded)
    return labels, link_scores(labels, scored)


def score_pairs(
    maker: FeatureMaker,
    rows: Ints,
    pairs: tuple[Ints, Ints],
    scorer: PairScorer,
    shift: Floats,
    fixed: Ints | None = None,
) -> tuple[Pairs, PairScores]:
    """Return pairs of mention indices with probabilities, and a function that scores further pairs.

    `shift` is added to the logits of each mention; `fixed` are the labels of known entities.
    """

    def first(left: Ints, right: Ints) -> Floats:
        return _score_in_parts(
            left,
            right,
            lambda first_rows, second_rows: scorer(maker(rows[first_rows], rows[second_rows], scorer.features)),
        )

    looked_at = Pairs(*pairs, first(*pairs))
    again = _make_second_stage(maker, rows, _add_known_pairs(looked_at, fixed), scorer.second)

    def finish(left: Ints, right: Ints, probability: Floats) -> Floats:
        logit = logits(probability)
        if again is not None:
            logit = (logit + _score_in_parts(left, right, again, logit)) / 2
        return sigmoid(logit + shift[left])

    probability = finish(*pairs, looked_at.probability)
    return Pairs(*pairs, probability), lambda left, right: finish(left, right, first(left, right))


def _make_second_stage(
    maker: FeatureMaker, rows: Ints, pairs: Pairs, second: SecondStage | None
) -> Callable[[Ints, Ints, Floats], Floats] | None:
    """Return the function that computes the logits of the second stage, if the scorer has one."""
    if second is None:
        return None
    features = SecondStageFeatures(maker, rows, pairs)
    return lambda left, right, logit: second(features(left, right, logit, second.features))


def _score_in_parts(left: Ints, right: Ints, score: Callable[..., Floats], *more: Floats) -> Floats:
    """Score the pairs in parts, to limit the memory for their features."""
    parts = [slice(start, start + AT_ONCE) for start in range(0, len(left), AT_ONCE)]
    scored = (score(left[part], right[part], *(column[part] for column in more)) for part in parts)
    return np.concatenate([np.zeros(0), *scored])


def _add_known_pairs(pairs: Pairs, known: Ints | None) -> Pairs:
    """Return the pairs of the first stage and pairs of mentions of known entities, which are not scored."""
    if known is None:
        return pairs
    order = np.flatnonzero(known != ALONE)
    order = order[np.argsort(known[order], kind="stable")]
    left, right = [pairs.left], [pairs.right]
    for step in range(1, KNOWN + 1):
        same = known[order[step:]] == known[order[:-step]]
        left.append(order[:-step][same])
        right.append(order[step:][same])
    sure = np.ones(sum(map(len, left)) - len(pairs))
    return Pairs(np.concatenate(left), np.concatenate(right), np.concatenate([pairs.probability, sure]))


def _keep_known_labels(labels: Ints, known: Ints) -> Ints:
    """Return the labels with known entities under their own labels; new clusters are numbered after them."""
    is_known = known != ALONE
    if not is_known.any():
        return labels
    names = np.full(int(labels.max()) + 1, ALONE)
    names[labels[is_known]] = known[is_known]
    new = np.flatnonzero(names == ALONE)
    names[new] = int(known.max()) + 1 + np.arange(len(new))
    return names[labels]


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
        collection = self.collect(docs)
        topics = find_topics(collection.documents, self.options.topics)
        vectors = None if self.vectors is None else self.vectors(collection)
        wider = wider_topics(collection.documents, self.options.topics, topics)
        links = link(collection, topics, self.scorers, wider=wider, vectors=vectors, options=self.options.link)
        resolved = with_entities(collection, links.labels, by=self.name, scores=links.scores)
        yield from resolved if self.options.singletons else without_singletons_of_all(resolved)

    def collect(self, docs: Iterable[Document]) -> Collection:
        """Return the documents with mentions and their entities within documents, as a collection."""
        return Collection.of(add_entities(docs, self.options.chains, given=self.options.given, tagger=self.tagger))


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


def add_documents(state: State, docs: Iterable[Document], resolver: CrossResolver) -> State:
    """Resolve more documents and return the new state; start with an empty state."""
    _check_resolver(state, resolver)
    new = resolver.collect(docs)
    _check_names(state, new)
    collection = Collection.of((*state.documents, *new.documents))
    how, topics = _topics(state, collection, resolver)
    made = {} if resolver.vectors is None else resolver.vectors(new)
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
    )
    resolved = with_entities(collection, links.labels, by=resolver.name, scores=links.scores, names=names)
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
