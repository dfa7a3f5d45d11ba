"""Chains of MMAX2 markables: by sets (`coref_class`), by pointers (`anaphor_antecedent`), and through groups.

A pointer to one markable is identity. A pointer to several, or to a markable of a level of groups, whose span
holds the members, is a split antecedent, unless all of them turn out to be one entity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ...document import runs
from ...document.disjoint_sets import Groups
from ..source import Source
from .project import Key, Markable

POINTER = "anaphor_antecedent"
SETS = ("coref_class", "coref_set")
SET_PREFIX = "set_"
EMPTY = "empty"
OWN_LEVEL = "coref"
MENTION_LEVELS = {"primmark", "secmark", OWN_LEVEL, "coreference", "markable", "mention"}

Positions = tuple[int, ...]


def is_sentence_level(name: str) -> bool:
    return name.lower() in ("sentence", "sentences")


def is_group_level(name: str) -> bool:
    return name.lower() in ("group", "groups")


def mention_levels(levels: Mapping[str, list[Markable]]) -> list[str]:
    """The levels whose markables are mentions: they have links, are linked to, or have a telling name."""
    named = set(MENTION_LEVELS)
    for name, markables in levels.items():
        for markable in markables:
            if not markable.attributes.keys().isdisjoint((POINTER, *SETS)):
                named.add(name)
                named.update(level for level, _ in pointers(markable))
    return [name for name in levels if name in named and not is_group_level(name) and not is_sentence_level(name)]


def set_of(markable: Markable) -> str:
    """The name of the set that the markable is in; empty for none."""
    values = (markable.attributes.get(name, EMPTY) for name in SETS)
    return next((value.removeprefix(SET_PREFIX) for value in values if value not in ("", EMPTY)), "")


def pointers(markable: Markable) -> Iterator[Key]:
    """What the markable points to: "empty", "markable_3", "secmark:markable_18", several with ";" between."""
    for target in markable.attributes.get(POINTER, EMPTY).split(";"):
        level, _, id = target.strip().rpartition(":")
        if id not in ("", EMPTY):
            yield level or markable.level, id


class Links:
    """The chains of a document's markables, and for mentions of several entities what these are."""

    def __init__(
        self,
        source: Source,
        markables: Mapping[Key, Markable],
        groups: Mapping[Key, Markable],
        positions: Callable[[Markable], Positions],
    ) -> None:
        self.source = source
        self.markables = markables
        self.groups = groups
        self.positions = {key: positions(markable) for key, markable in markables.items()}
        self.group_positions = {key: positions(markable) for key, markable in groups.items()}
        self.chains = Groups(markables)
        self.splits: dict[Key, list[Key]] = {}
        self._join_sets()
        self._follow_pointers()
        self._settle_splits()

    def _join_sets(self) -> None:
        first: dict[str, Key] = {}
        for key, markable in self.markables.items():
            if name := set_of(markable):
                self.chains.join(first.setdefault(name, key), key)

    def _follow_pointers(self) -> None:
        for key, markable in self.markables.items():
            found = []
            for target in pointers(markable):
                if members := self._resolve(target, key):
                    found += members
                else:
                    self.source.count("pointers that do not resolve")
            if len(found) == 1:
                self.chains.join(found[0], key)
            elif found:
                self.splits[key] = found

    def _resolve(self, target: Key, anaphor: Key) -> list[Key]:
        if target in self.markables:
            return [target]
        return self._members(self.group_positions.get(target, ()), anaphor)

    def _members(self, span: Positions, anaphor: Key) -> list[Key]:
        """The largest markables in a group's span that begin where a part of it begins.

        The span is all that a group says; a smaller markable inside (say, in a relative clause) is no member.
        """
        starts = {start for start, _ in runs(span)}
        inside = {
            key: frozenset(positions)
            for key, positions in self.positions.items()
            if key != anaphor and positions[0] in starts and set(positions) <= set(span)
        }
        largest = {mine: key for key, mine in inside.items() if not any(mine < other for other in inside.values())}
        return sorted(largest.values(), key=lambda key: self.positions[key])

    def _settle_splits(self) -> None:
        """Where all the antecedents of a mention are one entity, it is a mention of that entity too."""
        changed = True
        while changed:
            changed = False
            for key, targets in list(self.splits.items()):
                if len({self.chains.find(target) for target in targets}) == 1:
                    self.chains.join(targets[0], key)
                    del self.splits[key]
                    changed = True


def entity_ids(chains: list[list[Markable]]) -> list[str]:
    """A name for each chain: that of its set, else the id of its first markable."""
    wanted = [next((name for markable in chain if (name := set_of(markable))), "") for chain in chains]
    taken = set(wanted)
    ids: dict[str, None] = {}
    for id, chain in zip(wanted, chains, strict=True):
        ids[_other_id(chain[0], taken) if not id or id in ids else id] = None
    return list(ids)


def _other_id(markable: Markable, taken: set[str]) -> str:
    id = markable.id if markable.id not in taken else f"{markable.level}:{markable.id}"
    while id in taken:
        id += "'"
    taken.add(id)
    return id
