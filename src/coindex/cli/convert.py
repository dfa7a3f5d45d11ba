"""`coindex convert`."""

from __future__ import annotations

import click

from .options import from_option, input_argument, to_option


@click.command("convert")
@input_argument
@click.argument("output", type=click.Path(allow_dash=True))
@from_option
@to_option
def command(
    input: str,
    output: str,
    from_format: str | None,
    to_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    write_options: tuple[tuple[str, str], ...],
) -> None:
    """Convert INPUT (file, folder or -) to OUTPUT (file, folder or -).

    What the output format cannot say is dropped, and a warning counts it. OUTPUT appears only when all
    of it is written.

    \b
    coindex convert corpus.conllu corpus.jsonl --to jsonlines
    coindex convert annotations/ corpus.conllu
    zcat corpus.conllu.gz | coindex convert - - --to conll2012
    """
    from ..api import documents, write
    from .progress import with_progress

    docs = with_progress(documents(input, from_format, dict(read_options)), f"converting {input}")
    write(docs, output, to_format, **dict(write_options))
