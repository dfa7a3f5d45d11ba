"""The network as torch trains it. What it computes is computed without torch in `resolvers.ud`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ...resolvers.neural.words import Floats, Ints
from ...resolvers.ud.mentions import CLASSES, UNKNOWN, WordTypes
from ...resolvers.ud.mentions import WIDTH as COLUMN_WIDTH
from ...resolvers.ud.network import EPSILON, column_rows
from ...resolvers.ud.pairs import WIDTH as PAIR_WIDTH
from ...resolvers.ud.pairs import Places
from ..loop import StepLosses, TrainingLoop
from ..run import Report, Tick
from .config import UdConfig, UdModelConfig, UdTraining
from .data import NONE, Example, join_examples


class WordNetwork(nn.Module):
    """Labels of words to states; each layer looks at the words beside a word, at its parent and at its children."""

    def __init__(self, labels: int, config: UdModelConfig) -> None:
        super().__init__()
        size = config.word
        self.embed = nn.Embedding(labels, size, padding_idx=UNKNOWN)
        nn.init.normal_(self.embed.weight, std=0.3)
        with torch.no_grad():
            self.embed.weight[UNKNOWN] = 0
        self.layers = nn.ModuleList(nn.Linear(5 * size, size) for _ in range(config.layers))
        self.norms = nn.ModuleList(nn.LayerNorm(size, eps=EPSILON) for _ in range(config.layers))
        self.dropout = nn.Dropout(config.dropout)
        self.label_dropout = config.label_dropout

    def forward(self, types: WordTypes) -> Tensor:
        """Return the vectors of words: [words, word]."""
        labels, of = as_tensor(types.labels), as_tensor(types.of)
        before, after, parent = as_tensor(types.before), as_tensor(types.after), as_tensor(types.parent)
        # [types, labels]
        if self.training and self.label_dropout:
            labels = labels * (torch.rand(labels.shape) >= self.label_dropout)
        states = functional.embedding_bag(labels, self.embed.weight, mode="sum", padding_idx=UNKNOWN)[of]
        count = len(of)
        share = 1 / torch.bincount(parent, minlength=count + 1)[:count].clamp_min(1).float()[:, None]
        for layer, norm in zip(self.layers, self.norms, strict=True):
            padded = torch.cat([states, torch.zeros_like(states[:1])])
            below = torch.zeros_like(padded).index_add(0, parent, states)[:count] * share
            around = torch.cat([states, padded[before], padded[after], padded[parent], below], dim=1)
            states = norm(states + self.dropout(torch.relu(layer(around))))
        return states

    def arrays(self) -> dict[str, Tensor]:
        """Return all weights as numpy arrays."""
        weights: dict[str, Tensor] = {"words.embed": self.embed.weight}
        for number, (layer, norm) in enumerate(zip(self.layers, self.norms, strict=True)):
            weights |= {
                f"words.{number}.weight": layer.weight,
                f"words.{number}.bias": layer.bias,
                f"words.{number}.scale": norm.weight,
                f"words.{number}.shift": norm.bias,
            }
        return weights


class UdNetwork(nn.Module):
    """Words, mentions, pairs."""

    def __init__(self, labels: int, styles: int, config: UdModelConfig) -> None:
        super().__init__()
        size, pair = config.mention, config.pair
        self.words = WordNetwork(labels, config)
        self.mention_words = nn.Linear(3 * config.word, size)
        self.mention_columns = nn.Embedding(COLUMN_WIDTH, size)
        self.mention_style = nn.Embedding(styles, size)
        self.mention_out = nn.Linear(size, 3)
        self.anaphor = nn.Linear(size, pair, bias=False)
        self.antecedent = nn.Linear(size, pair, bias=False)
        self.pair_features = nn.Embedding(PAIR_WIDTH, pair)
        self.pair_classes = nn.Embedding(len(CLASSES) ** 2, pair)
        self.pair_style = nn.Embedding(styles, pair)
        self.pair_bias = nn.Parameter(torch.zeros(pair))
        self.second = nn.Linear(pair, config.second)
        self.out = nn.Linear(config.second, 1, bias=False)
        self.linked = nn.Parameter(torch.tensor(0.3))
        self.query = nn.Linear(size, config.query, bias=False)
        self.key = nn.Linear(size, config.query, bias=False)
        self.dropout = nn.Dropout(config.dropout)
        self.pair_dropout = nn.Dropout(config.pair_dropout)
        for weight in (self.query.weight, self.key.weight):
            nn.init.normal_(weight, std=0.02)
        for table in (self.mention_columns, self.mention_style, self.pair_features, self.pair_classes, self.pair_style):
            nn.init.normal_(table.weight, std=0.1)

    def mentions(self, states: Tensor, places: Tensor, columns: Tensor, style: Tensor) -> tuple[Tensor, Tensor]:
        """Return the hidden vectors and scores of candidates; `style` has one number for each."""
        # places [candidates, 3], columns [candidates, columns]
        hidden = self.mention_words(states[places].flatten(1))
        hidden = hidden + functional.embedding_bag(columns, self.mention_columns.weight, mode="sum")
        hidden = torch.relu(hidden + self.mention_style(style))
        hidden = self.dropout(hidden)
        return hidden, self.mention_out(hidden)

    def pairs(
        self, hidden: Tensor, linked: Tensor, anaphor: Tensor, candidate: Tensor, features: Tensor, classes: Tensor,
        style: Tensor,
    ) -> Tensor:  # fmt: skip
        """Return the scores of pairs."""
        hot = torch.zeros(len(features), PAIR_WIDTH).scatter_(1, features, 1.0)
        scores = hot @ self.pair_features.weight
        scores = scores + self.pair_classes(classes) + self.pair_style(style)[anaphor] + self.pair_bias
        scores = scores + self.anaphor(hidden)[anaphor] + self.antecedent(hidden)[candidate]
        scores = self.pair_dropout(torch.relu(self.second(torch.relu(scores))))
        product = (self.query(hidden)[anaphor] * self.key(hidden)[candidate]).sum(1)
        return self.out(scores).squeeze(1) + product + self.linked * linked[candidate]

    def arrays(self) -> dict[str, Floats]:
        """Return all weights as numpy arrays."""
        weights = self.words.arrays() | {
            "mention.words": self.mention_words.weight,
            "mention.bias": self.mention_words.bias,
            "mention.columns": self.mention_columns.weight,
            "mention.style": self.mention_style.weight,
            "mention.out": self.mention_out.weight,
            "mention.out_bias": self.mention_out.bias,
            "pair.anaphor": self.anaphor.weight,
            "pair.antecedent": self.antecedent.weight,
            "pair.features": self.pair_features.weight,
            "pair.classes": self.pair_classes.weight,
            "pair.style": self.pair_style.weight,
            "pair.bias": self.pair_bias,
            "pair.second": self.second.weight,
            "pair.second_bias": self.second.bias,
            "pair.out": self.out.weight[0],
            "pair.linked": self.linked,
            "pair.query": self.query.weight,
            "pair.key": self.key.weight,
        }
        return {name: weight.detach().numpy().copy() for name, weight in weights.items()}


def as_tensor(rows: Ints | Places) -> Tensor:
    """Convert the array to a tensor."""
    return torch.from_numpy(np.ascontiguousarray(rows))


def make_batches(
    corpora: Sequence[tuple[float, Sequence[Example]]], settings: UdTraining, epoch: int
) -> list[list[tuple[int, int]]]:
    """Return the documents of each step of an epoch, as corpus and number: short ones of one corpus together."""
    random = np.random.default_rng((settings.seed, epoch))
    batches: list[list[tuple[int, int]]] = []
    for corpus, (weight, examples) in enumerate(corpora):
        whole = int(weight)
        drawn = [example for _ in range(whole) for example in random.permutation(len(examples)).tolist()]
        rest = round((weight - whole) * len(examples))
        drawn += random.permutation(len(examples))[:rest].tolist()
        batch: list[tuple[int, int]] = []
        size = 0
        for number in drawn:
            batch.append((corpus, number))
            size += examples[number].size
            if size >= settings.words:
                batches.append(batch)
                batch, size = [], 0
        if batch:
            batches.append(batch)
    return [batches[at] for at in random.permutation(len(batches)).tolist()]


class UdLoop(TrainingLoop):
    """The training of one network. In the end it has the averaged weights."""

    def __init__(
        self,
        config: UdConfig,
        network: UdNetwork,
        corpora: Sequence[tuple[float, Sequence[Example]]],
        path: Path,
        *,
        fingerprint: str,
        score: Callable[[int], dict[str, Any]],
        report: Report,
        tick: Tick,
    ) -> None:
        self.config, self.corpora, self.score = config, corpora, score
        self.orders = [make_batches(corpora, config.train, epoch) for epoch in range(config.train.epochs)]
        lengths = [len(order) for order in self.orders]
        self.network: UdNetwork = network
        super().__init__(
            network,
            config.train,
            lengths,
            path,
            fingerprint=fingerprint,
            warmup=round(config.train.warmup * sum(lengths)),
            report=report,
            tick=tick,
        )

    def make_optimiser(self) -> torch.optim.AdamW:
        rate, decay = self.config.train.rate, self.config.train.weight_decay
        decayed = [weight for weight in self.network.parameters() if weight.dim() > 1]
        others = [weight for weight in self.network.parameters() if weight.dim() <= 1]
        return torch.optim.AdamW(
            [
                {"params": decayed, "lr": rate, "base": rate, "weight_decay": decay},
                {"params": others, "lr": rate, "base": rate, "weight_decay": 0.0},
            ],
            fused=True,
        )

    def train(self) -> None:
        super().train()
        with torch.no_grad():
            for name, weight in self.network.named_parameters():
                weight.copy_(self.average.weights[name])
        self.network.eval()

    def start_epoch(self) -> None:
        self.order = self.orders[self.epoch]

    def compute_losses(self) -> StepLosses:
        random = np.random.default_rng((self.config.train.seed, self.epoch, self.done))
        torch.manual_seed(int(random.integers(2**31)))
        example = join_examples([self.corpora[corpus][1][number] for corpus, number in self.order[self.done]])
        style = 0 if random.random() < self.config.model.style_dropout else example.style
        losses = self._losses(example, style)
        total = losses["link"] + self.config.train.mention_weight * losses["mention"]
        return StepLosses(total, {name: float(value.detach()) for name, value in losses.items()})

    def _losses(self, example: Example, style: int) -> dict[str, Tensor]:
        """Return the loss of links and the loss of mentions: whether each is one and shares an entity."""
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
        links = network.pairs(
            hidden, scores[:, 0], anaphor, candidate, as_tensor(pairs.features).long(), as_tensor(pairs.classes), styles
        )
        entity = example.entity
        is_right = (entity[pairs.anaphor] == entity[pairs.candidate]) & (entity[pairs.anaphor] != NONE)
        link = link_loss(links, scores[:, 2], anaphor, torch.from_numpy(is_right))
        return {"link": link, "mention": mention}

    def evaluate(self) -> dict[str, Any] | None:
        number = self.epoch + 1
        if number % self.config.train.score_every and number != self.config.train.epochs:
            return None
        return {"epoch": number, "scores": self.score(number), "minutes": self.minutes}

    def upgrade(self, state: dict[str, Any]) -> dict[str, Any]:
        """Convert the state of version 0.1, where `done` counted the steps of all epochs and `place` those of one."""
        return state if "model" in state else {**state, "model": state["weights"], "done": state["place"]}


def link_loss(scores: Tensor, new: Tensor, anaphor: Tensor, is_right: Tensor) -> Tensor:
    """Return the mean over candidates of -log P(right antecedents), or of a new entity if there are none."""
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
