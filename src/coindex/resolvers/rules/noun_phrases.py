"""The noun phrases and pronouns that a simple resolver chooses from: given ones, or found by what a document has.

Trees: every noun, name and pronoun that is no part of a name, of a compound or of a fixed expression heads a phrase,
which reaches over all that depends on it except prepositions and conjunctions, the other members of a coordination,
appositions, and what belongs to the clause where the noun is its predicate. Empty nodes that are pronouns are found.

Tags only (UPOS, or those of `word_classes`): determiners, numbers and adjectives up to the last of a row of nouns.

Neither: English by the word lists of `shallow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...document import Document, Mention, Span
from ...document.trees import Trees
from ...errors import CoindexError
from ..languages import Language, language, language_of
from ..needs import shown_name
from .english import PERSONAL, RELATIVES
from .head_words import head_word
from .shallow import find_phrases
from .word_classes import has_classes, is_pronominal, is_zero_pronoun, points_back, word_class

NOMINAL = frozenset(("NOUN", "PROPN", "PRON"))
PARTS = frozenset(("flat", "fixed", "compound", "goeswith", "expl", "case", "mark", "cc", "discourse", "reparandum"))
OUTSIDE = frozenset(
    """
    case mark cc conj appos parataxis punct cop aux nsubj csubj expl advcl discourse vocative advmod obl orphan
    dislocated
    """.split()  # noqa: SIM905 - a list of words is easier to read than a list of strings
)
SIGNS = frozenset(("PUNCT", "SYM"))
LONGEST = 150
"""Phrases with more words are cut down to their heads: a sentence as long as a book must not fill the memory."""
RAW_LANGUAGE = "en"


class Phrase(NamedTuple):
    """A mention, its head, and whether it is a pronoun that asks for an antecedent."""

    mention: Mention
    head: int
    is_anaphor: bool


def assumed_language(doc: Document) -> Language:
    """The language of the document; a text without tags that does not tell it is English."""
    found = language_of(doc)
    return found if found.code or has_classes(doc) else language(RAW_LANGUAGE)


def given_phrases(doc: Document) -> list[Phrase]:
    """The mentions that the document has; the anaphors are those that it names, else all pronouns and zeros."""
    mentions = [mention for mention, _ in doc.mentions()]
    trees, spoken = Trees(doc), assumed_language(doc)
    asks = any("anaphoric" in mention.attributes for mention in mentions)

    def is_anaphor(mention: Mention) -> bool:
        if asks:
            return mention.attributes.get("anaphoric") == "yes"
        return is_pronominal(mention, spoken)

    return [Phrase(mention, head_word(mention, trees), is_anaphor(mention)) for mention in mentions]


def found_phrases(doc: Document) -> list[Phrase]:
    """The mentions that the document seems to have."""
    trees = Trees(doc)
    if trees.has_trees:
        spans = list(_from_trees(doc, trees))
    elif has_classes(doc):
        spans = list(_from_tags(doc))
    else:
        return list(_from_words(doc))
    tokens = doc.tokens
    return [
        Phrase(doc.mention(range(start, end), head=head), head, points_back(tokens[head]))
        for (start, end), head in _once(spans, trees).items()
    ]


def _once(spans: list[tuple[int, int, int]], trees: Trees) -> dict[Span, int]:
    """The spans with their heads; where branches cross, two nouns may reach over the same words: the upper counts."""
    heads: dict[Span, int] = {}
    for start, end, head in spans:
        parent = trees.parents[head]
        is_upper = parent is None or not start <= parent < end
        if is_upper or (start, end) not in heads:
            heads[start, end] = head
    return heads


def _from_trees(doc: Document, trees: Trees) -> Iterator[tuple[int, int, int]]:
    tokens = doc.tokens
    firsts, lasts = _extents(trees)
    for head, token in enumerate(tokens):
        if token.is_empty:
            if is_zero_pronoun(token):
                yield head, head + 1, head
            continue
        is_owner = token.upos == "DET" and points_back(token)
        if is_owner:
            yield head, head + 1, head
        if token.upos not in NOMINAL or token.deprel.partition(":")[0] in PARTS:
            continue
        inside = [c for c in trees.children[head] if tokens[c].deprel.partition(":")[0] not in OUTSIDE]
        start = min([head, *(firsts[child] for child in inside)])
        end = max([head, *(lasts[child] for child in inside)]) + 1
        if end - start > LONGEST:
            start, end = head, head + 1
        while end - 1 > head and (tokens[end - 1].upos in SIGNS or tokens[end - 1].is_empty):
            end -= 1
        while start < head and (tokens[start].upos in SIGNS or tokens[start].is_empty):
            start += 1
        yield start, end, head


def _extents(trees: Trees) -> tuple[list[int], list[int]]:
    """The first and the last word below each, itself included."""
    firsts = list(range(len(trees.parents)))
    lasts = firsts.copy()
    order = [position for position, parent in enumerate(trees.parents) if parent is None]
    for position in order:  # grows while it is walked; what hangs in a cycle is never reached
        order.extend(trees.children[position])
    for position in reversed(order):
        parent = trees.parents[position]
        if parent is not None:
            firsts[parent] = min(firsts[parent], firsts[position])
            lasts[parent] = max(lasts[parent], lasts[position])
    return firsts, lasts


def _from_tags(doc: Document) -> Iterator[tuple[int, int, int]]:
    classes = [word_class(token) for token in doc.tokens]
    for sentence in doc.sentences:
        start = sentence.start
        for position in range(sentence.start, sentence.end):
            kind = classes[position]
            following = classes[position + 1] if position + 1 < sentence.end else ""
            owner = points_back(doc.tokens[position])
            if kind == "PRON" or owner:
                yield position, position + 1, position
            if kind in ("NOUN", "PROPN") and following not in ("NOUN", "PROPN"):
                yield start, position + 1, position
                start = position + 1
            elif kind not in ("DET", "NUM", "ADJ", "NOUN", "PROPN") and not owner:
                start = position + 1


def _from_words(doc: Document) -> Iterator[Phrase]:
    code = assumed_language(doc).code
    if code != RAW_LANGUAGE and len(doc.tokens):
        raise CoindexError(
            f"{shown_name(doc)}: language {code!r} without tags or trees; expected English, or a text with "
            "part-of-speech tags; parse it first, as in 'spacy(MODEL) + nearest-np', or give its mentions"
        )
    for position, form in enumerate(doc.tokens.forms):
        word = form.lower()
        if word in PERSONAL or word in RELATIVES:
            yield Phrase(doc.mention([position], head=position), position, True)
    for start, end, head in find_phrases(doc):
        yield Phrase(doc.mention(range(start, end), head=head), head, False)
