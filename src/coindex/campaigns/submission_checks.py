"""A whole submission checked: the archive, its parts, its datasets, its documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from ..corpora.key_and_response import dataset_name
from ..errors import CoindexError
from .checking import Finding
from .definition import Track
from .files import Inputs, Submission, answer_to, check_answer, entries, find_datasets, find_part, inside, unpacked

InputsOf = Callable[[Track, Mapping[str, Path]], Inputs]


def check_all(
    tracks: Sequence[Track],
    chosen: Sequence[Track],
    given: Path,
    submission: str | os.PathLike[str],
    *,
    inputs_of: InputsOf = Inputs,
) -> list[Finding]:
    """What is wrong with a submission; what stops the unpacking is one finding.

    `inputs_of` gives inputs that were read before.
    """
    if not given.exists():
        raise CoindexError(
            "no such file or folder; expected the input or the key; name one that is there",
            code="unreadable-file",
            path=given,
        )
    try:
        with unpacked(submission) as found:
            return list(_check(tracks, chosen, given, found, inputs_of))
    except CoindexError as error:
        if not os.path.exists(submission):
            raise
        return [Finding.of_error(os.fspath(submission), error, "a file, a folder, a zip or a .gz")]


def answered(tracks: Sequence[Track], given: Path, submission: Submission) -> list[str]:
    """The tracks that a submission has something for."""
    parts = {track.part_name for track in tracks}
    names = [*parts, *(name for track in tracks for name in find_datasets(track, own_part(given, track)))]
    whole = inside(submission, names).path
    return [track.name for track in tracks if find_part(whole, track, several=len(parts) > 1) is not None]


def _check(
    tracks: Sequence[Track], chosen: Sequence[Track], given: Path, submission: Submission, inputs_of: InputsOf
) -> Iterator[Finding]:
    parts = {track.part_name for track in tracks}
    names = [*parts, *(name for track in chosen for name in find_datasets(track, own_part(given, track)))]
    whole = inside(submission, names)
    done: set[str] = set()
    for track in chosen:
        if track.part_name in done:
            continue
        part = find_part(whole.path, track, several=len(parts) > 1)
        if part is None:
            continue
        done.add(track.part_name)
        paths = find_datasets(track, own_part(given, track))
        answer = inside(Submission(part, whole.shown(str(part))), list(paths))
        yield from _check_part(inputs_of(track, paths), answer)
    if not done:
        yield Finding(
            file=whole.name,
            found="nothing for any track",
            expected=f"a file or folder called {' or '.join(sorted(parts))}",
            remedy="call each answer as its part is called",
            code="wrong-part-name",
        )


def own_part(given: Path, track: Track) -> Path:
    """The part of an input or key that a track is about."""
    return find_part(given, track, several=False) or given


def _check_part(inputs: Inputs, answer: Submission) -> Iterator[Finding]:
    used: set[Path] = set()
    for name in inputs.paths:
        path = answer_to(name, inputs.paths, answer)
        if path is None:
            yield Finding(
                file=answer.name,
                found=f"no file or folder {name}",
                expected=f"an answer to each dataset: {', '.join(inputs.paths)}",
                remedy="add it under this name; without it there is no mean and no rank",
                code="missing-dataset",
            )
            continue
        used.add(path)
        yield from check_answer(inputs, name, path, answer)
    if answer.path.is_dir() and answer.path not in used:
        for entry in entries(answer.path):
            if entry not in used:
                yield Finding(
                    file=answer.shown(str(entry)),
                    found=f"{dataset_name(str(entry))}, which is no dataset",
                    expected=", ".join(inputs.paths),
                    remedy="leave it out; it is passed over",
                    severity="warning",
                    code="extra-dataset",
                )
