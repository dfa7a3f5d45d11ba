"""Mentions whose heads have the same lemma in one entity: the baseline of cross-document coreference.

`scope` says how far: `document`, or all documents of a `topic` or `subtopic`, or of a topic that is `predicted` from
their words, or the whole `corpus`; then entities have the same ids in all documents (`shared_ids`), and the documents
are held in memory until the last has been seen. A document without a topic is one by itself; one without a subtopic
is taken by its topic.

Events and entities are kept apart, as ECB+ has them. The lemma is that of the column; without one the word is stripped
of English endings (`stems`). The head is that of the mention or the tree, else a guess (`head_words`). Pronouns say
nothing by their lemma: each stays alone. Found mentions are all nouns and names that are no part of a longer name or
compound; of these only what corefers is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ...document import Document, Entity, Kind, Mention
from ...document.heads import Trees
from ...formats.registry import Option
from ..clusters import linked
from ..linguistics.languages import language_of
from ..linguistics.noun_phrases import found_phrases
from ..linguistics.stems import lemma
from ..linguistics.word_classes import has_classes, head_word, is_pronominal, word_class
from ..resolver import MissingLayerError, Resolver, Step, shown_name

NAME = "head-lemma"
SCOPES = ("document", "topic", "subtopic", "predicted", "corpus")
Key = tuple[object, ...]
Keyed = list[tuple[Key, Kind, Mention]]


class HeadLemma:
    """Documents one by one, or all of a collection together."""

    def __init__(self, scope: str, *, given: bool) -> None:
        self.scope = scope
        self.collects = scope != "document"
        self.given = given

    def __call__(self, doc: Document) -> Document:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Document], *, batch_size: int = 1) -> Iterator[Document]:
        if self.collects:
            yield from self._resolved(list(docs))
        else:
            for doc in docs:
                yield from self._resolved([doc])

    def _resolved(self, docs: list[Document]) -> Iterator[Document]:
        places = self._places(docs)
        keyed = [self._keyed(doc, number, places[number]) for number, doc in enumerate(docs)]
        sizes = Counter(key for mentions in keyed for key, _, _ in mentions)
        names: dict[Key, str] = {}
        for doc, mentions in zip(docs, keyed, strict=True):
            groups: dict[Key, tuple[Kind, list[Mention]]] = {}
            for key, kind, mention in mentions:
                if self.given or sizes[key] > 1:
                    groups.setdefault(key, (kind, []))[1].append(linked(mention, NAME))
            entities = tuple(
                Entity(names.setdefault(key, f"e{len(names) + 1}"), tuple(members), kind=kind)
                for key, (kind, members) in groups.items()
            )
            yield doc.replace(entities=entities, bridges=(), split_antecedents=(), shared_ids=self.collects)

    def _places(self, docs: list[Document]) -> list[Key]:
        """What documents have in common whose mentions may be one entity."""
        if self.scope != "predicted":
            return [_place(doc, number, self.scope) for number, doc in enumerate(docs)]
        from ..cross.topics import find_topics

        return [("topic", topic) for topic in find_topics(docs, "predicted").tolist()]

    def _keyed(self, doc: Document, number: int, where: Key) -> Keyed:
        """The mentions in reading order, each with what it has in common with those of its entity."""
        trees, language = Trees(doc), language_of(doc)
        keyed: Keyed = []
        for place, (mention, kind) in enumerate(_given(doc) if self.given else _found(doc)):
            if is_pronominal(mention, language):
                key: Key = (number, place)
            else:
                key = (*where, kind, lemma(doc, head_word(mention, trees)))
            keyed.append((key, kind, mention))
        return keyed


def _place(doc: Document, number: int, scope: str) -> Key:
    if scope == "corpus":
        return ("corpus",)
    topic = doc.topic if scope == "topic" else doc.subtopic or doc.topic
    return ("document", number) if topic is None or scope == "document" else ("topic", topic)


def _given(doc: Document) -> Iterator[tuple[Mention, Kind]]:
    for mention, entity in doc.mentions():
        yield mention, entity.kind


def _found(doc: Document) -> Iterator[tuple[Mention, Kind]]:
    if len(doc.tokens) and not has_classes(doc):
        raise MissingLayerError(
            f"{shown_name(doc)}: no part-of-speech tags; {NAME} finds mentions by them; parse it first, as in "
            f"'spacy(MODEL) + {NAME}' (coindex resolvers), or take those of the input with --mentions given"
        )
    for phrase in sorted(found_phrases(doc), key=lambda phrase: phrase.mention.start):
        if word_class(doc.tokens[phrase.head]) in ("NOUN", "PROPN"):
            yield phrase.mention, "entity"


def make(*, mentions: str, scope: str = "document") -> Step:
    return HeadLemma(scope, given=mentions == "given")


RESOLVER = Resolver(
    name=NAME,
    kind="rules",
    summary="mentions whose heads have the same lemma, within a document, a topic or a corpus",
    make=make,
    source="a common baseline of work on ECB+; the details are ours",
    options=(Option("scope", SCOPES, "how far mentions with one lemma are one entity"),),
    collects=True,
)
