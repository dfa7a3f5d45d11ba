"""Escape text for HTML and Markdown. Tables need this without the layout of documents, which takes longer to load."""

from __future__ import annotations

import html
import re

_IMPOSSIBLE = re.compile("[\x00\ud800-\udfff]")
BLANKS = re.compile(r"[ \t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
_SPECIAL = re.compile(r"[\\`*_\[\]<>&|~$]")  # these may mean something anywhere in a line


def escape(text: str) -> str:
    """Escape text for HTML, in an element or an attribute; a browser makes the same characters of it again."""
    # A bare carriage return would be read as a line feed.
    return storable(html.escape(text)).replace("\r", "&#13;")


def storable(text: str) -> str:
    """Replace what no HTML file can hold, NUL and lone surrogates, by U+FFFD."""
    return _IMPOSSIBLE.sub("\ufffd", text)


def escape_markdown(text: str) -> str:
    """Escape text so that Markdown shows it as it is."""
    return _SPECIAL.sub(r"\\\g<0>", storable(BLANKS.sub(" ", text)))
