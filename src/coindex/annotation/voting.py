"""One annotation made of several by votes.

A mention is kept if a majority marked it, at exactly its positions. Of two kept mentions everyone who marked both has a
vote: one entity, or two. The entities are the groups of mentions that agree with most of these votes (correlation
clustering). Where votes are equal, those of the better-agreeing annotators decide, and where these are equal too,
mentions stay apart. Heads, attributes, types, kinds and ids are what most of those who marked a mention say.

Mentions that every annotator treats alike are always in one group of a best clustering, so what is clustered are the
few ways in which mentions were treated, not the mentions: that is why even a novel is done at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, count
from typing import TypeVar

from ..document import Document, Entity, Mention, mention_order
from ..document.edits import canonical
from ..errors import CoindexError
from .clustering import MOST_EXACT, cluster
from .election import Ballot, elect
from .relations import vote_relations

Place = tuple[int, tuple[int, ...]]
"""Where a mention is: the number of its document, and its positions."""
Profile = tuple[frozenset[str], ...]
"""How a mention was treated: for each annotator the entity it is in, nothing where it was not marked."""
UNIT = 10**6
"""Trust is counted in millionths, as whole numbers: sums of them have no rounding, so that ties are ties."""
Value = TypeVar("Value", bound=Hashable)


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

    def ballots(self, values: Iterable[tuple[Value, Mark]]) -> list[Ballot[Value]]:
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
        raise CoindexError(f"{number} annotation; expected two or more; give others to vote with")
    if least is not None and not 1 <= least <= number:
        raise CoindexError(f"at least {least} annotators of {number}; expected 1 to {number}; choose another number")
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
