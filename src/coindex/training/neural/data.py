"""Convert documents to training examples: words, pieces, gold mentions with heads and entities, trees, new names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

from ...document import Document, Sentence, Span
from ...document.heads import Trees, find_heads
from ...errors import CoindexError
from ...resolvers.linguistics.languages import language
from ...resolvers.linguistics.mention_kinds import KINDS, kind_of, rule_head
from ...resolvers.neural.detection import GENDERED_PRONOUNS, Detector, SpanSet, TagSet, sentence_tags
from ...resolvers.neural.pairs import remove_speakers
from ...resolvers.neural.windows import Batch, Context, make_batch, make_windows
from ...resolvers.neural.words import (
    DocumentWords,
    Floats,
    Ints,
    Pieces,
    document_words,
    in_reading_order,
    remove_columns,
    with_columns,
    word_span,
)
from ..run import Reader
from .config import Config, CorpusConfig, ModelConfig, Sampling

TAGS = ("upos", "deprel")
NO_VALUE = -1
"""An unknown parent of a word or type of a mention."""


def word_syntax(doc: Document, words: DocumentWords) -> Ints:
    """Return [words, 3]: part of speech, relation, parent; the parent of a root is the root itself."""
    tags = with_columns(words, doc, TAGS).columns
    assert tags is not None
    trees = Trees(doc)
    parents = np.full(len(words), NO_VALUE, dtype=np.int64)
    for word, position in enumerate(words.positions):
        parent = trees.parents[position]
        if parent is None:
            parents[word] = word if doc.tokens[position].deprel == "root" else NO_VALUE
        else:
            parents[word] = words.word_at.get(parent, NO_VALUE)
    return np.column_stack([tags, parents])


def shift_parents(syntax: Ints, start: int) -> Ints:
    """Return the syntax with parents counted from another word."""
    parents = syntax[:, -1]
    return np.column_stack([syntax[:, :-1], np.where(parents == NO_VALUE, NO_VALUE, parents - start)])


@dataclass(frozen=True, slots=True)
class Labels:
    """Probabilities, and the mentions that the most probable tags or spans give."""

    detection: Floats  # [words, tags or widths]
    start: Ints  # [mentions]
    end: Ints  # [mentions]
    head: Ints  # [mentions]
    links: Floats  # [pairs], in the order of `PairMaker`
    new: Floats  # [mentions]
    vectors: Floats  # [words, hidden] of the first teacher if they are learned; otherwise [words, 0]


NO_HEAD = -1


@dataclass(frozen=True, slots=True)
class Example:
    """A document to train on. Mentions are in reading order."""

    id: str
    corpus: str
    words: DocumentWords
    spans: tuple[Span, ...]
    entities: tuple[int, ...]
    heads: tuple[int, ...]
    """Words; -1 where nobody knows."""
    own: Span | None = None
    """The sentences that are learned where the others are context alone; None for all."""
    labels: Labels | None = None
    """What teachers say of it."""
    is_annotated: bool = True
    """Without annotation only the teachers' view is learned."""
    is_partial: bool = False
    """Whether only some of its mentions are annotated, so that mention detection cannot be learned from it."""
    syntax: Ints | None = None
    """[words, 3], as `word_syntax` gives it, where trees are learned."""
    types: tuple[int, ...] = ()
    """Of the mentions, as `model.types` counts them, where types are learned; -1 for another."""

    @property
    def sentences(self) -> list[Span]:
        """The sentences that are learned."""
        return self.words.sentences if self.own is None else self.words.sentences[slice(*self.own)]


@dataclass(frozen=True, slots=True)
class Stretch:
    """What one training step sees: an example or a part of it, cut into windows."""

    example: Example
    batch: Batch
    targets: Ints  # [words] tags, or [words, widths] spans
    sentences: list[Span]
    """Counted, as all arrays are, from the first word that is learned."""

    @property
    def start(self) -> int:
        """That word."""
        return self.example.sentences[0][0]


def read_examples(corpus: CorpusConfig, path: str, read: Reader, model: ModelConfig | None = None) -> list[Example]:
    """Read the documents of a corpus; a corpus without entities is an error, since nothing could be learned from it."""
    docs = (doc for doc in read(path) if not any(fnmatchcase(doc.id or "", pattern) for pattern in corpus.exclude))
    examples = [replace(make_example(doc, corpus.name, model), is_partial=corpus.partial) for doc in docs]
    if corpus.unlabelled:
        bare = (
            replace(annotated, spans=(), entities=(), heads=(), types=(), is_annotated=False) for annotated in examples
        )
        return [example for example in bare if len(example.words)]
    if not any(example.spans for example in examples):
        raise CoindexError(
            "the training corpus has no entities; remove it, or use a corpus with coreference annotation",
            code="no-entities",
            path=path,
        )
    return [example for example in examples if (example.spans if corpus.partial else len(example.words))]


def make_example(doc: Document, corpus: str, model: ModelConfig | None = None) -> Example:
    """Convert a document with its entities; heads come from its trees, if any. A model may need less or more."""
    has_trees = Trees(doc).has_trees
    if has_trees:
        doc = find_heads(doc)
    words = document_words(doc)
    mentions: dict[Span, tuple[int, int]] = {}
    types = [NO_VALUE if model is None else _place(model.types, entity.type) for entity in doc.entities]
    for number, entity in enumerate(doc.entities):
        for mention in entity.mentions:
            span = word_span(mention, words)
            if span is None:
                continue
            head = words.word_at.get(mention.head, NO_HEAD) if mention.head is not None else NO_HEAD
            mentions.setdefault(span, (number, head if span[0] <= head < span[1] else NO_HEAD))
    if model is not None:
        words = with_columns(words, doc, model.columns)
        mentions = mentions if model.spans == "whole" else reduce_to_heads(mentions, words)
        mentions = mentions if model.singletons else remove_singletons(mentions)
    spans = in_reading_order(mentions)
    return Example(
        id=doc.id or "",
        corpus=corpus,
        words=words,
        spans=tuple(spans),
        entities=tuple(mentions[span][0] for span in spans),
        heads=tuple(mentions[span][1] for span in spans),
        syntax=word_syntax(doc, words) if model is not None and model.syntax and has_trees else None,
        types=tuple(types[mentions[span][0]] for span in spans) if any(kind != NO_VALUE for kind in types) else (),
    )


def _place(names: Sequence[str], name: str | None) -> int:
    return names.index(name) if name in names else NO_VALUE


def reduce_to_heads(mentions: dict[Span, tuple[int, int]], words: DocumentWords) -> dict[Span, tuple[int, int]]:
    """Reduce mentions to their heads; of several with the same head, the shortest is used."""
    reduced: dict[Span, tuple[int, int]] = {}
    for span in sorted(mentions, key=lambda span: (span[1] - span[0], span)):
        entity, head = mentions[span]
        head = rule_head(words.forms, span) if head == NO_HEAD else head
        reduced.setdefault((head, head + 1), (entity, head))
    return reduced


def remove_singletons(mentions: dict[Span, tuple[int, int]]) -> dict[Span, tuple[int, int]]:
    """Return the mentions of entities that have at least two."""
    sizes = Counter(entity for entity, _ in mentions.values())
    return {span: known for span, known in mentions.items() if sizes[known[0]] > 1}


def make_detector(model: ModelConfig, examples: Iterable[Example]) -> Detector:
    """Return the mention detector; with tags, it has every tag that the examples need."""
    if model.detection != "tags":
        return SpanSet(model.span_width, model.span_ratio)
    tags: set[str] = set()
    for example in examples:
        if example.is_partial:
            continue
        tags.update(sentence_tags(example.spans, example.words.sentences))
    return TagSet.of(tags)


def cut(example: Example, length: int, rng: np.random.Generator, *, keep_context: bool = False) -> Example:
    """Return sentences of about `length` words from a random place, or all if the example is not much longer."""
    total = len(example.words)
    if not length or total <= length * 1.25 or example.labels is not None:  # labels are for the whole
        return example
    sentences = example.words.sentences
    last = max((n for n, (start, _) in enumerate(sentences) if total - start >= length), default=0)
    first = int(rng.integers(last + 1))
    end = next((n for n, (_, stop) in enumerate(sentences) if stop - sentences[first][0] >= length), len(sentences) - 1)
    return cut_with_context(example, first, end + 1) if keep_context else cut_alone(example, first, end + 1)


def cut_with_context(example: Example, first: int, last: int) -> Example:
    """Return the sentences first..last, with the others as their context."""
    kept = _mentions_in(example, example.words.sentences[first][0], example.words.sentences[last - 1][1])
    return replace(
        example,
        spans=tuple(example.spans[n] for n in kept),
        entities=tuple(example.entities[n] for n in kept),
        heads=tuple(example.heads[n] for n in kept),
        types=tuple(example.types[n] for n in kept) if example.types else (),
        own=(first, last),
    )


def cut_alone(example: Example, first: int, last: int) -> Example:
    """Return the sentences first..last alone."""
    words = example.words
    start, end = words.sentences[first][0], words.sentences[last - 1][1]
    kept = _mentions_in(example, start, end)
    return replace(
        example,
        words=DocumentWords(
            words.forms[start:end],
            words.positions[start:end],
            [(a - start, b - start) for a, b in words.sentences[first:last]],
            words.speakers[first:last],
            None if words.columns is None else words.columns[start:end],
        ),
        spans=tuple((example.spans[n][0] - start, example.spans[n][1] - start) for n in kept),
        entities=tuple(example.entities[n] for n in kept),
        heads=tuple(example.heads[n] - start if example.heads[n] >= 0 else NO_HEAD for n in kept),
        types=tuple(example.types[n] for n in kept) if example.types else (),
        syntax=None if example.syntax is None else shift_parents(example.syntax[start:end], start),
    )


def _mentions_in(example: Example, start: int, end: int) -> list[int]:
    """Return the indices of the mentions between two words."""
    return [n for n, span in enumerate(example.spans) if start <= span[0] and span[1] <= end]


def make_stretch(
    example: Example, pieces: Pieces, detector: Detector, window: int, context: Context | None = None
) -> Stretch:
    """Return the arrays of one training step."""
    own = pieces.of(example.words.forms)
    sentences = example.sentences
    start, end = sentences[0][0], sentences[-1][1]
    windows = [
        span for span in make_windows(example.words, own, window, context) if start <= span[0] and span[1] <= end
    ]
    batch = make_batch(example.words, own, windows, pieces, context)
    local = [(first - start, last - start) for first, last in sentences]
    return Stretch(example, batch, detector.targets(example.spans, sentences), local)


def hide_words(stretch: Stretch, share: float, mask: int, rng: np.random.Generator) -> Stretch:
    """Return the same with all pieces of some words masked; their shapes stay."""
    batch = stretch.batch
    chosen = rng.random(len(batch.piece_index)) < share
    ids = batch.ids.copy()
    ids.ravel()[batch.piece_index[chosen][batch.piece_weight[chosen] > 0]] = mask
    return replace(stretch, batch=replace(batch, ids=ids))


def hide_speakers(example: Example) -> Example:
    """Return the example without speakers."""
    return replace(example, words=remove_speakers(example.words))


def hide_columns(example: Example) -> Example:
    """Return the example without UD columns, as for raw text."""
    return replace(example, words=remove_columns(example.words))


def strip_columns(doc: Document) -> Document:
    """Return the document as raw tokens, without tags, trees and entities; sentences and speakers stay.

    What is scored is then what a user's plain text would give.
    """
    from ...document import Token, Tokens

    bare = Tokens(
        (Token(token.id, token.form, space=token.space) for token in doc.tokens),
        multiwords=doc.tokens.multiwords,
        prefix=doc.tokens.prefix,
    )
    sentences = tuple(Sentence(bare, s.start, s.end, s.id, s.speaker) for s in doc.sentences)
    return doc.replace(tokens=bare, sentences=sentences, entities=(), bridges=(), split_antecedents=(), origin=None)


def count_examples(corpora: Sequence[CorpusConfig], examples: Sequence[list[Example]], sampling: Sampling) -> list[int]:
    """Return the number of examples per epoch for each corpus, at least one if it has any."""
    shares = [
        max(1, round(len(own) * corpus.share)) if own else 0 for corpus, own in zip(corpora, examples, strict=True)
    ]
    if sampling == "share":
        return shares
    words = [sum(len(example.words) for example in own) for own in examples]
    sizes = [math.log(1 + count) if sampling == "log" else count for count in words]
    weights = [corpus.share * size for corpus, size in zip(corpora, sizes, strict=True)]
    total = sum(weights) or 1.0
    return [max(1, round(sum(shares) * weight / total)) if weight else 0 for weight in weights]


def epoch_order(config: Config, examples: Sequence[list[Example]], epoch: int) -> list[Example]:
    """Return the examples of an epoch in random order, which depends only on the seed and the epoch."""
    settings = config.train
    keep_context = config.model.windows == "sentence"
    rng = np.random.default_rng((settings.seed, epoch))
    chosen: list[Example] = []
    counts = count_examples(config.corpora, examples, settings.sampling)
    for corpus, own, amount in zip(config.corpora, examples, counts, strict=True):
        length = settings.words if corpus.words is None else corpus.words
        while amount > 0:
            order = rng.permutation(len(own))[:amount]
            chosen += [cut(own[at], length, rng, keep_context=keep_context) for at in order]
            amount -= len(order)
    return [chosen[at] for at in rng.permutation(len(chosen))]


NAME = KINDS.index("name")


class Role(NamedTuple):
    """The properties that two names must share to be exchanged."""

    type: int
    """The number of the type in `model.types`."""
    gender: int
    """0 if no pronoun shows it."""
    is_first: bool
    """Whether it is the first of several words."""


class Names:
    """The names in annotated examples: words of mentions that are written with a capital wherever they occur.

    Titles are none: Captain is not what somebody is called instead of Anna.
    """

    def __init__(self, examples: Iterable[Example]) -> None:
        annotated = [example for example in examples if example.is_annotated]
        self._common = {form for example in annotated for form in example.words.forms if form[:1].islower()}
        self._common |= {title.rstrip(".") for title in language("en").titles}
        pools: dict[Role, dict[str, None]] = {}
        for example in annotated:
            for form, role in self.roles(example).items():
                pools.setdefault(role, {})[form] = None
        self._pools = {role: sorted(forms) for role, forms in pools.items()}

    def roles(self, example: Example) -> dict[str, Role]:
        """Return the names of a document that can be exchanged, each with its most frequent role."""
        counted: dict[str, Counter[Role]] = {}
        genders, kinds = _genders(example), example.types or [NO_VALUE] * len(example.spans)
        for (start, end), entity, kind in zip(example.spans, example.entities, kinds, strict=True):
            gender = genders.get(entity, 0)
            if (gender == 0 and kind == NO_VALUE) or not self._is_name(example, start, end):
                continue
            for at in range(start, end):
                if self._is_own(example.words.forms[at]):
                    role = Role(kind, gender, end - start > 1 and at == start)
                    counted.setdefault(example.words.forms[at], Counter())[role] += 1
        return {form: counts.most_common(1)[0][0] for form, counts in counted.items()}

    def exchange(self, example: Example, rng: np.random.Generator) -> Example:
        """Return the document with names replaced consistently; the teachers' outputs no longer apply."""
        present = set(example.words.forms)
        new: dict[str, str] = {}
        for form, role in self.roles(example).items():
            others = [other for other in self._pools.get(role, ()) if other not in present]
            if others:
                new[form] = others[int(rng.integers(len(others)))]
                present.add(new[form])
        forms = [new.get(form, form) for form in example.words.forms]
        return replace(example, words=replace(example.words, forms=forms), labels=None)

    def _is_name(self, example: Example, start: int, end: int) -> bool:
        return kind_of(example.words.forms, (start, end), -1) == NAME

    def _is_own(self, form: str) -> bool:
        return form.istitle() and form.isalpha() and len(form) > 1 and form.lower() not in self._common


def _genders(example: Example) -> dict[int, int]:
    """Return the genders of the entities, from the pronouns used for them."""
    counts: dict[int, Counter[int]] = {}
    for entity, gender in _pronouns(example.words.forms, example):
        counts.setdefault(entity, Counter())[gender] += 1
    return {entity: count.most_common(1)[0][0] for entity, count in counts.items()}


def _pronouns(forms: Sequence[str], example: Example) -> Iterator[tuple[int, int]]:
    for span, entity in zip(example.spans, example.entities, strict=True):
        gender = GENDERED_PRONOUNS.get(kind_of(forms, span, -1))
        if gender is not None:
            yield entity, gender
