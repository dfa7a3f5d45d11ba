"""HTML: one page that needs nothing else, to follow entities through the text. Write only."""

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
    """Write the page; it is called after the file where no title is given."""
    name = title or ("coindex" if sink.path is None else sink.path.name.removesuffix(".gz").rsplit(".", 1)[0])
    for piece in page(docs, title=name, singletons=singletons == "shown", overview=overview == "shown"):
        sink.stream.write(piece)


FORMAT = Format(
    name="html",
    summary="a page to look at: one colour an entity, point and click to follow one through the text",
    carries=frozenset(FEATURES) - {"columns", "extra-columns", "multiwords"},
    write=write,
    write_options=(
        Option("title", (), "the title of the page; the file's name where none is given"),
        Option("singletons", ("shown", "hidden"), "whether the page begins with entities of one mention shown"),
        Option("overview", ("shown", "none"), "entities over documents and a timeline, where documents share entities"),
    ),
)
