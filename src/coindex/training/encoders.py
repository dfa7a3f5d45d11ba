"""Encoders by name or folder: BERT and its kin, and the encoder half of T5."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .adapters import AdaptedEncoder
from .config import ModelConfig

T5_KINDS = frozenset({"t5", "mt5", "umt5"})


def load_encoder(config: ModelConfig, *, settings: Path | None = None, attention: str = "sdpa") -> Any:
    """A Hugging Face encoder by name or folder; with a `settings` file only its shape, to be filled with own weights.

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
    """The model of a shape, with the weights of `source` if there is one; some kinds know only the plain attention."""
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
    """The tokenizer of the encoder. Words are tokenised alone, so each must look as it does after a blank."""
    from tokenizers import pre_tokenizers
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(config.encoder, use_fast=True).backend_tokenizer
    if isinstance(tokenizer.pre_tokenizer, pre_tokenizers.ByteLevel):
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    return tokenizer
