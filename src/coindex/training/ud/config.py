"""The configuration of a run for a resolver over UD columns: a TOML file that says `kind = "ud"`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal

from ...settings import ConfigError
from ..config import RunConfig, check_least, locate_path, split_paths


@dataclass(frozen=True, slots=True, kw_only=True)
class UdCorpusConfig:
    """A corpus with trees. Its name is that of the annotation style; corpora of one name share it."""

    name: str
    language: str
    """ISO 639-1."""
    train: str | None = None
    dev: str | None = None
    split: int = 0
    """Where there is one file: the first so many documents are trained on, the others are dev."""
    weight: float = 1.0
    """How often an epoch goes through it; a part of its documents is drawn anew each time."""
    singletons: bool = False
    """Whether it annotates mentions that nothing else refers to."""
    licence: str = ""
    """Of the data; kept with the model."""

    def __post_init__(self) -> None:
        if self.split and (self.dev is not None or self.train is None):
            raise ConfigError(f"corpus {self.name}: split beside dev; expected one file to split; take one away")
        check_least(f"corpus {self.name}: weight", self.weight, 0)
        check_least(f"corpus {self.name}: split", self.split, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class UdModelConfig:
    """The sizes of the network."""

    word: int = 96
    """Of the vector of a word."""
    layers: int = 3
    """How many steps a word looks along the sentence and the tree."""
    mention: int = 128
    pair: int = 64
    second: int = 32
    """Of the hidden layers of mentions and pairs, and of the second one of pairs."""
    query: int = 24
    """Of the vectors of two mentions whose product is part of the score of their link."""
    dropout: float = 0.3
    pair_dropout: float = 0.1
    label_dropout: float = 0.1
    """Labels of words are left out at random: parsers err, and treebanks differ."""
    style_dropout: float = 0.3
    """How often the model is not told which corpus a document is from, so that it works for others."""
    new_bias: float = 0.0
    """Added to the score of beginning an entity when entities are made."""
    unknown_bias: float = 0.0
    """The same for documents of no known style; languages that are left out tell what is best."""
    min_linked: float = 0.05
    """Candidates less probable than this to share an entity are passed over."""

    def __post_init__(self) -> None:
        for name in ("word", "layers", "mention", "pair", "second", "query"):
            check_least(f"model: {name}", getattr(self, name), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class UdTraining:
    """How it is trained."""

    epochs: int = 10
    seed: int = 1
    members: int = 1
    """So many networks are trained, each with a seed of its own; their scores are averaged."""
    threads: int = 1
    words: int = 1200
    """Of a step, at least: short documents are put together."""
    rate: float = 2e-3
    warmup: float = 0.05
    """The share of steps."""
    weight_decay: float = 0.01
    clip: float = 1.0
    average: float = 0.998
    """Decay of the moving average of the weights, which is what is scored and kept."""
    mention_weight: float = 0.5
    """Of the loss of mentions beside that of links."""
    leave_out: tuple[str, ...] = ()
    """Languages that are scored and not trained on."""
    labels: int = 5
    """Labels of words that occur less often are not learned."""
    score_every: int = 1
    """Epochs between two scores of dev."""
    save_minutes: float = 5.0

    def __post_init__(self) -> None:
        for name, least in (
            ("epochs", 1),
            ("members", 1),
            ("threads", 1),
            ("words", 1),
            ("score_every", 1),
            ("labels", 1),
        ):
            check_least(f"train: {name}", getattr(self, name), least)


@dataclass(frozen=True, slots=True, kw_only=True)
class UdConfig(RunConfig):
    """A whole run."""

    irrelevant: ClassVar[Mapping[str, Collection[str] | None]] = {"train": ("threads", "save_minutes", "members")}

    name: str
    corpora: tuple[UdCorpusConfig, ...]
    kind: Literal["ud"] = "ud"
    model: UdModelConfig = field(default_factory=UdModelConfig)
    train: UdTraining = field(default_factory=UdTraining)

    def __post_init__(self) -> None:
        if not any(corpus.train and corpus.language not in self.train.leave_out for corpus in self.corpora):
            raise ConfigError("corpora: none to train on; expected one with the key train; add it")

    def locate(self, base: Path, data: Path | None) -> UdConfig:
        folder = data or base
        corpora = tuple(
            replace(corpus, train=locate_path(folder, corpus.train), dev=locate_path(folder, corpus.dev))
            for corpus in self.corpora
        )
        return replace(self, corpora=corpora)

    def corpus_paths(self) -> Iterator[tuple[str, str]]:
        return split_paths(self.corpora)
