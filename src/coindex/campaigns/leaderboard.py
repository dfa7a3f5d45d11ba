"""The leaderboard of a track as a table. Names go through the aliases first, so that none can show by another way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from ..analysis.tables import Column, Row, Table, Value
from ..scoring.metrics.registry import get_metric
from .aliases import Aliases
from .definition import Campaign, Track
from .neighbours import ROUNDS, compare_runs
from .records import Run, value_of
from .standings import Standing, explain_ties, standings

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
