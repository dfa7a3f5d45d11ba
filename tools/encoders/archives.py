"""Read members of downloaded packages without installing them: wheels, npm archives, and zips in parts."""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_PART = re.compile(r"\.(\d{3})$")


def read_wheel(path: Path, pattern: str) -> bytes:
    """Return the only member of a wheel whose name matches a regular expression."""
    with open_zip(path, str(path)) as wheel:
        return read_member(wheel, pattern, str(path))


def read_npm(path: Path, names: Sequence[str]) -> list[bytes]:
    """Return members of an archive that `npm pack` wrote, by their full names."""
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(path, "r:gz") as archive:  # one pass: a compressed archive cannot be searched
            for member in archive:
                stream = archive.extractfile(member) if member.name in names else None
                if stream is not None:
                    found[member.name] = stream.read()
    except FileNotFoundError:
        raise SystemExit(f"{path}: file not found; download it as described in README.md") from None
    except (OSError, EOFError, tarfile.TarError) as error:
        raise SystemExit(f"{path}: not a complete .tgz archive ({error}); download it again") from None
    for name in names:
        if name not in found:
            raise SystemExit(f"{path}: no member {name}; download the version listed in README.md")
    return [found[name] for name in names]


def open_zip(file: Path | io.RawIOBase, place: str) -> zipfile.ZipFile:
    """Open a zip file; `place` is what errors call it."""
    try:
        return zipfile.ZipFile(file)
    except FileNotFoundError:
        raise SystemExit(f"{place}: file not found; download it as described in README.md") from None
    except zipfile.BadZipFile as error:
        raise SystemExit(f"{place}: not a complete zip file ({error}); download it again") from None


def read_member(archive: zipfile.ZipFile, pattern: str, place: str) -> bytes:
    """Return the only member whose name matches; its size and CRC are checked."""
    names = [name for name in archive.namelist() if re.search(pattern, name)]
    if len(names) != 1:
        listed = ", ".join(names) or "none"
        raise SystemExit(
            f"{place}: expected one member that matches {pattern}, found {listed}; download the version listed in "
            "README.md"
        )
    try:
        return archive.read(names[0])
    except (zipfile.BadZipFile, EOFError) as error:
        raise SystemExit(f"{place}: {names[0]} is damaged ({error}); download it again") from None


def open_parts(wheels: Sequence[Path]) -> zipfile.ZipFile:
    """Open a zip that is split into members NAME.zip.001, NAME.zip.002 … of several wheels, in any order.

    Only the parts that contain the wanted members and the last part, with the directory of the zip, are needed.
    """
    parts: dict[int, bytes] = {}
    for wheel in wheels:
        with open_zip(wheel, str(wheel)) as archive:
            data = read_member(archive, r"\.zip\.\d{3}$", str(wheel))
            (name,) = (name for name in archive.namelist() if _PART.search(name))
        parts[int(name[-3:])] = data
    return open_zip(PartedFile(parts), ", ".join(path.name for path in wheels))


class PartedFile(io.RawIOBase):
    """A file of numbered parts of equal size, except for the last; reading a missing part is an error."""

    def __init__(self, parts: Mapping[int, bytes]) -> None:
        super().__init__()
        self._parts = parts
        self._part_size = max(map(len, parts.values()))
        last = max(parts)
        self._size = (last - 1) * self._part_size + len(parts[last])
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise OSError("negative position")  # as files have it; zipfile expects it
        self._at = start + offset
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        end = self._size if size is None or size < 0 else min(self._at + size, self._size)
        pieces = []
        while self._at < end:
            number, offset = divmod(self._at, self._part_size)
            if number + 1 not in self._parts:
                raise SystemExit(f"part {number + 1:03} is missing; download it and list its file too")
            piece = self._parts[number + 1][offset : offset + end - self._at]
            if not piece:
                raise SystemExit(f"part {number + 1:03} is too short; download it again")
            pieces.append(piece)
            self._at += len(piece)
        return b"".join(pieces)
