"""Vote: combine several annotations into one, by majority for mentions and correlation clustering for links.

A mention is kept if a majority marked exactly its positions. For two kept mentions, every annotator who marked both has
a vote: one entity or two. The entities are the groups of mentions that agree best with these votes. In a tie, the votes
of the annotators who agree better with the others decide; if these are tied too, the mentions stay apart. Heads,
attributes, types, kinds and ids are decided by the majority of those who marked a mention.

Correlation clustering finds the partition with the largest sum of weights inside its groups. Items that no path of
positive weights connects are never in one group of a best partition, so each connected component is solved separately:
exactly if it is small, otherwise by joining groups and moving items as long as the score improves. The result is
deterministic.

Mentions that every annotator treats alike are always in one group of a best partition. So the items are the few
distinct treatments of mentions, not the mentions, and even a novel takes little time.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, count
from typing import Generic, NamedTuple, TypeVar

from ..document import Bridge, Document, Entity, Mention, SplitAntecedent, mention_order
from ..document.disjoint_sets import Groups
from ..document.edits import canonical
from ..errors import CoindexError

Choice = TypeVar("Choice", bound=Hashable)


class Ballot(NamedTuple, Generic[Choice]):
    """A vote for a value, and the trust in the voter, which breaks ties."""

    value: Choice
    trust: int


def elect(ballots: Iterable[Ballot[Choice]], otherwise: Choice) -> Choice:
    """Return the value with the most votes, in a tie the one with the most trust; `otherwise` if that is tied too.

    >>> elect([Ballot("a", 1), Ballot("b", 2), Ballot("a", 1)], "")
    'a'
    >>> elect([Ballot("a", 1), Ballot("b", 2)], ""), elect([Ballot("a", 1), Ballot("b", 1)], "")
    ('b', '')
    """
    tally: dict[Choice, tuple[int, int]] = {}
    for value, trust in ballots:
        votes, trusted = tally.get(value, (0, 0))
        tally[value] = votes + 1, trusted + trust
    best = max(tally.values(), default=None)
    winners = [value for value, votes in tally.items() if votes == best]
    return winners[0] if len(winners) == 1 else otherwise


Owners = dict[tuple[int, ...], tuple[str, Mention]]
"""The entity of each kept mention, by its positions."""


def vote_relations(out: Sequence[Document], versions: Sequence[Sequence[Document]], majority: int) -> list[Document]:
    """Return the documents with the relations of a majority; entities are matched by their shared mentions."""
    owners = [_owners(doc) for doc in out]
    entities = []
    for number, doc in enumerate(out):
        theirs = [docs[number] for docs in versions]
        if any(each.bridges or each.split_antecedents for each in theirs):
            targets = [_targets(docs, number, owners) for docs in versions]
            bridges = _bridges(theirs, targets, owners[number], majority)
            splits = _splits(theirs, targets, owners[number], majority)
            doc = canonical(doc.replace(bridges=bridges, split_antecedents=splits))
        entities.append(doc)
    return entities


def _owners(doc: Document) -> Owners:
    return {mention.positions: (entity.id, mention) for mention, entity in doc.mentions()}


def _targets(docs: Sequence[Document], number: int, owners: Sequence[Owners]) -> dict[str, str]:
    """Map each entity of an annotator to the voted entity with most of its mentions, if any of them was kept."""
    there = range(len(docs)) if docs[number].shared_ids else [number]
    shares: dict[str, Counter[str]] = {}
    for at in there:
        for entity in docs[at].entities:
            kept = (owners[at][mention.positions][0] for mention in entity.mentions if mention.positions in owners[at])
            shares.setdefault(entity.id, Counter()).update(kept)
    return {id: share.most_common(1)[0][0] for id, share in shares.items() if share}


def _bridges(
    docs: Sequence[Document], targets: Sequence[dict[str, str]], owners: Owners, majority: int
) -> tuple[Bridge, ...]:
    votes: dict[tuple[tuple[int, ...], str], dict[int, str | None]] = {}
    for annotator, doc in enumerate(docs):
        for bridge in doc.bridges:
            anaphor, antecedent = bridge.anaphor.positions, targets[annotator].get(bridge.antecedent)
            if anaphor in owners and antecedent is not None and owners[anaphor][0] != antecedent:
                votes.setdefault((anaphor, antecedent), {}).setdefault(annotator, bridge.relation)
    return tuple(
        Bridge(owners[anaphor][1], owners[anaphor][0], antecedent, elect([Ballot(r, 0) for r in by.values()], None))
        for (anaphor, antecedent), by in votes.items()
        if len(by) >= majority
    )


def _splits(
    docs: Sequence[Document], targets: Sequence[dict[str, str]], owners: Owners, majority: int
) -> tuple[SplitAntecedent, ...]:
    votes: dict[tuple[tuple[int, ...], frozenset[str]], list[tuple[str, ...]]] = {}
    for annotator, doc in enumerate(docs):
        for split in doc.split_antecedents:
            antecedents = [targets[annotator].get(id) for id in split.antecedents]
            members = tuple(dict.fromkeys(id for id in antecedents if id is not None))
            anaphor = split.anaphor.positions
            if anaphor in owners and None not in antecedents and len(members) > 1 and owners[anaphor][0] not in members:
                votes.setdefault((anaphor, frozenset(members)), []).append(members)
    return tuple(
        SplitAntecedent(owners[anaphor][1], owners[anaphor][0], members[0])
        for (anaphor, _), members in votes.items()
        if len(members) >= majority
    )


Weight = Callable[[int, int], int]
"""The weight of having two items in one group; symmetric. Integers, so that ties are exact."""
Weights = dict[int, dict[int, int]]
Partition = list[list[int]]

MOST_EXACT = 12
"""The size up to which a component is solved exactly; the work grows with 3 to that power."""


def cluster(size: int, weight: Weight, likely: Iterable[tuple[int, int]], *, most_exact: int = MOST_EXACT) -> Partition:
    """Return the best groups of the items 0 … size - 1; exact for components of at most `most_exact` items.

    `likely` has every pair whose weight may be positive.

    >>> cluster(3, lambda one, other: 1 if {one, other} == {0, 2} else -1, [(0, 2), (1, 2)])
    [[0, 2], [1]]
    """
    joined = Groups(range(size))
    for first, other in likely:
        if weight(first, other) > 0:
            joined.join(first, other)
    partition: Partition = []
    for component in joined:
        solve = find_best_partition if len(component) <= most_exact else improve_partition
        partition += solve(sorted(component), weight)
    return sorted(sorted(group) for group in partition)


def find_best_partition(items: Sequence[int], weight: Weight) -> Partition:
    """Return the best partition: for each set, the best group with its first item and the best rest."""
    full = 1 << len(items)
    inside = _sum_weights(items, weight)
    best = [0] * full
    group_of = [0] * full
    for chosen in range(1, full):
        first = chosen & -chosen
        rest = part = chosen ^ first
        score, group = inside[first] + best[rest], first
        while part:
            other = inside[part | first] + best[rest ^ part]
            if other > score:
                score, group = other, part | first
            part = (part - 1) & rest
        best[chosen], group_of[chosen] = score, group
    left, subsets = full - 1, []
    while left:
        group = group_of[left]
        subsets.append([item for at, item in enumerate(items) if group >> at & 1])
        left ^= group
    return subsets


def _sum_weights(items: Sequence[int], weight: Weight) -> list[int]:
    """Return the sum of the weights in each set of items, as a bit mask."""
    sums = [0] * (1 << len(items))
    for top, item in enumerate(items):
        row = [weight(item, other) for other in items[:top]]
        with_top = [0] * (1 << top)
        for chosen in range(1, 1 << top):
            low = (chosen & -chosen).bit_length() - 1
            with_top[chosen] = with_top[chosen & (chosen - 1)] + row[low]
        for chosen in range(1 << top):
            sums[chosen | 1 << top] = sums[chosen] + with_top[chosen]
    return sums


def improve_partition(items: Sequence[int], weight: Weight) -> Partition:
    """Return a good partition: join groups and move items alternately while the score improves."""
    weights = {item: {other: weight(item, other) for other in items if other != item} for item in items}
    groups: Partition = [[item] for item in items]
    while True:
        groups = _join_groups(groups, weights)
        groups, moved = _move_items(groups, weights)
        if not moved:
            return groups


def _join_groups(groups: Partition, weights: Weights) -> Partition:
    """Join the two groups with the largest gain, the first in a tie, until no join gains anything."""
    links: list[dict[int, int]] = [{} for _ in groups]
    for at, group in enumerate(groups):
        for before in range(at):
            gain = sum(weights[member][other] for member in group for other in groups[before])
            links[at][before] = links[before][at] = gain
    heap = [(-gain, before, at) for at, row in enumerate(links) for before, gain in row.items() if before < at]
    heap = [entry for entry in heap if entry[0] < 0]
    heapq.heapify(heap)
    members = [list(group) for group in groups]
    while heap:
        gain, keep, gone = heapq.heappop(heap)
        if not members[keep] or not members[gone] or links[keep].get(gone) != -gain:
            continue  # one of the two has changed since
        members[keep] += members[gone]
        members[gone] = []
        del links[keep][gone]
        for other, more in links[gone].items():
            if other == keep:
                continue
            del links[other][gone]
            links[keep][other] = links[other][keep] = links[keep][other] + more
            if links[keep][other] > 0:
                heapq.heappush(heap, (-links[keep][other], min(keep, other), max(keep, other)))
    return [group for group in members if group]


def _move_items(groups: Partition, weights: Weights) -> tuple[Partition, bool]:
    """Move each item to the group with the largest gain, or to a new group, until no move gains anything."""
    group_of = {item: number for number, group in enumerate(groups) for item in group}
    items = sorted(group_of)
    free = len(groups)
    ever = False
    moving = True
    while moving:
        moving = False
        for item in items:
            here = group_of[item]
            gains = {here: 0}
            for other, weight in weights[item].items():
                gains[group_of[other]] = gains.get(group_of[other], 0) + weight
            best = max(gains, key=lambda group: (gains[group], group == here, -group))
            if gains[best] < 0:
                best, free = free, free + 1
                gains[best] = 0
            if best != here and gains[best] > gains[here]:
                group_of[item] = best
                moving = ever = True
    clusters: dict[int, list[int]] = {}
    for item in items:
        clusters.setdefault(group_of[item], []).append(item)
    return list(clusters.values()), ever


Place = tuple[int, tuple[int, ...]]
"""A mention by the number of its document and its positions."""
Profile = tuple[frozenset[str], ...]
"""The treatment of a mention: its entities for each annotator, empty if it was not marked."""
UNIT = 10**6
"""Trust is counted in integer millionths, so that sums are exact and ties are ties."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mention as one annotator marked it."""

    annotator: int
    mention: Mention
    entity: Entity
    name: str
    """The id of the entity, with the number of the document if ids are local to it."""


class Votes:
    """The marks of all annotators on the documents of one unit, and their votes on pairs."""

    def __init__(self, versions: Sequence[Sequence[Document]], trust: Sequence[float], least: int) -> None:
        self.trust = [round(UNIT * each) for each in trust]
        marks: dict[Place, list[Mark]] = {}
        for annotator, docs in enumerate(versions):
            for number, doc in enumerate(docs):
                for entity in doc.entities:
                    name = entity.id if doc.shared_ids else f"{number}/{entity.id}"
                    for mention in entity.mentions:
                        mark = Mark(annotator, mention, entity, name)
                        marks.setdefault((number, mention.positions), []).append(mark)
        self.kept = {
            place: group
            for place, group in sorted(marks.items(), key=lambda item: _order_of(item[0]))
            if len({mark.annotator for mark in group}) >= least
        }

    @cached_property
    def profiles(self) -> dict[Profile, list[Place]]:
        """Return the kept mentions by treatment, in reading order."""
        places: dict[Profile, list[Place]] = {}
        for place, marks in self.kept.items():
            names: list[set[str]] = [set() for _ in self.trust]
            for mark in marks:
                names[mark.annotator].add(mark.name)
            places.setdefault(tuple(map(frozenset, names)), []).append(place)
        return places

    def groups(self, most_exact: int) -> list[list[Place]]:
        """Return the mentions of each entity."""
        ways = list(self.profiles.items())
        size = len(self.kept) ** 2 + 1  # more than there are pairs
        scale = 2 * (size * sum(self.trust) + 1)  # more than any difference in trust

        def weight(first: int, other: int) -> int:
            (profile, mentions), (profile_, mentions_) = ways[first], ways[other]
            votes = trusted = 0
            for mine, yours, trust in zip(profile, profile_, self.trust, strict=True):
                if mine and yours:
                    sign = -1 if mine.isdisjoint(yours) else 1
                    votes += sign
                    trusted += sign * trust
            return len(mentions) * len(mentions_) * ((votes * scale + trusted) * size - 1)

        groups = cluster(len(ways), weight, self._find_linked_pairs(), most_exact=most_exact)
        return [sorted((place for way in group for place in ways[way][1]), key=_order_of) for group in groups]

    def _find_linked_pairs(self) -> set[tuple[int, int]]:
        with_entity: dict[tuple[int, str], list[int]] = {}
        for number, profile in enumerate(self.profiles):
            for annotator, names in enumerate(profile):
                for name in names:
                    with_entity.setdefault((annotator, name), []).append(number)
        return {pair for numbers in with_entity.values() for pair in combinations(numbers, 2)}

    def ballots(self, values: Iterable[tuple[Choice, Mark]]) -> list[Ballot[Choice]]:
        return [Ballot(value, self.trust[mark.annotator]) for value, mark in values]


def vote(
    docs: Sequence[Document],
    *,
    trust: Sequence[float] | None = None,
    least: int | None = None,
    most_exact: int = MOST_EXACT,
) -> Document:
    """Return the voted annotation; `docs` are versions of one text over the same words.

    `trust` is how well each annotator agrees with the others; it only breaks ties. `least` is the minimum number of
    annotators who mark a mention, by default a majority. Words and sentences are those of the first version.
    """
    return vote_together([[doc] for doc in docs], trust=trust, least=least, most_exact=most_exact)[0]


def vote_together(
    versions: Sequence[Sequence[Document]],
    *,
    trust: Sequence[float] | None = None,
    least: int | None = None,
    most_exact: int = MOST_EXACT,
) -> list[Document]:
    """Vote on documents that share entities; each version lists all documents in the same order."""
    number = len(versions)
    if number < 2:
        raise CoindexError(f"{number} annotation to vote on; give at least two", code="too-few-annotations")
    if least is not None and not 1 <= least <= number:
        raise CoindexError(
            f"cannot require {least} votes from {number} annotators; choose 1 to {number}",
            code="invalid-option",
        )
    majority = number // 2 + 1
    votes = Votes(versions, trust or [1.0] * number, majority if least is None else least)
    groups = votes.groups(most_exact)
    base = [doc.replace(entities=(), bridges=(), split_antecedents=()) for doc in versions[0]]
    entities = _entities(votes, groups, base)
    out = [
        canonical(doc.replace(entities=tuple(doc_entities))) for doc, doc_entities in zip(base, entities, strict=True)
    ]
    return vote_relations(out, versions, majority)


def _entities(votes: Votes, groups: Sequence[Sequence[Place]], base: Sequence[Document]) -> list[list[Entity]]:
    """Return the entities of each document; one in several documents has the same id in all of them."""
    entities: list[list[Entity]] = [[] for _ in base]
    ids = _ids(votes, groups)
    for id, group in zip(ids, groups, strict=True):
        marks = [mark for place in group for mark in votes.kept[place]]
        type = elect(votes.ballots((mark.entity.type, mark) for mark in marks), None)
        kind = elect(votes.ballots((mark.entity.kind, mark) for mark in marks), marks[0].entity.kind)
        attributes = _attributes(votes, [(mark.entity.attributes, mark) for mark in marks])
        mentions: dict[int, list[Mention]] = {}
        for number, positions in group:
            mention = _mention(votes, votes.kept[number, positions], base[number])
            mentions.setdefault(number, []).append(mention)
        for number, inside in mentions.items():
            entities[number].append(Entity(id, tuple(sorted(inside, key=mention_order)), type, kind, attributes))
    return entities


def _ids(votes: Votes, groups: Sequence[Sequence[Place]]) -> list[str]:
    """Return the most frequent id of each group, or a new id if an earlier group has it."""
    wanted = []
    for group in groups:
        marks = [mark for place in group for mark in votes.kept[place]]
        wanted.append(elect(votes.ballots((mark.entity.id, mark) for mark in marks), marks[0].entity.id))
    taken = frozenset(wanted)
    fresh = (id for number in count(1) if (id := f"e{number}") not in taken)
    used: set[str] = set()
    ids = []
    for id in wanted:
        ids.append(next(fresh) if id in used else id)
        used.add(id)
    return ids


def _mention(votes: Votes, marks: Sequence[Mark], doc: Document) -> Mention:
    with_head = [mark for mark in marks if mark.mention.head is not None]
    head = elect(votes.ballots((mark.mention.head, mark) for mark in with_head), None)
    attributes = _attributes(votes, [(mark.mention.attributes, mark) for mark in marks])
    return Mention(doc.tokens, marks[0].mention.positions, head, attributes)


def _attributes(votes: Votes, pairs: Sequence[tuple[Mapping[str, str], Mark]]) -> dict[str, str]:
    """Return the most frequent value of each attribute; having none is a vote too."""
    names = dict.fromkeys(name for attributes, _ in pairs for name in attributes)
    elected = {name: elect(votes.ballots((each.get(name), mark) for each, mark in pairs), None) for name in names}
    return {name: value for name, value in elected.items() if value is not None}


def _order_of(place: Place) -> tuple[int, int, int, int, tuple[int, ...]]:
    number, positions = place
    return number, positions[0], -positions[-1], -len(positions), positions
