"""Each pronoun to the nearest noun phrase or pronoun before it that agrees, as far as is known.

This is what tasks 1 (mentions given) and 3 (mentions found) of ARE 2007 ask for: pronouns with any antecedent. The
choices are ours:

- pronouns to resolve: with given mentions those that the input asks for, else all pronouns and zeros among them; with
  found ones the personal, possessive, reflexive and relative pronouns, and zeros, but no expletives that the tree
  marks (`noun_phrases`);
- nearest is what ends last before the pronoun begins, of two that end together the longer one (*the mother of Ann*
  before *Ann*); a phrase that holds the pronoun is not before it;
- agreement in person, number, gender and animacy is in `agreement`; pronouns may be antecedents, so *I* leads to the
  *I* before it, and chains arise; a pronoun has all traits of what it was resolved to, and gives it its own;
- an antecedent and what leads to it are one entity. A pronoun that nothing before agrees with stays alone: with found
  mentions it is left out.

The work is linear: phrases before a pronoun are kept by their traits, and only the last of each kind is looked at.

Whether a pronoun and another mention agree, as far as is known: person, number, gender, animacy.

What is said in FEATS comes first, for a dropped subject that of its verb. English nouns have no gender there, and raw
text has nothing at all, so the word lists of a language add what they can (`languages`). What nobody says agrees with
everything.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...document import Document, Mention, Token
from ...document.disjoint_sets import Groups
from ...document.heads import Trees
from ..clusters import linked, with_clusters
from ..linguistics.english import NO_PLURALS, PLURALS, RELATIVES
from ..linguistics.languages import Language
from ..linguistics.noun_phrases import Phrase, assumed_language, found_phrases, given_phrases
from ..linguistics.word_classes import ZERO_RELATIONS, word_class
from ..resolver import Resolver, Step

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


Link = tuple[int, str]
"""The number of an antecedent, and what found it."""


def nearest(doc: Document, phrases: Sequence[Phrase]) -> Iterator[tuple[int, int]]:
    """The numbers of each anaphor and of the phrase that it is resolved to."""
    judge = Judge(doc, assumed_language(doc), Trees(doc))
    traits = [judge.traits(phrase.mention, phrase.head) for phrase in phrases]
    by_end = sorted(range(len(phrases)), key=lambda n: (phrases[n].mention.end, -phrases[n].mention.start))
    by_start = sorted((n for n, phrase in enumerate(phrases) if phrase.is_anaphor), key=lambda n: _start(phrases[n]))
    before: dict[Traits, list[tuple[int, int]]] = {}  # the places and numbers of the phrases with these traits
    passed = 0
    for anaphor in by_start:
        while passed < len(by_end) and phrases[by_end[passed]].mention.end <= _start(phrases[anaphor]):
            before.setdefault(traits[by_end[passed]], []).append((passed, by_end[passed]))
            passed += 1
        fitting = [(places[-1], known) for known, places in before.items() if agree(known, traits[anaphor])]
        if fitting:
            place, known = max(fitting, key=lambda pair: pair[0])
            antecedent = place[1]
            traits[anaphor] = traits[antecedent] = fill(traits[anaphor], known)
            if traits[antecedent] != known:
                before[known].pop()
                if not before[known]:
                    del before[known]
                insort(before.setdefault(traits[antecedent], []), place)
            yield anaphor, antecedent


def _start(phrase: Phrase) -> int:
    return phrase.mention.start


def build(doc: Document, phrases: Sequence[Phrase], links: dict[int, Link], *, name: str, given: bool) -> Document:
    """The document with chains of these links, each from a phrase to one before it with what made it.

    Given mentions all stay; of found ones only those that are linked. The first of a chain is the resolver's own.
    """
    groups = Groups(range(len(phrases)) if given else ())
    for anaphor, (antecedent, _) in links.items():
        groups.join(antecedent, anaphor)

    def made(number: int) -> Mention:
        return linked(phrases[number].mention, links[number][1] if number in links else name)

    return with_clusters(doc, ([made(number) for number in group] for group in groups))


def make(*, mentions: str) -> Step:
    def step(doc: Document) -> Document:
        given = mentions == "given"
        phrases = given_phrases(doc) if given else found_phrases(doc)
        links = {anaphor: (antecedent, "nearest-np") for anaphor, antecedent in nearest(doc, phrases)}
        return build(doc, phrases, links, name="nearest-np", given=given)

    return step


RESOLVER = Resolver(
    name="nearest-np",
    kind="rules",
    summary="each pronoun to the nearest noun phrase before it that agrees; raw English needs no parser",
    make=make,
    source="Orăsan et al. 2008 (ARE 2007), tasks 1 and 3",
)
