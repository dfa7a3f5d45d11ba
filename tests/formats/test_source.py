"""The input of readers: encodings, line ends, .gz, pipes, and error messages."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading
from pathlib import Path

import pytest

from coindex.api import read
from coindex.errors import CoindexError, DataWarning, FormatError, Problem
from coindex.formats import source as module
from coindex.formats.source import Source, fill_columns


def save(tmp_path: Path, data: bytes, name: str = "in.txt") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def lines(path: Path | str) -> list[tuple[int, str]]:
    source = Source(path)
    try:
        return list(source.lines())
    finally:
        source.close()


def problem(path: Path, read: str = "lines") -> Problem:
    source = Source(path)
    with pytest.raises(FormatError) as caught:
        list(getattr(source, read)())
    source.close()
    return caught.value.problem


def collected(path: Path) -> tuple[list[tuple[int, str]], list[tuple[int | None, str]]]:
    problems: list[Problem] = []
    source = Source(path, on_problem=problems.append)
    found = list(source.lines())
    source.close()
    return found, [(problem.line, problem.found) for problem in problems]


@pytest.fixture(params=[1, 2, 3, 7, 1 << 20])
def chunk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """What is read at once, so that everything falls on a border once."""
    monkeypatch.setattr(module, "CHUNK", request.param)
    return int(request.param)


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    ("data", "expected", "newline"),
    [
        (b"a\nbc\n", ["a", "bc"], "\n"),
        (b"a\nbc", ["a", "bc"], "\n"),
        (b"a\r\nbc\r\n", ["a", "bc"], "\r\n"),
        (b"a\r\nbc", ["a", "bc"], "\r\n"),
        (b"\n\na\n\n", ["", "", "a", ""], "\n"),
        (b"\r\n\r\na\r\n\r\n", ["", "", "a", ""], "\r\n"),
        ("é\n猫\u2028x\x85y\x0bz\n".encode(), ["é", "猫\u2028x\x85y\x0bz"], "\n"),
        (b"", [], "\n"),
        (b"a", ["a"], "\n"),
    ],
)
def test_lines(data: bytes, expected: list[str], newline: str, tmp_path: Path) -> None:
    source = Source(save(tmp_path, data))
    assert list(source.lines()) == list(enumerate(expected, 1))
    assert source.newline == newline
    source.close()


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    ("data", "line", "before", "here"),
    [
        (b"a\r\nb\nc\r\n", 2, "CR LF", "LF"),
        (b"a\nb\r\nc\n", 2, "LF", "CR LF"),
        (b"a\nb\nc\r\n", 3, "LF", "CR LF"),
        (b"a\r\nb\r\nc\r\nd\ne", 4, "CR LF", "LF"),
        (b"\n\r\n", 2, "LF", "CR LF"),
    ],
)
def test_mixed_line_ends(data: bytes, line: int, before: str, here: str, tmp_path: Path) -> None:
    path = save(tmp_path, data)
    found = problem(path)
    assert str(found) == (
        f"{path}:{line}: mixed line ends: the lines before end in {before}, this one in {here}; "
        "expected one kind of line end; convert the file with dos2unix"
    )
    assert collected(path)[1] == [(line, found.found)]  # once, not for each line


def test_mixed_line_ends_in_later_blocks(tmp_path: Path) -> None:
    long = b"x" * 60 + b"\r\n"
    assert problem(save(tmp_path, long * 40_000 + b"y\n")).line == 40_001
    assert problem(save(tmp_path, long * 40_000 + b"y\n" * 100)).line == 40_001
    assert len(lines(save(tmp_path, long * 40_000))) == 40_000


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(("data", "line"), [(b"a\nb\rc\n", 2), (b"a\rb\r", 1), (b"a\r\nb\rc\r\n", 2), (b"a\n\r", 2)])
def test_a_carriage_return_inside_a_line(data: bytes, line: int, tmp_path: Path) -> None:
    path = save(tmp_path, data)
    found = problem(path)
    assert (found.line, found.found) == (line, "a carriage return inside a line")


@pytest.mark.parametrize("read", ["lines", "text"])
@pytest.mark.parametrize(
    ("mark", "words"),
    [
        (b"\xef\xbb\xbf", "a byte order mark (UTF-8); expected UTF-8 without one; save the file as UTF-8 without BOM"),
        (
            b"\xff\xfe",
            "text in UTF-16; expected plain text in UTF-8 or a corpus format; convert it to UTF-8, for example with "
            "iconv -f UTF-16 -t UTF-8",
        ),
    ],
)
def test_byte_order_marks(mark: bytes, words: str, read: str, tmp_path: Path) -> None:
    path = save(tmp_path, mark + b"a\n")
    assert str(problem(path, read)) == f"{path}:1: {words}"
    assert collected(path)[0] == [(1, "a")]


def test_a_byte_order_mark_inside_the_text_is_a_character(tmp_path: Path) -> None:
    assert lines(save(tmp_path, "a\n\ufeffb\n".encode())) == [(1, "a"), (2, "\ufeffb")]


@pytest.mark.usefixtures("chunk")
def test_input_that_is_not_utf8(tmp_path: Path) -> None:
    path = save(tmp_path, "eins\nzwei\nTür\n".encode("latin-1"))
    assert str(problem(path)) == (
        f"{path}:3: bytes that are not UTF-8: b'\\xfcr\\n'; expected text in UTF-8; "
        "convert the file, for example with iconv -f LATIN1 -t UTF-8"
    )
    assert problem(path, "text").line == 3
    found, problems = collected(path)
    assert found == [(1, "eins"), (2, "zwei"), (3, "T\ufffdr")]
    assert [line for line, _ in problems] == [3]


def test_text_keeps_line_ends(tmp_path: Path) -> None:
    source = Source(save(tmp_path, b"a\r\nb\nc\rd"))
    assert source.text() == "a\r\nb\nc\rd"
    source.close()


@pytest.mark.usefixtures("chunk")
def test_blocks_end_at_their_separator(tmp_path: Path) -> None:
    source = Source(save(tmp_path, b"a\nb\n\nc\n\n\nd\n\ne"))
    blocks = list(source.blocks())
    source.close()
    assert "".join(text for _, text in blocks) == "a\nb\n\nc\n\n\nd\n\ne"
    assert all(text.endswith("\n\n") or text == "e" for _, text in blocks[:-1])
    for line, text in blocks:
        before = "".join(other for number, other in blocks if number < line)
        assert line == before.count("\n") + 1, text


@pytest.mark.parametrize("size", [5_000_000])
def test_a_line_of_five_megabytes(size: int, tmp_path: Path) -> None:
    path = save(tmp_path, b"x" * size + b"\nlast")
    assert [(number, len(line)) for number, line in lines(path)] == [(1, size), (2, 4)]


# --- .gz


def test_gz_is_known_by_its_bytes(tmp_path: Path) -> None:
    assert lines(save(tmp_path, gzip.compress(b"a\nb\n"), "plain.txt")) == [(1, "a"), (2, "b")]
    assert lines(save(tmp_path, b"a\n", "not.gz")) == [(1, "a")]


def test_gz_in_several_members(tmp_path: Path) -> None:
    assert lines(save(tmp_path, gzip.compress(b"a\n") + gzip.compress(b"b\n"), "two.gz")) == [(1, "a"), (2, "b")]


TEXT = b"".join(b"%d some words of a line\n" % number for number in range(200_000))
PACKED = gzip.compress(TEXT, 1)


@pytest.mark.parametrize(
    ("read", "cut"),
    [(read, cut) for read in ("lines", "text", "head") for cut in (3, 12, 60)]
    + [(read, cut) for read in ("lines", "text") for cut in (len(PACKED) // 2, len(PACKED) - 4)],
)
def test_a_truncated_gz(cut: int, read: str, tmp_path: Path) -> None:
    path = save(tmp_path, PACKED[:cut], "cut.gz")
    found = problem(path, read)
    assert found.path == str(path)
    assert found.line is not None
    assert found.found.startswith("broken gzip data (")
    if cut > len(PACKED) // 3 and read == "lines":
        assert 1 < found.line <= 200_000


@pytest.mark.parametrize("place", [10, 100, len(PACKED) // 2, len(PACKED) - 6])
def test_a_broken_gz(place: int, tmp_path: Path) -> None:
    broken = PACKED[:place] + bytes(255 - byte for byte in PACKED[place : place + 4]) + PACKED[place + 4 :]
    assert problem(save(tmp_path, broken, "broken.gz")).found.startswith("broken gzip data (")


def test_a_gz_that_ends_in_a_carriage_return_and_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The byte after a carriage return is read on its own, and may be what is not there."""
    monkeypatch.setattr(module, "CHUNK", 2)
    path = save(tmp_path, gzip.compress(b"a\r\nb")[:-3], "cut.gz")
    assert problem(path).found.startswith("broken gzip data (")


# --- pipes


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(data))
    monkeypatch.setattr(sys, "stdin", stdin)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input(pack: object, monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, pack(b"a\nb\n"))  # type: ignore[operator]
    source = Source("-")
    assert (source.name, source.stem, source.path) == ("<stdin>", "stdin", None)
    assert source.head() == b"a\nb\n"
    assert source.head() == b"a\nb\n"
    assert list(source.lines()) == [(1, "a"), (2, "b")]
    source.close()
    assert not sys.stdin.closed


def test_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(CoindexError, match="<stdin>: cannot be read: standard input is closed"):
        Source("-").head()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_slow_pipe_with_a_name(pack: object, tmp_path: Path) -> None:
    """Its beginning comes in small pieces, and it cannot be wound back."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    data = pack(b"first\nsecond\n" * 20_000)  # type: ignore[operator]

    def write() -> None:
        with path.open("wb", buffering=0) as out:
            out.write(data[:3])
            out.write(data[3:50])
            out.write(data[50:])

    writer = threading.Thread(target=write)
    writer.start()
    source = Source(path)
    assert source.head() == (b"first\nsecond\n" * 20_000)[: module.HEAD]
    assert len(list(source.lines())) == 40_000
    source.close()
    writer.join()


def test_head_does_not_consume(tmp_path: Path) -> None:
    data = b"line\n" * 50_000
    for path in (save(tmp_path, data), save(tmp_path, gzip.compress(data), "a.gz")):
        source = Source(path)
        assert source.head() == data[: module.HEAD]
        assert source.read_bytes() == data
        source.close()


# --- names


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "no.txt", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(CoindexError) as caught:
            lines(path)
        assert str(caught.value) == f"{path}: cannot be read: {why}"
    with pytest.raises(CoindexError, match="cannot be read: embedded null byte"):
        lines("a\0b")


@pytest.mark.parametrize(
    ("name", "stem"), [("a.conllu", "a"), ("a.conllu.gz", "a"), ("a.b.txt", "a.b"), ("a", "a"), (".x", ".x")]
)
def test_stems(name: str, stem: str) -> None:
    assert Source(f"folder/{name}").stem == stem


def test_names_that_are_no_utf8_can_be_shown_and_written(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"a\xff.txt")
    source = Source(path)
    assert source.stem == "a\\udcff"
    assert source.name.encode("utf-8").endswith(b"a\\udcff.txt")


def test_counted_problems_are_reported_once(tmp_path: Path) -> None:
    source = Source(tmp_path / "x")
    source.count("odd things", code="left-out")
    source.count("odd things", 2, code="left-out")
    source.count("others", code="duplicate-mention")
    with pytest.warns(DataWarning) as caught:
        source.warn_counts()
    assert [str(w.message) for w in caught] == [f"{tmp_path}/x: 3 odd things", f"{tmp_path}/x: 1 others"]
    said = [w.message for w in caught if isinstance(w.message, DataWarning)]
    assert [(w.code, w.path, w.details) for w in said] == [
        ("left-out", f"{tmp_path}/x", {"number": 3}),
        ("duplicate-mention", f"{tmp_path}/x", {"number": 1}),
    ]
    source.warn_counts()  # nothing is left to tell: a warning would be an error here


def test_a_warning_is_no_error_and_is_collected_with_the_errors(tmp_path: Path) -> None:
    with pytest.warns(DataWarning, match="x:3: found; expected more; mend it"):
        Source(tmp_path / "x").problem(3, "found", "more", "mend it", severity="warning", code="no-text")
    problems: list[Problem] = []
    Source("x", on_problem=problems.append).problem(3, "found", "more", "mend it", severity="warning", code="no-text")
    assert [(problem.line, problem.severity, problem.code) for problem in problems] == [(3, "warning", "no-text")]


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("x.xml", b"<are>\n  <p>a</q>\n</are>", ("invalid-xml", 2, 9)),
        ("x.jsonlines", b'{"doc_key": "d", "sentences": [["a"],, ]}\n', ("invalid-json", 1, 38)),
        ("x.conllu", "1\tAñn\n".encode("latin-1"), ("not-utf8", 1, 4)),
        (
            "x.conllu",
            b"# newdoc id = d\n# global.Entity = eid\n1\ta" + b"\t_" * 7 + b"\tEntity=b)\n\n",
            ("unopened-mention", 3, 26),
        ),
    ],
)
def test_problems_have_columns(tmp_path: Path, name: str, data: bytes, found: tuple[str, int, int]) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    problems: list[Problem] = []
    format = {".xml": "are", ".jsonlines": "jsonlines", ".conllu": "corefud"}[path.suffix]
    try:
        list(read(path, format, on_problem=problems.append))
    except FormatError as error:
        problems.append(error.problem)
    (first, *_) = fill_columns(problems)
    assert (first.code, first.line, first.column) == found
