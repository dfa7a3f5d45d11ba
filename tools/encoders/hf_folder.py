"""Write an encoder as a Hugging Face folder that `coindex train` accepts as `model.encoder`."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex.errors import CoindexError
from coindex.training.run import put_json, write_folder

Weights = dict[str, NDArray[np.float32]]

BERT_SPECIALS = {"unk": "[UNK]", "pad": "[PAD]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
_LAYER = re.compile(r"^(?:encoder\.layer|layers)\.(\d+)\.")
_UNUSED = ("pooler.", "embeddings.position_ids")
"""Parts of published encoders that token vectors do not depend on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoder:
    """An encoder with its tokenizer."""

    config: Mapping[str, Any]
    """The contents of config.json."""
    weights: Weights
    tokenizer: Any
    """A `tokenizers.Tokenizer`."""
    specials: Mapping[str, str]
    """Special tokens by their roles: unk, pad, cls, sep, mask."""


def load_published(config: bytes, weights: bytes, tokenizer: bytes) -> Encoder:
    """Return the encoder of the three files that Hugging Face publishes."""
    from safetensors.numpy import load

    return Encoder(
        config=json.loads(config),
        weights={name: value.astype(np.float32) for name, value in load(weights).items()},
        tokenizer=parse_tokenizer(tokenizer),
        specials=find_specials(tokenizer),
    )


def parse_tokenizer(data: bytes) -> Any:
    """Return the tokenizer of the contents of tokenizer.json."""
    from tokenizers import Tokenizer

    return Tokenizer.from_str(data.decode("utf-8"))


def find_specials(tokenizer: bytes) -> dict[str, str]:
    """Return the special tokens of a tokenizer.json, in BERT's or RoBERTa's spelling."""
    known = {entry["content"] for entry in json.loads(tokenizer)["added_tokens"]}
    spellings = {"unk": ("[UNK]", "<unk>"), "pad": ("<pad>", "[PAD]"), "cls": ("<s>", "[CLS]")}
    spellings |= {"sep": ("</s>", "[SEP]"), "mask": ("<mask>", "[MASK]")}
    return {role: next(name for name in names if name in known) for role, names in spellings.items()}


def cut_layers(encoder: Encoder, layers: int | None) -> Encoder:
    """Return the encoder with its first layers only; None keeps all."""
    there = encoder.config["num_hidden_layers"]
    if layers is None:
        return encoder
    if not 1 <= layers <= there:
        raise SystemExit(f"--layers {layers}: the encoder has {there} layers; choose 1 to {there}")
    kept = {
        name: value
        for name, value in encoder.weights.items()
        if (match := _LAYER.match(name)) is None or int(match[1]) < layers
    }
    return replace(encoder, config={**encoder.config, "num_hidden_layers": layers}, weights=kept)


def save_encoder(encoder: Encoder, folder: Path) -> None:
    """Write the folder; it appears only when it is complete, and replaces an earlier one."""
    from safetensors.numpy import save_file

    weights = {
        name: np.ascontiguousarray(value) for name, value in encoder.weights.items() if not name.startswith(_UNUSED)
    }
    check_shapes(encoder.config, weights)
    tokenizer = encoder.tokenizer
    tokenizer.no_padding()
    tokenizer.no_truncation()
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        **{f"{role}_token": token for role, token in encoder.specials.items()},
    }

    def write(beside: Path) -> None:
        put_json(beside / "config.json", {**encoder.config, "torch_dtype": "float32"})
        save_file(weights, beside / "model.safetensors", metadata={"format": "pt"})
        tokenizer.save(str(beside / "tokenizer.json"))
        put_json(beside / "tokenizer_config.json", settings)

    try:
        write_folder(folder, write, FILES)
    except CoindexError as error:
        raise SystemExit(str(error)) from None


def check_shapes(config: Mapping[str, Any], weights: Weights) -> None:
    """Compare the weights with those that the model of a configuration has."""
    import torch
    from transformers import AutoConfig, AutoModel

    values = dict(config)
    with torch.device("meta"):  # shapes without memory
        model = AutoModel.from_config(AutoConfig.for_model(values.pop("model_type"), **values))
    expected = {name: tuple(value.shape) for name, value in model.named_parameters() if not name.startswith(_UNUSED)}
    for name in sorted(expected.keys() | weights.keys()):
        shape = weights[name].shape if name in weights else None
        if shape != expected.get(name):
            raise SystemExit(
                f"weight {name}: expected the shape {expected.get(name)}, found {shape}; download the version listed "
                "in README.md"
            )


def make_parser(description: str | None, files: str, *, several: bool = False) -> argparse.ArgumentParser:
    """Return the parser of the arguments that all conversions have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+" if several else None, help=files)
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder to write")
    parser.add_argument("--layers", type=int, metavar="N", help="keep the first N layers (default: all)")
    return parser


def finish(encoder: Encoder, options: argparse.Namespace) -> None:
    """Cut and write an encoder as the command line asks."""
    save_encoder(cut_layers(encoder, options.layers), options.output)
