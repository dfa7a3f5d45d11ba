"""`coindex dedup`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click

from ..analysis.writers import FORMS
from ..document import Document
from ..document.naming import count
from .help import Command, option
from .options import format_option, from_option, inputs_argument, to_option, workers_options
from .progress import inform, with_progress


@click.command("dedup", cls=Command)
@inputs_argument
@option(
    "-o",
    "--output",
    type=click.Path(allow_dash=True),
    section="Output",
    help="Write the documents without near-duplicates here.",
)
@option(
    "--threshold",
    default="0.9",
    metavar="N",
    section="Analysis",
    help="Similarity above which the shorter document is removed.",
)
@format_option(FORMS)
@from_option
@to_option
@workers_options
def command(
    inputs: tuple[str, ...],
    output: str | None,
    threshold: str,
    form: str,
    from_format: str | None,
    to_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    write_options: tuple[tuple[str, str], ...],
    **workers: Any,
) -> None:
    """Find and remove near-duplicate documents.

    Prints all pairs of documents whose similarity is above the threshold. With -o, writes INPUTS without the shorter
    document of each pair. Similarity is defined as in PreCo: the share of the words of the shorter document that the
    longer one also contains.

    \b
    Examples:
      coindex dedup corpus/
      coindex dedup old.conllu new.conllu -o all.conllu --threshold 0.8
    """
    from ..api import write
    from ..api.cleaning import find_duplicates, read_named

    cached: list[Document] | None = [] if "-" in inputs else None  # standard input can be read only once

    def read_docs(docs: Iterable[Document], what: str) -> Iterator[Document]:
        for doc in with_progress(docs, what):
            if cached is not None:
                cached.append(doc)
            yield doc

    options = dict(read_options)
    duplicates = find_duplicates(
        inputs, threshold=threshold, format=from_format, read_options=options, watch=read_docs, **workers
    )
    if output != "-":
        click.echo(duplicates.report().render(form), nl=False)
    summary = f"{count(len(duplicates.names), 'document')}, {count(len(duplicates.dropped), 'near-duplicate')}"
    inform(summary, dim=False)
    if output is not None:
        docs = cached if cached is not None else (doc for _, doc in read_named(inputs, from_format, options))
        write(with_progress(duplicates.kept(docs), "writing"), output, to_format, **dict(write_options))
