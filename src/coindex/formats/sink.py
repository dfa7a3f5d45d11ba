"""Where writers put their output: under a temporary name first, renamed when all of it is there."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO, TextIO

from ..errors import CoindexError


class Sink:
    """One output: a file, a .gz file, a folder of files or standard output. Nothing half-written stays."""

    def __init__(self, path: str | Path, *, folder: bool = False) -> None:
        self.path = None if str(path) == "-" else Path(path)
        self.is_folder = folder
        self._staged: Path | None = None
        self._stream: TextIO | None = None
        if folder and self.path is None:
            raise CoindexError("this format is a folder of files and cannot go to standard output; name a folder")

    def __enter__(self) -> Sink:
        if self.path is None:
            self._stream = sys.stdout
            return self
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.is_folder:
                if self.path.exists() and not self.path.is_dir():
                    raise CoindexError(f"{self.path}: is a file; this format is a folder of files, name a folder")
                self._staged = Path(tempfile.mkdtemp(dir=self.path.parent, prefix=f".{self.path.name}."))
            else:
                if self.path.is_dir():
                    raise CoindexError(f"{self.path}: is a folder; name a file")
                handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
                self._staged = Path(name)
                self._stream = self._text(os.fdopen(handle, "wb"), compress=self.path.suffix == ".gz")
        except OSError as error:
            raise CoindexError(f"{self.path}: cannot be written: {error.strerror or error}") from error
        return self

    @staticmethod
    def _text(raw: IO[bytes], *, compress: bool) -> TextIO:
        if compress:  # no name and no time inside, so that equal output gives equal bytes
            packed = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
            packed.myfileobj = raw  # type: ignore[assignment]  # closed together with the gzip stream
            return io.TextIOWrapper(packed, encoding="utf-8", newline="")  # type: ignore[arg-type]
        return io.TextIOWrapper(raw, encoding="utf-8", newline="")

    @property
    def stream(self) -> TextIO:
        """Where a one-file format writes; line ends are written as given."""
        assert self._stream is not None, "a folder format writes by `file`"
        return self._stream

    def file(self, name: str) -> TextIO:
        """A new file of a folder format; the writer closes it."""
        assert self._staged is not None
        path = self._staged / name
        if self._staged.resolve() not in path.resolve().parents:
            raise CoindexError(f"{name!r}: a document id that is no file name; rename the document")
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            raise CoindexError(f"{name!r}: two documents of this name; ids must differ to become files")
        return path.open("w", encoding="utf-8", newline="")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.path is None:
            sys.stdout.flush()
            return
        assert self._staged is not None
        try:
            if self._stream is not None:
                self._stream.close()
            if error is None:
                self._publish(self._staged, self.path)
        except OSError as failure:
            raise CoindexError(f"{self.path}: cannot be written: {failure.strerror or failure}") from failure
        finally:
            if self._staged.is_dir():
                shutil.rmtree(self._staged, ignore_errors=True)
            else:
                self._staged.unlink(missing_ok=True)

    @staticmethod
    def _publish(staged: Path, path: Path) -> None:
        umask = os.umask(0)
        os.umask(umask)
        if not staged.is_dir():
            staged.chmod(0o666 & ~umask)
            staged.replace(path)
        elif not path.exists():
            staged.chmod(0o777 & ~umask)
            staged.rename(path)
        else:  # into a folder that is there already: file by file, each whole
            for item in sorted(staged.rglob("*")):
                if item.is_file():
                    target = path / item.relative_to(staged)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    item.replace(target)
