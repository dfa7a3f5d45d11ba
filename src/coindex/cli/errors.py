"""`coindex errors`."""

from __future__ import annotations

from typing import IO, Any

import click

from ..analysis.errors.cases import KINDS, TYPES
from ..analysis.writers import FORMS
from .help import Command, option
from .options import KnownName, format_option, output_option
from .scoring import alignment_options, choose_bold, convert_options, show_spinner

PATH = click.Path(exists=True, allow_dash=True)


@click.command("errors", cls=Command)
@click.argument("key", type=PATH)
@click.argument("response", type=PATH)
@click.argument("second", metavar="[SECOND_RESPONSE]", type=PATH, required=False)
@option(
    "--train",
    type=click.Path(exists=True),
    section="Analysis",
    help="Training corpus: mark errors that involve words which are rare in it.",
)
@option(
    "--only",
    type=KnownName("kind of error or type of mention", (*KINDS, *TYPES)),
    metavar="NAME",
    multiple=True,
    section="Analysis",
    help="List only errors of this kind or on mentions of this type. Repeatable.",
)
@option(
    "--show",
    type=click.IntRange(min=0),
    default=10,
    section="Output",
    help="Number of errors listed in text and Markdown output.",
)
@alignment_options
@format_option(FORMS)
@output_option
def command(
    key: str,
    response: str,
    second: str | None,
    train: str | None,
    only: tuple[str, ...],
    show: int,
    form: str,
    output: IO[str],
    **options: Any,
) -> None:
    """Analyse the errors of a response.

    Lists and counts the errors of RESPONSE relative to KEY, or what SECOND_RESPONSE fixes and breaks. Kinds of errors:

    \b
      missed, spurious, span              mentions
      false-new, false-link, wrong-link   links to the nearest antecedent
      split, merged, conflated            entities

    Mentions are matched as in 'coindex score'. Errors are counted by mention type, distance, entity size, genre and
    document. HTML output is an interactive error explorer, CSV has a row for each error, JSON contains everything.

    \b
    Examples:
      coindex errors key.conllu response.conllu
      coindex errors key.conllu response.conllu --format html -o errors.html
      coindex errors key.conllu before.conllu after.conllu --only wrong-link
    """
    from ..api import find_errors

    with show_spinner(f"analysing {response}"):
        analysis = find_errors(key, response, second, train=train, explorer=form == "html", **convert_options(options))
    if form == "html":
        names = [analysis.name] if analysis.second is None else [analysis.name, analysis.second.name]
        output.writelines(analysis.page(title=f"Errors of {' and '.join(names)}"))
    else:
        output.write(analysis.render(form, bold=choose_bold(output), show=show, only=only))
