"""The configuration of a cross-document run: a TOML file with `kind = "cross"`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal

from ...document import Kind
from ...resolvers.cross.windows import Windows
from ...settings import ConfigError
from ..config import RunConfig, check_least, locate_encoder
from ..neural.config import LEAST_WINDOW


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsConfig:
    """How trees learn which pairs of mentions mean the same."""

    learn_from: Literal["best", "given", "found", "both"] = "best"
    """The mentions whose pairs are learned from; `best` for what is best on the development topics. Without found ones
    all learn from given ones."""
    members: int = 3
    """So many scorers are trained, each with features drawn anew; the mean of their logits is kept."""
    negatives: float = 20.0
    """So many unlike pairs for each pair that means the same are drawn."""
    rounds: int = 100
    """Trees of each scorer."""
    rate: float = 0.08
    leaves: int = 10
    """The most leaves of a tree."""
    least: int = 80
    """The least number of pairs of a leaf."""
    smoothing: float = 5.0
    """How strongly the values of leaves are drawn towards nothing."""
    share: float = 0.5
    """Of the features, drawn anew for each split."""
    networks: int = 2
    """So many small networks score pairs beside the trees; the mean of both counts. 0 for none."""
    hidden: int = 64
    """The size of their two hidden layers."""
    networks_of: tuple[Kind, ...] = ("event",)
    """The kinds of mentions whose pairs they score."""
    projection: int = 96
    """The size of a learned projection of the vectors; 0 for none."""
    parts: int = 3
    """The training topics are parted so: the projection that a part is trained with is learned from the others."""
    second: int = 2
    """So many scorers of the second stage, which compares the neighbours of both mentions; 0 for none."""
    meanings: tuple[Kind, ...] = ("event",)
    """The kinds of mentions whose words are compared by what they can mean in English, too."""
    seed: int = 1

    def __post_init__(self) -> None:
        for name, least in (
            ("members", 1),
            ("rounds", 1),
            ("leaves", 2),
            ("least", 1),
            ("networks", 0),
            ("hidden", 1),
            ("projection", 0),
            ("second", 0),
            ("parts", 2),
        ):
            check_least(f"pairs: {name}", getattr(self, name), least)
        for name in ("negatives", "rate", "share"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"pairs: {name} {getattr(self, name)}; expected more than 0; mend the value")
        if self.share > 1:
            raise ConfigError(f"pairs: share {self.share}; expected at most 1; mend the value")


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
class CrossConfig(RunConfig):
    """A whole run."""

    irrelevant: ClassVar[Mapping[str, Collection[str] | None]] = {
        "train": ("threads", "save_minutes", "bits", "folds", "members"),
        "pairs": None,
    }

    name: str
    model: TaggerConfig
    corpus: CorpusConfig
    kind: Literal["cross"] = "cross"
    train: TaggerTraining = field(default_factory=TaggerTraining)
    pairs: PairsConfig = field(default_factory=PairsConfig)

    def locate(self, base: Path, data: Path | None) -> CrossConfig:
        path = str((data or base) / Path(self.corpus.path).expanduser())
        model = replace(self.model, encoder=locate_encoder(base, self.model.encoder))
        return replace(self, corpus=replace(self.corpus, path=path), model=model)

    def corpus_paths(self) -> Iterator[tuple[str, str]]:
        yield Path(self.corpus.path).name, self.corpus.path
