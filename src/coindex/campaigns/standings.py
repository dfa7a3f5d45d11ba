"""Who is first: the run of each team that counts, the order, and why.

The primary metric decides, as its mean over datasets. Between equals the secondary metrics decide the order in their
order, then who was earlier; the rank stays shared. Runs with missing scores come after all others, and runs that
failed have no rank and never count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..errors import UnknownNameError
from .definition import Counting, Track
from .records import Run

EQUAL = 1e-12
"""Scores that are equal may differ by this much, as sums are rounded."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A run in its place; without a rank where it has no score."""

    rank: int | None
    run: Run
    score: float | None


def standings(
    track: Track, runs: Iterable[Run], *, counts: Counting = "best", chosen: Mapping[str, str] | None = None
) -> list[Standing]:
    """The run of each team that counts, in order; `chosen` are runs by team."""
    teams: dict[str, list[Run]] = {}
    for run in runs:
        if run.track == track.name:
            teams.setdefault(run.team, []).append(run)
    picked = [_picked(track, own, counts, (chosen or {}).get(team)) for team, own in teams.items()]
    ordered = sorted(picked, key=lambda run: _order(track, run))
    found: list[Standing] = []
    for number, run in enumerate(ordered, 1):
        score = run.score(track.primary)
        before = found[-1] if found else None
        rank: int | None = None
        if score is not None:
            tied = before is not None and before.score is not None and abs(before.score - score) <= EQUAL
            rank = before.rank if before is not None and tied else number
        found.append(Standing(rank, run, score))
    return found


def _picked(track: Track, runs: Sequence[Run], counts: Counting, chosen: str | None) -> Run:
    """The run that counts; one that failed only where a team has no other."""
    if chosen is not None:
        found = next((run for run in runs if run.name == chosen), None)
        if found is None:
            raise UnknownNameError(f"run of {runs[0].team} in {track.name}", chosen, [run.name for run in runs])
        return found
    scored = [run for run in runs if run.score(track.primary) is not None]
    pool = scored or [run for run in runs if not run.failure] or list(runs)
    if counts == "best" and scored:
        return min(pool, key=lambda run: _order(track, run))
    return max(pool, key=lambda run: run.order)


def _order(track: Track, run: Run) -> tuple[object, ...]:
    """What runs are sorted by: those with a score, those with a part of it, those that failed."""
    numbers = [run.score(metric) for metric in (track.primary, *track.secondary)]
    group = 0 if numbers[0] is not None else 2 if run.failure else 1
    return (group, [-round(number or 0.0, 12) for number in numbers], run.order, run.team, run.name)


def explain_ties(track: Track, found: Sequence[Standing]) -> list[str]:
    """A sentence for each two neighbours that are equal, or look equal."""
    remarks = []
    for one, other in pairwise(found):
        if one.score is None or other.score is None:
            continue
        names = f"{one.run.team} and {other.run.team}"
        if one.rank == other.rank:
            remarks.append(
                f"{names} have the same {track.primary} and share rank {one.rank}; {_decided(track, one, other)}."
            )
        elif f"{100 * one.score:.2f}" == f"{100 * other.score:.2f}":
            gap = 100 * (one.score - other.score)
            remarks.append(f"{names} look alike; {one.run.team} has {gap:.2g} points of {track.primary} more.")
    return remarks


def _decided(track: Track, one: Standing, other: Standing) -> str:
    for metric in track.secondary:
        first, second = one.run.score(metric), other.run.score(metric)
        if first is not None and second is not None and abs(first - second) > EQUAL:
            return f"{one.run.team} stands first by {metric}"
    if one.run.order != other.run.order:
        return f"{one.run.team} stands first as the earlier submission"
    return "they stand in the order of their names"
