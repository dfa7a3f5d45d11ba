"""`coindex evaluate`."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..resolvers.resolver import MENTIONS
from .options import ChainText, json_option, language_option
from .progress import shows_progress
from .scoring import as_options, scoring_options

if TYPE_CHECKING:
    from ..api.evaluation import Columns, Evaluation
    from ..resolvers.resolver import Mentions


@click.command("evaluate")
@click.argument("model", type=ChainText())
@click.argument("corpora", metavar="CORPUS...", type=click.Path(exists=True), nargs=-1, required=True)
@click.option(
    "--columns",
    type=click.Choice(["raw", "keep", "overt"]),
    default="raw",
    help="What is resolved: raw tokens, as in a user's text, or also the tags and trees of the corpus, "
    "with its empty nodes or without.",
)
@click.option(
    "--mentions", type=click.Choice(MENTIONS), default="detected", help="Find mentions, or take those of the corpus."
)
@language_option("corpora that do not say theirs")
@scoring_options
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="A JSON file for the result.")
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
    """Resolve each CORPUS with MODEL and score the result against the corpus.

    MODEL is a resolver, a chain such as 'spacy(en_core_web_sm) + sieves', or a model folder, with its options in
    brackets. The result has the scores of each corpus and their mean, the signature, the speed, and the hashes of the
    corpora and the model.

    \b
    coindex evaluate "runs/first/best(scheme=gum)" gum-dev.conllu -o result.json
    coindex evaluate sieves dev1.conllu dev2.conllu --columns keep --match exact
    """
    from ..api.evaluation import evaluate

    with Bar() as bar:
        given: dict[str, Any] = {"columns": columns, "mentions": mentions, "language": language}
        found = evaluate(model, corpora, tick=bar.tick, **given, **as_options(options))
    data = found.to_dict()
    if output is not None:
        from ..training.run import write_json

        write_json(Path(output), data)
    if as_json:
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        _print(found)


def _print(found: Evaluation) -> None:
    from ..analysis.results import groups_table, scores_table
    from ..analysis.writers import render

    several = len(found.corpora) > 1
    results = found.results
    total = found.total
    table = groups_table(results, total, group="corpus", summary="macro average") if several else scores_table(total)
    click.echo(render([table], "text"), nl=False)
    words = sum(corpus.words for corpus in found.corpora.values())
    how = "" if found.mentions == "detected" else f", {found.mentions} mentions"
    click.echo(f"{found.resolver}{how}: {words:,} words, {found.words_per_second:,} words/s")


class Bar:
    """How many documents of a corpus are resolved, on a terminal."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Bar:
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
