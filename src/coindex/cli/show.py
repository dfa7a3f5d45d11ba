"""`coindex show`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator

import click

from ..document import Document
from ..errors import LossWarning, UnknownNameError
from .help import Command, option
from .options import colour_option, from_option, input_argument


@click.command("show", cls=Command)
@input_argument
@option(
    "--html", type=click.Path(allow_dash=True), section="Output", help="Write a self-contained HTML page to this file."
)
@option(
    "--document", "wanted", metavar="ID", multiple=True, section="Input", help="Show only this document. Repeatable."
)
@option("--singletons/--no-singletons", default=True, section="Output", help="Show entities with a single mention.")
@colour_option
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
    """Show texts with their entities in the terminal or as HTML.

    \b
    Examples:
      coindex show story.conllu
      coindex show corpus.conllu --document d1 --no-singletons
      coindex show corpus.conllu --html corpus.html
    """
    from ..api import documents, write
    from .progress import inform, with_progress

    docs: Iterable[Document] = documents(input, from_format, dict(read_options))
    if wanted:
        docs = _select_documents(docs, wanted)
    warnings.simplefilter("ignore", LossWarning)  # a view may drop information
    singles = "shown" if singletons else "hidden"
    if html is not None:
        write(with_progress(docs, f"showing {input}"), html, "html", singletons=singles)
        if html != "-" and sys.stderr.isatty():
            inform(f"wrote {html}", dim=False)
    else:
        write(docs, "-", "terminal", colour=colour, singletons=singles)


def _select_documents(docs: Iterable[Document], wanted: tuple[str, ...]) -> Iterator[Document]:
    seen = []
    for doc in docs:
        seen.append(doc.id or "")
        if doc.id in wanted:
            yield doc
    missing = [name for name in wanted if name not in seen]
    if missing:
        raise UnknownNameError("document", missing[0], seen)
