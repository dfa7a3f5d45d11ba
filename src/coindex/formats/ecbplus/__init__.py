"""ECB+: one XML file a document, with events and entities and their chains within and across documents."""

from __future__ import annotations

from ..registry import Format, Option
from .reader import read
from .writer import write

__all__ = ["FORMAT"]


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
