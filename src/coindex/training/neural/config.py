"""The configuration of a training run: one TOML file, whose keys are the fields below; any other key is refused.

A file may begin with `base = "corpipe"`: it then has what that named configuration says, and what it says itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import ClassVar, Literal

from ...resolvers.neural.folder import DecodeSettings
from ...resolvers.neural.linking import Decoding
from ...resolvers.neural.pairs import BASIC, FEATURES, coarse_size
from ...resolvers.neural.windows import Context
from ...resolvers.neural.words import COLUMNS, MAX_PIECES
from ...settings import ConfigError, parse_section
from ..config import RunConfig, check_least, check_names, locate_encoder, locate_path, read_table, split_paths

Detection = Literal["tags", "spans", "start-end"]
Linking = Literal["attention", "ranking", "start-end"]
Sampling = Literal["share", "size", "log"]


LEAST_WINDOW = MAX_PIECES + 4
"""In pieces: room for the longest word and the marks."""


BOUNDS: dict[str, Callable[[float], bool]] = {
    "at least 1": lambda value: value >= 1,
    "at least 0": lambda value: value >= 0,
    "more than 0": lambda value: value > 0,
    "0 to 1": lambda value: 0 <= value <= 1,
    "at least 0 and less than 1": lambda value: 0 <= value < 1,
}
RANGES = (
    ("model", "at least 1", "mention query pair tag_hidden span_width"),
    ("model", "at least 0", "right adapter frozen hints"),
    ("model", "more than 0", "span_ratio"),
    ("model", "at least 0 and less than 1", "dropout word_dropout encoder_dropout"),
    ("train", "at least 1", "threads"),
    ("train", "at least 0", "epochs seed words warmup predicted_after temperature layer_decay weight_decay"),
    ("train", "at least 0", "tag_weight link_weight head_weight mention_weight lesson_weight"),
    ("train", "more than 0", "encoder_rate head_rate clip"),
    ("train", "0 to 1", "hidden renamed predicted no_corpus no_speakers no_columns tag_smoothing"),
    ("train", "at least 0 and less than 1", "average"),
    ("corpora", "more than 0", "share"),
    ("corpora", "at least 0", "words"),
    ("decode", "at least 1", "candidates"),
    ("decode", "at least 0", "antecedents"),
    ("decode.schemes", "at least 1", "candidates"),
    ("distil", "0 to 1", "tag_weight share"),
    ("distil", "at least 0", "hint_weight"),
)
"""The numbers that make sense: others would be told of late, by whatever breaks on them, or never."""


def check_ranges(config: Config) -> None:
    """Refuse numbers that make no sense."""
    for section, expected, names in RANGES:
        values = attrgetter(section)(config)
        for table in values if isinstance(values, tuple) else (values,):
            for name in names.split():
                value = getattr(table, name)
                if value is not None and not BOUNDS[expected](value):
                    owner = f" of {table.name}" if isinstance(values, tuple) else ""
                    raise ConfigError(f"{section}: {name} {value}{owner}; expected {expected}; mend the value")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusConfig:
    """A corpus to train on, or to score after each epoch."""

    name: str
    """Names the annotation scheme; corpora of one name share it."""
    train: str | None = None
    dev: str | None = None
    share: float = 1.0
    """The share of its documents that an epoch goes through, drawn anew each time."""
    words: int | None = None
    """Longer documents are trained on in stretches of so many words, drawn anew each time; 0 for whole documents.
    Where nothing is said, `train.words` holds."""
    unlabelled: bool = False
    """Whether its own entities, if it has any, are passed over: only what the teachers say of it is learned."""
    match: str = "head"
    """How dev is scored."""
    singletons: bool = False
    """Whether singletons count when dev is scored."""
    licence: str = ""
    """Of the data; kept with the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """The shape of a model."""

    encoder: str
    """A Hugging Face encoder, or the encoder half of a T5: a name or a folder."""
    detection: Detection = "tags"
    """How mentions are found: by stack tags of words; by scores of spans as vectors; by scores of their ends alone."""
    span_width: int = 30
    """The most words of a span that is scored."""
    span_ratio: float = 0.4
    """So many of the scored spans are kept, times the words."""
    linking: Linking = "attention"
    """How links are scored: by attention and features of the pair; coarse to fine on the best; by the ends alone."""
    windows: Literal["packed", "sentence"] = "packed"
    """Sentences share windows, or each has one with the text around it."""
    right: int = 50
    """Pieces of context after a sentence that has a window of its own; before it is what fills the window."""
    spans: Literal["whole", "heads"] = "whole"
    """What is learned: whole mentions, or their heads alone."""
    singletons: bool = True
    """Whether mentions that nothing else refers to are learned."""
    corpus_id: bool = True
    """Whether the model is told which corpus a text is from."""
    columns: tuple[str, ...] = ()
    """UD columns that are features of words where the input has them: names of `resolvers.neural.columns.COLUMNS`."""
    mention: int = 512
    """Size of a mention's vector."""
    query: int = 256
    """Size of the vectors whose product scores a link."""
    pair: int = 128
    """Size of the hidden layer that scores a pair."""
    tag_hidden: int = 768
    features: tuple[str, ...] = BASIC
    """What is known of a pair of mentions: names of `resolvers.neural.pairs.FEATURES`; mentions know their kinds only
    where `kinds` is among them."""
    start: str | None = None
    """A model folder whose weights are the first ones; what it does not have begins as if untrained."""
    mean: tuple[str, ...] = ()
    """More such folders, trained from one beginning: the first weights are the mean of all. With `train.epochs` 0 that
    is scored and kept as it is."""
    dropout: float = 0.3
    """In the heads."""
    word_dropout: float = 0.1
    """On word vectors."""
    encoder_dropout: float = 0.1
    adapter: int = 0
    """The rank of the adapters in the upper layers of an encoder that else stays as it is; 0 to train all of it."""
    frozen: int = 0
    """With adapters: so many of the lowest layers have none."""
    syntax: bool = False
    """Whether the encoder also learns the trees of corpora that have some; only training knows of it."""
    hints: int = 0
    """The size of the first teacher's word vectors, which words then also learn to tell; 0 for none."""
    types: tuple[str, ...] = ()
    """Types of entities that mentions also learn to tell where a corpus has them; only training knows of it."""

    def __post_init__(self) -> None:
        check_names("feature of a pair", self.features, FEATURES)
        check_names("column of words", self.columns, COLUMNS)
        if self.mean and self.start is None:
            raise ConfigError("model: mean without start; expected two folders at least; name one of them as start")

    def context(self, limit: int) -> Context | None:
        """What stands around a sentence in a window of so many pieces; None where sentences share windows."""
        return Context(limit, self.right) if self.windows == "sentence" else None

    @property
    def coarse(self) -> int:
        """How many columns of queries and keys have the coarse score as their product."""
        return coarse_size(self.linking, self.query)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """How a model is trained."""

    epochs: int = 10
    """0 to keep the first weights, which `model.start` says."""
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
    words: int = 1200
    """The stretches of long documents, for corpora that do not say."""
    window: tuple[int, int] = (220, 510)
    """The longest window, in pieces, is drawn from this range for each document."""
    tag_smoothing: float = 0.05
    tag_weight: float = 1.0
    link_weight: float = 1.0
    head_weight: float = 0.2
    mention_weight: float = 0.2
    lesson_weight: float = 0.3
    """Of what `model.syntax` and `model.types` ask for."""
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
    hidden: float = 0.0
    """The share of words that are hidden from the encoder in each step, so that it cannot learn documents by heart."""
    renamed: float = 0.0
    """The share of annotated documents whose names are exchanged for those of others that are used alike."""
    no_columns: float = 0.3
    """The share of documents trained without UD columns, if the model uses some, so that raw text works as well."""
    sampling: Sampling = "share"
    """How many documents of each corpus an epoch has: its share of them; or, of the same sum, a part that goes with the
    corpus's words, or with their logarithm, times its share."""
    best_per_corpus: bool = False
    """Whether the best model of each dev corpus is kept too, as best-NAME."""
    save_minutes: float = 5.0

    def __post_init__(self) -> None:
        check_least("train: window", min(self.window), LEAST_WINDOW)
        if self.window[0] > self.window[1]:
            raise ConfigError(f"train: window {self.window}; expected the smaller number first; exchange them")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeConfig(DecodeSettings):
    """How the model is used when dev is scored, and by default afterwards; who trains need not say anything."""

    window: int = 256
    candidates: int = 150
    decoding: Decoding = "entity"
    new_bias: float = 0.0
    min_mention: float = 0.0

    def __post_init__(self) -> None:
        check_least("decode: window", self.window, LEAST_WINDOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class DistilConfig:
    """Larger models to learn from."""

    teachers: tuple[str, ...] = ()
    """Folders of trained models; their probabilities are averaged."""
    labels: str | None = None
    """The folder where what they say is kept; without one, a folder of the run."""
    tag_weight: float = 0.5
    """The weight of their tags or spans; the annotation has what is left of 1."""
    share: float = 0.5
    """The share of annotated documents whose links are learned from them, on the mentions that they find. Where this
    and `tag_weight` are 0, they are asked about unlabelled documents alone."""
    hint_weight: float = 1.0
    """Of the distance to the first teacher's word vectors, in all documents that the teachers are asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(RunConfig):
    """A whole run."""

    irrelevant: ClassVar[Mapping[str, Collection[str] | None]] = {
        "train": ("threads", "save_minutes"),
        "corpora": ("licence",),
    }

    name: str
    model: ModelConfig
    corpora: tuple[CorpusConfig, ...]
    train: TrainConfig = field(default_factory=TrainConfig)
    decode: DecodeConfig = field(default_factory=DecodeConfig)
    distil: DistilConfig = field(default_factory=DistilConfig)

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.train.hidden and self.model.adapter:
            raise ConfigError(
                "train: hidden words with model.adapter; expected one of them: the lowest layers are read once, "
                "so what they read cannot change; leave the other out"
            )
        check_names(
            "corpus in decode.schemes", [scheme.name for scheme in self.decode.schemes], [c.name for c in self.corpora]
        )
        if self.decode.schemes and not self.model.corpus_id:
            raise ConfigError(
                "decode: schemes with model.corpus_id false; expected one of them: such a model is not told which "
                "scheme to follow; leave the schemes out"
            )
        if self.distil.teachers:
            return
        if self.model.hints:
            raise ConfigError("model: hints without a teacher; expected distil.teachers; name one, or leave hints out")
        if alone := [corpus.name for corpus in self.corpora if corpus.unlabelled]:
            raise ConfigError(
                f"corpora: {alone[0]} is unlabelled and there is nobody to learn it from; expected distil.teachers; "
                "name some, or leave the corpus out"
            )

    def locate(self, base: Path, data: Path | None) -> Config:
        corpora = (
            replace(corpus, train=locate_path(data or base, corpus.train), dev=locate_path(data or base, corpus.dev))
            for corpus in self.corpora
        )
        model = replace(
            self.model,
            encoder=locate_encoder(base, self.model.encoder),
            start=locate_path(base, self.model.start),
            mean=tuple(str(locate_path(base, path)) for path in self.model.mean),
        )
        distil = replace(
            self.distil,
            teachers=tuple(str(locate_path(base, path)) for path in self.distil.teachers),
            labels=locate_path(base, self.distil.labels),
        )
        return replace(self, corpora=tuple(corpora), model=model, distil=distil)

    def corpus_paths(self) -> Iterator[tuple[str, str]]:
        return split_paths(self.corpora)


def read_config(path: str | Path) -> Config:
    """The configuration in a TOML file."""
    config: Config = parse_section(Config, read_table(Path(path)), str(path))
    return config
