"""Expand English contractions after a name: "she's late" -> "Ann is late", "she's gone" -> "Ann has gone"."""

from __future__ import annotations

from collections.abc import Sequence

from ..document.tokens import Token


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


PLAIN = {"'re": "are", "'ve": "have", "'ll": "will"}
"""Contractions with one meaning."""
SHORT = ("'s", "'d", *PLAIN)
_LEMMAS = {"'s": {"be": "is", "have": "has"}, "'d": {"have": "had", "would": "would", "will": "would"}}
_SKIPPED = _words(
    "not n't n’t never always also already just only ever even still really probably certainly simply soon then now "
    "often since recently long all both almost quite hardly barely surely actually finally obviously clearly"
)
_PARTICIPLES = _words(
    """
    been had done gone got gotten become begun come seen taken given known made said told found left felt thought
    brought bought caught taught fought sought held kept heard met lost won paid sent spent built led read written
    spoken broken chosen driven eaten fallen forgotten frozen grown hidden drawn drunk flown forgiven ridden risen rung
    run sung sunk shown slept stolen stood struck sworn swum thrown torn understood woken worn meant dealt dreamt hung
    lain laid lit put set let cut hit hurt shut cost quit sat shot sold stuck wound bent bound bled bred crept dug fed
    fled ground knelt leant leapt lent proven sewn shaken shone shrunk slid spun split spread sprung stung swept swung
    wept agreed disagreed freed guaranteed withdrawn overcome undergone undertaken borne born beaten bitten blown clung
    """
)
_SAME_AS_INFINITIVE = _words("become come run put set let cut hit hurt shut cost quit read split spread overcome")
_ALWAYS_PERFECT = _words(
    """
    been had got gotten become begun come gone left won forgotten spoken fallen slept stood sat arrived lived worked
    happened appeared disappeared died stayed tried managed decided agreed failed refused learned learnt waited walked
    travelled traveled grown risen moved returned started stopped changed turned talked looked seemed remained existed
    occurred served played
    """
)
"""Participles that form no passive, or rarely: with them 's is "has"."""
_OBJECTS = _words(
    "a an the this that these those my your his her its our their me you him it us them some any no every each all "
    "one two three four five many much more several nothing something anything everything everyone"
)
"""Words that begin an object, so that the participle before them is active."""
_PREDICATES = _words("called named considered")
"""Participles that are passive before a name: "he's called Tom"."""


def expand(short: str, following: Sequence[Token], token: Token | None = None) -> str | None:
    """Return the full form of a contraction, None if it is unclear.

    `following` are the words after it in the sentence, `token` is the contraction itself, whose lemma decides if it
    has one.
    """
    short = short.lower().replace("’", "'")
    if short in PLAIN:
        return PLAIN[short]
    if token is not None and token.lemma in _LEMMAS[short]:
        return _LEMMAS[short][token.lemma]
    words = [word.form.lower() for word in following]
    while words and (words[0] in _SKIPPED or (words[0].endswith("ly") and len(words) > 1)):
        words = words[1:]
    word, after = (*words, "", "")[:2]
    return _is_or_has(word, after, following) if short == "'s" else _had_or_would(word)


def _is_or_has(word: str, after: str, following: Sequence[Token]) -> str:
    if word in _ALWAYS_PERFECT:
        return "has"
    if not _is_participle(word):
        return "is"
    names = [token.form for token in following if token.form.lower() == after]
    if word in _PREDICATES and names and names[0][:1].isupper():
        return "is"
    return "has" if after in _OBJECTS else "is"


def _had_or_would(word: str) -> str | None:
    if word in ("better", "best"):
        return "had"
    if word in _SAME_AS_INFINITIVE:
        return None
    return "had" if _is_participle(word) else "would"


def _is_participle(word: str) -> bool:
    return word in _PARTICIPLES or (word.endswith("ed") and not word.endswith("eed"))
