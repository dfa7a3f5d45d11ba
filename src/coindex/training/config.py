"""The common part of all training configurations: TOML files with bases, checks, and the settings that matter."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from ..errors import UnknownNameError
from ..settings import ConfigError, parse_section, read_toml

NAMED = Path(__file__).parent / "neural" / "configurations"
"""The folder of the configurations that other files can name as their base."""


class TrainingSettings(Protocol):
    """The settings of gradient descent that every kind of model has in its section `train`."""

    @property
    def epochs(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def clip(self) -> float: ...
    @property
    def average(self) -> float: ...
    @property
    def save_minutes(self) -> float: ...


class RunConfig:
    """The configuration of a run. Each kind of model has a frozen dataclass of its own."""

    __slots__ = ()

    irrelevant: ClassVar[Mapping[str, Collection[str] | None]] = {"train": ("threads", "save_minutes")}
    """Settings, by section, that may change while a run is interrupted; None for a whole section."""

    if TYPE_CHECKING:

        @property
        def name(self) -> str: ...
        @property
        def train(self) -> TrainingSettings: ...

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as it is kept in the model folder."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]  # all subclasses are dataclasses

    def settings(self) -> dict[str, Any]:
        """Return the values that differ from the defaults: a new option with a default does not change them."""
        return find_changed_settings(self)

    def relevant_settings(self) -> dict[str, Any]:
        """Return the settings without those that change nothing in what is learned."""
        settings = self.settings()
        for section, names in self.irrelevant.items():
            values = settings.get(section, {}) if names is not None else settings.pop(section, {})
            for table in values if isinstance(values, list) else [values]:
                for name in names or ():
                    table.pop(name, None)
        return {name: value for name, value in settings.items() if value != {}}

    def locate(self, base: Path, data: Path | None) -> Self:
        """Return the configuration with the paths where its files are: relative ones start at `base`, those of corpora
        at `data` if it is given."""
        raise NotImplementedError

    def corpus_paths(self) -> Iterator[tuple[str, str]]:
        """Yield the name of the corpus and the path of every file or folder that is read."""
        raise NotImplementedError


class SplitCorpus(Protocol):
    """A corpus with one path to train on and one to score."""

    @property
    def name(self) -> str: ...
    @property
    def train(self) -> str | None: ...
    @property
    def dev(self) -> str | None: ...


def split_paths(corpora: Iterable[SplitCorpus]) -> Iterator[tuple[str, str]]:
    """Yield the name of each corpus with each path that it has."""
    for corpus in corpora:
        yield from ((corpus.name, path) for path in (corpus.train, corpus.dev) if path is not None)


def locate_path(folder: Path, path: str | None) -> str | None:
    """Return a path that is relative to a folder; None stays None."""
    return None if path is None else str(folder / Path(path).expanduser())


def locate_encoder(base: Path, encoder: str) -> str:
    """Return the folder of an encoder if there is one; otherwise it is a name."""
    folder = base / Path(encoder).expanduser()
    return str(folder) if folder.is_dir() else encoder


def find_changed_settings(section: Any) -> dict[str, Any]:
    """Return the fields of a section that differ from their defaults."""
    values: dict[str, Any] = {}
    for field in fields(section):
        value = getattr(section, field.name)
        if is_dataclass(value):
            value = find_changed_settings(value)
        elif isinstance(value, tuple) and any(map(is_dataclass, value)):
            value = [find_changed_settings(item) for item in value]
        if value not in (field.default, {}):
            values[field.name] = value
    return values


def check_names(kind: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise an error for unknown names."""
    for name in names:
        if name not in known:
            raise UnknownNameError(kind, name, known)


def check_least(name: str, value: float, least: float) -> None:
    """Raise an error for a number that is too small."""
    if value < least:
        raise ConfigError(f"{name} must be at least {least}, not {value}; correct the value")


def find_configurations() -> dict[str, Path]:
    """Return the configurations that a file can name as its base."""
    return {path.stem: path for path in sorted(NAMED.glob("*.toml"))}


def read_table(path: Path) -> dict[str, Any]:
    """Return the keys of a TOML file and of its base."""
    data = read_toml(path)
    base = data.pop("base", None)
    if base is None:
        return data
    known = find_configurations()
    if str(base) not in known:
        raise UnknownNameError(f"base in {path}", str(base), known)
    return merge_tables(read_table(known[str(base)]), data)


def merge_tables(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return both together, table by table; a key of both has the value of the second."""
    result = dict(base)
    for key, value in over.items():
        below = result.get(key)
        is_table = isinstance(below, Mapping) and isinstance(value, Mapping)
        result[key] = merge_tables(below, value) if is_table else value  # type: ignore[arg-type]  # both are tables
    return result


@dataclass(frozen=True, slots=True)
class TrainingKind:
    """A kind of model that can be trained: `module:class` of its configuration and of its runs."""

    config: str
    run: str
    packages: tuple[str, ...] = ()
    """Packages that a run needs beside those that all kinds need."""

    def parse(self, table: Mapping[str, Any], place: str) -> RunConfig:
        """Return the configuration of a table; `place` is what errors call it."""
        config: RunConfig = parse_section(self.config_class(), table, place)
        return config

    def config_class(self) -> type[RunConfig]:
        """Return the class of its configurations."""
        cls: type[RunConfig] = _load(self.config)
        return cls

    def load_run(self) -> Any:
        """Return the class of its runs, a `run.TrainingRun`; loading it needs the packages of the extra `train`."""
        return _load(self.run)


def _load(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(import_module(f"{__package__}.{module}"), attribute)


TRAINING_KINDS = {
    "": TrainingKind("neural.config:Config", "neural.run:NeuralRun"),
    "cross": TrainingKind("cross.config:CrossConfig", "cross.run:CrossRun", ("onnx", "onnxruntime", "sklearn")),
    "ud": TrainingKind("ud.config:UdConfig", "ud.run:UdRun"),
}
"""The values of the key `kind`; a file without it is about a neural model of single documents."""


def read_run(path: str | Path) -> tuple[TrainingKind, RunConfig]:
    """Return the kind of run that a TOML file asks for, and its configuration."""
    table = read_table(Path(path))
    name = str(table.get("kind", ""))
    if name not in TRAINING_KINDS:
        raise UnknownNameError(f"kind in {path}", name, [kind for kind in TRAINING_KINDS if kind])
    kind = TRAINING_KINDS[name]
    return kind, kind.parse(table, str(path))
