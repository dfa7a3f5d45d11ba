"""The engine: candidates in reading order, the entities they are in so far, and the passes over them.

A sieve is a function that goes over the state once and links what it is sure of. What an entity knows (number,
gender, animacy) is known to every later sieve.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .candidates import NONE, Candidate, Voices, Words


class Sieve(NamedTuple):
    """A pass: its name, which mentions keep as provenance, what it does, and how sure its links are."""

    name: str
    run: Callable[[State], None]
    precision: float


class Group:
    """An entity so far: its members and what they know together."""

    __slots__ = ("animacy", "gender", "members", "number")

    def __init__(self, candidate: Candidate) -> None:
        self.members = [candidate]
        self.number = candidate.number
        self.gender = candidate.gender
        self.animacy = candidate.animacy

    def take_over(self, other: Group, number: int) -> None:
        """All members of another group; where the two contradict each other, both may be right."""
        for member in other.members:
            member.entity = number
        self.members += other.members
        self.number = self.number & other.number or self.number | other.number
        self.gender = self.gender & other.gender or self.gender | other.gender
        self.animacy = self.animacy & other.animacy or self.animacy | other.animacy
        other.members = []


class State:
    """The document as sieves see it; with `within_sentences`, no link leaves its sentence.

    `trace`, where it is set, is told of every link: sieve, anaphor, antecedent.
    """

    def __init__(
        self, words: Words, voices: Voices, candidates: list[Candidate], *, within_sentences: bool = False
    ) -> None:
        self.within_sentences = within_sentences
        self.words = words
        self.voices = voices
        self.language = words.language
        self.candidates = sorted(candidates, key=lambda one: (one.start, -one.end, one.head))
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
        """All passes in order."""
        for sieve in sieves:
            self.sieve = sieve.name
            sieve.run(self)

    def agree(self, one: Candidate, other: Candidate) -> bool:
        """Whether nothing that is known of the two entities forbids that they are one."""
        first, second = self.groups[one.entity], self.groups[other.entity]
        return bool(first.number & second.number and first.gender & second.gender and first.animacy & second.animacy)

    def link(self, anaphor: Candidate, antecedent: Candidate) -> bool:
        """Make the entities of the two one; False where they cannot be or already are."""
        if anaphor.entity == antecedent.entity or self.nested(anaphor, antecedent):
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
            kept, gone = gone, kept  # the smaller into the larger, so that all merging together is n log n
        self.groups[kept].take_over(self.groups[gone], kept)
        return True

    def nested(self, one: Candidate, other: Candidate) -> bool:
        """i-within-i: a phrase does not mean the same as a phrase inside it, unless that is a relative pronoun."""
        if one.end <= other.start or other.end <= one.start:
            return False
        return not (one.is_relative or other.is_relative)

    def subject_of(self, predicate: int) -> Candidate | None:
        """The mention that is the subject of a predicate, a dropped one too."""
        found = self.words.child(predicate, "nsubj")
        return self.by_head.get(found) if found != NONE else None

    def before(self, candidate: Candidate, *, most: int, sentences: int) -> list[Candidate]:
        """Up to so many mentions that end before this one, nearest first, from so many sentences back."""
        found = []
        for other in reversed(self.candidates[max(0, candidate.index - most) : candidate.index]):
            if other.sentence < candidate.sentence - sentences:
                break
            if other.end <= candidate.start:
                found.append(other)
        return found
