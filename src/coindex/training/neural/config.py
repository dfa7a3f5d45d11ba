"""The configuration of a training run of a neural model: a TOML file whose keys are the fields below.

With `base = "corpipe"`, a file starts from that named configuration and overrides its values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import ClassVar, Literal

from ...resolvers.neural.folder import DecodeSettings
from ...resolvers.neural.pairs import BASIC, FEATURES, coarse_size
from ...resolvers.neural.resolving import Decoding
from ...resolvers.neural.windows import Context
from ...resolvers.neural.words import COLUMNS, MAX_PIECES
from ...settings import ConfigError, parse_section
from ..config import RunConfig, check_least, check_names, locate_encoder, locate_path, read_table, split_paths

Detection = Literal["tags", "spans", "start-end"]
Linking = Literal["attention", "ranking", "start-end"]
Sampling = Literal["share", "size", "log"]
Precision = Literal["float32", "bfloat16"]


LEAST_WINDOW = MAX_PIECES + 4
"""In word pieces: room for the longest word and the special pieces."""


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
    ("train", "at least 0", "epochs planned seed words warmup predicted_after temperature layer_decay weight_decay"),
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
"""The allowed numbers. Others would fail late and with an unclear message, or not at all."""


def check_ranges(config: Config) -> None:
    """Raise an error for numbers outside their range."""
    for section, expected, names in RANGES:
        values = attrgetter(section)(config)
        for table in values if isinstance(values, tuple) else (values,):
            for name in names.split():
                value = getattr(table, name)
                if value is not None and not BOUNDS[expected](value):
                    owner = f" of {table.name}" if isinstance(values, tuple) else ""
                    raise ConfigError(f"{section}: {name}{owner} must be {expected}, not {value}; correct the value")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusConfig:
    """A corpus to train on or to score after each epoch."""

    name: str
    """Name of the annotation scheme. Corpora with the same name share a scheme."""
    train: str | None = None
    """File or folder to train on, in any format. Omit it for a corpus that is only scored."""
    dev: str | None = None
    """File or folder to score after each epoch; never trained on."""
    share: float = 1.0
    """Share of the documents used in each epoch, drawn at random. Lower it if the corpus is large compared with the
    others."""
    words: int | None = None
    """Train on random stretches of this many words of longer documents; 0 uses whole documents. Default:
    `train.words`."""
    exclude: tuple[str, ...] = ()
    """Patterns of the ids of documents that are not trained on, such as `GUM_fiction_*`."""
    partial: bool = False
    """Only some mentions are annotated: learn their links, and not which expressions are mentions."""
    unlabelled: bool = False
    """Ignore the entities of the corpus and learn only from the teachers of `distil`."""
    match: str = "head"
    """How mentions match when dev is scored: `head`, `exact`, `partial` … Use `exact` for corpora without heads."""
    singletons: bool = False
    """Count singletons when dev is scored."""
    licence: str = ""
    """Licence of the data, stored in the model folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """The architecture of the model."""

    encoder: str
    """Hugging Face name or folder of a BERT-like encoder, or of a T5 model, of which the encoder half is used."""
    detection: Detection = "tags"
    """How mentions are found: stack `tags` on words, scores of all `spans`, or scores of span ends (`start-end`)."""
    span_width: int = 30
    """Longest span, in words, that is scored. Applies to detection by `spans` and `start-end`."""
    span_ratio: float = 0.4
    """Number of spans kept, as a multiple of the number of words. Raise it for corpora with many nested mentions."""
    linking: Linking = "attention"
    """How links are scored: `attention` with pair features, coarse-to-fine `ranking`, or span ends only
    (`start-end`)."""
    windows: Literal["packed", "sentence"] = "packed"
    """`packed`: sentences share windows, each read once. `sentence`: each sentence gets a window with its context,
    which is slower."""
    right: int = 50
    """Word pieces of context after the sentence with `windows = "sentence"`; the context before it fills the window."""
    spans: Literal["whole", "heads"] = "whole"
    """Learn `whole` mentions or only their `heads`."""
    singletons: bool = True
    """Learn mentions that are singletons. Set it to false for corpora that do not annotate them."""
    corpus_id: bool = True
    """Give the model the name of the corpus, so that it can follow several annotation schemes."""
    columns: tuple[str, ...] = ()
    """CoNLL-U columns used as word features where the input has them, such as `upos`, `deprel`, `Number`."""
    mention: int = 512
    """Size of a mention vector."""
    query: int = 256
    """Size of the query and key vectors whose product scores a link."""
    pair: int = 128
    """Size of the hidden layer that scores a pair of mentions."""
    tag_hidden: int = 768
    """Size of the hidden layer of the mention detector."""
    features: tuple[str, ...] = BASIC
    """Names of the pair features. Use `[]` for languages other than English if the defaults do not help."""
    start: str | None = None
    """Folder of a trained or exported model to start from, with the same corpora in the same order; weights that it
    lacks are initialised at random."""
    mean: tuple[str, ...] = ()
    """Further model folders: training starts from the mean of their weights and those of `start`."""
    dropout: float = 0.3
    """Dropout in the layers above the encoder. Raise it for small corpora."""
    word_dropout: float = 0.1
    """Dropout on word vectors."""
    encoder_dropout: float = 0.1
    """Dropout inside the encoder."""
    adapter: int = 0
    """Rank of the adapters that are trained instead of a large encoder; 0 trains the whole encoder."""
    frozen: int = 0
    """With adapters: number of lowest layers without one. Their output is computed once, which makes training
    faster."""
    syntax: bool = False
    """Also learn the dependency trees of corpora that have them, as an auxiliary loss, and predict trees, which some
    decoding constraints need."""
    hints: int = 0
    """Size of the word vectors of the first teacher, which the model then learns to predict; 0 turns this off."""
    types: tuple[str, ...] = ()
    """Entity types to learn, as an auxiliary loss, where a corpus has them, and to predict."""

    def __post_init__(self) -> None:
        check_names("feature of a pair", self.features, FEATURES)
        check_names("column of words", self.columns, COLUMNS)
        if self.mean and self.start is None:
            raise ConfigError("model: mean needs start; name one of the folders as start")

    def context(self, limit: int) -> Context | None:
        """Return the context of a sentence in a window of `limit` pieces; None if sentences share windows."""
        return Context(limit, self.right) if self.windows == "sentence" else None

    @property
    def coarse(self) -> int:
        """The number of columns of queries and keys that are used for the coarse score."""
        return coarse_size(self.linking, self.query)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """How the model is trained."""

    epochs: int = 10
    """Number of epochs; 0 scores and saves the starting weights."""
    planned: int = 0
    """Number of epochs in which the learning rate falls to 0, if more than `epochs`, for a run that another one
    continues."""
    seed: int = 1
    """Random seed. Train with several seeds to measure the variance."""
    threads: int = 1
    """Number of CPU threads. Results are reproducible with the same number."""
    precision: Precision = "float32"
    """Number format of the products in the encoder. `bfloat16` nearly doubles the speed on CPUs that support it
    (`avx512_bf16` or `amx_bf16` in `lscpu`) and slows down others; weights stay in 32 bits."""
    encoder_rate: float = 1.2e-4
    """Peak learning rate of the encoder. Lower it for larger encoders or if training diverges."""
    head_rate: float = 8e-4
    """Peak learning rate of all layers above the encoder."""
    layer_decay: float = 1.0
    """Factor between the learning rates of neighbouring encoder layers, from the top down. Below 1, lower layers change
    less."""
    warmup: int = 100
    """Number of steps in which the learning rate rises linearly; afterwards it falls linearly to 0. Raise it if
    training diverges."""
    weight_decay: float = 0.01
    """Weight decay of AdamW; not applied to biases, norms and embeddings."""
    clip: float = 1.0
    """Largest norm of the gradient."""
    average: float = 0.997
    """Decay of the moving average of the weights, which is scored and saved; 0 turns averaging off. Lower it for short
    runs."""
    words: int = 1200
    """Length in words of the stretches of long documents, for corpora without their own `words`. Lower it to save
    memory."""
    window: tuple[int, int] = (220, 510)
    """Range from which the largest window, in word pieces, is drawn for each document."""
    tag_smoothing: float = 0.05
    """Label smoothing of the mention tags."""
    tag_weight: float = 1.0
    """Weight of the mention detection loss."""
    link_weight: float = 1.0
    """Weight of the link loss."""
    head_weight: float = 0.2
    """Weight of the head loss."""
    mention_weight: float = 0.2
    """Weight of the loss that decides whether a proposed span is a mention."""
    lesson_weight: float = 0.3
    """Weight of the auxiliary losses of `model.syntax` and `model.types`."""
    predicted: float = 0.5
    """Share of documents whose links are trained on mentions sampled from the model, including wrong ones."""
    predicted_after: int = 150
    """Number of steps before such sampling starts."""
    temperature: float = 1.0
    """Randomness of the sampling: 0 takes the best mentions."""
    no_corpus: float = 0.1
    """Share of documents trained without the name of their corpus, so that the model also works with `scheme=none`."""
    no_speakers: float = 0.15
    """Share of documents trained without speakers, so that the model also works without them."""
    hidden: float = 0.0
    """Share of words masked in each step. Raise it (0.1) if a small corpus is memorised; not possible with adapters."""
    renamed: float = 0.0
    """Share of annotated documents whose names are replaced by names of other documents. Useful for small corpora."""
    no_columns: float = 0.3
    """Share of documents trained without CoNLL-U columns if `model.columns` is set, so that raw text also works."""
    sampling: Sampling = "share"
    """Documents per corpus in an epoch: its `share` of them; or the same total, distributed by the `size` of the
    corpora or its `log`."""
    best_per_corpus: bool = False
    """Also save the best model of each dev corpus, as `best-NAME`."""
    save_minutes: float = 5.0
    """Minutes between checkpoints."""

    def __post_init__(self) -> None:
        check_least("train: window", min(self.window), LEAST_WINDOW)
        if self.window[0] > self.window[1]:
            raise ConfigError(f"train: window must have the smaller number first, not {self.window}; swap the numbers")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeConfig(DecodeSettings):
    """How entities are decoded when dev is scored and, by default, when the model is used. These settings change no
    weights."""

    window: int = 256
    candidates: int = 150
    decoding: Decoding = "entity"
    new_bias: float = 0.0
    min_mention: float = 0.0

    def __post_init__(self) -> None:
        check_least("decode: window", self.window, LEAST_WINDOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class DistilConfig:
    """Teacher models to learn from."""

    teachers: tuple[str, ...] = ()
    """Folders of trained or exported models; their probabilities are averaged."""
    labels: str | None = None
    """Folder that stores the predictions of the teachers. Default: a folder of the run. Set it to share them between
    runs."""
    tag_weight: float = 0.5
    """Weight of the mentions of the teachers in annotated documents; the annotation has the rest."""
    share: float = 0.5
    """Share of annotated documents whose links are learned from the teachers. If this and `tag_weight` are 0, teachers
    label only unlabelled documents."""
    hint_weight: float = 1.0
    """Weight of the distance to the word vectors of the first teacher (`model.hints`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(RunConfig):
    """A training run of a neural model for single documents."""

    irrelevant: ClassVar[Mapping[str, Collection[str] | None]] = {
        "train": ("threads", "save_minutes"),
        "corpora": ("licence",),
    }

    name: str
    """Name of the model."""
    model: ModelConfig
    """Architecture of the model."""
    corpora: tuple[CorpusConfig, ...]
    """Corpora to train on and to score."""
    train: TrainConfig = field(default_factory=TrainConfig)
    """Training settings."""
    decode: DecodeConfig = field(default_factory=DecodeConfig)
    """Decoding settings."""
    distil: DistilConfig = field(default_factory=DistilConfig)
    """Teachers."""

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.train.hidden and self.model.adapter:
            raise ConfigError(
                "train.hidden cannot be combined with model.adapter, since the output of the lowest layers is computed "
                "only once; remove one of them"
            )
        check_names(
            "corpus in decode.schemes", [scheme.name for scheme in self.decode.schemes], [c.name for c in self.corpora]
        )
        if self.decode.schemes and not self.model.corpus_id:
            raise ConfigError(
                "decode.schemes needs model.corpus_id = true, since other models do not know the scheme; remove the "
                "schemes, or change model.corpus_id"
            )
        if self.distil.teachers:
            return
        if self.model.hints:
            raise ConfigError("model: hints needs a teacher; add distil.teachers, or remove hints")
        if alone := [corpus.name for corpus in self.corpora if corpus.unlabelled]:
            raise ConfigError(
                f"corpora: {alone[0]} is unlabelled, but there are no teachers; add distil.teachers, or remove the "
                "corpus"
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
    """Read the configuration from a TOML file."""
    config: Config = parse_section(Config, read_table(Path(path)), str(path))
    return config
