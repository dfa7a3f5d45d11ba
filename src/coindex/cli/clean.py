"""`coindex clean`."""

from __future__ import annotations

import click

from ..document.naming import count
from .options import from_option, input_argument, to_option

RULES = ("words", "blanks", "quotes")


@click.command("clean")
@input_argument
@click.option("-o", "--output", type=click.Path(allow_dash=True), help="Write the cleaned documents.")
@click.option("--rule", "rules", type=click.Choice(RULES), multiple=True, help="Only this rule; may be repeated.")
@from_option
@to_option
def command(
    input: str,
    output: str | None,
    rules: tuple[str, ...],
    from_format: str | None,
    to_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    write_options: tuple[tuple[str, str], ...],
) -> None:
    """Show what is to be mended in INPUT, and with -o mend it.

    Blanks that are missing between words and after sentences, and quotes at the borders of sentences.

    \b
    coindex clean texts/
    coindex clean texts/ -o cleaned.conllu --rule blanks
    """
    from ..api import documents, write
    from ..api.cleaning import Cleaning, describe
    from .progress import inform, with_progress

    cleaning = Cleaning(rules or RULES)
    docs = with_progress(documents(input, from_format, dict(read_options)), f"cleaning {input}")
    if output is None:
        shown = 0
        for _ in cleaning(docs):
            for change in cleaning.changes[shown:]:
                click.echo(describe(*change))
            shown = len(cleaning.changes)
    else:
        write(cleaning(docs), output, to_format, **dict(write_options))
    done = "mended" if output is not None else "to mend; -o mends them"
    inform(f"{count(len(cleaning.changes), 'place')} {done}", dim=False)
