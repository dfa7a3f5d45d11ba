"""The input of a campaign written: the same files as the key has, without what the key knows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..corpora.files import sources, write
from ..errors import CoindexError, LossWarning
from ..formats.registry import get_format
from .blinding import write_options
from .definition import Track
from .files import blind_documents, entries, find_part, output_format


def write_inputs(tracks: Sequence[Track], key: Path, output: Path, keep: Sequence[str]) -> list[Path]:
    """The inputs of all parts; what was written."""
    if not key.exists():
        raise CoindexError(
            "no such file or folder; expected a key; name one that is there", code="unreadable-file", path=key
        )
    if output.is_dir() and any(output.iterdir()):
        raise CoindexError(
            "not empty; expected a new folder, lest an old file stay; name another", code="not-empty", path=output
        )
    if output.is_file():
        raise CoindexError("is a file; expected a folder; name another", code="not-a-folder", path=output)
    parts: dict[str, Track] = {}
    for track in tracks:
        first = parts.setdefault(track.part_name, track)
        if gives(first) != gives(track):
            raise CoindexError(
                f"the tracks {first.name} and {track.name} have one part, {track.part_name}, and give different "
                "things; expected the same mentions, blind_zeros and task; mend the campaign",
                code="invalid-campaign",
            )
    written: list[Path] = []
    for name, track in parts.items():
        own = find_part(key, track, several=False) or key
        written += _write_part(track, own, output / name if len(parts) > 1 else output, keep)
    return written


def gives(track: Track) -> tuple[object, ...]:
    """What of a track the input depends on."""
    return (track.mentions, track.blind_zeros, track.task, track.one_dataset)


def _write_part(track: Track, key: Path, output: Path, keep: Sequence[str]) -> Iterator[Path]:
    """File by file; formats that are folders of files dataset by dataset."""
    found = []
    for source, format in sources(key, annotated=True):
        source.close()
        found.append((Path(str(source.path)), format))
    is_folder = get_format(output_format(found[0][1].name)).is_folder
    if is_folder and key.is_dir():
        whole = [key] if track.one_dataset or not all(path.is_dir() for path in entries(key)) else entries(key)
        for path in whole:
            yield _write(track, path, output if path == key else output / path.name, found[0][1].name, keep)
        return
    for path, format in found:
        name = path.relative_to(key) if key.is_dir() else Path(path.name)
        target = output if is_folder else output / _renamed(name, format.name)
        yield _write(track, path, target, format.name, keep)


def _renamed(name: Path, format: str) -> Path:
    """The same name, but for formats that are read only and written as another."""
    chosen = output_format(format)
    return name if chosen == format else name.with_name(name.name.split(".")[0] + get_format(chosen).extensions[0])


def _write(track: Track, path: Path, target: Path, format: str, keep: Sequence[str]) -> Path:
    chosen = output_format(format)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)  # the key's own file could not say it either
        write(blind_documents(path, track, keep), target, chosen, **write_options(track.task, chosen))
    return target
