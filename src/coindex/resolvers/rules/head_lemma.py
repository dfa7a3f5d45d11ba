"""Link mentions whose heads have the same lemma: the common baseline for cross-document coreference.

`scope` limits the links: to a `document`, to the documents of a `topic` or `subtopic`, to those of a topic `predicted`
from their words, or to the whole `corpus`. For all scopes except `document`, entities have the same ids in all
documents (`shared_ids`), and all documents are kept in memory until the last one has been read. A document without a
topic forms its own topic; for a document without a subtopic, the topic is used.

Events and entities are never linked, as in ECB+. The lemma is taken from the lemma column; if it is missing, English
endings are stripped (`stems`). The head is that of the mention or the tree, or otherwise a guess (`head_word`).
Pronouns stay singletons, because their lemmas are not informative. Detected mentions are all nouns and names that are
not part of a longer name or compound; they are kept only if they corefer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ...document import Document, Entity, Kind, Mention
from ...document.heads import Trees
from ...formats.registry import Option
from ..clusters import add_provenance
from ..linguistics.languages import language_of
from ..linguistics.noun_phrases import detect_phrases
from ..linguistics.stems import lemma
from ..linguistics.word_classes import has_classes, head_word, is_pronominal, word_class
from ..resolver import MissingLayerError, Resolver, Step, display_name

NAME = "head-lemma"
SCOPES = ("document", "topic", "subtopic", "predicted", "corpus")
Key = tuple[object, ...]
Keyed = list[tuple[Key, Kind, Mention]]


class HeadLemma:
    """The step: it resolves single documents, or all documents of a collection together."""

    def __init__(self, scope: str, *, given: bool) -> None:
        self.scope = scope
        self.collects = scope != "document"
        self.given = given

    def __call__(self, doc: Document) -> Document:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Document], *, batch_size: int = 1) -> Iterator[Document]:
        if self.collects:
            yield from self._resolve(list(docs))
        else:
            for doc in docs:
                yield from self._resolve([doc])

    def _resolve(self, docs: list[Document]) -> Iterator[Document]:
        places = self._places(docs)
        keyed = [self._key_mentions(doc, number, places[number]) for number, doc in enumerate(docs)]
        sizes = Counter(key for mentions in keyed for key, _, _ in mentions)
        names: dict[Key, str] = {}
        for doc, mentions in zip(docs, keyed, strict=True):
            groups: dict[Key, tuple[Kind, list[Mention]]] = {}
            for key, kind, mention in mentions:
                if self.given or sizes[key] > 1:
                    groups.setdefault(key, (kind, []))[1].append(add_provenance(mention, NAME))
            entities = tuple(
                Entity(names.setdefault(key, f"e{len(names) + 1}"), tuple(members), kind=kind)
                for key, (kind, members) in groups.items()
            )
            yield doc.replace(entities=entities, bridges=(), split_antecedents=(), shared_ids=self.collects)

    def _places(self, docs: list[Document]) -> list[Key]:
        """Return a key for each document; only mentions of documents with equal keys are linked."""
        if self.scope != "predicted":
            return [_place(doc, number, self.scope) for number, doc in enumerate(docs)]
        from ..cross.topics import find_topics

        return [("topic", topic) for topic in find_topics(docs, "predicted").tolist()]

    def _key_mentions(self, doc: Document, number: int, where: Key) -> Keyed:
        """Return the mentions in reading order with the key and the kind of their entity."""
        trees, language = Trees(doc), language_of(doc)
        keyed: Keyed = []
        for place, (mention, kind) in enumerate(_read_mentions(doc) if self.given else _detect_mentions(doc)):
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


def _read_mentions(doc: Document) -> Iterator[tuple[Mention, Kind]]:
    for mention, entity in doc.mentions():
        yield mention, entity.kind


def _detect_mentions(doc: Document) -> Iterator[tuple[Mention, Kind]]:
    if len(doc.tokens) and not has_classes(doc):
        raise MissingLayerError(
            f"{display_name(doc)}: no part-of-speech tags, which {NAME} needs to find mentions; parse the text first, "
            f"as in 'spacy(MODEL) + {NAME}' (see coindex resolvers), or use the input's mentions with --mentions given"
        )
    for phrase in sorted(detect_phrases(doc), key=lambda phrase: phrase.mention.start):
        if word_class(doc.tokens[phrase.head]) in ("NOUN", "PROPN"):
            yield phrase.mention, "entity"


def make(*, mentions: str, scope: str = "document") -> Step:
    """Return the step for one of `SCOPES`."""
    return HeadLemma(scope, given=mentions == "given")


RESOLVER = Resolver(
    name=NAME,
    kind="rules",
    summary="links mentions whose heads have the same lemma, within a document, a topic or a corpus",
    make=make,
    source="a common baseline of work on ECB+; the details are ours",
    options=(Option("scope", SCOPES, "where mentions with the same lemma are linked"),),
    collects=True,
)
