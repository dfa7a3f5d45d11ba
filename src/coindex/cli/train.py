"""`coindex train`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .help import Command, Decorator, option
from .options import NameValue, json_option

if TYPE_CHECKING:
    from ..training.run import Progress


data_option: Decorator = option(
    "--data",
    type=click.Path(exists=True, file_okay=False),
    section="Training",
    help="Folder for relative paths of corpora (default: the folder of CONFIG).",
)
set_option: Decorator = option(
    "--set",
    "changes",
    type=NameValue(),
    multiple=True,
    section="Training",
    help="Override a value of CONFIG, such as train.epochs=3. Repeatable.",
)
threads_option: Decorator = option(
    "--threads",
    type=click.IntRange(min=1),
    section="Parallelism",
    help="CPU threads, same as --set train.threads=N.",
)


@click.command("train", cls=Command)
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@option(
    "-o",
    "--output",
    type=click.Path(file_okay=False),
    section="Output",
    help="Folder of the run (default: runs/ and the name of CONFIG).",
)
@data_option
@set_option
@option("--seed", type=int, section="Training", help="Random seed, same as --set train.seed=N.")
@threads_option
@option("--restart", is_flag=True, section="Output", help="Delete an earlier run in the folder and start from scratch.")
@json_option
def command(
    config: str,
    output: str | None,
    data: str | None,
    changes: tuple[tuple[str, str], ...],
    seed: int | None,
    threads: int | None,
    restart: bool,
    as_json: bool,
) -> None:
    """Train a model.

    CONFIG is a TOML file that names the corpora and the settings. The folder of the run gets the model folders best and
    last, log.jsonl and a checkpoint; run the same command again to continue an interrupted run. After each epoch the
    development data is scored as in 'coindex score'. Needs pip install 'coindex[train]'.

    \b
    Examples:
      coindex train en-small.toml -o runs/first --threads 2
      coindex train en-small.toml --data ~/corpora --set train.epochs=3
    """
    from ..api.training import run_folder, train
    from ..training.run import Stopped, WriteError
    from .training import Display, Interrupts

    values = parse_changes(changes, seed=seed, threads=threads)
    folder = run_folder(config) if output is None else Path(output)
    display = Display(as_json)
    try:
        with display, Interrupts() as interrupts:

            def tick(progress: Progress) -> None:
                display.tick(progress)
                interrupts.check()

            best = train(config, folder, data=data, changes=values, restart=restart, report=display.row, tick=tick)
    except (KeyboardInterrupt, Stopped) as error:
        _print_how_to_continue(folder)
        raise KeyboardInterrupt from error
    except WriteError:
        _print_how_to_continue(folder)
        raise
    if as_json:
        click.echo(json.dumps({"best": str(best)}))
    else:
        click.echo(_describe_next_step(best))


def parse_changes(changes: Iterable[tuple[str, str]], *, seed: int | None, threads: int | None) -> dict[str, Any]:
    """Return the values of --set, --seed and --threads by configuration key."""
    values: dict[str, Any] = {name: _parse_value(text) for name, text in changes}
    values |= {} if seed is None else {"train.seed": seed}
    return values | ({} if threads is None else {"train.threads": threads})


def _describe_next_step(best: Path) -> str:
    """Return what to do with the model; only neural models need an export."""
    if (best / "model.safetensors").exists():
        return f"best model: {best}; export it with: coindex export {best}"
    if (best / "weights.npz").exists():
        return f"model: {best}; use it with: coindex resolve FILES -r {best}"
    return f"model: {best}; use it with: coindex resolve FOLDER --cross -r {best}"


def _parse_value(text: str) -> Any:
    """Parse a TOML value; anything else is a string."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _print_how_to_continue(folder: Path) -> None:
    if any(folder.glob("*.pt")):
        click.echo(f"the last checkpoint is saved in {folder}; run the same command to continue", err=True)
    else:
        click.echo(f"nothing is saved in {folder} yet; the same command starts from scratch", err=True)
