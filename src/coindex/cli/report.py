"""`coindex report`."""

from __future__ import annotations

import os
from typing import IO, Any

import click

from ..analysis.reports import MODULES
from .options import KnownName, NameValue, from_option
from .scoring import working

FORMS = ("text", "json", "markdown", "latex", "csv", "html")


class LevelNames(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """Names of levels, parted by commas."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(name.strip() for name in str(value).split(",") if name.strip())


@click.command("report")
@click.argument("name", type=KnownName("report", MODULES))
@click.argument("key", type=click.Path(exists=True))
@click.argument("systems", metavar="[SYSTEM=RESPONSE]...", type=NameValue(), nargs=-1)
@click.option("--split", help="ecb-realistic: the topics to score: dev (the default), train, all, or 1,3,4.")
@click.option(
    "--levels", type=LevelNames(), help="ecb-realistic: subtopic, topic, corpus, parted by commas; all if left out."
)
@click.option(
    "--topics",
    type=click.Choice(["given", "predicted"]),
    help="ecb-realistic: whether resolvers that are run see the topics, or clusters of documents.",
)
@click.option("--jobs", "-j", type=click.IntRange(min=0), default=1, help="crac22: processes; 0: one a processor.")
@from_option
@click.option("--format", "form", type=click.Choice(FORMS), default="text", help="How to print.")
@click.option(
    "-o", "--output", type=click.File("w", encoding="utf-8", atomic=True), default="-", help="Where to write."
)
def command(
    name: str,
    key: str,
    systems: tuple[tuple[str, str], ...],
    form: str,
    output: IO[str],
    from_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    **options: Any,
) -> None:
    """Print the result tables of a paper, NAME, over any systems.

    \b
    ecb-realistic  Cattan et al. 2021, Table 3: KEY is an ECB+ folder
    crac22         CRAC 2022, Tables 4 to 7: KEY is a file, or a folder of datasets

    A RESPONSE is a file or folder. For ecb-realistic it can also be a resolver or a chain of them, which is then run on
    gold and on predicted mentions, and SYSTEM may end in :gold or :predicted and in a level. The baselines are always
    in the table.

    \b
    coindex report ecb-realistic ECB+ mine=response/ --format latex -o table3.tex
    coindex report ecb-realistic ECB+ mine:gold=gold/ mine:predicted=predicted/ --split all
    coindex report crac22 key/ first=runs/first second=runs/second
    """
    from ..api.reports import report

    with working(f"scoring {key}"):
        found = report(name, key, systems, format=from_format, read_options=dict(read_options), **options)
    on_terminal = output.isatty() and "NO_COLOR" not in os.environ
    bold = (lambda text: click.style(text, bold=True)) if on_terminal else str
    output.write(found.render(form, bold=bold))
