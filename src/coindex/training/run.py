"""Training runs and their folders: locks, checkpoints, logs, progress, and files that appear only when complete.

torch is imported only when a network is trained or its state is saved, so the command line works without it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from ..document import Document
from ..errors import CoindexError
from ..resolvers.neural.folder import DESCRIPTION, file_hash
from ..settings import ConfigError
from .config import RunConfig

CHECKPOINT, LOG, BEST = "checkpoint.pt", "log.jsonl", "best"
"""The files in the folder of a run: the state of a network, the log, and the model folder."""

PART, OLD = ".part", ".old"
STALE = 3600
"""Seconds after which a partial file is considered abandoned."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, None)
"""Errors of a full disk; None is for libraries that do not report the number, which fail for no other reason here."""
RESTART = "use another folder, or start from scratch with --restart (restart=True in Python)"
"""The remedy if a folder contains the work of another configuration."""


class WriteError(CoindexError):
    """A file or folder cannot be written; an earlier version of it is unchanged."""

    default_code = "unwritable-file"


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Call `write` with a temporary name, then rename the file; if that fails, the old file stays."""
    beside = _part_path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(beside)
        _sync(beside)
        beside.replace(path)
    except OSError as error:
        raise write_error(path, error) from error
    finally:
        _remove(beside)


def write_folder(path: Path, write: Callable[[Path], None], own: Collection[str]) -> None:
    """Call `write` with a temporary folder, then replace the old one with it; if that fails, the old one stays.

    `own` are the names of files in such a folder. Other files of the old folder are kept, and a folder without any of
    these names is not replaced.
    """
    beside = _part_path(path)
    try:
        settle(path)
        others = _other_files(path, own)
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
        raise write_error(path, error) from error
    finally:
        _remove(beside)


def _part_path(path: Path) -> Path:
    """Return a temporary name that is unique even if several processes write the same file."""
    return path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}{PART}")


def settle(path: Path) -> None:
    """Finish a replacement of folders that was killed, and remove partial files; no other process may write it."""
    remove_parts(path)
    old = path.with_name(path.name + OLD)
    if not old.exists():
        return
    if path.exists():
        shutil.rmtree(old, ignore_errors=True)
    else:
        old.rename(path)


def remove_parts(path: Path) -> None:
    """Remove partial versions of a file or folder that killed processes left."""
    for file in list(path.parent.iterdir()) if path.parent.is_dir() else []:
        if file.name.startswith(f"{path.name}.") and file.name.endswith(PART):
            _remove(file)


def remove_stale_parts(folder: Path, pattern: str) -> None:
    """Remove old partial files in a folder to which other processes may be writing."""
    for path in list(folder.glob(f"{pattern}*{PART}")):
        with suppress(OSError):  # it was just renamed
            if time.time() - path.stat().st_mtime > STALE:
                _remove(path)


def _remove(part: Path) -> None:
    """Remove a partial file or folder, ignoring errors."""
    shutil.rmtree(part, ignore_errors=True)
    with suppress(OSError):  # it does not exist, or was a folder
        part.unlink()


def clear_run(folder: Path, files: Iterable[str], models: Iterable[str], mark: str) -> None:
    """Remove the files of an earlier run, and its model folders, which contain the file `mark`, and nothing else.

    `files` and `models` are patterns. Partial versions are removed too.
    """
    for pattern in files:
        for ending in ("", f".*{PART}", PART):
            for old in folder.glob(pattern + ending):
                old.unlink()
    for pattern in models:
        for ending in ("", f".*{PART}", PART, OLD):
            for old in folder.glob(pattern + ending):
                if (old / mark).exists():
                    shutil.rmtree(old, ignore_errors=True)


def _exchange(new: Path, path: Path) -> None:
    old = path.with_name(path.name + OLD)
    if path.exists():
        path.rename(old)
    new.rename(path)
    shutil.rmtree(old, ignore_errors=True)


def _other_files(path: Path, own: Collection[str]) -> list[Path]:
    """Return the files of a folder that are not in `own`."""
    if path.is_file():
        raise WriteError("is a file, not a folder; choose another path", code="not-a-folder", path=path)
    there = list(path.iterdir()) if path.exists() else []
    if there and not any(file.name in own for file in there):
        raise WriteError(
            "the folder contains other files; choose a new folder or a model to replace",
            code="not-empty",
            path=path,
        )
    return [file for file in there if file.name not in own]


def write_json(path: Path, data: Any) -> None:
    """Write plain data as JSON to a file that appears only when it is complete."""
    write_whole(path, lambda beside: put_json(beside, data))


def put_json(path: Path, data: Any) -> None:
    """Write plain data as JSON directly, inside a folder that is not yet in place."""
    text = json.dumps(data, indent=1, ensure_ascii=False, default=list) + "\n"
    path.write_text(text, encoding="utf-8")


def _sync(path: Path) -> None:
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())


def write_error(path: Path, error: OSError) -> WriteError:
    """Return the error for a write that failed."""
    reason = error.strerror or str(error)
    kept = "; the previous version is unchanged" if os.path.exists(path) else ""  # Path raises without permission
    return WriteError(f"cannot be written: {reason}{kept}; {remedy(error)}", code="unwritable-file", path=path)


def remedy(error: OSError) -> str:
    """Return the remedy for a write that failed."""
    return "free disk space and try again" if error.errno in FULL else "choose another folder, or change permissions"


LOCK = "run.lock"


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder against other runs; the lock of a killed run has no effect."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK, timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise WriteError(
            "another run is using the folder; wait until it is finished, or choose another folder",
            code="folder-in-use",
            path=folder,
        ) from error
    except OSError as error:
        raise write_error(folder, error) from error
    try:
        yield
    finally:
        with suppress(OSError):  # some systems cannot delete an open file
            (folder / LOCK).unlink()
        lock.release()
        with suppress(OSError):  # usually it is not empty
            folder.rmdir()


class CheckpointError(CoindexError):
    """A checkpoint that cannot be used."""

    default_code = "invalid-checkpoint"


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Write the whole state of a network in training."""
    import torch

    def write(beside: Path) -> None:
        try:
            with beside.open("wb") as stream:  # our own stream reports why it cannot be written
                torch.save(state, stream)
        except RuntimeError as error:  # torch fails again at the end of its archive
            cause = error.__context__
            raise cause if isinstance(cause, OSError) else OSError(str(error)) from error

    write_whole(path, write)


def load_checkpoint(path: Path, fingerprint: str) -> dict[str, Any] | None:
    """Return the state of a run, or None if there is none; that of another configuration is an error."""
    import torch

    remove_parts(path)
    if not path.exists():
        return None
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many kinds for a damaged file
        raise CheckpointError(
            f"the checkpoint is damaged ({error}); {RESTART}", code="invalid-checkpoint", path=path
        ) from error
    if state.get("fingerprint") != fingerprint:
        raise CheckpointError(
            f"the checkpoint was written with another configuration or other data; {RESTART}",
            code="different-settings",
            path=path,
        )
    return state


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run. Epochs count from 1; steps are those of the epoch, or documents while `dev` is scored.

    Before the first epoch, `dev` describes other work on documents.
    """

    epoch: int
    epochs: int
    step: int
    steps: int
    losses: Mapping[str, float] = field(default_factory=dict)
    dev: str | None = None


Report = Callable[[dict[str, Any]], None]
"""Called with each row of the log."""
Tick = Callable[[Progress], None]
"""Called after each step and each document of dev. If it raises `Stopped`, the run is saved and ends."""


class Stopped(CoindexError):  # noqa: N818 - nothing is wrong
    """The run was asked to stop and is saved."""

    default_code = "stopped"


def ignore_progress(progress: Progress) -> None:
    """Do nothing: the default tick."""


class Log:
    """A file of JSON lines to append to. An incomplete last line, as after a kill, is removed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Log:
        try:
            if self.path.exists():
                with self.path.open("rb+") as stream:
                    stream.truncate(stream.read().rfind(b"\n") + 1)
        except OSError as error:
            raise self._failure(error) from error
        return self

    def __exit__(self, *error: object) -> None:
        """Do nothing, since every line is already written."""

    def write(self, row: Mapping[str, Any]) -> None:
        """Append a row."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            raise self._failure(error) from error

    def _failure(self, error: OSError) -> WriteError:
        return WriteError(
            f"cannot be written: {error.strerror or error}; {remedy(error)}", code="unwritable-file", path=self.path
        )


Reader = Callable[..., Iterable[Document]]
"""Reads paths: `coindex.read`, which is a layer above, with options of the format."""
ConfigT = TypeVar("ConfigT", bound=RunConfig)


class TrainingRun(ABC, Generic[ConfigT]):
    """A training run of one kind of model. The constructor reads and checks all data before anything is trained.

    `shown` is the configuration as it is stored in the model folder, with the paths as written in the file.
    """

    files: ClassVar[Sequence[str]]
    """Patterns of the files that a run writes to its folder besides the log; a restart removes them."""
    models: ClassVar[Sequence[str]] = (BEST,)
    """Patterns of its model folders."""
    mark: ClassVar[str] = DESCRIPTION
    """The file that a model folder of such a run has."""

    def __init__(
        self,
        config: ConfigT,
        folder: Path,
        read: Reader,
        report: Report,
        *,
        shown: ConfigT | None = None,
        tick: Tick = ignore_progress,
    ) -> None:
        self.config, self.shown = config, shown or config
        self.folder, self.report, self.tick = folder, report, tick
        self.data = hash_data(self.shown, config)
        self.start_hashes = self.hash_start()
        self.prepare(read)

    @classmethod
    def train(
        cls,
        config: ConfigT,
        folder: str | Path,
        read: Reader,
        report: Report,
        *,
        shown: ConfigT | None = None,
        tick: Tick = ignore_progress,
        restart: bool = False,
    ) -> Path:
        """Train a model and return its folder. An interrupted run in the same folder is resumed.

        With `restart` it starts from scratch: the files of an earlier run are removed once all data has been checked.
        """
        with limit_threads(config.train.threads):
            run = cls(config, Path(folder), read, report, shown=shown, tick=tick)
            if restart:
                clear_run(run.folder, (*cls.files, LOG), cls.models, cls.mark)
            for name in run.model_names():
                settle(run.folder / name)
            run.run()
            return run.folder / BEST

    @property
    def fingerprint(self) -> str:
        """A hash of everything that must be the same to resume a run."""
        parts = [self.shown.relevant_settings(), self.data, *([self.start_hashes] if self.start_hashes else [])]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=list).encode()).hexdigest()

    def hash_start(self) -> list[str]:
        """Return the hashes of trained models that the run starts from or learns from."""
        return []

    def model_names(self) -> Iterable[str]:
        """Return the names of all model folders that the run may write."""
        return self.models

    @abstractmethod
    def prepare(self, read: Reader) -> None:
        """Read and check the data."""

    @abstractmethod
    def run(self) -> None:
        """Train, from the last checkpoints if there are any, and write the model folder `best`."""


def hash_data(shown: RunConfig, config: RunConfig) -> dict[str, str]:
    """Return the hash of every corpus, by its path as written; a missing corpus is an error."""
    hashes = {}
    for (_, written), (name, path) in zip(shown.corpus_paths(), config.corpus_paths(), strict=True):
        if not Path(path).exists():
            raise ConfigError(
                f"the corpus {name} does not exist; correct the path, or name the folder of the corpora with --data",
                code="unreadable-file",
                path=path,
            )
        hashes[written] = file_hash(Path(path))
    return hashes


@contextmanager
def limit_threads(threads: int) -> Iterator[None]:
    """Set the number of threads of torch for this process, and restore it at the end."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)  # tiny numbers make a CPU ten times slower
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(before)
