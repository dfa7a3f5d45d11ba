"""`coindex stats`."""

from __future__ import annotations

import os
from typing import IO, Any

import click

from ..analysis.figures import FORMS as FIGURE_FORMS
from ..analysis.statistics.tables import TABLES
from ..errors import UnknownNameError
from .options import from_option, output_option
from .scoring import working

FORMS = ("text", "json", "csv", "markdown", "latex", "html")


class TableNames(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """Names of tables, parted by commas; "all" means all of them."""

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
    """PATH, or NAME=PATH; a path with an = in it that is there is a path."""

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
            self.fail(f"{text!r}: a corpus without a name; write it as NAME=PATH", param, ctx)
        return name, path


@click.command("stats")
@click.argument("corpora", metavar="[NAME=]PATH...", type=NamedPath(), nargs=-1, required=True)
@click.option("--tables", type=TableNames(), default=(), help="Which tables, parted by commas; or all.")
@click.option(
    "--singletons/--no-singletons",
    default=None,
    help="Count or leave out entities of one mention; if left out, as the papers do.",
)
@click.option("--plots", type=click.Path(file_okay=False), help="Write the charts into this folder too.")
@click.option("--plot-format", type=click.Choice(FIGURE_FORMS), default="svg", help="The form of these charts.")
@click.option("--jobs", "-j", type=click.IntRange(min=0), default=1, help="Processes; 0: one a processor.")
@from_option
@click.option("--format", "form", type=click.Choice(FORMS), default="text", help="How to print.")
@output_option
def command(
    corpora: tuple[tuple[str, str], ...],
    tables: tuple[str, ...],
    singletons: bool | None,
    plots: str | None,
    plot_format: Any,
    jobs: int,
    form: str,
    output: IO[str],
    from_format: str | None,
    read_options: tuple[tuple[str, str], ...],
) -> None:
    """Print what corpora or responses are made of, as the papers count it.

    \b
    dataset        sizes of the corpora (CRAC 2022, Table 1)
    entities       entities and their lengths (CRAC 2022, Tables 9 and 12)
    mentions       mentions and their lengths (CRAC 2022, Tables 10 and 13)
    details        kinds of mentions, tags of heads (CRAC 2022, Tables 11 and 14)
    properties     lengths and densities, singletons apart (PreCo, Table 4)
    cluster_sizes  sizes of entities with several mentions (PreCo, Figure 4)
    genres         genres side by side, where documents have one
    spread         quartiles over documents, outliers
    documents      a row for each document; only if asked for

    Each PATH, a file, a folder or "-", is a row. As html it is a page with charts and with lists of documents, entities
    and mentions to search; html and --plots need coindex[plots].

    \b
    coindex stats corpus/ --format html -o corpus.html
    coindex stats gold=key.conllu mine=response.conllu --tables entities,mentions
    """
    if form == "html" or plots is not None:
        from ..analysis.figures import require

        require()
    from ..api.statistics import stats

    with working(f"counting in {corpora[0][1]}"):
        found = stats(
            corpora,
            singletons=singletons,
            lists=form == "html",
            format=from_format,
            read_options=dict(read_options),
            jobs=jobs,
        )
        text = found.render(form, tables=tables)
        if plots is not None:
            found.save_charts(plots, plot_format)
    output.write(text)
