"""`coindex show`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator

import click

from ..document import Document
from ..errors import LossWarning, UnknownNameError
from .options import from_option, input_argument


@click.command("show")
@input_argument
@click.option("--html", type=click.Path(allow_dash=True), help="Write a self-contained HTML page instead.")
@click.option("--document", "wanted", multiple=True, help="Show only the document of this id; may be repeated.")
@click.option("--singletons/--no-singletons", default=True, help="Show entities of one mention.")
@click.option(
    "--colour",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Colours in the terminal.",
)
@from_option
def command(
    input: str,
    html: str | None,
    wanted: tuple[str, ...],
    singletons: bool,
    colour: str,
    from_format: str | None,
    read_options: tuple[tuple[str, str], ...],
) -> None:
    """Show the texts of INPUT with their entities, one steady colour an entity."""
    from ..api import documents, write
    from .progress import inform, with_progress

    docs: Iterable[Document] = documents(input, from_format, dict(read_options))
    if wanted:
        docs = _only(docs, wanted)
    warnings.simplefilter("ignore", LossWarning)  # a view need not carry everything
    singles = "shown" if singletons else "hidden"
    if html is not None:
        write(with_progress(docs, f"showing {input}"), html, "html", singletons=singles)
        if html != "-" and sys.stderr.isatty():
            inform(f"wrote {html}", dim=False)
    else:
        write(docs, "-", "terminal", colour=colour, singletons=singles)


def _only(docs: Iterable[Document], wanted: tuple[str, ...]) -> Iterator[Document]:
    seen = []
    for doc in docs:
        seen.append(doc.id or "")
        if doc.id in wanted:
            yield doc
    missing = [name for name in wanted if name not in seen]
    if missing:
        raise UnknownNameError("document", missing[0], seen)
