"""Load encoders by name or folder (BERT and relatives, the encoder half of T5), and add adapters to them.

Adapters are products of two thin matrices beside the weights of the upper layers, which stay unchanged. A model of
adapters has only a few megabytes in addition to the encoder. The output of the lowest layers, which have no adapters,
is computed once for each window and cached, which makes training faster.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..settings import ConfigError
from .neural.config import ModelConfig

KEPT = 4000
"""The number of batches for which the output of the lowest layers is cached, in 16 bits."""
MASKED = -1e4


class States(NamedTuple):
    """What an encoder gives, by the name that Hugging Face has for it."""

    last_hidden_state: Tensor


class Adapter(nn.Module):
    """A linear layer that stays as it is, and a product of two thin ones beside it."""

    def __init__(self, linear: nn.Linear, rank: int, dropout: float) -> None:
        super().__init__()
        self.linear = linear
        self.down = nn.Linear(linear.in_features, rank, bias=False)
        self.up = nn.Linear(rank, linear.out_features, bias=False)
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.down.weight, std=1 / math.sqrt(linear.in_features))
        nn.init.zeros_(self.up.weight)

    def forward(self, inputs: Tensor) -> Tensor:
        total: Tensor = self.linear(inputs) + self.up(self.down(self.dropout(inputs)))
        return total

    @torch.no_grad()
    def merge(self) -> nn.Linear:
        """Return a single layer that computes the same."""
        self.linear.weight += self.up.weight @ self.down.weight
        return self.linear


class MpnetAttention(nn.Module):
    """The attention of MPNet by the fused kernel, which its own code does not use; the mask has its position bias."""

    def __init__(self, own: Any) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = own.q, own.k, own.v, own.o
        self.size = own.attention_head_size

    def forward(self, states: Tensor, attention_mask: Tensor, *_: Any, **__: Any) -> tuple[Tensor]:
        shape = (*states.shape[:-1], -1, self.size)
        q, k, v = (part(states).view(shape).transpose(1, 2) for part in (self.q, self.k, self.v))
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=attention_mask)
        return (self.o(mixed.transpose(1, 2).flatten(2)),)


def layers_of(base: Any) -> Any:
    """Return the list of layers of an encoder for `run_layers`; None if it has no such list."""
    layers = getattr(getattr(base, "encoder", None), "layer", None)
    if layers is not None and hasattr(base.encoder, "compute_position_bias"):
        for layer in layers:
            layer.attention.attn = MpnetAttention(layer.attention.attn)
    return layers


def run_layers(base: Any, layers: Iterable[nn.Module], states: Tensor, mask: Tensor) -> Tensor:
    """Run some layers of an encoder, one after another: [windows, pieces, hidden]."""
    # [windows, 1, 1, pieces], with a position bias [windows, heads, pieces, pieces]
    extra = (1 - mask[:, None, None, :].to(states.dtype)) * MASKED
    if hasattr(base.encoder, "compute_position_bias"):
        extra = extra + base.encoder.compute_position_bias(states)
    for layer in layers:
        given = layer(states, extra)
        states = given[0] if isinstance(given, tuple) else given
    return states


class AdaptedEncoder(nn.Module):
    """An encoder of layers (BERT, RoBERTa, MPNet …) with adapters in the upper ones.

    What the rest of the model adds to its input it adds above the frozen layers.
    """

    def __init__(self, base: Any, config: ModelConfig) -> None:
        super().__init__()
        layers = layers_of(base)
        if layers is None or not config.frozen < len(layers):
            depth = "no list of layers" if layers is None else f"{len(layers)} layers"
            raise ConfigError(
                f"model: {type(base).__name__} has {depth}, but adapters need more layers than the {config.frozen} "
                "frozen ones; use an encoder such as BERT, RoBERTa or MPNet, remove adapter, or lower frozen"
            )
        self.base = base.requires_grad_(False)
        self.config = base.config
        self.frozen = config.frozen
        self._kept: dict[bytes, Tensor] = {}
        for layer in layers[config.frozen :]:
            _adapt(layer, config.adapter, config.encoder_dropout)

    def get_input_embeddings(self) -> Any:
        return self.base.get_input_embeddings()

    def lower(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the output of the frozen layers: [windows, pieces, hidden]."""
        if torch.jit.is_tracing():
            return self._lower(ids, mask)
        key = ids.numpy().tobytes() + mask.numpy().tobytes()
        states = self._kept.get(key)
        if states is None:
            states = self._lower(ids, mask)
            if self.training and len(self._kept) < KEPT:
                self._kept[key] = states.half()
        return states.float()

    @torch.no_grad()
    def _lower(self, ids: Tensor, mask: Tensor) -> Tensor:
        was = self.base.training
        self.base.eval()  # no dropout: what is kept must always be the same
        states = self._run(self.base.embeddings(input_ids=ids), mask, 0, self.frozen)
        self.base.train(was)
        return states

    def forward(self, inputs_embeds: Tensor, attention_mask: Tensor) -> States:
        """Run the upper layers on the output of the frozen ones."""
        return States(self._run(inputs_embeds, attention_mask, self.frozen, len(self.base.encoder.layer)))

    def _run(self, states: Tensor, mask: Tensor, first: int, last: int) -> Tensor:
        return run_layers(self.base, self.base.encoder.layer[first:last], states, mask)

    def merge(self) -> None:
        """Put the adapters into the layers beside them: the same function in fewer steps."""
        for module in list(self.base.modules()):
            for name, child in list(module.named_children()):
                if isinstance(child, Adapter):
                    setattr(module, name, child.merge())


def _adapt(layer: nn.Module, rank: int, dropout: float) -> None:
    """Add adapters to all linear layers; the few weights of the norms are trained directly."""
    for module in list(layer.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, nn.Linear):
                setattr(module, name, Adapter(child, rank, dropout))
            elif isinstance(child, nn.LayerNorm):
                child.requires_grad_(True)


def own_weights(model: nn.Module) -> dict[str, Tensor]:
    """Return the weights that a model folder has to keep: all, or all but those of an encoder with adapters."""
    foreign: set[str] = set()
    for prefix, part in model.named_modules():
        if isinstance(part, AdaptedEncoder):
            foreign |= {f"{prefix}.{name}" for name, weight in part.named_parameters() if not weight.requires_grad}
    return {name: weight for name, weight in model.state_dict().items() if name not in foreign}


def load_own(model: nn.Module, weights: dict[str, Tensor]) -> None:
    """Put such weights back; any that is missing or unknown is a RuntimeError, as torch has it."""
    own = own_weights(model)
    missing, unknown = sorted(own.keys() - weights.keys()), sorted(weights.keys() - own.keys())
    if missing or unknown:
        raise RuntimeError(f"weights missing: {', '.join(missing) or 'none'}; unknown: {', '.join(unknown) or 'none'}")
    model.load_state_dict(weights, strict=False)


T5_KINDS = frozenset({"t5", "mt5", "umt5"})


def load_encoder(config: ModelConfig, *, settings: Path | None = None, attention: str = "sdpa") -> Any:
    """Load a Hugging Face encoder by name or folder; with a `settings` file only its shape, without weights.

    Attention dropout stays 0: only then is the fused kernel used, which more than doubles the speed on a CPU.
    """
    from transformers import AutoConfig

    if settings is not None and not config.adapter:
        data = json.loads(settings.read_text(encoding="utf-8"))
        return _build(AutoConfig.for_model(data.pop("model_type"), **data), None, attention)
    shape = AutoConfig.from_pretrained(config.encoder)
    if shape.model_type in T5_KINDS:
        shape.dropout_rate = config.encoder_dropout  # of attention too: T5 has one for all
    else:
        shape.attention_probs_dropout_prob = 0.0
        shape.hidden_dropout_prob = config.encoder_dropout
    encoder = _build(shape, config.encoder, attention)
    # Words not seen in training keep their place beside those that are.
    encoder.get_input_embeddings().weight.requires_grad_(False)
    return AdaptedEncoder(encoder, config) if config.adapter else encoder


def _build(shape: Any, source: str | None, attention: str) -> Any:
    """Build the model, with the weights of `source` if given; some models support only plain attention."""
    from transformers import AutoModel, AutoModelForTextEncoding
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # whoever looks on has one
    is_t5 = shape.model_type in T5_KINDS
    make = AutoModelForTextEncoding if is_t5 else AutoModel

    def build(how: str) -> Any:
        if source is None:
            return make.from_config(shape, attn_implementation=how)
        return make.from_pretrained(source, config=shape, attn_implementation=how)

    try:
        model = build(attention)
    except ValueError:
        if attention == "eager":
            raise
        model = build("eager")
    # The stack of layers alone: around it the table of embeddings would stand a second time.
    return model.encoder if is_t5 else model


def load_tokenizer(config: ModelConfig) -> Any:
    """Load the tokenizer of the encoder, set up so that single words are split as after a space."""
    from tokenizers import pre_tokenizers
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(config.encoder, use_fast=True).backend_tokenizer
    if isinstance(tokenizer.pre_tokenizer, pre_tokenizers.ByteLevel):
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    return tokenizer
