"""What every training run shares: one run per folder, checkpoints, resume, progress, files that appear whole."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock, Timeout

from ..errors import CoindexError

PART, OLD = ".part", ".old"
STALE = 3600
"""Seconds after which nobody writes a part any more."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, None)
"""Errors of a disk without room; libraries that do not tell the number fail for no other reason here."""
ANEW = "use another folder, or begin anew with --restart (restart=True in Python)"
"""What to do where a folder holds the work of another configuration."""


class WriteError(CoindexError):
    """Something that cannot be written; what was there before is there still."""


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` make the file under another name, then put it in place; where that fails, the old file stays."""
    beside = _beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(beside)
        _sync(beside)
        beside.replace(path)
    except OSError as error:
        raise failure(path, error) from error
    finally:
        _remove(beside)


def write_folder(path: Path, write: Callable[[Path], None], own: Collection[str]) -> None:
    """Let `write` make the folder under another name, then put it in place of the old one, which stays if that fails.

    `own` are the names that such a folder may have: other files of the old folder are kept, and a folder that has none
    of these is not taken for an old one.
    """
    beside = _beside(path)
    try:
        settle(path)
        others = _others(path, own)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.mkdir()
        write(beside)
        for other in others:
            (shutil.copytree if other.is_dir() else shutil.copy2)(other, beside / other.name)
        for file in beside.rglob("*"):
            if file.is_file():
                _sync(file)
        _exchange(beside, path)
    except OSError as error:
        raise failure(path, error) from error
    finally:
        _remove(beside)


def _beside(path: Path) -> Path:
    """A name that nobody else writes to, though several processes make the same file."""
    return path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}{PART}")


def settle(path: Path) -> None:
    """Finish an exchange of folders that a kill left halfway, and remove parts; nobody else may be writing it."""
    remove_parts(path)
    old = path.with_name(path.name + OLD)
    if not old.exists():
        return
    if path.exists():
        shutil.rmtree(old, ignore_errors=True)
    else:
        old.rename(path)


def remove_parts(path: Path) -> None:
    """Remove what kills left of a file or folder."""
    for one in list(path.parent.iterdir()) if path.parent.is_dir() else []:
        if one.name.startswith(f"{path.name}.") and one.name.endswith(PART):
            _remove(one)


def sweep(folder: Path, pattern: str) -> None:
    """Remove what kills left of such files where others write too: what is written now is younger."""
    for one in list(folder.glob(f"{pattern}*{PART}")):
        with suppress(OSError):  # it was just put in its place
            if time.time() - one.stat().st_mtime > STALE:
                _remove(one)


def _remove(part: Path) -> None:
    """A part that is no longer wanted; where that cannot be done it is no hindrance."""
    shutil.rmtree(part, ignore_errors=True)
    with suppress(OSError):  # there is none, or it was a folder
        part.unlink()


def clear_run(folder: Path, patterns: Iterable[str], model: str, mark: str) -> None:
    """Remove what an earlier run left, and nothing else: files, and the folder of its model, known by a file in it."""
    for pattern in patterns:
        for old in (*folder.glob(pattern), *folder.glob(f"{pattern}.*{PART}")):
            old.unlink()
    if (folder / model / mark).exists():
        shutil.rmtree(folder / model, ignore_errors=True)


def _exchange(new: Path, path: Path) -> None:
    old = path.with_name(path.name + OLD)
    if path.exists():
        path.rename(old)
    new.rename(path)
    shutil.rmtree(old, ignore_errors=True)


def _others(path: Path, own: Collection[str]) -> list[Path]:
    """The files of a folder that are not its own."""
    if path.is_file():
        raise WriteError(f"{path}: is a file; expected the name of a folder; choose another")
    there = list(path.iterdir()) if path.exists() else []
    if there and not any(one.name in own for one in there):
        raise WriteError(f"{path}: holds other things; expected a new folder or a model to replace; choose another")
    return [one for one in there if one.name not in own]


def write_json(path: Path, data: Any) -> None:
    """Plain data in a file."""
    write_whole(path, lambda beside: put_json(beside, data))


def put_json(path: Path, data: Any) -> None:
    """The same, right at its place, inside a folder that is written whole."""
    text = json.dumps(data, indent=1, ensure_ascii=False, default=list) + "\n"
    path.write_text(text, encoding="utf-8")


def _sync(path: Path) -> None:
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())


def failure(path: Path, error: OSError) -> WriteError:
    """What is told of a write that failed."""
    reason = error.strerror or str(error)
    kept = "; the last one is still there" if os.path.exists(path) else ""  # Path would fail where nothing may be seen
    return WriteError(f"{path}: cannot be written: {reason}{kept}; {remedy(error)}")


def remedy(error: OSError) -> str:
    """What to do about it."""
    return "make room and try again" if error.errno in FULL else "choose another folder, or change its rights"


LOCK = "run.lock"


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder; one that is killed lets it go."""
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise WriteError(
            f"{folder}: another run works in it; expected one at a time; wait, or choose another"
        ) from error
    except OSError as error:
        raise failure(folder, error) from error
    try:
        yield
    finally:
        with suppress(OSError):  # not all systems let go of a file that is open
            (folder / LOCK).unlink()
        lock.release()
        with suppress(OSError):  # mostly there is something in it
            folder.rmdir()


class CheckpointError(CoindexError):
    """A checkpoint that cannot be used."""


def run_fingerprint(settings: Mapping[str, Any], data: Mapping[str, str], no_matter: Collection[str]) -> str:
    """Of what must be the same for a training to go on: the settings but for some of training, and the data."""
    training = {name: value for name, value in settings.get("train", {}).items() if name not in no_matter}
    text = json.dumps([{**settings, "train": training}, data], sort_keys=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """The whole state of a run."""

    def write(beside: Path) -> None:
        try:
            with beside.open("wb") as stream:  # a stream of ours, which says why it cannot be written
                torch.save(state, stream)
        except RuntimeError as error:  # torch fails once more, at the end of its archive
            cause = error.__context__
            raise cause if isinstance(cause, OSError) else OSError(str(error)) from error

    write_whole(path, write)


def load_checkpoint(path: Path, fingerprint: str) -> dict[str, Any] | None:
    """The state of a run, None where there is none yet; one of another configuration is refused."""
    remove_parts(path)
    if not path.exists():
        return None
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many kinds for a damaged file
        raise CheckpointError(f"{path}: damaged ({error}); expected a checkpoint; {ANEW}") from error
    if state.get("fingerprint") != fingerprint:
        raise CheckpointError(
            f"{path}: made by another configuration or on other data; expected that of this run; {ANEW}"
        )
    return state


@dataclass(frozen=True, slots=True)
class Progress:
    """Epochs count from 1; steps are those done in this one, or documents of `dev` while that is scored.

    Before the first epoch `dev` says what else is done with documents.
    """

    epoch: int
    epochs: int
    step: int
    steps: int
    losses: Mapping[str, float] = field(default_factory=dict)
    dev: str | None = None


Report = Callable[[dict[str, Any]], None]
"""Gets the rows of the log."""
Tick = Callable[[Progress], None]
"""Called after each step and each document of dev. Where it raises `Stopped`, the run is saved and left."""


class Stopped(CoindexError):  # noqa: N818 - nothing is wrong
    """A run that was asked to stop, and is saved."""


def nothing(progress: Progress) -> None:
    """Nobody looks on."""
