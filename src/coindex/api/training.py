"""Train and export models. The packages of the extra `train` are imported when they are needed."""

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
    """Raise an error if a package for training is missing, before minutes are spent on reading corpora."""
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
    """Train a model as described in a TOML file. Needs `coindex[train]`.

    An interrupted run in the same folder is continued.

    Parameters:

    - `config`: the TOML file. Relative paths in it start at the folder of the file.
    - `folder`: the folder of the run (default: `runs/` and the name of the TOML file).
    - `data`: the folder at which relative paths of corpora start (default: the folder of the TOML file).
    - `changes`: values that override those of the file, such as `{"train.epochs": 3}`.
    - `restart`: start from scratch instead of continuing an earlier run.
    - `report`: called with each row that is written to `log.jsonl` in the folder.
    - `tick`: called after each step.

    Returns the folder of the best model.
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
    """Return the default folder of a run."""
    return Path("runs") / Path(config).stem


def change_config(config: AnyConfig, changes: Mapping[str, Any]) -> AnyConfig:
    """Return the configuration with other values, which are checked like those of the file."""
    from ..settings import ConfigError, parse_section

    if not changes:
        return config
    values = config.to_dict()
    for key, value in changes.items():
        section, dot, name = key.rpartition(".")
        table = values.get(section) if dot else values
        if not isinstance(table, dict) or key == "corpora":
            sections = [name for name, entry in values.items() if isinstance(entry, dict)]
            raise ConfigError(
                f"unknown key {key}; use SECTION.KEY, for example train.epochs, with one of the sections "
                f"{', '.join(sections)}"
            )
        table[name] = value
    changed: AnyConfig = parse_section(type(config), values, "changes")
    return changed


def export(
    model: str | os.PathLike[str],
    folder: str | os.PathLike[str] | None = None,
    *,
    weights: int = 8,
    table: int = 8,
    encoder: str | os.PathLike[str] | None = None,
    check: str | os.PathLike[str] | None = None,
    tick: Callable[[int], None] = lambda document: None,
) -> tuple[Path, Agreement]:
    """Export a trained model to ONNX, so that it runs without torch.

    The exported model is compared with the original. If they find different entities, an error is raised and nothing
    is written.

    Parameters:

    - `model`: the folder of the trained model.
    - `folder`: the folder to write (default: the folder of the model with `-onnx` appended).
    - `weights`: the number of bits in which weights are stored: 4, 8, 16 or 32. With 4, the layers of the encoder have
      4 bits and the rest has 8, and products with them round their inputs to 8 bits. Otherwise, computation uses 32
      bits.
    - `table`: the number of bits of the table of word pieces, 4 or 8, if `weights` is 4 or 8.
    - `encoder`: the encoder of a model that consists of adapters only, as a name or folder (default: the one that the
      model was trained on).
    - `check`: a corpus to compare both models on (default: built-in texts).
    - `tick`: called with the number of each document that is compared.

    Returns the folder of the exported model, and how well both models agree.
    """
    check_path(model, "model")
    if weights not in (4, 8, 16, 32):
        raise CoindexError(
            f"weights cannot be stored in {quote(str(weights))} bits; choose 4, 8, 16 or 32", code="invalid-option"
        )
    if table not in (4, 8):
        raise CoindexError(
            f"the table cannot be stored in {quote(str(table))} bits; choose 4 or 8", code="invalid-option"
        )
    need_training("onnx", "onnxruntime")
    from ..training.neural.data import strip_columns
    from ..training.neural.export import export_model, sample_documents

    source = Path(model)
    target = source.with_name(source.resolve().name + "-onnx") if folder is None else Path(folder)
    docs = sample_documents() if check is None else [strip_columns(doc) for doc in read(Path(check))]
    encoder_name = None if encoder is None else os.fspath(encoder)
    agreement = export_model(
        source, target, bits=weights, table_bits=table, encoder=encoder_name, check=docs, tick=tick
    )
    return target, agreement
