"""Pairs of a candidate and an earlier one, and their features: distance, words, agreement, tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..neural.detection import log_bucket
from ..neural.words import Ints
from ..sieves.candidates import NONE, Candidate, TreeColumns
from .candidates import Reading
from .mentions import BY, CLASSES, NUMBER_OF_BY, NUMBER_OF_CLASS, NUMBER_OF_ROLE, describe_all

RELATIONS = (
    "none", "apposition", "member", "below", "above", "same-parent", "predicate", "relative", "conj", "advcl", "ccomp",
    "xcomp", "acl", "clause-below", "clause-above", "cousins",
)  # fmt: skip
NUMBER = {name: number for number, name in enumerate(RELATIONS)}
CLAUSES = ("conj", "advcl", "ccomp", "xcomp", "acl")


def relations(words: TreeColumns, head: Ints, i: Ints, j: Ints, near: NDArray[np.bool_]) -> Ints:
    """Return an index into `RELATIONS` for each pair; 0 for pairs across sentences."""
    numbers = np.zeros(len(i), dtype=np.int64)
    rows = np.flatnonzero(near)
    if not len(rows):
        return numbers
    parent = np.array(words.parents, dtype=np.int64)
    bases = np.array([NUMBER.get(base, 0) if base in CLAUSES else 0 for base in words.bases], dtype=np.int64)
    of_base = {name: np.array([base == name for base in words.bases]) for name in ("appos", "conj", "nsubj", "acl")}
    has_copula = np.zeros(words.size, dtype=bool)
    has_copula[[parent[at] for at, base in enumerate(words.bases) if base == "cop" and parent[at] != NONE]] = True
    first, second = head[i[rows]], head[j[rows]]
    up, other_up = parent[first], parent[second]
    above, other_above = _up(parent, up), _up(parent, other_up)
    known, other_known = up != NONE, other_up != NONE
    # from the least to the most specific: later values overwrite earlier ones
    steps = (
        ((above == other_above) & (above != NONE), NUMBER["cousins"]),
        ((other_above == up) & known & (other_above != NONE), NUMBER["clause-above"]),
        ((above == other_up) & other_known & (above != NONE), np.maximum(bases[up], 0)),
        (known & (up == other_up), NUMBER["same-parent"]),
        (up == second, NUMBER["below"]),
        (other_up == first, NUMBER["above"]),
        ((above == second) & of_base["acl"][up], NUMBER["relative"]),
        ((up == second) & of_base["conj"][first], NUMBER["member"]),
        ((other_up == first) & has_copula[first] & of_base["nsubj"][second], NUMBER["predicate"]),
        ((up == second) & of_base["appos"][first], NUMBER["apposition"]),
    )
    values = np.zeros(len(rows), dtype=np.int64)
    for where, value in steps:
        values = np.where(where, np.where(np.asarray(value) == 0, NUMBER["clause-below"], value), values)
    numbers[rows] = values
    return numbers


def _up(parent: Ints, positions: Ints) -> Ints:
    """Return the parents of positions, NONE for NONE."""
    return np.where(positions == NONE, NONE, parent[positions])


GRADES = (
    "none", "modifier", "head-in-other", "other-in-head", "conflict", "overlap", "less", "more", "equal", "exact",
)  # fmt: skip
SAME_HEAD = GRADES.index("conflict")
"""The first grade with equal heads."""
NAMES = ("none", "apart", "equal", "last", "first", "part", "whole", "overlap")
RECENT = 12
"""Maximum number of earlier candidates with the same word that are compared."""

Match = tuple[int, int]
"""An index into `GRADES` and one into `NAMES`."""


class MatchIndex:
    """Compares each candidate, in reading order, with earlier ones that share a word."""

    def __init__(self) -> None:
        self._by_word: dict[str, list[Candidate]] = defaultdict(list)
        self._by_head: dict[str, list[Candidate]] = defaultdict(list)

    def add(self, candidate: Candidate) -> dict[int, Match]:
        """Add a candidate and return its matches by the index of the earlier candidate."""
        if candidate.is_pronoun or candidate.kind == "clause" or candidate.whole or not candidate.lemma:
            return {}
        words = dict.fromkeys((candidate.lemma, *sorted(candidate.modifiers), *candidate.name))
        matches: dict[int, Match] = {}
        for other in self._earlier(candidate, words):
            if other.index not in matches and (match := compare(candidate, other)) != (0, 0):
                matches[other.index] = match
        for word in words:
            self._by_word[word].append(candidate)
        self._by_head[candidate.lemma].append(candidate)
        return matches

    def _earlier(self, candidate: Candidate, words: Iterable[str]) -> Iterator[Candidate]:
        yield from self._by_head[candidate.lemma][-RECENT:]
        for word in words:
            yield from self._by_word[word][-RECENT:]


def compare(anaphor: Candidate, before: Candidate) -> Match:
    return grade(anaphor, before), name_match(anaphor.name, before.name)


def grade(anaphor: Candidate, before: Candidate) -> int:
    """Return how the words of two phrases match, as an index into `GRADES`."""
    if anaphor.text and anaphor.text == before.text:
        name = "exact"
    elif anaphor.lemma == before.lemma:
        name = _beside(anaphor.modifiers, before.modifiers)
    elif anaphor.lemma in before.modifiers or anaphor.lemma in before.name:
        name = "head-in-other"
    elif before.lemma in anaphor.modifiers or before.lemma in anaphor.name:
        name = "other-in-head"
    else:
        name = "modifier" if anaphor.modifiers & before.modifiers else "none"
    return GRADES.index(name)


def _beside(mine: frozenset[str], other: frozenset[str]) -> str:
    """Compare the modifiers of equal heads."""
    if mine == other:
        return "equal"
    if mine < other or mine > other:
        return "less" if mine < other else "more"
    return "overlap" if mine & other else "conflict"


def name_match(words: tuple[str, ...], before: tuple[str, ...]) -> int:
    """Return which part of the earlier name the later one is, as an index into `NAMES`."""
    if not words or not before:
        return 0
    if words == before:
        return NAMES.index("equal")
    mine, other = set(words), set(before)
    if mine < other:
        name = "last" if words[-1] == before[-1] else "first" if words[0] == before[0] else "part"
        return NAMES.index(name)
    if other < mine:
        return NAMES.index("whole")
    return NAMES.index("overlap" if mine & other else "apart")


ROLE_GROUPS = {
    "nsubj": 1, "root": 2, "obj": 2, "iobj": 2, "obl": 3, "nmod": 4, "compound": 4, "poss": 5, "appos": 6, "conj": 6,
}  # fmt: skip
ROLE_GROUP = np.array([ROLE_GROUPS.get(name, 0) for name in NUMBER_OF_ROLE], dtype=np.int64)
GROUPS = 7
NEVER = [NUMBER_OF_CLASS[name] for name in ("clause", "adverb", "coordination")]
STEM = 5
"""Number of initial letters that are compared as a stem."""

Places = NDArray[np.int16]
"""Indices of feature values among all features."""
FEATURES: Mapping[str, int] = {
    "sentences": 10,
    "mentions": 12,
    "words": 9,
    "sieves": len(BY) + 1,
    "direct": len(BY) + 1,
    "grade": len(GRADES),
    "name": len(NAMES),
    "stem": 2,
    "number": 3,
    "gender": 3,
    "animacy": 3,
    "person": 3,
    "entity": 3,
    "roles": GROUPS * GROUPS,
    "relation": len(RELATIONS),
    "nesting": 4,
    "voice": 3,
    "rank": 8,
    "rank_match": 8,
    "rank_subject": 8,
    "ordinal": 7,
    "latest": 2,
    "verb": 2,
}
"""The features of a pair with their numbers of values."""
OFFSETS = dict(zip(FEATURES, np.cumsum([0, *FEATURES.values()]).tolist(), strict=False))
WIDTH = sum(FEATURES.values())


class PairDescriber:
    """Computes the features of all pairs of a document at once."""

    def __init__(self, reading: Reading, columns: Mapping[str, Ints], anaphor: Ints, candidate: Ints) -> None:
        self.reading, self.words, self.columns = reading, reading.words, columns
        self.i, self.j = anaphor, candidate
        candidates = reading.candidates
        self.head = np.array([mention.head for mention in candidates], dtype=np.int64)
        self.start = np.array([mention.start for mention in candidates], dtype=np.int64)
        self.end = np.array([mention.end for mention in candidates], dtype=np.int64)
        self.sentence = np.array([mention.sentence for mention in candidates], dtype=np.int64)
        self.entity = np.array([mention.entity for mention in candidates], dtype=np.int64)

    def features(self, grades: Ints, names: Ints) -> Places:
        """Return the features [pairs, features]."""
        if not len(self.i):
            return np.zeros((0, len(FEATURES)), dtype=np.int16)
        i, j, columns = self.i, self.j, self.columns
        sentences = self.sentence[i] - self.sentence[j]
        is_near = sentences == 0
        is_name = np.array([bool(candidate.name) for candidate in self.reading.candidates])
        role = columns["role"]
        values = {
            "sentences": np.minimum(log_bucket(sentences), 9),
            "mentions": np.minimum(log_bucket(i - j), 11),
            "words": np.where(is_near, np.minimum(log_bucket(self.start[i] - self.end[j] + 1), 7), 8),
            "sieves": np.where(self.entity[i] == self.entity[j], 1 + columns["by"][i], 0),
            "direct": self._direct(),
            "grade": grades,
            "name": np.where((names == 0) & is_name[i] & is_name[j], NAMES.index("apart"), names),
            "stem": self._same(
                [
                    candidate.lemma[:STEM] if len(candidate.lemma) >= STEM - 1 else ""
                    for candidate in self.reading.candidates
                ]
            ),
            "number": _agreement(columns["number"], i, j, 3),
            "gender": _agreement(columns["gender"], i, j, 7),
            "animacy": _agreement(columns["animacy"], i, j, 3),
            "person": _persons(columns["person"], i, j),
            "entity": self._entities(),
            "roles": ROLE_GROUP[role[i]] * GROUPS + ROLE_GROUP[role[j]],
            "relation": relations(self.words, self.head, i, j, is_near),
            "nesting": self._nesting(),
            "voice": self._voices(),
            "ordinal": self._ordinals()[j],
            "latest": self._latest(),
            "verb": self._same(self._verbs()),
        }
        values |= self._ranks(values)
        return np.stack([(values[name] + OFFSETS[name]).astype(np.int16) for name in FEATURES], axis=1)

    def _same(self, keys: Sequence[str]) -> Ints:
        """Return 1 for pairs with the same non-empty key."""
        number: dict[str, int] = {"": 0}
        of = np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)
        same: Ints = ((of[self.i] == of[self.j]) & (of[self.i] > 0)).astype(np.int64)
        return same

    def _verbs(self) -> list[str]:
        words = self.words
        above = (words.parents[candidate.head] for candidate in self.reading.candidates)
        return [words.lemmas[at] if at != NONE and words.upos[at] == "VERB" else "" for at in above]

    def _direct(self) -> Ints:
        """Return the number of the sieve that linked the pair, from 1."""
        numbers = np.zeros(len(self.i), dtype=np.int64)
        count = len(self.head)
        keys = self.i * count + self.j  # sorted: by anaphor, then by candidate
        for (later, earlier), sieve in self.reading.links.items():
            at = int(np.searchsorted(keys, later * count + earlier))
            if at < len(keys) and keys[at] == later * count + earlier:
                numbers[at] = 1 + NUMBER_OF_BY[sieve]
        return numbers

    def _entities(self) -> Ints:
        """Return the agreement of the sieve entities of the pair; 2 if any attribute conflicts."""
        known = np.array(self.reading.known, dtype=np.int64).reshape(-1, 3)
        each = [_agreement(known[:, at], self.i, self.j, unknown) for at, unknown in enumerate((3, 7, 3))]
        return np.where(np.any([values == 2 for values in each], axis=0), 2, np.max(each, axis=0))

    def _nesting(self) -> Ints:
        """Return 0 for disjoint spans, 1 for nested, 2 for crossing, 3 for the same head."""
        i, j = self.i, self.j
        numbers = np.where(self.start[i] >= self.end[j], 0, np.where(self.end[i] <= self.end[j], 1, 2))
        return np.where(self.head[i] == self.head[j], 3, numbers)

    def _voices(self) -> Ints:
        """Return 0 if nobody speaks, 1 for the same voice, 2 for two voices."""
        number: dict[str, int] = {"": 0}
        voices = (self.reading.voices.at(candidate.head) for candidate in self.reading.candidates)
        of = np.array([number.setdefault(voice, len(number)) for voice in voices], dtype=np.int64)
        first, second = of[self.i], of[self.j]
        return np.where((first == 0) & (second == 0), 0, np.where(first == second, 1, 2))

    def _ordinals(self) -> Ints:
        """Return the position of each candidate in its sieve entity."""
        seen: dict[int, int] = {}
        ordinals = []
        for entity in self.entity.tolist():
            seen[entity] = seen.get(entity, -1) + 1
            ordinals.append(seen[entity])
        return np.minimum(log_bucket(np.array(ordinals, dtype=np.int64)), 6)

    def _latest(self) -> Ints:
        """Return 1 if no other mention of the antecedent's sieve entity is between the two."""
        following = np.full(len(self.entity), len(self.entity), dtype=np.int64)
        last: dict[int, int] = {}
        for number, entity in enumerate(self.entity.tolist()):
            if entity in last:
                following[last[entity]] = number
            last[entity] = number
        return (following[self.j] >= self.i).astype(np.int64)

    def _ranks(self, columns: Mapping[str, Ints]) -> dict[str, Ints]:
        """Return how many nearer candidates also agree, match, or are subjects."""
        agrees = (
            (columns["number"] != 2) & (columns["gender"] != 2) & (columns["animacy"] != 2) & (columns["nesting"] == 0)
        )
        agrees &= ~np.isin(self.columns["class"][self.j], NEVER) & (columns["latest"] == 1)
        matches = (columns["grade"] >= SAME_HEAD) | (columns["name"] > 1)
        subjects = agrees & (self.columns["role"][self.j] == NUMBER_OF_ROLE["nsubj"])
        return {
            "rank": self._nearer(agrees),
            "rank_match": self._nearer(matches),
            "rank_subject": self._nearer(subjects),
        }

    def _nearer(self, fits: NDArray[np.bool_]) -> Ints:
        total = np.cumsum(fits)
        ends = np.searchsorted(self.i, self.i, side="right") - 1
        return np.minimum(log_bucket(total[ends] - total), 7)


def _agreement(mask: Ints, i: Ints, j: Ints, unknown: int) -> Ints:
    """Return 0 if one is unknown, 1 if both agree, 2 if they conflict."""
    first, second = mask[i], mask[j]
    return np.where(first & second == 0, 2, np.where((first == unknown) | (second == unknown), 0, 1))


def _persons(person: Ints, i: Ints, j: Ints) -> Ints:
    first, second = person[i], person[j]
    return np.where((first == 0) | (second == 0), 0, np.where(first == second, 1, 2))


NEAREST = 45
"""Number of preceding candidates of a pronoun or zero."""
NEAR = 12
"""Number of preceding candidates without matching words for other mentions."""
FAR = 8
"""Maximum number of matching candidates further back."""
CLAUSES_BACK = 2
"""Maximum distance in sentences of a clause that a pronoun refers to."""
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
    """Pairs, one row per pair, sorted by anaphor and then by candidate."""

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
    """The parent of the head, or the head itself without a parent."""
    start: Ints
    pairs: Pairs

    def __len__(self) -> int:
        return len(self.head)


def describe_document(reading: Reading) -> Described:
    """Return the candidates and pairs as the input of the network."""
    columns = describe_all(reading)
    candidates, words = reading.candidates, reading.words
    head = np.array([candidate.head for candidate in candidates], dtype=np.int64)
    parents = np.array(words.parents, dtype=np.int64)
    parent = np.where(parents[head] == NONE, head, parents[head]) if len(head) else head
    start = np.array([candidate.start for candidate in candidates], dtype=np.int64)
    return Described(columns, head, parent, start, make_pairs(reading, columns))


def make_pairs(reading: Reading, columns: Mapping[str, Ints]) -> Pairs:
    """Pair each candidate with the nearest preceding ones and with matching ones further back."""
    anaphor, candidate, grades, names = _find_pairs(reading)
    kept = np.flatnonzero(_is_plausible(reading, columns, anaphor, candidate, grades + names))
    anaphor, candidate, grades, names = anaphor[kept], candidate[kept], grades[kept], names[kept]
    features = PairDescriber(reading, columns, anaphor, candidate).features(grades, names)
    kinds = columns["class"]
    classes = kinds[anaphor] * len(CLASSES) + kinds[candidate] if len(anaphor) else anaphor
    return Pairs(anaphor, candidate, features, classes)


def _is_plausible(reading: Reading, columns: Mapping[str, Ints], i: Ints, j: Ints, matches: Ints) -> NDArray[np.bool_]:
    """Return which pairs are scored; implausible ones are excluded."""
    if not len(i):
        return np.zeros(0, dtype=bool)
    kinds = columns["class"]
    entity = np.array([candidate.entity for candidate in reading.candidates], dtype=np.int64)
    sentence = np.array([candidate.sentence for candidate in reading.candidates], dtype=np.int64)
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


def _find_pairs(reading: Reading) -> tuple[Ints, Ints, Ints, Ints]:
    """Return anaphors, candidates, and how their words and names match."""
    index = MatchIndex()
    anaphors: list[Ints] = []
    rows: list[Ints] = []
    places: list[int] = []
    grades: list[int] = []
    names: list[int] = []
    last: dict[int, int] = {}
    total = 0
    for number, mention in enumerate(reading.candidates):
        matches = index.add(mention)
        first = max(0, number - NEAREST)
        far = [other for other, match in matches.items() if other < first and (match[0] >= SAME_HEAD or match[1] > 1)]
        same = last.get(mention.entity)
        if same is not None and same < first:
            far.append(same)
        last[mention.entity] = number
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
