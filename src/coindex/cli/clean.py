"""`coindex clean`."""

from __future__ import annotations

import click

from ..document.naming import count
from .help import Command, option
from .options import from_option, input_argument, to_option

RULES = ("words", "blanks", "quotes")


@click.command("clean", cls=Command)
@input_argument
@option("-o", "--output", type=click.Path(allow_dash=True), section="Output", help="Write the fixed documents here.")
@option(
    "--rule",
    "rules",
    type=click.Choice(RULES),
    multiple=True,
    section="Analysis",
    help="Apply only this rule. Repeatable.",
)
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
    """Fix missing spaces and misplaced quotation marks.

    Finds missing spaces between words (words) and after sentences (blanks), and quotation marks on the wrong side of a
    sentence boundary (quotes). Without -o the command only lists them.

    \b
    Examples:
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
    done = "fixed" if output is not None else "to fix; write the fixed documents with -o"
    inform(f"{count(len(cleaning.changes), 'place')} {done}", dim=False)
