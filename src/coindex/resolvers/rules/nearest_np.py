"""Link each pronoun to the nearest preceding noun phrase or pronoun that agrees with it.

This solves tasks 1 (given mentions) and 3 (detected mentions) of ARE 2007: pronouns with any antecedent. The details
are ours:

- With given mentions, the pronouns that the input asks for are resolved, or otherwise all pronouns and zeros. With
  detected mentions, these are zeros and personal, possessive, reflexive and relative pronouns, except expletives marked
  in the tree (`noun_phrases`).
- The nearest phrase is the one that ends last before the pronoun starts. Of two that end at the same word, the longer
  one is used (*the mother of Ann*, not *Ann*). A phrase that contains the pronoun does not precede it.
- Mentions must agree in person, number, gender and animacy. Pronouns can be antecedents: *I* links to the preceding
  *I*. A pronoun and its antecedent share their features from then on.
- An antecedent and everything linked to it form one entity. A pronoun without an antecedent stays a singleton if it was
  given, and is dropped if it was detected.

The features come from FEATS; for a dropped subject, from those of its verb. English nouns have no gender in FEATS, and
raw text has no FEATS, so the word lists of a language are used too (`languages`). A missing feature agrees with any
value.

The run time is linear, because only the last phrase with each combination of features is considered.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...document import Document, Mention, Token
from ...document.disjoint_sets import Groups
from ...document.heads import Trees
from ..clusters import add_provenance, with_clusters
from ..linguistics.languages import Language
from ..linguistics.noun_phrases import Phrase, assume_language, detect_phrases, read_phrases
from ..linguistics.word_classes import NO_PLURALS, PLURALS, RELATIVES, ZERO_RELATIONS, word_class
from ..resolver import Resolver, Step

ANIMATE = {"Anim": "Anim", "Hum": "Anim", "Inan": "Inan", "Nhum": "Inan"}


class Traits(NamedTuple):
    """The agreement features of a mention; empty if unknown. There can be several genders (Czech *jejich*)."""

    person: str = ""
    number: str = ""
    gender: frozenset[str] = frozenset()
    animacy: str = ""


def agree(left: Traits, right: Traits) -> bool:
    """Return whether no feature that is known for both differs."""
    return (
        _is_compatible(left.person, right.person)
        and _is_compatible(left.number, right.number)
        and _is_compatible(left.animacy, right.animacy)
        and (not left.gender or not right.gender or bool(left.gender & right.gender))
    )


def _is_compatible(left: str, right: str) -> bool:
    return not left or not right or left == right


class Judge:
    """Determines the agreement features of the mentions of a document."""

    def __init__(self, doc: Document, language: Language, trees: Trees) -> None:
        self.tokens = doc.tokens
        self.language = language
        self.trees = trees
        self.natural = not language.gendered
        """Whether the language has natural gender, which words for people indicate."""

    def traits(self, mention: Mention, head: int) -> Traits:
        """Return the features of a mention with that head."""
        token = self.tokens[head]
        traits = from_features(token)
        if token.is_empty:
            return fill(traits, self._of_verb(head))
        word = token.form.lower()
        if (listed := self._look_up(word)) is not None and word_class(token) not in ("NOUN", "PROPN"):
            return fill(traits, listed)
        if self.natural and word_class(token) != "PRON":
            traits = fill(traits, self._of_noun(mention, token))
        if self._is_group(mention, head):
            traits = traits._replace(number="Plur", gender=frozenset())
        return traits

    def _look_up(self, word: str) -> Traits | None:
        """Return the features of a pronoun in the word list of the language, or None."""
        features: Mapping[str, str] | None = self.language.pronouns.get(word)
        if features is None and self.natural:
            features = RELATIVES.get(word)
        if features is None:
            return None
        person, number = features.get("Person", ""), features.get("Number", "")
        return Traits(person, number, _genders(features.get("Gender", "")), features.get("Animacy", ""))

    def _of_verb(self, zero: int) -> Traits:
        """Return the features of a zero from its verb or, in Hungarian, from the possessed noun.

        Without DEPS, the preceding word is used.
        """
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
        if head.form[:1].isupper():  # a name: its title or first name may show the gender
            words += [token.form.lower() for token in mention.tokens[:8]]
            known.append(self.language.names)
        else:
            words += [head.lemma.lower(), words[0].removesuffix("s")]
        genders = [table[word] for word in words for table in known if word in table]
        gender = next((gender for gender in genders if gender), "")
        animacy = "Anim" if genders else "" if head.form[:1].isupper() else self._noun_animacy(words[-1])
        return Traits("3", _number(head), frozenset({gender} - {""}), animacy)

    def _noun_animacy(self, word: str) -> str:
        """Return Inan for a noun, unless its ending is common in nouns for people (*-er*, *-ist*)."""
        language = self.language
        if word.endswith(language.person_endings + language.perhaps_endings) and word not in language.things:
            return ""
        return "Inan" if language.persons else ""

    def _is_group(self, mention: Mention, head: int) -> bool:
        """Return whether the mention itself is a coordination with *and*."""
        if not self.natural or len(mention.positions) < 3:
            return False
        forms = self.tokens.forms
        after = [forms[position].lower() for position in mention.positions if position > head][:8]
        return after[:1] == ["and"] or (after[:1] == [","] and "and" in after)


def fill(known: Traits, more: Traits) -> Traits:
    """Return the known features, with missing ones filled in from another source."""
    return Traits(
        known.person or more.person,
        known.number or more.number,
        known.gender or more.gender,
        known.animacy or more.animacy,
    )


def from_features(token: Token) -> Traits:
    """Return the features in FEATS; for a possessive, those of the possessor, which must agree."""
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
    """Return the genders; the common gender of Dutch or Danish stands for masculine and feminine."""
    genders = frozenset(value.split(",")) - {""}
    return genders | {"Masc", "Fem"} if "Com" in genders else genders


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
"""The index of an antecedent, and the name of the rule that found it."""


def nearest(doc: Document, phrases: Sequence[Phrase]) -> Iterator[tuple[int, int]]:
    """Yield the indices of each anaphor and its antecedent."""
    judge = Judge(doc, assume_language(doc), Trees(doc))
    traits = [judge.traits(phrase.mention, phrase.head) for phrase in phrases]
    by_end = sorted(range(len(phrases)), key=lambda n: (phrases[n].mention.end, -phrases[n].mention.start))
    by_start = sorted((n for n, phrase in enumerate(phrases) if phrase.is_anaphor), key=lambda n: _start(phrases[n]))
    before: dict[Traits, list[tuple[int, int]]] = {}  # the positions and indices of the phrases with these features
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
    """Return the document with entities from these links, which map a phrase to its antecedent and the rule.

    Given mentions are all kept, detected ones only if they are linked. `name` is recorded for the first mention of an
    entity.
    """
    groups = Groups(range(len(phrases)) if given else ())
    for anaphor, (antecedent, _) in links.items():
        groups.join(antecedent, anaphor)

    def make_mention(number: int) -> Mention:
        return add_provenance(phrases[number].mention, links[number][1] if number in links else name)

    return with_clusters(doc, ([make_mention(number) for number in group] for group in groups))


def make(*, mentions: str) -> Step:
    """Return the step for detected or given mentions."""

    def step(doc: Document) -> Document:
        given = mentions == "given"
        phrases = read_phrases(doc) if given else detect_phrases(doc)
        links = {anaphor: (antecedent, "nearest-np") for anaphor, antecedent in nearest(doc, phrases)}
        return build(doc, phrases, links, name="nearest-np", given=given)

    return step


RESOLVER = Resolver(
    name="nearest-np",
    kind="rules",
    summary="links each pronoun to the nearest preceding noun phrase that agrees; raw English needs no parser",
    make=make,
    source="Orăsan et al. 2008 (ARE 2007), tasks 1 and 3",
)
