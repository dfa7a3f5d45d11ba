"""Remote files and folders, such as s3://bucket/corpus.parquet, through fsspec.

A remote path is a `Path`: names, parents and siblings work as usual, and what touches the store goes through fsspec.
"""

from __future__ import annotations

import os
import posixpath
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ..errors import CoindexError, MissingExtraError, UnknownNameError

if sys.platform == "win32":
    from pathlib import WindowsPath as _LocalPath
else:
    from pathlib import PosixPath as _LocalPath

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
"""A protocol has at least two letters: C:// is a drive."""


def as_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a local file, or of a remote one for a URL; a local file with such a name comes first."""
    if isinstance(path, RemotePath):
        return path
    text = os.fspath(path)
    url = _URL.match(text)
    if url is None or os.path.lexists(text):
        return Path(text)
    return Path(unquote(urlsplit(text).path)) if url[1] == "file" else RemotePath(text)


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is that of a remote file or folder."""
    return isinstance(as_path(path), RemotePath)


class RemotePath(_LocalPath):
    """A path in a remote store. All errors of the store are `CoindexError`s with the path."""

    def __str__(self) -> str:
        text = super().__str__().replace("\\", "/")
        return text.replace(":/", "://", 1)

    def _store(self) -> tuple[Any, str]:
        """Return the file system of fsspec, and the name in it."""
        try:
            from fsspec.core import url_to_fs
            from fsspec.registry import known_implementations, registry
        except ImportError as error:
            raise MissingExtraError("fsspec", "remote") from error
        protocol = self.parts[0].removesuffix(":")
        if protocol not in known_implementations and protocol not in registry:
            raise UnknownNameError("protocol", protocol, known_implementations)
        with self._errors():
            store, name = url_to_fs(str(self))
            return store, str(name)

    @contextmanager
    def _errors(self, action: str = "read") -> Iterator[None]:
        """Turn every error into one with the path: stores raise errors of their own packages."""
        try:
            yield
        except CoindexError:
            raise
        except ImportError as error:
            message = f"this needs another package: {error}"
            raise CoindexError(message, code="missing-package", path=self) from error
        except Exception as error:
            is_missing = isinstance(error, FileNotFoundError)
            reason = "no such file or folder" if is_missing else str(error) or type(error).__name__
            code = "unreadable-file" if action == "read" else "unwritable-file"
            raise CoindexError(f"cannot be {action}: {reason}", code=code, path=self) from error

    def open(self, mode: str = "rb", *args: Any, **options: Any) -> Any:
        """Open the file for reading bytes."""
        store, name = self._store()
        with self._errors():
            return store.open(name, "rb")

    def _ask(self, method: str, **options: Any) -> Any:
        store, name = self._store()
        with self._errors():
            store.invalidate_cache()
            return getattr(store, method)(name, **options)

    def _is(self, method: str) -> bool:
        """Ask the store a question; what is above its root does not exist."""
        return self.parts[:1] != () and self.parts[0].endswith(":") and bool(self._ask(method))

    def exists(self, **options: Any) -> bool:
        return self._is("exists")

    def is_dir(self, **options: Any) -> bool:
        """Return whether it is a folder, or a pattern of files, which are read like those of a folder."""
        return self._is("isdir") if self.base == self else bool(self.files())

    def is_file(self, **options: Any) -> bool:
        return self._is("isfile")

    def is_symlink(self) -> bool:
        return False

    def absolute(self) -> RemotePath:
        return self

    def resolve(self, strict: bool = False) -> RemotePath:
        """Return the path without "..", so that it cannot seem to be in a folder that it is not in."""
        return RemotePath(posixpath.normpath("/".join(self.parts)))

    def stat(self, **options: Any) -> os.stat_result:
        """Return the size of the file; the other fields are 0."""
        size = self._ask("size") or 0
        return os.stat_result((0, 0, 0, 0, 0, 0, size, 0, 0, 0))

    @property
    def base(self) -> RemotePath:
        """The folder itself, or the one that contains all files of a pattern.

        A pattern has a `*`, which shells do not expand in a URL; `?` is part of the URL.
        """
        starred = next((at for at, part in enumerate(self.parts) if "*" in part), None)
        return self if starred is None else RemotePath("/".join(self.parts[:starred]))

    def files(self) -> list[RemotePath]:
        """Return all files below the folder, or those that match the pattern."""
        base = self.base
        root = base._store()[1].rstrip("/")
        found = self._ask("find" if base == self else "glob", detail=True)
        names = (name for name, about in found.items() if about["type"] == "file")
        return [base / name.removeprefix(root).strip("/") for name in names]

    def glob(self, pattern: str, **options: Any) -> Any:
        """Yield the files of the folder itself that match a pattern."""
        return (path for path in self.files() if path.parent == self and path.match(pattern))

    def upload(self, file: Path) -> None:
        """Copy a local file here: under a temporary name first, so that no half file appears under its own name."""
        store, name = self._store()
        staged = self.with_name(f".{self.name[:50]}.{secrets.token_hex(8)}")._store()[1]
        with self._errors("written"):
            try:
                store.put_file(str(file), staged)
                store.mv(staged, name)
            except BaseException:
                with suppress(Exception):
                    store.rm_file(staged)
                raise


def upload_all(source: Path, target: RemotePath) -> None:
    """Copy a local file, or the files of a local folder in the order of their names."""
    if source.is_file():
        target.upload(source)
        return
    for file in sorted(source.rglob("*")):
        if file.is_file():
            (target / file.relative_to(source).as_posix()).upload(file)
