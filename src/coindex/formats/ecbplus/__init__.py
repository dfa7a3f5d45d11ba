"""ECB+: one XML file a document, with events and entities and their chains within and across documents."""

from __future__ import annotations

import re

from ..registry import Format, Head, Option, Role
from .reader import read
from .sentences import LIST_NAME
from .writer import write

__all__ = ["FORMAT"]

_ROOT = re.compile(r"<([A-Za-z_][\w.:-]*)([^>]*)")


def detect(head: Head) -> Role:
    if head.path.name == LIST_NAME:
        return "part"
    root = _ROOT.search(head.text)
    if root and root[1] == "Document" and ("doc_name=" in root[2] or "<token t_id=" in head.text):
        return "main"
    return "no"


FORMAT = Format(
    name="ecbplus",
    summary="ECB+ XML: events and entities within and across documents, with topics",
    carries=frozenset(
        {
            "sentences",
            "discontinuous",
            "self-crossing",
            "cross-sentence",
            "entities",
            "attributes",
            "types",
            "events",
            "entity-attributes",
            "topics",
        }
    ),
    extensions=(".xml",),
    detect=detect,
    read=read,
    write=write,
    is_folder=True,
    read_options=(
        Option(
            "sentences",
            ("validated", "context", "all"),
            "validated: only the sentences of the list beside the files; context: all sentences, but only "
            "the mentions of those; all: everything, whether or not there is a list",
        ),
    ),
)
