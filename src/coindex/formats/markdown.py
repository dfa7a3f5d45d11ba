"""Markdown: the text with brackets around mentions and a table of the entities. Write only."""

from __future__ import annotations

from collections.abc import Iterable

from ..document import Document
from ..render.markdown import document_markdown
from .losses import FEATURES
from .registry import Format, Option
from .sink import Sink


def write(docs: Iterable[Document], sink: Sink, *, singletons: str = "shown") -> None:
    """Write the documents one after the other."""
    for number, doc in enumerate(docs):
        if number:
            sink.stream.write("\n")
        for piece in document_markdown(doc, singletons=singletons == "shown"):
            sink.stream.write(piece)


FORMAT = Format(
    name="markdown",
    summary="GitHub Markdown with brackets around mentions and a table of the entities",
    carries=frozenset(FEATURES)
    - {"columns", "extra-columns", "multiwords", "heads", "attributes", "entity-attributes"},
    write=write,
    write_options=(Option("singletons", ("shown", "hidden"), "whether to show singletons"),),
)
