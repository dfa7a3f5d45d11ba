"""The training loop: a document a step, dev scores after each epoch, checkpoints to go on from after any kill."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...document import Span
from ...errors import DataWarning
from ...resolvers.neural.detection import Detector
from ...resolvers.neural.folder import file_hash, read_description
from ...resolvers.neural.mentions import Mentions, describe
from ...resolvers.neural.pairs import PairMaker, coarse_choice
from ...settings import ConfigError
from ..encoders import load_own, own_weights
from ..evaluation import Dev
from ..optimiser import Average, descend, make_optimiser
from ..run import (
    OLD,
    PART,
    Progress,
    Report,
    Stopped,
    Tick,
    load_checkpoint,
    nothing,
    remove_parts,
    save_checkpoint,
    settle,
)
from .config import Config
from .data import (
    NO_HEAD,
    NO_VALUE,
    Example,
    Labels,
    Names,
    Reader,
    Stretch,
    anonymous,
    epoch_order,
    hide_words,
    make_detector,
    make_stretch,
    moved,
    plain,
    read_examples,
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
from .losses import align_spans, detection_loss, head_loss, link_loss, mention_loss
from .network import CoreferenceModel, MentionParts


@dataclass(frozen=True, slots=True)
class StepLosses:
    """The loss to go down, and its parts."""

    total: Tensor
    parts: dict[str, float]


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
    """The losses of a document.

    Links are trained on its own mentions, with `draw` on mentions that are drawn from the detector, or with `soft` on
    those that its teachers found.
    """
    vectors, found = model.words(*batch_tensors(stretch.batch, corpus))
    losses = detection_losses(found, stretch, detector, config)
    if stretch.example.syntax is not None:
        losses["syntax"] = config.train.lesson_weight * syntax_loss(model, vectors, stretch)
    if config.model.hints and stretch.example.labels is not None:
        wanted = stretch.example.labels.vectors[stretch.start : stretch.start + len(vectors)]
        losses["hint"] = config.distil.hint_weight * model.lessons.teacher(vectors, wanted)
    if stretch.example.labels is not None and soft:
        losses |= soft_losses(model, vectors, stretch, stretch.example.labels, config)
    elif stretch.example.is_annotated:
        spans = list(stretch.example.spans) if draw is None else draw_spans(found, stretch, detector, config, draw)
        losses |= hard_losses(model, vectors, stretch, spans, config, are_gold=draw is None)
    total = torch.stack(list(losses.values())).sum()
    return StepLosses(total, {name: float(loss.detach()) for name, loss in losses.items()})


def detection_losses(found: Tensor, stretch: Stretch, detector: Detector, config: Config) -> dict[str, Tensor]:
    """What finding mentions costs, by the annotation and by the teachers."""
    settings, labels = config.train, stretch.example.labels
    part = 0.0 if labels is None else config.distil.tag_weight if stretch.example.is_annotated else 1.0
    losses = {}
    if part < 1:
        loss = detection_loss(found, torch.from_numpy(stretch.targets), settings.tag_smoothing)
        losses["tag"] = (1 - part) * settings.tag_weight * loss
    if labels is not None and part > 0:
        losses["soft tag"] = part * settings.tag_weight * soft_detection_loss(found, labels, detector)
    return losses


def syntax_loss(model: CoreferenceModel, vectors: Tensor, stretch: Stretch) -> Tensor:
    """What the trees of the words that are learned cost."""
    example, start = stretch.example, stretch.start
    assert example.syntax is not None
    rows = slice(start, start + len(vectors))
    return model.lessons.words(vectors, moved(example.syntax[rows], start), example.words.sentence_of[rows])


def draw_spans(
    found: Tensor, stretch: Stretch, detector: Detector, config: Config, draw: np.random.Generator
) -> list[Span]:
    """Mentions as the detector might find them."""
    noise = draw.gumbel(size=found.shape).astype(np.float32) * config.train.temperature
    drawn = detector.decode(found.detach().numpy() + noise, stretch.sentences)
    return [(first + stretch.start, last + stretch.start) for first, last in drawn]


def hard_losses(
    model: CoreferenceModel, vectors: Tensor, stretch: Stretch, spans: list[Span], config: Config, *, are_gold: bool
) -> dict[str, Tensor]:
    """Heads, mentions and links by the annotation."""
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
        losses["type"] = settings.lesson_weight * model.lessons.mentions(parts.key, types)
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
    """Heads and links by the teachers, on the mentions that they found."""
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
    """What the words tell of mentions, and what the model makes of them."""
    mentions = describe(stretch.example.words, spans)
    local = replace(mentions, start=mentions.start - stretch.start, end=mentions.end - stretch.start)
    return mentions, model.mentions(vectors, *mention_tensors(local))


CHECKPOINT = "checkpoint.pt"
LOG = "log.jsonl"
LABELS = "labels"
"""What teachers say of the documents."""
BEST, LAST = "best", "last"
EVERY = 50
"""Steps between two reports."""
NO_MATTER = {"train": ("threads", "save_minutes"), "corpora": ("licence",)}
"""Settings that may change while a run is interrupted."""


def train(
    config: Config,
    folder: str | Path,
    read: Reader,
    report: Report,
    *,
    shown: Config | None = None,
    tick: Tick = nothing,
    restart: bool = False,
) -> Path:
    """Train a model and give the folder of the best one; an interrupted run in the same folder is resumed.

    With `restart` it begins anew, which removes what is there once all else is known to be in order.

    `shown` is the configuration as the model folder is to have it: that with the paths as they were written.
    """
    with processor(config.train.threads):
        run = Run(config, Path(folder), read, report, shown=shown, tick=tick)
        if restart:
            clear(run.folder)
        run.resume()
        try:
            while run.epoch < config.train.epochs:
                run.train_epoch()
                run.evaluate()
            if not run.scores:  # no epoch at all: the first weights are kept as they are
                run.evaluate()
        except Stopped:
            run.save()
            raise
    return run.folder / BEST


@contextmanager
def processor(threads: int) -> Iterator[None]:
    """The processor as training wants it, given back as others expect it: what is set here holds for a process."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)  # tiny numbers make a CPU ten times slower
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(before)


class Run:
    """A training run in its folder."""

    def __init__(
        self,
        config: Config,
        folder: Path,
        read: Reader,
        report: Report,
        *,
        shown: Config | None = None,
        tick: Tick = nothing,
    ) -> None:
        self.config = config
        self.shown = shown or config
        self.folder = folder
        self.report = report
        self.tick = tick
        self.data = hash_data(self.shown, config)
        self.origins = hash_models(config)
        torch.manual_seed(config.train.seed)
        self.examples = [read_examples(c, c.train, read, config.model) if c.train else [] for c in config.corpora]
        self.devs = [Dev.of(c, list(read(c.dev))) for c in config.corpora if c.dev]
        detector = make_detector(config.model, (example for group in self.examples for example in group))
        if config.distil.teachers:
            teachers = Teachers(config, detector, Path(config.distil.labels or folder / LABELS))
            self.examples = teachers.label(self.examples, self._tick_labels)
            detector = teachers.detector
        self.names = Names(example for group in self.examples for example in group) if config.train.renamed else None
        self.trained: TrainedModel = new_model(config, detector)
        self.model = self.trained.model
        self.optimiser = make_optimiser(self.model, config.train)
        self.average = Average(self.model, config.train.average)
        self.epoch = 0
        """Epochs that are trained and scored."""
        self.done = 0
        """Steps of the next one."""
        self.losses: dict[str, float] = {}
        """Their sums over these steps."""
        self.seconds = 0.0
        self.scores: list[dict[str, Any]] = []
        self.steps = config.train.epochs * len(self._order(0))

    def _tick_labels(self, done: int, total: int) -> None:
        self.tick(Progress(0, self.config.train.epochs, done, total, dev="what the teachers say"))
        if done % EVERY == 0 or done == total:
            self.report({"labelled": done, "of": total})

    @property
    def fingerprint(self) -> str:
        """Of what must be the same for a run to go on; one without other models has that of older versions."""
        known = [what_matters(self.shown), self.data, *([self.origins] if self.origins else [])]
        text = json.dumps(known, sort_keys=True, default=list)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def mask(self) -> int:
        """The piece that stands for a hidden word."""
        known = map(self.trained.tokenizer.token_to_id, ("[MASK]", "<mask>", "<extra_id_0>"))
        return next((number for number in known if number is not None), self.trained.pieces.unknown)

    def _order(self, epoch: int) -> list[Example]:
        return epoch_order(self.config, self.examples, epoch)

    def train_epoch(self) -> None:
        """The rest of an epoch."""
        order = self._order(self.epoch)
        saved = time.monotonic()
        self.model.train()
        for number in range(self.done, len(order)):
            begun = time.monotonic()
            for name, value in self._step(order[number], self.epoch * len(order) + number).items():
                self.losses[name] = self.losses.get(name, 0.0) + value
            self.done = number + 1
            now = time.monotonic()
            self.seconds += now - begun
            means = {name: round(value / self.done, 4) for name, value in self.losses.items()}
            self.tick(Progress(self.epoch + 1, self.config.train.epochs, self.done, len(order), means))
            if self.done % EVERY == 0:
                self.report({"epoch": self.epoch + 1, "step": self.done, "of": len(order), **means})
            if now - saved > 60 * self.config.train.save_minutes or self.done == len(order):
                saved = now
                self.save()

    def _step(self, example: Example, step: int) -> dict[str, float]:
        """All that is random depends on the seed and the step alone, so a resumed run draws what the first would."""
        settings = self.config.train
        rng = np.random.default_rng((settings.seed, 7, step))
        torch.manual_seed(int(rng.integers(2**31)))
        low, high = settings.window
        window = int(rng.integers(low, high + 1))
        corpus = 0 if rng.random() < settings.no_corpus else self.trained.corpus_number(example.corpus)
        if rng.random() < settings.no_speakers:
            example = anonymous(example)
        drawn = rng.random() < settings.predicted and step >= settings.predicted_after
        if self.config.model.columns and rng.random() < settings.no_columns:
            example = plain(example)
        if self.names is not None and example.is_annotated and rng.random() < settings.renamed:
            example = self.names.exchanged(example, rng)
        detector, context = self.trained.detector, self.config.model.context(window)
        stretch = make_stretch(example, self.trained.pieces, detector, window, context)
        if settings.hidden:
            stretch = hide_words(stretch, settings.hidden, self.mask, rng)
        soft = not example.is_annotated or rng.random() < self.config.distil.share
        draw = rng if drawn else None
        losses = forward(self.model, stretch, detector, self.config, corpus=corpus, draw=draw, soft=soft)
        place = f"epoch {self.epoch + 1}, step {self.done + 1} ({example.id or example.corpus})"
        descend(
            losses.total,
            self.model,
            self.optimiser,
            self.average,
            place=place,
            clip=settings.clip,
            step=step,
            steps=self.steps,
            warmup=settings.warmup,
        )
        return losses.parts

    def evaluate(self) -> None:
        """Score dev, keep the model if it is the best so far, save the state."""
        with self.average.used(self.model):
            scores = {name: self._score(name, dev) for name, dev in self._named_devs().items()}
            best = max((_mean(one["scores"]) for one in self.scores), default=-1.0)
            is_best = _mean(scores) > best or not scores  # without dev the last is all that is known to be good
            row = {"epoch": self.epoch + 1, "minutes": round(self.seconds / 60, 1), "scores": scores, "best": is_best}
            if is_best:
                self.save_model(BEST, [*self.scores, row])
            for name in self._best_for(scores):
                self.save_model(best_of(name), [*self.scores, row])
            if self.epoch + 1 == self.config.train.epochs:
                self.save_model(LAST, [*self.scores, row])
        self.scores.append(row)
        self.epoch, self.done, self.losses = self.epoch + 1, 0, {}
        self.save()
        self.report(row)

    def _best_for(self, scores: dict[str, Any]) -> list[str]:
        """The dev corpora that have never been scored as high, if each is to have its own best model."""
        before = {name: max((one["scores"][name]["conll"] for one in self.scores), default=-1.0) for name in scores}
        is_wanted = self.config.train.best_per_corpus
        return [name for name, one in scores.items() if is_wanted and one["conll"] > before[name]]

    def _named_devs(self) -> dict[str, Dev]:
        """By the name of the corpus; where two share one, by the path too, and by a number where that is not enough."""
        found: dict[str, Dev] = {}
        for dev in self.devs:
            name, stem = dev.corpus.name, Path(str(dev.corpus.dev)).stem
            names = chain((name, f"{name} ({stem})"), (f"{name} ({stem} {number})" for number in count(2)))
            found[next(one for one in names if one not in found)] = dev
        return found

    def _score(self, name: str, dev: Dev) -> dict[str, Any]:
        now = Progress(self.epoch + 1, self.config.train.epochs, 0, len(dev.key), dev=name)
        with warnings.catch_warnings():
            if self.scores:  # what is odd about the key was told after the first epoch
                warnings.simplefilter("ignore", DataWarning)
            return dev.score(
                self.trained.resolver(dev.corpus.name), tick=lambda number: self.tick(replace(now, step=number))
            )

    def save_model(self, name: str, scores: list[dict[str, Any]]) -> None:
        """The model as it is now, with all that is known of it."""
        facts = {
            "data": self.data,
            "licences": {c.name: c.licence for c in self.config.corpora if c.licence},
            "epoch": self.epoch + 1,
            "seed": self.config.train.seed,
            "torch": str(torch.__version__),
            "scores": scores,
        }
        save_model(self.folder / name, replace(self.trained, config=self.shown), facts)

    def save(self) -> None:
        """The state of the run."""
        save_checkpoint(
            self.folder / CHECKPOINT,
            {
                "fingerprint": self.fingerprint,
                "model": own_weights(self.model),
                "optimiser": self.optimiser.state_dict(),
                "average": self.average.state(),
                "epoch": self.epoch,
                "done": self.done,
                "losses": self.losses,
                "seconds": self.seconds,
                "scores": self.scores,
            },
        )

    def resume(self) -> None:
        """Go on where the last checkpoint was written."""
        for name in (BEST, LAST, *map(best_of, self._named_devs())):
            settle(self.folder / name)
        state = load_checkpoint(self.folder / CHECKPOINT, self.fingerprint)
        if state is None:
            return
        load_own(self.model, state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average.load(state["average"])
        self.epoch, self.done = state["epoch"], state["done"]
        self.losses = state.get("losses", {})
        self.seconds, self.scores = state["seconds"], state["scores"]
        if self.epoch < self.config.train.epochs:
            self.report({"resumed": True, "epoch": self.epoch + 1, "step": self.done})


def best_of(corpus: str) -> str:
    """The folder of the best model for a dev corpus."""
    return f"{BEST}-{corpus.replace('/', '-')}"


def clear(folder: Path) -> None:
    """Remove what an earlier run left, and nothing else: an exported model beside the best one stays."""
    for name in (CHECKPOINT, LOG):
        (folder / name).unlink(missing_ok=True)
    remove_parts(folder / CHECKPOINT)
    for name in (BEST, LAST, f"{BEST}-*"):
        for ending in ("", f".*{PART}", PART, OLD):
            for old in folder.glob(name + ending):
                if (old / WEIGHTS).exists():
                    shutil.rmtree(old, ignore_errors=True)


def hash_data(shown: Config, config: Config) -> dict[str, str]:
    """The hash of every corpus by its path as it is written; a missing one is told of before anything is read."""
    found = {}
    for written, corpus in zip(shown.corpora, config.corpora, strict=True):
        for name, path in ((written.train, corpus.train), (written.dev, corpus.dev)):
            if name is None or path is None:
                continue
            if not Path(path).exists():
                raise ConfigError(
                    f"{path}: no such file or folder; expected the corpus {corpus.name}; mend the path, or say with "
                    "--data where relative paths begin"
                )
            found[name] = file_hash(Path(path))
    if not any(corpus.train for corpus in config.corpora):
        raise ConfigError("corpora: none to train on; expected one with the key train; add it")
    return found


def hash_models(config: Config) -> list[str]:
    """The hashes of the weights that a run begins with or learns from; a missing one is told of before all else."""
    begins = [] if config.model.start is None else [config.model.start, *config.model.mean]
    found = []
    for folder in map(Path, (*begins, *config.distil.teachers)):
        read_description(folder)  # it says what is wrong with the folder
        check_saved(folder, (WEIGHTS,))
        found.append(file_hash(folder / WEIGHTS))
    return found


def what_matters(config: Config) -> dict[str, Any]:
    """The settings without those that change nothing in what is learned."""
    settings = config.settings()
    for section, names in NO_MATTER.items():
        found = settings.get(section, {})
        for table in found if isinstance(found, list) else [found]:
            for name in names:
                table.pop(name, None)
    return {name: value for name, value in settings.items() if value != {}}


def _mean(scores: dict[str, Any]) -> float:
    return float(np.mean([one["conll"] for one in scores.values()])) if scores else 0.0
