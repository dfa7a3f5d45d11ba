"""The names that anaphors are replaced by: an entity's representative mention, made fit for inside a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..documents import Document
from ..entities import Entity, Mention, runs
from ..representative import LONGEST, Telling, core_positions, head_of, representative, telling
from ..tokens import Token
from ..words import word_text, words_span
from .english import (
    ARTICLES_AND_SUCH,
    FIRST_AND_SECOND_POSSESSIVE,
    INDEFINITE,
    POSSESSIVE,
    UNFIT,
    genitive,
    is_possessive,
)

DEEPEST = 8
"""How many entities are named inside the name of one: "her brother's dog" has the name of her in it."""
_INNER = frozenset({"DET", "ADJ", "PRON", "NUM", "ADV", "ADP"})


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it stands inside a sentence."""

    text: str
    is_proper: bool
    is_plural: bool
    mention: Mention | None = None
    """The representative mention; None for a name that was put together from others."""

    @property
    def is_plural_noun(self) -> bool:
        """Whether its last word is a plural, as in "the girls" or "the Smiths", not a coordination with James."""
        if self.mention is None or not self.is_plural:
            return False
        last = self.mention.layer[core_positions(self.mention)[-1]]
        return last.features.get("Number") == "Plur" if last.upos != "_" else not self.is_proper


class Names:
    """The names of a document's entities, each made once."""

    def __init__(self, doc: Document, *, english: bool) -> None:
        self.doc = doc
        self.english = english
        self.apostrophe = "’" if "’" in doc.text and "'" not in doc.text else "'"
        self._entities: Mapping[str, Entity] = {entity.id: entity for entity in doc.entities}
        self._groups = {split.entity: split.antecedents for split in doc.split_antecedents}
        self._pronouns = {
            mention.start: entity
            for mention, entity in doc.mentions()
            if len(mention) == 1 and telling(mention) is Telling.PRONOUN
        }
        self._made: dict[str, Name | None] = {}

    def name(self, entity: Entity) -> Name | None:
        """What to call the entity, None where nothing in the text is a name for it."""
        if entity.id not in self._made:
            self._made[entity.id] = self._make(entity, ())
        return self._made[entity.id]

    def _make(self, entity: Entity, inside: tuple[str, ...]) -> Name | None:
        if not entity.mentions or entity.id in inside or len(inside) > DEEPEST:
            return None
        mention = entity.mentions[representative(entity)]
        kind = telling(mention)
        if kind >= Telling.NOUN or (kind is Telling.OTHER and _is_untagged(mention)):
            return self._of_mention(mention, (*inside, entity.id), is_proper=kind is Telling.NAME)
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
        """ "Ann and Bob" for a *they* whose members are mentioned apart."""
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
        """Words of a name, with the possessives in it resolved: "her brother" -> "Alice's brother"."""
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
        """Without the capital of a sentence's beginning, and with a definite article for an indefinite one."""
        token = self.doc.tokens[position]
        word = token.form.lower()
        if token.id == "1" and self._is_only_first(token):
            text = text[:1].lower() + text[1:]
        if self.english and word in INDEFINITE and len(text) > len(word):
            text = "the" + text[len(word) :]
        return text

    def _is_only_first(self, token: Token) -> bool:
        """Whether a word has its capital, if it has one, from the beginning of the sentence only."""
        if token.upos == "_":
            return token.form.lower() in ARTICLES_AND_SUCH
        # German nouns have capitals everywhere
        return token.upos in _INNER or (self.english and token.upos == "NOUN" and not token.form.isupper())


def is_plural(mention: Mention) -> bool:
    """Whether it means several: by its features, or because it is a coordination."""
    layer = mention.layer
    words = [layer[position] for position in core_positions(mention)]
    if any(word.form.lower() in ("and", "&") for word in words):
        return True
    head = layer[head_of(mention)]
    if head.upos == "_":
        ends = head.form.endswith("s") and not head.form.endswith(("ss", "us", "is"))
        return ends and telling(mention) is not Telling.NAME
    return head.features.get("Number") == "Plur"


def _is_untagged(mention: Mention) -> bool:
    return mention.layer[head_of(mention)].upos == "_"
