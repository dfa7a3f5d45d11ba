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
    """A corpus with Universal Dependencies trees."""

    name: str
    """Name of the annotation style. Corpora with the same name share a style."""
    language: str
    """ISO 639-1 code of the language."""
    train: str | None = None
    """File or folder to train on."""
    dev: str | None = None
    """File or folder to score."""
    split: int = 0
    """For a single file: train on the first documents, up to this number, and score the rest; 0 turns splitting off."""
    weight: float = 1.0
    """How many times an epoch goes through the corpus; with a fraction, documents are drawn at random."""
    singletons: bool = False
    """Whether the corpus annotates singletons."""
    licence: str = ""
    """Licence of the data, stored in the model folder."""

    def __post_init__(self) -> None:
        if self.split and (self.dev is not None or self.train is None):
            raise ConfigError(f"corpus {self.name}: split needs train and excludes dev; remove split or dev")
        check_least(f"corpus {self.name}: weight", self.weight, 0)
        check_least(f"corpus {self.name}: split", self.split, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class UdModelConfig:
    """The network."""

    word: int = 96
    """Size of a word vector."""
    layers: int = 3
    """Number of steps that a word looks along the sentence and the tree."""
    mention: int = 128
    """Size of the hidden layer that scores mentions."""
    pair: int = 64
    """Size of the first hidden layer that scores pairs."""
    second: int = 32
    """Size of the second hidden layer that scores pairs."""
    query: int = 24
    """Size of the mention vectors whose product is part of a link score."""
    dropout: float = 0.3
    """Dropout in words and mentions. Raise it for small corpora."""
    pair_dropout: float = 0.1
    """Dropout in the pair layers."""
    label_dropout: float = 0.1
    """Share of word labels (tags, features, relations) dropped at random, because parsers make errors and treebanks
    differ."""
    style_dropout: float = 0.3
    """Share of documents trained without the name of their corpus, so that the model works for other corpora and
    languages."""
    new_bias: float = 0.0
    """Added to the score of starting a new entity. Below 0, more mentions are linked."""
    unknown_bias: float = 0.0
    """The same for documents without a known style. Choose it with `train.leave_out`."""
    min_linked: float = 0.05
    """Candidates whose probability of being linked is lower are dropped."""

    def __post_init__(self) -> None:
        for name in ("word", "layers", "mention", "pair", "second", "query"):
            check_least(f"model: {name}", getattr(self, name), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class UdTraining:
    """How the network is trained."""

    epochs: int = 10
    """Number of epochs."""
    seed: int = 1
    """Random seed of the first network."""
    members: int = 1
    """Number of networks with different seeds; their scores are averaged. You can raise it for a finished run."""
    threads: int = 1
    """Number of CPU threads."""
    words: int = 1200
    """Smallest number of words per step; short documents are combined."""
    rate: float = 2e-3
    """Peak learning rate. Lower it if training diverges."""
    warmup: float = 0.05
    """Share of steps in which the learning rate rises; afterwards it falls linearly to 0."""
    weight_decay: float = 0.01
    """Weight decay of AdamW."""
    clip: float = 1.0
    """Largest norm of the gradient."""
    average: float = 0.998
    """Decay of the moving average of the weights, which is scored and saved."""
    mention_weight: float = 0.5
    """Weight of the mention loss relative to the link loss."""
    leave_out: tuple[str, ...] = ()
    """Languages that are scored but not trained on, to measure transfer to new languages."""
    labels: int = 5
    """Smallest frequency of a word label; rarer labels are ignored."""
    score_every: int = 1
    """Number of epochs between two scorings of dev."""
    save_minutes: float = 5.0
    """Minutes between checkpoints."""

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
    """A training run of a model over Universal Dependencies trees."""

    irrelevant: ClassVar[Mapping[str, Collection[str] | None]] = {"train": ("threads", "save_minutes", "members")}

    name: str
    """Name of the model."""
    corpora: tuple[UdCorpusConfig, ...]
    """Corpora to train on and to score."""
    kind: Literal["ud"] = "ud"
    """Selects training over trees."""
    model: UdModelConfig = field(default_factory=UdModelConfig)
    """Sizes of the network."""
    train: UdTraining = field(default_factory=UdTraining)
    """Training settings."""

    def __post_init__(self) -> None:
        if not any(corpus.train and corpus.language not in self.train.leave_out for corpus in self.corpora):
            raise ConfigError("corpora: no corpus to train on; add a corpus with the key train")

    def locate(self, base: Path, data: Path | None) -> UdConfig:
        folder = data or base
        corpora = tuple(
            replace(corpus, train=locate_path(folder, corpus.train), dev=locate_path(folder, corpus.dev))
            for corpus in self.corpora
        )
        return replace(self, corpora=corpora)

    def corpus_paths(self) -> Iterator[tuple[str, str]]:
        return split_paths(self.corpora)
