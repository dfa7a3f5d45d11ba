"""Kinds of mentions (pronoun, name, common noun), and quotations with their turns.

Quotations matter for pronouns: *I* in one quotation is always the same person, in two neighbouring turns it usually
refers to two people, and *I* inside a quotation can corefer with *he* outside, but *he* inside rarely does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...document import Span
from ..neural.words import DocumentWords, Ints

# Pronouns that behave alike; the encoder distinguishes them further.
FAMILIES = {
    "i": "i me my mine myself",
    "we": "we us our ours ourselves 's",
    "you": "you your yours yourself yourselves ya thou thee thy thine thyself",
    "he": "he him his himself",
    "she": "she her hers herself",
    "it": "it its itself",
    "they": "they them their theirs themselves themself 'em",
    "this": "this",
    "that": "that",
    "these": "these those",
    "who": "who whom whose which what whoever whatever",
    "place": "here there now then where today tomorrow yesterday",
    "some": "one ones some all both none each many most several few other others another everyone everybody everything "
    "someone somebody something anyone anybody anything nobody nothing such more",
}
DETERMINERS = {
    "definite": "the",
    "indefinite": "a an",
    "demonstrative": "this that these those such",
    "possessive": "my your his her its our their whose thy",
    "quantified": "some any no every each all both many several few most much more another other one two three four "
    "five six seven eight nine ten dozens hundreds thousands",
}
KINDS = ("bare", "name", "initial", *DETERMINERS, *FAMILIES)
"""`initial` is a capitalized word at the start of a sentence, which may be a name."""
FAMILY_OF = {word: KINDS.index(family) for family, words in FAMILIES.items() for word in words.split()}
DETERMINER_OF = {word: KINDS.index(kind) for kind, words in DETERMINERS.items() for word in words.split()}
PRONOUNS = frozenset(KINDS.index(family) for family in FAMILIES)

NUMBERS = ("unknown", "singular", "plural")
PLURAL_WORDS = "people men women children police feet teeth mice they we these those us them ones both"
PLURAL = frozenset(PLURAL_WORDS.split())
SINGULAR_WORDS = "i he she it me him this that himself herself itself myself his her its my one"
SINGULAR = frozenset(SINGULAR_WORDS.split())
# The head precedes the first of these words.
STOPPERS = frozenset(
    """
    of in on at by for from to with without about into over under after before between through during against among
    across behind beyond near since until upon within toward towards like as than
    who whom whose which that where when why
    , ; : ( [ - -- – — . ? !
    """.split()  # noqa: SIM905 - a list of words is easier to read than a list of strings
)
POSSESSIVE_MARKS = frozenset({"'s", "’s", "'", "’"})


def rule_head(forms: Sequence[str], span: Span) -> int:
    """Return the head of a mention without a tree or model: the last word before its postmodifiers."""
    start, end = span
    last = end - 1
    for word in range(start + 1, end):
        if forms[word].lower() in STOPPERS:
            last = word - 1
            break
    if last > start and forms[last] in POSSESSIVE_MARKS:
        last -= 1
    return last


def kind_of(forms: Sequence[str], span: Span, sentence_start: int) -> int:
    """Return the index of the kind of the mention in `KINDS`."""
    start, end = span
    first = forms[start].lower()
    if end - start == 1 and first in FAMILY_OF:
        return FAMILY_OF[first]
    head = rule_head(forms, span)
    if forms[head][:1].isupper():
        return KINDS.index("initial" if head == sentence_start else "name")
    if first in DETERMINER_OF:
        return DETERMINER_OF[first]
    if any(forms[word] in POSSESSIVE_MARKS for word in range(start, head)):
        return KINDS.index("possessive")
    return KINDS.index("quantified" if first[:1].isdigit() else "bare")


def number_of(forms: Sequence[str], span: Span) -> int:
    """Return whether the mention is singular or plural, as an index into `NUMBERS`."""
    head = rule_head(forms, span)
    word = forms[head].lower()
    if word in PLURAL or any(forms[at].lower() == "and" for at in range(span[0] + 1, head)):
        return 2
    if word in SINGULAR:
        return 1
    if not word.isalpha() or forms[head][:1].isupper():
        return 0
    return 2 if word.endswith("s") and not word.endswith(("ss", "us", "is")) else 1


MARKS = {'"': '"', "“": "”", "``": "''", "‘": "’", "«": "»"}
"""Closing quotation marks by opening marks."""
PERSONS = ("i", "you", "we", "he", "she")
CLASSES = len(PERSONS) + 1
CLASS_OF = np.array([PERSONS.index(kind) + 1 if kind in PERSONS else 0 for kind in KINDS], dtype=np.int64)
"""The class of each kind of mention: one for each person, and 0 for others."""
ASIDE = 20
"""Maximum length in words of an aside between two parts of a turn: *said the old man, smiling*."""
OUTSIDE, ENTERED, LEFT, SAME, FIRST_TURN = range(5)
"""Both outside of quotations, only the anaphor inside, only the candidate, both in one; then by turns in between."""
TURNS = 6
"""The same turn; one, two or three turns later; then even and odd numbers of turns."""
PLACES = FIRST_TURN + TURNS


class Quotes(NamedTuple):
    """The numbers of the quotation and the turn of each word, from 1; 0 outside of quotations."""

    quote: Ints
    turn: Ints


def find_quotes(words: DocumentWords) -> Quotes:
    """Find the quotations of a document.

    A turn continues after an aside that starts with a lowercase letter. A straight quotation mark at the end of a
    sentence does not open a quotation.
    """
    quote, turn = (np.zeros(len(words), dtype=np.int64) for _ in range(2))
    forms = words.forms
    last_words = {end - 1 for start, end in words.sentences if end - start > 1}
    quotes = turns = begin = closed = 0
    ending = ""
    for word, form in enumerate(forms):
        if ending:
            if form == ending or (form == "”" and ending == '"'):
                quote[begin:word], turn[begin:word] = quotes, turns
                closed, ending = word + 1, ""
        elif form in MARKS and not (form == '"' and word in last_words):
            continues = quotes and 0 < word - closed <= ASIDE and forms[closed][:1].islower()
            quotes += 1
            turns += 0 if continues else 1
            begin, ending = word + 1, MARKS[form]
    if ending:
        quote[begin:], turn[begin:] = quotes, turns
    return Quotes(quote, turn)


def compare_quotes(quotes: Quotes, anaphor: Ints, candidate: Ints) -> Ints:
    """Return the relation between the quotations of each pair of words, as a number below `PLACES`."""
    mine, other = quotes.quote[anaphor], quotes.quote[candidate]
    apart = np.maximum(quotes.turn[anaphor] - quotes.turn[candidate], 0)
    later = FIRST_TURN + np.where(apart < TURNS - 2, apart, TURNS - 2 + apart % 2)
    both = np.where(mine == other, SAME, later)
    return np.where(mine > 0, np.where(other > 0, both, ENTERED), np.where(other > 0, LEFT, OUTSIDE))
