"""Leaderboards: the ranked run of each team, ties, and p-values between neighbouring ranks.

Runs are ranked by the mean of the primary metric over datasets. Runs with equal scores share a rank; the secondary
metrics and then the order of submission determine their order. Incomplete runs are listed last, and failed runs have
no rank.

The p-value of the difference to the next rank comes from a permutation test over documents (approximate randomisation,
Noreen 1989), as in `scoring.significance`, of the mean over datasets. Each round swaps a random subset of the documents
of both runs, computes the score of every dataset and takes the mean. If there are at most as many subsets as rounds,
all of them are used and the p-value is exact.
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
"""The tolerance for equal scores, because of rounding."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A run with its rank and score; both are None if the run has no score."""

    rank: int | None
    run: Run
    score: float | None


def standings(
    track: Track, runs: Iterable[Run], *, counts: Counting = "best", chosen: Mapping[str, str] | None = None
) -> list[Standing]:
    """Return the ranked run of each team in order; `chosen` contains selected runs by team."""
    teams: dict[str, list[Run]] = {}
    for run in runs:
        if run.track == track.name:
            teams.setdefault(run.team, []).append(run)
    selected = [_select_run(track, own, counts, (chosen or {}).get(team)) for team, own in teams.items()]
    ordered = sorted(selected, key=lambda run: _order(track, run))
    standings_so_far: list[Standing] = []
    for number, run in enumerate(ordered, 1):
        score = run.score(track.primary)
        before = standings_so_far[-1] if standings_so_far else None
        rank: int | None = None
        if score is not None:
            tied = before is not None and before.score is not None and abs(before.score - score) <= EQUAL
            rank = before.rank if before is not None and tied else number
        standings_so_far.append(Standing(rank, run, score))
    return standings_so_far


def _select_run(track: Track, runs: Sequence[Run], counts: Counting, chosen: str | None) -> Run:
    """Return the run of a team to rank; a failed run only if the team has no other."""
    if chosen is not None:
        run_chosen = next((run for run in runs if run.name == chosen), None)
        if run_chosen is None:
            raise UnknownNameError(f"run of {runs[0].team} in {track.name}", chosen, [run.name for run in runs])
        return run_chosen
    scored = [run for run in runs if run.score(track.primary) is not None]
    pool = scored or [run for run in runs if not run.failure] or list(runs)
    if counts == "best" and scored:
        return min(pool, key=lambda run: _order(track, run))
    return max(pool, key=lambda run: run.order)


def _order(track: Track, run: Run) -> tuple[object, ...]:
    """Return the sort key of a run: complete runs, then incomplete ones, then failed ones."""
    numbers = [run.score(metric) for metric in (track.primary, *track.secondary)]
    group = 0 if numbers[0] is not None else 2 if run.failure else 1
    return (group, [-round(number or 0.0, 12) for number in numbers], run.order, run.team, run.name)


def explain_ties(track: Track, ranked: Sequence[Standing]) -> list[str]:
    """Return a remark for each pair of neighbours whose scores are equal or look equal."""
    remarks = []
    for first, other in pairwise(ranked):
        if first.score is None or other.score is None:
            continue
        names = f"{first.run.team} and {other.run.team}"
        if first.rank == other.rank:
            remarks.append(
                f"{names} have the same {track.primary} and share rank {first.rank}; "
                f"{_explain_order(track, first, other)}."
            )
        elif f"{100 * first.score:.2f}" == f"{100 * other.score:.2f}":
            gap = 100 * (first.score - other.score)
            remarks.append(
                f"{names} have the same rounded score; {first.run.team} is {gap:.2g} points of {track.primary} better."
            )
    return remarks


def _explain_order(track: Track, upper: Standing, other: Standing) -> str:
    for metric in track.secondary:
        first, second = upper.run.score(metric), other.run.score(metric)
        if first is not None and second is not None and abs(first - second) > EQUAL:
            return f"{upper.run.team} is listed first because of its {metric} score"
    if upper.run.order != other.run.order:
        return f"{upper.run.team} is listed first because it submitted earlier"
    return "they are listed in alphabetical order"


ROUNDS = 10_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """The significance of the difference between two runs."""

    p_value: float
    signature: str


def compare_runs(first: Run, second: Run, metric: str, *, rounds: int = ROUNDS, seed: int = 0) -> Comparison | None:
    """Return the p-value of the difference of two runs, or None if they cannot be compared, as with one document."""
    if first.score(metric) is None or second.score(metric) is None or first.results.keys() != second.results.keys():
        return None
    names = list(first.results)
    pairs = [(first.results[name], second.results[name]) for name in names]
    units = [len(upper.units) for upper, _ in pairs]
    same = all([unit.id for unit in upper.units] == [unit.id for unit in other.units] for upper, other in pairs)
    if not same or sum(units) < 2:
        return None
    import numpy as np  # slow to import

    from ..scoring.significance import TOLERANCE, Resampler

    settings = pairs[0][0].settings
    column = [*settings.metrics, "conll"].index(metric)
    samples = [Resampler([upper, other], settings, "f1", seed) for upper, other in pairs]
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
    """Yield blocks of rows that specify for each document whether the runs are swapped."""
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
    """Return the leaderboard: rank, primary metric, p-value against the next rank, other metrics, datasets.

    `rounds=0` omits the significance test.
    """
    counted = [standing.run for standing in standings(track, runs, counts=campaign.counts, chosen=chosen)]
    ranked = standings(track, (aliases or Aliases()).apply(counted), counts=campaign.counts)
    several = list(dict.fromkeys(name for standing in ranked for name in standing.run.results))
    datasets = several if len(several) > 1 else []
    compared = _compare_neighbours(track, ranked, rounds, seed)
    columns = [
        Column("rank", "#", "number"),
        Column("run", "run", "name"),
        Column(track.primary, metric_title(track, track.primary), best=True),
        *([Column("p_next", "p, next", "probability", signature=_test(compared))] if compared else []),
        *(Column(metric, metric_title(track, metric), best=True) for metric in track.secondary),
        *_by_dataset(track, ranked, datasets),
    ]
    return Table(
        name=track.name,
        title=f"{campaign.shown_title}: {track.shown_title}" if len(campaign.tracks) > 1 else campaign.shown_title,
        columns=columns,
        rows=[_row(track, standing, datasets, compared, number) for number, standing in enumerate(ranked)],
        stub="team",
        remarks=_remarks(ranked, track),
    )


def _compare_neighbours(
    track: Track, ranked: Sequence[Standing], rounds: int, seed: int
) -> dict[int, tuple[float, str]]:
    """Return the p-value against the next rank and its signature, by position."""
    compared = {}
    for number, (first, other) in enumerate(pairwise(ranked)):
        result = compare_runs(first.run, other.run, track.primary, rounds=rounds, seed=seed) if rounds else None
        if result is not None:
            compared[number] = (result.p_value, result.signature)
    return compared


def _test(compared: Mapping[int, tuple[float, str]]) -> str:
    return next((signature for _, signature in compared.values()), "")


def metric_title(track: Track, metric: str) -> str:
    return "CoNLL" if metric == "conll" else get_metric(metric, track.settings.rules).title


def _by_dataset(track: Track, ranked: Sequence[Standing], datasets: Sequence[str]) -> Iterator[Column]:
    """Yield a column per dataset; its signature differs from that of the means."""
    group = f"{metric_title(track, track.primary)} by dataset"
    for name in datasets:
        signature = next(standing.run.dataset_signature for standing in ranked if name in standing.run.results)
        yield Column(f"{track.primary}:{name}", name, best=True, group=group, signature=signature)


def _row(
    track: Track, standing: Standing, datasets: Sequence[str], compared: Mapping[int, tuple[float, str]], number: int
) -> Row:
    run = standing.run
    values: list[Value] = [standing.rank, run.name, standing.score]
    if compared:
        values.append(compared[number][0] if number in compared else None)
    values += [run.score(metric) for metric in track.secondary]
    values += [value_of(run.results[name], track.primary) if name in run.results else None for name in datasets]
    state = FAILED if run.failure else "incomplete" if standing.score is None else "scored"
    return Row(
        label=run.team,
        values=values,
        keys={"track": track.name, "team": run.team, "state": state},
        signature=run.signature,
    )


def _remarks(ranked: Sequence[Standing], track: Track) -> list[str]:
    remarks = explain_ties(track, ranked)
    for standing in ranked:
        run = standing.run
        if run.failure:
            remarks.append(f"{run.team}, run {run.name}: not scored: {run.failure}")
        elif run.missing:
            remarks.append(
                f"{run.team}, run {run.name}: no response to {', '.join(run.missing)}, so no average score and no rank."
            )
    return remarks
