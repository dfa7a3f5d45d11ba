"""The spaCy component: `nlp.add_pipe("coindex")`.

It sets `doc._.coref_clusters` (character offsets, as in fastcoref), `doc._.resolved_text` and
`doc.spans["coref_clusters_1"]`, … (as in spaCy's own component). spaCy finds it through an entry point, so coindex need
not be imported.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup, Token

from ..arguments import check_load_options
from ..corpora.resolving import ResolveSettings
from ..document import Document, Entity
from ..document.entities import BY, SCORE
from ..errors import CoindexError, use_caller
from ..resolvers.parsers.spacy import SpacyText, make_unconverted_warning, scheme_of
from ..text.language_names import language_code

Clusters = list[list[tuple[int, int]]]
CLUSTERS = "coindex.clusters"
"""The key of the clusters in `doc.user_data`, which is pickled and stored with a document."""
SCORES = "coindex.scores"
"""The key of the scores of their mentions."""
CONFIG: dict[str, Any] = {
    "resolver": None,
    "language": None,
    "mentions": None,
    "singletons": False,
    "keep_entities": False,
    "parser": None,
    "min_link": None,
    "zeros": None,
    "prefix": "coref_clusters",
}


# The component checks the types itself, since its messages name the setting and the expected value.
@Language.factory(
    "coindex", default_config=CONFIG, assigns=["doc._.coref_clusters", "doc._.resolved_text", "doc.spans"]
)
def make_component(
    nlp: Language,
    name: str,
    resolver: Any,
    language: Any,
    mentions: Any,
    singletons: Any,
    keep_entities: Any,
    parser: Any,
    min_link: Any,
    zeros: Any,
    prefix: Any,
) -> Component:
    """Create the component; spaCy calls this with its settings."""
    return Component(
        resolver=resolver,
        language=language,
        mentions=mentions,
        singletons=singletons,
        keep_entities=keep_entities,
        parser=parser,
        min_link=min_link,
        zeros=zeros,
        prefix=prefix,
    )


class Component:
    """A resolver in a spaCy pipeline.

    The settings are the options of `coindex.load`, with these differences:

    - `resolver`: if None, one is chosen for each text.
    - `mentions`: the key of a span group in `doc.spans` whose spans are the mentions; by default they are detected.
    - `singletons`: False by default.
    - `keep_entities`: start with the entities in `doc._.coref_clusters`.
    - `zeros`: cannot be "predict", since no word can be added to a spaCy document.
    - `prefix`: the prefix of the keys in `doc.spans`.
    """

    def __init__(
        self,
        *,
        resolver: str | None = None,
        language: str | None = None,
        mentions: str | None = None,
        singletons: bool = False,
        keep_entities: bool = False,
        parser: str | None = None,
        min_link: float | None = None,
        zeros: str | None = None,
        prefix: str = "coref_clusters",
    ) -> None:
        options: dict[str, Any] = {
            "keep_entities": keep_entities,
            "language": language,
            "parser": parser,
            "min_link": min_link,
            "zeros": zeros,
            "mentions": "detected" if mentions is None else "given",
        }
        with _name_config_in_errors():
            check_load_options(name=resolver, singletons=singletons, keep_words=True, **options)
            _check_own(mentions, singletons, zeros, prefix)
            self.mentions = mentions
            self.singletons = singletons
            self.prefix = prefix
            self.language = language_code(language)
            self.settings = ResolveSettings(
                resolver=resolver, singletons=True if singletons else None, keep_words=True, **options
            )
            if resolver is not None:
                self.settings.chain()  # reports a wrong name or option now
            elif given := [name for name in ("min_link", "zeros", "keep_entities") if options[name]]:
                raise CoindexError(
                    f"{given[0]}: needs a resolver that has this option; name one in the setting 'resolver'",
                    code="invalid-option",
                )

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], *, batch_size: int = 32) -> Iterator[Doc]:
        """Resolve spaCy documents in batches, and yield them in order with their clusters."""
        stream = iter(docs)
        while batch := list(islice(stream, batch_size)):
            with use_caller("spacy"):
                self._resolve(batch)
            yield from batch

    def _resolve(self, batch: list[Doc]) -> None:
        texts = [self._text(doc) for doc in batch]
        chosen = [self.settings.choose_for(text.document) for text in texts]
        for settings in dict.fromkeys(chosen):
            own = [text for text, choice in zip(texts, chosen, strict=True) if choice == settings]
            resolved = settings.chain().pipe([text.document for text in own], batch_size=len(batch))
            for text, document in zip(own, resolved, strict=True):
                self._annotate(text, document)

    def _text(self, doc: Doc) -> SpacyText:
        scheme = scheme_of({token.dep_ for token in doc}, doc.lang_)
        if scheme == "other":
            warnings.warn(make_unconverted_warning(doc.lang_), stacklevel=2)
        text = SpacyText(doc, scheme, self.language)
        if self.settings.keep_entities:
            text = text.with_clusters(doc._.coref_clusters)
        return text if self.mentions is None else text.with_mentions(self._get_mentions(doc))

    def _get_mentions(self, doc: Doc) -> list[tuple[int, int]]:
        if self.mentions not in doc.spans:
            raise CoindexError(
                f"no spans {self.mentions!r} in the document (it has: {', '.join(doc.spans) or 'none'}); add a "
                "component that finds mentions before coindex, or remove the setting 'mentions'",
                code="missing-layer",
            )
        return [(span.start_char, span.end_char) for span in doc.spans[self.mentions]]

    def _annotate(self, text: SpacyText, resolved: Document) -> None:
        doc = text.doc
        for key in [key for key in doc.spans if key.removeprefix(f"{self.prefix}_").isdecimal()]:
            del doc.spans[key]  # from an earlier run
        entities = [entity for entity in resolved.entities if self.singletons or not entity.is_singleton]
        clusters: Clusters = []
        for number, entity in enumerate(entities, 1):
            spans = [text.span(mention) for mention in entity.mentions]
            key = f"{self.prefix}_{number}"
            doc.spans[key] = SpanGroup(doc, name=key, attrs=_provenance(entity), spans=spans)
            clusters.append([(span.start_char, span.end_char) for span in spans])
        doc._.coref_clusters = clusters
        doc.user_data[SCORES] = [[mention.score for mention in entity.mentions] for entity in entities]


@contextmanager
def _name_config_in_errors() -> Iterator[None]:
    """Add the config of the component to errors."""
    place = 'nlp.add_pipe("coindex", config={…})'
    with use_caller("spacy"):
        try:
            yield
        except CoindexError as error:
            raise CoindexError(f"{place}: {error}", code=error.code, details=error.details) from error
        except TypeError as error:
            raise TypeError(f"{place}: {error}") from error


def _check_own(mentions: object, singletons: object, zeros: object, prefix: object) -> None:
    """Check the settings that `load` does not have, or that have another meaning here."""
    if mentions is not None and not isinstance(mentions, str):
        raise TypeError(f"mentions: expected a key in doc.spans (str), not {mentions!r}")
    if not isinstance(prefix, str):
        raise TypeError(f"prefix: expected the prefix of keys in doc.spans (str), not {prefix!r}")
    if not isinstance(singletons, bool):
        raise TypeError(f"singletons: expected True or False, not {singletons!r}")
    if zeros == "predict":
        raise CoindexError(
            "zeros: 'predict' would add words, which is impossible in a spaCy document; use 'given' or 'ignore'",
            code="invalid-option",
        )


def _provenance(entity: Entity) -> dict[str, Any]:
    """Return what linked each mention (`by`) and with which probability (`score`), if the resolver provides it."""
    attributes: dict[str, Any] = {
        BY: [mention.attributes.get(BY, "") for mention in entity.mentions],
        SCORE: [mention.score for mention in entity.mentions],
    }
    return {key: values for key, values in attributes.items() if any(value not in ("", None) for value in values)}


def get_clusters(doc: Doc) -> Clusters:
    """Return the entities as lists of character offsets, which are tuples even after serialization."""
    return [[(start, end) for start, end in cluster] for cluster in doc.user_data.get(CLUSTERS, [])]


def set_clusters(doc: Doc, clusters: Clusters) -> None:
    """Store the entities."""
    doc.user_data[CLUSTERS] = clusters


def resolved_text(doc: Doc) -> str:
    """Return the text with pronouns and other anaphors replaced by names."""
    from ..render.resolved_text import resolved_text as resolve_text

    text = SpacyText(doc, scheme_of({token.dep_ for token in doc}, doc.lang_))
    return resolve_text(text.with_clusters(doc._.coref_clusters).document)


def clusters_of(token: Token) -> list[int]:
    """Return the numbers, from 0, of the clusters with a mention that contains the token."""
    start, end = token.idx, token.idx + len(token)
    clusters: Clusters = token.doc._.coref_clusters
    return [
        number
        for number, cluster in enumerate(clusters)
        if any(first <= start and end <= last for first, last in cluster)
    ]


def cluster_of(span: Span) -> int | None:
    """Return the number, from 0, of the cluster that has the span as a mention."""
    place = (span.start_char, span.end_char)
    clusters: Clusters = span.doc._.coref_clusters
    return next((number for number, cluster in enumerate(clusters) if place in cluster), None)


def score_of(span: Span) -> float | None:
    """Return the probability that the span belongs to its cluster; None if it is no mention or has no probability."""
    place, scores = (span.start_char, span.end_char), span.doc.user_data.get(SCORES, [])
    for cluster, own in zip(span.doc._.coref_clusters, scores, strict=False):  # another package may set clusters
        if place in cluster and len(own) == len(cluster):
            score: float | None = own[cluster.index(place)]
            return score
    return None


def convert(doc: Doc, *, id: str | None = None, language: str | None = None) -> Document:
    """Convert a spaCy document: see `coindex.from_spacy`."""
    text = SpacyText(doc, scheme_of({token.dep_ for token in doc}, doc.lang_), language_code(language))
    return text.with_clusters(doc._.coref_clusters).document.replace(id=id)


def _extend() -> None:
    """Register the attributes under `._.`, except those that another package has registered."""
    if not Doc.has_extension("coref_clusters"):
        Doc.set_extension("coref_clusters", getter=get_clusters, setter=set_clusters)
    if not Doc.has_extension("resolved_text"):
        Doc.set_extension("resolved_text", getter=resolved_text)
    if not Token.has_extension("coref_clusters"):
        Token.set_extension("coref_clusters", getter=clusters_of)
    if not Span.has_extension("coref_cluster"):
        Span.set_extension("coref_cluster", getter=cluster_of)
    if not Span.has_extension("coref_score"):
        Span.set_extension("coref_score", getter=score_of)


_extend()
