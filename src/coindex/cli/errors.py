"""`coindex errors`."""

from __future__ import annotations

from typing import IO, Any

import click

from ..analysis.errors.cases import KINDS, TYPES
from ..analysis.writers import FORMS
from .options import KnownName, output_option
from .scoring import as_options, bold_on, matching_options, working

PATH = click.Path(exists=True, allow_dash=True)


@click.command("errors")
@click.argument("key", type=PATH)
@click.argument("response", type=PATH)
@click.argument("second", metavar="[SECOND_RESPONSE]", type=PATH, required=False)
@click.option(
    "--train",
    type=click.Path(exists=True),
    help="A training corpus: tell the errors that involve words which are rare in it.",
)
@click.option(
    "--only",
    type=KnownName("kind of error or type of mention", (*KINDS, *TYPES)),
    multiple=True,
    help="List only errors of this kind, or on mentions of this type; repeatable.",
)
@click.option("--show", type=click.IntRange(min=0), default=10, help="How many errors text and Markdown list.")
@matching_options
@click.option("--format", "form", type=click.Choice(tuple(FORMS)), default="text", help="How to print.")
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
    """Tell what RESPONSE gets wrong, given KEY; or what a SECOND_RESPONSE fixes and breaks.

    \b
    missed spurious span              mentions
    false-new false-link wrong-link   links to the nearest mention before
    split merged conflated            entities

    Mentions correspond as in `coindex score`, with the same options. Errors are counted by type of mention, distance,
    size of the entity, genre and document. --format html is the error explorer, a page to look through all of them;
    csv has a row for each error, json everything.

    \b
    coindex errors key.conllu response.conllu
    coindex errors key.conllu response.conllu --format html -o errors.html
    coindex errors key.conllu before.conllu after.conllu --only wrong-link --only pronoun
    coindex errors key.conllu response.conllu --train train.conllu --format csv -o errors.csv
    """
    from ..api import find_errors

    with working(f"looking at {response}"):
        found = find_errors(key, response, second, train=train, explorer=form == "html", **as_options(options))
    if form == "html":
        names = [found.name] if found.second is None else [found.name, found.second.name]
        output.writelines(found.page(title=f"Errors of {' and '.join(names)}"))
    else:
        output.write(found.render(form, bold=bold_on(output), show=show, only=only))
