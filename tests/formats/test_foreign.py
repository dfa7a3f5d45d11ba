"""Files that are neither text nor a corpus are reported by name, with a remedy."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coindex
from coindex.errors import CoindexError, FormatError
from coindex.formats.foreign import recognise
from coindex.formats.registry import UnknownContentError

PAGE = "<!DOCTYPE html>\n<html><head><title>Ann</title></head><body><p>Ann left. She waved.</p></body></html>\n"
NUMBERS = bytes(range(256)) * 4


def zipped(*members: tuple[str, str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, text in members:
            archive.writestr(name, text, zipfile.ZIP_STORED if name == "mimetype" else method)
    return data.getvalue()


DOCX = zipped(("[Content_Types].xml", "<Types/>"), ("_rels/.rels", "<x/>"), ("word/document.xml", "<w/>" * 99))
ODT = zipped(("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", "<x/>"))
EPUB = zipped(("mimetype", "application/epub+zip"), ("content.opf", "<x/>"))
FILES = {
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "a PDF document", "pdftotext"),
    "pdf of ascii": (b"%PDF-1.4\n1 0 obj\n<< >>\nendobj\n", "a PDF document", "pdftotext"),
    "rtf": (b"{\\rtf1\\ansi Ann left.}", "an RTF document", "pandoc"),
    "docx": (DOCX, "a Word document (DOCX)", "pandoc"),
    "odt": (ODT, "an OpenDocument text (ODT)", "pandoc"),
    "epub": (EPUB, "an e-book (EPUB)", "pandoc"),
    "zip": (zipped(("a.txt", "Ann left.")), "a zip archive", "unzip"),
    "doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + NUMBERS, "an old Office document", "save it as plain text"),
    "png": (b"\x89PNG\r\n\x1a\n" + NUMBERS, "an image (PNG)", "tesseract"),
    "jpeg": (b"\xff\xd8\xff\xe0\0\x10JFIF" + NUMBERS, "an image (JPEG)", "tesseract"),
    "gif": (b"GIF89a" + NUMBERS, "an image (GIF)", "tesseract"),
    "tiff": (b"II*\0" + NUMBERS, "an image (TIFF)", "tesseract"),
    "webp": (b"RIFF\x10\0\0\0WEBPVP8 " + NUMBERS, "an image (WebP)", "tesseract"),
    "sqlite": (b"SQLite format 3\0" + NUMBERS, "an SQLite database", "pandas"),
    "bzip2": (b"BZh91AY&SY" + NUMBERS, "a bzip2 archive", "bunzip2"),
    "xz": (b"\xfd7zXZ\0" + NUMBERS, "an xz archive", "unxz"),
    "tar": (b"a.txt".ljust(257, b"\0") + b"ustar\0" + NUMBERS, "a tar archive", "tar xf"),
    "utf-16": ("Ann left.".encode("utf-16"), "text in UTF-16", "iconv -f UTF-16 -t UTF-8"),
    "utf-16 without a mark": ("Ann left.".encode("utf-16-le"), "text in UTF-16", "iconv -f UTF-16 -t UTF-8"),
    "utf-16 big endian": ("Ann left.".encode("utf-16-be"), "text in UTF-16", "iconv -f UTF-16 -t UTF-8"),
    "utf-32": ("Ann left.".encode("utf-32"), "text in UTF-32", "iconv -f UTF-32 -t UTF-8"),
    "numbers": (NUMBERS, "binary data", "export it as text"),
    "html": (PAGE.encode(), "an HTML page", "trafilatura or html2text"),
    "xhtml": (b'<?xml version="1.0"?>\n<!-- made -->\n<HTML xmlns="x"></HTML>', "an HTML page", "--from text"),
    "page with a mark": (b"\xef\xbb\xbf" + PAGE.encode(), "an HTML page", "--from text"),
    "page in Latin-1": (PAGE.replace("Ann", "René").encode("latin-1"), "an HTML page", "--from text"),
    "fragment": (b"\n<div class='x'><p>Ann</div>", "an HTML page", "html2text"),
}


@pytest.mark.parametrize("name", ["story.txt", "story", "story.dat", "story.html", "story.conllu"])
@pytest.mark.parametrize("kind", FILES)
def test_files(kind: str, name: str, tmp_path: Path) -> None:
    data, found, remedy = FILES[kind]
    path = tmp_path / name
    path.write_bytes(data)
    if name == "story.conllu" and kind == "fragment":
        pytest.skip("a file of that name is read as what it is called, and its first line is reported")
    with pytest.raises(FormatError) as caught:
        list(coindex.read(path))
    problem = caught.value.problem
    assert problem.found == found
    assert remedy in problem.remedy
    assert problem.expected == "plain text in UTF-8 or a corpus format"
    assert isinstance(caught.value, UnknownContentError) != found.startswith("text in")


@pytest.mark.parametrize("kind", ["html", "pdf", "docx", "png", "utf-16", "numbers"])
def test_standard_input(kind: str) -> None:
    data, found, remedy = FILES[kind]
    command = [sys.executable, "-m", "coindex", "resolve", "-", "-r", "sieves", "-o", "-", "--to", "json"]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    message = done.stderr.decode()
    assert message.startswith("error: <stdin>")
    assert found in message
    assert remedy in message
    assert "Traceback" not in message


def test_html_is_read_as_text_on_request(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    (doc,) = coindex.read(path, format="text")
    assert doc.text == PAGE


@pytest.mark.parametrize("format", ["text", "corefud", "json"])
@pytest.mark.parametrize("kind", ["pdf", "docx", "png", "utf-16"])
def test_a_format_by_name_does_not_hide_it(kind: str, format: str, tmp_path: Path) -> None:
    data, found, remedy = FILES[kind]
    path = tmp_path / "story.txt"
    path.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        list(coindex.read(path, format=format))
    assert (caught.value.problem.found, remedy in caught.value.problem.remedy) == (found, True)


def test_latin_1_has_a_line(tmp_path: Path) -> None:
    path = tmp_path / "story.txt"
    path.write_bytes("Ann left.\nUn café.\n".encode("latin-1"))
    with pytest.raises(FormatError, match=r"story.txt:2: bytes that are not UTF-8: .*iconv -f LATIN1 -t UTF-8"):
        list(coindex.read(path))


@pytest.mark.parametrize(
    "text",
    [
        "PAR1 is a code.",
        "BZh is no word.",
        "GIF89a is a format of images.",
        "I <3 you, <Ann> said.",
        "Use <br> for breaks." * 3,
        "If a<b then <p> follows",
    ],
)
def test_words_that_look_like_it(text: str, tmp_path: Path) -> None:
    path = tmp_path / "story.txt"
    path.write_text(text, encoding="utf-8")
    (doc,) = coindex.read(path)
    assert doc.text == text


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_text_is_never_binary(text: str) -> None:
    if not text.startswith(("%PDF-", "{\\rtf", "PK\x03\x04", "<")):
        assert recognise(text.encode()) is None


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_with_a_reason_or_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("bytes") / "a"
    path.write_bytes(data)
    try:
        list(coindex.read(path, on_problem=lambda problem: None))
        message = str(path)
    except CoindexError as error:
        message = str(error)
    assert message.startswith(str(path))
