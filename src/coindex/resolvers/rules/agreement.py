"""Whether a pronoun and another mention agree, as far as is known: person, number, gender, animacy.

What is said in FEATS comes first, for a dropped subject that of its verb. English nouns have no gender there, and raw
text has nothing at all, so the word lists of a language add what they can (`languages`). What nobody says agrees with
everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...document import Document, Mention, Token
from ...document.trees import Trees
from ..languages import Language
from .english import NO_PLURALS, PLURALS, RELATIVES
from .word_classes import ZERO_RELATIONS, word_class

ANIMATE = {"Anim": "Anim", "Hum": "Anim", "Inan": "Inan", "Nhum": "Inan"}


class Traits(NamedTuple):
    """What is known; the empty set or string where it is not. Gender may be one of several (cs *jejich*)."""

    person: str = ""
    number: str = ""
    gender: frozenset[str] = frozenset()
    animacy: str = ""


def agree(one: Traits, other: Traits) -> bool:
    """Whether nothing that is known of both differs."""
    return (
        _same(one.person, other.person)
        and _same(one.number, other.number)
        and _same(one.animacy, other.animacy)
        and (not one.gender or not other.gender or bool(one.gender & other.gender))
    )


def _same(one: str, other: str) -> bool:
    return not one or not other or one == other


class Judge:
    """Finds the traits of the mentions of one document."""

    def __init__(self, doc: Document, language: Language, trees: Trees) -> None:
        self.tokens = doc.tokens
        self.language = language
        self.trees = trees
        self.natural = not language.gendered
        """Whether gender is that of people, so that words for them tell it."""

    def traits(self, mention: Mention, head: int) -> Traits:
        """The traits of a mention with that head."""
        token = self.tokens[head]
        traits = from_features(token)
        if token.is_empty:
            return fill(traits, self._of_verb(head))
        word = token.form.lower()
        if (listed := self._listed(word)) is not None and word_class(token) not in ("NOUN", "PROPN"):
            return fill(traits, listed)
        if self.natural and word_class(token) != "PRON":
            traits = fill(traits, self._of_noun(mention, token))
        if self._is_group(mention, head):
            traits = traits._replace(number="Plur", gender=frozenset())
        return traits

    def _listed(self, word: str) -> Traits | None:
        """What the language's list of pronouns says; in languages with gender FEATS say more than it."""
        features: Mapping[str, str] | None = self.language.pronouns.get(word)
        if features is None and self.natural:
            features = RELATIVES.get(word)
        if features is None:
            return None
        person, number = features.get("Person", ""), features.get("Number", "")
        return Traits(person, number, _genders(features.get("Gender", "")), features.get("Animacy", ""))

    def _of_verb(self, zero: int) -> Traits:
        """What a verb says of its subject, and a Hungarian noun of its owner; without DEPS of the word before."""
        parents = self.trees.enhanced(zero) or [(zero - 1, ZERO_RELATIONS.get(self.tokens[zero].form, ""))]
        for parent, relation in parents:
            if parent is not None and parent >= 0 and relation.startswith(("nsubj", "nmod:poss")):
                features = self.tokens[parent].features
                suffix = "" if relation.startswith("nsubj") else "[psor]"
                return Traits(features.get("Person" + suffix, ""), features.get("Number" + suffix, ""))
        return Traits()

    def _of_noun(self, mention: Mention, head: Token) -> Traits:
        words = [head.form.lower()]
        known = [self.language.persons, self.language.titles]
        if head.form[:1].isupper():  # a name: its title or first name may tell
            words += [token.form.lower() for token in mention.tokens[:8]]
            known.append(self.language.names)
        else:
            words += [head.lemma.lower(), words[0].removesuffix("s")]
        found = [table[word] for word in words for table in known if word in table]
        gender = next((gender for gender in found if gender), "")
        animacy = "Anim" if found else "" if head.form[:1].isupper() else self._thing(words[-1])
        return Traits("3", _number(head), frozenset({gender} - {""}), animacy)

    def _thing(self, word: str) -> str:
        """A noun that is on no list of people is a thing, unless it ends as words for people do (*-er*, *-ist*)."""
        language = self.language
        if word.endswith(language.person_endings + language.perhaps_endings) and word not in language.things:
            return ""
        return "Inan" if language.persons else ""

    def _is_group(self, mention: Mention, head: int) -> bool:
        """Whether the mention is two things joined by *and*, and not one with such a pair inside."""
        if not self.natural or len(mention.positions) < 3:
            return False
        forms = self.tokens.forms
        after = [forms[position].lower() for position in mention.positions if position > head][:8]
        return after[:1] == ["and"] or (after[:1] == [","] and "and" in after)


def fill(known: Traits, more: Traits) -> Traits:
    """What is known, and of the rest what another source says."""
    return Traits(
        known.person or more.person,
        known.number or more.number,
        known.gender or more.gender,
        known.animacy or more.animacy,
    )


def from_features(token: Token) -> Traits:
    """What FEATS says; of a possessive the owner's features, which are those that have to agree."""
    if token.feats == "_":
        return Traits("3") if word_class(token) in ("NOUN", "PROPN") else Traits()
    features = token.features
    if features.get("Poss") == "Yes" and word_class(token) != "NOUN":
        own = "Gender[psor]" in features or "Number[psor]" in features or token.upos != "PRON"
        suffix = "[psor]" if own else ""
        person = features.get("Person[psor]") or features.get("Person", "")
    else:
        suffix, person = "", features.get("Person", "")
    if not person and word_class(token) in ("NOUN", "PROPN"):
        person = "3"
    number = features.get("Number" + suffix, "")
    gender = features.get("Gender" + suffix, "")
    animacy = ANIMATE.get(features.get("Animacy" + suffix, ""), "")
    return Traits(person, number if number in ("Sing", "Plur") else "", _genders(gender), animacy)


def _genders(value: str) -> frozenset[str]:
    """The genders; the common gender of Dutch or Danish says only that it is not the neuter."""
    found = frozenset(value.split(",")) - {""}
    return found | {"Masc", "Fem"} if "Com" in found else found


def _number(head: Token) -> str:
    if head.xpos != "_" and head.xpos in ("NN", "NNS", "NNP", "NNPS"):
        return "Plur" if head.xpos.endswith("S") else "Sing"
    word = head.form.lower()
    if word in PLURALS:
        return "Plur"
    if head.form[:1].isupper() or word in NO_PLURALS:
        return ""
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return "Plur"
    return "Sing"
