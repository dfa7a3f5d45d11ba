"""Training a tagger: several members from one beginning, each step reproducible, resumed after a kill."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ...document import Document, Kind
from ...resolvers.cross.tagger import Tagger
from ...resolvers.cross.tags import KindTags
from ...resolvers.cross.windows import window_batch
from ...resolvers.neural.folder import make_pieces
from ...resolvers.neural.words import Pieces
from ..checkpoint import load_checkpoint, save_checkpoint
from ..config import ModelConfig
from ..encoders import load_encoder, load_tokenizer
from ..folder import check_window, load_or_refuse
from ..optimiser import Average, descend
from ..progress import Progress, Report, Stopped, Tick
from .batches import LowerStates, epoch_batches
from .config import CrossConfig, TaggerConfig, TaggerTraining
from .data import Examples, make_examples
from .network import TagNetwork, TorchTags, batch_inputs, put_weights, trained_weights

EVERY = 50
"""Steps between two reports."""


@dataclass(frozen=True)
class TrainedTagger:
    """A network with what is needed to use it."""

    config: TaggerConfig
    network: TagNetwork
    tags: Mapping[Kind, KindTags]
    pieces: Pieces
    tokenizer: Any

    def tagger(self) -> Tagger:
        """The tagger that computes with torch."""
        scorer = TorchTags(self.network)
        return Tagger(scorer, self.pieces, self.tags, windows=self.config.windows, limit=self.config.window)


def new_tagger(
    config: TaggerConfig, tags: Mapping[Kind, KindTags], seed: int, *, attention: str = "sdpa"
) -> TrainedTagger:
    """An untrained one; what is new in it depends on the seed alone."""
    shape = ModelConfig(encoder=config.encoder, encoder_dropout=config.encoder_dropout)
    encoder = load_or_refuse(lambda: load_encoder(shape, attention=attention), shape)
    tokenizer = load_or_refuse(lambda: load_tokenizer(shape), shape)
    check_window("model: window", config.window, encoder)
    torch.manual_seed(seed)
    return TrainedTagger(config, TagNetwork(encoder, tags, config), tags, make_pieces(tokenizer), tokenizer)


class TaggerRun:
    """The training of one tagger, with its state in a file. `name` says in reports which one it is."""

    def __init__(
        self,
        config: CrossConfig,
        docs: Sequence[Document],
        tags: Mapping[Kind, KindTags],
        path: Path,
        *,
        name: str,
        members: int,
        fingerprint: str,
        report: Report,
        tick: Tick,
    ) -> None:
        self.settings = config.train
        self.path, self.name, self.members = path, name, members
        self.report, self.tick = report, tick
        self.fingerprint = hashlib.sha256(json.dumps([fingerprint, name]).encode()).hexdigest()
        self.trained = new_tagger(config.model, tags, self.settings.seed)
        self.network = self.trained.network
        self.examples: Examples = make_examples(docs, self.trained.pieces, tags, config.model)
        self.lower = LowerStates(self.network, self.examples, self.trained.pieces)
        self.first = {name: weight.clone() for name, weight in trained_weights(self.network).items()}
        self.per_epoch = math.ceil(len(self.examples.windows) / self.settings.batch)
        self.steps = self.settings.epochs * self.per_epoch
        self.finished: list[dict[str, Tensor]] = []
        """The weights of members that are trained."""
        self.seconds = 0.0
        self._begin()

    def _begin(self) -> None:
        """The next member, from where all begin."""
        self.member = len(self.finished)
        put_weights(self.network, self.first)
        self.optimiser = _optimiser(self.network, self.settings)
        self.average = Average(self.network, self.settings.average)
        self.done = 0
        """Steps of this member."""
        self.loss = 0.0
        """The sum over the steps of its epoch."""

    def run(self) -> TrainedTagger:
        """Train what is left, and give the tagger whose weights are the mean of those of all members."""
        self._resume()
        try:
            while len(self.finished) < self.members:
                self._train_member()
        except Stopped:
            self._save()
            raise
        mean = {name: torch.stack([one[name] for one in self.finished[: self.members]]).mean(0) for name in self.first}
        put_weights(self.network, mean)
        self.network.eval()
        return self.trained

    def _train_member(self) -> None:
        saved = time.monotonic()
        while self.done < self.steps:
            begun = time.monotonic()
            epoch, place = divmod(self.done, self.per_epoch)
            self.loss = self._step(epoch, place) + (self.loss if place else 0.0)
            self.done += 1
            now = time.monotonic()
            self.seconds += now - begun
            self._tell(epoch, place + 1)
            if now - saved > 60 * self.settings.save_minutes:
                saved = now
                self._save()
        with self.average.used(self.network):
            self.finished.append({name: weight.clone() for name, weight in trained_weights(self.network).items()})
        if len(self.finished) < self.members:
            self._begin()
        self._save()

    def _tell(self, epoch: int, step: int) -> None:
        mean = {"tag": round(self.loss / step, 4)}
        self.tick(Progress(epoch + 1, self.settings.epochs, step, self.per_epoch, mean))
        if step % EVERY == 0 or step == self.per_epoch:
            place = {"tagger": self.name, "member": self.member + 1, "epoch": epoch + 1, "step": step}
            self.report({**place, "of": self.per_epoch, **mean, "minutes": round(self.seconds / 60, 1)})

    def _step(self, epoch: int, place: int) -> float:
        """All that is random depends on seed, member and step, so a resumed run draws what the first would have."""
        seeds = (self.settings.seed, self.member, epoch)
        order = epoch_batches(self.examples.windows, self.settings.batch, np.random.default_rng(seeds))
        torch.manual_seed(int(np.random.default_rng((*seeds, place)).integers(2**31)))
        self.network.train()
        loss = self._loss(order[place])
        descend(
            loss,
            self.network,
            self.optimiser,
            self.average,
            place=f"epoch {epoch + 1}, step {place + 1}",
            clip=self.settings.clip,
            step=self.done,
            steps=self.steps,
            warmup=round(self.settings.warmup * self.steps),
        )
        return float(loss.detach())

    def _loss(self, numbers: Sequence[int]) -> Tensor:
        """Cross-entropy, the sum over the kinds."""
        windows = [self.examples.windows[number] for number in numbers]
        ids, mask, *words = batch_inputs(window_batch(self.examples.texts, windows, self.trained.pieces))
        scores = self.network.upper(self.lower(numbers, ids, mask), mask, *words)
        # [words, kinds]
        targets = self.examples.targets
        wanted = torch.from_numpy(np.concatenate([targets[one.text][slice(*one.span)] for one in windows]))
        parts = scores.split([one.outputs for one in self.trained.tags.values()], dim=1)
        losses = [
            functional.cross_entropy(part, wanted[:, number], label_smoothing=self.settings.smoothing)
            for number, part in enumerate(parts)
        ]
        return torch.stack(losses).sum()

    def _save(self) -> None:
        state = {
            "fingerprint": self.fingerprint,
            "weights": trained_weights(self.network),
            "optimiser": self.optimiser.state_dict(),
            "average": self.average.state(),
            "finished": self.finished,
            "member": self.member,
            "done": self.done,
            "loss": self.loss,
            "seconds": self.seconds,
        }
        save_checkpoint(self.path, state)

    def _resume(self) -> None:
        state = load_checkpoint(self.path, self.fingerprint)
        if state is None:
            return
        put_weights(self.network, state["weights"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average.load(state["average"])
        self.finished, self.member = state["finished"], state["member"]
        self.done, self.loss, self.seconds = state["done"], state["loss"], state["seconds"]
        if len(self.finished) < self.members:
            if self.member < len(self.finished):  # it was the last one that was wanted
                self._begin()
            epoch, step = divmod(self.done, self.per_epoch)
            self.report(
                {"resumed": True, "tagger": self.name, "member": self.member + 1, "epoch": epoch + 1, "step": step}
            )


def _optimiser(network: TagNetwork, settings: TaggerTraining) -> torch.optim.AdamW:
    """Layers of the encoder learn more slowly than what is new; biases, norms and embeddings do not decay."""
    groups: dict[tuple[float, float], list[Tensor]] = {}
    for name, weight in network.named_parameters():
        if weight.requires_grad:
            own = settings.encoder_rate if ".layers." in name else settings.head_rate
            decay = settings.weight_decay if weight.dim() > 1 and "shape" not in name else 0.0
            groups.setdefault((own, decay), []).append(weight)
    parameters = [
        {"params": weights, "lr": own, "base": own, "weight_decay": decay} for (own, decay), weights in groups.items()
    ]
    return torch.optim.AdamW(parameters, fused=True)
