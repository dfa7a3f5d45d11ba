"""`coindex evaluate`."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..resolvers.resolver import MENTIONS
from .help import Command, option
from .options import MENTIONS_HELP, ChainText, json_option, language_option
from .progress import shows_progress
from .scoring import convert_options, scoring_options

if TYPE_CHECKING:
    from ..api.evaluation import Columns, Evaluation
    from ..resolvers.resolver import Mentions


@click.command("evaluate", cls=Command)
@click.argument("model", type=ChainText())
@click.argument("corpora", metavar="CORPUS...", type=click.Path(exists=True), nargs=-1, required=True)
@option(
    "--columns",
    type=click.Choice(["raw", "keep", "overt"]),
    default="raw",
    section="Input",
    help="Annotation the model sees: raw tokens, also tags and trees (keep), or these without empty nodes (overt).",
)
@option("--mentions", type=click.Choice(MENTIONS), default="detected", section="Resolver", help=MENTIONS_HELP)
@language_option
@scoring_options
@option("-o", "--output", type=click.Path(dir_okay=False), section="Output", help="JSON file for the result.")
@json_option
def command(
    model: str,
    corpora: tuple[str, ...],
    columns: Columns,
    mentions: Mentions,
    language: str | None,
    output: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Resolve corpora with a model and score the result.

    MODEL is a resolver, a model folder or a chain such as 'spacy(en_core_web_sm) + sieves', with options in
    parentheses. The result contains the scores of each CORPUS and their mean, the signature, the speed, and the
    checksums of model and corpora.

    \b
    Examples:
      coindex evaluate en-small dev.conllu
      coindex evaluate "runs/first/best(scheme=gum)" gum-dev.conllu -o result.json
      coindex evaluate sieves dev1.conllu dev2.conllu --columns keep
    """
    from ..api.evaluation import evaluate

    with ProgressBar() as bar:
        settings: dict[str, Any] = {"columns": columns, "mentions": mentions, "language": language}
        result = evaluate(model, corpora, tick=bar.tick, **settings, **convert_options(options))
    data = result.to_dict()
    if output is not None:
        from ..training.run import write_json

        write_json(Path(output), data)
    if as_json:
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        _print_result(result)


def _print_result(evaluation: Evaluation) -> None:
    from ..analysis.tables import groups_table, scores_table
    from ..analysis.writers import render

    several = len(evaluation.corpora) > 1
    results = evaluation.results
    total = evaluation.total
    table = groups_table(results, total, group="corpus", summary="macro average") if several else scores_table(total)
    click.echo(render([table], "text"), nl=False)
    words = sum(corpus.words for corpus in evaluation.corpora.values())
    how = "" if evaluation.mentions == "detected" else f", {evaluation.mentions} mentions"
    click.echo(f"{evaluation.resolver}{how}: {words:,} words, {evaluation.words_per_second:,} words/s")


class ProgressBar:
    """A progress bar on the terminal: resolved documents of each corpus."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def tick(self, corpus: str, done: int, documents: int) -> None:
        if not shows_progress():
            return
        from rich.console import Console
        from rich.progress import Progress

        if self._bar is None:
            self._bar = self._stack.enter_context(Progress(console=Console(stderr=True), transient=True))
            self._task = self._bar.add_task(corpus)
        self._bar.update(self._task, description=corpus, total=documents, completed=done)
