"""`coindex dedup`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from ..analysis.writers import FORMS
from ..document import Document
from ..document.naming import count
from .options import from_option, inputs_argument, to_option
from .progress import inform, with_progress


@click.command("dedup")
@inputs_argument
@click.option("-o", "--output", type=click.Path(allow_dash=True), help="Write the documents that stay.")
@click.option("--threshold", default="0.9", show_default=True, help="The similarity above which the shorter goes.")
@click.option("--format", "form", type=click.Choice(tuple(FORMS)), default="text", help="How to print what was found.")
@from_option
@to_option
def command(
    inputs: tuple[str, ...],
    output: str | None,
    threshold: str,
    form: str,
    from_format: str | None,
    to_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    write_options: tuple[tuple[str, str], ...],
) -> None:
    """Find documents of INPUTS that are nearly the same, and with -o leave the shorter ones out.

    Similarity is PreCo's: the share of the words of the shorter document that the other has too. Exactly the pairs
    of comparing all with all are found. Without -o nothing is written but the list of pairs.

    \b
    coindex dedup corpus/
    coindex dedup old.conllu new.conllu -o all.conllu --threshold 0.8
    """
    from ..api import write
    from ..api.cleaning import find_duplicates, read_named

    held: list[Document] | None = [] if "-" in inputs else None  # standard input can be read only once

    def watch(docs: Iterable[Document], what: str) -> Iterator[Document]:
        for doc in with_progress(docs, what):
            if held is not None:
                held.append(doc)
            yield doc

    options = dict(read_options)
    found = find_duplicates(inputs, threshold=threshold, format=from_format, read_options=options, watch=watch)
    if output != "-":
        click.echo(found.report().render(form), nl=False)
    told = f"{count(len(found.names), 'document')}: {count(len(found.dropped), 'near-duplicate')} to leave out"
    inform(told, dim=False)
    if output is not None:
        again = held if held is not None else (doc for _, doc in read_named(inputs, from_format, options))
        write(with_progress(found.kept(again), "writing"), output, to_format, **dict(write_options))
