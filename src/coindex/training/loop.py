"""The training loop of all kinds of models: steps, log rows, dev scores, checkpoints, resuming.

The optimiser is AdamW with a rate for each group of weights, warm-up, linear decay and a moving average of the weights.
"""

from __future__ import annotations

import math
import re
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ..document import Document
from ..document.documents import with_columns
from ..errors import CoindexError, DataWarning
from ..resolvers.resolver import Step
from ..scoring import Settings, score_documents
from .config import TrainingSettings
from .encoders import load_own, own_weights
from .neural.config import TrainConfig
from .neural.data import strip_columns
from .run import Progress, Report, Stopped, Tick, load_checkpoint, save_checkpoint

METRICS = ("muc", "b3", "ceafe", "mentions")
Pipe = Callable[[Iterable[Document]], Iterable[Document]]


def ignore_document(document: int) -> None:
    """Do nothing: the default tick."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A response, its number of words, and the time that it took."""

    response: list[Document]
    words: int
    seconds: float

    @property
    def words_per_second(self) -> int:
        return round(self.words / max(self.seconds, 1e-9))


def resolve_key(
    key: Sequence[Document],
    pipe: Pipe,
    *,
    keep_columns: bool = False,
    keep_entities: bool = False,
    tick: Callable[[int], None] = ignore_document,
) -> Resolved:
    """Resolve the raw tokens of a key, or with `keep_columns` its tokens with all columns.

    `keep_entities` keeps the entities of the key, for a pipe that uses only their mentions. `tick` is called with the
    number of each finished document.

    The response has the tokens of the key: only entities are scored, whatever columns a parser added, and zeros can be
    matched by dependency.
    """
    inputs = list(key) if keep_columns else [_raw(doc, keep_entities=keep_entities) for doc in key]
    response = []
    started = time.perf_counter()
    for number, doc in enumerate(pipe(inputs), 1):
        response.append(doc)
        tick(number)
    seconds = time.perf_counter() - started
    words = sum(len(doc.tokens) - len(doc.tokens.empty_positions) for doc in key)
    return Resolved(list(_on_tokens(key, response)), words, seconds)


def _raw(doc: Document, *, keep_entities: bool) -> Document:
    bare = strip_columns(doc)
    if not keep_entities:
        return bare
    return with_columns(doc, bare.tokens).replace(bridges=(), split_antecedents=(), origin=None)


def _on_tokens(key: Sequence[Document], response: Sequence[Document]) -> Iterator[Document]:
    for own, doc in zip(key, response, strict=True):
        alike = len(doc.tokens) == len(own.tokens) and doc.tokens.empty_positions == own.tokens.empty_positions
        yield with_columns(doc, own.tokens) if alike else doc


@dataclass(frozen=True, slots=True)
class Dev:
    """A development set, scored during training."""

    corpus: str
    """The name of its corpus."""
    path: str
    key: tuple[Document, ...]
    settings: Settings
    keep_columns: bool = False
    """Whether the resolver sees its tags and trees."""
    is_timed: bool = True
    """Whether words per second are reported."""

    def check(self) -> Dev:
        """Return the set itself, or raise an error if it cannot be scored, before time is spent on training."""
        if not any(doc.entities for doc in self.key):
            lacking = "entities" if self.key else "documents"
            raise CoindexError(
                f"the dev corpus has no {lacking}; remove it, or use a corpus with coreference annotation",
                code="no-entities",
                path=self.path,
            )
        return self

    def score(self, resolver: Step, *, tick: Callable[[int], None] = ignore_document) -> dict[str, Any]:
        """Return CoNLL and its parts in per cent, the signature, and words per second."""
        resolved = resolve_key(self.key, partial(map, resolver), keep_columns=self.keep_columns, tick=tick)
        result = score_documents(self.key, resolved.response, self.settings)
        parts = {
            f"{name}_{side}": round(100 * getattr(result[name], side), 2)
            for name in self.settings.metrics
            for side in ("recall", "precision", "f1")
        }
        conll = 0.0 if result.conll is None else round(100 * result.conll, 2)
        speed = {"words_per_second": resolved.words_per_second} if self.is_timed else {}
        return {"conll": conll, **parts, "signature": result.signature, **speed}


class DevSets:
    """The development sets of a run, by names that no two of them share."""

    def __init__(self, devs: Iterable[Dev]) -> None:
        self.by_name: dict[str, Dev] = {}
        for dev in devs:
            stem = Path(dev.path).stem
            names = chain(
                (dev.corpus, f"{dev.corpus} ({stem})"), (f"{dev.corpus} ({stem} {number})" for number in count(2))
            )
            self.by_name[next(name for name in names if name not in self.by_name)] = dev
        self._has_warned = False

    def score(self, make_resolver: Callable[[str], Step], progress: Progress, tick: Tick) -> dict[str, Any]:
        """Return the scores of each set, with a resolver for the name of its corpus.

        `tick` gets `progress` with the documents that are done. Warnings about the keys are issued the first time.
        """
        with warnings.catch_warnings():
            if self._has_warned:
                warnings.simplefilter("ignore", DataWarning)
            self._has_warned = True
            return {name: self._score(name, make_resolver, progress, tick) for name in self.by_name}

    def _score(self, name: str, make_resolver: Callable[[str], Step], progress: Progress, tick: Tick) -> dict[str, Any]:
        dev = self.by_name[name]
        now = replace(progress, steps=len(dev.key), dev=name)
        return dev.score(make_resolver(dev.corpus), tick=lambda number: tick(replace(now, step=number)))


LAYER = re.compile(r"\b(?:layers?|block)\.(\d+)\.")
"""The number of a layer in the names of weights: `block` in T5."""


def make_optimiser(model: nn.Module, config: TrainConfig) -> torch.optim.AdamW:
    """Return an optimizer with lower rates for lower encoder layers; biases, norms and embeddings do not decay."""
    layers = max((int(layer[1]) for name, _ in model.named_parameters() if (layer := LAYER.search(name))), default=0)

    def choose(name: str, weight: Tensor) -> tuple[float, float]:
        rate = config.head_rate
        if name.startswith("words.encoder."):
            layer = LAYER.search(name)
            above = layers - int(layer[1]) if layer else layers + 1
            rate = config.encoder_rate * config.layer_decay**above
        return rate, config.weight_decay if weight.dim() > 1 and "embed" not in name else 0.0

    return make_adamw(model, choose)


def make_adamw(model: nn.Module, choose: Callable[[str, Tensor], tuple[float, float]]) -> torch.optim.AdamW:
    """Return AdamW over the weights that are trained, with the rate and the decay that `choose` gives each of them."""
    groups: dict[tuple[float, float], list[Tensor]] = {}
    for name, weight in _select_trained_weights(model):
        groups.setdefault(choose(name, weight), []).append(weight)
    parameters = [
        {"params": weights, "lr": rate, "base": rate, "weight_decay": decay}
        for (rate, decay), weights in groups.items()
    ]
    return torch.optim.AdamW(parameters, fused=True)


def set_rate(optimiser: torch.optim.AdamW, step: int, steps: int, warmup: int) -> None:
    """Set the learning rate: it rises linearly during warm-up, then falls linearly to 0 at the last step."""
    factor = min((step + 1) / max(1, warmup), (steps - step) / max(1, steps - warmup))
    for group in optimiser.param_groups:
        group["lr"] = group["base"] * factor


def descend(
    loss: Tensor,
    model: nn.Module,
    optimiser: torch.optim.AdamW,
    average: Average,
    *,
    place: str,
    clip: float,
    step: int,
    steps: int,
    warmup: int,
) -> None:
    """Take a step of gradient descent; `place` is named in the error about a loss that is not finite."""
    value = float(loss.detach())
    if not math.isfinite(value):
        raise CoindexError(
            f"{place}: training diverged: the loss is {value}; restart it with lower rates or more warmup",
            code="diverged",
        )
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    set_rate(optimiser, step, steps, warmup)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    average.update(model)


class Average:
    """The moving average of the trained weights."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.count = 0
        self.weights = {name: weight.detach().clone() for name, weight in _select_trained_weights(model)}

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        self.count += 1
        decay = min(self.decay, self.count / (self.count + 10))
        for name, weight in _select_trained_weights(model):
            self.weights[name].lerp_(weight, 1 - decay)

    @contextmanager
    def swap_in(self, model: nn.Module) -> Iterator[None]:
        """Use the average as the weights of the model."""
        own = {name: weight.detach().clone() for name, weight in _select_trained_weights(model)}
        _copy(model, self.weights)
        try:
            yield
        finally:
            _copy(model, own)

    def state(self) -> dict[str, Any]:
        return {"count": self.count, "weights": self.weights}

    def load(self, state: dict[str, Any]) -> None:
        self.count, self.weights = state["count"], state["weights"]


def _select_trained_weights(model: nn.Module) -> Iterator[tuple[str, Tensor]]:
    return ((name, weight) for name, weight in model.named_parameters() if weight.requires_grad)


@torch.no_grad()
def _copy(model: nn.Module, weights: dict[str, Tensor]) -> None:
    for name, weight in _select_trained_weights(model):
        weight.copy_(weights[name])


LOG_STEPS = 50
"""Steps between two rows of the log."""


@dataclass(frozen=True, slots=True)
class StepLosses:
    """The loss of a step, which is minimised, and its parts, which are logged."""

    total: Tensor
    parts: dict[str, float]
    source: str = ""
    """What the step learns from, for the error about a loss that is not a number."""


class TrainingLoop(ABC):
    """The training of one network, whose state is kept in a checkpoint.

    All that is random in a step depends on the seed, the epoch and the step alone, so that a resumed run computes what
    an uninterrupted one would.
    """

    logs_epochs: ClassVar[bool] = True
    """Whether the last step of an epoch is logged too, and all steps with the minutes so far."""

    def __init__(
        self,
        network: nn.Module,
        settings: TrainingSettings,
        lengths: Sequence[int],
        path: Path,
        *,
        fingerprint: str,
        warmup: int,
        report: Report,
        tick: Tick,
    ) -> None:
        self.network, self.settings = network, settings
        self.lengths = lengths
        """The steps of each epoch."""
        self.path, self.fingerprint, self.warmup = path, fingerprint, warmup
        self.report, self.tick = report, tick
        self.seconds = 0.0
        self.scores: list[dict[str, Any]] = []
        """The rows of evaluations."""
        self.start()

    def start(self) -> None:
        """Set everything to the state before the first step; the weights stay as they are."""
        self.optimiser: torch.optim.AdamW = self.make_optimiser()
        self.average = Average(self.network, self.settings.average)
        self.epoch = 0
        """Epochs that are trained and scored."""
        self.done = 0
        """Steps of the next epoch that are done."""
        self.losses: dict[str, float] = {}
        """The sums of the losses over these steps."""

    @abstractmethod
    def make_optimiser(self) -> torch.optim.AdamW:
        """Return the optimiser of the network."""

    @abstractmethod
    def start_epoch(self) -> None:
        """Prepare the steps of the epoch `epoch`, also in the middle of it when a run is resumed."""

    @abstractmethod
    def compute_losses(self) -> StepLosses:
        """Return the losses of the next step: number `done` of the epoch `epoch`."""

    def evaluate(self) -> dict[str, Any] | None:
        """Return the log row of the scores after an epoch, which averaged weights get; None if it is not scored."""
        return None

    @property
    def label(self) -> dict[str, Any]:
        """The fields of log rows that identify the network being trained."""
        return {}

    @property
    def is_finished(self) -> bool:
        return self.epoch >= self.settings.epochs

    @property
    def steps_before(self) -> int:
        """The steps of all epochs that are done."""
        return sum(self.lengths[: self.epoch]) + self.done

    @property
    def planned_steps(self) -> int:
        """The steps in which the learning rate falls to 0."""
        return sum(self.lengths)

    def run(self) -> None:
        """Train what is left. If the run is stopped, its state is saved first."""
        self.resume()
        try:
            self.train()
        except Stopped:
            self.save()
            raise

    def train(self) -> None:
        """Train and evaluate the epochs that are left."""
        while self.epoch < self.settings.epochs:
            self.train_epoch()
            self.finish_epoch()

    def train_epoch(self) -> None:
        """Train the rest of an epoch; the state is saved at times and at the end."""
        length = self.lengths[self.epoch]
        saved = time.monotonic()
        self.network.train()
        self.start_epoch()
        while self.done < length:
            started = time.monotonic()
            for name, value in self._step().items():
                self.losses[name] = self.losses.get(name, 0.0) + value
            self.done += 1
            now = time.monotonic()
            self.seconds += now - started
            self._report_step(length)
            if now - saved > 60 * self.settings.save_minutes or self.done == length:
                saved = now
                self.save()

    def _step(self) -> dict[str, float]:
        losses = self.compute_losses()
        source = f" ({losses.source})" if losses.source else ""
        descend(
            losses.total,
            self.network,
            self.optimiser,
            self.average,
            place=f"epoch {self.epoch + 1}, step {self.done + 1}{source}",
            clip=self.settings.clip,
            step=self.steps_before,
            steps=self.planned_steps,
            warmup=self.warmup,
        )
        return losses.parts

    def _report_step(self, length: int) -> None:
        means = {name: round(value / self.done, 4) for name, value in self.losses.items()}
        self.tick(Progress(self.epoch + 1, self.settings.epochs, self.done, length, means))
        if self.done % LOG_STEPS == 0 or (self.logs_epochs and self.done == length):
            row = {**self.label, "epoch": self.epoch + 1, "step": self.done, "of": length, **means}
            self.report({**row, "minutes": self.minutes} if self.logs_epochs else row)

    @property
    def minutes(self) -> float:
        """The minutes of training, those of runs before an interruption among them."""
        return round(self.seconds / 60, 1)

    def finish_epoch(self) -> None:
        """Evaluate the network and go on to the next epoch."""
        with self.average.swap_in(self.network):
            row = self.evaluate()
        self.epoch, self.done, self.losses = self.epoch + 1, 0, {}
        if row is not None:
            self.scores.append(row)
            self.save()
            self.report(row)

    def weights(self) -> dict[str, Tensor]:
        """Return the weights that a checkpoint keeps."""
        return own_weights(self.network)

    def load_weights(self, weights: dict[str, Tensor]) -> None:
        """Put these weights into the network."""
        load_own(self.network, weights)

    def save(self) -> None:
        """Write the checkpoint."""
        save_checkpoint(self.path, self.state())

    def state(self) -> dict[str, Any]:
        """Return all that is needed to go on."""
        return {
            "fingerprint": self.fingerprint,
            "model": self.weights(),
            "optimiser": self.optimiser.state_dict(),
            "average": self.average.state(),
            "epoch": self.epoch,
            "done": self.done,
            "losses": self.losses,
            "seconds": self.seconds,
            "scores": self.scores,
        }

    def load(self, state: dict[str, Any]) -> None:
        """Continue from such a state."""
        self.load_weights(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average.load(state["average"])
        self.epoch, self.done = state["epoch"], state["done"]
        self.losses, self.seconds, self.scores = state.get("losses", {}), state["seconds"], state["scores"]

    def upgrade(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return the state of a checkpoint that an older version wrote as this version names it."""
        return state

    def resume(self) -> None:
        """Continue from the checkpoint, if there is one."""
        state = load_checkpoint(self.path, self.fingerprint)
        if state is None:
            return
        self.load(self.upgrade(state))
        if not self.is_finished:
            self.report({"resumed": True, **self.label, "epoch": self.epoch + 1, "step": self.done})
