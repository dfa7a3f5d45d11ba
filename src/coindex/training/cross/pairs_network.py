"""Networks beside the trees of a pair scorer, trained with torch and kept as arrays of `resolvers.cross.perceptron`."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ...resolvers.cross.collection import Floats
from ...resolvers.cross.scorer import MOST, Perceptrons
from .pairs_config import PairsConfig
from .pairs_trees import Rows

BATCH = 1024
EPOCHS = 8
RATE = 2e-3
DECAY = 0.05
DROPOUT, HIDDEN_DROPOUT = 0.1, 0.3


def train_networks(rows: Rows, targets: NDArray[np.bool_], weights: Floats, config: PairsConfig) -> Perceptrons:
    """Networks whose mean is the logit of being the same, each begun anew."""
    mean, scale = rows.mean(axis=0, dtype=np.float64), rows.std(axis=0, dtype=np.float64) + 1e-6
    inputs = torch.from_numpy(np.clip((rows - mean) / scale, -MOST, MOST).astype(np.float32))
    wanted, share = (torch.from_numpy(part.astype(np.float32)) for part in (targets, weights))
    networks = [_trained(inputs, wanted, share, config, config.seed + member) for member in range(config.networks)]
    layers = [[layer for layer in network if isinstance(layer, nn.Linear)] for network in networks]
    first, second, last = (np.stack([_with_bias(own[place]) for own in layers]) for place in range(3))
    return Perceptrons(mean.astype(np.float32), scale.astype(np.float32), first, second, last[:, :, 0])


def _trained(inputs: Any, wanted: Any, share: Any, config: PairsConfig, seed: int) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _new(inputs.shape[1], config.hidden)
        batches = max(1, len(wanted) // BATCH)
        optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
        rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=EPOCHS * batches + 1)
        for _ in range(EPOCHS):
            for chosen in torch.randperm(len(wanted)).tensor_split(batches):
                logits = network(inputs[chosen])[:, 0]
                losses = nn.functional.binary_cross_entropy_with_logits(logits, wanted[chosen], reduction="none")
                optimizer.zero_grad()
                (losses * share[chosen]).mean().backward()
                optimizer.step()
                rates.step()
    return network


def _new(columns: int, hidden: int) -> Any:
    return nn.Sequential(
        nn.Dropout(DROPOUT),
        nn.Linear(columns, hidden),
        nn.ReLU(),
        nn.Dropout(HIDDEN_DROPOUT),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Dropout(HIDDEN_DROPOUT),
        nn.Linear(hidden, 1),
    )


def _with_bias(layer: Any) -> NDArray[np.float32]:
    """[inputs + 1, outputs]"""
    weight, bias = layer.weight.detach().numpy(), layer.bias.detach().numpy()
    joined: NDArray[np.float32] = np.concatenate([weight.T, bias[None]]).astype(np.float32)
    return joined
