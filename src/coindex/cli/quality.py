"""`coindex quality`."""

from __future__ import annotations

from typing import IO, Any

import click

from ..analysis.writers import FORMS
from .agreement import named_versions
from .options import output_option
from .scoring import as_options, bold_on, matching_options, working


@click.command("quality")
@click.option("--once", multiple=True, required=True, metavar="[NAME=]FILE", help="An independent annotation.")
@click.option("--merge", "merged", multiple=True, metavar="[NAME=]FILE", help="An annotation merged from some of them.")
@click.option("--final", multiple=True, required=True, metavar="[NAME=]FILE", help="A refined annotation, to vote on.")
@matching_options
@click.option("--format", "form", type=click.Choice(tuple(FORMS)), default="text", help="How to print.")
@output_option
def command(
    once: tuple[str, ...], merged: tuple[str, ...], final: tuple[str, ...], form: str, output: IO[str], **options: Any
) -> None:
    """Tell how good annotating once, voting and merging are, as PreCo's table of annotation quality does.

    All are measured against the vote of the --final annotations, or against the only one.

    \b
    coindex quality --once A=a.conll --once B=b.conll --once C=c.conll --merge AB=g.conll \\
        --final D=d.conll --final E=e.conll --final F=f.conll
    """
    from ..api.quality import quality

    with working("scoring annotations"):
        found = quality(named_versions(once), named_versions(final), named_versions(merged), **as_options(options))
    output.write(found.render(form, bold=bold_on(output)))
