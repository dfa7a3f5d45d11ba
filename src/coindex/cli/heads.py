"""`coindex heads`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from ..document import Document
from ..document.heads import REDUCTIONS, Reduction, Trees, find_heads, reduce_to_heads
from ..errors import CoindexError
from .help import Command, option
from .options import from_option, input_argument, to_option


@click.command("heads", cls=Command)
@input_argument
@option(
    "-o",
    "--output",
    default="-",
    type=click.Path(allow_dash=True),
    section="Output",
    help="File to write (- = standard output).",
)
@option("--overwrite", is_flag=True, section="Analysis", help="Replace heads that the input already has.")
@option(
    "--reduce",
    type=click.Choice(list(REDUCTIONS)),
    section="Analysis",
    help="Reduce spans to their heads: all spans, all spans and merge entities that then share a word, "
    "or only the smallest of several spans with the same head.",
)
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
    """Find the syntactic head of each mention.

    The head is the highest word of the mention in the dependency tree, as in CorefUD. The output format is CorefUD
    unless --to or the extension of the output file specifies another one.

    \b
    Examples:
      coindex heads corpus.conllu -o with-heads.conllu
      coindex heads corpus.conllu --overwrite --reduce all
    """
    from ..api import documents, write
    from .progress import with_progress

    docs = with_progress(documents(input, from_format, dict(read_options)), f"finding heads in {input}")
    if to_format is None and output == "-":
        to_format = "corefud"
    write(_add_heads(docs, overwrite, reduce, input), output, to_format, **dict(write_options))


def _add_heads(docs: Iterable[Document], overwrite: bool, reduce: Reduction | None, name: str) -> Iterator[Document]:
    for doc in docs:
        if doc.entities and not Trees(doc).has_trees:
            raise CoindexError(
                f"document {doc.id!r} has no dependency tree (columns HEAD and DEPREL); parse the text first",
                code="missing-layer",
                path=name,
            )
        doc = find_heads(doc, overwrite=overwrite)
        yield doc if reduce is None else reduce_to_heads(doc, reduce)
