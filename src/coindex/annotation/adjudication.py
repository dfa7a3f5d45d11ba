"""One document from several, by a decision at each difference. A pure function: the same decisions, the same document.

Whoever takes one annotator's answer everywhere gets that annotator's document. What all agree on needs no decision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from ..document import Bridge, Document, Entity, Mention, SplitAntecedent, mention_order
from ..document.disjoint_sets import Groups
from ..document.edits import canonical
from ..errors import UnknownNameError
from .differences import BRIDGE, SPLIT, Chains, Comparison, Difference, DifferenceKind

Choices = Mapping[str, str | None]
"""For ids of differences the name of the annotator whose answer is taken, None for nobody's.

Nobody's means: no mention; a new entity; no head, attributes or relations; an entity without a type.
"""


def undecided(comparison: Comparison, choices: Choices) -> list[Difference]:
    """The differences without a decision, in reading order."""
    return [difference for difference in comparison.differences if difference.id not in choices]


def adjudicate(comparison: Comparison, choices: Choices) -> Document:
    """The document that follows from the choices.

    A difference without a decision gets the answer that most annotators gave, of equal ones the first annotator's.
    """
    chains = Chains(comparison.docs, comparison.spots)
    decided = _Decisions(comparison, chains, choices)
    keepers = {number: keeper for number in range(len(chains.spots)) if (keeper := decided.keeper(number)) is not None}
    links = Groups(keepers)
    for number in keepers:
        for annotator in decided.taken(number, "link"):
            earlier = next((at for at in chains.before[number][annotator] if at in keepers), None)
            if earlier is not None:
                links.join(earlier, number)
    return _Drawing(chains, decided, keepers, [sorted(group) for group in links]).document()


class _Decisions:
    """Whose answer is taken, for each spot and kind."""

    def __init__(self, comparison: Comparison, chains: Chains, choices: Choices) -> None:
        by_id = {difference.id: difference for difference in comparison.differences}
        for id, name in choices.items():
            if id not in by_id:
                raise UnknownNameError("difference", id, by_id)
            if name is not None and by_id[id].option_of(name) is None:
                answered = [each for option in by_id[id].options for each in option.annotators]
                raise UnknownNameError(f"annotator at {id}", name, answered)
        self.choices = choices
        self.chains = chains
        self.numbers = {name: number for number, name in enumerate(comparison.names)}
        self.at = {(each.spot, each.kind): each for each in comparison.differences}
        self.of_profile = {chains.profile(each.spot): each for each in comparison.of_kind("entity")}

    def taken(self, number: int, kind: DifferenceKind) -> list[int]:
        """The annotators whose answer is taken: all who marked the spot where they do not differ."""
        found = self.of_profile.get(self.chains.profile(number)) if kind == "entity" else self.at.get((number, kind))
        if found is None:
            return sorted(self.chains.spots[number].marks)
        most = max(found.options, key=lambda option: len(option.annotators))
        name = self.choices.get(found.id, most.annotators[0])
        return [] if name is None else [self.numbers[name]]

    def keeper(self, number: int) -> int | None:
        """Whose mention is at the spot; None where there is to be none."""
        kind: DifferenceKind = "span" if (number, "span") in self.at else "mention"
        chosen = self.taken(number, kind)
        return chosen[0] if chosen and chosen[0] in self.chains.spots[number].marks else None


class _Drawing:
    """The document of groups of spots."""

    def __init__(
        self, chains: Chains, decided: _Decisions, keepers: Mapping[int, int], groups: list[list[int]]
    ) -> None:
        self.chains, self.decided, self.keepers = chains, decided, keepers
        self.layer = chains.docs[0].tokens
        self.ids: dict[int, str] = {}
        self.mentions = {number: self._mention(number) for number in keepers}
        self.entities = self._entities(sorted(groups))

    def document(self) -> Document:
        bridges: list[Bridge] = []
        splits: list[SplitAntecedent] = []
        for number in self.keepers:
            for annotator in self.decided.taken(number, "relation")[:1]:
                self._relate(number, annotator, bridges, splits)
        base = self.chains.docs[0].replace(entities=tuple(self.entities))
        return canonical(base.replace(bridges=tuple(bridges), split_antecedents=tuple(splits)))

    def _mention(self, number: int) -> Mention:
        marks = self.chains.spots[number].marks
        positions = marks[self.keepers[number]][0].positions
        heads = [marks[annotator][0].head for annotator in self.decided.taken(number, "head")[:1]]
        head = heads[0] if heads and heads[0] in positions else None
        said = [marks[annotator][0].attributes for annotator in self.decided.taken(number, "attributes")[:1]]
        return Mention(self.layer, positions, head, dict(said[0]) if said else {})

    def _entities(self, groups: Sequence[Sequence[int]]) -> list[Entity]:
        wanted = [self.chains.spots[group[0]].marks[self.keepers[group[0]]][1] for group in groups]
        taken = {entity.id for entity in wanted}
        fresh = (id for number in count(1) if (id := f"e{number}") not in taken)
        used: set[str] = set()
        found = []
        for group, like in zip(groups, wanted, strict=True):
            id = next(fresh) if like.id in used else like.id
            used.add(id)
            self.ids.update(dict.fromkeys(group, id))
            mentions = tuple(sorted((self.mentions[number] for number in group), key=mention_order))
            told = [self.chains.spots[group[0]].marks[at][1] for at in self.decided.taken(group[0], "entity")[:1]]
            if told:
                found.append(Entity(id, mentions, told[0].type, told[0].kind, dict(told[0].attributes)))
            else:
                found.append(Entity(id, mentions, kind=like.kind))
        return found

    def _relate(self, number: int, annotator: int, bridges: list[Bridge], splits: list[SplitAntecedent]) -> None:
        mention, entity = self.chains.spots[number].marks[annotator]
        own, anaphor = self.ids[number], self.mentions[number]
        for name, starts in self.chains.relations.get((annotator, entity.id, mention.positions), ()):
            ends = [end for start in starts if (end := self._entity_of(start, annotator)) not in (None, own)]
            members = tuple(dict.fromkeys(end for end in ends if end is not None))
            if name == SPLIT and len(members) > 1:
                splits.append(SplitAntecedent(anaphor, own, members))
            elif name != SPLIT and members:
                bridges.append(Bridge(anaphor, own, members[0], name.removeprefix(BRIDGE) or None))

    def _entity_of(self, start: int, annotator: int) -> str | None:
        """The entity that an annotator's entity, which begins at that spot, has become."""
        entity = self.chains.spots[start].marks[annotator][1]
        return next((self.ids[at] for at in self.chains.members[annotator, entity.id] if at in self.ids), None)
