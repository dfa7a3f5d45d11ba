"""The configuration of a training run: one TOML file, whose keys are the fields below; any other key is refused."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

from ..errors import CoindexError, UnknownNameError
from ..resolvers.neural.pairs import BASIC


class ConfigError(CoindexError):
    """A configuration that cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusConfig:
    """A corpus to train on, or to score after each epoch."""

    name: str
    """Names the annotation scheme; corpora of one name share it."""
    train: str | None = None
    dev: str | None = None
    share: float = 1.0
    """The share of its documents that an epoch goes through, drawn anew each time."""
    words: int = 1200
    """Longer documents are trained on in stretches of so many words, drawn anew each time; 0 for whole documents."""
    match: str = "head"
    """How dev is scored."""
    singletons: bool = False
    """Whether singletons count when dev is scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """The shape of a model."""

    encoder: str
    """A Hugging Face encoder: a name or a folder."""
    mention: int = 512
    """Size of a mention's vector."""
    query: int = 256
    """Size of the vectors whose product scores a link."""
    pair: int = 128
    """Size of the hidden layer that scores a pair."""
    tag_hidden: int = 768
    features: tuple[str, ...] = BASIC
    """What is known of a pair of mentions: names of `resolvers.neural.pairs.FEATURES`, kinds and match among them."""
    start: str | None = None
    """A model folder whose weights are the first ones; what it does not have begins as if untrained."""
    dropout: float = 0.3
    """In the heads."""
    word_dropout: float = 0.1
    """On word vectors."""
    encoder_dropout: float = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """How a model is trained."""

    epochs: int = 10
    seed: int = 1
    threads: int = 1
    encoder_rate: float = 1.2e-4
    head_rate: float = 8e-4
    layer_decay: float = 1.0
    """The rate of each layer below the top is this times that of the one above."""
    warmup: int = 100
    """Steps."""
    weight_decay: float = 0.01
    clip: float = 1.0
    average: float = 0.997
    """Decay of the moving average of the weights, which is what is scored and kept; 0 for none."""
    window: tuple[int, int] = (220, 510)
    """The longest window, in pieces, is drawn from this range for each document."""
    tag_smoothing: float = 0.05
    tag_weight: float = 1.0
    link_weight: float = 1.0
    head_weight: float = 0.2
    mention_weight: float = 0.2
    predicted: float = 0.5
    """The share of documents whose links are trained on mentions drawn from the model, wrong ones among them."""
    predicted_after: int = 150
    """Steps before that begins."""
    temperature: float = 1.0
    """Of that drawing."""
    no_corpus: float = 0.1
    """The share of documents trained without the name of their corpus."""
    no_speakers: float = 0.15
    """The share of documents trained without speakers."""
    save_minutes: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeConfig:
    """How the model is used when dev is scored, and by default afterwards."""

    window: int = 256
    candidates: int = 150
    decoding: str = "entity"
    new_bias: float = 0.0
    min_mention: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A whole run."""

    name: str
    model: ModelConfig
    corpora: tuple[CorpusConfig, ...]
    train: TrainConfig = field(default_factory=TrainConfig)
    decode: DecodeConfig = field(default_factory=DecodeConfig)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as it is kept in the model folder."""
        return asdict(self)

    def settings(self) -> dict[str, Any]:
        """The values that are not the defaults: two runs that agree in these are alike, though options be added."""
        return changed(self)


def changed(section: Any) -> dict[str, Any]:
    """The fields of a section that differ from their defaults."""
    values: dict[str, Any] = {}
    for one in fields(section):
        value = getattr(section, one.name)
        if is_dataclass(value):
            value = changed(value)
        elif isinstance(value, tuple) and any(map(is_dataclass, value)):
            value = [changed(item) for item in value]
        if value not in (one.default, {}):
            values[one.name] = value
    return values


def read_config(path: str | Path) -> Config:
    """The configuration in a TOML file."""
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; expected a TOML file; check the path") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}; expected TOML; mend the file") from error
    config: Config = parse_section(Config, data, str(path))
    return config


def parse_section(kind: type[Any], data: Mapping[str, Any], place: str) -> Any:
    """A dataclass from a table; every key must be one of its fields and of its type."""
    hints = get_type_hints(kind)
    known = {one.name: one for one in fields(kind)}
    for key in data:
        if key not in known:
            raise UnknownNameError(f"key in {place}", key, known)
    values = {}
    for name, one in known.items():
        if name in data:
            values[name] = _value(hints[name], data[name], f"{place}: {name}")
        elif one.default is MISSING and one.default_factory is MISSING:
            raise ConfigError(f"{place}: nothing for {name!r}; expected a value; add the key")
    return kind(**values)


def _value(hint: Any, value: Any, place: str) -> Any:
    if is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, Mapping):
            raise ConfigError(f"{place}: {value!r}; expected a table; write it as [{place.rpartition(' ')[2]}]")
        return parse_section(hint, value, place)
    inner: tuple[Any, ...] = getattr(hint, "__args__", ())
    if isinstance(value, list | tuple):
        kinds = [inner[0]] * len(value) if len(inner) == 2 and inner[1] is ... else list(inner)
        if getattr(hint, "__origin__", None) is not tuple or len(kinds) != len(value):
            raise ConfigError(f"{place}: {value!r}; expected {hint}; mend the value")
        return tuple(_value(one, item, place) for one, item in zip(kinds, value, strict=True))
    allowed = tuple(one for one in (inner or (hint,)) if isinstance(one, type))
    if float in allowed and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        names = " or ".join(one.__name__ for one in allowed)
        raise ConfigError(f"{place}: {value!r}; expected {names}; mend the value")
    return value
