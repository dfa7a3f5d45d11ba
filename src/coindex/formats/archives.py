"""Unpack uploaded files (zip, .gz or plain) into a folder, within limits and never outside the folder."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from ..errors import CoindexError, quote
from .foreign import recognise_zipped
from .source import HEAD

MOST_FILES = 50_000
MOST_BYTES = 1 << 30
"""The most bytes that an upload may unpack to."""
MOST_RATIO = 200
"""The highest compression ratio: text shrinks to a tenth, a zip bomb to a thousandth."""
_CHUNK = 1 << 16
_GZIP = b"\x1f\x8b"
_FREE = 1 << 20
"""Smaller files may have any compression ratio."""


class Unpacker:
    """Unpacks files into a folder and counts the bytes written."""

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES, most_files: int = MOST_FILES) -> None:
        self._folder = folder
        self._left = most_bytes
        self._most_bytes = most_bytes
        self._files_left = most_files
        self.unpacked_archive = False
        """Whether there was a zip among the files."""

    def take(self, name: str, file: IO[bytes], size: int) -> None:
        """Unpack an uploaded file of the given size."""
        if _is_archive(file):
            self.unpacked_archive = True
            self._take_zip(name, file)
        else:
            self._take_plain(_inner_name(PurePosixPath(name.replace("\\", "/")).name, name), file, size)

    def _take_zip(self, name: str, file: IO[bytes]) -> None:
        try:
            with zipfile.ZipFile(file) as archive:
                for info in archive.infolist():
                    if not info.filename.endswith("/"):  # `is_dir` fails on an empty name
                        self._take_member(archive, info)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
            raise CoindexError(
                f"{name}: a zip file that cannot be unpacked ({error})", remedy="pack it again", code="broken-archive"
            ) from error

    def _take_member(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        path = _inner_name(info.filename, info.filename)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise CoindexError(
                f"{quote(info.filename)}: a link or device in a zip",
                remedy="pack plain files only",
                code="unsafe-archive",
            )
        if path.parts[0] == "__MACOSX" or path.name == ".DS_Store":
            return
        with archive.open(info) as member:
            self._take_plain(path, member, info.compress_size)

    def _take_plain(self, path: PurePosixPath, file: IO[bytes], packed: int) -> None:
        """Store a file; a .gz file is stored unpacked."""
        if self._files_left <= 0:
            raise CoindexError("too many files in the upload", remedy="upload fewer at a time", code="upload-too-large")
        self._files_left -= 1
        start = file.read(len(_GZIP))
        target = self._folder / path.with_name(path.name.removesuffix(".gz")) if start == _GZIP else self._folder / path
        with _errors(str(path)):
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as out:
                source = _chunks(file, start)
                for chunk in _decompress(source) if start == _GZIP else source:
                    self._count(len(chunk), str(path))
                    out.write(chunk)
                    if out.tell() > _FREE + MOST_RATIO * packed:
                        raise CoindexError(
                            f"{quote(str(path))}: compressed by a factor of more than {MOST_RATIO}",
                            remedy="refused",
                            code="upload-too-large",
                        )
        with target.open("rb") as made:
            if start == _GZIP and made.read(len(_GZIP)) == _GZIP:
                raise CoindexError(
                    f"{quote(str(path))}: a .gz file inside a .gz file",
                    remedy="compress it once",
                    code="unsafe-archive",
                )

    def _count(self, size: int, name: str) -> None:
        self._left -= size
        if self._left < 0:
            raise CoindexError(
                f"{quote(name)}: the upload unpacks to more than {self._most_bytes:,} bytes",
                remedy="upload less at a time",
                code="upload-too-large",
            )


def _is_archive(file: IO[bytes]) -> bool:
    """Return whether a file is a zip archive; DOCX and ODT are zip files too, but count as plain files."""
    is_zip = zipfile.is_zipfile(file)
    file.seek(0)
    document = recognise_zipped(file.read(HEAD))
    file.seek(0)
    return is_zip and document is None


def _inner_name(name: str, shown: str) -> PurePosixPath:
    """Return a path that stays in the folder, whatever system the archive comes from."""
    path = PurePosixPath(name.replace("\\", "/"))
    odd = path.is_absolute() or ".." in path.parts or not path.parts or ":" in path.parts[0]
    if odd or not name.isprintable() or len(name) > 500 or any(len(part.encode()) > 200 for part in path.parts):
        raise CoindexError(
            f"{quote(shown)}: a file name that points outside the folder or is not allowed",
            remedy="rename the file",
            code="unsafe-file-name",
        )
    return path


def _chunks(file: IO[bytes], start: bytes) -> Iterator[bytes]:
    yield start
    while chunk := file.read(_CHUNK):
        yield chunk


def _decompress(source: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the content of a .gz file in pieces; several members are read as one."""
    unpacker = zlib.decompressobj(wbits=31)
    is_whole = False
    for chunk in source:
        data = chunk
        while data:
            yield unpacker.decompress(data, _CHUNK)
            data, is_whole = unpacker.unconsumed_tail, unpacker.eof
            if is_whole:
                data = unpacker.unused_data
                unpacker = zlib.decompressobj(wbits=31)
    if not is_whole:
        raise zlib.error("cut short")


@contextmanager
def _errors(name: str) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise CoindexError(
            f"{quote(name)}: two files with this name in the upload", remedy="rename one", code="duplicate-file-name"
        ) from error
    except zlib.error as error:
        raise CoindexError(
            f"{quote(name)}: damaged compressed data ({error})", remedy="pack it again", code="broken-archive"
        ) from error
    except zipfile.BadZipFile as error:
        raise CoindexError(
            f"{quote(name)}: damaged in the zip file ({error})", remedy="pack it again", code="broken-archive"
        ) from error
