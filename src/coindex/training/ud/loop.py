"""Training the network: each step reproducible, resumed after a kill."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ...resolvers.ud.network import column_rows
from ..checkpoint import load_checkpoint, save_checkpoint
from ..optimiser import Average, descend
from ..progress import Progress, Report, Stopped, Tick
from .config import UdConfig
from .data import NONE, Example, joined
from .network import UdNetwork, as_tensor

EVERY = 50
"""Steps between two reports."""


class UdRun:
    """The training of one network, with its state in a file."""

    def __init__(
        self,
        config: UdConfig,
        network: UdNetwork,
        corpora: Sequence[tuple[float, Sequence[Example]]],
        path: Path,
        *,
        fingerprint: str,
        score: Callable[[], dict[str, Any]],
        report: Report,
        tick: Tick,
    ) -> None:
        self.config, self.settings, self.network = config, config.train, network
        self.corpora = corpora
        self.path, self.fingerprint = path, fingerprint
        self.score, self.report, self.tick = score, report, tick
        self.orders = [self._batches(epoch) for epoch in range(self.settings.epochs)]
        self.steps = sum(map(len, self.orders))
        decayed = [weight for weight in network.parameters() if weight.dim() > 1]
        others = [weight for weight in network.parameters() if weight.dim() <= 1]
        rate = self.settings.rate
        self.optimiser = torch.optim.AdamW(
            [
                {"params": decayed, "lr": rate, "base": rate, "weight_decay": self.settings.weight_decay},
                {"params": others, "lr": rate, "base": rate, "weight_decay": 0.0},
            ],
            fused=True,
        )
        self.average = Average(network, self.settings.average)
        self.epoch = self.place = self.done = 0
        self.losses: dict[str, float] = {}
        self.seconds = 0.0
        self.scores: list[dict[str, Any]] = []

    def run(self) -> list[dict[str, Any]]:
        """Train what is left; the network has the averaged weights in the end. Gives the scores of dev by epoch."""
        self._resume()
        try:
            while self.epoch < self.settings.epochs:
                self._train_epoch()
                self._evaluate()
        except Stopped:
            self._save()
            raise
        with torch.no_grad():
            for name, weight in self.network.named_parameters():
                weight.copy_(self.average.weights[name])
        self.network.eval()
        return self.scores

    def _batches(self, epoch: int) -> list[list[tuple[int, int]]]:
        """The documents of each step, as corpus and number: short ones of one corpus together."""
        random = np.random.default_rng((self.settings.seed, epoch))
        batches: list[list[tuple[int, int]]] = []
        for corpus, (weight, examples) in enumerate(self.corpora):
            whole = int(weight)
            drawn = [one for _ in range(whole) for one in random.permutation(len(examples)).tolist()]
            rest = round((weight - whole) * len(examples))
            drawn += random.permutation(len(examples))[:rest].tolist()
            batch: list[tuple[int, int]] = []
            size = 0
            for number in drawn:
                batch.append((corpus, number))
                size += examples[number].size
                if size >= self.settings.words:
                    batches.append(batch)
                    batch, size = [], 0
            if batch:
                batches.append(batch)
        return [batches[at] for at in random.permutation(len(batches)).tolist()]

    def _train_epoch(self) -> None:
        saved = time.monotonic()
        order = self.orders[self.epoch]
        while self.place < len(order):
            begun = time.monotonic()
            losses = self._step(order[self.place])
            for name, value in losses.items():
                self.losses[name] = self.losses.get(name, 0.0) + value
            self.place += 1
            self.done += 1
            now = time.monotonic()
            self.seconds += now - begun
            self._tell(len(order))
            if now - saved > 60 * self.settings.save_minutes:
                saved = now
                self._save()

    def _tell(self, of: int) -> None:
        mean = {name: round(value / self.place, 4) for name, value in self.losses.items()}
        self.tick(Progress(self.epoch + 1, self.settings.epochs, self.place, of, mean))
        if self.place % EVERY == 0 or self.place == of:
            row = {"epoch": self.epoch + 1, "step": self.place, "of": of, **mean}
            self.report({**row, "minutes": round(self.seconds / 60, 1)})

    def _step(self, batch: Sequence[tuple[int, int]]) -> dict[str, float]:
        seeds = (self.settings.seed, self.epoch, self.place)
        random = np.random.default_rng(seeds)
        torch.manual_seed(int(random.integers(2**31)))
        self.network.train()
        example = joined([self.corpora[corpus][1][number] for corpus, number in batch])
        style = 0 if random.random() < self.config.model.style_dropout else example.style
        losses = self._losses(example, style)
        loss = losses["link"] + self.settings.mention_weight * losses["mention"]
        descend(
            loss,
            self.network,
            self.optimiser,
            self.average,
            place=f"epoch {self.epoch + 1}, step {self.place + 1}",
            clip=self.settings.clip,
            step=self.done,
            steps=self.steps,
            warmup=round(self.settings.warmup * self.steps),
        )
        return {name: float(value.detach()) for name, value in losses.items()}

    def _losses(self, example: Example, style: int) -> dict[str, Tensor]:
        """Of links: how probable the right antecedents are; of mentions: whether each is one and shares an entity."""
        network, described = self.network, example.described
        count = len(described)
        if not count:
            zero = sum(weight.sum() for weight in network.parameters()) * 0.0
            assert isinstance(zero, Tensor)
            return {"link": zero, "mention": zero}
        states = network.words(example.types)
        places = np.stack([described.head, described.parent, described.start], axis=1)
        styles = torch.full((count,), style)
        hidden, scores = network.mentions(states, as_tensor(places), as_tensor(column_rows(described.columns)), styles)
        linked = torch.from_numpy(example.linked).float()
        mention = functional.binary_cross_entropy_with_logits(scores[:, 0], linked)
        if example.singletons:
            known = torch.from_numpy(example.entity != NONE).float()
            mention = mention + 0.5 * functional.binary_cross_entropy_with_logits(scores[:, 1], known)
        pairs = described.pairs
        anaphor, candidate = as_tensor(pairs.anaphor), as_tensor(pairs.candidate)
        found = network.pairs(
            hidden, scores[:, 0], anaphor, candidate, as_tensor(pairs.features).long(), as_tensor(pairs.classes), styles
        )
        entity = example.entity
        is_right = (entity[pairs.anaphor] == entity[pairs.candidate]) & (entity[pairs.anaphor] != NONE)
        link = link_loss(found, scores[:, 2], anaphor, torch.from_numpy(is_right))
        return {"link": link, "mention": mention}

    def _evaluate(self) -> None:
        number = self.epoch + 1
        if number % self.settings.score_every == 0 or number == self.settings.epochs:
            with self.average.used(self.network):
                found = self.score()
            self.scores.append({"epoch": number, "scores": found})
            self.report({"epoch": number, "scores": found, "minutes": round(self.seconds / 60, 1)})
        self.epoch += 1
        self.place, self.losses = 0, {}
        self._save()

    def _save(self) -> None:
        state = {
            "fingerprint": self.fingerprint,
            "weights": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "average": self.average.state(),
            "epoch": self.epoch,
            "place": self.place,
            "done": self.done,
            "losses": self.losses,
            "seconds": self.seconds,
            "scores": self.scores,
        }
        save_checkpoint(self.path, state)

    def _resume(self) -> None:
        state = load_checkpoint(self.path, self.fingerprint)
        if state is None:
            return
        self.network.load_state_dict(state["weights"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average.load(state["average"])
        self.epoch, self.place, self.done = state["epoch"], state["place"], state["done"]
        self.losses, self.seconds, self.scores = state["losses"], state["seconds"], state["scores"]
        if self.epoch < self.settings.epochs:
            self.report({"resumed": True, "epoch": self.epoch + 1, "step": self.place})


def link_loss(scores: Tensor, new: Tensor, anaphor: Tensor, is_right: Tensor) -> Tensor:
    """The mean over candidates of -log P(right antecedents), or of beginning an entity where there is none."""
    count = len(new)
    top = new.detach().clone()
    top.scatter_reduce_(0, anaphor, scores.detach(), "amax")
    weights = torch.exp(scores - top[anaphor])
    begins = torch.exp(new - top)
    total = begins.index_add(0, anaphor, weights)
    right = torch.zeros(count).index_add(0, anaphor, weights * is_right)
    has = torch.zeros(count).index_add(0, anaphor, is_right.float()) > 0
    chosen = torch.where(has, right, begins)
    return (torch.log(total) - torch.log(chosen.clamp_min(1e-12))).mean()
