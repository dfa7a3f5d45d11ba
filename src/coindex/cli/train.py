"""`coindex train`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import NameValue, json_option

if TYPE_CHECKING:
    from ..training.run import Progress


@click.command("train")
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False),
    help="The folder of the run; without it runs/ and the name of CONFIG.",
)
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False),
    help="Where relative paths of corpora begin, instead of at the folder of CONFIG.",
)
@click.option(
    "--set",
    "changes",
    type=NameValue(),
    multiple=True,
    help="Another value for a key of CONFIG, such as train.epochs=3; repeatable.",
)
@click.option("--seed", type=int, help="The same as --set train.seed=…")
@click.option("--threads", type=click.IntRange(min=1), help="The same as --set train.threads=…")
@click.option("--restart", is_flag=True, help="Begin anew: removes what an earlier run left in the folder.")
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
    """Train a model as the TOML file CONFIG says; needs pip install 'coindex[train]'.

    The folder of the run gets best and last, which are model folders, log.jsonl, and a checkpoint: the same command
    goes on where an interrupted run was. After each epoch dev is scored as `coindex score` does it.

    \b
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
        _tell_resume(folder)
        raise KeyboardInterrupt from error
    except WriteError:
        _tell_resume(folder)
        raise
    if as_json:
        click.echo(json.dumps({"best": str(best)}))
    else:
        click.echo(_next(best))


def parse_changes(changes: Iterable[tuple[str, str]], *, seed: int | None, threads: int | None) -> dict[str, Any]:
    """The values of --set, --seed and --threads by their keys."""
    values: dict[str, Any] = {name: _value(text) for name, text in changes}
    values |= {} if seed is None else {"train.seed": seed}
    return values | ({} if threads is None else {"train.threads": threads})


def _next(best: Path) -> str:
    """What to do with the model: one of cross-document coreference or over UD columns has what it needs already."""
    if (best / "model.safetensors").exists():
        return f"{best}: the best model; export it with: coindex export {best}"
    if (best / "weights.npz").exists():
        return f"{best}: the model; use it with: coindex resolve FILES -r {best}"
    return f"{best}: the model; use it with: coindex resolve FOLDER --cross -r {best}"


def _value(text: str) -> Any:
    """As TOML, or as the text that it is."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _tell_resume(folder: Path) -> None:
    if any(folder.glob("*.pt")):
        click.echo(f"{folder} has all up to the last checkpoint; the same command goes on from there", err=True)
    else:
        click.echo(f"nothing was saved in {folder} yet; the same command begins anew", err=True)
