"""Mentions from trees: noun phrases with all that hangs inside them, pronouns, possessives, zeros, coordinations.

A phrase holds its determiners, adjectives, compounds, complements and relative clauses; prepositions, punctuation at
its edges and other members of a coordination are outside, and so are a predicate's subject and copula. Whether an
apposition is a mention of its own or part of the phrase it stands beside is a matter of the language's corpora.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...document import Document
from ...document.heads import find_heads
from .candidates import MANY, NONE, Candidate, Words

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
"""Parts of speech that members of a coordination have."""
LONGEST = 250
"""Words of the longest phrase; a tree that makes a longer one is broken, and its head alone is taken."""
TITLE = "nmod:desc"
"""English trees hang the title of a name so; it is no mention."""
INTERROGATIVE = ("Int", "Exc")


def detect(words: Words, *, extraposed: bool) -> list[Candidate]:
    """All mentions, in the order of their heads."""
    found: list[Candidate] = []
    for position in range(words.size):
        if is_mention_head(words, position):
            found += around(words, position)
        elif extraposed and words.bases[position] == "expl":
            found += with_its_clause(words, position)
    return found


def is_mention_head(words: Words, position: int) -> bool:
    """Whether a mention is built around this word."""
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


def _is_pronoun_mention(words: Words, position: int) -> bool:
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


def around(words: Words, head: int) -> Iterator[Candidate]:
    """The phrase of a head, and the coordination that begins with it.

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


def last_member(words: Words, head: int) -> int:
    """The last noun that is coordinated with this one, NONE where there is none."""
    if words.upos[head] in MEMBERS:
        for child in reversed(words.children[head]):
            if words.bases[child] == "conj" and child > head and words.upos[child] in MEMBERS:
                return child
    return NONE


def _name_head(words: Words, head: int) -> int:
    if words.language.last_name_heads and words.upos[head] == "PROPN":
        parts = [child for child in words.children[head] if words.bases[child] == "flat"]
        return parts[-1] if parts else head
    return head


def span(words: Words, head: int) -> tuple[int, int]:
    """The words around a head that belong to its phrase, without a gap."""
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
    return _trimmed(words, start, end, head)


def _is_inside(words: Words, child: int) -> bool:
    base = words.bases[child]
    if base == "appos":
        return not words.language.appositions
    if base == "case":
        return child > words.parents[child]  # the 's of a possessive
    return base in INSIDE or child in words.empty


def _adjoins(words: Words, left: int, right: int) -> bool:
    """Whether nothing but a few marks and empty nodes stands between."""
    return right - left < MANY and all(words.upos[at] == "PUNCT" or at in words.empty for at in range(left, right))


def _trimmed(words: Words, start: int, end: int, head: int) -> tuple[int, int]:
    """Without punctuation and empty nodes at the edges."""
    while start < head and (words.upos[start] == "PUNCT" or start in words.empty):
        start += 1
    while end - 1 > head and (words.upos[end - 1] == "PUNCT" or end - 1 in words.empty):
        end -= 1
    return start, end


def with_its_clause(words: Words, position: int) -> Iterator[Candidate]:
    """An expletive pronoun and the clause that it announces: it and to see you in "it is good to see you"."""
    parent = words.parents[position]
    clause = words.child(parent, "csubj") if parent != NONE else NONE
    if clause == NONE or words.upos[clause] != "VERB" or words.upos[position] != "PRON":
        return
    if words.right[clause] - words.left[clause] >= LONGEST:
        return
    for candidate in (
        Candidate(position, position + 1, position),
        Candidate(*_trimmed(words, words.left[clause], words.right[clause] + 1, clause), clause),
    ):
        candidate.optional = True
        yield candidate


def given(doc: Document, words: Words) -> list[Candidate]:
    """The mentions that the document came with, each with a head."""
    found = []
    for entity in find_heads(doc).entities:
        for mention in entity.mentions:
            head = mention.start if mention.head is None else mention.head
            candidate = Candidate(mention.start, mention.end, head)
            candidate.mention = mention
            candidate.whole = last_member(words, head) in mention.positions
            found.append(candidate)
    return found
