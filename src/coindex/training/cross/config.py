"""The configuration of a cross-document run: a TOML file with `kind = "cross"`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal

from ...document import Kind
from ...resolvers.cross.model import Windows
from ...settings import ConfigError
from ..config import RunConfig, check_least, locate_encoder
from ..neural.config import LEAST_WINDOW


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsConfig:
    """The scorer of mention pairs."""

    learn_from: Literal["best", "given", "found", "both"] = "best"
    """Mentions whose pairs are learned: `given`, `found` by taggers (needs `train.folds`), `both`, or the `best` of
    these on dev."""
    members: int = 3
    """Number of scorers with different random features; their logits are averaged."""
    negatives: float = 20.0
    """Number of non-coreferent pairs drawn per coreferent pair."""
    rounds: int = 100
    """Number of trees per scorer."""
    rate: float = 0.08
    """Learning rate of the trees."""
    leaves: int = 10
    """Largest number of leaves of a tree. Lower it for small corpora."""
    least: int = 80
    """Smallest number of pairs in a leaf. Raise it against overfitting."""
    smoothing: float = 5.0
    """L2 regularisation of the leaf values."""
    share: float = 0.5
    """Share of the features drawn at random for each split."""
    networks: int = 2
    """Number of small neural networks averaged with the trees; 0 for none."""
    hidden: int = 64
    """Size of the two hidden layers of these networks."""
    networks_of: tuple[Kind, ...] = ("event",)
    """Kinds of mentions whose pairs the networks score."""
    projection: int = 96
    """Size of a learned projection of the mention vectors; 0 for none."""
    parts: int = 3
    """Number of parts of the training topics for cross-fitting: the projection of a part is learned from the others."""
    second: int = 2
    """Number of second-stage scorers, which compare the most similar mentions of both sides; 0 for none."""
    meanings: tuple[Kind, ...] = ("event",)
    """Kinds of mentions whose heads are also compared by WordNet senses (English)."""
    seed: int = 1
    """Random seed."""

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
                raise ConfigError(f"pairs: {name} must be more than 0, not {getattr(self, name)}; correct the value")
        if self.share > 1:
            raise ConfigError(f"pairs: share must be at most 1, not {self.share}; correct the value")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusConfig:
    """A corpus with topics, as in ECB+. Topics in neither list are not read."""

    path: str
    """File or folder of the corpus."""
    train: tuple[str, ...]
    """Topics to train on."""
    dev: tuple[str, ...] = ()
    """Topics to score and to choose thresholds on."""
    sentences: str = ""
    """Value of the reader option `sentences`. With `context`, all sentences of ECB+ are read, and unannotated ones
    serve as context."""
    licence: str = ""
    """Licence of the data, stored in the model folder."""

    def __post_init__(self) -> None:
        both = [topic for topic in self.train if topic in self.dev]
        if both:
            raise ConfigError(f"corpus: topic {both[0]!r} is both in train and in dev; remove it from one of them")
        if not self.train:
            raise ConfigError("corpus: no topics to train on; list some in train")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggerConfig:
    """The mention tagger."""

    encoder: str
    """Hugging Face name or folder of a layered encoder such as BERT, RoBERTa or MPNet."""
    frozen: int = 3
    """Number of lowest layers that are not trained; they are shared with the plain encoder, which keeps the model
    small."""
    kinds: tuple[Kind, ...] = ("event", "entity")
    """Kinds of mentions to find."""
    apart: bool = False
    """Use separate upper layers for each kind. Better separation, larger model."""
    types: int = 0
    """Entity types with at least this many mentions get their own tags; 0 uses one tag for all types."""
    windows: Windows = "document"
    """Context of a word: its `sentence`, the `document` as far as it fits, or only `validated` sentences of the
    document."""
    window: int = 256
    """Largest window in word pieces."""
    dropout: float = 0.2
    """Dropout on word vectors."""
    encoder_dropout: float = 0.1
    """Dropout inside the encoder."""

    def __post_init__(self) -> None:
        check_least("model: frozen", self.frozen, 0)
        check_least("model: window", self.window, LEAST_WINDOW)
        if not self.kinds or len(set(self.kinds)) < len(self.kinds):
            raise ConfigError(f"model: kinds must be event, entity or both, not {list(self.kinds)}; correct the list")

    @property
    def branches(self) -> tuple[tuple[Kind, ...], ...]:
        """The kinds that share upper layers."""
        return tuple((kind,) for kind in self.kinds) if self.apart else (self.kinds,)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggerTraining:
    """How the tagger is trained."""

    epochs: int = 6
    """Number of epochs."""
    seed: int = 1
    """Random seed."""
    members: int = 1
    """Number of taggers trained from the same start; the mean of their weights is saved. You can raise it for a
    finished run."""
    folds: int = 0
    """Number of parts of the training topics, each tagged by a tagger that has not seen it; the pair scorer learns from
    these mentions. 0 for none."""
    threads: int = 1
    """Number of CPU threads."""
    batch: int = 8
    """Windows per step. Lower it to save memory."""
    encoder_rate: float = 1.2e-4
    """Peak learning rate of the encoder. Lower it for larger encoders or if training diverges."""
    head_rate: float = 1e-3
    """Peak learning rate of the layers above the encoder."""
    warmup: float = 0.1
    """Share of steps in which the learning rate rises; afterwards it falls linearly to 0."""
    weight_decay: float = 0.01
    """Weight decay of AdamW."""
    clip: float = 1.0
    """Largest norm of the gradient."""
    average: float = 0.99
    """Decay of the moving average of the weights, which is scored and saved; 0 turns averaging off."""
    smoothing: float = 0.1
    """Label smoothing of the tags."""
    bits: Literal[8, 16, 32] = 8
    """Bits per weight in the saved graphs. 16 and 32 are more precise and larger."""
    save_minutes: float = 5.0
    """Minutes between checkpoints."""

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("members", 1), ("batch", 1), ("threads", 1), ("folds", 0)):
            check_least(f"train: {name}", getattr(self, name), least)
        if self.folds == 1:
            raise ConfigError("train: folds cannot be 1; use 0 for none, or at least 2")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossConfig(RunConfig):
    """A training run of a cross-document model."""

    irrelevant: ClassVar[Mapping[str, Collection[str] | None]] = {
        "train": ("threads", "save_minutes", "bits", "folds", "members"),
        "pairs": None,
    }

    name: str
    """Name of the model."""
    model: TaggerConfig
    """The mention tagger."""
    corpus: CorpusConfig
    """The corpus."""
    kind: Literal["cross"] = "cross"
    """Selects cross-document training."""
    train: TaggerTraining = field(default_factory=TaggerTraining)
    """Training settings of the tagger."""
    pairs: PairsConfig = field(default_factory=PairsConfig)
    """Settings of the pair scorer."""

    def locate(self, base: Path, data: Path | None) -> CrossConfig:
        path = str((data or base) / Path(self.corpus.path).expanduser())
        model = replace(self.model, encoder=locate_encoder(base, self.model.encoder))
        return replace(self, corpus=replace(self.corpus, path=path), model=model)

    def corpus_paths(self) -> Iterator[tuple[str, str]]:
        yield Path(self.corpus.path).name, self.corpus.path
