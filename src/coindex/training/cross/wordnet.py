"""The meanings of words from the files of WordNet 3.0: `python -m coindex.training.cross.wordnet FOLDER FILE`.

Verbs are kept, and nouns that may stand for happenings: those of the kinds in HAPPENINGS, and those that are derived
from verbs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy import sparse

from ...errors import CoindexError
from ...resolvers.cross.mentions import Meanings, save_meanings
from ...resolvers.cross.terms import Matrix

PARTS = {"v": "verb", "n": "noun"}
HAPPENINGS = frozenset((4, 10, 11, 12, 19, 21, 22, 26))
"""WordNet's files of acts, communication, events, feelings, phenomena, possession, processes and states."""
DERIVED = 0.8
"""How much a concept counts that is derived from a sense, or grouped with it, of what the sense does."""
BETWEEN_WORDS, BETWEEN_SETS = frozenset("+"), frozenset("$*")
"""Pointers: derivation between single words; verbs of one group and what a verb entails, between sets of synonyms."""
KIND_OF = frozenset(("@", "@i"))
Concept = tuple[str, int]
"""The part of speech, and the place in its file."""


@dataclass(frozen=True, slots=True)
class Synonyms:
    """A line of a data file: words, and pointers as (sign, concept, number of the own word or 0 for all)."""

    file: int
    words: tuple[str, ...]
    pointers: tuple[tuple[str, Concept, int], ...]


@dataclass(slots=True)
class _Numbers:
    """Concepts as numbers, in the order in which they come."""

    known: dict[Concept, int] = field(default_factory=dict)

    def __call__(self, concept: Concept) -> int:
        return self.known.setdefault(concept, len(self.known))


def read_wordnet(folder: str | Path) -> Meanings:
    """Read the senses from a folder with data.verb, index.verb, verb.exc and the same files for nouns."""
    place = Path(folder)
    synonyms = {concept: words for part in PARTS for concept, words in _data(place, part)}
    kept = {concept for concept, words in synonyms.items() if _is_kept(concept, words)}
    weights: dict[str, dict[Concept, float]] = {}
    for part in PARTS:
        for lemma, senses in _index(place, part):
            own = _concepts(lemma, [concept for concept in senses if concept in kept], synonyms)
            if own:
                weights[f"{part}:{lemma.replace('_', ' ')}"] = own
    return _meanings(weights, synonyms, _irregular(place, weights))


def _is_kept(concept: Concept, synonyms: Synonyms) -> bool:
    to_verbs = any(sign in BETWEEN_WORDS and to[0] == "v" for sign, to, _ in synonyms.pointers)
    return concept[0] == "v" or synonyms.file in HAPPENINGS or to_verbs


def _concepts(lemma: str, senses: list[Concept], synonyms: Mapping[Concept, Synonyms]) -> dict[Concept, float]:
    weights: dict[Concept, float] = {}
    for rank, sense in enumerate(senses, 1):
        near = {sense: 1 / rank}
        words = synonyms[sense].words
        for sign, to, source in synonyms[sense].pointers:
            own = sign in BETWEEN_WORDS and (source == 0 or words[source - 1] == lemma)
            if to in synonyms and (own or sign in BETWEEN_SETS):
                near[to] = DERIVED / rank
        for concept, weight in near.items():
            weights[concept] = max(weight, weights.get(concept, 0.0))
    return weights


def _meanings(
    weights: Mapping[str, Mapping[Concept, float]],
    synonyms: Mapping[Concept, Synonyms],
    irregular: Mapping[str, tuple[str, ...]],
) -> Meanings:
    numbers = _Numbers()
    words = sorted(weights)
    rows = [{numbers(concept): weight for concept, weight in weights[word].items()} for word in words]
    kinds: list[dict[int, float]] = []
    waiting = list(numbers.known)
    while waiting:  # hypernyms of hypernyms: the rows grow until there are no new ones
        for concept in waiting:
            above = [to for sign, to, _ in synonyms[concept].pointers if sign in KIND_OF and to in synonyms]
            kinds.append({numbers(to): 1.0 for to in above})
        waiting = list(numbers.known)[len(kinds) :]
    size = len(numbers.known)
    return Meanings({word: row for row, word in enumerate(words)}, irregular, _matrix(rows, size), _matrix(kinds, size))


def _matrix(rows: list[dict[int, float]], width: int) -> Matrix:
    columns = np.array([column for row in rows for column in row], dtype=np.int64)
    values = np.array([value for row in rows for value in row.values()], dtype=np.float64)
    return sparse.csr_matrix((values, columns, np.cumsum([0, *map(len, rows)])), shape=(len(rows), width))


def _irregular(folder: Path, weights: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    forms: dict[str, dict[str, None]] = {}
    for part, name in PARTS.items():
        for line in _lines(folder / f"{name}.exc"):
            form, *lemmas = line.split()
            for word in (f"{part}:{lemma}" for lemma in lemmas):
                if word in weights:
                    forms.setdefault(form, {})[word] = None
    return {form: tuple(lemmas) for form, lemmas in sorted(forms.items())}


def _data(folder: Path, part: str) -> Iterator[tuple[Concept, Synonyms]]:
    for line in _lines(folder / f"data.{PARTS[part]}"):
        fields = line.partition(" | ")[0].split()
        number = int(fields[3], 16)
        words = tuple(fields[4 + 2 * at].lower() for at in range(number))
        start = 5 + 2 * number
        pointers = tuple(
            (fields[at], (fields[at + 2], int(fields[at + 1])), int(fields[at + 3][:2], 16))
            for at in range(start, start + 4 * int(fields[start - 1]), 4)
        )
        yield (part, int(fields[0])), Synonyms(int(fields[1]), words, pointers)


def _index(folder: Path, part: str) -> Iterator[tuple[str, list[Concept]]]:
    for line in _lines(folder / f"index.{PARTS[part]}"):
        lemma, _, number, *rest = line.split()
        yield lemma, [(part, int(place)) for place in rest[-int(number) :]]


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file without those of the licence, which start with two spaces."""
    try:
        text = path.read_text("utf-8", "replace")
    except OSError as error:
        raise CoindexError(
            f"cannot read the file: {error.strerror or error}; name the folder with the files of WordNet 3.0",
            code="unreadable-file",
            path=path,
        ) from error
    yield from (line for line in text.splitlines() if line.strip() and not line.startswith("  "))


def main(arguments: list[str]) -> None:
    """Convert a folder to a file; report an error in one line."""
    if len(arguments) != 2:
        sys.exit("expected the folder of WordNet's files and the file to write")
    try:
        save_meanings(read_wordnet(arguments[0]), arguments[1])
    except CoindexError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
