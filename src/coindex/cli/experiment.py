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
from .options import ChainText, Decorator, NameValue, language_option
from .overlap import Numbers
from .progress import inform
from .scoring import MATCHING_OPTIONS, bold_on, decorate
from .train import parse_changes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..training.experiments.results import ExperimentResult
    from ..training.run import Progress


def _all(*options: Decorator) -> Decorator:
    return lambda command: decorate(command, options)


training_options = _all(
    click.option(
        "--data",
        type=click.Path(exists=True, file_okay=False),
        help="Where relative paths of corpora begin, instead of at the folder of CONFIG.",
    ),
    click.option(
        "--set",
        "changes",
        type=NameValue(),
        multiple=True,
        help="Another value for a key of CONFIG, such as train.epochs=3; repeatable.",
    ),
    click.option("--seed", type=int, help="Of training and of drawing documents: the same as --set train.seed=…"),
    click.option(
        "--seeds",
        type=click.IntRange(min=1),
        default=1,
        help="Train each row with so many seeds; the table has the means and how far F1 is spread.",
    ),
    click.option("--threads", type=click.IntRange(min=1), help="The same as --set train.threads=…"),
    click.option("--corpus", help="The corpus of CONFIG whose documents are varied, where there are several."),
    click.option("--keep-models", is_flag=True, help="Keep the models in FOLDER/runs; else they are removed."),
)
common_options = _all(
    click.option(
        "-o",
        "--output",
        type=click.Path(file_okay=False),
        required=True,
        help="The folder of the experiment: what is done there is not done again.",
    ),
    click.option("--restart", is_flag=True, help="Begin anew: removes what an earlier experiment left there."),
    *MATCHING_OPTIONS,
    click.option(
        "--columns",
        type=click.Choice(["raw", "keep"]),
        default="raw",
        help="What of KEY is resolved: raw tokens, or also its tags and trees.",
    ),
    language_option("a key that does not say its own"),
    click.option("--format", "form", type=click.Choice(tuple(FORMS)), default="text", help="How to print the table."),
)
plot_option = click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    help="Draw F1 and OOV rate into this .svg or .png file, and LFW and OOV rate into one beside it, …-lfw.svg.",
)
config_argument = click.argument("config", type=click.Path(exists=True, dir_okay=False))
key_argument = click.argument("key", type=click.Path(exists=True))


@click.group("experiment", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """See what scores depend on: train or run a resolver under several conditions, and score each on KEY.

    All that is done is kept in the folder of the experiment: after an interruption the same command goes on where it
    was. Training needs pip install 'coindex[train]'.

    \b
    coindex experiment size mine.toml dev.conllu -o runs/size --sizes 50,100,200 --plot size.svg
    coindex experiment overlap mine.toml dev.conllu -o runs/overlap --groups 8
    coindex experiment annotation mine.toml dev.conllu once=once/ merged=merged/ -o runs/annotation
    coindex experiment mentions sieves dev.conllu -o runs/oracle --columns keep
    """


@command.command("size")
@config_argument
@key_argument
@click.option("--sizes", type=Numbers(), help="Documents, parted by commas: all, half, a quarter … if left out.")
@click.option(
    "--pick",
    "picks",
    type=click.Choice(PICKS),
    multiple=True,
    default=("random",),
    help="Which documents: drawn at random, or those that share the fewest or the most words with KEY; repeatable.",
)
@plot_option
@training_options
@common_options
def size(
    config: str, key: str, sizes: tuple[int, ...] | None, picks: tuple[Any, ...], plot: str | None, **options: Any
) -> None:
    """Train CONFIG on subsets of several sizes and score each on KEY: PreCo's Figure 5 (a, b).

    Larger subsets hold the smaller ones of the same pick. The last model of each run is scored; dev is not looked at.
    """
    from ..api.experiments import size_experiment

    _check_plot(plot)
    with _watched(options) as told:
        found = size_experiment(config, key, sizes=sizes, picks=picks, **told)
    _show(found, options["form"], plot)


@command.command("overlap")
@config_argument
@key_argument
@click.option("--groups", type=click.IntRange(min=2), default=8, help="How many groups of documents; 8 if left out.")
@click.option("--size", type=click.IntRange(min=1), help="Documents of a group; all are shared out if left out.")
@plot_option
@training_options
@common_options
def overlap(config: str, key: str, groups: int, size: int | None, plot: str | None, **options: Any) -> None:
    """Train CONFIG on groups of documents, from the fewest words shared with KEY to the most: Figure 5 (c, d)."""
    from ..api.experiments import overlap_experiment

    _check_plot(plot)
    with _watched(options) as told:
        found = overlap_experiment(config, key, groups=groups, size=size, **told)
    _show(found, options["form"], plot)


@command.command("annotation")
@config_argument
@key_argument
@click.argument("versions", metavar="NAME=TRAIN...", type=NameValue(), nargs=-1, required=True)
@training_options
@common_options
def annotation(config: str, key: str, versions: tuple[tuple[str, str], ...], **options: Any) -> None:
    """Train CONFIG on each version of the training annotation and score on KEY: PreCo's Table 3."""
    from ..api.experiments import annotation_experiment

    with _watched(options) as told:
        found = annotation_experiment(config, key, versions=versions, **told)
    _show(found, options["form"])


@command.command("mentions")
@click.argument("resolver", type=ChainText())
@key_argument
@click.option(
    "--mentions",
    type=click.Choice(MENTIONS),
    multiple=True,
    default=MENTIONS,
    help="Which mentions: found, all of KEY, or those of its entities with several; all three if left out; repeatable.",
)
@training_options
@common_options
def mentions(resolver: str, key: str, mentions: tuple[Any, ...], **options: Any) -> None:
    """Resolve KEY with detected, all gold, and gold non-singleton mentions: PreCo's Table 6.

    RESOLVER is the TOML file of a training run, and a model is trained for each; or it is a resolver, a chain or a
    model folder, which is run as it is.
    """
    from ..api.experiments import mention_experiment

    with _watched(options) as told:
        found = mention_experiment(resolver, key, mentions=mentions, **told)
    _show(found, options["form"])


def _check_plot(plot: str | None) -> None:
    if plot is not None:
        from ..analysis.figures import form_of, require

        form_of(plot)
        require()


@contextmanager
def _watched(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The options of the API, with somebody who shows how far it is and lets the run save itself when interrupted."""
    from ..training.run import Stopped
    from .training import Display, Interrupts

    folder = Path(options["output"])
    names = ("data", "corpus", "seeds", "keep_models", "restart", "profile", "match", "singletons", "zeros", "columns")
    told: dict[str, Any] = {name: options[name] for name in (*names, "language")}
    told["changes"] = parse_changes(options["changes"], seed=options["seed"], threads=options["threads"])
    display = Display(as_json=False)
    try:
        with display, Interrupts() as interrupts:

            def tick(progress: Progress) -> None:
                display.tick(progress)
                interrupts.check()

            yield {
                **told,
                "folder": folder,
                "tell": partial(inform, dim=False),
                "report": display.row,
                "tick": tick,
            }
    except (KeyboardInterrupt, Stopped) as error:
        click.echo(f"{folder} has all that is done; the same command goes on from there", err=True)
        raise KeyboardInterrupt from error


def _show(found: ExperimentResult, form: str, plot: str | None = None) -> None:
    if plot is not None:
        found.draw(plot)
    click.echo(found.render(form, bold=bold_on(sys.stdout)), nl=False)
