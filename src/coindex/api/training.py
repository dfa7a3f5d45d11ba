"""Training a model and exporting it. The packages of the extra `train` are loaded when they are needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..arguments import check_path
from ..corpora.files import read, read_annotated
from ..errors import CoindexError, MissingExtraError, quote

if TYPE_CHECKING:
    from ..training.config import RunConfig
    from ..training.neural.export import Agreement
    from ..training.run import Progress

    Tick = Callable[[Progress], None]
    AnyConfig = TypeVar("AnyConfig", bound=RunConfig)

PACKAGES = ("torch", "transformers", "tokenizers", "safetensors", "filelock")


def need_training(*more: str) -> None:
    """Refuse at once, and not after minutes of reading, where a package is missing."""
    for name in (*PACKAGES, *more):
        try:
            import_module(name)
        except ImportError as error:
            raise MissingExtraError(name, "train") from error


def train(
    config: str | os.PathLike[str],
    folder: str | os.PathLike[str] | None = None,
    *,
    data: str | os.PathLike[str] | None = None,
    changes: Mapping[str, Any] | None = None,
    restart: bool = False,
    report: Callable[[dict[str, Any]], None] = lambda row: None,
    tick: Tick = lambda progress: None,
) -> Path:
    """Train a model as a TOML file says, and give the folder of the best one; it needs `coindex[train]`.

    `folder` is that of the run, without it `runs/` and the name of the file. A run that was interrupted there goes on
    where it was, or begins anew with `restart`. Relative paths in the file begin at its own folder, those of corpora at
    `data` if that is given. `changes` are other values for keys: {"train.epochs": 3}. `report` gets the rows that
    log.jsonl in the folder gets, `tick` every step.
    """
    check_path(config, "config")
    from ..training.config import read_run

    kind, written = read_run(os.fspath(config))
    shown = change_config(written, changes or {})
    need_training(*kind.packages)
    run = run_folder(config) if folder is None else Path(folder)
    located = shown.locate(Path(config).parent, None if data is None else Path(data))
    from ..training.run import LOG, Log, lock_folder

    with lock_folder(run), Log(run / LOG) as log:

        def write_row(row: dict[str, Any]) -> None:
            log.write(row)
            report(row)

        training = kind.load_run()
        best: Path = training.train(located, run, read_annotated, write_row, shown=shown, tick=tick, restart=restart)
        return best


def run_folder(config: str | os.PathLike[str]) -> Path:
    """Where a run goes if nobody says it."""
    return Path("runs") / Path(config).stem


def change_config(config: AnyConfig, changes: Mapping[str, Any]) -> AnyConfig:
    """The configuration with other values, each checked as if it stood in the file."""
    from ..settings import ConfigError, parse_section

    if not changes:
        return config
    values = config.to_dict()
    for key, value in changes.items():
        section, dot, name = key.rpartition(".")
        table = values.get(section) if dot else values
        if not isinstance(table, dict) or key == "corpora":
            known = [one for one, found in values.items() if isinstance(found, dict)]
            raise ConfigError(f"{key}: no key of {' or '.join(known)}; expected for example train.epochs; mend the key")
        table[name] = value
    changed: AnyConfig = parse_section(type(config), values, "changes")
    return changed


def export(
    model: str | os.PathLike[str],
    folder: str | os.PathLike[str] | None = None,
    *,
    weights: int = 8,
    encoder: str | os.PathLike[str] | None = None,
    check: str | os.PathLike[str] | None = None,
    tick: Callable[[int], None] = lambda document: None,
) -> tuple[Path, Agreement]:
    """Write a trained model as ONNX graphs, which need no torch, and check that both find the same entities.

    `folder` is without it that of the model with `-onnx` at its end. `weights` are stored in 8, 16 or 32 bits; all
    computing is in 32. A model that has only adapters needs its `encoder`: a name or folder, without it the one that it
    was trained on. Both are compared on the documents of the corpus `check`, or on texts that are built in; a
    difference is an error, and then nothing is written.
    """
    check_path(model, "model")
    if weights not in (8, 16, 32):
        raise CoindexError(
            f"weights of {quote(str(weights))} bits; expected 8, 16 or 32; choose one", code="invalid-option"
        )
    need_training("onnx", "onnxruntime")
    from ..training.neural.data import strip_columns
    from ..training.neural.export import export_model, sample_documents

    source = Path(model)
    target = source.with_name(source.resolve().name + "-onnx") if folder is None else Path(folder)
    docs = sample_documents() if check is None else [strip_columns(doc) for doc in read(Path(check))]
    own = None if encoder is None else os.fspath(encoder)
    found = export_model(source, target, bits=weights, encoder=own, check=docs, tick=tick)
    return target, found
