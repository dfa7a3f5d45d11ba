"""Pairs of a candidate and an earlier one that may be its antecedent, and what is known of each pair as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..neural.words import Ints
from ..sieves.words import NONE
from .candidates import Reading
from .matching import SAME_HEAD, MatchIndex
from .mentions import CLASSES, NUMBER_OF_CLASS, describe_all
from .pair_features import PairDescriber, Places

NEAREST = 45
"""Candidates before a pronoun or zero that are looked at."""
NEAR = 12
"""Those before any other whose words do not match it."""
FAR = 8
"""Farther ones that match it, at most."""
CLAUSES_BACK = 2
"""Sentences back to a clause that a pronoun may take up."""
PRONOUNS = [
    NUMBER_OF_CLASS[name]
    for name in ("zero12", "zero3", "first", "first-plural", "second", "third", "possessive", "reflexive", "relative",
                 "demonstrative", "pronoun")
]  # fmt: skip
SPEAKERS = [NUMBER_OF_CLASS[name] for name in ("zero12", "first", "first-plural", "second")]
TAKES_CLAUSES = [
    NUMBER_OF_CLASS[name]
    for name in ("zero3", "third", "relative", "demonstrative", "pronoun", "demonstrated", "adverb", "definite")
]


@dataclass(frozen=True, slots=True)
class Pairs:
    """One row a pair, sorted by anaphor, the candidates of each in reading order."""

    anaphor: Ints  # [pairs]
    candidate: Ints  # [pairs]
    features: Places  # [pairs, features]
    classes: Ints  # [pairs]: of both

    def __len__(self) -> int:
        return len(self.anaphor)

    def some(self, rows: Ints) -> Pairs:
        return Pairs(self.anaphor[rows], self.candidate[rows], self.features[rows], self.classes[rows])


@dataclass(frozen=True, slots=True)
class Described:
    """The candidates of a document in columns, and their pairs."""

    columns: dict[str, Ints]
    head: Ints
    parent: Ints
    """Of the head; the head itself where it has none."""
    start: Ints
    pairs: Pairs

    def __len__(self) -> int:
        return len(self.head)


def describe_document(reading: Reading) -> Described:
    """All that the network is told but the words."""
    columns = describe_all(reading)
    candidates, words = reading.candidates, reading.words
    head = np.array([one.head for one in candidates], dtype=np.int64)
    parents = np.array(words.parents, dtype=np.int64)
    parent = np.where(parents[head] == NONE, head, parents[head]) if len(head) else head
    start = np.array([one.start for one in candidates], dtype=np.int64)
    return Described(columns, head, parent, start, make_pairs(reading, columns))


def make_pairs(reading: Reading, columns: Mapping[str, Ints]) -> Pairs:
    """Each candidate with the nearest before it, and with some that match it from anywhere before."""
    anaphor, candidate, grades, names = _paired(reading)
    kept = np.flatnonzero(_worth(reading, columns, anaphor, candidate, grades + names))
    anaphor, candidate, grades, names = anaphor[kept], candidate[kept], grades[kept], names[kept]
    found = PairDescriber(reading, columns, anaphor, candidate).features(grades, names)
    kinds = columns["class"]
    classes = kinds[anaphor] * len(CLASSES) + kinds[candidate] if len(anaphor) else anaphor
    return Pairs(anaphor, candidate, found, classes)


def _worth(reading: Reading, columns: Mapping[str, Ints], i: Ints, j: Ints, matches: Ints) -> NDArray[np.bool_]:
    """Which pairs are looked at: what nobody would link is left out, whatever the model thinks of it."""
    if not len(i):
        return np.zeros(0, dtype=bool)
    kinds = columns["class"]
    entity = np.array([one.entity for one in reading.candidates], dtype=np.int64)
    sentence = np.array([one.sentence for one in reading.candidates], dtype=np.int64)
    is_pronoun, is_speaker, takes = (_among(kinds, names) for names in (PRONOUNS, SPEAKERS, TAKES_CLAUSES))
    is_clause = kinds == NUMBER_OF_CLASS["clause"]
    is_near = i - j <= NEAR
    kept: NDArray[np.bool_] = is_near | (matches > 0) | (entity[i] == entity[j])
    kept |= is_pronoun[i] & ~(is_speaker[i] & ~is_speaker[j])
    kept &= ~is_clause[j] | (takes[i] & (sentence[i] - sentence[j] <= CLAUSES_BACK))
    kept &= ~is_clause[i]
    if reading.heap:
        kept &= sentence[i] == sentence[j]
    return kept


def _among(kinds: Ints, some: Sequence[int]) -> NDArray[np.bool_]:
    table = np.zeros(len(CLASSES), dtype=bool)
    table[list(some)] = True
    return table[kinds]


def _paired(reading: Reading) -> tuple[Ints, Ints, Ints, Ints]:
    """Anaphors, candidates, and how their words match."""
    index = MatchIndex()
    anaphors: list[Ints] = []
    rows: list[Ints] = []
    places: list[int] = []
    grades: list[int] = []
    names: list[int] = []
    last: dict[int, int] = {}
    total = 0
    for number, one in enumerate(reading.candidates):
        matches = index.add(one)
        first = max(0, number - NEAREST)
        far = [other for other, match in matches.items() if other < first and (match[0] >= SAME_HEAD or match[1] > 1)]
        same = last.get(one.entity)
        if same is not None and same < first:
            far.append(same)
        last[one.entity] = number
        far = sorted(set(far))[-FAR:]
        places_of_far = {other: total + at for at, other in enumerate(far)}
        for other, (grade, name) in matches.items():
            place = total + len(far) + other - first if other >= first else places_of_far.get(other)
            if place is not None:
                places.append(place)
                grades.append(grade)
                names.append(name)
        if far:
            rows.append(np.array(far, dtype=np.int64))
        rows.append(np.arange(first, number, dtype=np.int64))
        count = len(far) + number - first
        anaphors.append(np.full(count, number, dtype=np.int64))
        total += count
    anaphor = np.concatenate(anaphors) if anaphors else np.zeros(0, dtype=np.int64)
    candidate = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    grade_of, name_of = np.zeros(total, dtype=np.int64), np.zeros(total, dtype=np.int64)
    grade_of[places] = grades
    name_of[places] = names
    return anaphor, candidate, grade_of, name_of
