"""The network of the tagger: a frozen lower part of an encoder, upper layers that are tuned, tags for each word."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ...document import Kind
from ...resolvers.cross.tags import KindTags
from ...resolvers.neural.windows import Batch
from ...resolvers.neural.words import SHAPES, Floats
from ...settings import ConfigError
from ..adapters import layers_of, run_layers
from ..layers import zeros
from .config import TaggerConfig


class Plain(nn.Module):
    """An encoder of layers as it came, parted in two: below, and above."""

    def __init__(self, base: Any, frozen: int) -> None:
        super().__init__()
        layers = layers_of(base)
        if layers is None or frozen > len(layers):
            found = "no list of layers" if layers is None else f"{len(layers)} layers"
            raise ConfigError(
                f"model: {type(base).__name__} has {found}; expected an encoder such as BERT, RoBERTa or MPNet with at "
                f"least the {frozen} frozen ones; take another, or lower frozen"
            )
        self.base = base.requires_grad_(False)
        self.frozen = frozen

    @property
    def hidden(self) -> int:
        return int(self.base.config.hidden_size)

    @property
    def upper(self) -> Any:
        """The layers above the frozen ones."""
        return self.base.encoder.layer[self.frozen :]

    def lower(self, ids: Tensor, mask: Tensor) -> Tensor:
        """[windows, pieces, hidden]"""
        states = self.base.embeddings(input_ids=ids)
        project = getattr(self.base, "embeddings_project", None)
        return run_layers(
            self.base, self.base.encoder.layer[: self.frozen], states if project is None else project(states), mask
        )

    def train(self, mode: bool = True) -> Plain:
        """Never: it has nothing to learn, and no dropout."""
        super().train(False)
        return self


class Branch(nn.Module):
    """Upper layers and the tags of the kinds that share them."""

    def __init__(self, plain: Plain, outputs: int, config: TaggerConfig) -> None:
        super().__init__()
        self.layers = copy.deepcopy(plain.upper).requires_grad_(True)
        self.shape = zeros(len(SHAPES), plain.hidden)
        self.dense = nn.Linear(plain.hidden, plain.hidden)
        self.tags = nn.Linear(plain.hidden, outputs)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, base: Any, states: Tensor, mask: Tensor, words: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        piece_index, piece_weight, word_shapes = words
        states = run_layers(base, self.layers, states, mask)
        # [words, pieces of a word, hidden]
        parts = functional.embedding(piece_index, states.flatten(0, 1))
        # [words, hidden]
        vectors = (parts * piece_weight.unsqueeze(-1)).sum(1) + self.shape(word_shapes)
        vectors = self.dropout(vectors)
        vectors = self.dropout(functional.gelu(self.dense(vectors)) + vectors)
        tags: Tensor = self.tags(vectors)
        return tags


class TagNetwork(nn.Module):
    """Pieces to the scores of tags, those of all kinds side by side."""

    def __init__(self, base: Any, tags: Mapping[Kind, KindTags], config: TaggerConfig) -> None:
        super().__init__()
        self.plain = Plain(base, config.frozen)
        self.branches = nn.ModuleList(
            Branch(self.plain, sum(tags[kind].outputs for kind in kinds), config) for kinds in config.branches
        )

    def forward(self, ids: Tensor, mask: Tensor, *words: Tensor) -> Tensor:
        with torch.no_grad():
            states = self.plain.lower(ids, mask)
        return self.upper(states, mask, *words)

    def upper(self, states: Tensor, mask: Tensor, *words: Tensor) -> Tensor:
        """[words, tags]"""
        index, weight, shapes = words
        return torch.cat([one(self.plain.base, states, mask, (index, weight, shapes)) for one in self.branches], dim=1)


def batch_inputs(batch: Batch) -> tuple[Tensor, ...]:
    """The inputs of the network, in its order."""
    arrays = (batch.ids, batch.mask, batch.piece_index, batch.piece_weight, batch.word_shapes)
    return tuple(map(torch.from_numpy, arrays))


class TorchTags:
    """The network behind the protocol of the runtime, so that dev is tagged by the code that users run."""

    def __init__(self, network: TagNetwork) -> None:
        self.network = network

    @torch.inference_mode()
    def __call__(self, batch: Batch) -> Floats:
        self.network.eval()
        scores: Floats = self.network(*batch_inputs(batch)).numpy()
        return scores


def trained_weights(network: TagNetwork) -> dict[str, Tensor]:
    """What is learned, by name."""
    return {name: weight.detach() for name, weight in network.named_parameters() if weight.requires_grad}


@torch.no_grad()
def put_weights(network: TagNetwork, weights: Mapping[str, Tensor]) -> None:
    """Put learned weights in place."""
    for name, weight in network.named_parameters():
        if weight.requires_grad:
            weight.copy_(weights[name])
