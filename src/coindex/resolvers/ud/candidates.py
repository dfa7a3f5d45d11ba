"""Mention candidates of a document, and the style of a corpus: which words of a subtree belong to a mention.

The mentions of the sieves come first. Optional candidates are heads that only some corpora annotate: appositions,
relative pronouns, parts of names, clauses, places, and adjectives used as nouns. The model decides which to use.

A style specifies which direct children of a head, by relation and side, are inside of a mention. It is learned from
each corpus by counting. For unknown relations, the phrases of the sieves are used.

Some documents are collections of unrelated sentences, such as treebanks of examples or user queries. In a text, most
sentences repeat a content word of the preceding ones: of the training documents with at least 20 sentences and links
across sentences, none has a share below 0.16.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...document import Document
from ..linguistics.languages import language_of
from ..sieves.attributes import CONTENT, describe
from ..sieves.candidates import MANY, Candidate, TreeColumns, Voices
from ..sieves.engine import Group, State
from ..sieves.resolver import ARGUMENTS, INSIDE, LONGEST, SIEVES, detect, read_candidates, span

WHOLE = frozenset({"conj", "cc"})
"""Relations that only belong to a coordination as a whole."""


@dataclass(frozen=True, slots=True)
class Style:
    """The annotation style of a corpus. Keys such as `n:acl:R` or `v:obj:L` are noun or verb, relation, side."""

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


def child_key(words: TreeColumns, head: int, child: int) -> str:
    return f"{_kind(words, head)}:{words.bases[child]}:{'L' if child < head else 'R'}"


def _kind(words: TreeColumns, head: int) -> str:
    return "v" if words.upos[head] in ("VERB", "AUX") else "n"


def mention_positions(words: TreeColumns, candidate: Candidate, style: Style) -> tuple[int, ...]:
    """Return the words of a candidate in a style, in order."""
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


def remove_shared(positions: tuple[int, ...], head: int, shared: frozenset[int]) -> tuple[int, ...]:
    """Remove a determiner that is contracted with the word before the mention (del = de + el)."""
    return positions[1:] if positions[0] in shared and positions[0] != head else positions


def subtree(words: TreeColumns, top: int) -> set[int]:
    """Return a word and all its descendants."""
    positions = {top}
    left = [top]
    while left and len(positions) <= LONGEST:
        below = [child for child in words.children[left.pop()] if child not in positions]
        positions.update(below)
        left += below
    return positions


def _tidy(words: TreeColumns, positions: set[int], head: int, *, marks: set[int], gaps: bool) -> tuple[int, ...]:
    """Remove punctuation at the edges except `marks`, include it and empty nodes inside, and handle gaps."""
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
"""Minimum number of sentences with content words for a decision."""
BACK = 3
"""Number of preceding sentences that are compared."""
SHARE = 0.16
"""Minimum share of sentences of a text that repeat a content word."""
SHARE_OF_PARAGRAPHS = 0.25
"""The same if every sentence is a paragraph."""
PARAGRAPH = "# newpar"


def is_heap(doc: Document, words: TreeColumns) -> bool:
    """Return whether the document is a collection of unrelated sentences."""
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
"""Relations of verbs whose clauses pronouns can refer to."""
PARTS = frozenset({"fixed", "goeswith", "case", "cc", "mark", "cop", "aux", "punct", "discourse"})
"""Relations of nouns that are not mentions in any corpus."""

HEADS: Mapping[str, Callable[[str], bool]] = {
    "NOUN": lambda base: base not in PARTS,
    "PROPN": lambda base: base not in PARTS,
    "NUM": lambda base: base not in PARTS,
    "PRON": lambda base: base not in ("mark", "case", "cc"),
    "VERB": lambda base: base in CLAUSES,
    "ADJ": lambda base: base in ARGUMENTS and base != "root",
}
"""The relations of possible heads of mentions, by tag."""


@dataclass(slots=True)
class Reading:
    """A document as the input of the model. Candidates are in reading order; `index` is their position."""

    doc: Document
    words: TreeColumns
    voices: Voices
    candidates: list[Candidate]
    links: dict[tuple[int, int], str] = field(default_factory=dict)
    """Pairs linked by a sieve, the later candidate first, with the name of the sieve."""
    known: list[tuple[int, int, int]] = field(default_factory=list)
    """Number, gender and animacy of the entity of each candidate by the sieves."""
    heap: bool = False
    """Whether links stay within sentences."""
    shared: frozenset[int] = frozenset()
    """Words that are contracted with the preceding word."""


def read_document(doc: Document, *, given_only: bool = False) -> Reading:
    """Find and describe the candidates, or use only the given mentions of the document."""
    words = TreeColumns(doc, language_of(doc))
    voices = Voices(doc, words)
    own = read_candidates(doc, words) if given_only else detect(words, extraposed=True)
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


def other_candidates(words: TreeColumns, known: set[int]) -> list[Candidate]:
    """Return candidates for heads that the sieves ignore and some corpora annotate."""
    candidates = []
    for head in range(words.size):
        if head not in known and _may_be_head(words, head):
            candidate = Candidate(*_span(words, head), head)
            candidate.optional = True
            candidates.append(candidate)
    return candidates


def _may_be_head(words: TreeColumns, head: int) -> bool:
    upos, base = words.upos[head], words.bases[head]
    features = words.features[head]
    if head in words.empty:
        return upos not in ("VERB", "AUX", "ADP", "PUNCT")
    if upos == "DET":
        return base != "det" or features.get("Poss") == "Yes"
    if upos == "ADV":
        return features.get("PronType", "") in ("Dem", "Prs")
    return upos in HEADS and HEADS[upos](base)


def _span(words: TreeColumns, head: int) -> tuple[int, int]:
    """Return the span of a candidate; clauses and adverbs are reduced to their heads."""
    return (head, head + 1) if words.upos[head] in ("VERB", "ADV") else span(words, head)
