"""`coindex quality`."""

from __future__ import annotations

from typing import IO, Any

import click

from ..analysis.writers import FORMS
from .agreement import parse_versions
from .help import Command, option
from .options import format_option, output_option
from .scoring import choose_bold, convert_options, quality_options, show_spinner


@click.command("quality", cls=Command)
@option(
    "--once",
    multiple=True,
    required=True,
    metavar="[NAME=]FILE",
    section="Input",
    help="Independent annotation. Repeatable.",
)
@option(
    "--merge",
    "merged",
    multiple=True,
    metavar="[NAME=]FILE",
    section="Input",
    help="Annotation merged from several of them. Repeatable.",
)
@option(
    "--final",
    multiple=True,
    required=True,
    metavar="[NAME=]FILE",
    section="Input",
    help="Refined annotation; several are combined by vote. Repeatable.",
)
@quality_options
@format_option(FORMS)
@output_option
def command(
    once: tuple[str, ...], merged: tuple[str, ...], final: tuple[str, ...], form: str, output: IO[str], **options: Any
) -> None:
    """Measure the quality of single, merged and voted annotations.

    Compares each stage of an annotation project with the vote of the --final annotations, or with the only one, as in
    the PreCo paper.

    \b
    Examples:
      coindex quality --once A=a.conll --once B=b.conll --final D=d.conll
      coindex quality --once A=a.conll --once B=b.conll --merge AB=ab.conll \\
        --final D=d.conll --final E=e.conll --final F=f.conll
    """
    from ..api.agreement import quality

    with show_spinner("scoring annotations"):
        result = quality(
            parse_versions(once), parse_versions(final), parse_versions(merged), **convert_options(options)
        )
    output.write(result.render(form, bold=choose_bold(output)))
