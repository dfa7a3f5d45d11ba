"""Places where somebody marked a mention, with what each annotator marked there.

Mentions at the same positions are one spot. So are mentions of different annotators that overlap and that the others
did not mark just so: "the old king" by one and "king" by another. Of several possible partners the one with the larger
share of common words is taken, then the earlier one. A spot has at most one mention of each annotator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..document import Document, Entity, Mention, runs

Positions = tuple[int, ...]


@dataclass(slots=True)
class Spot:
    """What annotators marked at one place, by the number of the annotator."""

    marks: dict[int, tuple[Mention, Entity]] = field(default_factory=dict)

    @property
    def positions(self) -> list[Positions]:
        """The different spans, those of earlier annotators first."""
        return list(dict.fromkeys(self.marks[number][0].positions for number in sorted(self.marks)))

    @property
    def name(self) -> str:
        """The spans as text: "3-5", "3-5,8", "3-5/4-5"; no two spots of a comparison have the same."""
        return "/".join(map(span_name, self.positions))


def span_name(positions: Positions) -> str:
    """Positions as short text, the last one inside: "3-5,8"."""
    return ",".join(str(start) if end == start + 1 else f"{start}-{end - 1}" for start, end in runs(positions))


def find_spots(docs: Sequence[Document]) -> list[Spot]:
    """All spots in reading order; `docs` are versions over the same words."""
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
    """Put overlapping spots of different annotators together; the numbers of those that went into another."""
    by_word: dict[int, list[int]] = {}
    for at in loose:
        for position in spots[at].positions[0]:
            by_word.setdefault(position, []).append(at)
    pairs = {(one, other) for found in by_word.values() for one in found for other in found if one != other}
    ranked = []
    for one, other in pairs:
        mine, theirs = spots[one], spots[other]
        if reading_order(mine) < reading_order(theirs) and mine.marks.keys().isdisjoint(theirs.marks):
            words, others = set(mine.positions[0]), set(theirs.positions[0])
            share = len(words & others) / len(words | others)
            ranked.append((-share, reading_order(mine), reading_order(theirs), one, other))
    into: dict[int, int] = {}
    for *_, one, other in sorted(ranked):
        first, second = into.get(one, one), into.get(other, other)
        if first != second and spots[first].marks.keys().isdisjoint(spots[second].marks):
            spots[first].marks.update(spots[second].marks)
            into = {at: first if to == second else to for at, to in into.items()} | {second: first}
    return set(into)


def reading_order(spot: Spot) -> tuple[int, int, list[Positions], tuple[int, ...]]:
    """The earlier first, of two with one start the longer first."""
    first = min(spot.positions)
    return first[0], -first[-1], spot.positions, tuple(spot.marks)
