"""Differences between versions of an annotation, and adjudication: a decision at each difference.

A spot is a place where at least one annotator marked a mention. Mentions at the same positions are one spot, and so are
overlapping mentions of different annotators that the others did not mark exactly: "the old king" by one and "king" by
another. Of several candidates, the one with the larger share of common words is chosen, then the earlier one. A spot
has at most one mention of each annotator.

A difference is of one of these kinds:

    mention     only some annotators marked a mention
    span        they marked different words
    link        they linked the mention to different earlier ones
    head        they chose different heads
    attributes  they gave the mention different attributes
    entity      they gave its entity a different type, kind or attributes
    relation    they gave it different bridges or split antecedents

A link is the nearest earlier mention of the same entity. Two annotators differ in it if their nearest mentions among
those that both marked are different, so that a mention which only one marked gives one difference, not two.

Choosing the answers of one annotator everywhere gives the document of that annotator. Agreement needs no decision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, count
from typing import Any, Literal, get_args

from ..document import Bridge, Document, Entity, Mention, SplitAntecedent, mention_order, runs
from ..document.disjoint_sets import Groups
from ..document.edits import canonical
from ..errors import CoindexError, UnknownNameError

Positions = tuple[int, ...]


@dataclass(slots=True)
class Spot:
    """The mentions at one place, by the number of the annotator."""

    marks: dict[int, tuple[Mention, Entity]] = field(default_factory=dict)

    @property
    def positions(self) -> list[Positions]:
        """Return the distinct spans, those of earlier annotators first."""
        return list(dict.fromkeys(self.marks[number][0].positions for number in sorted(self.marks)))

    @property
    def name(self) -> str:
        """Return the spans as text, such as "3-5", "3-5,8" or "3-5/4-5"."""
        return "/".join(map(span_name, self.positions))


def span_name(positions: Positions) -> str:
    """Return positions as short text with inclusive ends: "3-5,8"."""
    return ",".join(str(start) if end == start + 1 else f"{start}-{end - 1}" for start, end in runs(positions))


def find_spots(docs: Sequence[Document]) -> list[Spot]:
    """Return all spots in reading order; `docs` are versions over the same words."""
    exact: dict[tuple[Positions, int], Spot] = {}
    for number, doc in enumerate(docs):
        seen: dict[Positions, int] = {}
        for mention, entity in doc.mentions():
            times = seen[mention.positions] = seen.get(mention.positions, -1) + 1  # it may be in several entities
            exact.setdefault((mention.positions, times), Spot()).marks[number] = (mention, entity)
    spots = list(exact.values())
    loose = [at for at, spot in enumerate(spots) if len(spot.marks) < len(docs)]
    joined = _join(spots, loose)
    return sorted((spot for at, spot in enumerate(spots) if at not in joined), key=reading_order)


def _join(spots: list[Spot], loose: Sequence[int]) -> set[int]:
    """Merge overlapping spots of different annotators; return the numbers of those merged into another."""
    by_word: dict[int, list[int]] = {}
    for at in loose:
        for position in spots[at].positions[0]:
            by_word.setdefault(position, []).append(at)
    pairs = {(left, other) for numbers in by_word.values() for left in numbers for other in numbers if left != other}
    ranked = []
    for left, other in pairs:
        mine, theirs = spots[left], spots[other]
        if reading_order(mine) < reading_order(theirs) and mine.marks.keys().isdisjoint(theirs.marks):
            words, others = set(mine.positions[0]), set(theirs.positions[0])
            share = len(words & others) / len(words | others)
            ranked.append((-share, reading_order(mine), reading_order(theirs), left, other))
    into: dict[int, int] = {}
    for *_, left, other in sorted(ranked):
        first, second = into.get(left, left), into.get(other, other)
        if first != second and spots[first].marks.keys().isdisjoint(spots[second].marks):
            spots[first].marks.update(spots[second].marks)
            into = {at: first if to == second else to for at, to in into.items()} | {second: first}
    return set(into)


def reading_order(spot: Spot) -> tuple[int, int, list[Positions], tuple[int, ...]]:
    """Return a sort key: by start, longer spots first."""
    first = min(spot.positions)
    return first[0], -first[-1], spot.positions, tuple(spot.marks)


DifferenceKind = Literal["mention", "span", "link", "head", "attributes", "entity", "relation"]
KINDS: tuple[DifferenceKind, ...] = get_args(DifferenceKind)


@dataclass(frozen=True, slots=True)
class Option:
    """One of the answers at a difference, and the names of the annotators who gave it.

    `value` is the span of a mention or span, None where nothing was marked; of a link the span of the earlier mention,
    None where the entity begins here; of a head its position; of the other kinds what can be shown as text.
    """

    annotators: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between annotators. `id` depends only on the place, the kind and the spans."""

    id: str
    kind: DifferenceKind
    positions: Positions
    """All words that any annotator marked there."""
    options: tuple[Option, ...]
    spot: int
    """The number of its spot in the comparison."""

    def option_of(self, annotator: str) -> Option | None:
        """Return the answer of the annotator, or None."""
        return next((option for option in self.options if annotator in option.annotators), None)


@dataclass(frozen=True)
class Comparison:
    """Versions of a document with their spots and differences."""

    names: tuple[str, ...]
    docs: tuple[Document, ...]
    spots: tuple[Spot, ...]
    differences: tuple[Difference, ...]

    def of_kind(self, *kinds: DifferenceKind) -> list[Difference]:
        """Return the differences of some kinds, in reading order."""
        return [difference for difference in self.differences if difference.kind in kinds]


def compare(docs: Sequence[Document], names: Sequence[str]) -> Comparison:
    """Find the differences of two or more annotators, in reading order; `docs` are over the same words."""
    if len(docs) < 2 or len(docs) != len(names) or len(set(names)) < len(names):
        raise CoindexError(
            f"{len(docs)} annotations by {', '.join(names) or 'nobody'}; give at least two with distinct names",
            code="too-few-annotations",
        )
    spots = find_spots(docs)
    entities = EntitySpots(docs, spots)
    differences: list[Difference] = []
    seen: set[Hashable] = set()
    for number, spot in enumerate(spots):
        for kind in KINDS:
            answers = _answers(kind, number, entities, len(docs))
            if answers is None or (kind == "entity" and entities.profile(number) in seen):
                continue
            if kind == "entity":
                seen.add(entities.profile(number))
            words = tuple(sorted({position for span in spot.positions for position in span}))
            options = _options(answers, names)
            differences.append(Difference(f"{kind}:{spot.name}{_again(spots, number)}", kind, words, options, number))
    return Comparison(tuple(names), tuple(docs), tuple(spots), tuple(differences))


def _again(spots: Sequence[Spot], number: int) -> str:
    """Return a suffix that distinguishes consecutive spots with the same spans."""
    times = 0
    while number - times > 0 and spots[number - times - 1].positions == spots[number].positions:
        times += 1
    return f"#{times + 1}" if times else ""


def _options(answers: dict[int, tuple[Hashable, Any]], names: Sequence[str]) -> tuple[Option, ...]:
    grouped: dict[Hashable, list[int]] = {}
    for annotator, (key, _) in answers.items():
        grouped.setdefault(key, []).append(annotator)
    return tuple(
        Option(tuple(names[annotator] for annotator in annotators), answers[annotators[0]][1])
        for annotators in grouped.values()
    )


class EntitySpots:
    """The entities of all annotators as sequences of spots."""

    def __init__(self, docs: Sequence[Document], spots: Sequence[Spot]) -> None:
        self.spots = spots
        self.docs = docs
        self.before: list[dict[int, tuple[int, ...]]] = []
        """For each spot and annotator, the earlier spots of the entity, nearest first."""
        spots_of: dict[tuple[int, str], tuple[int, ...]] = {}
        for number, spot in enumerate(spots):
            earlier = {}
            for annotator, (_, entity) in spot.marks.items():
                earlier_spots = spots_of.get((annotator, entity.id), ())
                earlier[annotator] = earlier_spots
                spots_of[annotator, entity.id] = (number, *earlier_spots)
            self.before.append(earlier)
        self.members = {key: earlier_spots[::-1] for key, earlier_spots in spots_of.items()}
        """The spots of an annotator's entity."""
        self.relations = _relations(docs, self.members)

    def profile(self, number: int) -> Hashable:
        """Return the entity of the spot for each annotator."""
        return tuple(sorted((annotator, entity.id) for annotator, (_, entity) in self.spots[number].marks.items()))

    def links_differ(self, number: int) -> bool:
        for (first, mine), (other, theirs) in combinations(self.before[number].items(), 2):
            nearest = next((at for at in mine if other in self.spots[at].marks), None)
            if nearest != next((at for at in theirs if first in self.spots[at].marks), None):
                return True
        return False


def _answers(
    kind: DifferenceKind, number: int, entity_spots: EntitySpots, size: int
) -> dict[int, tuple[Hashable, Any]] | None:
    """Return the answer of each annotator, as a key to compare and a value to show; None if all agree."""
    spot = entity_spots.spots[number]
    if kind in ("mention", "span"):
        if (len(spot.positions) > 1) != (kind == "span"):
            return None
        spans = {at: spot.marks[at][0].positions if at in spot.marks else None for at in range(size)}
        return _unless_same({at: (span, span) for at, span in spans.items()})
    if kind == "link":
        if not entity_spots.links_differ(number):
            return None
        nearest = {at: before[0] if before else None for at, before in sorted(entity_spots.before[number].items())}
        return {at: (to, None if to is None else _span(entity_spots.spots[to], at)) for at, to in nearest.items()}
    return _unless_same({at: _detail(kind, number, at, entity_spots) for at in sorted(spot.marks)})


def _detail(kind: DifferenceKind, number: int, annotator: int, entity_spots: EntitySpots) -> tuple[Hashable, Any]:
    mention, entity = entity_spots.spots[number].marks[annotator]
    if kind == "head":
        return mention.head, mention.head
    if kind == "attributes":
        return _pairs(mention.attributes.items()), dict(mention.attributes)
    if kind == "entity":
        answer = {"type": entity.type, "kind": entity.kind, "attributes": dict(entity.attributes)}
        return (entity.type, entity.kind, _pairs(entity.attributes.items())), answer
    related = entity_spots.relations.get((annotator, entity.id, mention.positions), ())
    return related, [" ".join(filter(None, (name, *map(str, targets)))) for name, targets in related]


def _pairs(items: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(items))


def _span(spot: Spot, annotator: int) -> Positions:
    return spot.marks[annotator][0].positions


def _unless_same(answers: dict[int, tuple[Hashable, Any]]) -> dict[int, tuple[Hashable, Any]] | None:
    return answers if len({key for key, _ in answers.values()}) > 1 else None


BRIDGE, SPLIT = "bridge:", "split"
Related = tuple[tuple[str, tuple[int, ...]], ...]
"""Relations of a mention: their names, and the first spots of the related entities."""


def _relations(
    docs: Sequence[Document], members: dict[tuple[int, str], tuple[int, ...]]
) -> dict[tuple[int, str, Positions], Related]:
    relations: dict[tuple[int, str, Positions], Related] = {}
    for at, doc in enumerate(docs):
        for bridge in doc.bridges:
            key = at, bridge.entity, bridge.anaphor.positions
            relations[key] = (
                *relations.get(key, ()),
                (BRIDGE + (bridge.relation or ""), (members[at, bridge.antecedent][0],)),
            )
        for split in doc.split_antecedents:
            key = at, split.entity, split.anaphor.positions
            starts = tuple(members[at, id][0] for id in split.antecedents)
            relations[key] = (*relations.get(key, ()), (SPLIT, starts))
    return relations


def number_entities(docs: Sequence[Document]) -> list[dict[str, int]]:
    """Return a number for each entity of each version, from 1 in reading order.

    Corresponding entities of different versions get the same number: those that share the most mentions.
    """
    owners: dict[tuple[int, ...], int] = {}
    last = 0
    numbering: list[dict[str, int]] = []
    for doc in docs:
        shares = []
        for order, entity in enumerate(doc.entities):
            numbers = Counter(owners[mention.positions] for mention in entity.mentions if mention.positions in owners)
            shares += [(-many, order, number, entity.id) for number, many in numbers.items()]
        mine: dict[str, int] = {}
        for _, _, number, id in sorted(shares):
            if id not in mine and number not in mine.values():
                mine[id] = number
        for entity in doc.entities:
            if entity.id not in mine:
                last += 1
                mine[entity.id] = last
            for mention in entity.mentions:
                owners.setdefault(mention.positions, mine[entity.id])
        numbering.append(mine)
    return numbering


Choices = Mapping[str, str | None]
"""For ids of differences, the name of the annotator whose answer is chosen; None for nobody.

Nobody means: no mention; a new entity; no head, attributes or relations; an entity without a type.
"""


def find_undecided(comparison: Comparison, choices: Choices) -> list[Difference]:
    """Return the differences without a decision, in reading order."""
    return [difference for difference in comparison.differences if difference.id not in choices]


def adjudicate(comparison: Comparison, choices: Choices) -> Document:
    """Build the document that follows from the choices.

    A difference without a decision gets the answer that most annotators gave, of equal ones the first annotator's.
    """
    entity_spots = EntitySpots(comparison.docs, comparison.spots)
    decided = _Decisions(comparison, entity_spots, choices)
    keepers = {
        number: keeper for number in range(len(entity_spots.spots)) if (keeper := decided.keeper(number)) is not None
    }
    links = Groups(keepers)
    for number in keepers:
        for annotator in decided.choose_annotators(number, "link"):
            earlier = next((at for at in entity_spots.before[number][annotator] if at in keepers), None)
            if earlier is not None:
                links.join(earlier, number)
    return _Drawing(entity_spots, decided, keepers, [sorted(group) for group in links]).document()


class _Decisions:
    """Whose answer is taken, for each spot and kind."""

    def __init__(self, comparison: Comparison, entity_spots: EntitySpots, choices: Choices) -> None:
        by_id = {difference.id: difference for difference in comparison.differences}
        for id, name in choices.items():
            if id not in by_id:
                raise UnknownNameError("difference", id, by_id)
            if name is not None and by_id[id].option_of(name) is None:
                answered = [each for option in by_id[id].options for each in option.annotators]
                raise UnknownNameError(f"annotator at {id}", name, answered)
        self.choices = choices
        self.entity_spots = entity_spots
        self.numbers = {name: number for number, name in enumerate(comparison.names)}
        self.at = {(each.spot, each.kind): each for each in comparison.differences}
        self.of_profile = {entity_spots.profile(each.spot): each for each in comparison.of_kind("entity")}

    def choose_annotators(self, number: int, kind: DifferenceKind) -> list[int]:
        """Return the annotators whose answer is taken: all who marked the spot where they do not differ."""
        decision = (
            self.of_profile.get(self.entity_spots.profile(number)) if kind == "entity" else self.at.get((number, kind))
        )
        if decision is None:
            return sorted(self.entity_spots.spots[number].marks)
        most = max(decision.options, key=lambda option: len(option.annotators))
        name = self.choices.get(decision.id, most.annotators[0])
        return [] if name is None else [self.numbers[name]]

    def keeper(self, number: int) -> int | None:
        """Whose mention is at the spot; None where there is to be none."""
        kind: DifferenceKind = "span" if (number, "span") in self.at else "mention"
        chosen = self.choose_annotators(number, kind)
        return chosen[0] if chosen and chosen[0] in self.entity_spots.spots[number].marks else None


class _Drawing:
    """The document of groups of spots."""

    def __init__(
        self, entity_spots: EntitySpots, decided: _Decisions, keepers: Mapping[int, int], groups: list[list[int]]
    ) -> None:
        self.entity_spots, self.decided, self.keepers = entity_spots, decided, keepers
        self.layer = entity_spots.docs[0].tokens
        self.ids: dict[int, str] = {}
        self.mentions = {number: self._mention(number) for number in keepers}
        self.entities = self._entities(sorted(groups))

    def document(self) -> Document:
        bridges: list[Bridge] = []
        splits: list[SplitAntecedent] = []
        for number in self.keepers:
            for annotator in self.decided.choose_annotators(number, "relation")[:1]:
                self._relate(number, annotator, bridges, splits)
        base = self.entity_spots.docs[0].replace(entities=tuple(self.entities))
        return canonical(base.replace(bridges=tuple(bridges), split_antecedents=tuple(splits)))

    def _mention(self, number: int) -> Mention:
        marks = self.entity_spots.spots[number].marks
        positions = marks[self.keepers[number]][0].positions
        heads = [marks[annotator][0].head for annotator in self.decided.choose_annotators(number, "head")[:1]]
        head = heads[0] if heads and heads[0] in positions else None
        attributes = [
            marks[annotator][0].attributes for annotator in self.decided.choose_annotators(number, "attributes")[:1]
        ]
        return Mention(self.layer, positions, head, dict(attributes[0]) if attributes else {})

    def _entities(self, groups: Sequence[Sequence[int]]) -> list[Entity]:
        wanted = [self.entity_spots.spots[group[0]].marks[self.keepers[group[0]]][1] for group in groups]
        taken = {entity.id for entity in wanted}
        fresh = (id for number in count(1) if (id := f"e{number}") not in taken)
        used: set[str] = set()
        entities = []
        for group, like in zip(groups, wanted, strict=True):
            id = next(fresh) if like.id in used else like.id
            used.add(id)
            self.ids.update(dict.fromkeys(group, id))
            mentions = tuple(sorted((self.mentions[number] for number in group), key=mention_order))
            decided = [
                self.entity_spots.spots[group[0]].marks[at][1]
                for at in self.decided.choose_annotators(group[0], "entity")[:1]
            ]
            if decided:
                entities.append(Entity(id, mentions, decided[0].type, decided[0].kind, dict(decided[0].attributes)))
            else:
                entities.append(Entity(id, mentions, kind=like.kind))
        return entities

    def _relate(self, number: int, annotator: int, bridges: list[Bridge], splits: list[SplitAntecedent]) -> None:
        mention, entity = self.entity_spots.spots[number].marks[annotator]
        own, anaphor = self.ids[number], self.mentions[number]
        for name, starts in self.entity_spots.relations.get((annotator, entity.id, mention.positions), ()):
            ends = [end for start in starts if (end := self._entity_of(start, annotator)) not in (None, own)]
            members = tuple(dict.fromkeys(end for end in ends if end is not None))
            if name == SPLIT and len(members) > 1:
                splits.append(SplitAntecedent(anaphor, own, members))
            elif name != SPLIT and members:
                bridges.append(Bridge(anaphor, own, members[0], name.removeprefix(BRIDGE) or None))

    def _entity_of(self, start: int, annotator: int) -> str | None:
        """Return the adjudicated entity for the entity of an annotator that begins at a spot."""
        entity = self.entity_spots.spots[start].marks[annotator][1]
        return next((self.ids[at] for at in self.entity_spots.members[annotator, entity.id] if at in self.ids), None)
