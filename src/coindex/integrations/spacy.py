"""The spaCy component: `nlp.add_pipe("coindex")`.

It fills `doc._.coref_clusters` (character offsets, as fastcoref has them), `doc._.resolved_text` and
`doc.spans["coref_clusters_1"]` … (as spaCy's own component has them). spaCy finds it by an entry point; nothing of
coindex need be imported.
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
from ..errors import CoindexError, called_from
from ..resolvers.parsers.spacy import SpacyText, scheme_of, unconverted
from ..text.language_names import language_code

Clusters = list[list[tuple[int, int]]]
CLUSTERS = "coindex.clusters"
"""Where the clusters are kept in `doc.user_data`, which goes with a document to other processes and to disk."""
SCORES = "coindex.scores"
"""The same for the scores of their mentions."""
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


# The types are checked by the component itself: its messages name the setting and what it takes.
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
    """Called by spaCy with the component's settings."""
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
    """A resolver, or the one that fits the text, in a spaCy pipeline.

    The settings are the options of `coindex.load`, with these differences: `resolver` is chosen by the text if it is
    None; `mentions` is the key of the span group in `doc.spans` whose spans are the mentions, and without it they are
    found; `singletons` is False by default; `keep_entities` starts with those of `doc._.coref_clusters`; `zeros` cannot
    be "predict", as no word can be added to a spaCy document. `prefix` is the beginning of the keys in `doc.spans`.
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
        with _configured():
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
                self.settings.chain()  # what is wrong with its name or options is reported now
            elif asked := [name for name in ("min_link", "zeros", "keep_entities") if options[name]]:
                raise CoindexError(
                    f"{asked[0]}: needs a resolver that has this option; name one in the setting 'resolver'",
                    code="invalid-option",
                )

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], *, batch_size: int = 32) -> Iterator[Doc]:
        """Resolve spaCy documents in batches, and yield them in order with their clusters."""
        stream = iter(docs)
        while batch := list(islice(stream, batch_size)):
            with called_from("spacy"):
                self._resolve(batch)
            yield from batch

    def _resolve(self, batch: list[Doc]) -> None:
        texts = [self._text(doc) for doc in batch]
        chosen = [self.settings.chosen_for(text.document) for text in texts]
        for settings in dict.fromkeys(chosen):
            own = [text for text, its in zip(texts, chosen, strict=True) if its == settings]
            resolved = settings.chain().pipe([text.document for text in own], batch_size=len(batch))
            for text, document in zip(own, resolved, strict=True):
                self._annotate(text, document)

    def _text(self, doc: Doc) -> SpacyText:
        scheme = scheme_of({token.dep_ for token in doc}, doc.lang_)
        if scheme == "other":
            warnings.warn(unconverted(doc.lang_), stacklevel=2)
        text = SpacyText(doc, scheme, self.language)
        if self.settings.keep_entities:
            text = text.with_clusters(doc._.coref_clusters)
        return text if self.mentions is None else text.with_mentions(self._given(doc))

    def _given(self, doc: Doc) -> list[tuple[int, int]]:
        if self.mentions not in doc.spans:
            raise CoindexError(
                f"no spans {self.mentions!r} in the document (it has: {', '.join(doc.spans) or 'none'}); expected the "
                "mentions there; add a component that finds them before coindex, or leave out the setting 'mentions'",
                code="missing-layer",
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
        doc.user_data[SCORES] = [[mention.score for mention in entity.mentions] for entity in entities]


@contextmanager
def _configured() -> Iterator[None]:
    """Let errors speak of the config of the component."""
    place = 'nlp.add_pipe("coindex", config={…})'
    with called_from("spacy"):
        try:
            yield
        except CoindexError as error:
            raise CoindexError(f"{place}: {error}", code=error.code, details=error.details) from error
        except TypeError as error:
            raise TypeError(f"{place}: {error}") from error


def _check_own(mentions: object, singletons: object, zeros: object, prefix: object) -> None:
    """Refuse settings that are no options of `load`, or that mean something else here."""
    if mentions is not None and not isinstance(mentions, str):
        raise TypeError(f"mentions: expected a key in doc.spans (str), not {mentions!r}")
    if not isinstance(prefix, str):
        raise TypeError(f"prefix: expected the beginning of keys in doc.spans (str), not {prefix!r}")
    if not isinstance(singletons, bool):
        raise TypeError(f"singletons: expected True or False, not {singletons!r}")
    if zeros == "predict":
        raise CoindexError(
            "zeros: 'predict' adds words, which a spaCy document cannot hold; use 'given' or 'ignore'",
            code="invalid-option",
        )


def _provenance(entity: Entity) -> dict[str, Any]:
    """What put each mention into its entity (`by`), and how probable that is (`score`), where the resolver says so."""
    found: dict[str, Any] = {
        BY: [mention.attributes.get(BY, "") for mention in entity.mentions],
        SCORE: [mention.score for mention in entity.mentions],
    }
    return {key: values for key, values in found.items() if any(value not in ("", None) for value in values)}


def get_clusters(doc: Doc) -> Clusters:
    """The entities as lists of character offsets; pairs also after a way through bytes, which makes lists of them."""
    return [[(start, end) for start, end in cluster] for cluster in doc.user_data.get(CLUSTERS, [])]


def set_clusters(doc: Doc, clusters: Clusters) -> None:
    doc.user_data[CLUSTERS] = clusters


def resolved_text(doc: Doc) -> str:
    """The text with pronouns and other anaphors replaced by names, made when it is asked for."""
    from ..render.resolved_text import resolved_text as resolve_text

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


def score_of(span: Span) -> float | None:
    """The probability that the span belongs to its cluster, None where it is no mention or the resolver gives none."""
    place, scores = (span.start_char, span.end_char), span.doc.user_data.get(SCORES, [])
    for cluster, own in zip(span.doc._.coref_clusters, scores, strict=False):  # another package may set clusters
        if place in cluster and len(own) == len(cluster):
            score: float | None = own[cluster.index(place)]
            return score
    return None


def convert(doc: Doc, *, id: str | None = None, language: str | None = None) -> Document:
    """A spaCy document as one of ours: `coindex.from_spacy`."""
    text = SpacyText(doc, scheme_of({token.dep_ for token in doc}, doc.lang_), language_code(language))
    return text.with_clusters(doc._.coref_clusters).document.replace(id=id)


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
    if not Span.has_extension("coref_score"):
        Span.set_extension("coref_score", getter=score_of)


_extend()
