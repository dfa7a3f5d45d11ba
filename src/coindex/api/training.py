"""Training a model and exporting it. The packages of the extra `train` are loaded when they are needed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..arguments import check_path
from ..corpora.files import read, read_annotated
from ..errors import CoindexError, MissingExtraError, quote

if TYPE_CHECKING:
    from ..training.cross.config import CrossConfig
    from ..training.neural.config import Config
    from ..training.neural.export import Agreement
    from ..training.run import Progress
    from ..training.ud.config import UdConfig

    Tick = Callable[[Progress], None]
    AnyConfig = TypeVar("AnyConfig", Config, CrossConfig, UdConfig)

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
    work = _prepared(config, changes or {}, None if data is None else Path(data))
    run = run_folder(config) if folder is None else Path(folder)
    from ..training.neural.loop import LOG
    from ..training.run import claimed

    with claimed(run), Log(run / LOG) as log:

        def both(row: dict[str, Any]) -> None:
            log.write(row)
            report(row)

        return work(run, read_annotated, both, tick=tick, restart=restart)


def _prepared(path: str | os.PathLike[str], changes: Mapping[str, Any], data: Path | None) -> Callable[..., Path]:
    """The training that a file asks for: of a model of single documents, with `kind = "cross"` of collections, with
    `kind = "ud"` of one over UD columns."""
    from ..training.neural.config import read_config, read_table

    base, table = Path(path).parent, read_table(Path(path))
    if table.get("kind") == "cross":
        from ..training.cross.config import locate_config, parse_config

        cross = change_config(parse_config(table, os.fspath(path)), changes)
        need_training("onnx", "onnxruntime", "sklearn")
        from ..training.cross.run import train_cross

        return partial(train_cross, locate_config(cross, base, data), shown=cross)
    if table.get("kind") == "ud":
        from ..training.ud.config import locate_config as locate_ud
        from ..training.ud.config import parse_config as parse_ud

        columns = change_config(parse_ud(table, os.fspath(path)), changes)
        need_training()
        from ..training.ud.run import train_ud

        return partial(train_ud, locate_ud(columns, base, data), shown=columns)
    single = change_config(read_config(os.fspath(path)), changes)
    need_training()
    from ..training.neural.loop import train as train_single

    return partial(train_single, locate(single, base, data), shown=single)


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


def locate(config: Config, base: Path, data: Path | None) -> Config:
    """The configuration with the paths at which its files are found."""

    def found(folder: Path, path: str | None) -> str | None:
        return None if path is None else str(folder / Path(path).expanduser())

    corpora = (
        replace(corpus, train=found(data or base, corpus.train), dev=found(data or base, corpus.dev))
        for corpus in config.corpora
    )
    encoder = base / Path(config.model.encoder).expanduser()
    model = replace(
        config.model,
        encoder=str(encoder) if encoder.is_dir() else config.model.encoder,  # else it is a name
        start=found(base, config.model.start),
        mean=tuple(str(base / Path(path).expanduser()) for path in config.model.mean),
    )
    distil = replace(
        config.distil,
        teachers=tuple(str(base / Path(path).expanduser()) for path in config.distil.teachers),
        labels=found(base, config.distil.labels),
    )
    return replace(config, corpora=tuple(corpora), model=model, distil=distil)


class Log:
    """A file of JSON lines that is added to. The end of a line that a kill cut short is removed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Log:
        try:
            if self.path.exists():
                with self.path.open("rb+") as stream:
                    stream.truncate(stream.read().rfind(b"\n") + 1)
        except OSError as error:
            raise self._failure(error) from error
        return self

    def __exit__(self, *error: object) -> None:
        """Every line is in the file already."""

    def write(self, row: Mapping[str, Any]) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            raise self._failure(error) from error

    def _failure(self, error: OSError) -> CoindexError:
        from ..training.run import WriteError, remedy

        return WriteError(f"{self.path}: cannot be written: {error.strerror or error}; {remedy(error)}")


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
        raise CoindexError(f"weights of {quote(str(weights))} bits; expected 8, 16 or 32; choose one")
    need_training("onnx", "onnxruntime")
    from ..training.neural.data import strip_columns
    from ..training.neural.export import export_model, sample_documents

    source = Path(model)
    target = source.with_name(source.resolve().name + "-onnx") if folder is None else Path(folder)
    docs = sample_documents() if check is None else [strip_columns(doc) for doc in read(Path(check))]
    own = None if encoder is None else os.fspath(encoder)
    found = export_model(source, target, bits=weights, encoder=own, check=docs, tick=tick)
    return target, found
