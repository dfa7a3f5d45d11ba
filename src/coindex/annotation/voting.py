"""Vote: one annotation from several. Majority for mentions and relations, correlation clustering for links.

Correlation clustering: the groups that agree best with weights between things, for and against.

The score of a partition is the sum of the weights inside its groups. Things that no chain of positive weights connects
are never in one group of a best partition, so each connected component is solved by itself: by looking at every
partition where it is small, else by joining and moving as long as that improves the score. No randomness: the same
weights give the same groups.

A mention is kept if a majority marked it, at exactly its positions. Of two kept mentions everyone who marked both has a
vote: one entity, or two. The entities are the groups of mentions that agree with most of these votes (correlation
clustering). Where votes are equal, those of the better-agreeing annotators decide, and where these are equal too,
mentions stay apart. Heads, attributes, types, kinds and ids are what most of those who marked a mention say.

Mentions that every annotator treats alike are always in one group of a best clustering, so what is clustered are the
few ways in which mentions were treated, not the mentions: that is why even a novel is done at once.
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
    """A vote for a value, and how far the voter is trusted where votes are equal."""

    value: Choice
    trust: int


def elect(ballots: Iterable[Ballot[Choice]], otherwise: Choice) -> Choice:
    """The value with most votes, of equal ones that with most trust; `otherwise` where even that is equal.

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
    winners = [value for value, found in tally.items() if found == best]
    return winners[0] if len(winners) == 1 else otherwise


Owners = dict[tuple[int, ...], tuple[str, Mention]]
"""The entity of each mention that was kept, by its positions."""


def vote_relations(out: Sequence[Document], versions: Sequence[Sequence[Document]], majority: int) -> list[Document]:
    """The documents with the relations that so many annotators have; an entity of theirs is the one it is most in."""
    owners = [_owners(doc) for doc in out]
    found = []
    for number, doc in enumerate(out):
        theirs = [docs[number] for docs in versions]
        if any(each.bridges or each.split_antecedents for each in theirs):
            targets = [_targets(docs, number, owners) for docs in versions]
            bridges = _bridges(theirs, targets, owners[number], majority)
            splits = _splits(theirs, targets, owners[number], majority)
            doc = canonical(doc.replace(bridges=bridges, split_antecedents=splits))
        found.append(doc)
    return found


def _owners(doc: Document) -> Owners:
    return {mention.positions: (entity.id, mention) for mention, entity in doc.mentions()}


def _targets(docs: Sequence[Document], number: int, owners: Sequence[Owners]) -> dict[str, str]:
    """The entity that each of an annotator's entities has most mentions in; none where none of them was kept."""
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
    said: dict[tuple[tuple[int, ...], str], dict[int, str | None]] = {}
    for annotator, doc in enumerate(docs):
        for bridge in doc.bridges:
            anaphor, antecedent = bridge.anaphor.positions, targets[annotator].get(bridge.antecedent)
            if anaphor in owners and antecedent is not None and owners[anaphor][0] != antecedent:
                said.setdefault((anaphor, antecedent), {}).setdefault(annotator, bridge.relation)
    return tuple(
        Bridge(owners[anaphor][1], owners[anaphor][0], antecedent, elect([Ballot(r, 0) for r in by.values()], None))
        for (anaphor, antecedent), by in said.items()
        if len(by) >= majority
    )


def _splits(
    docs: Sequence[Document], targets: Sequence[dict[str, str]], owners: Owners, majority: int
) -> tuple[SplitAntecedent, ...]:
    said: dict[tuple[tuple[int, ...], frozenset[str]], list[tuple[str, ...]]] = {}
    for annotator, doc in enumerate(docs):
        for split in doc.split_antecedents:
            found = [targets[annotator].get(id) for id in split.antecedents]
            members = tuple(dict.fromkeys(id for id in found if id is not None))
            anaphor = split.anaphor.positions
            if anaphor in owners and None not in found and len(members) > 1 and owners[anaphor][0] not in members:
                said.setdefault((anaphor, frozenset(members)), []).append(members)
    return tuple(
        SplitAntecedent(owners[anaphor][1], owners[anaphor][0], members[0])
        for (anaphor, _), members in said.items()
        if len(members) >= majority
    )


Weight = Callable[[int, int], int]
"""What it is worth to have two things in one group; symmetric. Integers, so that a tie is a tie."""
Weights = dict[int, dict[int, int]]
Partition = list[list[int]]

MOST_EXACT = 12
"""The size up to which a component is solved exactly; the work grows as 3 to that power."""


def cluster(size: int, weight: Weight, likely: Iterable[tuple[int, int]], *, most_exact: int = MOST_EXACT) -> Partition:
    """The best groups of the things 0 … size - 1, exact where components have at most `most_exact` things.

    `likely` has every pair whose weight may be positive.

    >>> cluster(3, lambda one, other: 1 if {one, other} == {0, 2} else -1, [(0, 2), (1, 2)])
    [[0, 2], [1]]
    """
    joined = Groups(range(size))
    for one, other in likely:
        if weight(one, other) > 0:
            joined.join(one, other)
    found: Partition = []
    for component in joined:
        solve = best_partition if len(component) <= most_exact else improved_partition
        found += solve(sorted(component), weight)
    return sorted(sorted(group) for group in found)


def best_partition(things: Sequence[int], weight: Weight) -> Partition:
    """The best of all partitions: for each set of things the best group with its first thing, and the best rest."""
    full = 1 << len(things)
    inside = _inside(things, weight)
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
    left, found = full - 1, []
    while left:
        group = group_of[left]
        found.append([thing for at, thing in enumerate(things) if group >> at & 1])
        left ^= group
    return found


def _inside(things: Sequence[int], weight: Weight) -> list[int]:
    """For each set of things, as bits, the sum of the weights in it."""
    sums = [0] * (1 << len(things))
    for top, thing in enumerate(things):
        row = [weight(thing, other) for other in things[:top]]
        with_top = [0] * (1 << top)
        for chosen in range(1, 1 << top):
            low = (chosen & -chosen).bit_length() - 1
            with_top[chosen] = with_top[chosen & (chosen - 1)] + row[low]
        for chosen in range(1 << top):
            sums[chosen | 1 << top] = sums[chosen] + with_top[chosen]
    return sums


def improved_partition(things: Sequence[int], weight: Weight) -> Partition:
    """A good partition: groups are joined, then things are moved, then groups joined again, while the score grows."""
    weights = {thing: {other: weight(thing, other) for other in things if other != thing} for thing in things}
    groups: Partition = [[thing] for thing in things]
    while True:
        groups = _joined(groups, weights)
        groups, moved = _moved(groups, weights)
        if not moved:
            return groups


def _joined(groups: Partition, weights: Weights) -> Partition:
    """Always the two groups that gain most are joined, the first of equal ones, until none gain anything."""
    links: list[dict[int, int]] = [{} for _ in groups]
    for at, group in enumerate(groups):
        for before in range(at):
            gain = sum(weights[one][other] for one in group for other in groups[before])
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


def _moved(groups: Partition, weights: Weights) -> tuple[Partition, bool]:
    """Each thing goes to the group where it gains most, or to one of its own, until none wants to move."""
    group_of = {thing: number for number, group in enumerate(groups) for thing in group}
    things = sorted(group_of)
    free = len(groups)
    ever = False
    moving = True
    while moving:
        moving = False
        for thing in things:
            here = group_of[thing]
            gains = {here: 0}
            for other, weight in weights[thing].items():
                gains[group_of[other]] = gains.get(group_of[other], 0) + weight
            best = max(gains, key=lambda group: (gains[group], group == here, -group))
            if gains[best] < 0:
                best, free = free, free + 1
                gains[best] = 0
            if best != here and gains[best] > gains[here]:
                group_of[thing] = best
                moving = ever = True
    found: dict[int, list[int]] = {}
    for thing in things:
        found.setdefault(group_of[thing], []).append(thing)
    return list(found.values()), ever


Place = tuple[int, tuple[int, ...]]
"""Where a mention is: the number of its document, and its positions."""
Profile = tuple[frozenset[str], ...]
"""How a mention was treated: for each annotator the entity it is in, nothing where it was not marked."""
UNIT = 10**6
"""Trust is counted in millionths, as whole numbers: sums of them have no rounding, so that ties are ties."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What one annotator says of a mention."""

    annotator: int
    mention: Mention
    entity: Entity
    name: str
    """The entity's id, with the number of the document where ids are local to it."""


class Votes:
    """The marks of all annotators on the documents of one unit, and what they say of pairs."""

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
            place: found
            for place, found in sorted(marks.items(), key=lambda item: _reading(item[0]))
            if len({mark.annotator for mark in found}) >= least
        }

    @cached_property
    def profiles(self) -> dict[Profile, list[Place]]:
        """The kept mentions by how they were treated, in reading order."""
        found: dict[Profile, list[Place]] = {}
        for place, marks in self.kept.items():
            names: list[set[str]] = [set() for _ in self.trust]
            for mark in marks:
                names[mark.annotator].add(mark.name)
            found.setdefault(tuple(map(frozenset, names)), []).append(place)
        return found

    def groups(self, most_exact: int) -> list[list[Place]]:
        """The mentions of each entity."""
        ways = list(self.profiles.items())
        size = len(self.kept) ** 2 + 1  # more than there are pairs
        scale = 2 * (size * sum(self.trust) + 1)  # more than any difference in trust

        def weight(one: int, other: int) -> int:
            (profile, mentions), (profile_, mentions_) = ways[one], ways[other]
            votes = trusted = 0
            for mine, yours, trust in zip(profile, profile_, self.trust, strict=True):
                if mine and yours:
                    sign = -1 if mine.isdisjoint(yours) else 1
                    votes += sign
                    trusted += sign * trust
            return len(mentions) * len(mentions_) * ((votes * scale + trusted) * size - 1)

        groups = cluster(len(ways), weight, self._linked_by_someone(), most_exact=most_exact)
        return [sorted((place for way in group for place in ways[way][1]), key=_reading) for group in groups]

    def _linked_by_someone(self) -> set[tuple[int, int]]:
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
    """The annotation that most annotators agree with; `docs` are versions of one text over the same words.

    `trust` says how well each annotator agrees with the others, and matters in ties only. `least` is how many have to
    mark a mention, where that is not a majority. Words and sentences are those of the first version.
    """
    return vote_together([[doc] for doc in docs], trust=trust, least=least, most_exact=most_exact)[0]


def vote_together(
    versions: Sequence[Sequence[Document]],
    *,
    trust: Sequence[float] | None = None,
    least: int | None = None,
    most_exact: int = MOST_EXACT,
) -> list[Document]:
    """The same for documents that share entities: for each annotator all of them, in one order."""
    number = len(versions)
    if number < 2:
        raise CoindexError(
            f"{number} annotation; expected two or more; give others to vote with", code="too-few-annotations"
        )
    if least is not None and not 1 <= least <= number:
        raise CoindexError(
            f"at least {least} annotators of {number}; expected 1 to {number}; choose another number",
            code="invalid-option",
        )
    majority = number // 2 + 1
    votes = Votes(versions, trust or [1.0] * number, majority if least is None else least)
    groups = votes.groups(most_exact)
    base = [doc.replace(entities=(), bridges=(), split_antecedents=()) for doc in versions[0]]
    entities = _entities(votes, groups, base)
    out = [canonical(doc.replace(entities=tuple(found))) for doc, found in zip(base, entities, strict=True)]
    return vote_relations(out, versions, majority)


def _entities(votes: Votes, groups: Sequence[Sequence[Place]], base: Sequence[Document]) -> list[list[Entity]]:
    """The entities of each document; one that runs through several has one id in all of them."""
    found: list[list[Entity]] = [[] for _ in base]
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
            found[number].append(Entity(id, tuple(sorted(inside, key=mention_order)), type, kind, attributes))
    return found


def _ids(votes: Votes, groups: Sequence[Sequence[Place]]) -> list[str]:
    """The id that most marks have, where no group before took it; else a new one."""
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
    said = [mark for mark in marks if mark.mention.head is not None]
    head = elect(votes.ballots((mark.mention.head, mark) for mark in said), None)
    attributes = _attributes(votes, [(mark.mention.attributes, mark) for mark in marks])
    return Mention(doc.tokens, marks[0].mention.positions, head, attributes)


def _attributes(votes: Votes, said: Sequence[tuple[Mapping[str, str], Mark]]) -> dict[str, str]:
    """For each attribute what most say of it; to have none is a vote as well."""
    names = dict.fromkeys(name for attributes, _ in said for name in attributes)
    found = {name: elect(votes.ballots((each.get(name), mark) for each, mark in said), None) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def _reading(place: Place) -> tuple[int, int, int, int, tuple[int, ...]]:
    number, positions = place
    return number, positions[0], -positions[-1], -len(positions), positions
