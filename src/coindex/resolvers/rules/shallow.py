"""English noun phrases in raw text, found without tags: closed-class words, capitals, endings.

A phrase is opened by a determiner, a possessive, a capital letter inside a sentence, a number before a word, or by a
word that no list knows after a preposition or a common verb; it goes on to the next word that can be no part of one: a
preposition, conjunction, pronoun, verb or adverb of the lists, a word in -ly, a sign, or, once a noun has been seen, a
word in -ed or -ing. *John 's car* is a phrase and so is *John* in it. The head is the last word.

Limits: there is no list of all verbs, so *the dog barks* is one phrase, and a verb in the present tense that also is
a noun ends it only if it is on the list; bare nouns at the beginning of a sentence are found only if they are
capitalised inside one, too, or plural; relative clauses and *of* phrases stay outside; an adjective used as a noun is
taken for one; titles and headings in capitals are names. Other languages find nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...document import Document
from .english import (
    ADVERBS,
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    PERSONAL,
    POSSESSIVES,
    PREPOSITIONS,
    QUESTIONS,
    VERBS,
)

CLOSED = DETERMINERS | PREPOSITIONS | CONJUNCTIONS | ADVERBS | QUESTIONS | PERSONAL
STOPS = (CLOSED | VERBS | AUXILIARIES) - POSSESSIVES
ARTICLES = frozenset(("the", "a", "an", "every", "each")) | POSSESSIVES
TITLES = frozenset(("mr.", "mrs.", "ms.", "dr.", "prof.", "st."))
INDEFINITE = frozenset(("someone", "somebody", "everyone", "everybody", "anyone", "nobody", "something", "nothing"))
OPENERS = INDEFINITE | TITLES | DETERMINERS | POSSESSIVES
GENITIVES = frozenset(("'s", "’s", "'", "’"))
LONGEST = 12


class Phrase(NamedTuple):
    """The words start..end and the head among them."""

    start: int
    end: int
    head: int


def find_phrases(doc: Document) -> Iterator[Phrase]:
    """The noun phrases of an English text, pronouns apart, in the order of their ends."""
    forms = doc.tokens.forms
    names = _names(doc)
    for sentence in doc.sentences:
        position = sentence.start
        while position < sentence.end:
            if _opens(forms, position, sentence.start, names):
                end = _end(forms, position, sentence.end, names)
                if end > position and _is_phrase(forms, position, end):
                    yield from _with_owner(forms, position, end)
                    position = end
                    continue
            position += 1


def _names(doc: Document) -> frozenset[str]:
    """The words that have a capital where no sentence begins."""
    forms = doc.tokens.forms
    return frozenset(
        forms[position]
        for sentence in doc.sentences
        for position in range(sentence.start + 1, sentence.end)
        if _is_capital(forms[position]) and forms[position - 1] not in ('"', "“", "'", "‘", "(", ":", "—", "--")
    )


def _is_capital(form: str) -> bool:
    return form[:1].isupper() and form.lower() not in STOPS and form.lower() not in POSSESSIVES


def _opens(forms: list[str], position: int, start: int, names: frozenset[str]) -> bool:
    form = forms[position]
    word = form.lower()
    if word in OPENERS:
        return True
    if word in STOPS or not form[:1].isalnum() or word.endswith("ly"):
        return False
    if form[:1].isupper():
        return position > start or form in names or _looks_nominal(word) or _before_verb(forms, position)
    if form[:1].isdigit():
        return position + 1 < len(forms) and forms[position + 1][:1].isalpha()
    before = forms[position - 1].lower() if position > start else ""
    if (
        before in ("to", "and", "or") or before in VERBS or before in AUXILIARIES
    ):  # a verb or an adjective may follow, too
        return _looks_nominal(word)
    return before in PREPOSITIONS and not word.endswith("ing")


def _looks_nominal(word: str) -> bool:
    """Whether the ending is that of a noun more often than not."""
    return word.endswith(("s", "tion", "ment", "ness", "ity", "ship", "ance", "ence")) and not word.endswith("ss")


def _before_verb(forms: list[str], position: int) -> bool:
    """Whether a verb follows, so that the first word of a sentence is likely its subject."""
    following = forms[position + 1] if position + 1 < len(forms) else ""
    word = following.lower()
    return (
        word in VERBS
        or word in AUXILIARIES
        or following in GENITIVES
        or following.endswith("ed")
        or _is_capital(following)
    )


def _end(forms: list[str], start: int, limit: int, names: frozenset[str]) -> int:
    """One past the last word that can belong to the phrase."""
    position = start + 1
    first = forms[start].lower()
    if first in INDEFINITE:
        return position
    has_noun = first not in DETERMINERS and first not in POSSESSIVES and not first[:1].isdigit()
    while position < min(limit, start + LONGEST):
        form = forms[position]
        word = form.lower()
        if form in GENITIVES and has_noun and position + 1 < limit and _continues(forms[position + 1]):
            position += 1
            has_noun = False
            continue
        if not _continues(form) and not (position == start + 1 and first in ARTICLES and word in VERBS):
            break  # but *the use*, *her work*
        is_name = form[:1].isupper()
        if has_noun and word.endswith(("ed", "ing")) and not is_name:
            break
        if has_noun and forms[position - 1] in names and not is_name:
            break  # a name is followed by a verb more often than by a noun
        has_noun = has_noun or not word.endswith(("ed", "ing")) or is_name
        position += 1
    return position


def _continues(form: str) -> bool:
    word = form.lower()
    if word in STOPS or word in POSSESSIVES or not form[:1].isalnum():
        return word in TITLES
    return form[:1].isupper() or not (word.endswith("ly") and len(word) > 4)


def _is_phrase(forms: list[str], start: int, end: int) -> bool:
    first = forms[start].lower()
    return end - start > 1 or (first not in DETERMINERS and first not in POSSESSIVES and first[:1].isalpha())


def _with_owner(forms: list[str], start: int, end: int) -> Iterator[Phrase]:
    """The phrase, after those that it begins with as owners: *John* in *John 's car*."""
    for position in range(start + 1, end):
        if forms[position] in GENITIVES:
            yield Phrase(start, position, position - 1)
    yield Phrase(start, end, end - 1)
