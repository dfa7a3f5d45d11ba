"""Mentions to compare across documents: candidates, their words, and what WordNet knows about them.

English word senses from WordNet: *foil* and *thwart* share one, *shoot* and *shooting* are related.

The file has verbs and nouns (some of several words, such as `gun down`), the concepts of each word with a weight, and
what each concept is a kind of. A concept is a set of synonyms. A word has the concepts of its senses, the first sense
with weight 1, the second with 1/2 and so on, and those that WordNet derives from that very sense, with a little less:
so verbs and their nouns meet. `training.cross.wordnet` makes the file.

Which pairs of mentions are worth a score: in a large collection only those that share a word or lie near each other.

Only mentions of one block are ever paired: one topic, one kind. In a block of at most `all_up_to` mentions all pairs
are candidates. In larger ones a pair is, if

- both have a key in common, such as the lemma of the head or the whole string, and no more than `list_up_to` mentions
  of the block have it; of more frequent keys, if they are in the same document or in documents whose words are near,
  and there only the next `each` mentions of a document; or
- one is among the `near` nearest of the other by its vector, if there are vectors.

So each mention has a bounded number of candidates, and what there is to do besides is sorting.

The lemma is that of the column, else a stem; a name is what has a capital, and not only because a sentence begins.
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
from ..resolver import shipped_folder
from .collection import Flags, Floats, Ints
from .neighbours import Vectors, all_pairs, distinct_pairs, near_among, near_vectors, ranges
from .scorer import read_arrays, write_arrays
from .terms import Matrix, Texts, Vocabulary, count_matrix, inverse_frequency, normalise_rows, number_words

VERSION = 1
FILE = "meanings.npz"
WIDER = 0.5
"""How much what a concept is a kind of counts; what that is a kind of counts so much of it."""
STEPS = 255
"""The weights of concepts are kept as so many steps."""
LONGEST = 4
"""Words of a phrase that is looked up."""
ENDINGS = {
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "n": (("s", ""), ("ies", "y"), ("es", ""), ("men", "man")),
}
"""Of inflected verbs and nouns, and what stands there in the lemma; WordNet's own rules."""


@dataclass(frozen=True, eq=False)
class Meanings:
    """Words by their rows, forms that follow no rule, and both matrices."""

    words: Mapping[str, int]
    """Verbs as `v:foil` and nouns as `n:foil`."""
    irregular: Mapping[str, tuple[str, ...]]
    """Words by form, such as `v:shoot` by `shot`."""
    concepts: Matrix
    """[words, concepts]"""
    kinds: Matrix
    """[concepts, concepts]: what each is a kind of."""

    def lemmas(self, form: str) -> list[str]:
        """The words that a form in lower case may be of."""
        known = [*(f"{part}:{form}" for part in ENDINGS), *self.irregular.get(form, ())]
        for part, endings in ENDINGS.items():
            for ending, instead in endings:
                if form.endswith(ending) and len(form) > len(ending) + 1:
                    known.append(self._undouble(f"{part}:{form.removesuffix(ending)}{instead}", ending))
        return [word for word in dict.fromkeys(known) if word in self.words]

    def _undouble(self, word: str, ending: str) -> str:
        """Without a letter that stands twice before the ending of a verb, as in *stopped*, if that is no word."""
        doubled = ending in ("ed", "ing") and len(word) > 5 and word[-1] == word[-2] and word not in self.words
        return word[:-1] if doubled else word

    def look_up(self, forms: Sequence[str], head: int) -> tuple[int, ...]:
        """The rows of the longest phrase around the head that is known, else those of the head itself."""
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
        """How few words have each concept."""
        return inverse_frequency(np.bincount(self.concepts.indices, minlength=self.concepts.shape[1]), len(self.words))


@dataclass(frozen=True, eq=False)
class Meant:
    """What mentions can mean: the row of each, and the rows of three matrices."""

    row: Ints
    near: Matrix
    """The concepts of its words, of length 1."""
    wide: Matrix
    """Together with what they are kinds of, rare ones counting for more, of length 1."""
    reach: Matrix
    """1 for each concept whatever its rank, less for what it is a kind of."""


def look_up_mentions(meanings: Meanings, mentions: Iterable[tuple[Sequence[str], int]]) -> Meant:
    """For the words of each mention and the place of the head among them; none for a mention without words."""
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
    """Several words with the head among them, the longest first, and where the head is."""
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
    """Write the file; words must come in the order of their rows."""
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
    """The meanings of a file."""
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
    """Those that come with coindex."""
    return load_meanings(shipped_folder("en-cross") / FILE)


Near = tuple[Ints, Ints]
"""Documents and others that are near them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateOptions:
    """How many candidates there may be."""

    all_up_to: int = 400
    list_up_to: int = 64
    each: int = 4
    near_documents: int = 20
    near: int = 10


def candidate_pairs(
    blocks: Ints,
    keys: Sequence[Ints],
    document: Ints,
    near: Near,
    *,
    vectors: Vectors | None = None,
    new: Flags | None = None,
    options: CandidateOptions | None = None,
) -> tuple[Ints, Ints]:
    """The pairs, each once, the earlier mention first, in reading order.

    `keys` hold a number for each mention, -1 for none. With `new`, only pairs with a mention that is new.
    """
    options = options or CandidateOptions()
    number = len(blocks)
    if not number:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    wanted = np.ones(number, dtype=bool) if new is None else new
    blocks = _keep_wanted(blocks, wanted)
    sizes = np.bincount(blocks[blocks >= 0], minlength=1)
    is_small = (blocks >= 0) & (sizes[blocks] <= options.all_up_to)
    pairs = [all_pairs(np.where(is_small, blocks, -1))]
    rest = np.where(is_small, -1, blocks)
    if (rest >= 0).any():
        for key in keys:
            pairs.append(_pair_by_key(_combine_keys(rest, key), document, near, options))
        if vectors is not None:
            pairs += _pair_by_vector(rest, vectors, wanted, options.near)
    left, right = distinct_pairs(
        np.concatenate([firsts for firsts, _ in pairs]), np.concatenate([seconds for _, seconds in pairs]), number
    )
    kept = wanted[left] | wanted[right]
    return left[kept], right[kept]


def _keep_wanted(blocks: Ints, wanted: Flags) -> Ints:
    """Blocks that have something new; -1 for the mentions of others."""
    return np.where(np.isin(blocks, np.unique(blocks[wanted])), blocks, -1)


def _combine_keys(blocks: Ints, key: Ints) -> Ints:
    """A number for each key in each block, -1 where there is none."""
    both = np.where((blocks >= 0) & (key >= 0), blocks * (key.max(initial=0) + 1) + key, -1)
    names, numbers = np.unique(both, return_inverse=True)
    return numbers.astype(np.int64) - int(len(names) > 0 and names[0] == -1)


def _pair_by_key(keys: Ints, document: Ints, near: Near, options: CandidateOptions) -> tuple[Ints, Ints]:
    sizes = np.bincount(keys[keys >= 0], minlength=1)
    is_short = (keys >= 0) & (sizes[keys] <= options.list_up_to)
    left, right = all_pairs(np.where(is_short, keys, -1))
    frequent = np.flatnonzero((keys >= 0) & ~is_short)
    if not len(frequent):
        return left, right
    more_left, more_right = _pair_by_document(frequent, keys, document, near, options)
    return np.concatenate([left, more_left]), np.concatenate([right, more_right])


def _pair_by_document(
    members: Ints, keys: Ints, document: Ints, near: Near, options: CandidateOptions
) -> tuple[Ints, Ints]:
    """Mentions with a frequent key: the next ones of the document, the first ones of documents that are near."""
    documents = int(document.max()) + 1
    places = keys[members] * documents + document[members]
    order = np.argsort(places, kind="stable")
    members, places = members[order], places[order]
    at = np.arange(len(members))
    ends = np.searchsorted(places, places, side="right")
    following, owner = ranges(at + 1, np.minimum(ends - at - 1, options.each))
    # a mention with each document near its own, then the mentions of the key there
    sources, targets = near
    starts = np.searchsorted(sources, np.arange(documents))
    counts = np.searchsorted(sources, np.arange(documents), side="right") - starts
    own = document[members]
    rows, mention = ranges(starts[own], counts[own])
    wanted = keys[members][mention] * documents + targets[rows]
    begin = np.searchsorted(places, wanted)
    length = np.minimum(np.searchsorted(places, wanted, side="right") - begin, options.each)
    there, of = ranges(begin, length)
    left = np.concatenate([members[owner], members[mention[of]]])
    return left, np.concatenate([members[following], members[there]])


def _pair_by_vector(blocks: Ints, vectors: Vectors, wanted: Flags, most: int) -> list[tuple[Ints, Ints]]:
    pairs = []
    for block in np.unique(blocks[blocks >= 0]):
        members = np.flatnonzero(blocks == block)
        if wanted[members].all():
            left, right = near_vectors(vectors[members], most)
            pairs.append((members[left], members[right]))
        else:
            new = members[wanted[members]]
            pairs.append(near_among(vectors[new], new, vectors[members], members, most))
    return pairs


PREFIX = 12
"""Letters of a head that are compared from the beginning."""


class MentionWords:
    """Columns and sparse rows with a row for each mention, made when they are asked for."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.collection = texts.collection

    @cached_property
    def _heads(self) -> tuple[list[int], list[str]]:
        documents = self.collection.documents
        return number_words(lemma(documents[number], position) for number, position in self.texts.heads())

    @cached_property
    def head(self) -> Ints:
        """The lemma or stem of the head, as a number; also of one that says little."""
        return np.array(self._heads[0], dtype=np.int64)

    @property
    def distinct_heads(self) -> list[str]:
        """By the numbers of `head`."""
        return self._heads[1]

    @cached_property
    def head_terms(self) -> Matrix:
        """The head among the terms of the collection, nothing where it says little."""
        texts = self.texts
        return texts.rows([texts.said([texts.numbers[number][position]]) for number, position in texts.heads()])

    @cached_property
    def head_form(self) -> Ints:
        """The head as it is written, but in lower case."""
        documents = self.collection.documents
        forms = (documents[number].tokens.forms[position].lower() for number, position in self.texts.heads())
        return np.array(number_words(forms)[0], dtype=np.int64)

    @cached_property
    def string(self) -> Ints:
        """The terms of the mention one after another; its words where none of them says anything."""
        texts, terms = self.texts, self.texts.terms
        strings = (
            " ".join(terms[at] for at in texts.said(texts.numbers[number][at] for at in mention.positions))
            or " ".join(mention.text.lower().split())
            for number, mention in texts.mentions()
        )
        return np.array(number_words(strings)[0], dtype=np.int64)

    @cached_property
    def words(self) -> Matrix:
        """Which terms the mention has."""
        return self.texts.rows(self._bags)

    @cached_property
    def _bags(self) -> list[set[int]]:
        texts = self.texts
        return [
            set(texts.said(texts.numbers[number][at] for at in mention.positions))
            for number, mention in texts.mentions()
        ]

    @cached_property
    def rarest(self) -> Ints:
        """The rarest term of the mention, the first of several; -1 for none."""
        rarity = self.texts.rarity
        rarest = (min(bag, key=lambda term: (-rarity[term], term), default=-1) for bag in self._bags)
        return np.array(list(rarest), dtype=np.int64)

    @cached_property
    def digits(self) -> Matrix:
        """Which terms with a digit the mention has."""
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
        """How sure what found the mention is of it; 1 where nobody says."""
        said = (mention.attributes.get(DETECTION, "") for mention in self.collection.mentions)
        return np.array([_share(text) for text in said], dtype=np.float64)

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
        """The first letters of each distinct head; 0 behind its end."""
        letters = np.zeros((len(self.distinct_heads), PREFIX), dtype=np.int64)
        for row, word in enumerate(self.distinct_heads):
            beginning = word[:PREFIX]
            letters[row, : len(beginning)] = [ord(letter) for letter in beginning]
        return letters

    @cached_property
    def trigrams(self) -> Matrix:
        """Which three letters in a row each distinct head has, its borders among them."""
        vocabulary = Vocabulary()
        bags = []
        for word in self.distinct_heads:
            padded = f"^{word}$"
            bags.append({vocabulary.number(padded[at : at + 3]) for at in range(max(1, len(padded) - 2))})
        return count_matrix(bags, len(vocabulary))

    @cached_property
    def meant(self) -> Meant:
        """What the head, or a phrase around it, can mean; nothing in documents of other languages than English."""
        spoken = [language_of(doc).code in ("", "en") for doc in self.collection.documents]
        words = []
        for (number, mention), head in zip(self.texts.mentions(), self.collection.head.tolist(), strict=True):
            positions = list(mention.positions)
            forms = self.collection.documents[number].tokens.forms
            said = [forms[at] for at in positions] if spoken[number] else []
            words.append((said, positions.index(head) if head in positions else 0))
        return look_up_mentions(english_meanings(), words)

    @cached_property
    def chain_words(self) -> Matrix:
        """Which terms the mentions of its chain have, that is those of its entity in its document."""
        chain = self.collection.chain
        groups: list[set[int]] = [set() for _ in range(int(chain.max(initial=-1)) + 1)]
        for bag, label in zip(self._bags, chain.tolist(), strict=True):
            groups[label] |= bag
        return self.texts.rows(groups)[chain]


def _share(text: str) -> float:
    """A number from 0 to 1, as it is written; 1 for anything else."""
    try:
        number = float(text)
    except ValueError:
        return 1.0
    return number if 0 <= number <= 1 else 1.0
