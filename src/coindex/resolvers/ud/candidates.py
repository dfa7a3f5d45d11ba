"""Mention candidates of a document, and the style of the corpus: which words of a subtree a mention includes.

The style is learned from each corpus by counting.

Which words of a tree belong to a mention: a matter of the corpus, learned from each by counting.

A style says of the direct children of a head, by their relation and side, whether they are inside. Where it knows
nothing of a relation, the sieves' own idea of a phrase holds.

Whether a document is a text at all, or a heap of sentences that have nothing to do with each other.

Treebanks of examples and of users' queries are such heaps. In a text most sentences take up a word of content of the
last ones; of the training documents of 20 sentences and more in which links cross sentences, none has less than 0.16.

The sieves' own mentions come first. Beside them stand heads that only some corpora annotate: appositions, relative
pronouns, parts of names, clauses, places and adjectives in the place of nouns. A model decides what each is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...document import Document
from ..linguistics.languages import language_of
from ..sieves.attributes import CONTENT, describe
from ..sieves.candidates import MANY, Candidate, Voices, Words
from ..sieves.engine import Group, State
from ..sieves.resolver import ARGUMENTS, INSIDE, LONGEST, SIEVES, detect, given, span

WHOLE = frozenset({"conj", "cc"})
"""What a coordination as a whole has besides."""


@dataclass(frozen=True, slots=True)
class Style:
    """Keys are such as `n:acl:R` or `v:obj:L`: head a noun or a verb, relation, side."""

    inside: Mapping[str, bool] = field(default_factory=dict)
    gaps: bool = False
    """Whether mentions may have gaps."""

    def holds(self, key: str) -> bool:
        kind, base, side = key.split(":")
        own = base in INSIDE and (base != "case" or side == "R") if kind == "n" else base != "punct"
        return self.inside.get(key, own)

    def to_dict(self) -> dict[str, Any]:
        return {"inside": dict(sorted(self.inside.items())), "gaps": self.gaps}


def read_style(data: Mapping[str, Any]) -> Style:
    return Style(inside=data["inside"], gaps=data["gaps"])


def child_key(words: Words, head: int, child: int) -> str:
    return f"{_kind(words, head)}:{words.bases[child]}:{'L' if child < head else 'R'}"


def _kind(words: Words, head: int) -> str:
    return "v" if words.upos[head] in ("VERB", "AUX") else "n"


def mention_positions(words: Words, candidate: Candidate, style: Style) -> tuple[int, ...]:
    """The words of a candidate in a style, in order."""
    head = candidate.head
    if head in words.empty:
        return (head,)
    positions = {head}
    for child in words.children[head][:MANY]:
        if (candidate.whole and words.bases[child] in WHOLE) or style.holds(child_key(words, head, child)):
            positions |= subtree(words, child)
        if len(positions) > LONGEST:
            return tuple(range(candidate.start, candidate.end))
    marks = positions if style.inside.get(f"{_kind(words, head)}:punct:R") else set()
    return _tidy(words, positions, head, marks=marks, gaps=style.gaps)


def without_shared(positions: tuple[int, ...], head: int, shared: frozenset[int]) -> tuple[int, ...]:
    """Without a determiner that is written in one word with what stands before the mention (del = de + el)."""
    return positions[1:] if positions[0] in shared and positions[0] != head else positions


def subtree(words: Words, top: int) -> set[int]:
    """A word and all below it."""
    positions = {top}
    left = [top]
    while left and len(positions) <= LONGEST:
        below = [child for child in words.children[left.pop()] if child not in positions]
        positions.update(below)
        left += below
    return positions


def _tidy(words: Words, positions: set[int], head: int, *, marks: set[int], gaps: bool) -> tuple[int, ...]:
    """Without marks at the edges but these; others and empty nodes inside belong to it, other gaps end it."""
    between_words = (at for at in range(min(positions), max(positions) + 1) if at not in marks or at in words.empty)
    light = {at for at in between_words if words.upos[at] == "PUNCT" or at in words.empty}
    solid = sorted(positions - light | {head})
    runs: list[list[int]] = []
    for at in solid:
        between = range(runs[-1][-1] + 1, at) if runs else ()
        if runs and all(other in light for other in between):
            runs[-1] += [*between, at]
        else:
            runs.append([at])
    if gaps:
        return tuple(at for run in runs for at in run)
    return tuple(next(run for run in runs if head in run))


LEAST = 20
"""Sentences with words of content; of fewer nothing can be said."""
BACK = 3
"""Sentences that are looked back."""
SHARE = 0.16
"""The share of sentences that take up something, under which a document is a heap."""
SHARE_OF_PARAGRAPHS = 0.25
"""The same where every sentence is a paragraph of its own."""
PARAGRAPH = "# newpar"


def is_heap(doc: Document, words: Words) -> bool:
    """Whether links that leave their sentence make no sense."""
    said = [
        {words.lemmas[at] for at in range(start, end) if words.upos[at] in CONTENT}
        for start, end in zip(words.starts, words.ends, strict=True)
    ]
    said = [lemmas for lemmas in said if lemmas]
    if len(said) < LEAST:
        return False
    taken_up = sum(
        any(lemmas & earlier for earlier in said[max(0, at - BACK) : at]) for at, lemmas in enumerate(said) if at
    )
    paragraphs = sum(any(line.startswith(PARAGRAPH) for line in sentence.comments) for sentence in doc.sentences)
    share = SHARE_OF_PARAGRAPHS if paragraphs == len(doc.sentences) else SHARE
    return taken_up < share * (len(said) - 1)


CLAUSES = frozenset({"root", "conj", "advcl", "ccomp", "xcomp", "parataxis", "acl", "appos", "csubj"})
"""Relations of verbs that a pronoun may take up with all that is said there."""
PARTS = frozenset({"fixed", "goeswith", "case", "cc", "mark", "cop", "aux", "punct", "discourse"})
"""Relations of nouns that are no mention in any corpus."""

HEADS: Mapping[str, Callable[[str], bool]] = {
    "NOUN": lambda base: base not in PARTS,
    "PROPN": lambda base: base not in PARTS,
    "NUM": lambda base: base not in PARTS,
    "PRON": lambda base: base not in ("mark", "case", "cc"),
    "VERB": lambda base: base in CLAUSES,
    "ADJ": lambda base: base in ARGUMENTS and base != "root",
}
"""By tag: the relations with which a word may be the head of a mention."""


@dataclass(slots=True)
class Reading:
    """A document as the model sees it. Candidates stand in reading order; `index` of each is its place."""

    doc: Document
    words: Words
    voices: Voices
    candidates: list[Candidate]
    links: dict[tuple[int, int], str] = field(default_factory=dict)
    """Pairs that a sieve linked, later candidate first, with the name of the sieve."""
    known: list[tuple[int, int, int]] = field(default_factory=list)
    """Of each candidate: number, gender and animacy of its entity by the sieves."""
    heap: bool = False
    """Whether links stay in their sentence."""
    shared: frozenset[int] = frozenset()
    """Words that are written in one with the word before them."""


def read_document(doc: Document, *, given_only: bool = False) -> Reading:
    """Find and describe the candidates, or take the mentions that the document came with."""
    words = Words(doc, language_of(doc))
    voices = Voices(doc, words)
    own = given(doc, words) if given_only else detect(words, extraposed=True)
    extra = [] if given_only else other_candidates(words, {mention.head for mention in own})
    for candidate in (*own, *extra):
        describe(candidate, words)
    traced: list[tuple[str, Candidate, Candidate]] = []
    heap = is_heap(doc, words)
    state = State(words, voices, own, within_sentences=heap)
    state.trace = lambda sieve, mention, other: traced.append((sieve, mention, other))
    state.run(SIEVES)
    groups = [*state.groups, *map(Group, extra)]
    for number, candidate in enumerate(extra, len(own)):  # entities of their own
        candidate.entity = number
    candidates = sorted((*own, *extra), key=lambda mention: (mention.start, -mention.end, mention.head))
    for index, candidate in enumerate(candidates):
        candidate.index = index
    links = {(max(a.index, b.index), min(a.index, b.index)): sieve for sieve, a, b in traced}
    known = [(of.number, of.gender, of.animacy) for of in (groups[mention.entity] for mention in candidates)]
    shared = frozenset(at for multiword in doc.tokens.multiwords for at in range(multiword.start + 1, multiword.end))
    return Reading(doc, words, voices, candidates, links, known, heap, shared)


def other_candidates(words: Words, known: set[int]) -> list[Candidate]:
    """A candidate for every head that the sieves leave out and some corpus might annotate."""
    candidates = []
    for head in range(words.size):
        if head not in known and _may_be_head(words, head):
            candidate = Candidate(*_span(words, head), head)
            candidate.optional = True
            candidates.append(candidate)
    return candidates


def _may_be_head(words: Words, head: int) -> bool:
    upos, base = words.upos[head], words.bases[head]
    features = words.features[head]
    if head in words.empty:
        return upos not in ("VERB", "AUX", "ADP", "PUNCT")
    if upos == "DET":
        return base != "det" or features.get("Poss") == "Yes"
    if upos == "ADV":
        return features.get("PronType", "") in ("Dem", "Prs")
    return upos in HEADS and HEADS[upos](base)


def _span(words: Words, head: int) -> tuple[int, int]:
    """A clause goes as far as its verb and what stands beside it: what it means is told by its head."""
    return (head, head + 1) if words.upos[head] in ("VERB", "ADV") else span(words, head)
