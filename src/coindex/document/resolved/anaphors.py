"""Which mentions are replaced, and in which form: the grammar that must hold for the text to stay text.

Where it is not sure that a name fits, the anaphor stays: reflexives and relative pronouns, predicates and appositions,
a *they* whose verb would have to change, and in other languages than English whatever is not a subject or does not have
the case of the name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ..documents import Document
from ..entities import Mention
from ..representative import Telling, head_of, telling
from ..tokens import Token
from ..trees import Trees
from . import english
from .names import Name, is_plural

Form = Literal["plain", "genitive"]
MOST_WORDS = 4
"""A description of more words ("the girl who had lost her shoe") says more than a name would."""
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
        """How the name has to stand in the mention's place; None where the mention stays as it is."""
        kind = telling(mention)
        if kind is Telling.PRONOUN and len(mention) == 1:
            if self.is_english:
                return self._english_pronoun(mention, name, opens_phrase=opens_phrase)
            return "plain" if self._fits_pronoun(mention, name) else None
        if kind is Telling.NOUN and name.is_proper and self.nominals and self._is_plain_description(mention):
            return self._description(mention, name)
        return None

    def is_subject(self, mention: Mention) -> bool:
        """Whether a zero is the subject of something that could have one: no command, no I or you unless asked for."""
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
        if word in english.RELATIVE or token.features.get("PronType") in ("Rel", "Int"):
            return None
        others = english.FIRST_AND_SECOND | english.FIRST_AND_SECOND_POSSESSIVE
        if word in others and not self.all_persons:
            return None
        if english.is_possessive(token, self._word_after(mention), opens_phrase=opens_phrase):
            return "genitive"
        if word not in english.PERSONAL | english.DEMONSTRATIVE | english.FIRST_AND_SECOND:
            return None
        if word == "that" and token.upos == "_":
            return None  # more often a conjunction or relative pronoun than not
        return "plain" if self._agrees(mention, word, name) else None

    def _agrees(self, mention: Mention, word: str, name: Name) -> bool:
        """Whether the verb of a subject pronoun would stay the same with the name for its subject."""
        is_plural = word in english.PLURAL | {"we", "you"}
        if (is_plural == name.is_plural and word != "i") or word in ("him", "her", "them", "me", "us"):
            return True
        token = self.doc.tokens[mention.start]
        if token.head == "_":
            after = self._word_after(mention)
            return after is None or english.is_same_in_all_persons(after)
        if not token.deprel.startswith("nsubj"):
            return True
        return all(english.is_same_in_all_persons(verb) for verb in self._finite_verbs(mention.start))

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
        return before is None or words[0].id == "1" or before.form.lower() not in english.COPULAS

    def _is_definite(self, token: Token) -> bool:
        if self.is_english:
            return token.form.lower() in english.DEFINITE
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


def _agree(one: Token, other: Token, feature: str) -> bool:
    values = {one.features.get(feature), other.features.get(feature)} - {None}
    return len(values) <= 1
