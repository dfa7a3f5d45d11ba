"""`coindex report`."""

from __future__ import annotations

from typing import IO, Any

import click

from ..analysis.figures import FORMS as FIGURE_FORMS
from ..analysis.figures import Form
from ..analysis.reports import MODULES
from .options import KnownName, NameValue, from_option, output_option
from .scoring import ProfileName, bold_on, working

FORMS = ("text", "json", "markdown", "latex", "csv", "html")


class Names(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """Names, parted by commas."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(name.strip() for name in str(value).split(",") if name.strip())


@click.command("report")
@click.argument("name", type=KnownName("report", MODULES))
@click.argument("key", type=click.Path(exists=True, allow_dash=True))
@click.argument("systems", metavar="[SYSTEM=RESPONSE]...", type=NameValue(), nargs=-1)
@click.option("--tables", type=Names(), help="The tables to make, by name or number, as in 4,6; all if left out.")
@click.option("--profile", type=ProfileName(), help="documents: how to score; crac24 if not told.")
@click.option("--metric", help="documents: the metric to look at; conll if the profile has it, else its first.")
@click.option("--top", type=click.IntRange(min=0), help="documents: how many of the hardest to show; 0: all.")
@click.option("--split", help="ecb-realistic: the topics to score: dev (the default), train, all, or 1,3,4.")
@click.option(
    "--levels", type=Names(), help="ecb-realistic: subtopic, topic, corpus, parted by commas; all if left out."
)
@click.option(
    "--topics",
    type=click.Choice(["given", "predicted"]),
    help="ecb-realistic: whether resolvers that are run see the topics, or clusters of documents.",
)
@click.option(
    "--jobs", "-j", type=click.IntRange(min=0), default=1, help="Processes; 0: one a processor. Not for ecb-realistic."
)
@from_option
@click.option("--figures", type=click.Path(file_okay=False), help="documents: a folder to write figures to.")
@click.option("--figure-format", type=click.Choice(FIGURE_FORMS), default="svg", help="The form of figures.")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", help="How to print.")
@output_option
def command(
    name: str,
    key: str,
    systems: tuple[tuple[str, str], ...],
    form: str,
    output: IO[str],
    from_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    figures: str | None,
    figure_format: Form,
    **options: Any,
) -> None:
    """Print the result tables of a paper, NAME, over any systems, or how scores spread over documents.

    \b
    crac22         CRAC 2022, Tables 4 to 14: KEY is a file, or a folder of datasets
    rueval14       RU-EVAL 2014: the tracks anaphora and coreference
    are07          ARE 2007, Tables 1 and 2: task1 to task4
    ecb-realistic  Cattan et al. 2021, Table 3: KEY is an ECB+ folder
    documents      spread of scores, hardest documents, genres, agreement of systems

    A RESPONSE is a file or folder. In rueval14 and are07, KEY and RESPONSE may be folders with a file or folder for
    each track, and SYSTEM may end in :TRACK. For ecb-realistic a RESPONSE can also be a resolver or a chain of them,
    which is then run on gold and on predicted mentions, and SYSTEM may end in :gold or :predicted and in a level; the
    baselines are always in the table.

    \b
    coindex report crac22 key/ first=runs/first second=runs/second --tables 4,6
    coindex report are07 key/ baseline=runs/baseline mine:task1=runs/mine.xml
    coindex report documents key.conllu first=first.conllu second=second.conllu --format html -o documents.html
    coindex report ecb-realistic ECB+ mine:gold=gold/ mine:predicted=predicted/ --split all --format latex
    """
    from ..analysis.figures import require
    from ..api.reports import report

    if figures is not None:
        require()  # before the work, not after it
    with working(f"scoring {key}"):
        found = report(name, key, systems, format=from_format, read_options=dict(read_options), **options)
    if figures is not None:
        found.save_figures(figures, figure_format)
    output.write(found.render(form, bold=bold_on(output)))
