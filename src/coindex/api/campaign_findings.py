"""The tables of the findings paper over the runs that count, and the sample of the key for checking by hand."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..analysis.reports import Report
from ..campaigns.aliases import Aliases
from ..campaigns.definition import Campaign, Track
from ..campaigns.disputes import Disputes, switch_off
from ..campaigns.sampling import Item, find_items
from ..campaigns.standings import standings
from ..errors import CoindexError, CoindexWarning
from ..scoring.corpus import make_units
from .campaign_files import ALL, Submission, answer_to, find_datasets
from .campaign_scoring import Scores, scored
from .files import read_annotated, write
from .reports import report

COLLECTION = "ecb-realistic"


def make_findings(
    campaign: Campaign,
    keys: str | os.PathLike[str],
    submissions: str | os.PathLike[str],
    *,
    kept: Path | None,
    disputes: Disputes | None,
    tables: Sequence[str] | None,
    chosen: Mapping[str, str],
    aliases_of: Callable[[Sequence[str]], Aliases],
) -> Report:
    """The report that the campaign names, over the run of each team that counts in each track."""
    if not campaign.report:
        raise CoindexError(f'{campaign.name}: no report; expected one, such as report = "crac22"; add it to the file')
    with ExitStack() as stack:
        found = stack.enter_context(scored(campaign, keys, submissions, kept=kept, disputes=disputes))
        aliases = aliases_of([run.team for run in found.runs])
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coindex-")))
        systems = _systems(campaign, found, chosen, aliases, folder, disputes or Disputes())
        if not systems:
            raise CoindexError("no run that is complete; expected at least one; see coindex campaign score")
        key = _key(campaign, found, folder, Path(keys), disputes or Disputes())
        options: dict[str, Any] = {}
        if campaign.report == COLLECTION:
            levels = dict.fromkeys(track.report_as.rpartition(":")[2] for track in campaign.tracks)
            options = {"split": "all", "levels": list(levels)}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", CoindexWarning)
            try:
                made = report(campaign.report, key, systems, tables=tables, **options)
            except CoindexError as error:
                raise CoindexError(aliases.text(str(error))) from (None if aliases.names else error)
        for one in dict.fromkeys(aliases.text(str(warning.message)) for warning in caught):
            warnings.warn(one, CoindexWarning, stacklevel=2)
    about = {"campaign": campaign.name, "switched_off": len(disputes.chains) if disputes else 0}
    if not disputes:
        return replace(made, about=about)
    told = f"{len(disputes.chains)} chains of the key are switched off ({disputes.note()[0]})."
    noted = [replace(table, remarks=[*table.remarks, told]) for table in made.tables]
    return replace(made, about=about, tables=noted)


def _systems(
    campaign: Campaign, found: Scores, chosen: Mapping[str, str], aliases: Aliases, folder: Path, disputes: Disputes
) -> list[tuple[str, str]]:
    """The answers under the names that tables show; each part of a submission once."""
    systems: dict[str, str] = {}
    for track in campaign.tracks:
        counted = standings(track, found.runs, counts=campaign.counts, chosen=chosen)
        for one in counted:
            if one.score is None:
                continue
            run = one.run
            name = ":".join(filter(None, (aliases.of(run.team), track.report_as)))
            path = found.where[track.name, run.team, run.name]
            systems.setdefault(name, str(_prepared(track, found, path, folder / f"answer-{len(systems)}", disputes)))
    return list(systems.items())


def _prepared(track: Track, found: Scores, path: Path, target: Path, disputes: Disputes) -> Path:
    """The answer as the report reads it: itself, or without what is switched off."""
    paths = find_datasets(track, found.keys[track.name])
    answer = Submission(path, str(path))
    if not disputes:
        only = next(iter(paths.values()))
        return path if len(paths) > 1 or only.is_dir() else answer_to(next(iter(paths)), paths, answer) or path
    for name, key in paths.items():
        own = answer_to(name, paths, answer)
        assert own is not None, "the run is complete"
        _, left = switch_off(read_annotated(key), read_annotated(own), disputes.of(name), track.settings)
        write(left, target / f"{name}.json", "json")
    return target if len(paths) > 1 else target / f"{next(iter(paths))}.json"


def _key(campaign: Campaign, found: Scores, folder: Path, keys: Path, disputes: Disputes) -> Path:
    """The key as the report reads it."""
    track = campaign.tracks[0]
    paths = find_datasets(track, found.keys[track.name])
    if not disputes:
        if len(campaign.tracks) > 1:
            return keys
        return found.keys[track.name] if len(paths) > 1 or ALL in paths else next(iter(paths.values()))
    target = folder / "key"
    for name, key in paths.items():
        kept, _ = switch_off(read_annotated(key), (), disputes.of(name), track.settings)
        write(kept, target / f"{name}.json", "json")
    return target if len(paths) > 1 else target / f"{next(iter(paths))}.json"


def sampled(
    campaign: Campaign, track: Track, keys: str | os.PathLike[str], submissions: str | os.PathLike[str]
) -> tuple[list[Item], str]:
    """Everything that could be drawn, and what it was found by."""
    items: list[Item] = []
    settings = track.settings
    with scored(campaign, keys, submissions, tracks=[track.name]) as found:
        paths = find_datasets(track, found.keys[track.name])
        docs = {name: list(read_annotated(path)) for name, path in paths.items()}
        signature = ""
        for run in found.runs:
            if run.failure:
                continue
            signature = run.dataset_signature
            path = found.where[track.name, run.team, run.name]
            for name in run.results:
                own = answer_to(name, paths, Submission(path, str(path)))
                assert own is not None, "it was scored"
                units = make_units(docs[name], list(read_annotated(own)), settings)
                items += find_items(units, settings, f"{run.team}@{run.name}", name)
    return items, signature
