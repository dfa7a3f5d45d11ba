"""The sieve resolver: mentions from trees, passes ordered by precision, entities with provenance.

Mentions are noun phrases, pronouns, possessives, zeros and coordinations. A phrase includes its determiners,
adjectives, compounds, complements and relative clauses. It excludes prepositions, punctuation at its edges, other
conjuncts, and the subject and copula of a predicate. Whether an apposition is a separate mention or part of the phrase
depends on the corpora of the language.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...document import Document, Mention
from ...document.heads import find_heads
from ...formats.registry import Option
from ..clusters import add_provenance, with_clusters
from ..linguistics.languages import language_of
from ..resolver import Resolver, Step
from .attributes import describe
from .candidates import MANY, NONE, Candidate, TreeColumns, Voices
from .engine import Sieve, State
from .passes import (
    acronyms,
    appositions,
    copulas,
    exact,
    extraposed,
    heads,
    names,
    possessives,
    pronouns,
    relatives,
    relaxed_strings,
    speakers,
)

NEVER = frozenset(
    {
        "flat", "fixed", "goeswith", "discourse", "case", "cc", "mark", "amod", "advmod",
        "det", "nummod", "cop", "aux", "punct", "expl", "clf",
    }
)  # fmt: skip
NOMINAL = frozenset(
    {
        "nsubj", "obj", "iobj", "obl", "nmod", "appos", "conj", "root", "vocative", "dislocated", "ccomp", "xcomp",
        "advcl", "acl", "parataxis", "list", "dep", "orphan", "reparandum", "csubj",
    }
)  # fmt: skip
ARGUMENTS = frozenset({"nsubj", "obj", "iobj", "obl", "nmod", "conj", "root", "dislocated", "appos"})
INSIDE = frozenset({"det", "amod", "nmod", "compound", "flat", "acl", "nummod", "fixed", "goeswith", "clf", "case"})
MEMBERS = frozenset({"NOUN", "PROPN", "PRON", "NUM", "X"})
"""Parts of speech of conjuncts."""
LONGEST = 250
"""Maximum length of a phrase; longer ones come from broken trees and are reduced to their heads."""
TITLE = "nmod:desc"
"""The relation of the title of a name in English trees; it is not a mention."""
INTERROGATIVE = ("Int", "Exc")


def detect(words: TreeColumns, *, extraposed: bool) -> list[Candidate]:
    """Detect all mentions, in the order of their heads."""
    candidates: list[Candidate] = []
    for position in range(words.size):
        if is_mention_head(words, position):
            candidates += around(words, position)
        elif extraposed and words.bases[position] == "expl":
            candidates += with_its_clause(words, position)
    return candidates


def is_mention_head(words: TreeColumns, position: int) -> bool:
    """Return whether the word is the head of a mention."""
    upos, base = words.upos[position], words.bases[position]
    if base == "appos" and not words.language.appositions:
        return False
    if upos in ("NOUN", "PROPN"):
        return base not in NEVER and words.relations[position] != TITLE
    if position in words.empty:
        return upos in ("PRON", "DET", "_") and base != "dep"
    if upos in ("PRON", "DET"):
        return _is_pronoun_mention(words, position)
    if upos in ("NUM", "X", "SYM"):
        return base in NOMINAL
    return upos == "ADJ" and base in ARGUMENTS and words.has(position, "det") and not words.has(position, "cop")


def _is_pronoun_mention(words: TreeColumns, position: int) -> bool:
    features, base = words.features[position], words.bases[position]
    kind = features.get("PronType", "")
    if words.lower[position] in words.language.silent or base == "expl":
        return False
    if features.get("Poss") == "Yes" and kind in ("Prs", ""):
        return True
    if base in NEVER:
        return False
    if kind.endswith("Rel"):
        return words.language.relatives
    return kind not in INTERROGATIVE and (words.upos[position] == "PRON" or base in ARGUMENTS)


def around(words: TreeColumns, head: int) -> Iterator[Candidate]:
    """Yield the phrase of a head, and the coordination that starts with it.

    A coordination, a noun in a compound and a noun of fixed phrases are mentions only if something refers to them.
    """
    start, end = span(words, head)
    candidate = Candidate(start, end, _name_head(words, head))
    is_vague = end - start == 1 and words.lemmas[head] in words.language.vague
    candidate.optional = is_vague or words.bases[head] == "compound"
    yield candidate
    last = last_member(words, head)
    if last != NONE:
        whole = Candidate(start, max(span(words, last)[1], end), head)
        whole.whole = whole.optional = True
        if whole.end - start <= LONGEST:
            yield whole


def last_member(words: TreeColumns, head: int) -> int:
    """Return the last conjunct of a noun, or NONE."""
    if words.upos[head] in MEMBERS:
        for child in reversed(words.children[head]):
            if words.bases[child] == "conj" and child > head and words.upos[child] in MEMBERS:
                return child
    return NONE


def _name_head(words: TreeColumns, head: int) -> int:
    if words.language.last_name_heads and words.upos[head] == "PROPN":
        parts = [child for child in words.children[head] if words.bases[child] == "flat"]
        return parts[-1] if parts else head
    return head


def span(words: TreeColumns, head: int) -> tuple[int, int]:
    """Return the contiguous span of the phrase of a head."""
    start, end = head, head + 1
    for child in reversed(words.children[head]):
        if child < head:
            if not _is_inside(words, child) or not _adjoins(words, words.right[child] + 1, start):
                break
            start = min(start, words.left[child])
    for child in words.children[head]:
        if child > head and words.bases[child] != "punct":
            if not _is_inside(words, child) or not _adjoins(words, end, words.left[child]):
                break
            end = max(end, words.right[child] + 1)
    if end - start > LONGEST:
        return head, head + 1
    return _trim(words, start, end, head)


def _is_inside(words: TreeColumns, child: int) -> bool:
    base = words.bases[child]
    if base == "appos":
        return not words.language.appositions
    if base == "case":
        return child > words.parents[child]  # the 's of a possessive
    return base in INSIDE or child in words.empty


def _adjoins(words: TreeColumns, left: int, right: int) -> bool:
    """Return whether only punctuation and empty nodes are in between."""
    return right - left < MANY and all(words.upos[at] == "PUNCT" or at in words.empty for at in range(left, right))


def _trim(words: TreeColumns, start: int, end: int, head: int) -> tuple[int, int]:
    """Remove punctuation and empty nodes at the edges."""
    while start < head and (words.upos[start] == "PUNCT" or start in words.empty):
        start += 1
    while end - 1 > head and (words.upos[end - 1] == "PUNCT" or end - 1 in words.empty):
        end -= 1
    return start, end


def with_its_clause(words: TreeColumns, position: int) -> Iterator[Candidate]:
    """Yield an expletive pronoun and its clause: *it* and *to see you* in "it is good to see you"."""
    parent = words.parents[position]
    clause = words.child(parent, "csubj") if parent != NONE else NONE
    if clause == NONE or words.upos[clause] != "VERB" or words.upos[position] != "PRON":
        return
    if words.right[clause] - words.left[clause] >= LONGEST:
        return
    for candidate in (
        Candidate(position, position + 1, position),
        Candidate(*_trim(words, words.left[clause], words.right[clause] + 1, clause), clause),
    ):
        candidate.optional = True
        yield candidate


def read_candidates(doc: Document, words: TreeColumns) -> list[Candidate]:
    """Return the given mentions of the document, with heads."""
    candidates = []
    for entity in find_heads(doc).entities:
        for mention in entity.mentions:
            head = mention.start if mention.head is None else mention.head
            candidate = Candidate(mention.start, mention.end, head)
            candidate.mention = mention
            candidate.whole = last_member(words, head) in mention.positions
            candidates.append(candidate)
    return candidates


# The precision of a sieve is the share of its links with both mentions in the same key entity, measured on GUM train
# with gold trees, after all preceding sieves; for relative pronouns, which GUM does not annotate, on AnCora dev. Names
# and strings come before pronouns, which use their attributes.
SIEVES = (
    Sieve("speakers", speakers.run, 0.889),
    Sieve("relatives", relatives.run, 0.778),
    Sieve("extraposed", extraposed.run, 0.815),
    Sieve("acronyms", acronyms.run, 0.845),
    Sieve("appositions", appositions.run, 0.728),
    Sieve("copulas", copulas.run, 0.733),
    Sieve("exact", exact.run, 0.727),
    Sieve("names", names.run, 0.594),
    Sieve("pronouns", pronouns.run, 0.667),
    Sieve("relaxed-strings", relaxed_strings.run, 0.572),
    Sieve("heads", heads.strict, 0.645),
    Sieve("possessives", possessives.run, 0.564),
    Sieve("relaxed-heads", heads.relaxed, 0.345),
)
PRECISION = {sieve.name: sieve.precision for sieve in SIEVES}
FIRST = "mentions"
"""The provenance of mentions that no sieve linked to an earlier one."""


@dataclass(frozen=True, slots=True)
class Sieves:
    """The sieve resolver as a step."""

    detected: bool = True
    singletons: bool = True
    extraposed: bool = False
    within_sentences: bool = False

    def __call__(self, doc: Document) -> Document:
        state = self.prepare(doc)
        state.run(SIEVES)
        return entities(doc, state, singletons=self.singletons)

    def prepare(self, doc: Document) -> State:
        """Return the state before any pass, with described candidates."""
        words = TreeColumns(doc, language_of(doc))
        candidates = detect(words, extraposed=self.extraposed) if self.detected else read_candidates(doc, words)
        for candidate in candidates:
            describe(candidate, words)
        return State(words, Voices(doc, words), candidates, within_sentences=self.within_sentences)


def entities(doc: Document, state: State, *, singletons: bool) -> Document:
    """Return the document with the entities of the passes."""
    kept = (
        group.members
        for group in state.groups
        if len(group.members) > 1 or (group.members and singletons and not group.members[0].optional)
    )
    return with_clusters(doc, [_mentions(doc, members) for members in kept])


def _mentions(doc: Document, members: list[Candidate]) -> list[Mention]:
    """Return the mentions of an entity with distinct spans.

    A sieve that links the first mention to a later one (the *I* of a quotation to its speaker) is recorded there.
    """
    members.sort(key=lambda member: member.index)
    default = next((member.by for member in members if member.by), FIRST)
    unique: dict[tuple[int, ...], Mention] = {}
    for number, candidate in enumerate(members):
        mention = candidate.mention or Mention(doc.tokens, tuple(range(candidate.start, candidate.end)), candidate.head)
        by = (candidate.by or default) if number else FIRST
        unique.setdefault(mention.positions, add_provenance(mention, f"sieves/{by}", PRECISION.get(by)))
    return list(unique.values())


def make(*, mentions: str, singletons: str = "yes", extraposed: str = "no", reach: str = "document") -> Step:
    """Return the step; `RESOLVER` describes the options."""
    return Sieves(
        detected=mentions == "detected",
        singletons=singletons == "yes",
        extraposed=extraposed == "yes",
        within_sentences=reach == "sentence",
    )


RESOLVER = Resolver(
    name="sieves",
    kind="rules",
    summary="rule passes over UD trees, most precise first, including zeros",
    make=make,
    needs=("trees",),
    source="ours, after the multi-pass sieve of Lee et al. 2013",
    options=(
        Option("singletons", ("yes", "no"), "whether to keep mentions without a link"),
        Option(
            "extraposed",
            ("no", "yes"),
            "whether to link an expletive pronoun to the clause it anticipates (it is good to see you), as in GUM",
        ),
        Option(
            "reach",
            ("document", "sentence"),
            "how far links go; sentence: for collections of unrelated sentences",
        ),
    ),
)
