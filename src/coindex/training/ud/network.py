"""The network as torch trains it. What it computes is computed without torch in `resolvers.ud`."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ...resolvers.neural.words import Floats, Ints
from ...resolvers.ud.mentions import CLASSES, UNKNOWN, WordTypes
from ...resolvers.ud.mentions import WIDTH as COLUMN_WIDTH
from ...resolvers.ud.network import EPSILON
from ...resolvers.ud.pairs import WIDTH as PAIR_WIDTH
from ...resolvers.ud.pairs import Places
from .config import UdModelConfig


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
        """[words, word]"""
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
        """The weights as numpy uses them."""
        found: dict[str, Tensor] = {"words.embed": self.embed.weight}
        for number, (layer, norm) in enumerate(zip(self.layers, self.norms, strict=True)):
            found |= {
                f"words.{number}.weight": layer.weight,
                f"words.{number}.bias": layer.bias,
                f"words.{number}.scale": norm.weight,
                f"words.{number}.shift": norm.bias,
            }
        return found


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
        """Hidden vectors and scores of candidates; `style` has one number for each."""
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
        """Scores of pairs."""
        hot = torch.zeros(len(features), PAIR_WIDTH).scatter_(1, features, 1.0)
        found = hot @ self.pair_features.weight
        found = found + self.pair_classes(classes) + self.pair_style(style)[anaphor] + self.pair_bias
        found = found + self.anaphor(hidden)[anaphor] + self.antecedent(hidden)[candidate]
        found = self.pair_dropout(torch.relu(self.second(torch.relu(found))))
        product = (self.query(hidden)[anaphor] * self.key(hidden)[candidate]).sum(1)
        return self.out(found).squeeze(1) + product + self.linked * linked[candidate]

    def arrays(self) -> dict[str, Floats]:
        """All weights, as numpy uses them."""
        found = self.words.arrays() | {
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
        return {name: weight.detach().numpy().copy() for name, weight in found.items()}


def as_tensor(rows: Ints | Places) -> Tensor:
    """The same numbers for torch."""
    return torch.from_numpy(np.ascontiguousarray(rows))
