"""How a model is used, as its description says it: tables with types. What is missing, odd or unknown is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from ...document.heads import Reduction
from ...errors import UnknownNameError, quote
from ...settings import ConfigError, parse_section
from .columns import COLUMNS
from .linking import Decoding
from .pairs import BASIC, FEATURES
from .tags import POP, PUSH

OLDER = {False: "no", True: "smaller"}
"""What older models say of reducing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeSettings:
    """What is done otherwise where the way of annotating of one corpus is followed."""

    name: str
    """That of the corpus."""
    candidates: int | None = None
    new_bias: float | None = None
    crowd: float | None = None
    mention_bias: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeSettings:
    """How the model was scored. Any other key is refused: with it the model would be used otherwise than it was scored.

    Keys that came later have a default, since older models do not say them.
    """

    window: int
    """The longest, in pieces."""
    candidates: int
    """The nearest so many mentions may be antecedents, and those anywhere before that look alike."""
    decoding: Decoding
    new_bias: float
    """Added to the score of beginning an entity."""
    min_mention: float
    """The least probability of a mention."""
    antecedents: int = 0
    """With linking by ranking: so many of them, by the coarse score, are scored finely; 0 for all."""
    crowd: float = 0.0
    """With decoding by entity: how much less large entities attract than the sum of their mentions would."""
    mention_bias: float = 0.0
    """How much more probable mentions are made than the model finds them: above 0 more are found, wrong ones too."""
    singletons: bool = True
    min_singleton: float = 0.0
    """The least probability of a mention that nothing is linked to; with scored spans most are none."""
    reduce: Literal["no", Reduction] = "no"
    """How mentions are reduced to their heads in the end: `document.heads.REDUCTIONS` has the ways."""
    english: bool = False
    """Whether English words may forbid links and settle heads: he and she, Mr. and Mrs., titles before names."""
    schemes: tuple[SchemeSettings, ...] = ()
    """What differs between corpora, by their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """What has to be known of the model's shape; the rest of it is for training."""

    features: tuple[str, ...] = BASIC
    columns: tuple[str, ...] = ()
    windows: Literal["packed", "sentence"] = "packed"
    right: int = 0
    linking: str = ""
    query: int = 0

    def __post_init__(self) -> None:
        for kind, names, known in (("feature", self.features, FEATURES), ("column", self.columns, COLUMNS)):
            for name in names:
                if name not in known:
                    raise UnknownNameError(f"{kind} in config.model", name, known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The names that the model knows."""

    tags: tuple[str, ...]
    corpora: tuple[str, ...]

    def __post_init__(self) -> None:
        commands = {command for tag in self.tags for command in tag.split(",")} - {"", PUSH}
        for command in sorted(commands):
            if not command.removeprefix(POP).isdecimal():
                raise ConfigError(f"labels: tags: {quote(command)}; expected {PUSH}, {POP}1, {POP}2 …; mend the tag")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The name that the model has."""

    name: str


def table_of(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The table of that name."""
    found = data.get(name)
    if not isinstance(found, Mapping):
        raise ConfigError(f"{name} is {type(found).__name__}; expected a table; mend it")
    return found


def some_of(kind: type[Any], data: Mapping[str, Any], place: str) -> Any:
    """A dataclass from a table that also has what others need."""
    return parse_section(kind, {one.name: data[one.name] for one in fields(kind) if one.name in data}, place)


def model_settings(config: Mapping[str, Any]) -> ModelSettings:
    """Those of a configuration."""
    settings: ModelSettings = some_of(ModelSettings, table_of({"model": {}, **config}, "model"), "config.model")
    return settings


def decode_settings(config: Mapping[str, Any], scheme: str | None = None) -> DecodeSettings:
    """Those of a configuration where that annotation scheme is followed."""
    settings: DecodeSettings = parse_section(DecodeSettings, renewed(table_of(config, "decode")), "config.decode")
    for own in settings.schemes:
        if own.name == scheme:
            said = {name: value for name, value in asdict(own).items() if name != "name" and value is not None}
            settings = replace(settings, **said)
    return settings


def renewed(decode: Mapping[str, Any]) -> dict[str, Any]:
    """The same in the words of today."""
    how = decode.get("reduce")
    return {**decode, "reduce": OLDER[how]} if isinstance(how, bool) else dict(decode)
