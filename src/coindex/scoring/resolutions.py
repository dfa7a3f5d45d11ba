"""Pronouns and what they are resolved to, as tasks 1 and 3 of ARE 2007 ask for them; the rules are in `are`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..document import Document, Mention, mention_order
from ..document.pronouns import antecedent, is_pronoun
from .sides import Part
from .words import Words, words_of


@dataclass(slots=True)
class Chain:
    """The mentions of an entity by their words."""

    is_pronoun: dict[Words, bool] = field(default_factory=dict)
    with_word: dict[int, list[Words]] = field(default_factory=dict)

    def add(self, words: Words, *, pronoun: bool) -> None:
        if words not in self.is_pronoun:
            for word in words:
                self.with_word.setdefault(word, []).append(words)
        self.is_pronoun[words] = pronoun


@dataclass(slots=True)
class Resolutions:
    """What a response makes of its pronouns."""

    tried: set[Words] = field(default_factory=set)
    """The pronouns that it was asked for."""
    steps: dict[Words, Words | None] = field(default_factory=dict)
    """Where a pronoun leads, asked for or not; None where that is nothing in the text."""


def find_chains(parts: Iterable[Part]) -> dict[Words, Chain]:
    """The pronouns of the key that are to be resolved, each with its entity; entities that share one are joined."""
    chains: dict[Words, Chain] = {}
    shared: dict[str, Chain] = {}
    for doc, codes in parts:
        given = _says(doc, "anaphoric")
        for id, mentions in _entities(doc):
            chain = shared.setdefault(id, Chain()) if doc.shared_ids else Chain()
            for mention in mentions:
                words = words_of(mention, codes)
                pronoun = _is_pronominal(mention)
                chain.add(words, pronoun=pronoun)
                if pronoun and _is_to_resolve(mention, antecedent(mention, mentions), given=given):
                    known = chains.setdefault(words, chain)
                    if known is not chain:
                        chains[words] = _joined(known, chain)
    return chains


def _joined(one: Chain, other: Chain) -> Chain:
    both = Chain()
    for words, pronoun in (*one.is_pronoun.items(), *other.is_pronoun.items()):
        both.add(words, pronoun=pronoun)
    return both


def find_resolutions(parts: Iterable[Part]) -> Resolutions:
    """The pronouns that the response resolves, by its answers or else by its chains."""
    found = Resolutions()
    for doc, codes in parts:
        for mention, target, asked in _answers(doc) if _says(doc, "antecedent") else _from_chains(doc):
            words = words_of(mention, codes)
            found.steps.setdefault(words, None if target is None else words_of(target, codes))
            if asked:
                found.tried.add(words)
    return found


Step = tuple[Mention, Mention | None, bool]
"""A pronoun, where it leads, and whether it was asked for."""


def _answers(doc: Document) -> Iterator[Step]:
    mentions = [mention for entity in doc.entities for mention in entity.mentions]
    by_name = {_nodes(mention): mention for mention in reversed(mentions)}
    by_name |= {mention.attributes["id"]: mention for mention in reversed(mentions) if "id" in mention.attributes}
    for mention in mentions:
        said = mention.attributes.get("antecedent")
        if said is not None:
            yield mention, by_name.get(said), True


def _nodes(mention: Mention) -> str:
    """The first and the last node of a mention, as tasks 3 and 4 name it."""
    ends = (mention.layer[position].misc_values.get("Node", "") for position in (mention.start, mention.end - 1))
    return "-".join(ends)


def _from_chains(doc: Document) -> Iterator[Step]:
    given = _says(doc, "anaphoric")
    for _, mentions in _entities(doc):
        for mention in filter(_is_pronominal, mentions):
            before = antecedent(mention, mentions)
            target = before or _following(mention, mentions)
            if target is not None:
                yield mention, target, _is_to_resolve(mention, before, given=given)


def _following(mention: Mention, chain: list[Mention]) -> Mention | None:
    return next((other for other in chain if other.start >= mention.end and not _is_pronominal(other)), None)


def _entities(doc: Document) -> Iterator[tuple[str, list[Mention]]]:
    for entity in doc.entities:
        yield entity.id, sorted(entity.mentions, key=mention_order)


def _is_pronominal(mention: Mention) -> bool:
    return is_pronoun(mention) or mention.attributes.get("anaphoric") == "yes"


def _is_to_resolve(pronoun: Mention, before: Mention | None, *, given: bool) -> bool:
    return pronoun.attributes.get("anaphoric") == "yes" if given else before is not None


def _says(doc: Document, attribute: str) -> bool:
    return any(attribute in mention.attributes for entity in doc.entities for mention in entity.mentions)
