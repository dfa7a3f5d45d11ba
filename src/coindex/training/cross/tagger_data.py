"""Training examples of the tagger: documents of a corpus with topics, windows, what the frozen layers make of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...document import Document, Entity, Kind, Span
from ...errors import CoindexError
from ...resolvers.cross.tags import KindTags
from ...resolvers.cross.windows import Text, Window, read_text, text_windows
from ...resolvers.neural.detection import NO_TARGET
from ...resolvers.neural.words import Ints, Pieces, in_reading_order, word_span
from ...settings import ConfigError
from ..run import Reader
from .config import CorpusConfig, TaggerConfig

OTHER = "other"
"""The type of mentions whose own is rare."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Texts with the tags that their words should get, of all kinds, and the windows that they are cut into."""

    texts: list[Text]
    targets: list[Ints]  # of each text [words, kinds]; NO_TARGET in sentences that are context
    windows: list[Window]


def read_topics(corpus: CorpusConfig, read: Reader) -> tuple[list[Document], list[Document]]:
    """The documents of the training topics and of the development topics."""
    docs = list(read(corpus.path, **({"sentences": corpus.sentences} if corpus.sentences else {})))
    there = {doc.topic for doc in docs}
    for name, topics in (("train", corpus.train), ("dev", corpus.dev)):
        lacking = [topic for topic in topics if topic not in there]
        if lacking:
            raise ConfigError(
                f"corpus: no document of topic {lacking[0]!r} in {corpus.path}; expected one for each topic of {name}; "
                "mend the list"
            )
    train, dev = ([doc for doc in docs if doc.topic in topics] for topics in (corpus.train, corpus.dev))
    if not any(doc.entities for doc in train):
        raise CoindexError(
            "no mentions in the training topics; expected a corpus with coreference",
            code="no-entities",
            path=corpus.path,
        )
    return train, dev


def make_tags(docs: Iterable[Document], config: TaggerConfig) -> dict[Kind, KindTags]:
    """The tags for the mentions of training documents; a kind that they lack is refused."""
    counts: dict[Kind, Counter[str]] = {kind: Counter() for kind in config.kinds}
    for doc in docs:
        for entity in doc.entities:
            if entity.kind in counts:
                counts[entity.kind][entity.type or OTHER] += len(entity.mentions)
    tags = {}
    for kind, numbers in counts.items():
        if not numbers:
            raise CoindexError(
                f"no {kind} in the training topics; expected some; leave {kind!r} out of model.kinds, or take another "
                "corpus",
                code="no-entities",
            )
        frequent = sorted(name for name, count in numbers.items() if config.types and count >= config.types)
        types = [*(name for name in frequent if name != OTHER), OTHER]
        is_needed = any(name not in frequent for name in numbers) or OTHER in frequent
        tags[kind] = KindTags(tuple(types if is_needed else types[:-1]))
    return tags


def make_examples(
    docs: Sequence[Document], pieces: Pieces, tags: Mapping[Kind, KindTags], config: TaggerConfig
) -> Examples:
    """The documents as the tagger learns them."""
    texts = [read_text(doc, pieces, config.windows, config.window, validated=True) for doc in docs]
    targets = [_targets(doc, text, tags) for doc, text in zip(docs, texts, strict=True)]
    return Examples(texts, targets, text_windows(texts))


def _targets(doc: Document, text: Text, tags: Mapping[Kind, KindTags]) -> Ints:
    columns = []
    for kind, own in tags.items():
        types: dict[Span, str] = {}
        for entity in doc.entities:
            if entity.kind == kind:
                for mention in entity.mentions:
                    span = word_span(mention, text.words)
                    if span is not None:
                        types.setdefault(span, _type(entity, own))
        columns.append(own.targets(((span, types[span]) for span in in_reading_order(types)), len(text.words)))
    whole = np.stack(columns, axis=1)
    learned = np.full_like(whole, NO_TARGET)
    for start, end in text.sentences:
        learned[start:end] = whole[start:end]
    return learned


def _type(entity: Entity, tags: KindTags) -> str:
    return entity.type if entity.type in tags.types else tags.types[-1]


def folds(docs: Sequence[Document], number: int) -> list[tuple[str, ...]]:
    """The topics of documents in so many parts, of about as many documents each; always the same."""
    sizes = Counter(doc.topic or "" for doc in docs)
    parts: list[list[str]] = [[] for _ in range(number)]
    loads = [0] * number
    for topic, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        at = loads.index(min(loads))
        parts[at].append(topic)
        loads[at] += size
    return [tuple(part) for part in parts if part]
