"""Features of pairs of mentions, by name, computed for many pairs at the same time. All of them are symmetric.

A scorer names the features that it needs (`PairScorer.features`). For vectors, `cosine:NAME` is the cosine,
`centred:NAME` the cosine after subtracting the mean of the topic, and `typed:NAME` that of the means of all mentions
with the same head, such as *struck* and *strikes*. Term weights, topic means and TF-IDF come from the (unlabelled) text
of the resolved collection. Features that end in `_within` weight terms by their rarity in the topic, because words that
all documents of a topic contain do not distinguish them.

Context features describe the sentence of a mention, nearby words and mentions, times and places. The other mentions of
a sentence count as the arguments of an event, because there is no parser. A name after a preposition of place is a
place; dates and the words of a list are times.

Second-stage features compare what the neighbours of two mentions have in common. The context of a single mention is
short, but that of all similar mentions is long: *foiled* and *thwarted* share little, but nine mentions of the first
and seven of the second occur with the same ship, sea and crew. Each mention is described by the mean of itself and its
neighbours, which are the MOST mentions with the highest first-stage probability, weighted by it. Pairs are then
compared by these means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...errors import CoindexError, UnknownNameError
from ...text.tokenizer import Date, find_dates
from ..linguistics.languages import language
from .collection import KINDS, Collection, Floats, Ints
from .mentions import PREFIX, MentionWords
from .neighbours import Pairs, Vectors, group_means, row_products, unit_rows
from .terms import Matrix, Texts, Vocabulary, count_matrix, inverse_frequency, weigh_terms, weigh_terms_within

WINDOW = 5
"""Number of words on each side of the head in its window."""
CROWD = 40
"""Number of mentions on each side in the sentence that count as arguments."""
BEFORE_PLACES = frozenset(("in", "at", "near", "from", "to", "outside", "inside", "off"))
TIMES = language("en").times


class ContextFeatures:
    """Columns and sparse matrices with a row for each mention, computed on first use."""

    def __init__(self, words: MentionWords) -> None:
        self.words = words
        self.texts = words.texts
        self.collection = words.collection

    @cached_property
    def _sentence(self) -> Matrix:
        texts = self.texts
        return texts.rows(
            [texts.drop_function_words(texts.numbers[number][start:end]) for number, start, end in texts.spans]
        )

    @cached_property
    def sentence(self) -> Matrix:
        """The weighted terms of the sentence."""
        return weigh_terms(self._sentence, self.texts.rarity)

    @cached_property
    def sentence_within(self) -> Matrix:
        """The same with term weights within the topic."""
        return self.texts.within(self._sentence)

    @cached_property
    def window(self) -> Matrix:
        """The weighted terms near the head, outside of the mention."""
        return weigh_terms(self._window, self.texts.rarity)

    @cached_property
    def window_within(self) -> Matrix:
        """The same with term weights within the topic."""
        return self.texts.within(self._window)

    @cached_property
    def _window(self) -> Matrix:
        texts = self.texts
        bags = []
        for (number, start, end), mention, head in zip(
            texts.spans, self.collection.mentions, self.collection.head.tolist(), strict=True
        ):
            around = range(max(start, head - WINDOW), min(end, head + WINDOW + 1))
            bags.append(
                texts.drop_function_words(texts.numbers[number][at] for at in around if at not in mention.positions)
            )
        return texts.rows(bags)

    @cached_property
    def names(self) -> Matrix:
        """The weighted capitalized words of the sentence, except the first word."""
        return weigh_terms(self._names, self.texts.rarity)

    @cached_property
    def names_within(self) -> Matrix:
        """The same with term weights within the topic."""
        return self.texts.within(self._names)

    @cached_property
    def _names(self) -> Matrix:
        texts = self.texts
        bags = []
        for number, start, end in texts.spans:
            forms = self.collection.documents[number].tokens.forms
            capitals = (at for at in range(start + 1, end) if forms[at][:1].isupper())
            bags.append(texts.drop_function_words(texts.numbers[number][at] for at in capitals))
        return texts.rows(bags)

    @cached_property
    def places(self) -> Matrix:
        """The names of the sentence after a preposition of place."""
        texts = self.texts
        bags = []
        for number, start, end in texts.spans:
            forms = self.collection.documents[number].tokens.forms
            bag: set[int] = set()
            inside = False
            for at in range(start + 1, end):
                inside = forms[at][:1].isupper() and (inside or forms[at - 1].lower() in BEFORE_PLACES)
                if inside:
                    bag.add(texts.numbers[number][at])
            bags.append(texts.drop_function_words(bag))
        return texts.rows(bags)

    @cached_property
    def times(self) -> Matrix:
        """The words for times in the sentence: days, months, years."""
        texts = self.texts
        is_time = [term in TIMES or (len(term) == 4 and term.isdigit()) for term in texts.terms]
        return texts.rows([{at for at in texts.numbers[n][start:end] if is_time[at]} for n, start, end in texts.spans])

    @cached_property
    def dates(self) -> Ints:
        """Year, month and day of the first date of the sentence [mentions, 3]; -1 if missing."""
        known: dict[int, Date | None] = {}
        rows = []
        for (number, start, end), sentence in zip(self.texts.spans, self.collection.sentence.tolist(), strict=True):
            if sentence not in known:
                dates = find_dates(self.collection.documents[number].tokens.forms[start:end])
                known[sentence] = dates[0] if dates else None
            rows.append([-1 if part is None else part for part in known[sentence] or (None, None, None)])
        return np.array(rows, dtype=np.int64).reshape(-1, 3)

    @cached_property
    def depth(self) -> Floats:
        """The relative position of the sentence in the document: 0 for the first, 1 for the last."""
        depths = []
        for number, mention in self.texts.mentions():
            doc = self.collection.documents[number]
            depths.append(doc.sentence_index(mention.start) / max(1, len(doc.sentences) - 1))
        return np.array(depths, dtype=np.float64)

    @cached_property
    def arguments(self) -> Matrix:
        """The weighted heads of the other mentions of the sentence."""
        frequency = np.bincount(self.words.head, minlength=self._arguments.shape[1]).astype(np.int64)
        return weigh_terms(self._arguments, inverse_frequency(frequency, len(self.collection)))

    @cached_property
    def arguments_within(self) -> Matrix:
        """The same with the weights of heads among the mentions of the topic."""
        topic = self.texts.topic
        heads = count_matrix([[head] for head in self.words.head.tolist()], self._arguments.shape[1])
        return weigh_terms_within(self._arguments, topic, heads, topic)

    @cached_property
    def _arguments(self) -> Matrix:
        heads = self.words.head.tolist()
        return count_matrix(
            [[heads[other] for other in others] for others in self._others], len(self.words.distinct_heads)
        )

    @cached_property
    def nearest(self) -> tuple[Ints, Ints]:
        """The heads of the nearest mentions of the other kind before and after it in its sentence; -1 for none."""
        before, after = np.full(len(self.collection), -1), np.full(len(self.collection), -1)
        kinds, positions = self.collection.kind.tolist(), self.collection.head.tolist()
        for row, others in enumerate(self._others):
            other_kind = [other for other in others if kinds[other] != kinds[row]]
            left = [other for other in other_kind if positions[other] < positions[row]]
            right = [other for other in other_kind if positions[other] > positions[row]]
            if left:
                before[row] = self.words.head[max(left, key=positions.__getitem__)]
            if right:
                after[row] = self.words.head[min(right, key=positions.__getitem__)]
        return before, after

    @cached_property
    def _others(self) -> list[list[int]]:
        """The nearest non-overlapping mentions of the sentence, for each mention."""
        groups: dict[int, list[int]] = {}
        for row, sentence in enumerate(self.collection.sentence.tolist()):
            groups.setdefault(sentence, []).append(row)
        others: list[list[int]] = [[] for _ in self.collection.mentions]
        mentions = self.collection.mentions
        for rows in groups.values():
            for place, row in enumerate(rows):
                near = rows[max(0, place - CROWD) : place + CROWD + 1]
                own = set(mentions[row].positions)
                others[row] = [other for other in near if own.isdisjoint(mentions[other].positions)]
        return others


PAIRS = 1 << 16
"""Number of pairs that are computed at the same time, to limit the memory."""
COSINE, CENTRED, TYPED = "cosine:", "centred:", "typed:"
WITHIN = "_within"
"""Suffix of features with term weights within the topic."""
VECTOR_FEATURES = (COSINE, CENTRED, TYPED)
MEANING = "meaning"
"""Prefix of features that compare word senses."""
Column = NDArray[np.generic]
UNSHARED = (list, Vocabulary, Texts, MentionWords)
"""Types of what columns and matrices are computed from."""
Part = TypeVar("Part", Texts, MentionWords, ContextFeatures)


class FeatureMaker:
    """Computes the features of a collection. `topics` has the topic number of each document."""

    def __init__(
        self, collection: Collection, topics: Ints | None = None, vectors: Mapping[str, Vectors] | None = None
    ) -> None:
        self.collection = collection
        self.texts = Texts(collection, topics)
        self.words = MentionWords(self.texts)
        self.context = ContextFeatures(self.words)
        self.topic = self.texts.topic
        self._given = dict(vectors or {})
        self._vectors: dict[str, Vectors] = {}

    @property
    def vectors(self) -> Mapping[str, Vectors]:
        """The given vectors."""
        return self._given

    def prepare(self, names: Sequence[str]) -> FeatureMaker:
        """Return a feature maker for these features alone, with all that they need and without the documents.

        Other processes can use it (see `sharing`).
        """
        other = copy(self)
        other._vectors = {}  # so that those of this one are not kept in memory
        if len(self.collection):
            other(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), names)
        other.collection = self.collection.without_documents()
        other.texts = _keep_arrays(self.texts, other.collection)
        other.words = _keep_arrays(self.words, other.collection)
        other.context = _keep_arrays(self.context, other.collection)
        other._given = {name: vectors[:0] for name, vectors in self._given.items()}
        return other

    def add_vectors(self, vectors: Mapping[str, Vectors]) -> FeatureMaker:
        """Return the feature maker with more vectors."""
        other = copy(self)
        other._given, other._vectors = {**self._given, **vectors}, dict(self._vectors)
        return other

    @property
    def names(self) -> list[str]:
        """All features that are available for this collection."""
        return [*FEATURES, *(f"{kind}{name}" for kind in VECTOR_FEATURES for name in self._given)]

    def __call__(self, left: Ints, right: Ints, names: Sequence[str]) -> NDArray[np.float32]:
        """Return the features of pairs: [pairs, features]."""
        self._check(names)
        rows = np.empty((len(left), len(names)), dtype=np.float32)
        for start in range(0, len(left), PAIRS):
            first, second = left[start : start + PAIRS], right[start : start + PAIRS]
            for column, name in enumerate(names):
                rows[start : start + PAIRS, column] = self._feature(name, first, second)
        return rows

    def _check(self, names: Sequence[str]) -> None:
        for name in names:
            kind, colon, vectors = name.partition(":")
            if colon and f"{kind}:" in VECTOR_FEATURES and vectors not in self._given:
                raise CoindexError(
                    f"feature {name!r} needs the vectors {vectors!r}, which are not available; use the model that the "
                    "scorer belongs to, or choose another scorer",
                    code="invalid-model",
                )
            if name not in self.names:
                raise UnknownNameError("feature of pairs", name, self.names)

    def _feature(self, name: str, left: Ints, right: Ints) -> Column:
        if name in FEATURES:
            return FEATURES[name](self, left, right)
        if name not in self._vectors:
            self._vectors[name] = self._prepare(name)
        return row_products(self._vectors[name], left, right)

    def _prepare(self, name: str) -> Vectors:
        """Return the vectors of a feature, scaled to length 1: unchanged, centred by topic, or averaged by head."""
        vectors = self._given[name.partition(":")[2]]
        if name.startswith(TYPED):
            heads = self.words.head * len(KINDS) + self.collection.kind
            vectors = group_means(unit_rows(vectors), np.unique(heads, return_inverse=True)[1])
        if not name.startswith(COSINE):
            vectors = vectors - group_means(vectors, self.topic)
        return unit_rows(vectors)


def _keep_arrays(part: Part, collection: Collection) -> Part:
    """Return a copy with only the columns and matrices that features use directly, if they have been computed."""
    other = copy(part)
    kept = {name: value for name, value in vars(part).items() if name[0] != "_" and not isinstance(value, UNSHARED)}
    other.__dict__ = kept | {"collection": collection}
    return other


def dots(matrix: Matrix, left: Ints, right: Ints) -> Floats:
    """Return the dot products of pairs of rows."""
    return _products(matrix, matrix, left, right)


def dice(matrix: Matrix, left: Ints, right: Ints) -> Floats:
    """Return the Dice coefficients of pairs of sets; 0 if both are empty."""
    sizes = np.diff(matrix.indptr)
    both = sizes[left] + sizes[right]
    result: Floats = 2 * dots(matrix, left, right) / np.maximum(both, 1)
    return result


def overlap(matrix: Matrix, left: Ints, right: Ints) -> Floats:
    """Return the overlap coefficients of pairs of sets."""
    sizes = np.diff(matrix.indptr)
    result: Floats = dots(matrix, left, right) / np.maximum(np.minimum(sizes[left], sizes[right]), 1)
    return result


def most(matrix: Matrix, left: Ints, right: Ints) -> Floats:
    """Return the maximum of the element-wise products of pairs of rows."""
    largest: Floats = matrix[left].multiply(matrix[right]).max(axis=1).toarray().ravel()
    return largest


def _prefix(maker: FeatureMaker, left: Ints, right: Ints) -> Floats:
    first, second = (maker.words.letters[maker.words.head[side]] for side in (left, right))
    same = np.cumprod((first == second) & (first > 0), axis=1).sum(axis=1)
    result: Floats = same / PREFIX
    return result


def _rarity(column: Callable[[FeatureMaker], Floats]) -> Callable[..., Column]:
    """Return a feature for the rarity of the more frequent head, given the share of each head."""
    return lambda maker, left, right: -np.log(np.maximum(column(maker)[left], column(maker)[right]))


def _head_inside(maker: FeatureMaker, left: Ints, right: Ints) -> Column:
    """Return whether the heads differ and the head of one mention is a word of the other."""
    heads, words = maker.words.head_terms, maker.words.words
    inside = (_products(heads, words, left, right) > 0) | (_products(heads, words, right, left) > 0)
    different: NDArray[np.bool_] = maker.words.head[left] != maker.words.head[right]
    return inside & different


def _products(first: Matrix, second: Matrix, left: Ints, right: Ints) -> Floats:
    products: Floats = np.asarray(first[left].multiply(second[right]).sum(axis=1), dtype=np.float64).ravel()
    return products


def _find_nested(maker: FeatureMaker, left: Ints, right: Ints) -> Column:
    """Return whether the mentions overlap, which rarely corefer."""
    start, end, document = maker.words.start, maker.words.end, maker.collection.document
    result: NDArray[np.bool_] = (
        (document[left] == document[right]) & (start[left] < end[right]) & (start[right] < end[left])
    )
    return result


def _numbers_differ(maker: FeatureMaker, left: Ints, right: Ints) -> Column:
    digits = maker.words.digits
    sizes = np.diff(digits.indptr)
    result: NDArray[np.bool_] = (sizes[left] > 0) & (sizes[right] > 0) & (dots(digits, left, right) == 0)
    return result


def _dates_differ(maker: FeatureMaker, left: Ints, right: Ints) -> Column:
    first, second = maker.context.dates[left], maker.context.dates[right]
    result: NDArray[np.bool_] = ((first >= 0) & (second >= 0) & (first != second)).any(axis=1)
    return result


def _dates_same(maker: FeatureMaker, left: Ints, right: Ints) -> Column:
    first, second = maker.context.dates[left], maker.context.dates[right]
    known = (first >= 0) & (second >= 0)
    result: NDArray[np.bool_] = known.any(axis=1) & ~(known & (first != second)).any(axis=1)
    return result


def _same(column: Callable[[FeatureMaker], Ints]) -> Callable[[FeatureMaker, Ints, Ints], Column]:
    """Return a feature for mentions with the same number in a column."""

    def feature(maker: FeatureMaker, left: Ints, right: Ints) -> Column:
        numbers = column(maker)
        same: NDArray[np.bool_] = (numbers[left] == numbers[right]) & (numbers[left] >= 0)
        return same

    return feature


def _how_many(column: Callable[[FeatureMaker], NDArray[np.bool_]]) -> Callable[..., Column]:
    """Return a feature that counts how many of the two mentions have a property: 0, 1 or 2."""

    def feature(maker: FeatureMaker, left: Ints, right: Ints) -> Column:
        flags = column(maker).astype(np.int64)
        return flags[left] + flags[right]

    return feature


def _by_side(choose: Callable[..., Floats], column: Callable[[FeatureMaker], Floats]) -> Callable[..., Column]:
    """Return a feature that chooses one of the numbers of the two mentions."""
    return lambda maker, left, right: choose(column(maker)[left], column(maker)[right])


def _by(compare: Callable[..., Floats], rows: Callable[[FeatureMaker], Matrix]) -> Callable[..., Column]:
    return lambda maker, left, right: compare(rows(maker), left, right)


def _compare_distinct(
    compare: Callable[..., Floats], rows: Callable[[FeatureMaker], Matrix], of: Callable[[FeatureMaker], Ints]
) -> Callable[..., Column]:
    """Return a feature of shared items, such as documents, that compares each pair of items once."""

    def feature(maker: FeatureMaker, left: Ints, right: Ints) -> Column:
        matrix, owner = rows(maker), of(maker)
        number = max(1, matrix.shape[0])
        first, second = owner[left], owner[right]
        pairs, place = np.unique(np.minimum(first, second) * number + np.maximum(first, second), return_inverse=True)
        return compare(matrix, pairs // number, pairs % number)[place]

    return feature


def _document(maker: FeatureMaker) -> Ints:
    return maker.collection.document


def _meaning(maker: FeatureMaker) -> Ints:
    return maker.words.meant.row


FEATURES: dict[str, Callable[[FeatureMaker, Ints, Ints], Column]] = {
    # the words of the mentions
    "head": _same(lambda maker: maker.words.head),
    "head_form": _same(lambda maker: maker.words.head_form),
    "head_prefix": _prefix,
    "head_trigrams": _compare_distinct(dice, lambda maker: maker.words.trigrams, lambda maker: maker.words.head),
    "head_rarity": _rarity(lambda maker: maker.words.head_share),
    "head_rarity_within": _rarity(lambda maker: maker.words.head_share_within),
    "head_inside": _head_inside,
    "string": _same(lambda maker: maker.words.string),
    "words": _by(dice, lambda maker: maker.words.words),
    "words_overlap": _by(overlap, lambda maker: maker.words.words),
    "numbers_differ": _numbers_differ,
    "names": _how_many(lambda maker: maker.words.is_name),
    "pronouns": _how_many(lambda maker: maker.words.is_pronoun),
    "length": lambda maker, left, right: np.abs(maker.words.length[left] - maker.words.length[right]),
    "confidence_least": _by_side(np.minimum, lambda maker: maker.words.confidence),
    "confidence_most": _by_side(np.maximum, lambda maker: maker.words.confidence),
    # what their words can mean
    "meaning": _compare_distinct(dots, lambda maker: maker.words.meant.near, _meaning),
    "meaning_wider": _compare_distinct(dots, lambda maker: maker.words.meant.wide, _meaning),
    "meaning_shared": _compare_distinct(most, lambda maker: maker.words.meant.reach, _meaning),
    # the other mentions of their sentences
    "arguments": _by(dots, lambda maker: maker.context.arguments),
    "arguments_within": _by(dots, lambda maker: maker.context.arguments_within),
    "argument_before": _same(lambda maker: maker.context.nearest[0]),
    "argument_after": _same(lambda maker: maker.context.nearest[1]),
    # the words around them
    "window": _by(dots, lambda maker: maker.context.window),
    "window_within": _by(dots, lambda maker: maker.context.window_within),
    "sentence": _by(dots, lambda maker: maker.context.sentence),
    "sentence_within": _by(dots, lambda maker: maker.context.sentence_within),
    "sentence_names": _by(dots, lambda maker: maker.context.names),
    "sentence_names_within": _by(dots, lambda maker: maker.context.names_within),
    "times": _by(dice, lambda maker: maker.context.times),
    "dates_same": _dates_same,
    "dates_differ": _dates_differ,
    "places": _by(dice, lambda maker: maker.context.places),
    "depth": lambda maker, left, right: np.abs(maker.context.depth[left] - maker.context.depth[right]),
    # their documents
    "document": _compare_distinct(dots, lambda maker: maker.texts.documents, _document),
    "document_within": _compare_distinct(dots, lambda maker: maker.texts.documents_within, _document),
    "document_group": lambda maker, left, right: maker.texts.groups(_document(maker)[left], _document(maker)[right]),
    "same_document": _same(lambda maker: maker.collection.document),
    "same_sentence": _same(lambda maker: maker.collection.sentence),
    "nested": _find_nested,
    # their chains within documents
    "chain": _same(lambda maker: maker.collection.entity),
    "chain_words": _by(dice, lambda maker: maker.words.entity_words),
}
"""The lexical and document features."""


LIKE = 0.15
"""Lowest probability of a neighbour."""
MOST = 10
FIRST, LEAST, LARGEST, BETWEEN = "first", "company_least", "company_most", "between"
WORDS = ("arguments_within", "window_within", "sentence_within")
"""The rows of `ContextFeatures` that are averaged."""
MEANT = "meaning"
"""The word senses of mentions, which are averaged if a scorer needs them."""
VECTORS = ("lower", "span", "phrase", "rest", "sentence", "learned")
"""The vectors that are averaged, if available."""
SECOND_STAGE = "company:"
"""Prefix of averaged features; it is stored in model files."""


def feature_names(vectors: Sequence[str], *, meanings: bool = False) -> tuple[str, ...]:
    """Return the names of the second-stage features for these vectors, optionally with word senses."""
    averaged = (*WORDS, *([MEANT] if meanings else ()), *(name for name in VECTORS if name in vectors))
    return (FIRST, LEAST, LARGEST, BETWEEN, *(f"{SECOND_STAGE}{name}" for name in averaged))


class SecondStageFeatures:
    """Computes second-stage features for `rows` of a collection; `pairs` of the first stage are indices into them."""

    def __init__(self, maker: FeatureMaker, rows: Ints, pairs: Pairs) -> None:
        self.maker, self.rows = maker, rows
        self.topic = np.unique(maker.topic[rows], return_inverse=True)[1].astype(np.int64)
        self.near = _nearest(len(rows), pairs)
        with_itself = (self.near + sparse.identity(len(rows), format="csr")).tocsr()
        self.size: Floats = np.asarray(with_itself.sum(axis=1), dtype=np.float64).ravel()
        self.share = _scale_rows(with_itself, 1 / self.size)
        self._reached = (self.share @ self.near).tocsr()
        self._rows: dict[str, Matrix] = {}
        self._vectors: dict[str, Vectors] = {}

    def prepare(self, names: Sequence[str]) -> SecondStageFeatures:
        """Return an object for these features alone, with all that they need; other processes can use it."""
        if len(self.rows):
            nothing = np.zeros(1, dtype=np.int64)
            self(nothing, nothing, np.zeros(1), names)
        other = copy(self)
        other.maker = self.maker.prepare(())
        return other

    def __call__(self, left: Ints, right: Ints, logits: Floats, names: Sequence[str]) -> NDArray[np.float32]:
        """Return the features [pairs, features]; `logits` are those of the first stage."""
        made = np.empty((len(left), len(names)), dtype=np.float32)
        for column, name in enumerate(names):
            made[:, column] = self._feature(name, left, right, logits)
        return made

    def _feature(self, name: str, left: Ints, right: Ints, logits: Floats) -> NDArray[np.floating]:
        if name == FIRST:
            return logits
        if name in (LEAST, LARGEST):
            choose = np.minimum if name == LEAST else np.maximum
            return choose(self.size[left], self.size[right])
        if name == BETWEEN:
            forward, backward = (self._between(*sides) for sides in ((left, right), (right, left)))
            return (forward + backward) / 2
        what = name.removeprefix(SECOND_STAGE)
        if what in (*WORDS, MEANT):
            return dots(self._average_rows(what), left, right)
        return row_products(self._average_vectors(what), left, right)

    def _between(self, left: Ints, right: Ints) -> Floats:
        """Return the mean probability between the neighbours of the two mentions."""
        products: Floats = np.asarray(self._reached[left].multiply(self.share[right]).sum(axis=1)).ravel()
        return products

    def _average_rows(self, name: str) -> Matrix:
        if name not in self._rows:
            averaged = (self.share @ self._words(name)[self.rows]).tocsr()
            lengths = np.sqrt(np.asarray(averaged.multiply(averaged).sum(axis=1)).ravel())
            self._rows[name] = _scale_rows(averaged, 1 / np.where(lengths > 0, lengths, 1))
        return self._rows[name]

    def _words(self, name: str) -> Matrix:
        """Return a matrix with a row for each mention of the collection."""
        if name == MEANT:
            return self.maker.words.meant.wide[self.maker.words.meant.row]
        return getattr(self.maker.context, name)

    def _average_vectors(self, name: str) -> Vectors:
        if name not in self._vectors:
            vectors = unit_rows(self.maker.vectors[name][self.rows])
            vectors = vectors - group_means(vectors, self.topic)
            self._vectors[name] = unit_rows((self.share @ vectors).astype(np.float32))
        return self._vectors[name]


def _nearest(number: int, pairs: Pairs) -> Matrix:
    """Return the most probable neighbours of each mention; ties are resolved in order."""
    like = pairs.probability >= LIKE
    left = np.concatenate([pairs.left[like], pairs.right[like]])
    right = np.concatenate([pairs.right[like], pairs.left[like]])
    probability = np.round(np.concatenate([pairs.probability[like]] * 2), 9)
    order = np.lexsort((right, -probability, left))
    left, right, probability = left[order], right[order], probability[order]
    kept = np.arange(len(left)) - np.searchsorted(left, left) < MOST
    return sparse.csr_matrix((probability[kept], (left[kept], right[kept])), shape=(number, number))


def _scale_rows(matrix: Matrix, factors: Floats) -> Matrix:
    """Multiply each row by its factor."""
    return (sparse.diags(factors) @ matrix).tocsr()
