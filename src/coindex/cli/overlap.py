"""`coindex overlap`."""

from __future__ import annotations

from typing import IO, Any

import click

from ..analysis.writers import FORMS
from .options import from_option, output_option
from .scoring import working


class Numbers(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """Whole numbers, parted by commas."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return tuple(int(text) for text in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r}: write whole numbers, parted by commas: 2,5,10", param, ctx)


@click.command("overlap")
@click.argument("train", type=click.Path(exists=True, allow_dash=True))
@click.argument("test", type=click.Path(exists=True, allow_dash=True))
@click.option("--below", type=Numbers(), help="Words are rare that come fewer times in TRAIN: 2,5,10 if left out.")
@click.option("--ignore-case", is_flag=True, help="The same word may be written with capitals or without.")
@from_option
@click.option("--format", "form", type=click.Choice(tuple(FORMS)), default="text", help="How to print.")
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
    """Tell how many words of TEST are unknown or rare in TRAIN.

    The rates are PreCo's: the share of the words of TEST that TRAIN does not have (OOV), or has fewer times than
    --below says. Tokens with other characters than letters do not count. They are given for all words, for the heads
    of mentions, and for the words of names.

    \b
    coindex overlap train.conllu dev.conllu
    coindex overlap train/ dev.jsonlines --below 10 --format latex -o overlap.tex
    cat part*.conllu | coindex overlap - dev.conllu
    """
    from ..api.overlap import overlap

    with working(f"reading {train}"):
        found = overlap(
            train,
            test,
            below=below,
            ignore_case=ignore_case,
            format=from_format,
            read_options=dict(read_options),
        )
    output.write(found.render(form))
