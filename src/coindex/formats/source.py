"""Where readers get their bytes: a file, a .gz file or standard input, decoded, checked and counted by line."""

from __future__ import annotations

import gzip
import io
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import CoindexError, DataWarning, FormatError, Problem

CHUNK = 1 << 20
HEAD = 1 << 16
BOM = b"\xef\xbb\xbf"
BLANK_LINE = b"\n\n"


def raise_problem(problem: Problem) -> None:
    """The strict way to treat a problem: stop at the first."""
    raise FormatError(problem)


class Source:
    """One input. A reader reports what is wrong by `problem`, which raises, or collects when validating."""

    def __init__(
        self,
        path: str | Path,
        *,
        on_problem: Callable[[Problem], None] = raise_problem,
        name: str | None = None,
    ) -> None:
        self.path = None if str(path) == "-" else Path(path)
        self.name = name or ("<stdin>" if self.path is None else str(self.path))
        self.on_problem = on_problem
        self.newline = "\n"
        self._stream: io.BufferedReader | None = None
        self._counts: dict[str, int] = {}

    @property
    def stem(self) -> str:
        """The file's name without its endings, for documents that have no id of their own."""
        if self.path is None:
            return "stdin"
        name = self.path.name.removesuffix(".gz")
        return name.rsplit(".", 1)[0] or name

    def problem(self, line: int | None, found: str, expected: str, remedy: str, *, severity: str = "error") -> None:
        """Report a problem at a line; returns only when problems are being collected, or for a warning."""
        problem = Problem(self.name, line, found, expected, remedy, severity)
        if severity == "error" or self.on_problem is not raise_problem:
            self.on_problem(problem)
        else:
            warnings.warn(str(problem), DataWarning, stacklevel=3)

    def count(self, what: str, by: int = 1) -> None:
        """Count an oddity that is passed over; `warn_counts` tells the user once."""
        self._counts[what] = self._counts.get(what, 0) + by

    def warn_counts(self) -> None:
        """Warn of all that was counted, one warning each, and begin anew."""
        for what, number in self._counts.items():
            warnings.warn(f"{self.name}: {number} {what}", DataWarning, stacklevel=3)
        self._counts = {}

    def sibling(self, path: Path) -> Source:
        """Another file that belongs to this one (a text beside its annotations)."""
        return Source(path, on_problem=self.on_problem)

    def open(self) -> io.BufferedReader:
        """The stream of (decompressed) bytes, opened once, with `peek`."""
        if self._stream is None:
            try:
                raw: BinaryIO = sys.stdin.buffer if self.path is None else self.path.open("rb")
                stream: io.BufferedReader = (
                    raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)  # type: ignore[arg-type]
                )
                if stream.peek(2)[:2] == b"\x1f\x8b":
                    packed = gzip.GzipFile(fileobj=stream)
                    packed.myfileobj = stream  # type: ignore[assignment]  # closed together with the gzip stream
                    stream = io.BufferedReader(packed, HEAD)
            except OSError as error:
                raise CoindexError(f"{self.name}: cannot be read: {error.strerror or error}") from error
            self._stream = stream
        return self._stream

    def close(self) -> None:
        if self._stream is not None and self.path is not None:
            self._stream.close()

    def head(self) -> bytes:
        """The first bytes, without consuming them: what detection looks at."""
        stream = self.open()
        with self._reading():
            if self.path is None or not stream.seekable():
                return stream.peek(HEAD)[:HEAD]
            start = stream.read(HEAD)
            stream.seek(0)
        return start

    def read_bytes(self) -> bytes:
        """All of it."""
        with self._reading():
            return self.open().read()

    def text(self) -> str:
        """All of it as text, line ends untouched; a byte order mark or bad UTF-8 is a problem."""
        return self._decode(self._without_bom(self.read_bytes()), 1)

    def blocks(self, separator: bytes = BLANK_LINE) -> Iterator[tuple[int, str]]:
        """The text in pieces of about a megabyte that end at the separator, each with its first line's number.

        Line ends are "\\n" in what comes out; `newline` tells what they were. Mixed ones are a problem.
        """
        stream = self.open()
        line, rest, first = 1, b"", True
        while True:
            with self._reading():
                chunk = stream.read(CHUNK)
            if first:
                chunk = self._without_bom(chunk)
                first = False
            data = rest + chunk
            if b"\r" in data:
                if data.endswith(b"\r") and chunk:
                    data += stream.read(1)
                data = self._line_ends(data, line)
            if chunk:
                cut = data.rfind(separator) + len(separator)
                if cut < len(separator):
                    rest = data
                    continue
                data, rest = data[:cut], data[cut:]
            if data:
                yield line, self._decode(data, line)
                line += data.count(b"\n")
            if not chunk:
                return

    def lines(self) -> Iterator[tuple[int, str]]:
        """Line numbers and lines without their ends."""
        for number, block in self.blocks(separator=b"\n"):
            lines = block.split("\n")
            if not lines[-1]:
                lines.pop()
            yield from enumerate(lines, number)

    def _line_ends(self, data: bytes, line: int) -> bytes:
        plain = data.replace(b"\r\n", b"\n")
        crlf = len(data) - len(plain)
        if crlf == plain.count(b"\n") and b"\r" not in plain:
            self.newline = "\r\n"
            return plain
        if crlf and crlf < plain.count(b"\n"):
            lone = next(n for n, text in enumerate(data.split(b"\n"), line) if not text.endswith(b"\r"))
            self.problem(
                lone,
                "mixed line ends: some lines end in CR LF, this one in LF",
                "one kind of line end",
                "convert the file with dos2unix",
            )
        elif b"\r" in plain:
            place = line + plain[: plain.index(b"\r")].count(b"\n")
            self.problem(
                place,
                "a carriage return inside a line",
                "lines that end in LF, or all in CR LF",
                "remove it, or convert the line ends",
            )
        return plain.replace(b"\r", b"\n")

    def _without_bom(self, data: bytes) -> bytes:
        for mark, encoding in ((BOM, "UTF-8"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16")):
            if data.startswith(mark):
                self.problem(
                    1,
                    f"a byte order mark ({encoding})",
                    "UTF-8 without one",
                    "save the file as UTF-8 without BOM",
                )
                return data[len(mark) :]
        return data

    def _decode(self, data: bytes, line: int) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            place = line + data[: error.start].count(b"\n")
            bad = data[error.start : error.start + 4]
            self.problem(
                place,
                f"bytes that are not UTF-8: {bad!r}",
                "text in UTF-8",
                "convert the file, for example with iconv -f LATIN1 -t UTF-8",
            )
            return data.decode("utf-8", errors="replace")

    def _reading(self) -> _ReadErrors:
        return _ReadErrors(self)


class _ReadErrors:
    """Turns what the operating system and gzip say into a problem with a place."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, EOFError | zlib.error | gzip.BadGzipFile):
            problem = Problem(
                self.source.name,
                None,
                f"broken gzip data ({error})",
                "a complete .gz file",
                "copy or compress the file again",
            )
            raise FormatError(problem) from error
        if isinstance(error, OSError):
            raise CoindexError(f"{self.source.name}: cannot be read: {error.strerror or error}") from error
