"""Choose which anaphors to replace and by what: the best name of the entity, in the form that grammar requires.

An anaphor stays if a name might not fit: reflexives and relative pronouns, predicates and appositions, a *they* whose
verb would have to change, and in languages other than English anything that is not a subject or differs in case from
the name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ..document.documents import Document
from ..document.entities import Entity, Mention, runs
from ..document.heads import Trees
from ..document.naming import (
    LONGEST,
    Informativeness,
    core_positions,
    head_of,
    rate_informativeness,
    representative,
    word_text,
    words_span,
)
from ..document.tokens import Token


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


PERSONAL = _words("he him she her it they them")
POSSESSIVE = _words("his her its their hers theirs")
DEMONSTRATIVE = _words("this that these those")
FIRST_AND_SECOND = _words("i me we us you")
FIRST_AND_SECOND_POSSESSIVE = _words("my mine our ours your yours")
PLURAL = _words("they these those")
SINGULAR = _words("he she it this that")
RELATIVE = _words("who whom whose which what where when why how")
DEFINITE = _words("the this that these those his her its their")
INDEFINITE = _words("a an some")
UNFIT = _words("every each no any such another either neither what which other others enough much")
"""A phrase that starts with one of these cannot be repeated to refer to the same thing."""
ARTICLES_AND_SUCH = DEFINITE | INDEFINITE | _words("my our your one two three both all many several every each no")
COPULAS = _words(
    "is are was were be been being am 's ’s 're ’re become became becomes remain remains remained as called"
)

# These are expanded after a name: "Ann and Bob will", since "Ann and Bob'll" is hard to read.
EXPANDED = {"'re": "are", "’re": "are", "'ve": "have", "’ve": "have", "'ll": "will", "’ll": "will"}
_SAME_IN_ALL_PERSONS = _words("could would should might must will shall can may had did 'd ’d 'll ’ll")
_OF_ONE_PERSON = _words("am are were have do is was has does 'm ’m 're ’re 've ’ve 's ’s aren't weren't haven't don't")
# Words after "her" that show that it is not a possessive, for texts without tags.
_NO_NOUN = _words(
    "a an the and or but nor so if as at by for from in into of off on onto out over past to up upon with without "
    "since until till during between through under near around across along against within behind beside like than "
    "about after before because when while where who which that this these those he she it they we you i not is was "
    "are were had has have did does do will would can could should again away back down here now then there today "
    "tomorrow yesterday soon too very alone all nothing something anything everything nobody somebody anybody "
    "everybody no some any every each what how why whether his my your our their its"
)
_EVIDENCE = _words("the and with that were been this his her she he they would have it")


def is_english(doc: Document) -> bool:
    """Return whether a document is in English, by its language or by its share of frequent English words."""
    if doc.language is not None:
        return doc.language.lower().replace("_", "-").split("-")[0] in ("en", "eng")
    forms = doc.tokens.forms
    return 25 * sum(form.lower() in _EVIDENCE for form in forms) >= max(1, len(forms))


def is_possessive(token: Token, after: Token | None, *, opens_phrase: bool) -> bool:
    """Return whether a word such as *her* is a possessive: by its tags, by the phrase it opens, or by the next word."""
    word = token.form.lower()
    if word not in POSSESSIVE | FIRST_AND_SECOND_POSSESSIVE:
        return False
    if word != "her":
        return True
    if token.upos != "_" or token.xpos != "_":
        return token.features.get("Poss") == "Yes" or token.xpos == "PRP$" or token.deprel.endswith(":poss")
    if opens_phrase:
        return True
    following = after.form.lower() if after is not None and token.space else ""
    return following[:1].isalnum() and following not in _NO_NOUN and not following.endswith("ly")


def is_same_in_all_persons(verb: Token) -> bool:
    """Return whether a finite verb has the same form with any subject: "they left", but not "they leave"."""
    word = verb.form.lower()
    if word in _SAME_IN_ALL_PERSONS or verb.xpos == "MD":
        return True
    if word in _OF_ONE_PERSON:
        return False
    if verb.upos == "_":
        return word.endswith("ed")
    features = verb.features
    return features.get("Tense") == "Past" or features.get("VerbForm") == "Inf"


def genitive(name: str, *, is_plural_noun: bool, apostrophe: str = "'") -> str:
    """Return a name with its 's: Alice's, James's, but the girls'."""
    return name + apostrophe + ("" if is_plural_noun and name.endswith("s") else "s")


DEEPEST = 8
"""How deeply names can be nested: the name of "her brother's dog" contains the name of *her*."""
_INNER = frozenset({"DET", "ADJ", "PRON", "NUM", "ADV", "ADP"})


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it is written inside a sentence."""

    text: str
    is_proper: bool
    is_plural: bool
    mention: Mention | None = None
    """The representative mention; None for a name that is composed of others."""

    @property
    def is_plural_noun(self) -> bool:
        """Whether its last word is a plural, as in "the girls" or "the Smiths", but not in "Ann and James"."""
        if self.mention is None or not self.is_plural:
            return False
        last = self.mention.layer[core_positions(self.mention)[-1]]
        return last.features.get("Number") == "Plur" if last.upos != "_" else not self.is_proper


class Names:
    """The names of the entities of a document, each computed once."""

    def __init__(self, doc: Document, *, english: bool) -> None:
        self.doc = doc
        self.english = english
        self.apostrophe = "’" if "’" in doc.text and "'" not in doc.text else "'"
        self._entities: Mapping[str, Entity] = {entity.id: entity for entity in doc.entities}
        self._groups = {split.entity: split.antecedents for split in doc.split_antecedents}
        self._pronouns = {
            mention.start: entity
            for mention, entity in doc.mentions()
            if len(mention) == 1 and rate_informativeness(mention) is Informativeness.PRONOUN
        }
        self._made: dict[str, Name | None] = {}

    def name(self, entity: Entity) -> Name | None:
        """Return the name of an entity, or None if no mention is suitable as a name."""
        if entity.id not in self._made:
            self._made[entity.id] = self._make(entity, ())
        return self._made[entity.id]

    def _make(self, entity: Entity, inside: tuple[str, ...]) -> Name | None:
        if not entity.mentions or entity.id in inside or len(inside) > DEEPEST:
            return None
        mention = entity.mentions[representative(entity)]
        kind = rate_informativeness(mention)
        if kind >= Informativeness.NOUN or (kind is Informativeness.OTHER and _is_untagged(mention)):
            return self._of_mention(mention, (*inside, entity.id), is_proper=kind is Informativeness.NAME)
        return self._of_group(entity, (*inside, entity.id))

    def _of_mention(self, mention: Mention, inside: tuple[str, ...], *, is_proper: bool) -> Name | None:
        words = core_positions(mention)
        if len(words) > LONGEST or words_span(mention.layer, words[0], words[-1] + 1) is None:
            return None
        if self.english and mention.layer[words[0]].form.lower() in UNFIT:
            return None
        text = " ".join(self._resolved(start, end, inside) for start, end in runs(words))
        return Name(" ".join(text.split()), is_proper, is_plural(mention), mention)

    def _of_group(self, entity: Entity, inside: tuple[str, ...]) -> Name | None:
        """Return "Ann and Bob" for a *they* with split antecedents."""
        members = [self._entities.get(id) for id in self._groups.get(entity.id, ())]
        if not self.english or len(members) < 2:
            return None
        texts = []
        for member in members:
            name = None if member is None else self._make(member, inside)
            if member is None or name is None:
                return None
            texts.append(name.text)
            inside = (*inside, member.id)  # "Ann and her brother", not "Ann and Ann's brother"
        return Name(f"{', '.join(texts[:-1])} and {texts[-1]}", True, True)

    def _resolved(self, start: int, end: int, inside: tuple[str, ...]) -> str:
        """Return the words of a name with possessives resolved: "her brother" -> "Alice's brother"."""
        layer = self.doc.tokens
        pieces, at = [], start
        for position in range(start, end):
            owner = self._owner(position, end, inside)
            if owner is not None:
                if position > at:
                    pieces.append(self._first_lowered(at, word_text(layer, at, position)))
                pieces.append(owner)
                at = position + 1
        if at < end:
            pieces.append(self._first_lowered(at, word_text(layer, at, end)))
        return " ".join(pieces)

    def _owner(self, position: int, end: int, inside: tuple[str, ...]) -> str | None:
        entity = self._pronouns.get(position)
        token = self.doc.tokens[position]
        if not self.english or entity is None or entity.id in inside or position + 1 >= end:
            return None
        if token.form.lower() not in POSSESSIVE - FIRST_AND_SECOND_POSSESSIVE:
            return None
        if not is_possessive(token, self.doc.tokens[position + 1], opens_phrase=True):
            return None
        name = self._make(entity, inside)
        if name is None:
            return None
        return genitive(name.text, is_plural_noun=name.is_plural_noun, apostrophe=self.apostrophe)

    def _first_lowered(self, position: int, text: str) -> str:
        """Return the text without the capital of a sentence start, and with a definite article."""
        token = self.doc.tokens[position]
        word = token.form.lower()
        if token.id == "1" and self._is_only_first(token):
            text = text[:1].lower() + text[1:]
        if self.english and word in INDEFINITE and len(text) > len(word):
            text = "the" + text[len(word) :]
        return text

    def _is_only_first(self, token: Token) -> bool:
        """Return whether a word is capitalized only because it starts the sentence."""
        if token.upos == "_":
            return token.form.lower() in ARTICLES_AND_SUCH
        # German nouns have capitals everywhere
        return token.upos in _INNER or (self.english and token.upos == "NOUN" and not token.form.isupper())


def is_plural(mention: Mention) -> bool:
    """Return whether a mention is plural, by its features or as a coordination."""
    layer = mention.layer
    words = [layer[position] for position in core_positions(mention)]
    if any(word.form.lower() in ("and", "&") for word in words):
        return True
    head = layer[head_of(mention)]
    if head.upos == "_":
        ends = head.form.endswith("s") and not head.form.endswith(("ss", "us", "is"))
        return ends and rate_informativeness(mention) is not Informativeness.NAME
    return head.features.get("Number") == "Plur"


def _is_untagged(mention: Mention) -> bool:
    return mention.layer[head_of(mention)].upos == "_"


Form = Literal["plain", "genitive"]
MOST_WORDS = 4
"""A longer description ("the girl who had lost her shoe") is more informative than a name."""
_GENITIVE = ("'s", "’s", "'", "’")
_NOT_REPLACED = ("appos", "vocative", "parataxis", "dislocated", "xcomp", "expl", "compound", "flat", "discourse")

_OBJECTS = ("obj", "iobj", "obl", "nmod")


@dataclass(frozen=True)
class Grammar:
    """The grammar of one document."""

    doc: Document
    is_english: bool
    all_persons: bool = False
    nominals: bool = True

    @cached_property
    def _trees(self) -> Trees:
        return Trees(self.doc)

    def form(self, mention: Mention, name: Name, *, opens_phrase: bool) -> Form | None:
        """Return the form of the name in place of the mention, or None if the mention stays."""
        kind = rate_informativeness(mention)
        if kind is Informativeness.PRONOUN and len(mention) == 1:
            if self.is_english:
                return self._english_pronoun(mention, name, opens_phrase=opens_phrase)
            return "plain" if self._fits_pronoun(mention, name) else None
        if kind is Informativeness.NOUN and name.is_proper and self.nominals and self._is_plain_description(mention):
            return self._description(mention, name)
        return None

    def is_subject(self, mention: Mention) -> bool:
        """Return whether a zero is a subject that can be named: no imperative and, by default, no *I* or *you*."""
        for position in mention.positions:
            if self.doc.tokens[position].features.get("Person", "3") != "3" and not self.all_persons:
                return False
            for parent, relation in self._trees.enhanced(position):
                if relation.startswith("nsubj") and parent is not None:
                    return self.doc.tokens[parent].features.get("Mood") != "Imp"
        return False

    def _english_pronoun(self, mention: Mention, name: Name, *, opens_phrase: bool) -> Form | None:
        token = self.doc.tokens[mention.start]
        word = token.form.lower()
        if word in RELATIVE or token.features.get("PronType") in ("Rel", "Int"):
            return None
        others = FIRST_AND_SECOND | FIRST_AND_SECOND_POSSESSIVE
        if word in others and not self.all_persons:
            return None
        if is_possessive(token, self._word_after(mention), opens_phrase=opens_phrase):
            return "genitive"
        if word not in PERSONAL | DEMONSTRATIVE | FIRST_AND_SECOND:
            return None
        if word == "that" and token.upos == "_":
            return None  # usually a conjunction or relative pronoun
        return "plain" if self._agrees(mention, word, name) else None

    def _agrees(self, mention: Mention, word: str, name: Name) -> bool:
        """Return whether the verb of a subject pronoun has the same form with the name as its subject."""
        is_plural = word in PLURAL | {"we", "you"}
        if (is_plural == name.is_plural and word != "i") or word in ("him", "her", "them", "me", "us"):
            return True
        token = self.doc.tokens[mention.start]
        if token.head == "_":
            after = self._word_after(mention)
            return after is None or is_same_in_all_persons(after)
        if not token.deprel.startswith("nsubj"):
            return True
        return all(is_same_in_all_persons(verb) for verb in self._finite_verbs(mention.start))

    def _finite_verbs(self, subject: int) -> list[Token]:
        """The first auxiliary of what the subject belongs to, or that itself."""
        parent = self._trees.parents[subject]
        if parent is None:
            return []
        helpers = [
            at for at in self._trees.children[parent] if self.doc.tokens[at].deprel.partition(":")[0] in ("aux", "cop")
        ]
        return [self.doc.tokens[helpers[0] if helpers else parent]]

    def _fits_pronoun(self, mention: Mention, name: Name) -> bool:
        """In other languages: a personal or demonstrative pronoun that is a subject or has the case of the name."""
        token = self.doc.tokens[mention.start]
        features = token.features
        if features.get("PronType") not in ("Prs", "Dem") or "Yes" in (features.get("Poss"), features.get("Reflex")):
            return False
        if features.get("Person", "3") != "3" and not self.all_persons:
            return False
        return self._fits_case(mention, name)

    def _fits_case(self, mention: Mention, name: Name) -> bool:
        if name.mention is None or self._is_bound(mention) or not self._is_known(name):
            return False
        token, wanted = self.doc.tokens[head_of(mention)], self.doc.tokens[head_of(name.mention)]
        if not _agree(token, wanted, "Number"):
            return False
        case, relation = self._case(token), token.deprel.partition(":")[0]
        if relation == "nsubj":
            return {case, self._case(wanted)} <= {None, "Nom"} or case == self._case(wanted)
        return relation in _OBJECTS and case is not None and case == self._case(wanted)

    def _is_bound(self, mention: Mention) -> bool:
        """Whether its form depends on a neighbour: the French *qu'elle*, *est-il*."""
        before = self.doc.tokens.forms[mention.start - 1] if mention.start else ""
        return before.endswith(("'", "’", "-")) or mention.text.startswith("-")

    def _is_known(self, name: Name) -> bool:
        """Whether the name can be said again as it is: a proper name, or a definite noun if there are articles."""
        if name.is_proper or not self._has_articles or name.mention is None:
            return True
        return self._is_definite(name.mention.tokens[0]) or name.mention.tokens[0].features.get("Poss") == "Yes"

    @cached_property
    def _has_articles(self) -> bool:
        return any("PronType=Art" in token.feats or "Definite=" in token.feats for token in self.doc.tokens)

    @staticmethod
    def _case(token: Token) -> str | None:
        return token.features.get("Case")

    def _is_plain_description(self, mention: Mention) -> bool:
        """Whether it is a short definite noun phrase in a place where a name can stand."""
        words = mention.tokens
        head = self.doc.tokens[head_of(mention)]
        relation = head.deprel.partition(":")[0]
        if not 1 < len(words) <= MOST_WORDS or not self._is_definite(words[0]) or relation in _NOT_REPLACED:
            return False
        if head.head != "_":
            children = self._trees.children[head_of(mention)]
            return all(self.doc.tokens[at].deprel.partition(":")[0] not in ("cop", "acl", "appos") for at in children)
        before = self.doc.tokens[mention.start - 1] if mention.start else None
        return before is None or words[0].id == "1" or before.form.lower() not in COPULAS

    def _is_definite(self, token: Token) -> bool:
        if self.is_english:
            return token.form.lower() in DEFINITE
        return token.upos == "DET" and (
            token.features.get("Definite") == "Def" or token.features.get("PronType") == "Dem"
        )

    def _description(self, mention: Mention, name: Name) -> Form | None:
        if is_plural(mention) != name.is_plural:
            return None
        if not self.is_english:
            return "plain" if self._fits_case(mention, name) else None
        return "genitive" if mention.tokens[-1].form in _GENITIVE else "plain"

    def _word_after(self, mention: Mention) -> Token | None:
        empty = self.doc.tokens.empty_positions
        end = self.doc.sentence_at(mention.start).end if self.doc.sentences else len(self.doc.tokens)
        return next((self.doc.tokens[at] for at in range(mention.end, end) if at not in empty), None)


def _agree(first: Token, second: Token, feature: str) -> bool:
    values = {first.features.get(feature), second.features.get(feature)} - {None}
    return len(values) <= 1
