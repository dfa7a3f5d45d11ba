"""`coindex experiment`."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..analysis.writers import FORMS
from ..resolvers.resolver import MENTIONS
from ..training.experiments.plans import PICKS
from .help import Group, combine, option
from .options import ChainText, NameValue, format_option, language_option, workers_options
from .overlap import Numbers
from .progress import inform
from .scoring import choose_bold, matching_options
from .train import data_option, parse_changes, set_option, threads_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..training.experiments.results import ExperimentResult
    from ..training.run import Progress


training_options = combine(
    data_option,
    set_option,
    option(
        "--seed",
        type=int,
        section="Training",
        help="Seed for training and for drawing documents, same as --set train.seed=N.",
    ),
    option(
        "--seeds",
        type=click.IntRange(min=1),
        default=1,
        section="Training",
        help="Train each row with this many seeds; the table shows means and the spread of F1.",
    ),
    threads_option,
    option(
        "--corpus",
        section="Training",
        help="Training corpus whose documents are varied, if CONFIG has several.",
    ),
    option("--keep-models", is_flag=True, section="Output", help="Keep the trained models in FOLDER/runs."),
)
common_options = combine(
    option(
        "-o",
        "--output",
        type=click.Path(file_okay=False),
        required=True,
        metavar="FOLDER",
        section="Output",
        help="Folder of the experiment; finished parts are not run again.",
    ),
    option(
        "--restart", is_flag=True, section="Output", help="Delete earlier results in the folder and start from scratch."
    ),
    matching_options,
    option(
        "--columns",
        type=click.Choice(["raw", "keep"]),
        default="raw",
        section="Input",
        help="Annotation of KEY the model sees: only raw tokens, or also tags and trees.",
    ),
    language_option,
    workers_options,
    format_option(FORMS),
)
plot_option = option(
    "--plot",
    type=click.Path(dir_okay=False),
    section="Output",
    help="Plot F1 and OOV rate to this .svg or .png file, and LFW and OOV rate to a second file (NAME-lfw.svg).",
)
config_argument = click.argument("config", type=click.Path(exists=True, dir_okay=False))
key_argument = click.argument("key", type=click.Path(exists=True))


@click.group("experiment", cls=Group)
def command() -> None:
    """Measure how scores depend on the training data or mentions.

    Trains or runs a resolver under several conditions and scores each on KEY. Finished parts are kept in the folder of
    the experiment: run the same command again to continue after an interruption. Training needs
    pip install 'coindex[train]'.

    \b
    Examples:
      coindex experiment size mine.toml dev.conllu -o runs/size --sizes 50,100
      coindex experiment mentions sieves dev.conllu -o runs/oracle
    """


@command.command("size")
@config_argument
@key_argument
@option(
    "--sizes",
    type=Numbers(),
    section="Training",
    help="Numbers of documents, comma-separated (default: all, a half, a quarter, …).",
)
@option(
    "--pick",
    "picks",
    type=click.Choice(PICKS),
    multiple=True,
    default=("random",),
    section="Training",
    help="Documents to train on: random ones, or those that share the fewest (low) or most (high) words with KEY. "
    "Repeatable.",
)
@plot_option
@training_options
@common_options
def size(
    config: str, key: str, sizes: tuple[int, ...] | None, picks: tuple[Any, ...], plot: str | None, **options: Any
) -> None:
    """Train on subsets of several sizes.

    Reproduces Figure 5 (a, b) of the PreCo paper. Larger subsets contain the smaller ones of the same --pick. The last
    model of each run is scored; development data is not used.

    \b
    Examples:
      coindex experiment size mine.toml dev.conllu -o runs/size
      coindex experiment size mine.toml dev.conllu -o runs/size \\
        --sizes 50,100,200 --pick low --pick high --plot size.svg
    """
    from ..api.experiments import size_experiment

    _check_plot(plot)
    with _run_with_display(options) as settings:
        result = size_experiment(config, key, sizes=sizes, picks=picks, **settings)
    _print_result(result, options["form"], plot)


@command.command("overlap")
@config_argument
@key_argument
@option("--groups", type=click.IntRange(min=2), default=8, section="Training", help="Number of groups of documents.")
@option(
    "--size",
    type=click.IntRange(min=1),
    section="Training",
    help="Documents in each group (default: all documents, divided equally).",
)
@plot_option
@training_options
@common_options
def overlap(config: str, key: str, groups: int, size: int | None, plot: str | None, **options: Any) -> None:
    """Train on groups of documents that differ in vocabulary overlap with KEY.

    Reproduces Figure 5 (c, d) of the PreCo paper.

    \b
    Examples:
      coindex experiment overlap mine.toml dev.conllu -o runs/overlap
      coindex experiment overlap mine.toml dev.conllu -o runs/overlap --groups 4
    """
    from ..api.experiments import overlap_experiment

    _check_plot(plot)
    with _run_with_display(options) as settings:
        result = overlap_experiment(config, key, groups=groups, size=size, **settings)
    _print_result(result, options["form"], plot)


@command.command("annotation")
@config_argument
@key_argument
@click.argument("versions", metavar="NAME=TRAIN...", type=NameValue(), nargs=-1, required=True)
@training_options
@common_options
def annotation(config: str, key: str, versions: tuple[tuple[str, str], ...], **options: Any) -> None:
    """Train on several versions of the training annotation.

    Reproduces Table 3 of the PreCo paper.

    \b
    Examples:
      coindex experiment annotation mine.toml dev.conllu \\
        once=once/ merged=merged/ -o runs/annotation
      coindex experiment annotation mine.toml dev.conllu \\
        once=once/ voted=voted/ -o runs/annotation --seeds 3
    """
    from ..api.experiments import annotation_experiment

    with _run_with_display(options) as settings:
        result = annotation_experiment(config, key, versions=versions, **settings)
    _print_result(result, options["form"])


@command.command("mentions")
@click.argument("resolver", type=ChainText())
@key_argument
@option(
    "--mentions",
    type=click.Choice(MENTIONS),
    multiple=True,
    default=MENTIONS,
    section="Resolver",
    help="Mentions to use: detected, all mentions of KEY, or its non-singleton mentions. Repeatable.",
)
@training_options
@common_options
def mentions(resolver: str, key: str, mentions: tuple[Any, ...], **options: Any) -> None:
    """Compare detected with gold mentions.

    Reproduces Table 6 of the PreCo paper: detected mentions, all gold mentions, and gold non-singleton mentions.
    RESOLVER is the TOML file of a training run, for which a model is trained in each condition, or a resolver, a chain
    or a model folder, which is run as it is.

    \b
    Examples:
      coindex experiment mentions sieves dev.conllu -o runs/oracle --columns keep
      coindex experiment mentions mine.toml dev.conllu -o runs/oracle --seeds 3
    """
    from ..api.experiments import mention_experiment

    with _run_with_display(options) as settings:
        result = mention_experiment(resolver, key, mentions=mentions, **settings)
    _print_result(result, options["form"])


def _check_plot(plot: str | None) -> None:
    if plot is not None:
        from ..analysis.figures import form_of, require

        form_of(plot)
        require()


@contextmanager
def _run_with_display(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the options of the API, with callbacks that show progress and let an interrupted run save its state."""
    from ..training.run import Stopped
    from .training import Display, Interrupts

    folder = Path(options["output"])
    names = ("data", "corpus", "seeds", "keep_models", "restart", "profile", "match", "singletons", "zeros", "columns")
    settings: dict[str, Any] = {name: options[name] for name in (*names, "language", "jobs", "engine", "address")}
    settings["changes"] = parse_changes(options["changes"], seed=options["seed"], threads=options["threads"])
    display = Display(as_json=False)
    try:
        with display, Interrupts() as interrupts:

            def tick(progress: Progress) -> None:
                display.tick(progress)
                interrupts.check()

            yield {
                **settings,
                "folder": folder,
                "tell": partial(inform, dim=False),
                "report": display.row,
                "tick": tick,
            }
    except (KeyboardInterrupt, Stopped) as error:
        click.echo(f"finished parts are saved in {folder}; run the same command to continue", err=True)
        raise KeyboardInterrupt from error


def _print_result(result: ExperimentResult, form: str, plot: str | None = None) -> None:
    if plot is not None:
        result.draw(plot)
    click.echo(result.render(form, bold=choose_bold(sys.stdout)), nl=False)
