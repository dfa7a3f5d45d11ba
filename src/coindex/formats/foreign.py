"""Recognize files that are neither UTF-8 text nor a corpus by their first bytes, and suggest what to do."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import PurePath

EXPECTED = "plain text in UTF-8 or a corpus format"
_PANDOC = "convert it to text first, for example with pandoc -t plain"
_OCR = "extract the text first with OCR, for example with tesseract"
_UNPACK = "unpack it first"
_TABLE = "export its texts first, for example with pandas, as text files, Parquet or JSON Lines"


@dataclass(frozen=True, slots=True)
class Foreign:
    """What a file is, and how to convert it to something readable."""

    found: str
    remedy: str
    is_text: bool = False
    """Whether it is text in an encoding that cannot be read."""
    format: str | None = None
    """The format that reads it, although it is not text."""


UTF16 = Foreign("text in UTF-16", "convert it to UTF-8, for example with iconv -f UTF-16 -t UTF-8", is_text=True)
UTF32 = Foreign("text in UTF-32", "convert it to UTF-8, for example with iconv -f UTF-32 -t UTF-8", is_text=True)
HTML = Foreign(
    "an HTML page",
    "extract its text first, for example with trafilatura or html2text, or choose the format text to read it as it is "
    "(--from text)",
)
ARROW = Foreign("an Arrow table", "read it in the format arrow", format="arrow")
BINARY = Foreign("binary data", "export it as text in UTF-8 from the program that wrote it")

_MAGIC: tuple[tuple[bytes, Foreign], ...] = (
    (b"%PDF-", Foreign("a PDF document", "extract its text first, for example with pdftotext")),
    (b"{\\rtf", Foreign("an RTF document", _PANDOC)),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Foreign("an old Office document", "save it as plain text from Office")),
    (b"\x89PNG\r\n\x1a\n", Foreign("an image (PNG)", _OCR)),
    (b"\xff\xd8\xff", Foreign("an image (JPEG)", _OCR)),
    (b"GIF89a", Foreign("an image (GIF)", _OCR)),
    (b"GIF87a", Foreign("an image (GIF)", _OCR)),
    (b"II*\0", Foreign("an image (TIFF)", _OCR)),
    (b"MM\0*", Foreign("an image (TIFF)", _OCR)),
    (b"PAR1", Foreign("a Parquet table", "read it in the format parquet", format="parquet")),
    (b"ARROW1\0\0", ARROW),
    (b"\xff\xff\xff\xff", ARROW),  # the start of every message of a stream
    (b"SQLite format 3\0", Foreign("an SQLite database", _TABLE)),
    (b"BZh", Foreign("a bzip2 archive", f"{_UNPACK}, for example with bunzip2")),
    (b"\xfd7zXZ\0", Foreign("an xz archive", f"{_UNPACK}, for example with unxz")),
    (b"\x28\xb5\x2f\xfd", Foreign("a Zstandard archive", f"{_UNPACK}, for example with unzstd")),
    (b"7z\xbc\xaf\x27\x1c", Foreign("a 7-Zip archive", f"{_UNPACK}, for example with 7z x")),
    (b"Rar!\x1a\x07", Foreign("a RAR archive", f"{_UNPACK}, for example with unrar x")),
)
_MARKS = {b"\x00\x00\xfe\xff": UTF32, b"\xff\xfe\x00\x00": UTF32, b"\xff\xfe": UTF16, b"\xfe\xff": UTF16}
"""Byte order marks, longer ones first."""
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OFFICE = b"[Content_Types].xml"
_IN_ZIP: tuple[tuple[bytes, Foreign], ...] = (
    (b"word/", Foreign("a Word document (DOCX)", _PANDOC)),
    (b"xl/", Foreign("an Excel workbook (XLSX)", _TABLE)),
    (b"ppt/", Foreign("a PowerPoint presentation (PPTX)", _PANDOC)),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", Foreign("an OpenDocument text (ODT)", _PANDOC)),
    (b"mimetypeapplication/vnd.oasis.opendocument", Foreign("an OpenDocument file", _PANDOC)),
    (b"mimetypeapplication/epub+zip", Foreign("an e-book (EPUB)", _PANDOC)),
)
ZIP_ARCHIVE = Foreign("a zip archive", f"{_UNPACK}, for example with unzip, and name the folder")
_READABLE = (b"%PDF-", b"{\\rtf")
"""Signatures that are text and long enough to be reliable; the others must be followed by bytes that text never has."""
_TAR = slice(257, 262)
_TAG = 1 << 13
"""How many bytes are searched for the first tag of a page, because comments may precede it."""

_HTML_NAMES = frozenset({".html", ".htm", ".xhtml"})
_XML_NAMES = frozenset({".xml", ".tei", ".xmi", ".sgm", ".sgml", ".svg"})
_BEFORE = r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*"
_PAGE = re.compile(_BEFORE + r"<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_FRAGMENT = re.compile(
    _BEFORE + r"</?(?:head|body|title|meta|link|script|style|div|span|p|br|hr|table|article|section|main|nav|header|"
    r"h[1-6]|ul|ol|li|a|b|i|em|strong|img|font|center|blockquote|pre)\b[^<>]*>",
    re.IGNORECASE | re.DOTALL,
)
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def recognise(start: bytes) -> Foreign | None:
    """Return what a file is if its first bytes are those of a file type that cannot be read, whatever its name."""
    if foreign := _by_magic(start):
        return foreign
    if mark := byte_order_mark(start):
        return _MARKS[mark]
    if b"\0" in start:
        return UTF16 if _is_utf16(start) else BINARY
    return HTML if _PAGE.match(start[:_TAG].decode("utf-8", errors="replace").removeprefix("\ufeff")) else None


def _by_magic(start: bytes) -> Foreign | None:
    if start.startswith(_ZIP):
        return recognise_zipped(start) or ZIP_ARCHIVE
    if start[_TAR] == b"ustar":
        return Foreign("a tar archive", f"{_UNPACK}, for example with tar xf, and name the folder")
    if start.startswith(b"RIFF") and start[8:12] == b"WEBP":
        return Foreign("an image (WebP)", _OCR)
    for magic, foreign in _MAGIC:
        if start.startswith(magic) and (magic in _READABLE or b"\0" in start or not is_utf8(start)):
            return foreign
    return None


def recognise_zipped(start: bytes) -> Foreign | None:
    """Return what a zip file is if it is not an archive but a document in a zipped format."""
    is_office = _OFFICE in start
    kinds = (foreign for sign, foreign in _IN_ZIP if sign in start and (is_office or sign.startswith(b"mimetype")))
    return next(kinds, None) if start.startswith(_ZIP) else None


def byte_order_mark(start: bytes) -> bytes:
    """Return the byte order mark at the beginning of a file, if it is of an encoding other than UTF-8."""
    return next((mark for mark in _MARKS if start.startswith(mark)), b"")


def is_utf8(start: bytes) -> bool:
    """Return whether this is the beginning of text in UTF-8; its last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return True


def _is_utf16(start: bytes) -> bool:
    """Return whether every other byte of the beginning is 0, as in UTF-16 without a byte order mark."""
    sample = start[: 1 << 10]
    sample = sample[: len(sample) // 2 * 2]
    zeros = [half.count(0) * 10 > len(half) * 9 for half in (sample[::2], sample[1::2])]
    return len(sample) >= 4 and zeros[0] != zeros[1]


def is_binary(text: str, *, is_named_text: bool = False) -> bool:
    """Return whether this is not text in any encoding; in legacy encodings (KOI8-R) most of it cannot be decoded."""
    odd = len(_CONTROL.findall(text)) + (0 if is_named_text else text.count("\ufffd"))
    return "\0" in text or odd * 10 > len(text)


def recognise_text(path: PurePath, text: str) -> Foreign | None:
    """Return what a file in no known format may be, by its name and the beginning of its text."""
    suffix = path.suffix.lower()
    if is_binary(text):
        return BINARY
    is_fragment = suffix not in _XML_NAMES and _FRAGMENT.match(text)
    return HTML if suffix in _HTML_NAMES or is_fragment else None
