"""`coindex heads`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from ..document import Document
from ..document.heads import REDUCTIONS, Reduction, find_heads, reduce_to_heads
from ..document.trees import Trees
from ..errors import CoindexError
from .options import from_option, input_argument, to_option

_WAYS = "; ".join(f"{name}: {what}" for name, what in REDUCTIONS.items())


@click.command("heads")
@input_argument
@click.option("-o", "--output", default="-", type=click.Path(allow_dash=True), help="Where to write; - by default.")
@click.option("--overwrite", is_flag=True, help="Find all heads anew, also those that are given.")
@click.option("--reduce", type=click.Choice(list(REDUCTIONS)), help=f"Then reduce spans to heads. {_WAYS}.")
@from_option
@to_option
def command(
    input: str,
    output: str,
    overwrite: bool,
    reduce: Reduction | None,
    from_format: str | None,
    to_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    write_options: tuple[tuple[str, str], ...],
) -> None:
    """Find the head of each mention of INPUT in its dependency tree, as CorefUD does: the highest word.

    Output is CorefUD unless --to or the name of --output says otherwise.
    """
    from ..api import documents, write
    from .progress import with_progress

    docs = with_progress(documents(input, from_format, dict(read_options)), f"finding heads in {input}")
    if to_format is None and output == "-":
        to_format = "corefud"
    write(_with_heads(docs, overwrite, reduce, input), output, to_format, **dict(write_options))


def _with_heads(docs: Iterable[Document], overwrite: bool, reduce: Reduction | None, name: str) -> Iterator[Document]:
    for doc in docs:
        if doc.entities and not Trees(doc).has_trees:
            raise CoindexError(
                f"document {doc.id!r} has no dependency tree; heads come from the columns HEAD and DEPREL; "
                "parse the text first",
                code="missing-layer",
                path=name,
            )
        found = find_heads(doc, overwrite=overwrite)
        yield found if reduce is None else reduce_to_heads(found, reduce)
