"""Raw text: split into tokens and sentences when read, every character kept; written without the entities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import cast

from ..document import Document
from ..document.documents import Markup
from ..errors import CoindexError, quote
from ..text.character_classes import GHOSTS
from .detection import MARKDOWN, TEXT_ENDINGS
from .registry import Format, Option
from .sink import Sink
from .source import Source

_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9_]{0,8}")
BLANK = (
    "an empty text",
    "at least one word",
    "it is read as a document without words; remove the file if that is not intended",
)


def is_named_text(path: PurePath) -> bool:
    """Return whether a file name is that of a text: its extension is in `TEXT_ENDINGS`, or it has none."""
    ending = name_ending(path)
    return not ending or ending.lower() in TEXT_ENDINGS


def name_ending(path: PurePath) -> str:
    """Return the extension of a file name, ignoring .gz; "Dear Mr. Smith" and "chapter.2" have none."""
    suffix = PurePath(path.name.removesuffix(".gz")).suffix
    return suffix if _ENDING.fullmatch(suffix) else ""


def read(source: Source, *, language: str = "", markup: str = "auto") -> Iterator[Document]:
    """Read the whole source as one document, including a byte order mark."""
    if markup == "auto":
        is_markdown = source.path is not None and name_ending(source.path).lower() in MARKDOWN
        markup = "markdown" if is_markdown else "plain"
    text = source.text(keep_mark=True)
    if not text.removeprefix("\ufeff").strip():
        source.problem(None, *BLANK, severity="warning", code="no-document")
    yield Document.from_text(text, id=source.stem, language=language or None, markup=cast(Markup, markup))


def write(docs: Iterable[Document], sink: Sink) -> None:
    """Write the texts, separated by a blank line; a single text is written unchanged."""
    write_texts((doc.text for doc in docs), sink)


def text_beside(doc: Document) -> str:
    """Return the text of a document for a file beside its annotations; raise an error for a byte order mark."""
    if doc.text.startswith("\ufeff"):
        raise CoindexError(
            f"document {quote(doc.id or '')}: the text begins with U+FEFF, a byte order mark, and annotations count "
            "characters; remove it from the text",
            code="unwritable-document",
        )
    return doc.text


def has_words(text: str) -> bool:
    """Return whether any character can be part of a token: neither white space nor invisible."""
    return any(not character.isspace() and character not in GHOSTS for character in text)


def write_texts(texts: Iterable[str], sink: Sink) -> None:
    """Write texts, separated by a blank line."""
    before = ""
    for number, text in enumerate(texts):
        if number:
            sink.stream.write("\n" if before.endswith("\n") else "\n\n")
        sink.stream.write(text)
        before = text


FORMAT = Format(
    name="text",
    summary="raw text in any language: split into tokens and sentences, no character is lost",
    carries=frozenset({"spaces"}),
    read=read,
    write=write,
    read_options=(
        Option("language", (), "ISO 639-1 code such as en or pt-BR, for clitics and abbreviations"),
        Option(
            "markup",
            ("auto", "plain", "markdown", "none"),
            "what is protected from resolvers: code and web addresses, or all Markdown markup; "
            "auto: by the file's name",
        ),
    ),
)
