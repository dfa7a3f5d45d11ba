"""The words of a phrase: those of content, those to compare, its determiner, the name inside it."""

from __future__ import annotations

from .candidates import Candidate
from .words import Words

CONTENT = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "VERB", "X", "SYM"})
CAPITALS = frozenset({"PROPN", "X", "ADJ", "NUM", "NOUN", "VERB"})
"""Parts of speech that words before the head of a name have (United, New, Great)."""
LONGEST = 60
"""Words of a phrase that are compared, so that phrases inside phrases cost no more than the text is long."""


def modifiers(words: Words, candidate: Candidate) -> frozenset[str]:
    """What the words of content beside the head say; a relative clause says too much to be compared."""
    head, found = candidate.head, []
    for at in range(candidate.start, min(candidate.end, candidate.start + LONGEST)):
        if words.bases[at] == "acl" and words.parents[at] == head:
            break
        if at != head and words.upos[at] in CONTENT:
            found.append(words.lemmas[at])
    return frozenset(found)


def plain_text(words: Words, candidate: Candidate) -> str:
    """The words in lower case without articles, possessive marks, punctuation and empty nodes."""
    return " ".join(
        words.lower[at]
        for at in range(candidate.start, min(candidate.end, candidate.start + LONGEST))
        if words.upos[at] not in ("PUNCT", "PART")
        and at not in words.empty
        and words.features[at].get("PronType") != "Art"
    )


def definiteness(words: Words, candidate: Candidate) -> str:
    """How the phrase is determined: poss, dem, neg, def, indef, quant, num or nothing at all."""
    found = ""
    for child in words.children[candidate.head]:
        base, features = words.bases[child], words.features[child]
        if words.relations[child] == "nmod:poss" or features.get("Poss") == "Yes":
            return "poss"
        if base == "nummod":
            found = found or "num"
        elif base == "det":
            kind = features.get("PronType")
            if kind in ("Dem", "Neg") and not features.get("Definite"):
                return kind.lower()
            found = {"Def": "def", "Ind": "indef"}.get(features.get("Definite", ""), found or "quant")
    return found or {"Def": "def", "Ind": "indef"}.get(words.features[candidate.head].get("Definite", ""), "")


def name_inside(words: Words, candidate: Candidate) -> tuple[str, ...]:
    """The name that stands beside a noun in its phrase: "el ministro Juan Mora" is also Juan Mora."""
    for child in words.children[candidate.head]:
        if words.upos[child] == "PROPN" and words.bases[child] in ("appos", "flat") and child < candidate.end:
            return name_words(words, candidate, child)
    return ()


def name_words(words: Words, candidate: Candidate, head: int) -> tuple[str, ...]:
    """The name itself: the head with its compounds, flat parts and "of ..." names, titles left out."""
    start = head
    while start > max(candidate.start, head - LONGEST) and _begins_name(words, start - 1):
        start -= 1
    end = head
    for child in words.children[head]:
        if child > end and words.right[child] < candidate.end and _ends_name(words, child):
            end = words.right[child]
    end = min(end, head + LONGEST)
    inside = [words.lower[at] for at in range(start, end + 1) if words.upos[at] not in ("PUNCT", "DET", "PART")]
    bare = [word for word in inside if word not in words.language.titles]
    return tuple(bare or inside)


def _begins_name(words: Words, at: int) -> bool:
    return words.upos[at] in CAPITALS and words.forms[at][:1].isupper()


def _ends_name(words: Words, child: int) -> bool:
    """Whether a part behind the head belongs to the name: a family name, a number, or "of" and another name."""
    base = words.bases[child]
    if base in ("flat", "compound", "goeswith", "nummod"):
        return True
    is_next = words.left[child] - words.parents[child] == 1
    return base == "nmod" and words.upos[child] == "PROPN" and is_next and words.has(child, "case")
