"""The input of readers: a file, a .gz file or standard input, decoded, checked and with line numbers."""

from __future__ import annotations

import gzip
import io
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import CoindexError, DataWarning, FormatError, Problem
from .foreign import EXPECTED, HTML, byte_order_mark, is_utf8, recognise

CHUNK = 1 << 20
HEAD = 1 << 16
BOM = b"\xef\xbb\xbf"
BLANK_LINE = b"\n\n"


def raise_problem(problem: Problem) -> None:
    """Raise FormatError for an error, so that reading stops at the first one; issue a warning otherwise."""
    raise FormatError(problem)


def problem_warning(problem: Problem) -> DataWarning:
    """Return the warning for a problem that does not stop reading."""
    return DataWarning(problem.message, code=problem.code, path=problem.path, line=problem.line, column=problem.column)


def fill_columns(problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems with the columns of their fragments, if these are found in the line."""
    missing: dict[str, set[int]] = {}
    for problem in problems:
        if problem.column is None and problem.fragment and problem.line is not None:
            missing.setdefault(problem.path, set()).add(problem.line)
    lines: dict[tuple[str, int | None], str] = {}
    for path, wanted in missing.items():
        source = Source(path, on_problem=lambda _: None)
        with suppress(CoindexError), closing(source):
            lines |= {(path, number): text for number, text in source.lines() if number in wanted}
    return [
        replace(problem, column=at + 1)
        if problem.column is None
        and problem.fragment
        and (at := lines.get((problem.path, problem.line), "").find(problem.fragment)) >= 0
        else problem
        for problem in problems
    ]


class Piece(NamedTuple):
    """A part of a file with complete documents: its bytes, its first line, and the context that a reader needs."""

    start: int
    end: int
    first_line: int
    context: str = ""


class Source:
    """An input. A reader reports problems with `problem`, which raises, or collects them when validating."""

    def __init__(
        self,
        path: str | Path,
        *,
        on_problem: Callable[[Problem], None] = raise_problem,
        name: str | None = None,
        piece: Piece | None = None,
    ) -> None:
        self.path = None if str(path) == "-" else Path(path)
        self.name = name or ("<stdin>" if self.path is None else _printable(str(self.path)))
        self.on_problem = on_problem
        self.piece = piece
        self.first_line = 1 if piece is None else piece.first_line
        self._newline: str | None = None
        self._is_mixed = False
        self._stream: io.BufferedReader | None = None
        self._can_rewind = False
        self._head: bytes | None = None
        self._counts: dict[tuple[str, str], int] = {}
        self._belongs_to: Source | None = None
        self.errors = 0
        """The number of errors reported for it and the files that belong to it, if problems are collected."""

    @property
    def newline(self) -> str:
        """The line ending, as far as lines have been read."""
        return self._newline or "\n"

    @property
    def stem(self) -> str:
        """The file's name without extensions, for documents that have no id."""
        if self.path is None:
            return "stdin"
        name = _printable(self.path.name).removesuffix(".gz")
        return name.rsplit(".", 1)[0] or name

    def problem(
        self,
        line: int | None,
        found: str,
        expected: str,
        remedy: str,
        *,
        code: str,
        column: int | None = None,
        fragment: str = "",
        severity: str = "error",
    ) -> None:
        """Report a problem at a line; return only if problems are being collected, or for a warning.

        `fragment` is the piece of the line that is wrong, from which the column can be found if it is not given.
        """
        if line is not None:
            line += self.first_line - 1
        problem = Problem(
            self.name, line, found, expected, remedy, severity, code=code, column=column, fragment=fragment
        )
        source: Source | None = self
        while source is not None and severity == "error":
            source.errors += 1
            source = source._belongs_to
        if severity == "error" or self.on_problem is not raise_problem:
            self.on_problem(problem)
        else:
            warnings.warn(problem_warning(problem), stacklevel=3)

    def count(self, what: str, by: int = 1, *, code: str) -> None:
        """Count an oddity that is ignored; `warn_counts` warns about it once."""
        self._counts[code, what] = self._counts.get((code, what), 0) + by

    def warn_counts(self) -> None:
        """Issue one warning for each oddity that was counted, and reset the counts."""
        for (code, what), number in self._counts.items():
            warning = DataWarning(f"{number} {what}", code=code, path=self.name, details={"number": number})
            warnings.warn(warning, stacklevel=3)
        self._counts = {}

    def sibling(self, path: Path) -> Source:
        """Return the source of another file that belongs to this one (a text beside its annotations)."""
        part = Source(path, on_problem=self.on_problem)
        part._belongs_to = self
        return part

    def open(self) -> io.BufferedReader:
        """Return the stream of (decompressed) bytes, which is opened once."""
        if self._stream is None:
            try:
                self._stream = self._open_stream()
            except (OSError, ValueError) as error:  # ValueError: not a valid file name
                raise CoindexError(
                    f"cannot be read: {_reason(error)}", code="unreadable-file", path=self.name
                ) from error
        return self._stream

    def _open_stream(self) -> io.BufferedReader:
        stream: io.BufferedReader[Any]
        if self.path is not None:
            stream = io.BufferedReader(io.FileIO(self.path) if self.piece is None else _Part(self.path, self.piece))
        elif sys.stdin is None:
            raise ValueError("standard input is closed")
        else:
            stream = io.BufferedReader(_Replayed(b"", sys.stdin.buffer, closing=False))
        self._can_rewind = self.path is not None and stream.seekable()
        if stream.peek(2)[:2] != b"\x1f\x8b":
            return stream
        packed = gzip.GzipFile(fileobj=stream)
        packed.myfileobj = stream  # type: ignore[assignment]  # closed together with the gzip stream
        return io.BufferedReader(packed, HEAD)

    @property
    def position(self) -> int:
        """How many (decompressed) bytes have been read; of a closed source, the size of its file."""
        if self._stream is None:
            return 0
        if self._stream.closed:
            return 0 if self.path is None else self.path.stat().st_size
        return self._stream.tell() if self._stream.seekable() else 0

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()

    def head(self) -> bytes:
        """Return the first bytes for detection, without consuming them."""
        if self._head is None:
            stream = self.open()
            with self._catch_read_errors(1):
                self._head = stream.read(HEAD)
                if self._can_rewind:
                    stream.seek(0)
                else:
                    self._stream = io.BufferedReader(_Replayed(self._head, stream))
        return self._head

    def read_bytes(self) -> bytes:
        """Return all bytes of the input."""
        stream = self.open()
        with self._catch_read_errors(1):
            return stream.read()

    def text(self, *, keep_mark: bool = False) -> str:
        """Return the input as text with its line ends; report bad UTF-8, and a byte order mark unless it is kept."""
        data = self.read_bytes()
        return self._decode(data if keep_mark and data.startswith(BOM) else self._without_bom(data), 1)

    def blocks(self, separator: bytes = BLANK_LINE) -> Iterator[tuple[int, str]]:
        """Yield the text in pieces of about a megabyte that end at the separator, each with its first line number.

        Line ends are "\\n" in what comes out; `newline` is the original line end. Mixed line ends are a problem.
        """
        stream = self.open()
        waiting = bytearray()  # text without a separator after it so far
        line = here = 1  # the first line of the piece, and the current line
        chunk = b""
        while True:
            is_first = not waiting and here == 1
            with self._catch_read_errors(here):
                chunk = stream.read(CHUNK)
                if chunk.endswith(b"\r"):
                    chunk += stream.read(1)
            if not chunk:
                break
            if is_first:
                chunk = self._without_bom(chunk)
            chunk = self._line_ends(chunk, here)
            here += chunk.count(b"\n")
            searched = max(0, len(waiting) - len(separator) + 1)
            waiting += chunk
            cut = waiting.rfind(separator, searched) + len(separator)
            if cut >= len(separator):
                data = bytes(waiting[:cut])
                del waiting[:cut]
                yield line, self._decode(data, line)
                line += data.count(b"\n")
        if waiting:
            yield line, self._decode(bytes(waiting), line)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield line numbers and lines without line ends."""
        for number, block in self.blocks(separator=b"\n"):
            lines = block.split("\n")
            if not lines[-1]:
                lines.pop()
            yield from enumerate(lines, number)

    def _line_ends(self, data: bytes, line: int) -> bytes:
        """Return the data with LF as line end; all original line ends of a source must be the same."""
        if b"\r" not in data:
            if self._newline is None and b"\n" in data:
                self._newline = "\n"
            elif self.newline == "\r\n" and b"\n" in data:
                self._report_mixed(line)
            return data
        plain = data.replace(b"\r\n", b"\n")
        if self._newline is None:
            self._newline = "\r\n" if 0 <= data.find(b"\r\n") < data.find(b"\n") else "\n"
        is_crlf = self.newline == "\r\n"
        if len(data) - len(plain) != (plain.count(b"\n") if is_crlf else 0):
            lines = data.split(b"\n")[:-1]
            self._report_mixed(next(n for n, text in enumerate(lines, line) if text.endswith(b"\r") != is_crlf))
        if b"\r" in plain:
            self.problem(
                line + plain[: plain.index(b"\r")].count(b"\n"),
                "a carriage return inside a line",
                "lines that end in LF, or all in CR LF",
                "remove it, or convert the line ends",
                code="carriage-return",
            )
        return plain.replace(b"\r", b"\n")

    def _report_mixed(self, line: int) -> None:
        if self._is_mixed:  # reported once
            return
        self._is_mixed = True
        before, here = ("CR LF", "LF") if self.newline == "\r\n" else ("LF", "CR LF")
        self.problem(
            line,
            f"mixed line ends: the lines before end in {before}, this one in {here}",
            "one kind of line end",
            "convert the file with dos2unix",
            code="mixed-line-ends",
        )

    def _without_bom(self, data: bytes) -> bytes:
        """Return the beginning without its byte order mark; report the mark, and content that is not UTF-8 text."""
        if data.startswith(BOM):
            remedy = "save the file as UTF-8 without BOM"
            self.problem(1, "a byte order mark (UTF-8)", "UTF-8 without one", remedy, code="byte-order-mark")
            while data.startswith(BOM):  # a tool that adds a mark may have been run twice
                data = data.removeprefix(BOM)
            return data
        foreign = recognise(data)
        if foreign not in (None, HTML) and not is_utf8(data):  # the rest is decoded when it is requested
            self.problem(
                1 if foreign.is_text else None, foreign.found, EXPECTED, foreign.remedy, code="foreign-content"
            )
        return data.removeprefix(byte_order_mark(data))

    def _decode(self, data: bytes, line: int) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            place = line + data[: error.start].count(b"\n")
            before = data[data.rfind(b"\n", 0, error.start) + 1 : error.start]
            bad = data[error.start : error.start + 4]
            self.problem(
                place,
                f"bytes that are not UTF-8: {bad!r}",
                "text in UTF-8",
                "convert the file, for example with iconv -f LATIN1 -t UTF-8",
                code="not-utf8",
                column=len(before.decode("utf-8")) + 1,
            )
            return data.decode("utf-8", errors="replace")

    def _catch_read_errors(self, line: int) -> _ReadErrors:
        return _ReadErrors(self, line)


class _Part(io.BytesIO):
    """The bytes of a piece of a file."""

    def __init__(self, path: Path, piece: Piece) -> None:
        with path.open("rb") as file:
            file.seek(piece.start)
            super().__init__(file.read(piece.end - piece.start))


class _Replayed(io.RawIOBase):
    """A stream with the bytes read from it put back, because pipes cannot be rewound."""

    def __init__(self, start: bytes, stream: BinaryIO, *, closing: bool = True) -> None:
        self._start = start
        self._rest = stream
        self._closing = closing  # standard input must stay open

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._start[: len(buffer)] or self._rest.read(len(buffer))
        self._start = self._start[len(data) :]
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if self._closing and not self.closed:
            self._rest.close()
        super().close()


class _ReadErrors:
    """Turns errors of the operating system and gzip into problems with a place."""

    def __init__(self, source: Source, line: int) -> None:
        self.source = source
        self.line = line

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, EOFError | zlib.error | gzip.BadGzipFile):
            problem = Problem(
                self.source.name,
                self.line,
                f"broken gzip data ({error})",
                "a complete .gz file",
                "copy or compress the file again",
                code="broken-gzip",
            )
            raise FormatError(problem) from error
        if isinstance(error, OSError):
            raise CoindexError(
                f"cannot be read: {_reason(error)}", code="unreadable-file", path=self.source.name
            ) from error


def _printable(name: str) -> str:
    """Return a file name without bytes that are not UTF-8, which can be neither shown nor written."""
    return name.encode("utf-8", errors="backslashreplace").decode("utf-8")


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
