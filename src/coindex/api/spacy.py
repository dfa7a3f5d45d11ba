"""The spaCy component: `nlp.add_pipe("coindex")`.

It fills `doc._.coref_clusters` (character offsets, as fastcoref has them), `doc._.resolved_text` and
`doc.spans["coref_clusters_1"]` … (as spaCy's own component has them). spaCy finds it by an entry point; nothing of
coindex need be imported.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from itertools import islice

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup, Token

from ..document import Document, Entity
from ..errors import CoindexError, CoindexWarning
from ..resolvers.parsers.labels import scheme_of
from ..resolvers.parsers.spacy import unconverted
from ..resolvers.parsers.spacy_document import SpacyText
from .resolving import ResolveSettings

Clusters = list[list[tuple[int, int]]]
CLUSTERS = "coindex.clusters"
"""Where the clusters are kept in `doc.user_data`, which goes with a document to other processes and to disk."""
CONFIG = {"resolver": None, "language": None, "mentions": None, "singletons": False, "prefix": "coref_clusters"}


@Language.factory(
    "coindex", default_config=CONFIG, assigns=["doc._.coref_clusters", "doc._.resolved_text", "doc.spans"]
)
def make_component(
    nlp: Language,
    name: str,
    resolver: str | None,
    language: str | None,
    mentions: str | None,
    singletons: bool,
    prefix: str,
) -> Component:
    """Called by spaCy with the component's settings."""
    return Component(resolver=resolver, language=language, mentions=mentions, singletons=singletons, prefix=prefix)


class Component:
    """A resolver, or the one that fits the text, in a spaCy pipeline.

    `mentions` is the key of the span group whose spans are the mentions; without it they are found. Entities of one
    mention are left out unless `singletons` is true. `prefix` is the beginning of the keys in `doc.spans`.
    """

    def __init__(
        self,
        *,
        resolver: str | None = None,
        language: str | None = None,
        mentions: str | None = None,
        singletons: bool = False,
        prefix: str = "coref_clusters",
    ) -> None:
        self.mentions = mentions
        self.singletons = singletons
        self.prefix = prefix
        self.language = language
        self.settings = ResolveSettings(
            resolver=resolver,
            language=language,
            mentions="detected" if mentions is None else "given",
            keep_words=True,
        )
        if resolver is not None:
            self.settings.chain()  # what is wrong with its name or options is said now

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], *, batch_size: int = 32) -> Iterator[Doc]:
        stream = iter(docs)
        while batch := list(islice(stream, batch_size)):
            texts = [self._text(doc) for doc in batch]
            settings = [self.settings.chosen_for(text.document) for text in texts]
            resolved = {
                way: way.chain().pipe(
                    [text.document for text, its in zip(texts, settings, strict=True) if its == way],
                    batch_size=batch_size,
                )
                for way in dict.fromkeys(settings)
            }
            for text, way in zip(texts, settings, strict=True):
                self._annotate(text, next(resolved[way]))
                yield text.doc

    def _text(self, doc: Doc) -> SpacyText:
        scheme = scheme_of({token.dep_ for token in doc}, doc.lang_)
        if scheme == "other":
            warnings.warn(unconverted(doc.lang_), CoindexWarning, stacklevel=2)
        text = SpacyText(doc, scheme, self.language)
        return text if self.mentions is None else text.with_mentions(self._given(doc))

    def _given(self, doc: Doc) -> list[tuple[int, int]]:
        if self.mentions not in doc.spans:
            raise CoindexError(
                f"no spans {self.mentions!r} in the document (it has: {', '.join(doc.spans) or 'none'}); expected the "
                "mentions there; add a component that finds them before coindex, or leave out the setting 'mentions'"
            )
        return [(span.start_char, span.end_char) for span in doc.spans[self.mentions]]

    def _annotate(self, text: SpacyText, resolved: Document) -> None:
        doc = text.doc
        for key in [key for key in doc.spans if key.removeprefix(f"{self.prefix}_").isdecimal()]:
            del doc.spans[key]  # of a run before
        entities = [entity for entity in resolved.entities if self.singletons or not entity.is_singleton]
        clusters: Clusters = []
        for number, entity in enumerate(entities, 1):
            spans = [text.span(mention) for mention in entity.mentions]
            key = f"{self.prefix}_{number}"
            doc.spans[key] = SpanGroup(doc, name=key, attrs=_provenance(entity), spans=spans)
            clusters.append([(span.start_char, span.end_char) for span in spans])
        doc._.coref_clusters = clusters


def _provenance(entity: Entity) -> dict[str, list[str]]:
    """What put each mention into its entity, and how sure it was, where the resolver says so."""
    found = {key: [mention.attributes.get(key, "") for mention in entity.mentions] for key in ("by", "score")}
    return {key: values for key, values in found.items() if any(values)}


def get_clusters(doc: Doc) -> Clusters:
    """The entities as lists of character offsets; pairs also after a way through bytes, which makes lists of them."""
    return [[(start, end) for start, end in cluster] for cluster in doc.user_data.get(CLUSTERS, [])]


def set_clusters(doc: Doc, clusters: Clusters) -> None:
    doc.user_data[CLUSTERS] = clusters


def resolved_text(doc: Doc) -> str:
    """The text with pronouns and other anaphors replaced by names, made when it is asked for."""
    from ..document.resolved import resolved_text as resolve_text

    text = SpacyText(doc, scheme_of({token.dep_ for token in doc}, doc.lang_))
    return resolve_text(text.with_clusters(doc._.coref_clusters).document)


def clusters_of(token: Token) -> list[int]:
    """The numbers of the clusters, counted from 0, that have a mention over the token."""
    start, end = token.idx, token.idx + len(token)
    clusters: Clusters = token.doc._.coref_clusters
    return [
        number
        for number, cluster in enumerate(clusters)
        if any(first <= start and end <= last for first, last in cluster)
    ]


def cluster_of(span: Span) -> int | None:
    """The number of the cluster, counted from 0, that has the span for a mention."""
    place = (span.start_char, span.end_char)
    clusters: Clusters = span.doc._.coref_clusters
    return next((number for number, cluster in enumerate(clusters) if place in cluster), None)


def _extend() -> None:
    """The attributes under `._.`; those that another package made first are left to it."""
    if not Doc.has_extension("coref_clusters"):
        Doc.set_extension("coref_clusters", getter=get_clusters, setter=set_clusters)
    if not Doc.has_extension("resolved_text"):
        Doc.set_extension("resolved_text", getter=resolved_text)
    if not Token.has_extension("coref_clusters"):
        Token.set_extension("coref_clusters", getter=clusters_of)
    if not Span.has_extension("coref_cluster"):
        Span.set_extension("coref_cluster", getter=cluster_of)


_extend()
