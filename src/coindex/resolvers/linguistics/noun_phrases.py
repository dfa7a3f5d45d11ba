"""Noun phrases and pronouns as mention candidates: given mentions, or detected from trees, tags or raw English text.

With trees, every noun, name and pronoun that is not part of a name, compound or fixed expression is the head of a
phrase. The phrase includes its dependents, except prepositions and conjunctions, other conjuncts, appositions, and the
dependents of the clause if the noun is a predicate. Empty nodes that are pronouns are included.

With tags only (UPOS, or those of `word_classes`), a phrase consists of determiners, numbers and adjectives up to the
last of a sequence of nouns.

Without tags, English phrases are found by closed-class words, capitals and endings. A phrase starts with a determiner,
a possessive, a capitalized word inside a sentence, a number before a word, or an unlisted word after a preposition or a
common verb. It ends before a listed preposition, conjunction, pronoun, verb or adverb, a word in -ly, punctuation, or,
after the first noun, a word in -ed or -ing. *John 's car* is a phrase, and so is *John* in it. The head is the last
word.

This has limits: there is no list of all verbs, so *the dog barks* is one phrase; a present-tense verb that is also a
noun ends a phrase only if it is listed; bare nouns at the beginning of a sentence are found only if they are plural or
capitalized elsewhere; relative clauses and *of* phrases are excluded; adjectives used as nouns count as nouns; titles
and headings in capitals count as names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...document import Document, Mention, Span
from ...document.heads import Trees
from ...errors import CoindexError
from ..resolver import display_name
from .languages import Language, language, language_of
from .word_classes import (
    ADVERBS,
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    PERSONAL,
    POSSESSIVES,
    PREPOSITIONS,
    QUESTIONS,
    RELATIVES,
    VERBS,
    has_classes,
    head_word,
    is_pronominal,
    is_zero_pronoun,
    points_back,
    word_class,
)

CLOSED = DETERMINERS | PREPOSITIONS | CONJUNCTIONS | ADVERBS | QUESTIONS | PERSONAL
STOPS = (CLOSED | VERBS | AUXILIARIES) - POSSESSIVES
ARTICLES = frozenset(("the", "a", "an", "every", "each")) | POSSESSIVES
TITLES = frozenset(("mr.", "mrs.", "ms.", "dr.", "prof.", "st."))
INDEFINITE = frozenset(("someone", "somebody", "everyone", "everybody", "anyone", "nobody", "something", "nothing"))
OPENERS = INDEFINITE | TITLES | DETERMINERS | POSSESSIVES
GENITIVES = frozenset(("'s", "’s", "'", "’"))
LONGEST_CHUNK = 12


class Chunk(NamedTuple):
    """The half-open span of a noun phrase, and its head."""

    start: int
    end: int
    head: int


def find_chunks(doc: Document) -> Iterator[Chunk]:
    """Yield the noun phrases of an English text, without pronouns, in the order of their ends."""
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
    """Return the words that are capitalized inside a sentence."""
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
    ):  # a verb or an adjective can follow too
        return _looks_nominal(word)
    return before in PREPOSITIONS and not word.endswith("ing")


def _looks_nominal(word: str) -> bool:
    """Return whether the word has a typical noun ending."""
    return word.endswith(("s", "tion", "ment", "ness", "ity", "ship", "ance", "ence")) and not word.endswith("ss")


def _before_verb(forms: list[str], position: int) -> bool:
    """Return whether a verb follows, so that the first word of a sentence is probably its subject."""
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
    """Return the end of the phrase (exclusive)."""
    position = start + 1
    first = forms[start].lower()
    if first in INDEFINITE:
        return position
    has_noun = first not in DETERMINERS and first not in POSSESSIVES and not first[:1].isdigit()
    while position < min(limit, start + LONGEST_CHUNK):
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
            break  # after a name, a verb is more likely than a noun
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


def _with_owner(forms: list[str], start: int, end: int) -> Iterator[Chunk]:
    """Yield the possessors at the start of the phrase (*John* in *John 's car*), then the phrase."""
    for position in range(start + 1, end):
        if forms[position] in GENITIVES:
            yield Chunk(start, position, position - 1)
    yield Chunk(start, end, end - 1)


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
"""Longer phrases are reduced to their heads, so that extremely long sentences do not fill the memory."""
RAW_LANGUAGE = "en"


class Phrase(NamedTuple):
    """A mention, its head, and whether it needs an antecedent."""

    mention: Mention
    head: int
    is_anaphor: bool


def assume_language(doc: Document) -> Language:
    """Return the language of the document; English is assumed for a text without tags and language."""
    spoken = language_of(doc)
    return spoken if spoken.code or has_classes(doc) else language(RAW_LANGUAGE)


def read_phrases(doc: Document) -> list[Phrase]:
    """Return the mentions of the document; anaphors are those that it marks, or otherwise all pronouns and zeros."""
    mentions = [mention for mention, _ in doc.mentions()]
    trees, spoken = Trees(doc), assume_language(doc)
    asks = any("anaphoric" in mention.attributes for mention in mentions)

    def is_anaphor(mention: Mention) -> bool:
        if asks:
            return mention.attributes.get("anaphoric") == "yes"
        return is_pronominal(mention, spoken)

    return [Phrase(mention, head_word(mention, trees), is_anaphor(mention)) for mention in mentions]


def detect_phrases(doc: Document) -> list[Phrase]:
    """Detect the mentions of the document."""
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
        for (start, end), head in _unique_spans(spans, trees).items()
    ]


def _unique_spans(spans: list[tuple[int, int, int]], trees: Trees) -> dict[Span, int]:
    """Return the spans with their heads; if crossing branches give two heads for a span, the upper one is used."""
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
    """Return the first and the last word of the subtree of each word."""
    firsts = list(range(len(trees.parents)))
    lasts = firsts.copy()
    order = [position for position, parent in enumerate(trees.parents) if parent is None]
    for position in order:  # grows during the iteration; words in cycles are never reached
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
    code = assume_language(doc).code
    if code != RAW_LANGUAGE and len(doc.tokens):
        raise CoindexError(
            f"{display_name(doc)}: language {code!r} without tags or trees; only English can be resolved without "
            "part-of-speech tags; parse the text first, as in 'spacy(MODEL) + nearest-np', or supply its mentions",
            code="missing-layer",
        )
    for position, form in enumerate(doc.tokens.forms):
        word = form.lower()
        if word in PERSONAL or word in RELATIVES:
            yield Phrase(doc.mention([position], head=position), position, True)
    for start, end, head in find_chunks(doc):
        yield Phrase(doc.mention(range(start, end), head=head), head, False)
