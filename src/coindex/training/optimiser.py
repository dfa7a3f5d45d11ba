"""AdamW with a rate for each group of weights, warm-up and linear decay; a moving average of the weights."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from ..errors import CoindexError
from .neural.config import TrainConfig

LAYER = re.compile(r"\b(?:layers?|block)\.(\d+)\.")
"""The number of a layer in the names of weights: `block` in T5."""


def make_optimiser(model: nn.Module, config: TrainConfig) -> torch.optim.AdamW:
    """Lower layers of the encoder learn more slowly; biases, norms and embeddings do not decay."""
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
    for name, weight in _trained_weights(model):
        groups.setdefault(choose(name, weight), []).append(weight)
    parameters = [
        {"params": weights, "lr": rate, "base": rate, "weight_decay": decay}
        for (rate, decay), weights in groups.items()
    ]
    return torch.optim.AdamW(parameters, fused=True)


def set_rate(optimiser: torch.optim.AdamW, step: int, steps: int, warmup: int) -> None:
    """Up in a line during warm-up, then down in a line to 0 at the last step."""
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
    """One step down the loss; `place` says where a loss that is no number was met."""
    value = float(loss.detach())
    if not math.isfinite(value):
        raise CoindexError(
            f"{place}: the loss is {value}; expected a number; begin anew with lower rates or more warmup",
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
        self.weights = {name: weight.detach().clone() for name, weight in _trained_weights(model)}

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        self.count += 1
        decay = min(self.decay, self.count / (self.count + 10))
        for name, weight in _trained_weights(model):
            self.weights[name].lerp_(weight, 1 - decay)

    @contextmanager
    def swap_in(self, model: nn.Module) -> Iterator[None]:
        """The model with the average in place of its weights."""
        own = {name: weight.detach().clone() for name, weight in _trained_weights(model)}
        _copy(model, self.weights)
        try:
            yield
        finally:
            _copy(model, own)

    def state(self) -> dict[str, Any]:
        return {"count": self.count, "weights": self.weights}

    def load(self, state: dict[str, Any]) -> None:
        self.count, self.weights = state["count"], state["weights"]


def _trained_weights(model: nn.Module) -> Iterator[tuple[str, Tensor]]:
    return ((name, weight) for name, weight in model.named_parameters() if weight.requires_grad)


@torch.no_grad()
def _copy(model: nn.Module, weights: dict[str, Tensor]) -> None:
    for name, weight in _trained_weights(model):
        weight.copy_(weights[name])
