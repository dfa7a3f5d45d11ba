"""`cross`: entities and events over all documents of a collection.

Without a trained scorer pairs are scored by `lexical`; without a model that finds mentions they come as `within` says.
The documents are held in memory until the last has been seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...document import Document, Kind
from ...formats.registry import Option
from ..clusters import without_singletons_of_all
from ..neural.folder import DESCRIPTION
from ..resolver import Resolver, Step, probability
from .collection import Collection, with_entities
from .encoder import Encoder
from .model import SCORERS, open_model
from .pipeline import LinkOptions, link
from .scorer import PairScorer, VectorMaker, lexical_scorers, load_scorer
from .tagger import Tagger, load_tagger
from .topics import TOPICS, Topics, find_topics, wider_topics
from .within import AUTO, NONE, add_chains

NAME = "cross"
LEXICAL = "lexical"
WHEN_GIVEN = "given"


@dataclass(frozen=True, kw_only=True)
class CrossOptions:
    """How a collection is resolved; `chains` names the resolver of single documents, see `within`."""

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
        """The documents with mentions and chains, as one collection."""
        return Collection.of(add_chains(docs, self.options.chains, given=self.options.given, tagger=self.tagger))


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What a model gives: scorers of pairs, and if it has them vectors and a tagger."""

    scorers: Mapping[Kind, PairScorer]
    vectors: VectorMaker | None = None
    tagger: Tagger | None = None


def load_parts(model: str | Path) -> Parts:
    """The parts of a model folder, of a folder with `entity.npz` and `event.npz` alone, or those that nobody trained.

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
    """The resolver with these options; `name` is what mentions say that they are linked by."""
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
    Option("topics", TOPICS, "documents that are looked at together; auto: those given if all have one"),
    Option(
        "chains",
        (),
        f"the resolver of single documents, {AUTO} for one that fits where mentions are found, or {NONE}",
    ),
    Option("keep_chains", (AUTO, "yes", "no"), "whether its chains stay together; auto: where mentions are found"),
    Option("min_link", (), "the least mean probability at which clusters are joined, from 0 to 1"),
    Option("singletons", (WHEN_GIVEN, "yes", "no"), "whether what the collection mentions once is kept"),
)


RESOLVER = Resolver(
    name=NAME,
    kind="rules",
    summary="events and entities over the documents of a collection, by words, arguments and topics",
    make=make,
    source="Cattan et al. 2021 (pairs, average linkage, topics); the features and weights are ours",
    options=(
        *OPTIONS,
        Option("model", (), f"a model folder, one with entity.npz and event.npz, or {LEXICAL} for weights set by hand"),
    ),
    collects=True,
)
