"""Documents as training examples: words, pieces, gold mentions with their heads and entities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..document import Document, Sentence, Span
from ..document.heads import find_heads
from ..document.trees import Trees
from ..errors import CoindexError
from ..resolvers.neural.pairs import without_speakers
from ..resolvers.neural.pieces import Pieces
from ..resolvers.neural.tags import TagSet, encode_tags
from ..resolvers.neural.windows import Batch, make_batch, make_windows
from ..resolvers.neural.words import Ints, Words, document_words, in_reading_order, word_span
from .config import CorpusConfig

Reader = Callable[[str], Iterable[Document]]
"""How paths are read: `coindex.read`, which is a layer above."""
UNKNOWN_TAG = -100
NO_HEAD = -1


@dataclass(frozen=True, slots=True)
class Example:
    """A document to train on. Mentions are in reading order."""

    id: str
    corpus: str
    words: Words
    spans: tuple[Span, ...]
    entities: tuple[int, ...]
    heads: tuple[int, ...]
    """Words; -1 where nobody knows."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """What one training step sees: an example or a part of it, cut into windows."""

    example: Example
    batch: Batch
    tags: Ints  # [words]


def read_examples(corpus: CorpusConfig, path: str, read: Reader) -> list[Example]:
    """The documents of a corpus; one without any entities is refused, as it would teach that there are none."""
    examples = [make_example(doc, corpus.name) for doc in read(path)]
    if not any(example.spans for example in examples):
        raise CoindexError(f"{path}: no entities in it; expected a corpus with coreference; leave it out")
    return [example for example in examples if len(example.words)]


def make_example(doc: Document, corpus: str) -> Example:
    """A document with its entities; heads come from the trees where it has some."""
    has_trees = Trees(doc).has_trees
    if has_trees:
        doc = find_heads(doc)
    words = document_words(doc)
    found: dict[Span, tuple[int, int]] = {}
    for number, entity in enumerate(doc.entities):
        for mention in entity.mentions:
            span = word_span(mention, words)
            if span is None:
                continue
            head = words.word_at.get(mention.head, NO_HEAD) if mention.head is not None else NO_HEAD
            found.setdefault(span, (number, head if span[0] <= head < span[1] else NO_HEAD))
    spans = in_reading_order(found)
    return Example(
        id=doc.id or "",
        corpus=corpus,
        words=words,
        spans=tuple(spans),
        entities=tuple(found[span][0] for span in spans),
        heads=tuple(found[span][1] for span in spans),
    )


def all_tags(examples: Iterable[Example]) -> TagSet:
    """Every tag that the examples need."""
    tags: set[str] = set()
    for example in examples:
        tags.update(example_tags(example))
    return TagSet.of(tags)


def example_tags(example: Example) -> list[str]:
    """The gold tags, sentence by sentence."""
    sentence_of = example.words.sentence_of
    by_sentence: dict[int, list[Span]] = {}
    for span in example.spans:
        by_sentence.setdefault(int(sentence_of[span[0]]), []).append(span)
    return [
        tag
        for number, (start, end) in enumerate(example.words.sentences)
        for tag in encode_tags(by_sentence.get(number, ()), start, end)
    ]


def cut(example: Example, length: int, rng: np.random.Generator) -> Example:
    """Whole sentences of about so many words from a random place, or all where the example is not much longer."""
    total = len(example.words)
    if not length or total <= length * 1.25:
        return example
    sentences = example.words.sentences
    last = max((n for n, (start, _) in enumerate(sentences) if total - start >= length), default=0)
    first = int(rng.integers(last + 1))
    end = next((n for n, (_, stop) in enumerate(sentences) if stop - sentences[first][0] >= length), len(sentences) - 1)
    return part(example, first, end + 1)


def part(example: Example, first: int, last: int) -> Example:
    """The sentences first..last alone."""
    words = example.words
    start, end = words.sentences[first][0], words.sentences[last - 1][1]
    kept = [n for n, span in enumerate(example.spans) if start <= span[0] and span[1] <= end]
    return replace(
        example,
        words=Words(
            words.forms[start:end],
            words.positions[start:end],
            [(a - start, b - start) for a, b in words.sentences[first:last]],
            words.speakers[first:last],
        ),
        spans=tuple((example.spans[n][0] - start, example.spans[n][1] - start) for n in kept),
        entities=tuple(example.entities[n] for n in kept),
        heads=tuple(example.heads[n] - start if example.heads[n] >= 0 else NO_HEAD for n in kept),
    )


def make_stretch(example: Example, pieces: Pieces, tags: TagSet, window: int) -> Stretch:
    """The arrays of one training step."""
    own = pieces.of(example.words.forms)
    windows = make_windows(example.words, own, window)
    batch = make_batch(example.words, own, windows, pieces)
    numbers = [tags.number.get(tag, UNKNOWN_TAG) for tag in example_tags(example)]
    return Stretch(example, batch, np.array(numbers, dtype=np.int64))


def anonymous(example: Example) -> Example:
    """The example without speakers."""
    return replace(example, words=without_speakers(example.words))


def strip_columns(doc: Document) -> Document:
    """The document as raw tokens: no tags, no trees, no entities; sentences and speakers stay.

    What is scored is then what a user's plain text would give.
    """
    from ..document import Token, Tokens

    bare = Tokens(
        (Token(token.id, token.form, space=token.space) for token in doc.tokens),
        multiwords=doc.tokens.multiwords,
        prefix=doc.tokens.prefix,
    )
    sentences = tuple(Sentence(bare, s.start, s.end, s.id, s.speaker) for s in doc.sentences)
    return doc.replace(tokens=bare, sentences=sentences, entities=(), bridges=(), split_antecedents=(), origin=None)


def epoch_order(
    corpora: Sequence[CorpusConfig], examples: Sequence[list[Example]], seed: int, epoch: int
) -> list[Example]:
    """The examples of an epoch in random order, the same for a seed and epoch whenever it is asked for."""
    rng = np.random.default_rng((seed, epoch))
    chosen: list[Example] = []
    for corpus, own in zip(corpora, examples, strict=True):
        amount = round(len(own) * corpus.share)
        while amount > 0:
            order = rng.permutation(len(own))[:amount]
            chosen += [cut(own[at], corpus.words, rng) for at in order]
            amount -= len(order)
    return [chosen[at] for at in rng.permutation(len(chosen))]
