"""The sieve engine: candidates in reading order, their entities so far, and the passes over them.

A sieve is a function that makes one pass over the state and links candidates. Later sieves use the number, gender and
animacy that are known of an entity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .candidates import NONE, Candidate, TreeColumns, Voices


class Sieve(NamedTuple):
    """A pass: its name, which is recorded as provenance, its function, and the precision of its links."""

    name: str
    run: Callable[[State], None]
    precision: float


class Group:
    """An entity under construction: its members and their common attributes."""

    __slots__ = ("animacy", "gender", "members", "number")

    def __init__(self, candidate: Candidate) -> None:
        self.members = [candidate]
        self.number = candidate.number
        self.gender = candidate.gender
        self.animacy = candidate.animacy

    def take_over(self, other: Group, number: int) -> None:
        """Add all members of another group; contradictory attributes are both kept as possible."""
        for member in other.members:
            member.entity = number
        self.members += other.members
        self.number = self.number & other.number or self.number | other.number
        self.gender = self.gender & other.gender or self.gender | other.gender
        self.animacy = self.animacy & other.animacy or self.animacy | other.animacy
        other.members = []


class State:
    """The state of a document; with `within_sentences`, links stay within sentences.

    `trace`, if set, is called with every link: sieve, anaphor, antecedent.
    """

    def __init__(
        self, words: TreeColumns, voices: Voices, candidates: list[Candidate], *, within_sentences: bool = False
    ) -> None:
        self.within_sentences = within_sentences
        self.words = words
        self.voices = voices
        self.language = words.language
        self.candidates = sorted(candidates, key=lambda candidate: (candidate.start, -candidate.end, candidate.head))
        self.groups: list[Group] = []
        self.by_head: dict[int, Candidate] = {}
        self.trace: Callable[[str, Candidate, Candidate], None] | None = None
        self.sieve = ""
        for index, candidate in enumerate(self.candidates):
            candidate.index = candidate.entity = index
            self.groups.append(Group(candidate))
            if not candidate.whole:
                self.by_head.setdefault(candidate.head, candidate)

    def run(self, sieves: tuple[Sieve, ...]) -> None:
        """Run all passes in order."""
        for sieve in sieves:
            self.sieve = sieve.name
            sieve.run(self)

    def agree(self, left: Candidate, right: Candidate) -> bool:
        """Return whether the known attributes of the two entities agree."""
        first, second = self.groups[left.entity], self.groups[right.entity]
        return bool(first.number & second.number and first.gender & second.gender and first.animacy & second.animacy)

    def link(self, anaphor: Candidate, antecedent: Candidate) -> bool:
        """Merge the two entities; return False if they cannot be merged or already are."""
        if anaphor.entity == antecedent.entity or self.is_nested(anaphor, antecedent):
            return False
        if self.within_sentences and anaphor.sentence != antecedent.sentence:
            return False
        if self.trace is not None:
            self.trace(self.sieve, anaphor, antecedent)
        if not anaphor.by:
            anaphor.by = self.sieve
        elif not antecedent.by:
            antecedent.by = self.sieve
        kept, gone = antecedent.entity, anaphor.entity
        if len(self.groups[kept].members) < len(self.groups[gone].members):
            kept, gone = gone, kept  # the smaller into the larger, so that all merges take n log n time
        self.groups[kept].take_over(self.groups[gone], kept)
        return True

    def is_nested(self, left: Candidate, right: Candidate) -> bool:
        """Return whether one mention is nested in the other (i-within-i), except for relative pronouns."""
        if left.end <= right.start or right.end <= left.start:
            return False
        return not (left.is_relative or right.is_relative)

    def subject_of(self, predicate: int) -> Candidate | None:
        """Return the mention that is the (possibly dropped) subject of a predicate."""
        subject = self.words.child(predicate, "nsubj")
        return self.by_head.get(subject) if subject != NONE else None

    def before(self, candidate: Candidate, *, most: int, sentences: int) -> list[Candidate]:
        """Return up to `most` preceding mentions, nearest first, from up to `sentences` sentences back."""
        preceding = []
        for other in reversed(self.candidates[max(0, candidate.index - most) : candidate.index]):
            if other.sentence < candidate.sentence - sentences:
                break
            if other.end <= candidate.start:
                preceding.append(other)
        return preceding
