"""Documents to learn from: candidates in arrays, each with its entity in the key; mention styles of corpora."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...document import Document
from ...document.heads import find_heads
from ...resolvers.neural.words import Ints
from ...resolvers.sieves.candidates import MANY, Candidate
from ...resolvers.ud.candidates import Reading, Style, child_key
from ...resolvers.ud.mentions import LabelTable, WordTypes, word_labels, word_types
from ...resolvers.ud.pairs import Described, Pairs, describe_document
from ...settings import ConfigError
from ..run import Reader
from .config import UdCorpusConfig

NONE = -1


@dataclass(frozen=True, slots=True)
class Example:
    """A document as the network learns from it."""

    types: WordTypes
    described: Described
    entity: Ints
    """[candidates]: the number of its entity, NONE for what is no mention."""
    linked: Ints
    """[candidates]: 1 for one of several mentions of an entity."""
    style: int
    singletons: bool

    @property
    def size(self) -> int:
        return len(self.types.of)


def read_corpus(corpus: UdCorpusConfig, read: Reader) -> tuple[list[Document], list[Document]]:
    """Return the training and development documents, with heads and language."""
    train = _documents(corpus, corpus.train, read)
    if corpus.split:
        if len(train) <= corpus.split:
            raise ConfigError(
                f"corpus {corpus.name}: split is {corpus.split}, but there are only {len(train)} documents; use a "
                "smaller number"
            )
        return train[: corpus.split], train[corpus.split :]
    return train, _documents(corpus, corpus.dev, read)


def _documents(corpus: UdCorpusConfig, path: str | None, read: Reader) -> list[Document]:
    if path is None:
        return []
    return [find_heads(doc.replace(language=doc.language or corpus.language)) for doc in read(Path(path))]


def make_table(readings: Iterable[Reading], least: int) -> LabelTable:
    """Return the labels that are frequent enough among the words of the training documents."""
    counts: Counter[str] = Counter()
    for reading in readings:
        for position in range(reading.words.size):
            counts.update(word_labels(reading.words, position))
    return LabelTable.of(sorted(label for label, count in counts.items() if count >= least))


def make_example(reading: Reading, table: LabelTable, style: int, *, singletons: bool) -> Example:
    """Convert a document with its key."""
    entity, linked = targets(reading)
    return Example(
        types=word_types(reading.words, table),
        described=describe_document(reading),
        entity=entity,
        linked=linked,
        style=style,
        singletons=singletons,
    )


def targets(reading: Reading) -> tuple[Ints, Ints]:
    """Return the entity of each candidate, and whether it has several mentions; other mentions are not trained on."""
    candidates = reading.candidates
    by_span: dict[tuple[int, int, int], Candidate] = {}
    by_head: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        by_span.setdefault((candidate.start, candidate.end, candidate.head), candidate)
        by_head.setdefault(candidate.head, []).append(candidate)
    entity = np.full(len(candidates), NONE, dtype=np.int64)
    linked = np.zeros(len(candidates), dtype=np.int64)
    for number, owner in enumerate(reading.doc.entities):
        for mention in owner.mentions:
            head = mention.start if mention.head is None else mention.head
            exact = by_span.get((mention.start, mention.end, head))
            free = [candidate for candidate in by_head.get(head, ()) if entity[candidate.index] == NONE]
            if exact is not None and entity[exact.index] == NONE:
                target = exact
            elif free:
                target = min(free, key=lambda candidate: (candidate.whole, -(candidate.end - candidate.start)))
            else:
                continue
            entity[target.index] = number
            linked[target.index] = len(owner.mentions) > 1
    return entity, linked


def _join_types(each: Sequence[WordTypes]) -> WordTypes:
    size = sum(map(len, each))
    shifts = np.cumsum([0, *map(len, each)]).tolist()

    def join_shifted(name: str) -> Ints:
        rows = [
            np.where(getattr(types, name) == len(types), size, getattr(types, name) + shift)
            for types, shift in zip(each, shifts, strict=False)
        ]
        return np.concatenate(rows)

    firsts = np.cumsum([0, *(len(types.labels) for types in each)]).tolist()
    return WordTypes(
        np.concatenate([types.of + first for types, first in zip(each, firsts, strict=False)]),
        np.concatenate([types.labels for types in each]),
        *(join_shifted(name) for name in ("before", "after", "parent")),
    )


def join_examples(examples: Sequence[Example]) -> Example:
    """Join several documents to one, without pairs between them."""
    if len(examples) == 1:
        return examples[0]
    words = np.cumsum([0, *(example.size for example in examples)]).tolist()
    mentions = np.cumsum([0, *(len(example.described) for example in examples)]).tolist()
    entities = np.cumsum([0, *(int(example.entity.max(initial=0)) + 1 for example in examples)]).tolist()
    each = [example.described for example in examples]
    return Example(
        types=_join_types([example.types for example in examples]),
        described=Described(
            columns={name: np.concatenate([part.columns[name] for part in each]) for name in each[0].columns},
            head=np.concatenate([part.head + shift for part, shift in zip(each, words, strict=False)]),
            parent=np.concatenate([part.parent + shift for part, shift in zip(each, words, strict=False)]),
            start=np.concatenate([part.start + shift for part, shift in zip(each, words, strict=False)]),
            pairs=Pairs(
                np.concatenate([part.pairs.anaphor + shift for part, shift in zip(each, mentions, strict=False)]),
                np.concatenate([part.pairs.candidate + shift for part, shift in zip(each, mentions, strict=False)]),
                np.concatenate([part.pairs.features for part in each]),
                np.concatenate([part.pairs.classes for part in each]),
            ),
        ),
        entity=np.concatenate(
            [
                np.where(part.entity == NONE, NONE, part.entity + shift)
                for part, shift in zip(examples, entities, strict=False)
            ]
        ),
        linked=np.concatenate([example.linked for example in examples]),
        style=examples[0].style,
        singletons=examples[0].singletons,
    )


LEAST = 3
"""Children that must have been seen before anything is concluded."""
GAPS = 0.002
"""The share of mentions with gaps from which on a style has them."""


def learn_style(readings: Iterable[Reading]) -> Style:
    """Learn which words mentions include: those inside in most cases; mentions of one word show what is outside."""
    inside: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    mentions = gaps = 0
    for reading in readings:
        words = reading.words
        for mention, _ in reading.doc.mentions():
            if mention.head is None or mention.is_zero:
                continue
            own = set(mention.positions)
            mentions += 1
            gaps += not mention.is_contiguous
            for child in words.children[mention.head][:MANY]:
                (inside if child in own else outside)[child_key(words, mention.head, child)] += 1
    seen = inside + outside
    return Style(
        inside={key: inside[key] > outside[key] for key, count in seen.items() if count >= LEAST},
        gaps=gaps > GAPS * mentions,
    )


def common_style(styles: Sequence[Style]) -> Style:
    """Return the style that most corpora share, for an unknown corpus."""
    votes: Counter[str] = Counter()
    for style in styles:
        for key, holds in style.inside.items():
            votes[key] += 1 if holds else -1
    return Style(inside={key: vote > 0 for key, vote in votes.items() if vote}, gaps=False)
