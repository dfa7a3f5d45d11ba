"""Names that outputs allow: of files, and of XML elements and attributes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping

from .xml import quoteattr, writable

_NO_FILE_NAME = re.compile("[/\\\\\x00-\x1f\x7f\ud800-\udfff]")
_NO_XML_NAME = re.compile("[^A-Za-z0-9_.-]")
MAX_BYTES = 180  # file systems allow 255, and an ending has to fit


def file_name(id: str | None, default: str) -> str:
    """A document's id as a file name: it stays in its folder, is not hidden and not too long."""
    name = _NO_FILE_NAME.sub("_", id or default)
    if name.startswith("."):
        name = "_" + name[1:]
    encoded = name.encode()
    if len(encoded) > MAX_BYTES:
        name = encoded[: MAX_BYTES - 9].decode(errors="ignore") + "-" + hashlib.sha256(encoded).hexdigest()[:8]
    return name


def xml_name(name: str) -> str:
    """The name with "_" for each character that an XML name may not have (or seldom has)."""
    name = _NO_XML_NAME.sub("_", name)
    return name if name[:1].isalpha() or name[:1] == "_" else f"_{name}"


def xml_attributes(attributes: Mapping[str, str], *, reserved: Iterable[str] = ()) -> str:
    """The attributes as they stand in a tag, each after a blank; a name that is taken gets "_" at its end."""
    taken = set(reserved)
    parts = []
    for key, value in attributes.items():
        name = xml_name(key)
        while name in taken:
            name += "_"
        taken.add(name)
        parts.append(f" {name}={quoteattr(writable(value))}")
    return "".join(parts)
