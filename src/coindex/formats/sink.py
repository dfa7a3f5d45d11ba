"""The output of writers: written under a temporary name, and renamed when it is complete."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO, BinaryIO, TextIO, cast

from ..errors import CoindexError, quote
from .remote import RemotePath, as_path, upload_all

_NAME_KEPT = 50  # characters of the name in the temporary name, so that it is never too long for a file system


class Sink:
    """An output: a file, a .gz file, a folder of files or standard output. Incomplete output is removed."""

    def __init__(self, path: str | Path, *, folder: bool = False) -> None:
        self.path = None if str(path) == "-" else as_path(path)
        self.is_folder = folder
        self._target = self.path
        self._staged: Path | None = None
        self._earlier: list[Path] = []
        self._stream: TextIO | None = None
        self._local: Path | None = None
        """The folder in which a remote output is written before it is uploaded."""
        if folder and self.path is None:
            raise CoindexError(
                "this format writes a folder of files and cannot be written to standard output; give a folder",
                code="unsupported-standard-output",
            )

    def __enter__(self) -> Sink:
        if self.path is None:
            self._stream = _standard_output()
            return self
        try:
            self._target = self._find_target(self.path)
            self._target.parent.mkdir(parents=True, exist_ok=True)
            if self.is_folder:
                self._open_folder(self._target)
            else:
                self._open_file(self._target)
        except (OSError, ValueError) as error:  # ValueError: not a valid file name
            raise self._failure(error) from error
        except KeyboardInterrupt:
            self._remove_staged()
            raise
        return self

    def _find_target(self, path: Path) -> Path:
        """Return the file to write: the target of a link, since the link must not be replaced; a remote one later."""
        if not isinstance(path, RemotePath):
            return Path(os.path.realpath(path))
        if not self.is_folder and path.is_dir():
            raise CoindexError("is a folder; give a file", code="not-a-file", path=path)
        self._local = Path(tempfile.mkdtemp(prefix="coindex-"))
        return self._local / path.name

    def _open_folder(self, target: Path) -> None:
        if target.exists() and not target.is_dir():
            raise CoindexError(
                "is a file, but this format writes a folder of files; give a folder",
                code="not-a-folder",
                path=self.path,
            )
        self._staged = _temporary(target)
        self._staged.mkdir(mode=0o700)

    def _open_file(self, target: Path) -> None:
        if target.is_dir():
            raise CoindexError("is a folder; give a file", code="not-a-file", path=self.path)
        assert self.path is not None
        compress = self.path.suffix == ".gz"
        if (
            self._local is None and self.path.exists() and not self.path.is_file()
        ):  # /dev/null or a pipe must not be replaced by a file
            self._stream = _text(self.path.open("wb"), compress=compress)
            return
        self._staged = _temporary(target)  # set before the file exists, so that an interrupt cannot leave it behind
        handle = os.open(self._staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self._stream = _text(os.fdopen(handle, "wb"), compress=compress)

    @property
    def stream(self) -> TextIO:
        """The stream of a format with a single file; line ends are written as given."""
        assert self._stream is not None, "a folder format writes by `file`"
        return self._stream

    @property
    def binary(self) -> BinaryIO:
        """The stream of a format whose single file is not text."""
        binary = getattr(self.stream, "buffer", None)
        if binary is None or (self.path is None and binary.isatty()):
            raise CoindexError(
                "this format is not text and cannot be written to a terminal; give a file",
                code="unsupported-standard-output",
            )
        return cast(BinaryIO, binary)

    def binary_file(self, name: str) -> BinaryIO:
        """Open a new file of a folder for bytes; the writer closes it."""
        return cast(io.TextIOWrapper, self.file(name)).detach()  # type: ignore[return-value]  # a buffered file

    def restart(self) -> Path | None:
        """Start the file from scratch; return the path of the output so far, None if it cannot be read (a pipe)."""
        if self._staged is None or self._stream is None:
            return None
        self._stream.close()
        self._earlier.append(self._staged)
        assert self._target is not None
        self._open_file(self._target)
        return self._earlier[-1]

    def file(self, name: str) -> TextIO:
        """Open a new file of a folder format; the writer closes it."""
        assert self._staged is not None
        path = self._staged / name
        if self._staged.resolve() not in path.resolve().parents:
            raise CoindexError(
                f"{quote(name)}: a document id that cannot be a file name; rename the document", code="unsafe-file-name"
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            raise CoindexError(
                f"{quote(name)}: two documents with this id; ids must differ because they become file names",
                code="duplicate-document-id",
            )
        try:
            return path.open("w", encoding="utf-8", newline="")
        except OSError as error:
            raise self._failure(error) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self._close()
            if error is None and self._staged is not None and self._target is not None:
                _publish(self._staged, self._target)
                if isinstance(self.path, RemotePath):
                    upload_all(self._target, self.path)
        except BrokenPipeError:  # the reader of our output has stopped, which is not an error
            raise
        except (OSError, UnicodeEncodeError) as failure:
            raise self._failure(failure) from failure
        finally:
            self._remove_staged()
        if error is not None and _is_of_writing(error):
            raise self._failure(error) from error

    def _close(self) -> None:
        if self._stream is None:
            return
        if self.path is not None:
            self._stream.close()
            return
        self._stream.flush()
        if self._stream is not sys.stdout and isinstance(self._stream, io.TextIOWrapper):
            self._stream.detach()  # standard output itself stays open

    def _remove_staged(self) -> None:
        if self._local is not None:
            shutil.rmtree(self._local, ignore_errors=True)
        for path in self._earlier:
            path.unlink(missing_ok=True)
        if self._staged is None:
            return
        if self._staged.is_dir():
            shutil.rmtree(self._staged, ignore_errors=True)
        else:
            self._staged.unlink(missing_ok=True)

    def _failure(self, error: BaseException) -> CoindexError:
        name = "<stdout>" if self.path is None else self.path
        if isinstance(error, UnicodeEncodeError):
            return CoindexError(
                "cannot be written: the text contains half a character (a lone surrogate)",
                code="lone-surrogate",
                path=name,
            )
        reason = error.strerror if isinstance(error, OSError) else None
        return CoindexError(f"cannot be written: {reason or error}", code="unwritable-file", path=name)


def _temporary(target: Path) -> Path:
    return target.with_name(f".{target.name[:_NAME_KEPT]}.{secrets.token_hex(8)}")


def _is_of_writing(error: BaseException) -> bool:
    """Return whether an error is about writing a stream, such as a full disk; other errors name their file."""
    if isinstance(error, OSError):
        return not isinstance(error, BrokenPipeError) and error.filename is None
    return isinstance(error, UnicodeEncodeError)


def _standard_output() -> TextIO:
    """Return standard output in UTF-8 with line ends as given, whatever the locale."""
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    return sys.stdout if buffer is None else io.TextIOWrapper(buffer, encoding="utf-8", newline="")


def _text(raw: IO[bytes], *, compress: bool) -> TextIO:
    if compress:  # no name and no time in the header, so that equal output has equal bytes
        packed = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
        packed.myfileobj = raw  # type: ignore[assignment]  # closed together with the gzip stream
        return io.TextIOWrapper(packed, encoding="utf-8", newline="")
    return io.TextIOWrapper(raw, encoding="utf-8", newline="")


def _publish(staged: Path, path: Path) -> None:
    umask = os.umask(0)
    os.umask(umask)
    if not staged.is_dir():
        staged.chmod(stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~umask)
        staged.replace(path)
    elif not path.exists():
        staged.chmod(0o777 & ~umask)
        staged.rename(path)
    else:  # into an existing folder: file by file, each of them complete
        for item in sorted(staged.rglob("*")):
            if item.is_file():
                target = path / item.relative_to(staged)
                target.parent.mkdir(parents=True, exist_ok=True)
                item.replace(target)
