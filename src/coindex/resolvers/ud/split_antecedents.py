"""Find simple split antecedents: "Ann met Bob and Eva … they", where the coordination is not a mention.

A plural pronoun without an antecedent refers to the members of the nearest preceding coordination. Members that are not
in an entity get a new one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...document import Document, Entity, Mention, SplitAntecedent, Token
from ...document.heads import Trees
from ..clusters import add_provenance, free_ids
from .zeros import base

REACH = 2
"""Number of sentences before that of the pronoun that are searched."""
OR = frozenset(
    "or nor o u ou oder nebo či anebo ani ni neither vagy или либо ни of noch lub albo czy".split()  # noqa: SIM905 - words
)
"""Lemmas of conjunctions that do not form a group."""
OUTSIDE = frozenset({"conj", "cc", "case", "punct", "mark", "cop", "nsubj", "acl", "appos", "parataxis"})
"""Relations of dependents that do not belong to a member of a group."""
NOMINAL = ("NOUN", "PROPN")
STEP = "split"


def link_splits(doc: Document, name: str) -> Document:
    """Return the document with split antecedents for plural pronouns that start an entity or are in none."""
    anaphors = list(_anaphors(doc))
    if not anaphors:
        return doc
    trees = Trees(doc)
    groups = list(_coordinations(doc, trees)) if len(trees.parents) == len(doc.tokens) else []
    if not groups:
        return doc
    builder = _SplitBuilder(doc, trees, name)
    for anaphor, entity in anaphors:
        members = _nearest(doc, groups, anaphor.start)
        if members:
            builder.add(anaphor, entity, members)
    return builder.document()


def _anaphors(doc: Document) -> Iterator[tuple[Mention, Entity | None]]:
    """Yield third-person plural pronouns without an antecedent, with their entities, if any."""
    begun = {entity.mentions[0].positions: (entity.mentions[0], entity) for entity in doc.entities if entity.mentions}
    taken = {
        mention.head if mention.head is not None else mention.start
        for entity in doc.entities
        for mention in entity.mentions
    }
    for position, token in enumerate(doc.tokens):
        if not _is_they(token):
            continue
        known = begun.get((position,))
        if known is not None:
            yield known
        elif position not in taken:
            yield doc.mention([position], head=position), None


def _is_they(token: Token) -> bool:
    if token.upos != "PRON" or "Number=Plur" not in token.feats:
        return False
    feats = token.features
    return feats.get("PronType") == "Prs" and feats.get("Person", "3") == "3" and feats.get("Reflex") != "Yes"


def _coordinations(doc: Document, trees: Trees) -> Iterator[list[int]]:
    """Yield the heads of singular nouns and names joined by "and", in reading order."""
    for position, token in enumerate(doc.tokens):
        if token.upos not in NOMINAL:
            continue
        others = [child for child in trees.children[position] if base(doc.tokens[child].deprel) == "conj"]
        heads = [position, *others]
        if others and all(map(_is_member, (doc.tokens[head] for head in heads))) and _is_and(doc, trees, others[-1]):
            yield heads


def _is_member(token: Token) -> bool:
    return token.upos in NOMINAL and "Number=Plur" not in token.feats and not token.is_empty


def _is_and(doc: Document, trees: Trees, last: int) -> bool:
    words = [doc.tokens[child].lemma.lower() for child in trees.children[last] if doc.tokens[child].deprel == "cc"]
    return bool(words) and OR.isdisjoint(words)


def _nearest(doc: Document, groups: Sequence[list[int]], position: int) -> list[int]:
    """Return the last coordination that ends before the position within `REACH`."""
    first = doc.sentences[max(0, doc.sentence_index(position) - REACH)].start
    return next((heads for heads in reversed(groups) if first <= heads[0] and heads[-1] < position), [])


def _phrase(doc: Document, trees: Trees, head: int) -> set[int]:
    """Return the head with its modifiers; cycles in invalid trees end the search."""
    positions = {head}
    waiting = [child for child in trees.children[head] if base(doc.tokens[child].deprel) not in OUTSIDE]
    while waiting:
        at = waiting.pop()
        if at not in positions:
            positions.add(at)
            waiting += trees.children[at]
    return positions


class _SplitBuilder:
    """Collects split antecedents and the entities that they need."""

    def __init__(self, doc: Document, trees: Trees, name: str) -> None:
        self.doc = doc
        self.trees = trees
        self.by = f"{name}/{STEP}"
        self.ids = free_ids(doc)
        self.entities = list(doc.entities)
        self.where = {mention.head: entity.id for entity in doc.entities for mention in entity.mentions}
        self.spans = {mention.positions: entity.id for entity in doc.entities for mention in entity.mentions}
        self.splits = list(doc.split_antecedents)

    def add(self, anaphor: Mention, entity: Entity | None, heads: Sequence[int]) -> None:
        antecedents = tuple(self._entity(head) for head in heads)
        if len(set(antecedents)) < len(antecedents) or (entity is not None and entity.id in antecedents):
            return
        if entity is None:
            anaphor = add_provenance(anaphor, self.by)
        own = self._new(anaphor) if entity is None else entity.id
        self.splits.append(SplitAntecedent(anaphor, own, antecedents))

    def _entity(self, head: int) -> str:
        if head in self.where:
            return self.where[head]
        mention = self.doc.mention(_phrase(self.doc, self.trees, head), head=head)
        return self.spans.get(mention.positions) or self._new(mention)

    def _new(self, mention: Mention) -> str:
        id = next(self.ids)
        self.entities.append(Entity(id, (mention,)))
        self.where[mention.head] = self.spans[mention.positions] = id
        return id

    def document(self) -> Document:
        return self.doc.replace(entities=tuple(self.entities), split_antecedents=tuple(self.splits))
