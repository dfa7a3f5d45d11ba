"""HTML: a self-contained page to follow entities through the text. Write only."""

from __future__ import annotations

from collections.abc import Iterable

from ..document import Document
from ..render.html import page
from .losses import FEATURES
from .registry import Format, Option
from .sink import Sink


def write(
    docs: Iterable[Document], sink: Sink, *, title: str = "", singletons: str = "shown", overview: str = "shown"
) -> None:
    """Write the page; its default title is the name of the file."""
    name = title or ("coindex" if sink.path is None else sink.path.name.removesuffix(".gz").rsplit(".", 1)[0])
    for piece in page(docs, title=name, singletons=singletons == "shown", overview=overview == "shown"):
        sink.stream.write(piece)


FORMAT = Format(
    name="html",
    summary="a page for the browser: one colour per entity; point and click to follow an entity through the text",
    carries=frozenset(FEATURES) - {"columns", "extra-columns", "multiwords"},
    write=write,
    write_options=(
        Option("title", (), "the title of the page; default: the name of the file"),
        Option("singletons", ("shown", "hidden"), "whether the page shows singletons at first"),
        Option(
            "overview",
            ("shown", "none"),
            "an overview of entities across documents and a timeline, if documents share entities",
        ),
    ),
)
