"""English word senses from WordNet: *foil* and *thwart* share one, *shoot* and *shooting* are related.

The file has verbs and nouns (some of several words, such as `gun down`), the concepts of each word with a weight, and
what each concept is a kind of. A concept is a set of synonyms. A word has the concepts of its senses, the first sense
with weight 1, the second with 1/2 and so on, and those that WordNet derives from that very sense, with a little less:
so verbs and their nouns meet. `training.cross.wordnet` makes the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from scipy import sparse

from ...errors import CoindexError
from ..resolver import shipped_folder
from .collection import Floats, Ints
from .scorer import read_arrays, write_arrays
from .terms import Matrix, Vocabulary, inverse_frequency, normalise_rows

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
            for part, lemma in (word.split(":", 1) for word in (*written, *of_head)):
                joined = f"{part}:{' '.join((*phrase[:place], lemma, *phrase[place + 1 :]))}"
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
    _, arrays = read_arrays(path, VERSION, "meanings of words", ())
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
            f"meanings that cannot be used ({error}); install coindex anew", code="invalid-model", path=path
        ) from error


@cache
def english_meanings() -> Meanings:
    """Those that come with coindex."""
    return load_meanings(shipped_folder("en-cross") / FILE)
