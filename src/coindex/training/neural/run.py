"""A run for a neural model of single documents: losses, dev scores after each epoch, the models that are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...document import Span
from ...resolvers.neural.detection import Detector, Mentions, describe
from ...resolvers.neural.folder import file_hash, is_exported, read_description
from ...resolvers.neural.pairs import PairMaker, coarse_choice
from ...scoring import make_settings
from ...settings import ConfigError
from ..loop import LOG_STEPS, METRICS, Dev, DevSets, StepLosses, TrainingLoop, make_optimiser
from ..run import BEST, CHECKPOINT, Progress, Reader, TrainingRun
from .config import Config, CorpusConfig
from .data import (
    NO_HEAD,
    NO_VALUE,
    Example,
    Labels,
    Names,
    Stretch,
    epoch_order,
    hide_columns,
    hide_speakers,
    hide_words,
    make_detector,
    make_stretch,
    read_examples,
    shift_parents,
)
from .distillation import Teachers, soft_detection_loss, soft_link_loss, spans_of
from .folder import (
    WEIGHTS,
    TrainedModel,
    batch_tensors,
    check_saved,
    mention_tensors,
    new_model,
    pair_tensors,
    save_model,
)
from .network import CoreferenceModel, MentionParts, align_spans, detection_loss, head_loss, link_loss, mention_loss
from .start import Outline, extend_start, start_from


def forward(
    model: CoreferenceModel,
    stretch: Stretch,
    detector: Detector,
    config: Config,
    *,
    corpus: int,
    draw: np.random.Generator | None,
    soft: bool = False,
) -> StepLosses:
    """Return the losses of a document.

    Links are trained on its own mentions, with `draw` on mentions that are drawn from the detector, or with `soft` on
    those that its teachers found.
    """
    vectors, scores = model.words(*batch_tensors(stretch.batch, corpus))
    losses = {} if stretch.example.is_partial else detection_losses(scores, stretch, detector, config)
    if stretch.example.syntax is not None:
        losses["syntax"] = config.train.lesson_weight * syntax_loss(model, vectors, stretch)
    if config.model.hints and stretch.example.labels is not None:
        wanted = stretch.example.labels.vectors[stretch.start : stretch.start + len(vectors)]
        losses["hint"] = config.distil.hint_weight * model.auxiliary_losses.teacher(vectors, wanted)
    if stretch.example.labels is not None and soft:
        losses |= soft_losses(model, vectors, stretch, stretch.example.labels, config)
    elif stretch.example.is_annotated:
        spans = list(stretch.example.spans) if draw is None else draw_spans(scores, stretch, detector, config, draw)
        losses |= hard_losses(model, vectors, stretch, spans, config, are_gold=draw is None)
    total = torch.stack(list(losses.values())).sum()
    return StepLosses(total, {name: float(loss.detach()) for name, loss in losses.items()})


def detection_losses(scores: Tensor, stretch: Stretch, detector: Detector, config: Config) -> dict[str, Tensor]:
    """Return the losses of mention detection, by the annotation and by the teachers."""
    settings, labels = config.train, stretch.example.labels
    part = 0.0 if labels is None else config.distil.tag_weight if stretch.example.is_annotated else 1.0
    losses = {}
    if part < 1:
        loss = detection_loss(scores, torch.from_numpy(stretch.targets), settings.tag_smoothing)
        losses["tag"] = (1 - part) * settings.tag_weight * loss
    if labels is not None and part > 0:
        losses["soft tag"] = part * settings.tag_weight * soft_detection_loss(scores, labels, detector)
    return losses


def syntax_loss(model: CoreferenceModel, vectors: Tensor, stretch: Stretch) -> Tensor:
    """Return the loss of the trees of the words that are trained on."""
    example, start = stretch.example, stretch.start
    assert example.syntax is not None
    rows = slice(start, start + len(vectors))
    return model.auxiliary_losses.words(
        vectors, shift_parents(example.syntax[rows], start), example.words.sentence_of[rows]
    )


def draw_spans(
    scores: Tensor, stretch: Stretch, detector: Detector, config: Config, draw: np.random.Generator
) -> list[Span]:
    """Sample mentions as the detector might return them."""
    noise = draw.gumbel(size=scores.shape).astype(np.float32) * config.train.temperature
    drawn = detector.decode(scores.detach().numpy() + noise, stretch.sentences)
    return [(first + stretch.start, last + stretch.start) for first, last in drawn]


def hard_losses(
    model: CoreferenceModel, vectors: Tensor, stretch: Stretch, spans: list[Span], config: Config, *, are_gold: bool
) -> dict[str, Tensor]:
    """Return the losses of heads, mentions and links by the annotation."""
    if not spans:
        return {}
    example, settings = stretch.example, config.train
    mentions, parts = mention_vectors(model, vectors, stretch, spans)
    heads = parts.heads.detach().argmax(1).numpy() + stretch.start
    losses = {}
    if are_gold:
        entities, gold_heads = np.array(example.entities), np.array(example.heads)
    else:
        entities, gold_heads = align_spans(spans, heads, example)
        losses["mention"] = settings.mention_weight * mention_loss(parts.mention, entities)
    if example.types:
        known = dict(zip(example.spans, example.types, strict=True))
        types = np.array([known.get(span, NO_VALUE) for span in spans])
        losses["type"] = settings.lesson_weight * model.auxiliary_losses.mentions(parts.key, types)
    local_heads = np.where(gold_heads == NO_HEAD, NO_HEAD, gold_heads - stretch.start)
    losses["head"] = settings.head_weight * head_loss(parts.heads, local_heads)
    query, key = parts.query.detach().numpy(), parts.key.detach().numpy()
    choose = coarse_choice(query, key, size=config.model.coarse, limit=config.decode.antecedents)
    pairs = PairMaker(example.words, config.decode.candidates, config.model.features).add(mentions, heads, choose)
    scores = model.links(parts.query, parts.key, *pair_tensors(pairs))
    losses["link"] = settings.link_weight * link_loss(scores, parts.new, pairs.anaphor, pairs.candidate, entities)
    return losses


def soft_losses(
    model: CoreferenceModel, vectors: Tensor, stretch: Stretch, labels: Labels, config: Config
) -> dict[str, Tensor]:
    """Return the losses of heads and links by the teachers, on the mentions that they detected."""
    spans = spans_of(labels)
    if not spans:
        return {}
    mentions, parts = mention_vectors(model, vectors, stretch, spans)
    heads = labels.head
    pairs = PairMaker(stretch.example.words, config.decode.candidates, config.model.features).add(mentions, heads)
    scores = model.links(parts.query, parts.key, *pair_tensors(pairs))
    return {
        "soft head": config.train.head_weight * head_loss(parts.heads, heads),
        "soft link": config.train.link_weight * soft_link_loss(scores, parts.new, pairs.anaphor, labels),
    }


def mention_vectors(
    model: CoreferenceModel, vectors: Tensor, stretch: Stretch, spans: list[Span]
) -> tuple[Mentions, MentionParts]:
    """Return the features of mentions, and their vectors and scores."""
    mentions = describe(stretch.example.words, spans)
    local = replace(mentions, start=mentions.start - stretch.start, end=mentions.end - stretch.start)
    return mentions, model.mentions(vectors, *mention_tensors(local))


LABELS = "labels"
"""The folder of what teachers say of the documents."""
LAST = "last"


class NeuralRun(TrainingRun[Config]):
    """A run for a neural model of single documents; it keeps the model that is best on dev, and the last one."""

    files = (CHECKPOINT,)
    models = (BEST, LAST, f"{BEST}-*")
    mark = WEIGHTS  # so that an exported model beside the best one is left alone

    def hash_start(self) -> list[str]:
        return hash_models(self.config)

    def model_names(self) -> Iterable[str]:
        return (BEST, LAST, *map(best_of, self.devs.by_name))

    def prepare(self, read: Reader) -> None:
        config = self.config
        if not any(corpus.train for corpus in config.corpora):
            raise ConfigError("corpora: no corpus to train on; add a corpus with the key train")
        torch.manual_seed(config.train.seed)
        self.examples = [read_examples(c, c.train, read, config.model) if c.train else [] for c in config.corpora]
        self.devs = DevSets(make_dev(c, c.dev, read) for c in config.corpora if c.dev)
        detector = make_detector(config.model, (example for group in self.examples for example in group))
        if config.distil.teachers:
            teachers = Teachers(config, detector, Path(config.distil.labels or self.folder / LABELS))
            self.examples = teachers.label(self.examples, self._report_labels)
            detector = teachers.detector
        corpora = tuple(dict.fromkeys(corpus.name for corpus in config.corpora)) if config.model.corpus_id else ()
        outline = extend_start(config, Outline(detector, corpora))
        self.trained: TrainedModel = new_model(config, outline.detector, outline.corpora)
        if config.model.start is not None:
            start_from(self.trained, [Path(name) for name in (config.model.start, *config.model.mean)])
        self.loop = NeuralLoop(self)

    def _report_labels(self, done: int, total: int) -> None:
        self.tick(Progress(0, self.config.train.epochs, done, total, dev="what the teachers say"))
        if done % LOG_STEPS == 0 or done == total:
            self.report({"labelled": done, "of": total})

    def run(self) -> None:
        self.loop.run()

    def save_model(self, name: str, epoch: int, scores: list[dict[str, Any]]) -> None:
        """Write the model as it is now, with all that is known of it."""
        origins = list_origins(self.config, self.shown)
        facts: dict[str, Any] = {
            "data": self.data,
            "licences": list_licences(self.config.corpora),
            "epoch": epoch,
            "seed": self.config.train.seed,
            "torch": str(torch.__version__),
            "scores": scores,
        }
        if origins:
            facts["origins"] = origins
        save_model(self.folder / name, replace(self.trained, config=self.shown), facts)


def list_licences(corpora: Iterable[CorpusConfig]) -> dict[str, str]:
    """Return the licences of the data by the name of the corpus, which several corpora may share."""
    licences: dict[str, list[str]] = {}
    for corpus in corpora:
        if corpus.licence and corpus.licence not in licences.setdefault(corpus.name, []):
            licences[corpus.name].append(corpus.licence)
    return {name: "; ".join(known) for name, known in licences.items() if known}


def list_models(config: Config) -> list[tuple[str, str]]:
    """Return the folders of the models that a run starts from or learns from, with their roles."""
    start = [] if config.model.start is None else [("start", config.model.start)]
    means = [("mean", folder) for folder in config.model.mean]
    return [*start, *means, *(("teacher", folder) for folder in config.distil.teachers)]


def list_origins(config: Config, shown: Config) -> list[dict[str, Any]]:
    """Return the data, licences and seeds of the models that a run starts from or learns from, and their origins.

    `shown` has the names of their folders as written in the configuration.
    """
    origins: list[dict[str, Any]] = []
    for (role, name), (_, folder) in zip(list_models(shown), list_models(config), strict=True):
        description = read_description(Path(folder), check_files=False)
        known = ("data", "licences", "seed", "epoch", "origins")
        facts = {key: value for key, value in description.items() if key in known}
        origins.append({"role": role, "folder": name, "epochs": description["config"]["train"]["epochs"], **facts})
    return origins


def make_dev(corpus: CorpusConfig, path: str, read: Reader) -> Dev:
    """Return the development set of a corpus; resolvers see its raw tokens."""
    settings = make_settings("crac24", match=corpus.match, singletons=corpus.singletons, metrics=METRICS)
    return Dev(corpus.name, path, tuple(read(path)), settings).check()


class NeuralLoop(TrainingLoop):
    """The training of the network of a run: a document is a step."""

    logs_epochs = False  # the row of dev scores stands for the end of an epoch

    def __init__(self, run: NeuralRun) -> None:
        self.training_run, self.config, self.trained = run, run.config, run.trained
        examples = (example for group in run.examples for example in group)
        self.names = Names(examples) if self.config.train.renamed else None
        super().__init__(
            self.trained.model,
            self.config.train,
            [len(self._make_order(0))] * self.config.train.epochs,
            run.folder / CHECKPOINT,
            fingerprint=run.fingerprint,
            warmup=self.config.train.warmup,
            report=run.report,
            tick=run.tick,
        )

    def make_optimiser(self) -> torch.optim.AdamW:
        return make_optimiser(self.network, self.config.train)

    @property
    def planned_steps(self) -> int:
        settings = self.config.train
        return self.lengths[0] * max(settings.epochs, settings.planned) if self.lengths else 0

    @property
    def mask(self) -> int:
        """The piece that stands for a hidden word."""
        known = map(self.trained.tokenizer.token_to_id, ("[MASK]", "<mask>", "<extra_id_0>"))
        return next((number for number in known if number is not None), self.trained.pieces.unknown)

    def _make_order(self, epoch: int) -> list[Example]:
        return epoch_order(self.config, self.training_run.examples, epoch)

    def start_epoch(self) -> None:
        self.order = self._make_order(self.epoch)

    def train(self) -> None:
        super().train()
        if not self.scores:  # no epoch at all: the first weights are kept as they are
            self.finish_epoch()

    def compute_losses(self) -> StepLosses:
        example, step = self.order[self.done], self.steps_before
        settings = self.config.train
        rng = np.random.default_rng((settings.seed, 7, step))
        torch.manual_seed(int(rng.integers(2**31)))
        low, high = settings.window
        window = int(rng.integers(low, high + 1))
        corpus = 0 if rng.random() < settings.no_corpus else self.trained.corpus_number(example.corpus)
        if rng.random() < settings.no_speakers:
            example = hide_speakers(example)
        drawn = rng.random() < settings.predicted and step >= settings.predicted_after and not example.is_partial
        if self.config.model.columns and rng.random() < settings.no_columns:
            example = hide_columns(example)
        if self.names is not None and example.is_annotated and rng.random() < settings.renamed:
            example = self.names.exchange(example, rng)
        self.trained.model.words.is_mixed = settings.precision == "bfloat16"
        detector, context = self.trained.detector, self.config.model.context(window)
        stretch = make_stretch(example, self.trained.pieces, detector, window, context)
        if settings.hidden:
            stretch = hide_words(stretch, settings.hidden, self.mask, rng)
        soft = not example.is_annotated or rng.random() < self.config.distil.share
        draw = rng if drawn else None
        losses = forward(self.trained.model, stretch, detector, self.config, corpus=corpus, draw=draw, soft=soft)
        return replace(losses, source=example.id or example.corpus)

    def evaluate(self) -> dict[str, Any]:
        """Score dev, and keep the model if it is the best so far."""
        epoch, epochs = self.epoch + 1, self.config.train.epochs
        self.trained.model.words.is_mixed = False
        scores = self.training_run.devs.score(self.trained.resolver, Progress(epoch, epochs, 0, 0), self.tick)
        best = max((mean_conll(row["scores"]) for row in self.scores), default=-1.0)
        is_best = mean_conll(scores) > best or not scores  # without dev the last is all that is known to be good
        row = {"epoch": epoch, "minutes": self.minutes, "scores": scores, "best": is_best}
        names = [BEST] if is_best else []
        names += map(best_of, self._best_corpora(scores))
        names += [LAST] if epoch == epochs else []
        for name in names:
            self.training_run.save_model(name, epoch, [*self.scores, row])
        return row

    def _best_corpora(self, scores: dict[str, Any]) -> list[str]:
        """Return the dev sets that have never been scored as high, if each is to have its own best model."""
        if not self.config.train.best_per_corpus:
            return []
        before = {name: max((row["scores"][name]["conll"] for row in self.scores), default=-1.0) for name in scores}
        return [name for name, result in scores.items() if result["conll"] > before[name]]


def best_of(dev: str) -> str:
    """Return the name of the folder of the best model for a dev set."""
    return f"{BEST}-{dev.replace('/', '-')}"


def hash_models(config: Config) -> list[str]:
    """Return the hashes of the weights that a run starts from or learns from; a missing model is refused."""
    hashes = []
    for _, name in list_models(config):
        folder = Path(name)
        weights = read_description(folder)["weights"]  # it reports what is wrong with the folder
        if is_exported(folder):
            hashes += weights.values()
        else:
            check_saved(folder, (WEIGHTS,))
            hashes.append(file_hash(folder / WEIGHTS))
    return hashes


def mean_conll(scores: dict[str, Any]) -> float:
    """Return the mean over dev sets."""
    return float(np.mean([result["conll"] for result in scores.values()])) if scores else 0.0
