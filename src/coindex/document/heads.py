"""Heads of mentions from the dependency tree, as CorefUD finds them, and spans reduced to heads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Literal

from .disjoint_sets import Groups
from .documents import Document
from .entities import Bridge, Entity, Mention, SplitAntecedent, mention_order

Dependency = tuple[int | None, str]
"""The position of a parent (None: the root of the sentence) and the relation to it."""


class Trees:
    """Basic and enhanced dependencies; a parent that is not given or does not exist is None."""

    def __init__(self, doc: Document) -> None:
        self.doc = doc

    @cached_property
    def parents(self) -> list[int | None]:
        """The basic parent of each token; None for roots, empty nodes and tokens without a tree."""
        parents: list[int | None] = []
        for sentence in self.doc.sentences:
            where = self._positions(sentence.start, sentence.end)
            parents += [where.get(token.head) for token in sentence.tokens]
        return parents

    @cached_property
    def children(self) -> list[list[int]]:
        """The basic children of each token, in order."""
        children: list[list[int]] = [[] for _ in self.doc.tokens]
        for position, parent in enumerate(self.parents):
            if parent is not None:
                children[parent].append(position)
        return children

    @cached_property
    def has_trees(self) -> bool:
        """Whether any token has a parent or is a root."""
        return any(token.head not in ("_", "") for token in self.doc.tokens)

    def enhanced(self, position: int) -> list[Dependency]:
        """Return the dependencies in DEPS, or the basic one if DEPS is empty."""
        token = self.doc.tokens[position]
        if token.deps == "_":
            return [] if token.head == "_" else [(self.parents[position], token.deprel)]
        sentence = self.doc.sentence_at(position)
        where = self._positions(sentence.start, sentence.end)
        pairs = (item.partition(":") for item in token.deps.split("|"))
        return [(where.get(parent), relation) for parent, _, relation in pairs]

    def path_to_root(self, position: int) -> list[int]:
        """Return the token and its ancestors in the basic tree; a cycle in bad data ends the path."""
        path = [position]
        seen = {position}
        while (parent := self.parents[path[-1]]) is not None and parent not in seen:
            path.append(parent)
            seen.add(parent)
        return path

    def _positions(self, start: int, end: int) -> dict[str, int]:
        return {self.doc.tokens[position].id: position for position in range(start, end)}


Reduction = Literal["all", "merge", "smaller"]
REDUCTIONS: dict[Reduction, str] = {
    "all": "every span is reduced to its head; two mentions may then be the same word (CRAC 2022: straka)",
    "merge": "the same, and entities that then share a word are merged (CRAC 2022: berulasek)",
    "smaller": "of spans with the same head only the smallest is reduced, the others are kept (CRAC 2022: head-match)",
}


def find_heads(doc: Document, *, overwrite: bool = False) -> Document:
    """Return the document with a head for each mention; given heads are kept unless `overwrite` is set."""
    trees = Trees(doc)

    def with_head(mention: Mention) -> Mention:
        if mention.head is not None and not overwrite:
            return mention
        head = find_head(mention, trees)
        return mention if head == mention.head else replace(mention, head=head)

    return _map_mentions(doc, with_head)


def find_head(mention: Mention, trees: Trees) -> int:
    """Return the highest word of the mention in the tree.

    If several words have their parent outside, take those whose enhanced parents are outside too;
    of these the ancestor of all others, otherwise the given head, otherwise the first.
    """
    if len(mention) == 1:
        return mention.start
    inside = set(mention.positions)
    tops = [position for position in mention.positions if trees.parents[position] not in inside]
    if len(tops) == 1:
        return tops[0]
    candidates = _find_highest_enhanced(tops, inside, trees)
    if not candidates:  # a cycle
        return mention.head if mention.head is not None else mention.start
    if len(candidates) == 1:
        return candidates[0]
    common = _common_ancestor(_overt(candidates, trees), trees)
    if common in candidates:
        return common
    return mention.head if mention.head in candidates else candidates[0]


def _find_highest_enhanced(tops: list[int], inside: set[int], trees: Trees) -> list[int]:
    hanging = {top: [parent in inside for parent, _ in trees.enhanced(top)] for top in tops}
    free = [top for top in tops if not any(hanging[top])]
    return free or [top for top in tops if not all(hanging[top])]


def _overt(candidates: list[int], trees: Trees) -> list[int]:
    """Return the candidates with each empty node replaced by the first word that it depends on."""
    empty = trees.doc.tokens.empty_positions
    overt = [position for position in candidates if position not in empty]
    for position in candidates:
        if position in empty:
            parents = (parent for parent, _ in trees.enhanced(position))
            overt += [p for p in parents if p is not None and p not in empty and p not in overt][:1]
    return sorted(overt)


def _common_ancestor(positions: Iterable[int], trees: Trees) -> int | None:
    common: list[int] | None = None
    for position in positions:
        path = trees.path_to_root(position)
        common = path if common is None else [p for p in common if p in set(path)]
    return common[0] if common else None


def reduce_to_heads(doc: Document, how: Reduction) -> Document:
    """Return the document with mentions reduced to their heads, or to their first word if they have none."""
    keep: set[int] = set()
    if how == "smaller":
        keep = _larger_with_the_same_head(doc)

    def reduce_mention(mention: Mention) -> Mention:
        if id(mention) in keep:
            return mention
        head = _head(mention)
        return mention if mention.positions == (head,) else replace(mention, positions=(head,), head=head)

    result = _map_mentions(doc, reduce_mention)
    return _merge_same_words(result) if how == "merge" else result


def _head(mention: Mention) -> int:
    return mention.start if mention.head is None else mention.head


def _larger_with_the_same_head(doc: Document) -> set[int]:
    smallest: dict[int, Mention] = {}
    larger = set()
    mentions = [mention for mention, _ in doc.mentions()]
    for mention in sorted(mentions, key=len):
        if smallest.setdefault(_head(mention), mention) is not mention:
            larger.add(id(mention))
    return larger


def _merge_same_words(doc: Document) -> Document:
    """Merge entities that share a word; each word is in one entity of the result."""
    entity_of: dict[int, int] = {}
    groups = Groups(range(len(doc.entities)))
    for number, entity in enumerate(doc.entities):
        for mention in entity.mentions:
            groups.join(entity_of.setdefault(mention.start, number), number)
    merged = [[doc.entities[number] for number in group] for group in groups]
    entities = []
    for members in merged:
        once = {mention.positions: mention for entity in reversed(members) for mention in reversed(entity.mentions)}
        mentions = tuple(sorted(once.values(), key=mention_order))
        entities.append(replace(members[0], mentions=mentions))
    names = {entity.id: members[0].id for members in merged for entity in members}
    return _with_entities(doc, entities, names)


def _map_mentions(doc: Document, change: Callable[[Mention], Mention]) -> Document:
    changed: dict[tuple[str, tuple[int, ...]], Mention] = {}
    entities = []
    for entity in doc.entities:
        mentions = tuple(map(change, entity.mentions))
        if all(new is old for new, old in zip(mentions, entity.mentions, strict=True)):
            entities.append(entity)
            continue
        changed.update(((entity.id, old.positions), new) for old, new in zip(entity.mentions, mentions, strict=True))
        once = {
            mention.positions: mention for mention in reversed(mentions)
        }  # two mentions may have become the same word
        entities.append(replace(entity, mentions=tuple(sorted(once.values(), key=mention_order))))
    if not changed:
        return doc

    def find_anaphor(relation: Bridge | SplitAntecedent) -> Mention:
        return changed.get((relation.entity, relation.anaphor.positions), relation.anaphor)

    return doc.replace(
        entities=tuple(sorted(entities, key=lambda entity: (mention_order(entity.mentions[0]), entity.id))),
        bridges=tuple(replace(bridge, anaphor=find_anaphor(bridge)) for bridge in doc.bridges),
        split_antecedents=tuple(replace(split, anaphor=find_anaphor(split)) for split in doc.split_antecedents),
    )


def _with_entities(doc: Document, entities: list[Entity], names: dict[str, str]) -> Document:
    """Return the document with these entities, without relations of an entity to itself and duplicate relations."""

    def new(name: str) -> str:
        return names.get(name, name)

    bridges = [replace(b, entity=new(b.entity), antecedent=new(b.antecedent)) for b in doc.bridges]
    bridges = [bridge for bridge in bridges if bridge.entity != bridge.antecedent]
    splits = []
    for split in doc.split_antecedents:
        members = dict.fromkeys(map(new, split.antecedents))
        members.pop(new(split.entity), None)
        if len(members) > 1:
            splits.append(replace(split, entity=new(split.entity), antecedents=tuple(members)))
    return doc.replace(
        entities=tuple(sorted(entities, key=lambda entity: (mention_order(entity.mentions[0]), entity.id))),
        bridges=tuple({(b.entity, b.anaphor.positions, b.antecedent): b for b in reversed(bridges)}.values())[::-1],
        split_antecedents=tuple(splits),
    )
