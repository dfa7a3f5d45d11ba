"""Outputs appear whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import coindex
from coindex.document import Document
from coindex.errors import CoindexError
from coindex.formats.sink import Sink


def put(path: Path | str, text: str = "new\n") -> None:
    with Sink(path) as sink:
        sink.stream.write(text)


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


class StopError(Exception):
    """An error that is not ours."""


def fail(path: Path, *, folder: bool = False, error: BaseException | None = None) -> None:
    with Sink(path, folder=folder) as sink:
        if folder:
            with sink.file("one.txt") as out:
                out.write("half")
        else:
            sink.stream.write("half" * 100_000)
        raise error or StopError


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    with Sink(tmp_path / "a.txt") as sink:
        sink.stream.write("x\r\ny\n")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_bytes() == b"x\r\ny\n"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("error", [StopError(), KeyboardInterrupt(), CoindexError("no")])
def test_failed_writes_leave_no_files(error: BaseException, tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("old")
    for name in ("old.txt", "new.txt", "new.txt.gz"):
        with pytest.raises(type(error)):
            fail(tmp_path / name, error=error)
    with pytest.raises(type(error)):
        fail(tmp_path / "folder", folder=True, error=error)
    assert names(tmp_path) == ["old.txt"]
    assert (tmp_path / "old.txt").read_text() == "old"


def test_a_failing_generator_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    doc = Document.from_text("Ann left.", id="d")
    coindex.write(doc, path)
    before = path.read_bytes()

    def docs() -> Iterator[Document]:
        yield doc.replace(id="e")
        raise StopError

    with pytest.raises(StopError):
        coindex.write(docs(), path)
    assert (path.read_bytes(), names(tmp_path)) == (before, ["a.conllu"])


@pytest.mark.parametrize("format", ["ecbplus", "brat", "rueval", "mmax2"])
def test_a_failing_generator_leaves_the_old_folder(format: str, tmp_path: Path) -> None:
    doc = Document.from_text("Ann left.", id="d")

    def docs() -> Iterator[Document]:
        yield doc
        raise StopError

    with pytest.raises(StopError):
        coindex.write(docs(), tmp_path / "new", format)
    assert names(tmp_path) == []


def test_gz_has_equal_bytes_for_equal_text(tmp_path: Path) -> None:
    for name in ("a.txt.gz", "b.txt.gz"):
        put(tmp_path / name, "text\n")
    assert gzip.decompress((tmp_path / "a.txt.gz").read_bytes()) == b"text\n"
    assert (tmp_path / "a.txt.gz").read_bytes() == (tmp_path / "b.txt.gz").read_bytes()


@pytest.fixture
def umask() -> Iterator[None]:
    old = os.umask(0o027)
    yield
    os.umask(old)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("umask")
def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    put(tmp_path / "a.txt")
    with Sink(tmp_path / "folder", folder=True) as sink, sink.file("sub/b.txt") as out:
        out.write("x")
    assert mode(tmp_path / "a.txt") == 0o640
    assert [mode(tmp_path / "folder" / name) for name in (".", "sub", "sub/b.txt")] == [0o750, 0o750, 0o640]


def test_permissions_of_a_file_that_is_there_stay(tmp_path: Path) -> None:
    path = tmp_path / "private.txt"
    path.write_text("old")
    path.chmod(0o600)
    put(path)
    assert (path.read_text(), mode(path)) == ("new\n", 0o600)


def test_folders_above_are_made(tmp_path: Path) -> None:
    put(tmp_path / "a/b/c.txt")
    assert names(tmp_path) == ["a", "a/b", "a/b/c.txt"]


def test_what_a_link_points_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    put(tmp_path / "link.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new\n"


def test_devices_and_pipes_are_written_to_and_stay(tmp_path: Path) -> None:
    before = os.stat("/dev/null")
    put("/dev/null")
    assert (os.stat("/dev/null").st_ino, os.stat("/dev/null").st_mode) == (before.st_ino, before.st_mode)
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    put(tmp_path / "pipe", "through\n")
    assert os.read(reader, 100) == b"through\n"
    os.close(reader)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_full_disk(tmp_path: Path) -> None:
    with pytest.raises(CoindexError) as caught:
        put("/dev/full", "x" * 1_000_000)
    assert str(caught.value) == "/dev/full: cannot be written: No space left on device"


def test_errors_of_others_stay_theirs() -> None:
    def docs() -> Iterator[Document]:
        yield Document.from_text("a", id="d")
        open("/no/such/file")  # noqa: SIM115

    with pytest.raises(FileNotFoundError):
        coindex.write(docs(), "/dev/null", "corefud")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("file/x.txt", "cannot be written: (File exists|Not a directory)"),
        ("folder", "is a folder; give a file"),
        ("a\0b", "cannot be written: embedded null byte"),
        ("x" * 300, "cannot be written: File name too long"),
    ],
)
def test_files_that_cannot_be_written(name: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    with pytest.raises(CoindexError, match=why):
        put(tmp_path / name)
    assert names(tmp_path) == ["file", "folder"]


def test_names_as_long_as_they_may_be(tmp_path: Path) -> None:
    for name in ("x" * 250 + ".gz", "é" * 120):
        put(tmp_path / name)
        assert (tmp_path / name).is_file()


def test_half_characters_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(CoindexError, match=r"a\.conllu: cannot be written: the text contains half a character"):
        coindex.write(Document.from_text("a \ud800 b", id="d"), tmp_path / "a.conllu")
    assert names(tmp_path) == []


# --- folders


def test_a_folder_that_is_there_gets_more_files(tmp_path: Path) -> None:
    (tmp_path / "out/sub").mkdir(parents=True)
    (tmp_path / "out/old.txt").write_text("old")
    (tmp_path / "out/sub/same.txt").write_text("old")
    with Sink(tmp_path / "out", folder=True) as sink:
        for name in ("sub/same.txt", "sub/new.txt"):
            with sink.file(name) as out:
                out.write("new")
    assert names(tmp_path) == ["out", "out/old.txt", "out/sub", "out/sub/new.txt", "out/sub/same.txt"]
    assert [(tmp_path / "out" / name).read_text() for name in ("old.txt", "sub/same.txt")] == ["old", "new"]


@pytest.mark.parametrize("name", ["../x.txt", "/tmp/x.txt", "a/../../x.txt"])
def test_files_stay_in_their_folder(name: str, tmp_path: Path) -> None:
    with (
        pytest.raises(CoindexError, match="a document id that cannot be a file name; rename the document"),
        Sink(tmp_path / "out", folder=True) as sink,
    ):
        sink.file(name)
    assert names(tmp_path) == []


def test_two_files_of_a_name(tmp_path: Path) -> None:
    with Sink(tmp_path / "out", folder=True) as sink:
        sink.file("a.txt").close()
        with pytest.raises(CoindexError, match=r"'a\.txt': two documents with this id; ids must differ"):
            sink.file("a.txt")


def test_a_folder_cannot_be_a_file_nor_standard_output(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CoindexError, match="is a file, but this format writes a folder of files; give a folder"):
        Sink(tmp_path / "file", folder=True).__enter__()
    with pytest.raises(CoindexError, match="cannot be written to standard output; give a folder"):
        Sink("-", folder=True)


# --- beginning anew


def test_output_can_be_read_and_written_again(tmp_path: Path) -> None:
    with Sink(tmp_path / "a.txt") as sink:
        sink.stream.write("first")
        earlier = sink.restart()
        assert earlier is not None
        sink.stream.write(earlier.read_text() + " and second")
    assert (tmp_path / "a.txt").read_text() == "first and second"
    assert names(tmp_path) == ["a.txt"]


def test_a_pipe_cannot_be_restarted(capsys: pytest.CaptureFixture[str]) -> None:
    with Sink("-") as sink:
        sink.stream.write("first")
        assert sink.restart() is None
        sink.stream.write(" and second")
    assert capsys.readouterr().out == "first and second"


# --- standard output


def test_standard_output_is_utf8_with_line_ends_as_given(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding="ascii", newline="\r\n"))
    put("-", "é\nx\r\n")
    assert buffer.getvalue() == "é\nx\r\n".encode()
    sys.stdout.write("still open")
    sys.stdout.flush()
    assert buffer.getvalue().endswith(b"still open")


def test_standard_output_without_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    put("-", "text")
    assert sys.stdout.getvalue() == "text"  # type: ignore[attr-defined]
