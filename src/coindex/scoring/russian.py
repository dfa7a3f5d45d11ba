"""The pronouns of RU-EVAL 2014 (section 3.5): third person, possessive, reflexive, demonstrative, relative *kotoryj*.

What a mention is, is asked of these in turn, and the first that knows it decides:

1. the attribute `str`, its structure: `refl` and `dem` are such pronouns, `pron`, `pers` and `poss` unless they are of
   the first or second person, `rel` if it is *kotoryj*; anything else, such as `noun`, is none;
2. the part of speech and features: only PRON and DET; demonstrative, reflexive or of the third person;
3. the lemma;
4. the form, by a list of Russian words.

Without the attribute, only a mention of one word can be a pronoun.
"""

from __future__ import annotations

from ..document import Mention, Token

STRUCTURE = "str"


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_KOTORYJ = _words(
    "который которая которое которые которого которой которому которую которым котором которых которыми которою"
)
_THIRD = _words("он она оно они его него ему нему им ним нем ее нее ей ней ею нею их них ими ними")
_REFLEXIVE = _words("себя себе собой собою свой своя свое свои своего своей своему свою своим своем своих своими своею")
_DEMONSTRATIVE = _words(
    "этот эта это эти этого этой этому эту этим этом этих этими этою "
    "тот та то те того той тому ту тем том тех теми тою "
    "такой такая такое такие такого такому такую таким таком таких такими такою"
)
FORMS = _THIRD | _REFLEXIVE | _DEMONSTRATIVE | _KOTORYJ
LEMMAS = _words("он она оно они его ее их себя свой этот это тот то такой который")
_FIRST_AND_SECOND = _words(
    "я меня мне мной мною мы нас нам нами ты тебя тебе тобой тобою вы вас вам вами "
    "мой моя мое мои моего моей моему мою моим моем моих моими моею "
    "твой твоя твое твои твоего твоей твоему твою твоим твоем твоих твоими твоею "
    "наш наша наше наши нашего нашей нашему нашу нашим нашем наших нашими нашею "
    "ваш ваша ваше ваши вашего вашей вашему вашу вашим вашем ваших вашими вашею"
)


def is_listed_pronoun(mention: Mention) -> bool:
    """Whether the anaphora track asks for the antecedent of such a mention."""
    words = [token for token in mention.tokens if not token.is_empty]
    said = mention.attributes.get(STRUCTURE, "").strip()
    if said:
        return any(_by_structure(one, words) for one in said.split(","))
    return len(words) == 1 and _by_word(words[0])


def _by_structure(structure: str, words: list[Token]) -> bool:
    if structure in ("refl", "dem"):
        return True
    if structure == "rel":
        return any(_is_kotoryj(word) for word in words)
    return structure in ("pron", "pers", "poss") and not any(_is_first_or_second(word) for word in words)


def _by_word(word: Token) -> bool:
    if word.upos not in ("_", "PRON", "DET"):
        return False
    features = word.features
    kinds = set(features.get("PronType", "").split(","))
    if "Dem" in kinds or features.get("Reflex") == "Yes":
        return True
    if "Person" in features:
        return features["Person"] == "3"
    if word.lemma != "_":
        return _plain(word.lemma) in LEMMAS
    return _plain(word.form) in FORMS


def _is_kotoryj(word: Token) -> bool:
    return _plain(word.form) in _KOTORYJ or _plain(word.lemma) == "который"


def _is_first_or_second(word: Token) -> bool:
    return word.features.get("Person") in ("1", "2") or _plain(word.form) in _FIRST_AND_SECOND


def _plain(word: str) -> str:
    return word.lower().replace("ё", "е")
