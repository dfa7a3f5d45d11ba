"""What reports on tracks are made of: who took part in which track, with what, and against which key."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import partial

from ..analysis.reports.base import TrackReport
from ..document import Document
from ..errors import CoindexError, quote
from ..scoring import Result, count_unit
from ..scoring.notes import warn
from .counting import count_all
from .files import read_source, sources
from .report_scores import Pairs, Reading, again, check_path, check_systems, telling
from .sides import STDIN, Documents, dataset_name, locate


def score_tracks(report: TrackReport, key: Documents, pairs: Pairs, reading: Reading) -> dict[str, dict[str, Result]]:
    """Results by track and system."""
    check_systems(report, pairs)
    keys = _by_track(again(key), report.tracks)
    results: dict[str, dict[str, Result]] = {track: {} for track in report.tracks}
    for text, response in pairs:
        name, track = split_name(text, report.tracks)
        with telling(name):
            responses = _responses(report, again(response), track, keys, reading)
            for own, side in responses.items():
                if name in results[own]:
                    raise CoindexError(f"two responses in {own}; expected one; rename one of them")
                results[own][name] = _score(report, own, keys.get(own, keys.get("")), side, reading)
    return results


def split_name(text: str, tracks: Iterable[str]) -> tuple[str, str | None]:
    """The name of a system, and the track that it names at its end.

    >>> split_name("mine:task1", ["task1", "task2"]), split_name("mine:x", ["task1"])
    (('mine', 'task1'), ('mine:x', None))
    """
    name, _, last = text.rpartition(":")
    if last not in tracks or not name:
        return text, None
    if not name.strip():
        raise CoindexError(f"{quote(text)}: a system without a name; expected NAME=RESPONSE; give it a name")
    return name, last


def _by_track(side: Documents, tracks: Iterable[str]) -> dict[str, Documents]:
    """The files or folders in a folder that have the names of tracks; all under "" where there are none."""
    if isinstance(side, str | os.PathLike) and os.path.isdir(side):
        paths = [os.path.join(side, name) for name in sorted(os.listdir(side)) if not name.startswith(".")]
        by_name = {dataset_name(path): path for path in paths}
        found: dict[str, Documents] = {track: by_name[track] for track in tracks if track in by_name}
        if found:
            return found
    return {"": side}


def _responses(
    report: TrackReport, response: Documents, track: str | None, keys: Mapping[str, Documents], reading: Reading
) -> dict[str, Documents]:
    """What is scored in which track: as the name says, as the folder says, as the file says, else in all."""
    if isinstance(response, str | os.PathLike):
        check_path(response)
    known = list(report.tracks) if "" in keys else list(keys)
    found = {track: response} if track is not None else _by_track(response, report.tracks)
    if "" in found:
        said = _said_by(report, response, reading)
        if said is None and len(keys) > 1:
            raise CoindexError(
                f"one response, though the key has one part for each of {', '.join(known)}; expected a folder with "
                f"some of these names, or a name that says the track, as in NAME:{known[0]}=RESPONSE; give one of them"
            )
        found = {said: response} if said is not None else dict.fromkeys(known, response)
    for own in found:
        if own not in known:
            raise CoindexError(
                f"a response for {own}; expected one for {', '.join(known)}, as in the key; leave it out"
            )
    return found


def _said_by(report: TrackReport, response: Documents, reading: Reading) -> str | None:
    """The track that the first document of a response names."""
    first = _first(response, reading)
    return None if first is None else report.said_by(first)


def _first(side: Documents, reading: Reading) -> Document | None:
    if isinstance(side, Document):
        return side
    if isinstance(side, str | os.PathLike):
        if os.fspath(side) == STDIN:
            return None
        for source, format in sources(os.fspath(side), reading.format, annotated=True):
            return next(iter(read_source(source, format, reading.options)), None)
        return None
    return next(iter(side), None)  # no iterator any more


def _score(report: TrackReport, track: str, key: Documents | None, response: Documents, reading: Reading) -> Result:
    assert key is not None, "the track is one of the key's"
    settings = report.tracks[track]
    count = partial(count_unit, settings=settings, locate=locate)
    units = count_all(count, key, response, settings, reading.counting)
    warn((note for unit in units for note in unit.notes), stacklevel=5)
    return Result.of(settings, units)
