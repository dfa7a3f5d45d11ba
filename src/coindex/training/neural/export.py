"""Export a trained model as ONNX graphs in 32, 16, 8 or 4 bits, and check that both resolve alike.

Weights are stored in fewer bits and converted to 32 bits when the graph is loaded or used; computation uses 32 bits.
With 8 bits, each row of a weight has its own scale, so that rows of small numbers keep their precision. With 4 bits,
each block of 32 numbers in the matrices of the encoder has its own scale, and products with them round their inputs to
8 bits per block; all other weights have 8 bits. The table of word pieces can have 4 bits too.
"""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...document import Document, Span
from ...errors import CoindexError
from ...resolvers.neural.folder import DESCRIPTION, TOKENIZER, file_hash, load_resolver
from ...resolvers.neural.runtime import (
    COLUMN_INPUTS,
    GRAPHS,
    LINK_INPUTS,
    LINK_OUTPUTS,
    LINKS,
    MENTION_INPUTS,
    MENTION_OUTPUTS,
    MENTIONS,
    SYNTAX,
    SYNTAX_INPUTS,
    SYNTAX_OUTPUTS,
    TYPE_OUTPUT,
    WORD_INPUTS,
    WORD_OUTPUTS,
    WORDS,
)
from ...resolvers.neural.words import Floats
from ..encoders import AdaptedEncoder
from ..loop import ignore_document
from ..run import put_json, write_folder
from .folder import OWN, TrainedModel, load_model
from .network import AuxiliaryLosses, CoreferenceModel, join_tables

BITS = (4, 8, 16, 32)
"""Of a stored weight."""
BLOCK = 32
"""The number of weights with a common scale in 4 bits."""
CLIPPED = np.linspace(0.6, 1.0, 9)
"""In 4 bits, larger numbers than such a share of the largest of their block are cut off; the best share is used."""
SMALL = 1024
"""Weights of fewer numbers stay as they are."""
LARGE = 1 << 20
"""Tables of so many numbers stay in 8 bits in memory; smaller ones are faster to look up in when they do not."""
LARGEST = 127


def shrink(path: Path, bits: int, table_bits: int = 8) -> None:
    """Rewrite the graph in the file; large lookup tables get `table_bits` bits if others get 8 or 4."""
    import onnx

    if bits == 32:
        return
    model: Any = onnx.load(str(path))
    graph = model.graph
    nodes: list[Any] = []
    for weight in list(graph.initializer):
        array = onnx.numpy_helper.to_array(weight)
        if array.dtype != np.float32 or array.size < SMALL:
            continue
        if bits <= 8 and array.ndim == 2:
            uses = [node for node in graph.node if weight.name in node.input]
            if bits == 4 and len(array) % BLOCK == 0 and all(_multiplies(node, weight.name) for node in uses):
                _shrink_blocks(graph, weight, array, uses)
                continue
            is_table = all(node.op_type == "Gather" and node.input[0] == weight.name for node in uses)
            if is_table and array.size >= LARGE:
                shrink_table = _shrink_table_to_blocks if table_bits == 4 else _shrink_table
                shrink_table(graph, weight, array, uses)
            else:
                outputs = 0 if is_table else _output_axis(weight.name, uses)
                nodes += _shrink_matrix(graph, weight, array, axis=1 - outputs)
        else:
            nodes += _halve(graph, weight, array)
    for node in reversed(nodes):
        graph.node.insert(0, node)
    if any(node.domain == CONTRIBUTED for node in graph.node):
        model.opset_import.append(onnx.helper.make_opsetid(CONTRIBUTED, 1))
    onnx.save(model, str(path))


def round_weights(model: CoreferenceModel, bits: int, table_bits: int = 8) -> None:
    """Round the weights of a torch model to those of its 8-bit or 4-bit graphs."""
    tables = {id(layer.weight) for layer in model.words.modules() if isinstance(layer, nn.Embedding)}
    blocks = {id(layer.weight) for layer in _layers_in_blocks(model)} if bits == 4 else set()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() == 2 and weight.numel() >= SMALL:
                if id(weight) in blocks:
                    numbers, scale = quantise_blocks(weight.numpy())
                elif table_bits == 4 and id(weight) in tables and weight.numel() >= LARGE:
                    numbers, scale = quantise_table(weight.numpy())
                else:
                    numbers, scale = quantise(weight.numpy(), 1)
                weight.copy_(torch.from_numpy(numbers * scale).reshape(weight.shape))


def _layers_in_blocks(model: CoreferenceModel) -> list[nn.Linear]:
    """Return the layers that are products with a matrix in the graph: those of the encoder, and those without bias."""
    encoder = set(model.words.encoder.modules())
    layers = [layer for layer in model.words.modules() if isinstance(layer, nn.Linear)]
    return [layer for layer in layers if layer.in_features % BLOCK == 0 and (layer in encoder or layer.bias is None)]


def quantise(array: Floats, axis: int) -> tuple[np.ndarray, Floats]:
    """Return the array as 8-bit integers and the scales that restore it, one for each line along the axis."""
    largest = np.abs(array).max(axis=axis, keepdims=True)
    scale = np.maximum(largest / LARGEST, np.finfo(np.float32).tiny).astype(np.float32)
    return np.rint(array / scale).astype(np.int8), scale


def quantise_blocks(rows: Floats) -> tuple[Floats, Floats]:
    """Return whole numbers from -8 to 7 [rows, blocks, BLOCK] and the scale of each block, with the smallest error."""
    blocks = rows.reshape(len(rows), -1, BLOCK)
    largest = np.maximum(np.abs(blocks).max(axis=2, keepdims=True), np.finfo(np.float32).tiny * 16)
    best, scale = np.full_like(largest, np.inf), largest
    for share in CLIPPED.astype(np.float32):
        tried = share * largest / 7
        error = np.square(_round_to_4_bits(blocks, tried) * tried - blocks).sum(axis=2, keepdims=True)
        scale = np.where(error < best, tried, scale)
        best = np.minimum(error, best)
    return _round_to_4_bits(blocks, scale), scale


def quantise_table(rows: Floats) -> tuple[Floats, Floats]:
    """Return the same for a lookup table, with scales that are stored in 16 bits."""
    numbers, scale = quantise_blocks(rows)
    return numbers, scale.astype(np.float16).astype(np.float32)


def _round_to_4_bits(blocks: Floats, scale: Floats) -> Floats:
    numbers: Floats = np.clip(np.rint(blocks / scale), -8, 7)
    return numbers


CONTRIBUTED = "com.microsoft"
"""The domain of the operators that onnxruntime adds to those of ONNX."""


EXACT, FAST = 1, 4
"""Levels of accuracy of products with matrices of 4 bits: in 32 bits, or with inputs rounded to 8 bits per block."""


def round_inputs(folder: Path) -> None:
    """Let products with matrices of 4 bits round their inputs to 8 bits, which is faster, in the graph of words."""
    import onnx

    model: Any = onnx.load(str(folder / WORDS))
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name == "accuracy_level":
                attribute.i = FAST
    onnx.save(model, str(folder / WORDS))
    description = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    description["weights"][WORDS] = file_hash(folder / WORDS)
    put_json(folder / DESCRIPTION, description)


def _multiplies(node: Any, name: str) -> bool:
    """Return whether the node multiplies by the matrix with that name."""
    return bool(node.op_type == "MatMul" and node.input[1] == name and node.input[0] != name)


def _shrink_blocks(graph: Any, weight: Any, array: Floats, uses: list[Any]) -> None:
    """Replace products with a matrix [inputs, outputs] by those with a matrix of 4 bits, which stays so in memory."""
    from onnx import helper, numpy_helper

    name = weight.name
    numbers, scale = quantise_blocks(np.ascontiguousarray(array.T))
    stored = (numbers + 8).astype(np.uint8)  # two per byte, the first in the lower bits
    weight.CopyFrom(numpy_helper.from_array(stored[..., 0::2] | stored[..., 1::2] << 4, f"{name}.numbers"))
    graph.initializer.append(numpy_helper.from_array(scale.reshape(-1), f"{name}.scale"))
    for node in uses:
        product = helper.make_node(
            "MatMulNBits",
            [node.input[0], f"{name}.numbers", f"{name}.scale"],
            list(node.output),
            domain=CONTRIBUTED,
            K=array.shape[0],
            N=array.shape[1],
            bits=4,
            block_size=BLOCK,
            accuracy_level=EXACT,
        )
        at = list(graph.node).index(node)
        graph.node.remove(node)
        graph.node.insert(at, product)


def _output_axis(name: str, uses: list[Any]) -> int:
    """Return the axis of a matrix along which its outputs are."""
    for node in uses:
        if node.op_type == "Gemm" and any(a.name == "transB" and a.i for a in node.attribute) and node.input[1] == name:
            return 0
    return 1


def _halve(graph: Any, weight: Any, array: Floats) -> list[Any]:
    from onnx import TensorProto, helper, numpy_helper

    name = weight.name
    weight.CopyFrom(numpy_helper.from_array(array.astype(np.float16), f"{name}.half"))
    return [helper.make_node("Cast", [f"{name}.half"], [name], to=TensorProto.FLOAT)]


def _shrink_matrix(graph: Any, weight: Any, array: Floats, axis: int) -> list[Any]:
    """Store a matrix in 8 bits; the runtime computes these two nodes once, when it loads the graph."""
    from onnx import TensorProto, helper, numpy_helper

    name = weight.name
    numbers, scale = quantise(array, axis)
    weight.CopyFrom(numpy_helper.from_array(numbers, f"{name}.numbers"))
    graph.initializer.append(numpy_helper.from_array(scale, f"{name}.scale"))
    return [
        helper.make_node("Cast", [f"{name}.numbers"], [f"{name}.cast"], to=TensorProto.FLOAT),
        helper.make_node("Mul", [f"{name}.cast", f"{name}.scale"], [name]),
    ]


def _shrink_table(graph: Any, weight: Any, array: Floats, uses: list[Any]) -> None:
    """Store a large lookup table in 8 bits, in memory too: only the rows that are used are scaled."""
    from onnx import TensorProto, helper, numpy_helper

    name = weight.name
    numbers, scale = quantise(array, 1)
    weight.CopyFrom(numpy_helper.from_array(numbers, f"{name}.numbers"))
    graph.initializer.append(numpy_helper.from_array(scale, f"{name}.scale"))
    for node in uses:
        at = list(graph.node).index(node)
        index, output = node.input[1], node.output[0]
        graph.node.remove(node)
        rows, scales, cast = (f"{output}.{part}" for part in ("rows", "scales", "cast"))
        new = [
            helper.make_node("Gather", [f"{name}.numbers", index], [rows], axis=0),
            helper.make_node("Gather", [f"{name}.scale", index], [scales], axis=0),
            helper.make_node("Cast", [rows], [cast], to=TensorProto.FLOAT),
            helper.make_node("Mul", [cast, scales], [output]),
        ]
        for offset, new_node in enumerate(new):
            graph.node.insert(at + offset, new_node)


def _shrink_table_to_blocks(graph: Any, weight: Any, array: Floats, uses: list[Any]) -> None:
    """Store a large lookup table, indexed by [windows, pieces], in 4 bits: two halves of a row share its bytes."""
    from onnx import TensorProto, helper, numpy_helper

    name, size = weight.name, array.shape[1]
    numbers, scale = quantise_table(array)
    stored = (numbers.reshape(len(array), size) + 8).astype(np.uint8)
    packed = stored[:, : size // 2] | stored[:, size // 2 :] << 4
    weight.CopyFrom(numpy_helper.from_array(packed, f"{name}.numbers"))
    constants = {
        "scale": scale.reshape(len(array), -1).astype(np.float16),
        "16": np.float32(16),
        "8": np.float32(8),
        "blocks": np.array([0, 0, -1, BLOCK]),
        "scales": np.array([0, 0, -1, 1]),
        "row": np.array([0, 0, size]),
    }
    graph.initializer.extend(numpy_helper.from_array(np.asarray(v), f"{name}.{part}") for part, v in constants.items())
    for node in uses:
        at = list(graph.node).index(node)
        index, output = node.input[1], node.output[0]
        graph.node.remove(node)

        steps: list[tuple[str, list[str], str, dict[str, Any]]] = [
            ("Gather", [f"{name}.numbers", index], "rows", {"axis": 0}),
            ("Cast", ["rows"], "bytes", {"to": TensorProto.FLOAT}),
            ("Div", ["bytes", f"{name}.16"], "quotient", {}),
            ("Floor", ["quotient"], "high", {}),
            ("Mul", ["high", f"{name}.16"], "multiple", {}),
            ("Sub", ["bytes", "multiple"], "low", {}),
            ("Concat", ["low", "high"], "both", {"axis": -1}),
            ("Sub", ["both", f"{name}.8"], "signed", {}),
            ("Reshape", ["signed", f"{name}.blocks"], "blocks", {}),
            ("Gather", [f"{name}.scale", index], "halves", {"axis": 0}),
            ("Cast", ["halves"], "scales", {"to": TensorProto.FLOAT}),
            ("Reshape", ["scales", f"{name}.scales"], "columns", {}),
            ("Mul", ["blocks", "columns"], "products", {}),
            ("Reshape", ["products", f"{name}.row"], "", {}),
        ]
        parts = {part: f"{output}/{part}" if part else output for _, _, part, _ in steps}
        new = [
            helper.make_node(kind, [parts.get(value, value) for value in inputs], [parts[part]], **attributes)
            for kind, inputs, part, attributes in steps
        ]
        for offset, new_node in enumerate(new):
            graph.node.insert(at + offset, new_node)


STORY = """Clara Brandt had lent her bicycle to the boy next door. He rode it to the harbour, where his sister
was waiting for him. She asked whose bicycle that was. "It is Clara's," the boy said, "and I must bring it back to her
before she comes home." His sister laughed at him, for she had seen their neighbour on the ferry.
"""
REPORT = """The council of Marlow voted on Monday to close its old library. The mayor, Ivan Petrov, said that the town
could no longer pay for the building. He added that its books would go to the new school. Readers who had come to hear
him were angry: they called the plan a shame. "We built this library ourselves," one of them said.
"""
MESSY = "She—Ann—wrote:   “I'm  here!”\n\n\n<b>He</b> didn't answer her… 🙂 e-mail: x@example.org (it bounced)."
OTHER = "Анна купила книгу. Она прочитала её за ночь. Marie hat ihren Hund verloren; er kam von selbst zu ihr zurück."
SHORT = "Yes."
LONG = 12
"""How often both stories are repeated in one text, to make it longer than any window."""


def sample_documents() -> list[Document]:
    """Return clean and noisy texts, short and long, in several languages, and one without words."""
    texts = (STORY, REPORT, MESSY, OTHER, (STORY + REPORT) * LONG, SHORT, "")
    return [Document.from_text(text, id=f"text-{number}") for number, text in enumerate(texts, 1)]


OPSET = 17


class ExportError(CoindexError):
    """Raised if an exported model gives other results than the trained one."""

    default_code = "export-mismatch"


class MentionGraph(nn.Module):
    """Mentions as the runtime wants them: the head itself in place of scores, probabilities in place of scores."""

    def __init__(self, model: CoreferenceModel) -> None:
        super().__init__()
        self.mentions = model.mentions
        self.types = model.auxiliary_losses.types if model.has_types else None

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        parts = self.mentions(*inputs)
        outputs = (parts.heads.argmax(1), parts.query, parts.key, parts.new, parts.mention.sigmoid())
        return outputs if self.types is None else (*outputs, self.types(parts.key).softmax(1))


class SyntaxGraph(nn.Module):
    """Word vectors to the scores of trees."""

    def __init__(self, losses: AuxiliaryLosses) -> None:
        super().__init__()
        self.losses = losses

    def forward(self, vectors: Tensor) -> tuple[Tensor, ...]:
        return self.losses.arcs(vectors)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How much both were found to agree on."""

    documents: int
    entities: int
    rounded: int = 0
    """Entities that the trained model finds only with its weights rounded alike."""


def export_model(
    source: str | Path,
    target: str | Path,
    *,
    bits: int = 8,
    table_bits: int = 8,
    encoder: str | None = None,
    check: Sequence[Document] = (),
    tick: Callable[[int], None] = ignore_document,
) -> Agreement:
    """Write the graphs of a model folder to another folder, after checking that they resolve documents the same way.

    Weights are stored in `bits` bits, and the table of word pieces in `table_bits` if these are 8 or 4; computation
    uses 32 bits except in products with matrices of 4 bits. `encoder` is that of a model of adapters (default: the one
    it was trained on).
    """
    source, target = Path(source), Path(target)
    if target.resolve() == source.resolve():
        raise ExportError(
            "this is the folder of the trained model; choose another folder for the exported one",
            code="invalid-option",
            path=target,
        )
    agreements = []

    def write(beside: Path) -> None:
        trained = load_model(source, attention="eager", encoder=encoder)
        put_graphs(trained, beside, bits, table_bits)
        shutil.copyfile(source / TOKENIZER, beside / TOKENIZER)
        description = json.loads((source / DESCRIPTION).read_text(encoding="utf-8"))
        names = (*list_graphs(trained.model), TOKENIZER)
        description["weights"] = {name: file_hash(beside / name) for name in names}
        put_json(beside / DESCRIPTION, description)
        agreements.append(
            check_export(source, beside, check, bits=bits, table_bits=table_bits, encoder=encoder, tick=tick)
        )
        if bits == 4:
            round_inputs(beside)  # after the check, since torch has no such products

    write_folder(target, write, OWN)
    return agreements[0]


def list_graphs(model: CoreferenceModel) -> tuple[str, ...]:
    """Return the names of the files of a model."""
    return (*GRAPHS, SYNTAX) if model.has_syntax else GRAPHS


def put_graphs(trained: TrainedModel, target: Path, bits: int, table_bits: int = 8) -> None:
    """Write the graphs to an existing folder; the model is changed, and needs plain attention (`eager`)."""
    model = trained.model.eval()
    merge_adapters(model)
    join_tables(model.links)
    names = COLUMN_INPUTS if trained.config.model.columns else WORD_INPUTS
    put_graph(target / WORDS, model.words, word_inputs(trained), names, WORD_OUTPUTS, WORD_AXES, bits, table_bits)
    bits = max(bits, 8)  # the other parts are small
    hidden = model.words.encoder.config.hidden_size
    outputs = (*MENTION_OUTPUTS, TYPE_OUTPUT) if model.has_types else MENTION_OUTPUTS
    put_graph(target / MENTIONS, MentionGraph(model), mention_inputs(hidden), MENTION_INPUTS, outputs, AXES, bits)
    if model.has_syntax:
        losses = SyntaxGraph(model.auxiliary_losses)
        put_graph(target / SYNTAX, losses, (torch.zeros(3, hidden),), SYNTAX_INPUTS, SYNTAX_OUTPUTS, AXES, bits)
    inputs = link_inputs(model.links.columns, len(trained.config.model.features))
    put_graph(target / LINKS, model.links, inputs, LINK_INPUTS, LINK_OUTPUTS, LINK_AXES, bits)


def merge_adapters(model: CoreferenceModel) -> None:
    """Merge the adapters of the encoder, if any, into its layers."""
    if isinstance(model.words.encoder, AdaptedEncoder):
        model.words.encoder.merge()


def check_export(
    source: Path,
    target: Path,
    docs: Sequence[Document],
    *,
    bits: int = 32,
    table_bits: int = 8,
    encoder: str | None = None,
    tick: Callable[[int], None] = ignore_document,
) -> Agreement:
    """Resolve documents with both models, and raise an error if the entities of a document differ.

    Documents are resolved with the annotation schemes of the model and without one, in turn. The weights of the trained
    model are rounded if those of the exported one have 8 or 4 bits.
    """
    trained = load_model(source, encoder=encoder)
    unrounded = load_model(source, encoder=encoder) if bits <= 8 else None
    if bits <= 8:
        merge_adapters(trained.model)  # as in the graph: what is rounded there are the sums
        join_tables(trained.model.links)
        round_weights(trained.model, bits, table_bits)
    schemes = (None, *trained.corpora)
    entities = rounded = 0
    for number, doc in enumerate(docs):
        scheme = schemes[number % len(schemes)]
        expected = clusters(trained.resolver(scheme)(doc))
        got = clusters(load_resolver(target, corpus=scheme)(doc))
        if expected != got:
            raise ExportError(
                f"the exported model resolves {doc.id or f'document {number + 1}'} differently (scheme "
                f"{scheme or 'none'}): {len(expected - got)} entities are missing, {len(got - expected)} are new; "
                "export with --weights 32 (weights=32 in Python)",
                code="export-mismatch",
                path=source,
            )
        if unrounded is not None:
            rounded += len(expected - clusters(unrounded.resolver(scheme)(doc)))
        entities += len(expected)
        tick(number + 1)
    return Agreement(len(docs), entities, rounded)


def clusters(doc: Document) -> set[frozenset[tuple[Span, int | None]]]:
    """Return the entities without names and scores."""
    return {frozenset(((m.start, m.end), m.head) for m in entity.mentions) for entity in doc.entities}


# Which sizes may vary.
PIECES = {0: "windows", 1: "pieces"}
WORD_AXES = {
    "ids": PIECES,
    "mask": PIECES,
    "shapes": PIECES,
    "speakers": PIECES,
    "piece_index": {0: "words", 1: "parts"},
    "piece_weight": {0: "words", 1: "parts"},
    "word_shapes": {0: "words"},
    "columns": {0: "words"},
    "vectors": {0: "words"},
    "tags": {0: "words"},
}
AXES = {name: {0: "words"} for name in SYNTAX_INPUTS + SYNTAX_OUTPUTS} | {
    name: {0: "mentions"} for name in (*MENTION_INPUTS[1:], *MENTION_OUTPUTS, TYPE_OUTPUT)
}
LINK_AXES = {"query": {0: "anaphors"}, "key": {0: "candidates"}} | {
    name: {0: "pairs"} for name in LINK_INPUTS[2:] + LINK_OUTPUTS
}


def word_inputs(trained: TrainedModel) -> tuple[Tensor, ...]:
    """Return an input for tracing; no size is 1, which tracing would treat as a constant."""
    ids = torch.full((2, 7), trained.pieces.unknown)
    index = torch.tensor([[1, 2], [3, 3], [8, 9]])
    zeros, words = torch.zeros_like(ids), torch.zeros(3, dtype=torch.int64)
    count = len(trained.config.model.columns)
    columns = (torch.zeros(3, count, dtype=torch.int64),) if count else ()
    return ids, torch.ones_like(ids), zeros, zeros, torch.tensor([0]), index, torch.full((3, 2), 0.5), words, *columns


def mention_inputs(hidden: int) -> tuple[Tensor, ...]:
    zeros = torch.zeros(2, dtype=torch.int64)
    return torch.zeros(3, hidden), torch.tensor([0, 1]), torch.tensor([2, 3]), zeros, zeros, zeros


def link_inputs(size: int, features: int) -> tuple[Tensor, ...]:
    pairs = torch.tensor([0, 1, 1])
    numbers = torch.zeros(3, features, dtype=torch.int64)
    return torch.zeros(2, size), torch.zeros(4, size), pairs, pairs + 1, numbers


def put_graph(
    path: Path,
    part: nn.Module,
    inputs: tuple[Tensor, ...],
    names: tuple[str, ...],
    outputs: tuple[str, ...],
    axes: dict[str, dict[int, str]],
    bits: int,
    table_bits: int = 8,
) -> None:
    """Write a part of the model to a file."""
    stream = BytesIO()
    with warnings.catch_warnings():
        # tracing warns of values that it treats as constants; check_export shows whether that matters
        warnings.simplefilter("ignore")
        torch.onnx.export(
            part,
            inputs,
            stream,
            input_names=list(names),
            output_names=list(outputs),
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    path.write_bytes(stream.getvalue())
    shrink(path, bits, table_bits)
