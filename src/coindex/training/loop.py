"""The training loop: a document a step, dev scores after each epoch, checkpoints to go on from after any kill."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..resolvers.neural.folder import file_hash
from .checkpoint import load_checkpoint, save_checkpoint
from .config import Config
from .data import Example, Reader, all_tags, anonymous, epoch_order, make_stretch, read_examples
from .evaluation import Dev
from .folder import TrainedModel, new_model, save_model
from .optimiser import Average, make_optimiser, set_rate
from .step import forward

Report = Callable[[dict[str, Any]], None]
CHECKPOINT = "checkpoint.pt"


def train(config: Config, folder: str | Path, read: Reader, report: Report) -> Path:
    """Train a model and give the folder of the best one; an interrupted run in the same folder is resumed."""
    torch.set_num_threads(config.train.threads)
    torch.set_flush_denormal(True)  # tiny numbers make a CPU ten times slower
    run = Run(config, Path(folder), read, report)
    run.resume()
    while run.epoch < config.train.epochs:
        run.train_epoch()
        run.evaluate()
    return run.folder / "best"


class Run:
    """A training run in its folder."""

    def __init__(self, config: Config, folder: Path, read: Reader, report: Report) -> None:
        self.config = config
        self.folder = folder
        self.report = report
        folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(config.train.seed)
        self.examples = [read_examples(c, c.train, read) if c.train else [] for c in config.corpora]
        self.devs = [Dev.of(c, list(read(c.dev))) for c in config.corpora if c.dev]
        self.trained: TrainedModel = new_model(config, all_tags(e for group in self.examples for e in group))
        self.model = self.trained.model
        self.optimiser = make_optimiser(self.model, config.train)
        self.average = Average(self.model, config.train.average)
        self.epoch = 0
        self.done = 0
        """Steps of this epoch."""
        self.seconds = 0.0
        self.scores: list[dict[str, Any]] = []
        self.data = {
            path: file_hash(Path(path)) for c in config.corpora for path in (c.train, c.dev) if path is not None
        }
        self.steps = config.train.epochs * len(self._order(0))

    @property
    def fingerprint(self) -> str:
        """Of what must be the same for a run to go on."""
        text = json.dumps([self.config.settings(), self.data], sort_keys=True, default=list)
        return hashlib.sha256(text.encode()).hexdigest()

    def _order(self, epoch: int) -> list[Example]:
        return epoch_order(self.config.corpora, self.examples, self.config.train.seed, epoch)

    def train_epoch(self) -> None:
        """The rest of an epoch."""
        order = self._order(self.epoch)
        sums: dict[str, float] = {}
        begun = saved = time.monotonic()
        self.model.train()
        for number in range(self.done, len(order)):
            for name, value in self._step(order[number], self.epoch * len(order) + number).items():
                sums[name] = sums.get(name, 0.0) + value
            self.done = number + 1
            now = time.monotonic()
            if self.done % 50 == 0:
                facts = {name: round(value / self.done, 4) for name, value in sums.items()}
                self.report({"epoch": self.epoch, "step": self.done, "of": len(order), **facts})
            if now - saved > 60 * self.config.train.save_minutes:
                self.seconds += now - begun
                begun = saved = now
                self.save()
        self.seconds += time.monotonic() - begun
        self.epoch, self.done = self.epoch + 1, 0

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
        stretch = make_stretch(example, self.trained.pieces, self.trained.tags, window)
        losses = forward(
            self.model,
            stretch,
            self.trained.tags,
            settings,
            corpus=corpus,
            candidates=self.config.decode.candidates,
            features=self.config.model.features,
            draw=rng if drawn else None,
        )
        losses.total.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), settings.clip)
        set_rate(self.optimiser, step, self.steps, settings.warmup)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.average.update(self.model)
        return losses.parts

    def evaluate(self) -> None:
        """Score dev, keep the model if it is the best so far, save the state."""
        with self.average.used(self.model):
            scores = {f"{dev.corpus.name}": dev.score(self.trained.resolver(dev.corpus.name)) for dev in self.devs}
            row = {"epoch": self.epoch, "minutes": round(self.seconds / 60, 1), "scores": scores}
            best = max((_mean(one["scores"]) for one in self.scores), default=-1.0)
            self.scores.append(row)
            if _mean(scores) > best:
                self.save_model("best")
            if self.epoch == self.config.train.epochs:
                self.save_model("last")
        self.report(row)
        self.save()

    def save_model(self, name: str) -> None:
        """The model as it is now, with all that is known of it."""
        facts = {"data": self.data, "epoch": self.epoch, "seed": self.config.train.seed, "scores": self.scores}
        save_model(self.folder / name, self.trained, facts)

    def save(self) -> None:
        """The state of the run."""
        save_checkpoint(
            self.folder / CHECKPOINT,
            {
                "fingerprint": self.fingerprint,
                "model": self.model.state_dict(),
                "optimiser": self.optimiser.state_dict(),
                "average": self.average.state(),
                "epoch": self.epoch,
                "done": self.done,
                "seconds": self.seconds,
                "scores": self.scores,
            },
        )

    def resume(self) -> None:
        """Go on where the last checkpoint was written."""
        state = load_checkpoint(self.folder / CHECKPOINT, self.fingerprint)
        if state is None:
            return
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average.load(state["average"])
        self.epoch, self.done = state["epoch"], state["done"]
        self.seconds, self.scores = state["seconds"], state["scores"]
        self.report({"resumed": True, "epoch": self.epoch, "step": self.done})


def _mean(scores: dict[str, Any]) -> float:
    return float(np.mean([one["conll"] for one in scores.values()])) if scores else 0.0
