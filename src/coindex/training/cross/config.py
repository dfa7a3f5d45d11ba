"""The configuration of a run for cross-document coreference: a TOML file that says `kind = "cross"`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ...document import Kind
from ...resolvers.cross.windows import Windows
from ...settings import ConfigError, parse_section
from ..config import LEAST_WINDOW, changed, check_least
from .pairs_config import PairsConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusConfig:
    """A corpus with topics, and which of them are for what; others are not looked at."""

    path: str
    train: tuple[str, ...]
    """Topics to train on."""
    dev: tuple[str, ...] = ()
    """Topics that are scored, and on which thresholds are chosen."""
    sentences: str = ""
    """The option `sentences` of the format, if it has one: with `context` ECB+ is read whole, and sentences that nobody
    annotated are context."""
    licence: str = ""
    """Of the data; kept with the model."""

    def __post_init__(self) -> None:
        both = [topic for topic in self.train if topic in self.dev]
        if both:
            raise ConfigError(f"corpus: topic {both[0]!r} is in train and in dev; expected it in one; take it out")
        if not self.train:
            raise ConfigError("corpus: no topics to train on; expected some in train; name them")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggerConfig:
    """The shape of the part that finds mentions."""

    encoder: str
    """A Hugging Face encoder of layers, such as BERT, RoBERTa or MPNet: a name or a folder."""
    frozen: int = 3
    """So many of the lowest layers stay as they are and are shared with the plain encoder; all of them for an encoder
    that is not tuned. Embeddings are never tuned."""
    kinds: tuple[Kind, ...] = ("event", "entity")
    """What is found."""
    apart: bool = False
    """Whether each kind has upper layers of its own."""
    types: int = 0
    """Types with so many mentions are tags of their own; 0 for one tag for all types."""
    windows: Windows = "document"
    """What a word sees: its sentence; as much of the document around it as fits in a window; or with `validated` only
    those of its sentences that mentions are looked for in."""
    window: int = 256
    """The most pieces of a window."""
    dropout: float = 0.2
    """On word vectors."""
    encoder_dropout: float = 0.1

    def __post_init__(self) -> None:
        check_least("model: frozen", self.frozen, 0)
        check_least("model: window", self.window, LEAST_WINDOW)
        if not self.kinds or len(set(self.kinds)) < len(self.kinds):
            raise ConfigError(f"model: kinds {list(self.kinds)}; expected event, entity or both; mend the list")

    @property
    def branches(self) -> tuple[tuple[Kind, ...], ...]:
        """The kinds that share upper layers."""
        return tuple((kind,) for kind in self.kinds) if self.apart else (self.kinds,)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggerTraining:
    """How it is trained."""

    epochs: int = 6
    seed: int = 1
    members: int = 1
    """So many taggers are trained from one beginning, in another order each; the mean of their weights is kept."""
    folds: int = 0
    """The training topics are parted so, and each part is tagged by a tagger that has not seen it: the mentions that
    pairs are learned on besides given ones. 0 for none."""
    threads: int = 1
    batch: int = 8
    """Windows of a step."""
    encoder_rate: float = 1.2e-4
    head_rate: float = 1e-3
    warmup: float = 0.1
    """The share of steps."""
    weight_decay: float = 0.01
    clip: float = 1.0
    average: float = 0.99
    """Decay of the moving average of the weights, which is what is scored and kept; 0 for none."""
    smoothing: float = 0.1
    """Of the tags."""
    bits: Literal[8, 16, 32] = 8
    """Of a weight in the graphs."""
    save_minutes: float = 5.0

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("members", 1), ("batch", 1), ("threads", 1), ("folds", 0)):
            check_least(f"train: {name}", getattr(self, name), least)
        if self.folds == 1:
            raise ConfigError("train: folds 1; expected 0 for none, or 2 and more; mend the value")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossConfig:
    """A whole run."""

    name: str
    model: TaggerConfig
    corpus: CorpusConfig
    kind: Literal["cross"] = "cross"
    train: TaggerTraining = field(default_factory=TaggerTraining)
    pairs: PairsConfig = field(default_factory=PairsConfig)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as it is kept in the model folder."""
        return asdict(self)

    def settings(self) -> dict[str, Any]:
        """The values that are not the defaults."""
        return changed(self)


def parse_config(table: Mapping[str, Any], place: str) -> CrossConfig:
    """The configuration of a table."""
    config: CrossConfig = parse_section(CrossConfig, table, place)
    return config


def locate_config(config: CrossConfig, base: Path, data: Path | None) -> CrossConfig:
    """The configuration with the paths at which its files are found."""
    encoder = base / Path(config.model.encoder).expanduser()
    path = (data or base) / Path(config.corpus.path).expanduser()
    return replace(
        config,
        corpus=replace(config.corpus, path=str(path)),
        model=replace(config.model, encoder=str(encoder)) if encoder.is_dir() else config.model,
    )
