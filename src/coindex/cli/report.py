"""`coindex report`."""

from __future__ import annotations

from typing import IO, Any

import click

from ..analysis.figures import FORMS as FIGURE_FORMS
from ..analysis.figures import Form
from ..analysis.reports import MODULES
from .help import Command, Decorator, option
from .options import KnownName, NameValue, format_option, from_option, output_option, workers_options
from .scoring import ProfileName, choose_bold, show_spinner

FORMS = ("text", "json", "markdown", "latex", "csv", "html")


class Names(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """Names, separated by commas."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(name.strip() for name in str(value).split(",") if name.strip())


tables_option: Decorator = option(
    "--tables",
    type=Names(),
    section="Output",
    help="Tables to print, by name or number, comma-separated (default: all).",
)


@click.command("report", cls=Command)
@click.argument("name", type=KnownName("report", MODULES))
@click.argument("key", type=click.Path(exists=True, allow_dash=True))
@click.argument("systems", metavar="[SYSTEM=RESPONSE]...", type=NameValue(), nargs=-1)
@tables_option
@option("--profile", type=ProfileName(), section="Scoring", help="documents: scoring profile (default: crac24).")
@option(
    "--metric",
    section="Scoring",
    help="documents: metric to analyse (default: conll if the profile has it, otherwise its first metric).",
)
@option(
    "--top",
    type=click.IntRange(min=0),
    section="Output",
    help="documents: number of hardest documents to show (0 = all).",
)
@option(
    "--split",
    section="Scoring",
    help="ecb-realistic: topics to score: dev, train, all, or numbers such as 1,3,4 (default: dev).",
)
@option(
    "--levels",
    type=Names(),
    section="Scoring",
    help="ecb-realistic: subtopic, topic, corpus, comma-separated (default: all).",
)
@option(
    "--topics",
    type=click.Choice(["given", "predicted"]),
    section="Scoring",
    help="ecb-realistic: run resolvers on the given topics or on predicted document clusters.",
)
@workers_options
@from_option
@option("--figures", type=click.Path(file_okay=False), section="Output", help="documents: folder for figures.")
@option(
    "--figure-format", type=click.Choice(FIGURE_FORMS), default="svg", section="Output", help="File format of figures."
)
@format_option(FORMS)
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
    """Print the result tables of a paper for your systems.

    NAME is one of:

    \b
      crac22         CRAC 2022, Tables 4 to 14; KEY is a file or folder
      rueval14       RU-EVAL 2014, tracks anaphora and coreference
      are07          ARE 2007, Tables 1 and 2: task1 to task4
      ecb-realistic  Cattan et al. 2021, Table 3; KEY is an ECB+ folder
      documents      distribution of scores over documents, hardest documents,
                     genres, agreement of systems

    A RESPONSE is a file or folder. For rueval14 and are07, KEY and RESPONSE may be folders with a file or folder for
    each track, and SYSTEM may end in :TRACK. For ecb-realistic, a RESPONSE may also be a resolver or a chain, which is
    run on gold and on predicted mentions; SYSTEM may end in :gold or :predicted and a level; baselines are always
    included; --jobs has no effect.

    \b
    Examples:
      coindex report crac22 key/ first=runs/first second=runs/second --tables 4,6
      coindex report are07 key/ baseline=runs/baseline mine:task1=runs/mine.xml
      coindex report documents key.conllu a=a.conllu b=b.conllu --format html
    """
    from ..analysis.figures import require
    from ..api.reports import report

    if figures is not None:
        require()  # fail before scoring, not after
    with show_spinner(f"scoring {key}"):
        result = report(name, key, systems, format=from_format, read_options=dict(read_options), **options)
    if figures is not None:
        result.save_figures(figures, figure_format)
    output.write(result.render(form, bold=choose_bold(output)))
