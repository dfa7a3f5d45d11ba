"""Link third-person pronouns and zeros to the most salient nearby entity that agrees with them.

Candidates are the mentions of this and the preceding sentences. The salience of an entity increases with its
nearness, its grammatical role (subjects first) and its number of mentions; it is higher for a mention in the same role
as the pronoun, and for one with the same speaker. Number, gender and animacy of the entity must agree. Two arguments of
a verb do not corefer unless one is reflexive, and a reflexive corefers with the subject of its clause. The weights were
set by hand, following Lappin and Leass (1994).
"""

from __future__ import annotations

from ..candidates import NEUT, NONE, PERSON, PLUR, Candidate
from ..engine import State

WINDOW = 4
"""Sentences before the pronoun's own."""
MOST = 80
"""Mentions looked at, so that a monstrous sentence costs no more than others."""
RECENT = 100
ROLES = {"nsubj": 80, "root": 60, "obj": 60, "iobj": 50, "vocative": 40, "obl": 30, "appos": 20, "nmod": 0}
OTHER_ROLE = 20
PARALLEL = 35
"""For a mention in the role of the pronoun."""
SPEAKING = 150
"""For subjects of verbs of saying, both the pronoun and the mention."""
EMBEDDED = 0.6
"""What a noun inside another noun's phrase counts."""
DECAY = 0.45
"""What a mention counts less with each sentence back."""
REPEATED = 0.5
"""What the other mentions of an entity add to the one that counts most."""
MAX_CLIMB = 5
"""Words above a reflexive that are asked for their subject."""


def run(state: State) -> None:
    for candidate in state.candidates:
        if candidate.is_pronoun and candidate.person in (0, 3) and is_anaphoric(state, candidate):
            subject = subject_above(state, candidate) if candidate.reflexive else None
            best = subject or antecedent(state, candidate)
            if best is not None:
                state.link(candidate, best)


def is_anaphoric(state: State, candidate: Candidate) -> bool:
    """Return whether a pronoun is anaphoric, unlike the *it* of weather and time."""
    words, predicate = state.words, state.words.parents[candidate.head]
    if candidate.type == "Dem":
        return candidate.number == PLUR  # this and that refer to a clause as often as to a thing
    if candidate.type != "Prs" or words.bases[candidate.head] == "expl":
        return False
    if words.bases[candidate.head] != "nsubj" or predicate == NONE:
        return True
    if not candidate.gender & NEUT and candidate.text not in words.language.dummies:
        return True
    lemma = words.lemmas[predicate]
    is_time = words.upos[predicate] == "NUM" or lemma in words.language.times
    return lemma not in words.language.impersonal and not (is_time and words.has(predicate, "cop"))


def antecedent(state: State, pronoun: Candidate) -> Candidate | None:
    """Return the nearest mention of the most salient entity."""
    scores: dict[int, float] = {}
    nearest: dict[int, Candidate] = {}
    barred = {pronoun.entity}
    for other in state.before(pronoun, most=MOST, sentences=WINDOW):
        entity = other.entity
        if entity in barred:
            continue
        if not fits(state, pronoun, other):
            barred.add(entity)
            scores.pop(entity, None)
        elif may_be_taken_up(state, other):
            nearest.setdefault(entity, other)
            weight, best = salience(state, pronoun, other), scores.get(entity, 0.0)
            scores[entity] = max(best, weight) + REPEATED * min(best, weight)
    return nearest[max(scores, key=lambda entity: scores[entity])] if scores else None


def subject_above(state: State, reflexive: Candidate) -> Candidate | None:
    """Return the agreeing subject of the nearest clause around a reflexive."""
    position = reflexive.head
    for _ in range(MAX_CLIMB):
        position = state.words.parents[position]
        if position == NONE:
            return None
        subject = state.subject_of(position)
        if subject is not None and subject is not reflexive and state.agree(reflexive, subject):
            return subject
    return None


def salience(state: State, pronoun: Candidate, other: Candidate) -> float:
    """Return the salience of a mention as an antecedent of the pronoun."""
    role = state.words.bases[other.head]
    weight: float = RECENT + ROLES.get(role, OTHER_ROLE)
    if role == state.words.bases[pronoun.head]:
        weight += PARALLEL
    if role == "nsubj" and _speaks(state, pronoun) and _speaks(state, other):
        weight += SPEAKING
    if role == "nmod" and not other.is_pronoun:
        weight *= EMBEDDED
    return weight * float(DECAY ** (pronoun.sentence - other.sentence))


def _speaks(state: State, candidate: Candidate) -> bool:
    """Return whether the mention is the subject of a verb of speech."""
    words, parent = state.words, state.words.parents[candidate.head]
    return words.bases[candidate.head] == "nsubj" and parent != NONE and words.lemmas[parent] in words.language.speech


def may_be_taken_up(state: State, other: Candidate) -> bool:
    """Return whether a mention can be an antecedent, regardless of the others in its entity."""
    words = state.words
    if words.bases[other.head] == "compound" or other.definite == "neg" or (other.optional and not other.whole):
        return False
    if other.lemma in words.language.times:
        return other.kind == "name" and other.animacy == PERSON  # a woman called June
    return other.kind != "noun" or words.upos[other.head] != "NUM"


def fits(state: State, pronoun: Candidate, other: Candidate) -> bool:
    """Return whether the pronoun can refer to the entity of the other mention."""
    if not state.agree(pronoun, other) or (pronoun.person and other.person in (1, 2)):
        return False
    return pronoun.reflexive or not shares_verb(state, pronoun, other)


def shares_verb(state: State, pronoun: Candidate, other: Candidate) -> bool:
    """Return whether the two are arguments of the same verb, which corefer only with a reflexive."""
    if pronoun.possessive or pronoun.sentence != other.sentence:
        return False
    parent = state.words.parents[pronoun.head]
    return parent != NONE and parent == state.words.parents[other.head]
