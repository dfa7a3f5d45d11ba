"""`coindex overlap`."""

from __future__ import annotations

from typing import IO, Any

import click

from ..analysis.writers import FORMS
from .help import Command, option
from .options import format_option, from_option, output_option
from .scoring import show_spinner


class Numbers(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """Integers, separated by commas."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return tuple(int(text) for text in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r}: expected integers, separated by commas, such as 2,5,10", param, ctx)


@click.command("overlap", cls=Command)
@click.argument("train", type=click.Path(exists=True, allow_dash=True))
@click.argument("test", type=click.Path(exists=True, allow_dash=True))
@option(
    "--below",
    type=Numbers(),
    section="Analysis",
    help="A word is rare if TRAIN contains it fewer times than this; comma-separated (default: 2,5,10).",
)
@option("--ignore-case", is_flag=True, section="Analysis", help="Ignore upper and lower case.")
@from_option
@format_option(FORMS)
@output_option
def command(
    train: str,
    test: str,
    below: tuple[int, ...] | None,
    ignore_case: bool,
    from_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    form: str,
    output: IO[str],
) -> None:
    """Measure how much of the test vocabulary training data covers.

    Prints the share of the words of TEST that TRAIN does not contain (OOV) or contains fewer times than --below, as in
    the PreCo paper: for all words, for heads of mentions, and for words of names. Tokens with characters other than
    letters do not count.

    \b
    Examples:
      coindex overlap train.conllu dev.conllu
      coindex overlap train/ dev.jsonlines --below 10 --format latex
      cat part*.conllu | coindex overlap - dev.conllu
    """
    from ..api.overlap import overlap

    with show_spinner(f"reading {train}"):
        result = overlap(
            train,
            test,
            below=below,
            ignore_case=ignore_case,
            format=from_format,
            read_options=dict(read_options),
        )
    output.write(result.render(form))
