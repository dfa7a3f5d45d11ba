"""`coindex stats`."""

from __future__ import annotations

import os
from typing import IO, Any

import click

from ..analysis.figures import FORMS as FIGURE_FORMS
from ..analysis.statistics.tables import TABLES
from ..errors import UnknownNameError
from .help import Command, option
from .options import format_option, from_option, output_option, workers_options
from .scoring import show_spinner

FORMS = ("text", "json", "csv", "markdown", "latex", "html")


class TableNames(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """Names of tables, separated by commas; "all" stands for all of them."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(name.strip() for name in str(value).split(",") if name.strip())
        for name in names:
            if name not in TABLES and name != "all":
                self.fail(str(UnknownNameError("table", name, [*TABLES, "all"])), param, ctx)
        return tuple(TABLES) if "all" in names else names

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in TABLES if name.startswith(incomplete)]


class NamedPath(click.ParamType):  # type: ignore[type-arg]
    """PATH or NAME=PATH; an existing path may contain an equals sign."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        text = str(value)
        name, equals, path = text.partition("=")
        if not equals or os.path.exists(text):
            name, path = "", text
        if path != "-" and not os.path.exists(path):
            self.fail(f"{path!r}: no such file or folder", param, ctx)
        if equals and not name and path != text:
            self.fail(f"{text!r}: the name is empty; expected NAME=PATH", param, ctx)
        return name, path


@click.command("stats", cls=Command)
@click.argument("corpora", metavar="[NAME=]PATH...", type=NamedPath(), nargs=-1, required=True)
@option(
    "--tables",
    type=TableNames(),
    default=(),
    show_default="all that apply except documents",
    section="Output",
    help="Tables to print, comma-separated, or all.",
)
@option(
    "--singletons/--no-singletons",
    default=None,
    section="Analysis",
    help="Include or exclude entities with a single mention (default: as the papers do).",
)
@option("--plots", type=click.Path(file_okay=False), section="Output", help="Also write charts to this folder.")
@option(
    "--plot-format", type=click.Choice(FIGURE_FORMS), default="svg", section="Output", help="File format of charts."
)
@workers_options
@from_option
@format_option(FORMS)
@output_option
def command(
    corpora: tuple[tuple[str, str], ...],
    tables: tuple[str, ...],
    singletons: bool | None,
    plots: str | None,
    plot_format: Any,
    form: str,
    output: IO[str],
    from_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    **workers: Any,
) -> None:
    """Print corpus statistics.

    Each PATH, a file, a folder or "-", is a row of the tables:

    \b
      dataset        corpus sizes (CRAC 2022, Table 1)
      entities       entities and their lengths (CRAC 2022, Tables 9 and 12)
      mentions       mentions and their lengths (CRAC 2022, Tables 10 and 13)
      details        mention types, tags of heads (CRAC 2022, Tables 11 and 14)
      properties     lengths and densities, singletons apart (PreCo, Table 4)
      cluster_sizes  sizes of entities with several mentions (PreCo, Figure 4)
      genres         comparison of genres, if documents have one
      spread         quartiles over documents, outliers
      documents      a row for each document, only on request

    HTML output is a page with charts and searchable lists of documents, entities and mentions. HTML and --plots need
    coindex[plots].

    \b
    Examples:
      coindex stats corpus/ --format html -o corpus.html
      coindex stats gold=key.conllu mine=mine.conllu --tables entities
    """
    if form == "html" or plots is not None:
        from ..analysis.figures import require

        require()
    from ..api.statistics import stats

    with show_spinner(f"counting in {corpora[0][1]}"):
        result = stats(
            corpora,
            singletons=singletons,
            lists=form == "html",
            format=from_format,
            read_options=dict(read_options),
            **workers,
        )
        text = result.render(form, tables=tables)
        if plots is not None:
            result.save_charts(plots, plot_format)
    output.write(text)
