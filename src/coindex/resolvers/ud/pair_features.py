"""What is known of each pair of candidates, as numbers: distance, words, agreement, places in the tree, competition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..neural.mentions import log_bucket
from ..neural.words import Ints
from ..sieves.words import NONE
from .candidates import Reading
from .matching import GRADES, NAMES, SAME_HEAD
from .mentions import BY, NUMBER_OF_BY, NUMBER_OF_CLASS, NUMBER_OF_ROLE
from .structure import RELATIONS, relations

ROLE_GROUPS = {
    "nsubj": 1, "root": 2, "obj": 2, "iobj": 2, "obl": 3, "nmod": 4, "compound": 4, "poss": 5, "appos": 6, "conj": 6,
}  # fmt: skip
ROLE_GROUP = np.array([ROLE_GROUPS.get(name, 0) for name in NUMBER_OF_ROLE], dtype=np.int64)
GROUPS = 7
NEVER = [NUMBER_OF_CLASS[name] for name in ("clause", "adverb", "coordination")]
STEM = 5
"""Letters that words of one stem begin with."""

Places = NDArray[np.int16]
"""Of values in the whole of all features."""
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
"""What is told of a pair, with the number of values."""
OFFSETS = dict(zip(FEATURES, np.cumsum([0, *FEATURES.values()]).tolist(), strict=False))
WIDTH = sum(FEATURES.values())


class PairDescriber:
    """Computes the features of all pairs of a document at once."""

    def __init__(self, reading: Reading, columns: Mapping[str, Ints], anaphor: Ints, candidate: Ints) -> None:
        self.reading, self.words, self.columns = reading, reading.words, columns
        self.i, self.j = anaphor, candidate
        candidates = reading.candidates
        self.head = np.array([one.head for one in candidates], dtype=np.int64)
        self.start = np.array([one.start for one in candidates], dtype=np.int64)
        self.end = np.array([one.end for one in candidates], dtype=np.int64)
        self.sentence = np.array([one.sentence for one in candidates], dtype=np.int64)
        self.entity = np.array([one.entity for one in candidates], dtype=np.int64)

    def features(self, grades: Ints, names: Ints) -> Places:
        """A row a pair, a column a feature."""
        if not len(self.i):
            return np.zeros((0, len(FEATURES)), dtype=np.int16)
        i, j, columns = self.i, self.j, self.columns
        sentences = self.sentence[i] - self.sentence[j]
        is_near = sentences == 0
        is_name = np.array([bool(one.name) for one in self.reading.candidates])
        role = columns["role"]
        found = {
            "sentences": np.minimum(log_bucket(sentences), 9),
            "mentions": np.minimum(log_bucket(i - j), 11),
            "words": np.where(is_near, np.minimum(log_bucket(self.start[i] - self.end[j] + 1), 7), 8),
            "sieves": np.where(self.entity[i] == self.entity[j], 1 + columns["by"][i], 0),
            "direct": self._direct(),
            "grade": grades,
            "name": np.where((names == 0) & is_name[i] & is_name[j], NAMES.index("apart"), names),
            "stem": self._same(
                [one.lemma[:STEM] if len(one.lemma) >= STEM - 1 else "" for one in self.reading.candidates]
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
        found |= self._ranks(found)
        return np.stack([(found[name] + OFFSETS[name]).astype(np.int16) for name in FEATURES], axis=1)

    def _same(self, keys: Sequence[str]) -> Ints:
        """1 where both have one key, and have one."""
        number: dict[str, int] = {"": 0}
        of = np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)
        same: Ints = ((of[self.i] == of[self.j]) & (of[self.i] > 0)).astype(np.int64)
        return same

    def _verbs(self) -> list[str]:
        words = self.words
        above = (words.parents[one.head] for one in self.reading.candidates)
        return [words.lemmas[at] if at != NONE and words.upos[at] == "VERB" else "" for at in above]

    def _direct(self) -> Ints:
        """The sieve that linked the two, counted from 1."""
        found = np.zeros(len(self.i), dtype=np.int64)
        count = len(self.head)
        keys = self.i * count + self.j  # sorted: by anaphor, then by candidate
        for (later, earlier), sieve in self.reading.links.items():
            at = int(np.searchsorted(keys, later * count + earlier))
            if at < len(keys) and keys[at] == later * count + earlier:
                found[at] = 1 + NUMBER_OF_BY[sieve]
        return found

    def _entities(self) -> Ints:
        """The agreement of what the sieves' entities of the two know: 2 where anything forbids them to be one."""
        known = np.array(self.reading.known, dtype=np.int64).reshape(-1, 3)
        each = [_agreement(known[:, at], self.i, self.j, unknown) for at, unknown in enumerate((3, 7, 3))]
        return np.where(np.any([one == 2 for one in each], axis=0), 2, np.max(each, axis=0))

    def _nesting(self) -> Ints:
        """0 apart, 1 the later inside the earlier, 2 across its end, 3 with the same head."""
        i, j = self.i, self.j
        found = np.where(self.start[i] >= self.end[j], 0, np.where(self.end[i] <= self.end[j], 1, 2))
        return np.where(self.head[i] == self.head[j], 3, found)

    def _voices(self) -> Ints:
        """0 where nobody speaks, 1 with one voice, 2 with two."""
        number: dict[str, int] = {"": 0}
        voices = (self.reading.voices.at(one.head) for one in self.reading.candidates)
        of = np.array([number.setdefault(voice, len(number)) for voice in voices], dtype=np.int64)
        one, other = of[self.i], of[self.j]
        return np.where((one == 0) & (other == 0), 0, np.where(one == other, 1, 2))

    def _ordinals(self) -> Ints:
        """The how manieth of its entity by the sieves each candidate is."""
        seen: dict[int, int] = {}
        found = []
        for entity in self.entity.tolist():
            seen[entity] = seen.get(entity, -1) + 1
            found.append(seen[entity])
        return np.minimum(log_bucket(np.array(found, dtype=np.int64)), 6)

    def _latest(self) -> Ints:
        """1 where no other mention of the antecedent's entity by the sieves stands between the two."""
        following = np.full(len(self.entity), len(self.entity), dtype=np.int64)
        last: dict[int, int] = {}
        for number, entity in enumerate(self.entity.tolist()):
            if entity in last:
                following[last[entity]] = number
            last[entity] = number
        return (following[self.j] >= self.i).astype(np.int64)

    def _ranks(self, found: Mapping[str, Ints]) -> dict[str, Ints]:
        """How many candidates nearer to the anaphor fit as well: in agreement, in the match, as subjects."""
        agrees = (found["number"] != 2) & (found["gender"] != 2) & (found["animacy"] != 2) & (found["nesting"] == 0)
        agrees &= ~np.isin(self.columns["class"][self.j], NEVER) & (found["latest"] == 1)
        matches = (found["grade"] >= SAME_HEAD) | (found["name"] > 1)
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
    """0 where one may be anything, 1 where both agree, 2 where they cannot."""
    one, other = mask[i], mask[j]
    return np.where(one & other == 0, 2, np.where((one == unknown) | (other == unknown), 0, 1))


def _persons(person: Ints, i: Ints, j: Ints) -> Ints:
    one, other = person[i], person[j]
    return np.where((one == 0) | (other == 0), 0, np.where(one == other, 1, 2))
