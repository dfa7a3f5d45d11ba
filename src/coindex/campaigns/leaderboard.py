"""Leaderboards: the run of each team that counts, order, ties, p-values between neighbours.

Who is first: the run of each team that counts, the order, and why.

The primary metric decides, as its mean over datasets. Between equals the secondary metrics decide the order in their
order, then who was earlier; the rank stays shared. Runs with missing scores come after all others, and runs that
failed have no rank and never count.

Is a rank worth anything: would the next in rank be as good if somebody else had answered some of the documents?

A permutation test over documents (approximate randomisation, Noreen 1989), as in `scoring.significance`, of the number
that the board is sorted by: the mean over datasets. In each round the two answers to each document are swapped or not,
every dataset is scored anew, and the mean is taken. With at most as many ways to swap as rounds each way is taken once
and the p-value is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ..analysis.tables import Column, Row, Table, Value
from ..errors import UnknownNameError
from ..scoring.metrics.registry import get_metric
from ..scoring.profiles import signature
from ..scoring.result import package_version
from .definition import Campaign, Counting, Track
from .scoring import Run, value_of
from .visibility import Aliases

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


ROUNDS = 10_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """How sure it is that a run is better than the next one."""

    p_value: float
    signature: str


def compare_runs(first: Run, second: Run, metric: str, *, rounds: int = ROUNDS, seed: int = 0) -> Comparison | None:
    """The p-value of the difference of two runs; None where they cannot be compared, as with one document."""
    if first.score(metric) is None or second.score(metric) is None or first.results.keys() != second.results.keys():
        return None
    names = list(first.results)
    pairs = [(first.results[name], second.results[name]) for name in names]
    units = [len(one.units) for one, _ in pairs]
    same = all([unit.id for unit in one.units] == [unit.id for unit in other.units] for one, other in pairs)
    if not same or sum(units) < 2:
        return None
    import numpy as np  # loaded where it is needed

    from ..scoring.significance import TOLERANCE, Resampler

    settings = pairs[0][0].settings
    column = [*settings.metrics, "conll"].index(metric)
    samples = [Resampler([one, other], settings, "f1", seed) for one, other in pairs]
    gap = np.mean([sample.observed[0, column] - sample.observed[1, column] for sample in samples])
    exact = 2 ** sum(units) <= rounds
    hits = 0
    for swaps in _swaps(sum(units), rounds, seed, exact=exact):
        differences = np.zeros(len(swaps))
        start = 0
        for sample in samples:
            swap = swaps[:, start : start + sample.units]
            start += sample.units
            mine, other = sample.counts[:, 0], sample.counts[:, 1]
            sums = np.stack([(1 - swap) @ mine + swap @ other, (1 - swap) @ other + swap @ mine], axis=1)
            scores = sample.finish(sums)[..., column]
            differences += (scores[:, 0] - scores[:, 1]) / len(samples)
        hits += int((np.abs(differences) >= abs(gap) - TOLERANCE).sum())
    p_value = hits / 2 ** sum(units) if exact else (1 + hits) / (1 + rounds)
    test = f"test:permutation{'-exact' if exact else ''}"
    macro = [f"macro:{len(names)}"] if len(names) > 1 else []
    return Comparison(
        p_value,
        signature(settings, package_version(), *macro, *first.notes, test, f"rounds:{rounds}", f"seed:{seed}"),
    )


def _swaps(units: int, rounds: int, seed: int, *, exact: bool) -> Iterator[NDArray[np.float64]]:
    """Blocks of rows that say for each document whether its answers are swapped."""
    import numpy as np

    if exact:
        ways = np.arange(2**units)
        yield ((ways[:, None] >> np.arange(units)) & 1).astype(float)
        return
    random = np.random.default_rng(seed)
    size = max(1, 2_000_000 // units)
    for start in range(0, rounds, size):
        yield random.integers(0, 2, (min(size, rounds - start), units)).astype(float)


FAILED = "failed"


def leaderboard(
    campaign: Campaign,
    track: Track,
    runs: Iterable[Run],
    *,
    aliases: Aliases | None = None,
    chosen: Mapping[str, str] | None = None,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> Table:
    """The run of each team that counts: rank, primary metric, p against the next, secondary metrics, datasets.

    `rounds` of 0 leave significance out.
    """
    counted = [one.run for one in standings(track, runs, counts=campaign.counts, chosen=chosen)]
    found = standings(track, (aliases or Aliases()).apply(counted), counts=campaign.counts)
    several = list(dict.fromkeys(name for one in found for name in one.run.results))
    datasets = several if len(several) > 1 else []
    compared = _compared(track, found, rounds, seed)
    columns = [
        Column("rank", "#", "number"),
        Column("run", "run", "name"),
        Column(track.primary, metric_title(track, track.primary), best=True),
        *([Column("p_next", "p, next", "probability", signature=_test(compared))] if compared else []),
        *(Column(metric, metric_title(track, metric), best=True) for metric in track.secondary),
        *_by_dataset(track, found, datasets),
    ]
    return Table(
        name=track.name,
        title=f"{campaign.shown_title}: {track.shown_title}" if len(campaign.tracks) > 1 else campaign.shown_title,
        columns=columns,
        rows=[_row(track, one, datasets, compared, number) for number, one in enumerate(found)],
        stub="team",
        remarks=_remarks(found, track),
    )


def _compared(track: Track, found: Sequence[Standing], rounds: int, seed: int) -> dict[int, tuple[float, str]]:
    """By place: the p-value against the next, and what it was computed by."""
    compared = {}
    for number, (one, other) in enumerate(pairwise(found)):
        result = compare_runs(one.run, other.run, track.primary, rounds=rounds, seed=seed) if rounds else None
        if result is not None:
            compared[number] = (result.p_value, result.signature)
    return compared


def _test(compared: Mapping[int, tuple[float, str]]) -> str:
    return next((signature for _, signature in compared.values()), "")


def metric_title(track: Track, metric: str) -> str:
    return "CoNLL" if metric == "conll" else get_metric(metric, track.settings.rules).title


def _by_dataset(track: Track, found: Sequence[Standing], datasets: Sequence[str]) -> Iterator[Column]:
    """A column for each dataset; its numbers are no means, as their signature says."""
    group = f"{metric_title(track, track.primary)} by dataset"
    for name in datasets:
        signature = next(one.run.dataset_signature for one in found if name in one.run.results)
        yield Column(f"{track.primary}:{name}", name, best=True, group=group, signature=signature)


def _row(
    track: Track, one: Standing, datasets: Sequence[str], compared: Mapping[int, tuple[float, str]], number: int
) -> Row:
    run = one.run
    values: list[Value] = [one.rank, run.name, one.score]
    if compared:
        values.append(compared[number][0] if number in compared else None)
    values += [run.score(metric) for metric in track.secondary]
    values += [value_of(run.results[name], track.primary) if name in run.results else None for name in datasets]
    state = FAILED if run.failure else "incomplete" if one.score is None else "scored"
    return Row(
        label=run.team,
        values=values,
        keys={"track": track.name, "team": run.team, "state": state},
        signature=run.signature,
    )


def _remarks(found: Sequence[Standing], track: Track) -> list[str]:
    remarks = explain_ties(track, found)
    for one in found:
        run = one.run
        if run.failure:
            remarks.append(f"{run.team}, run {run.name}: not scored: {run.failure}")
        elif run.missing:
            remarks.append(
                f"{run.team}, run {run.name}: no answer to {', '.join(run.missing)}, so no mean and no rank."
            )
    return remarks
