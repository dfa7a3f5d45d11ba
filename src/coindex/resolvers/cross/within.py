"""Mentions and entities within each document, before documents are compared.

Given mentions are used as they are, and a resolver can link the entities among them. If mentions are detected and there
is a trained tagger, its mentions of both kinds are used, and a resolver, if one is chosen, links the entities among
them. Without a tagger, a resolver detects entities, and events are found by rules: an entity with an event word as head
becomes an event, and so does every other event word.

Event words are verbs except auxiliaries, by their tags. Without tags, they are found in English by word lists and
endings: *-ed*, *-ing* without an article, irregular forms, and a list of nouns (*the attack*). Since many nouns denote
events, this finds only a part of all events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np

from ...document import Document, Kind, Mention
from ...document.entities import DETECTION
from ...document.heads import Trees
from ...engines import Workers, map_documents
from ...errors import CoindexError
from ..chain import Chain, load_chain
from ..clusters import with_clusters
from ..defaults import choose
from ..linguistics.languages import language_of
from ..linguistics.stems import IRREGULAR, stem
from ..linguistics.word_classes import AUXILIARIES, DETERMINERS, POSSESSIVES, VERBS, has_classes, head_word, word_class
from ..neural.windows import Batch
from ..neural.words import Floats, Pieces
from ..resolver import Mentions
from .model import (
    LOWER,
    LOWER_OUTPUTS,
    TAG_INPUTS,
    TAG_OUTPUTS,
    TAGS,
    CrossModel,
    KindTags,
    Text,
    Windows,
    group_by_length,
    open_model,
    read_text,
    text_windows,
    window_batch,
)

BATCH = 32
"""Number of documents whose windows are batched together."""


class WordScorer(Protocol):
    """Scores the tags of the words of a batch."""

    def __call__(self, batch: Batch) -> Floats:
        """Return the scores [words, tags]; the tags of all kinds are concatenated."""
        ...


class GraphTags:
    """Scores tags with the graphs of a model."""

    def __init__(self, model: CrossModel) -> None:
        self._sessions = model.sessions

    def __call__(self, batch: Batch) -> Floats:
        (states,) = self._sessions.run(LOWER, LOWER_OUTPUTS, {"ids": batch.ids, "mask": batch.mask})
        values = {name: states if name == "states" else getattr(batch, name) for name in TAG_INPUTS}
        scores: Floats = self._sessions.run(TAGS, TAG_OUTPUTS, values)[0]
        return scores


class Tagger:
    """Documents with the mentions that are found, each an entity of its own.

    Sentences that a document marks as context alone (see `document.validated`) are read, but nothing is found in them.
    """

    def __init__(
        self,
        scorer: WordScorer,
        pieces: Pieces,
        tags: Mapping[Kind, KindTags],
        *,
        windows: Windows,
        limit: int,
        folder: Path | None = None,
    ) -> None:
        self.folder = folder
        self.scorer = scorer
        self.pieces = pieces
        self.tags = tags
        self.windows = windows
        self.limit = limit

    def __reduce__(self) -> tuple[Callable[[Path], Tagger], tuple[Path]]:
        if self.folder is None:
            raise TypeError("a tagger that is not from a folder cannot be sent to another process")
        return load_tagger, (self.folder,)

    def with_tags(self, tags: Mapping[Kind, KindTags]) -> Tagger:
        """Return the tagger with other biases."""
        return Tagger(self.scorer, self.pieces, tags, windows=self.windows, limit=self.limit)

    def __call__(self, doc: Document) -> Document:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Document], *, batch_size: int = BATCH) -> Iterator[Document]:
        """Yield the documents in order; batching does not change the mentions, up to rounding."""
        stream = iter(docs)
        while batch := list(islice(stream, batch_size)):
            for doc, (text, scores) in zip(batch, self.scores(batch), strict=True):
                yield self.decode(doc, text, scores)

    def scores(self, docs: Sequence[Document]) -> list[tuple[Text, Floats]]:
        """Return each document as a text with the log probabilities of the tags of its words."""
        texts = [read_text(doc, self.pieces, self.windows, self.limit, validated=True) for doc in docs]
        outputs = sum(tag.outputs for tag in self.tags.values())
        scored = [np.zeros((len(text.words), outputs), dtype=np.float32) for text in texts]
        for group in group_by_length(text_windows(texts)):
            scores = self.scorer(window_batch(texts, group, self.pieces))
            at = 0
            for window in group:
                start, end = window.span
                scored[window.text][start:end] = scores[at : at + end - start]
                at += end - start
        return [(text, self._normalise(own)) for text, own in zip(texts, scored, strict=True)]

    def _normalise(self, scores: Floats) -> Floats:
        """Return log probabilities, normalized for each kind."""
        parts = []
        for part in self._by_kind(scores).values():
            shifted = part - part.max(axis=1, keepdims=True, initial=0)
            parts.append(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
        return np.concatenate(parts, axis=1)

    def _by_kind(self, scores: Floats) -> dict[Kind, Floats]:
        borders = np.cumsum([tag.outputs for tag in self.tags.values()])[:-1]
        return dict(zip(self.tags, np.split(scores, borders, axis=1), strict=True))

    def decode(self, doc: Document, text: Text, scores: Floats) -> Document:
        """Return the document with the mentions that the scores give."""
        words = text.words
        mentions: list[list[Mention]] = []
        kinds: list[Kind] = []
        for kind, own in self._by_kind(scores).items():
            for span in self.tags[kind].decode(own, text.sentences):
                positions = tuple(words.positions[span.start : span.end])
                mentions.append([Mention(doc.tokens, positions, None, {DETECTION: f"{span.probability:.4f}"})])
                kinds.append(kind)
        return with_clusters(doc, mentions, kinds=kinds)


def load_tagger(folder: str | Path, *, threads: int = 0) -> Tagger:
    """Return the tagger of a model folder."""
    model = open_model(folder, threads=threads)
    return Tagger(
        GraphTags(model),
        model.pieces,
        model.tags,
        windows=model.windows,
        limit=model.limit,
        folder=model.folder.resolve(),
    )


_NOUNS = """
accident acquisition arrest assault assassination attack award battle birth blast bombing bid campaign ceremony charge
clash collapse collision concert conference conflict confession construction conviction coup crash crime crisis death
deal debate debut defeat delay demonstration departure discovery dispute drought earthquake election eruption escape
eviction evacuation event execution explosion festival fight fire flood funeral game genocide hearing homicide hurricane
hunt injury inquiry invasion investigation journey kidnapping killing landslide launch lawsuit loss marriage massacre
match meeting merger mission murder negotiation nomination operation outbreak outage parade performance poll protest
purchase quake raid rally rape referendum release rescue resignation retirement revolution riot robbery sale scandal
search sentence shooting siege speech storm strike suicide summit surgery takeover talks theft thunderstorm tornado
tournament tragedy transaction trial trip tsunami verdict victory violence visit vote war wedding win withdrawal wreck
"""
NOUNS = frozenset(stem(word) for word in _NOUNS.split())
BASES = frozenset(IRREGULAR.values()) - {
    "be",
    "have",
    "do",
    "man",
    "woman",
    "child",
    "person",
    "foot",
    "tooth",
    "mouse",
}
NO_VERBS = frozenset(
    stem(word)
    for word in "life wife knife leaf thing morning evening king ring spring hundred red bed need".split()  # noqa: SIM905 - a list of words
)
BEFORE_NOUNS = DETERMINERS | POSSESSIVES


def find_events(doc: Document) -> Iterator[int]:
    """Yield the positions of event words in order."""
    if has_classes(doc):
        for position, token in enumerate(doc.tokens):
            kind = word_class(token)
            if kind == "VERB" or (kind == "NOUN" and stem(token.form) in NOUNS):
                yield position
    elif language_of(doc).code in ("", "en"):
        yield from _english(doc)


def _english(doc: Document) -> Iterator[int]:
    forms = doc.tokens.forms
    for position, form in enumerate(forms):
        if not form.isalpha():
            continue
        word = form.lower()
        base = stem(word)
        if base in NOUNS:
            yield position
        elif word not in AUXILIARIES and base not in NO_VERBS and not (form[:1].isupper() and position):
            before = forms[position - 1].lower() if position else ""
            irregular = IRREGULAR.get(word) in BASES or word in VERBS
            regular = len(word) > 4 and base != word and word.endswith(("ed", "ing"))
            if (irregular or regular) and before not in BEFORE_NOUNS:
                yield position


AUTO, NONE = "auto", "none"
Clusters = list[tuple[list[Mention], Kind]]


def add_entities(
    docs: Iterable[Document],
    resolver: str,
    *,
    given: bool,
    tagger: Tagger | None = None,
    workers: Workers | int = 1,
) -> Iterator[Document]:
    """Yield the documents with mentions and entities of a resolver: a name, `auto` for a suitable one, or `none`.

    `auto` does not link given mentions, nor those of a tagger, because the scores of pairs across documents are more
    reliable than the entities of another annotation scheme.
    """
    if given and resolver in (AUTO, NONE):
        yield from docs
        return
    if not given and resolver == NONE and tagger is None:
        raise CoindexError(
            "chains=none needs given mentions, because entity mentions are detected by the resolver that chains names; "
            "omit the option, or use the mentions of the input with --mentions given",
            code="invalid-option",
        )
    add = partial(_add_entities, resolver=resolver, given=given, tagger=None if given else tagger)
    for batch in map_documents(add, _batches(docs), workers):
        yield from batch


def _batches(docs: Iterable[Document]) -> Iterator[list[Document]]:
    stream = iter(docs)
    while batch := list(islice(stream, BATCH)):
        yield batch


def _add_entities(docs: list[Document], resolver: str, *, given: bool, tagger: Tagger | None) -> list[Document]:
    if tagger is not None:
        tagged = tagger.pipe(docs)
        return list(tagged) if resolver in (AUTO, NONE) else [_join_tagged(doc, resolver) for doc in tagged]
    return [_link_given(doc, resolver) if given else _detect_entities(doc, resolver) for doc in docs]


def _link_given(doc: Document, resolver: str) -> Document:
    """Link the given entity mentions; events stay singletons."""
    events: Clusters = [(list(e.mentions), e.kind) for e in doc.entities if e.kind == "event"]
    rest = doc.replace(entities=tuple(entity for entity in doc.entities if entity.kind != "event"))
    resolved = _load_chain(resolver, "given", None)(rest)
    return _assemble(doc, [*((list(e.mentions), e.kind) for e in resolved.entities), *events])


def _join_tagged(doc: Document, resolver: str) -> Document:
    """Join the entities of a tagger whose spans or heads a resolver puts into the same entity."""
    if not len(doc.tokens):
        return doc
    resolved = _load_chain(resolver, "detected", None)(doc.replace(entities=()))
    trees = Trees(doc)
    entity_of: dict[tuple[int, ...] | int, str] = {}
    for mention, entity in resolved.mentions():
        entity_of.setdefault(mention.positions, entity.id)
        entity_of.setdefault(head_word(mention, trees), entity.id)
    clusters: dict[tuple[str, str], tuple[list[Mention], Kind]] = {}
    for mention, entity in doc.mentions():
        entity_id = entity_of.get(mention.positions) or entity_of.get(head_word(mention, trees))
        name = ("alone", entity.id) if entity.kind == "event" or entity_id is None else ("chain", entity_id)
        clusters.setdefault(name, ([], entity.kind))[0].append(mention)
    return _assemble(doc, list(clusters.values()))


def _detect_entities(doc: Document, resolver: str) -> Document:
    if not len(doc.tokens):
        return doc.replace(entities=())
    name, language = choose(doc) if resolver == AUTO else (resolver, None)
    resolved = _load_chain(name, "detected", language)(doc)
    events = set(find_events(doc))
    trees = Trees(doc)
    clusters: Clusters = []
    for entity in resolved.entities:
        heads = [head_word(mention, trees) for mention in entity.mentions]
        is_event = any(head in events for head in heads)
        clusters.append((list(entity.mentions), "event" if is_event else "entity"))
        events.difference_update(heads)
    clusters += [([doc.mention([at], head=at)], "event") for at in sorted(events)]
    return _assemble(doc, clusters)


def _assemble(doc: Document, clusters: Clusters) -> Document:
    return with_clusters(doc, (mentions for mentions, _ in clusters), kinds=(kind for _, kind in clusters))


@lru_cache(maxsize=4)
def _load_chain(name: str, mentions: str, language: str | None) -> Chain:
    how: Mentions = "given" if mentions == "given" else "detected"
    chain = load_chain(name, mentions=how, language=language, keep_words=True)
    if chain.collects:
        raise CoindexError(
            f"chains: {name} resolves several documents together; choose a resolver for single documents, or use "
            f"{name} without cross",
            code="invalid-chain",
        )
    return chain
