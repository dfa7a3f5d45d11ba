"""Kinds of mentions from their words alone: pronoun families, names, nominals by determiner."""

from __future__ import annotations

from collections.abc import Sequence

from ...document import Span

# Pronouns that behave alike; the encoder knows the rest.
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
"""`initial` is one capital word at the start of a sentence, a name or not."""
FAMILY_OF = {word: KINDS.index(family) for family, words in FAMILIES.items() for word in words.split()}
DETERMINER_OF = {word: KINDS.index(kind) for kind, words in DETERMINERS.items() for word in words.split()}
PRONOUNS = frozenset(KINDS.index(family) for family in FAMILIES)

NUMBERS = ("unknown", "singular", "plural")
PLURAL_WORDS = "people men women children police feet teeth mice they we these those us them ones both"
PLURAL = frozenset(PLURAL_WORDS.split())
SINGULAR_WORDS = "i he she it me him this that himself herself itself myself his her its my one"
SINGULAR = frozenset(SINGULAR_WORDS.split())
# A head goes before all of these: the rest hangs on it.
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
    """The head of a mention where no tree and no model says it: the last word before what hangs on it."""
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
    """The number of the mention's kind in `KINDS`."""
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
    """Singular or plural, as far as the words tell: a place in `NUMBERS`."""
    head = rule_head(forms, span)
    word = forms[head].lower()
    if word in PLURAL or any(forms[at].lower() == "and" for at in range(span[0] + 1, head)):
        return 2
    if word in SINGULAR:
        return 1
    if not word.isalpha() or forms[head][:1].isupper():
        return 0
    return 2 if word.endswith("s") and not word.endswith(("ss", "us", "is")) else 1
