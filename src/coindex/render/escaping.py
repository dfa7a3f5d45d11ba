"""Escape text for HTML and Markdown. Tables use this without the layout of documents, which takes longer to import."""

from __future__ import annotations

import html
import re

_IMPOSSIBLE = re.compile("[\x00\ud800-\udfff]")
SPACES = re.compile(r"[ \t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
_SPECIAL = re.compile(r"[\\`*_\[\]<>&|~$]")  # special anywhere in a line


def escape(text: str) -> str:
    """Escape text for an HTML element or attribute, so that a browser shows the same characters."""
    # A bare carriage return would be read as a line feed.
    return storable(html.escape(text)).replace("\r", "&#13;")


def storable(text: str) -> str:
    """Replace characters that are impossible in HTML files, NUL and lone surrogates, by U+FFFD."""
    return _IMPOSSIBLE.sub("\ufffd", text)


def escape_markdown(text: str) -> str:
    """Escape text so that Markdown shows it as it is."""
    return _SPECIAL.sub(r"\\\g<0>", storable(SPACES.sub(" ", text)))
