"""What ECB+ says by the names of tags and of files."""

from __future__ import annotations

import re

from ...document import Kind

UNKNOWN = "UNKNOWN_INSTANCE_TAG"
"""The release's tag for instances of within-document chains; ours for whatever has no type."""
UNTYPED_EVENT = "ACTION"

_FILE = re.compile(r"([0-9]+)_[0-9]+(ecb|ecbplus)")


def kind_of(tag: str) -> Kind:
    """Tags of actions, negated ones too, are of events; times, places and participants are entities."""
    return "event" if tag.startswith(("ACTION", "NEG_ACTION")) else "entity"


def type_of(tag: str) -> str | None:
    return None if tag in (UNKNOWN, UNTYPED_EVENT) else tag


def topic_of(id: str) -> tuple[str | None, str | None]:
    """Topic and subtopic by the document's name: 1_10ecbplus is of topic 1, subtopic 1_ecbplus."""
    name = _FILE.fullmatch(id)
    return (name[1], f"{name[1]}_{name[2]}") if name else (None, None)


def is_number(text: str) -> bool:
    """Whether it is a plain number of sane size (int() takes more than that)."""
    return text.isascii() and text.isdigit() and len(text) < 10
