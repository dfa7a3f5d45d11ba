"""Mentions to compare across documents: their words, their WordNet senses, and the choice of candidate pairs.

Only mentions of the same block (topic and kind) are paired. In a block of at most `all_up_to` mentions, all pairs are
candidates. In larger blocks, two mentions are paired if

- they share a key, such as the lemma of the head or the whole string, that at most `list_up_to` mentions of the block
  have; more frequent keys count only within a document or in similar documents, for the next `each` mentions of a
  document; or
- one is among the `near` nearest neighbours of the other by its vector, if there are vectors.

So each mention has a limited number of candidates.

The file of word senses contains English verbs and nouns (including phrases such as `gun down`), the weighted concepts
of each word, and the hypernyms of concepts. A concept is a set of synonyms: *foil* and *thwart* share one. A word has
the concepts of its senses, with weight 1 for the first sense, 1/2 for the second and so on, and, with a slightly lower
weight, those that WordNet derives from the same sense, which relates *shoot* and *shooting*. `training.cross.wordnet`
creates the file.

The lemma comes from the lemma column or is otherwise a stem. A name is capitalized, except by the start of a sentence
alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from scipy import sparse

from ...document.entities import DETECTION
from ...errors import CoindexError
from ..linguistics.languages import language_of
from ..linguistics.stems import lemma
from ..linguistics.word_classes import is_pronominal
from ..resolver import find_shipped_folder
from .collection import KINDS, Flags, Floats, Ints
from .neighbours import EXACT, TREES, Vectors, codes, distinct_pairs, near_among, near_vectors, ranges
from .scorer import read_arrays, write_arrays
from .terms import Matrix, Texts, Vocabulary, count_matrix, inverse_frequency, normalise_rows, number_words

VERSION = 1
FILE = "meanings.npz"
WIDER = 0.5
"""The weight of the hypernym of a concept, relative to the concept."""
STEPS = 255
"""Number of steps in which the weights of concepts are stored."""
LONGEST = 4
"""Maximum number of words in a phrase that is looked up."""
ENDINGS = {
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "n": (("s", ""), ("ies", "y"), ("es", ""), ("men", "man")),
}
"""Endings of inflected verbs and nouns, and their replacements in the lemma, as in WordNet."""


@dataclass(frozen=True, eq=False)
class Meanings:
    """The word senses: words, irregular forms, and the matrices of concepts and hypernyms."""

    words: Mapping[str, int]
    """Verbs as `v:foil` and nouns as `n:foil`."""
    irregular: Mapping[str, tuple[str, ...]]
    """Words by form, such as `v:shoot` by `shot`."""
    concepts: Matrix
    """[words, concepts]"""
    kinds: Matrix
    """[concepts, concepts]: the hypernyms."""

    def lemmas(self, form: str) -> list[str]:
        """Return the possible words of a form in lower case."""
        known = [*(f"{part}:{form}" for part in ENDINGS), *self.irregular.get(form, ())]
        for part, endings in ENDINGS.items():
            for ending, instead in endings:
                if form.endswith(ending) and len(form) > len(ending) + 1:
                    known.append(self._undouble(f"{part}:{form.removesuffix(ending)}{instead}", ending))
        return [word for word in dict.fromkeys(known) if word in self.words]

    def _undouble(self, word: str, ending: str) -> str:
        """Remove a doubled letter before the ending of a verb, as in *stopped*, unless that is a word."""
        doubled = ending in ("ed", "ing") and len(word) > 5 and word[-1] == word[-2] and word not in self.words
        return word[:-1] if doubled else word

    def look_up(self, forms: Sequence[str], head: int) -> tuple[int, ...]:
        """Return the rows of the longest known phrase around the head, or those of the head."""
        lower = [form.lower() for form in forms]
        of_head = self.lemmas(lower[head])
        written = [f"{part}:{lower[head]}" for part in ENDINGS]
        for phrase, place in _phrases(lower, head):
            for part, base in (word.split(":", 1) for word in (*written, *of_head)):
                joined = f"{part}:{' '.join((*phrase[:place], base, *phrase[place + 1 :]))}"
                if joined in self.words:
                    return (self.words[joined],)
        return tuple(self.words[word] for word in of_head)

    @cached_property
    def rarity(self) -> Floats:
        """The rarity of each concept among the words."""
        return inverse_frequency(np.bincount(self.concepts.indices, minlength=self.concepts.shape[1]), len(self.words))


@dataclass(frozen=True, eq=False)
class Meant:
    """The senses of mentions: the row of each one in three matrices."""

    row: Ints
    near: Matrix
    """The concepts, scaled to length 1."""
    wide: Matrix
    """The concepts with their hypernyms, weighted by rarity and scaled to length 1."""
    reach: Matrix
    """1 for each concept, and less for its hypernyms."""


def look_up_mentions(meanings: Meanings, mentions: Iterable[tuple[Sequence[str], int]]) -> Meant:
    """Look up mentions, given as their words and the index of the head."""
    vocabulary = Vocabulary()
    looked_up: dict[tuple[tuple[str, ...], int], tuple[int, ...]] = {}
    numbers, entries = [], dict[str, tuple[int, ...]]()
    for forms, head in mentions:
        place = (tuple(forms), head)
        if place not in looked_up:
            looked_up[place] = meanings.look_up(forms, head) if forms else ()
        rows = looked_up[place]
        numbers.append(vocabulary.number(repr(rows)))
        entries[repr(rows)] = rows
    concepts = _sum_rows(meanings.concepts, list(entries.values()))
    any_rank = concepts.copy()
    any_rank.data = np.ones(len(any_rank.data))
    reach = _widen(any_rank, meanings.kinds)
    reach.data = np.minimum(reach.data, 1)
    wide = _widen(concepts, meanings.kinds) @ sparse.diags(meanings.rarity)
    return Meant(np.array(numbers, dtype=np.int64), normalise_rows(concepts), normalise_rows(wide.tocsr()), reach)


def _phrases(words: Sequence[str], head: int) -> Iterator[tuple[list[str], int]]:
    """Yield phrases that contain the head, the longest first, with the index of the head."""
    for size in range(min(len(words), LONGEST), 1, -1):
        for start in range(max(0, head - size + 1), min(head, len(words) - size) + 1):
            yield list(words[start : start + size]), head - start


def _sum_rows(matrix: Matrix, groups: Sequence[tuple[int, ...]]) -> Matrix:
    lengths = [len(group) for group in groups]
    columns = np.array([row for group in groups for row in group], dtype=np.int64)
    chosen = sparse.csr_matrix(
        (np.ones(len(columns)), columns, np.cumsum([0, *lengths])), shape=(len(groups), matrix.shape[0])
    )
    return (chosen @ matrix).tocsr()


def _widen(concepts: Matrix, kinds: Matrix) -> Matrix:
    wider = WIDER * (concepts @ kinds)
    return (concepts + wider + WIDER * (wider @ kinds)).tocsr()


def save_meanings(meanings: Meanings, path: str | Path) -> None:
    """Write word senses to a file; words must be in the order of their rows."""
    irregular = "\n".join(f"{form}\t{' '.join(lemmas)}" for form, lemmas in meanings.irregular.items())
    arrays = {
        "words": np.frombuffer("\n".join(meanings.words).encode(), dtype=np.uint8),
        "irregular": np.frombuffer(irregular.encode(), dtype=np.uint8),
        "starts": meanings.concepts.indptr.astype(np.int32),
        "concepts": meanings.concepts.indices.astype(np.int32),
        "weights": np.rint(meanings.concepts.data * STEPS).astype(np.uint8),
        "kind_starts": meanings.kinds.indptr.astype(np.int32),
        "kinds": meanings.kinds.indices.astype(np.int32),
    }
    write_arrays(path, {"version": VERSION}, arrays)


def load_meanings(path: str | Path) -> Meanings:
    """Read word senses from a file."""
    _, arrays = read_arrays(path, VERSION, "the word senses", ())
    try:
        words, irregular = (arrays[name].tobytes().decode() for name in ("words", "irregular"))
        number = len(arrays["kind_starts"]) - 1
        names = words.split("\n") if words else []
        weights = arrays["weights"] / STEPS
        concepts = sparse.csr_matrix((weights, arrays["concepts"], arrays["starts"]), shape=(len(names), number))
        ones = np.ones(len(arrays["kinds"]))
        kinds = sparse.csr_matrix((ones, arrays["kinds"], arrays["kind_starts"]), shape=(number, number))
        pairs = (line.split("\t") for line in irregular.split("\n") if line)
        return Meanings(
            {word: row for row, word in enumerate(names)},
            {form: tuple(lemmas.split(" ")) for form, lemmas in pairs},
            concepts,
            kinds,
        )
    except (KeyError, ValueError, UnicodeDecodeError) as error:
        raise CoindexError(
            f"invalid file of word senses ({error}); install coindex again", code="invalid-model", path=path
        ) from error


@cache
def english_meanings() -> Meanings:
    """Return the included English word senses."""
    return load_meanings(find_shipped_folder("en-cross") / FILE)


Near = tuple[Ints, Ints]
"""Documents and their most similar documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateOptions:
    """The limits for candidate pairs."""

    all_up_to: int = 400
    list_up_to: int = 64
    each: int = 4
    near_documents: int = 20
    near: int = 10


class CandidateIndex:
    """Finds the candidate pairs of ranges of mentions, so that the pairs of all are never needed at the same time."""

    def __init__(
        self,
        blocks: Ints,
        keys: Sequence[Ints],
        document: Ints,
        near: Near,
        *,
        near_codes: Ints | None = None,
        new: Flags | None = None,
        options: CandidateOptions | None = None,
    ) -> None:
        """Build the index.

        `keys` hold a number for each mention, -1 for none. `near_codes` are sorted pairs of near vectors (see
        `neighbours.codes`). With `new`, there are only pairs with a mention that is new.
        """
        self.options = options or CandidateOptions()
        self.number = len(blocks)
        self.wanted = np.ones(self.number, dtype=bool) if new is None else new
        self.document = document
        self.near, self.near_to = near, _reverse(near)
        self.near_codes = np.zeros(0, dtype=np.int64) if near_codes is None else near_codes
        is_small, rest = split_blocks(blocks, self.wanted, self.options)
        self.lists = [_SortedKeys(np.where(is_small, blocks, -1))]
        self.frequent: list[_SortedKeys] = []
        if (rest >= 0).any():
            for key in keys:
                both = _combine_keys(rest, key)
                sizes = np.bincount(both[both >= 0], minlength=1)
                is_short = (both >= 0) & (sizes[both] <= self.options.list_up_to)
                self.lists.append(_SortedKeys(np.where(is_short, both, -1)))
                if ((both >= 0) & ~is_short).any():
                    self.frequent.append(_SortedKeys(np.where(is_short, -1, both), document))

    def pairs(self, start: int, end: int) -> tuple[Ints, Ints]:
        """Return the distinct pairs whose earlier mention is in a range, the earlier one first, in reading order."""
        first, last = np.searchsorted(self.near_codes, [start * self.number, end * self.number])
        some = self.near_codes[first:last]
        pairs = [(some // max(self.number, 1), some % max(self.number, 1))]
        pairs += [keys.following(start, end) for keys in self.lists]
        for keys in self.frequent:
            pairs.append(keys.following(start, end, self.options.each))
            pairs += self._in_near_documents(keys, start, end)
        left, right = distinct_pairs(
            np.concatenate([firsts for firsts, _ in pairs]),
            np.concatenate([seconds for _, seconds in pairs]),
            self.number,
        )
        kept = self.wanted[left] | self.wanted[right]
        return left[kept], right[kept]

    def _in_near_documents(self, keys: _SortedKeys, start: int, end: int) -> Iterator[tuple[Ints, Ints]]:
        """Yield pairs of a mention and the first ones with its key in near documents, if the range has the earlier."""
        members = keys.members(start, end)
        owner, found = keys.in_documents(members, self.near, self.options.each)
        later = found > owner
        yield owner[later], found[later]
        firsts = members[keys.rank[members] < self.options.each]
        owner, found = keys.in_documents(firsts, self.near_to, self.number)
        later = found > owner
        yield owner[later], found[later]


class _SortedKeys:
    """Mentions sorted by their keys and, if given, documents; -1 is no key."""

    def __init__(self, keys: Ints, document: Ints | None = None) -> None:
        self.keys = keys
        self.document = np.zeros(len(keys), dtype=np.int64) if document is None else document
        self.documents = int(self.document.max(initial=0)) + 1
        order = np.flatnonzero(keys >= 0)
        codes = keys[order] * self.documents + self.document[order]
        by_code = np.argsort(codes, kind="stable")
        self.order, self.codes = order[by_code], codes[by_code]
        self.place = np.full(len(keys), -1)
        self.place[self.order] = np.arange(len(order))
        self.ends = np.searchsorted(self.codes, self.codes, side="right")
        self.rank = np.full(len(keys), -1)
        """How many mentions with the same key and document come before."""
        self.rank[self.order] = np.arange(len(order)) - np.searchsorted(self.codes, self.codes)

    def members(self, start: int, end: int) -> Ints:
        """Return the mentions of a range that have a key."""
        return start + np.flatnonzero(self.keys[start:end] >= 0)

    def following(self, start: int, end: int, most: int | None = None) -> tuple[Ints, Ints]:
        """Return the mentions of a range with those after them that have the same key and document."""
        members = self.members(start, end)
        places = self.place[members]
        lengths = self.ends[places] - places - 1
        partners, owner = ranges(places + 1, lengths if most is None else np.minimum(lengths, most))
        return members[owner], self.order[partners]

    def in_documents(self, members: Ints, near: Near, most: int) -> tuple[Ints, Ints]:
        """Return mentions with the first ones that have the same key in the documents near to theirs."""
        sources, targets = near
        own = self.document[members]
        starts = np.searchsorted(sources, own)
        rows, mention = ranges(starts, np.searchsorted(sources, own, side="right") - starts)
        wanted = self.keys[members][mention] * self.documents + targets[rows]
        begin = np.searchsorted(self.codes, wanted)
        lengths = np.minimum(np.searchsorted(self.codes, wanted, side="right") - begin, most)
        there, of = ranges(begin, lengths)
        return members[mention[of]], self.order[there]


def _reverse(near: Near) -> Near:
    sources, targets = near
    order = np.argsort(targets, kind="stable")
    return targets[order], sources[order]


def split_blocks(blocks: Ints, wanted: Flags, options: CandidateOptions) -> tuple[Flags, Ints]:
    """Return which mentions are in small blocks, and the blocks of the others; only blocks with wanted mentions."""
    blocks = np.where(np.isin(blocks, np.unique(blocks[wanted])), blocks, -1)
    sizes = np.bincount(blocks[blocks >= 0], minlength=1)
    is_small = (blocks >= 0) & (sizes[blocks] <= options.all_up_to)
    return is_small, np.where(is_small, -1, blocks)


def _combine_keys(blocks: Ints, key: Ints) -> Ints:
    """Return a number for each key in each block, or -1 without a key."""
    both = np.where((blocks >= 0) & (key >= 0), blocks * (key.max(initial=0) + 1) + key, -1)
    names, numbers = np.unique(both, return_inverse=True)
    return numbers.astype(np.int64) - int(len(names) > 0 and names[0] == -1)


def vector_searches(blocks: Ints, wanted: Flags, options: CandidateOptions) -> list[tuple[int, int]]:
    """Return the searches for near vectors: a large block and, for a very large one, a tree of the forest."""
    _, rest = split_blocks(blocks, wanted, options)
    names, sizes = np.unique(rest[rest >= 0], return_counts=True)
    return [
        (name, tree)
        for name, size in zip(names.tolist(), sizes.tolist(), strict=True)
        for tree in (range(TREES) if size > EXACT and wanted[rest == name].all() else (0,))
    ]


def near_codes(search: tuple[int, int], blocks: Ints, vectors: Vectors, rows: Ints, wanted: Flags, most: int) -> Ints:
    """Return the pairs that one of the `vector_searches` finds, as sorted codes; `rows` are those of the vectors."""
    block, tree = search
    members = np.flatnonzero(blocks == block)
    if wanted[members].all():
        left, right = near_vectors(vectors[rows[members]], most, tree)
        left, right = members[left], members[right]
    else:
        new = members[wanted[members]]
        left, right = near_among(vectors[rows[new]], new, vectors[rows[members]], members, most)
    return codes(*distinct_pairs(left, right, len(blocks)), len(blocks))


PREFIX = 12
"""Number of initial letters of heads that are compared."""


class MentionWords:
    """Columns and sparse matrices with a row for each mention, computed on first use."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.collection = texts.collection

    @cached_property
    def _heads(self) -> tuple[list[int], list[str]]:
        documents = self.collection.documents
        return number_words(lemma(documents[number], position) for number, position in self.texts.heads())

    @cached_property
    def head(self) -> Ints:
        """The lemma or stem of the head as a number, including function words."""
        return np.array(self._heads[0], dtype=np.int64)

    @property
    def distinct_heads(self) -> list[str]:
        """The heads by the numbers in `head`."""
        return self._heads[1]

    @cached_property
    def head_share(self) -> Floats:
        """The share of mentions that have the same head."""
        counts: Ints = np.bincount(self.head, minlength=1)[self.head]
        return counts / max(1, len(self.collection))

    @cached_property
    def head_share_within(self) -> Floats:
        """The share of mentions of the same topic and kind that have the same head."""
        blocks = self.texts.topic * len(KINDS) + self.collection.kind
        _, head, counts = np.unique(
            blocks * (len(self.distinct_heads) + 1) + self.head, return_inverse=True, return_counts=True
        )
        share: Floats = counts[head] / np.bincount(blocks, minlength=1)[blocks]
        return share

    @cached_property
    def head_terms(self) -> Matrix:
        """The head as a term of the collection; empty for function words."""
        texts = self.texts
        return texts.rows(
            [texts.drop_function_words([texts.numbers[number][position]]) for number, position in texts.heads()]
        )

    @cached_property
    def head_form(self) -> Ints:
        """The form of the head in lower case, as a number."""
        documents = self.collection.documents
        forms = (documents[number].tokens.forms[position].lower() for number, position in self.texts.heads())
        return np.array(number_words(forms)[0], dtype=np.int64)

    @cached_property
    def string(self) -> Ints:
        """The sequence of terms of the mention, or of its words if it has no terms, as a number."""
        texts, terms = self.texts, self.texts.terms
        strings = (
            " ".join(
                terms[at] for at in texts.drop_function_words(texts.numbers[number][at] for at in mention.positions)
            )
            or " ".join(mention.text.lower().split())
            for number, mention in texts.mentions()
        )
        return np.array(number_words(strings)[0], dtype=np.int64)

    @cached_property
    def words(self) -> Matrix:
        """The terms of the mention."""
        return self.texts.rows(self._bags)

    @cached_property
    def _bags(self) -> list[set[int]]:
        texts = self.texts
        return [
            set(texts.drop_function_words(texts.numbers[number][at] for at in mention.positions))
            for number, mention in texts.mentions()
        ]

    @cached_property
    def rarest(self) -> Ints:
        """The (first) rarest term of the mention, or -1."""
        rarity = self.texts.rarity
        rarest = (min(bag, key=lambda term: (-rarity[term], term), default=-1) for bag in self._bags)
        return np.array(list(rarest), dtype=np.int64)

    @cached_property
    def digits(self) -> Matrix:
        """The terms of the mention that contain a digit."""
        has_digit = [any(map(str.isdigit, term)) for term in self.texts.terms]
        return self.texts.rows([{term for term in bag if has_digit[term]} for bag in self._bags])

    @cached_property
    def is_pronoun(self) -> Flags:
        spoken = [language_of(doc) for doc in self.collection.documents]
        return np.array([is_pronominal(mention, spoken[n]) for n, mention in self.texts.mentions()], dtype=bool)

    @cached_property
    def is_name(self) -> Flags:
        flags = []
        for number, head in self.texts.heads():
            doc = self.collection.documents[number]
            form = doc.tokens.forms[head]
            begins = doc.sentence_at(head).start == head
            flags.append(form[:1].isupper() and not (begins and form.lower() in doc.tokens.vocabulary))
        return np.array(flags, dtype=bool)

    @cached_property
    def confidence(self) -> Floats:
        """The probability of the mention; 1 if it is not recorded."""
        texts = (mention.attributes.get(DETECTION, "") for mention in self.collection.mentions)
        return np.array([_share(text) for text in texts], dtype=np.float64)

    @cached_property
    def length(self) -> Ints:
        return np.array([len(mention) for mention in self.collection.mentions], dtype=np.int64)

    @cached_property
    def start(self) -> Ints:
        return np.array([mention.start for mention in self.collection.mentions], dtype=np.int64)

    @cached_property
    def end(self) -> Ints:
        return np.array([mention.end for mention in self.collection.mentions], dtype=np.int64)

    @cached_property
    def letters(self) -> Ints:
        """The first letters of each distinct head, padded with 0."""
        letters = np.zeros((len(self.distinct_heads), PREFIX), dtype=np.int64)
        for row, word in enumerate(self.distinct_heads):
            beginning = word[:PREFIX]
            letters[row, : len(beginning)] = [ord(letter) for letter in beginning]
        return letters

    @cached_property
    def trigrams(self) -> Matrix:
        """The letter trigrams of each distinct head, including its boundaries."""
        vocabulary = Vocabulary()
        bags = []
        for word in self.distinct_heads:
            padded = f"^{word}$"
            bags.append({vocabulary.number(padded[at : at + 3]) for at in range(max(1, len(padded) - 2))})
        return count_matrix(bags, len(vocabulary))

    @cached_property
    def meant(self) -> Meant:
        """The senses of the head or of a phrase around it; empty for documents that are not English."""
        spoken = [language_of(doc).code in ("", "en") for doc in self.collection.documents]
        words = []
        for (number, mention), head in zip(self.texts.mentions(), self.collection.head.tolist(), strict=True):
            positions = list(mention.positions)
            forms = self.collection.documents[number].tokens.forms
            mention_words = [forms[at] for at in positions] if spoken[number] else []
            words.append((mention_words, positions.index(head) if head in positions else 0))
        return look_up_mentions(english_meanings(), words)

    @cached_property
    def entity_words(self) -> Matrix:
        """The terms of all mentions of the entity within the document."""
        entity = self.collection.entity
        groups: list[set[int]] = [set() for _ in range(int(entity.max(initial=-1)) + 1)]
        for bag, label in zip(self._bags, entity.tolist(), strict=True):
            groups[label] |= bag
        return self.texts.rows(groups)[entity]


def _share(text: str) -> float:
    """Parse a number from 0 to 1; return 1 for anything else."""
    try:
        number = float(text)
    except ValueError:
        return 1.0
    return number if 0 <= number <= 1 else 1.0
