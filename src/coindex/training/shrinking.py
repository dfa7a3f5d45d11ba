"""Small files: the weights of an ONNX graph in 16 or 8 bits, made 32 bits again when the graph is loaded or used.

All computing stays in 32 bits. With 8 bits each row of a weight has its own scale, so that a row of small numbers is
not lost beside one of large numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from ..resolvers.neural.words import Floats

BITS = (8, 16, 32)
"""Of a stored weight."""
SMALL = 1024
"""Weights of fewer numbers stay as they are."""
LARGE = 1 << 20
"""Tables of so many numbers stay in 8 bits in memory; smaller ones are faster to look up in when they do not."""
LARGEST = 127


def shrink(path: Path, bits: int) -> None:
    """Rewrite the graph in the file."""
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
        if bits == 8 and array.ndim == 2:
            uses = [node for node in graph.node if weight.name in node.input]
            is_table = all(node.op_type == "Gather" and node.input[0] == weight.name for node in uses)
            if is_table and array.size >= LARGE:
                _shrink_table(graph, weight, array, uses)
            else:
                outputs = 0 if is_table else _output_axis(weight.name, uses)
                nodes += _shrink_matrix(graph, weight, array, axis=1 - outputs)
        else:
            nodes += _halve(graph, weight, array)
    for node in reversed(nodes):
        graph.node.insert(0, node)
    onnx.save(model, str(path))


def round_weights(model: nn.Module) -> None:
    """Give a torch model the weights that it has in a graph of 8 bits."""
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() == 2 and weight.numel() >= SMALL:
                numbers, scale = quantised(weight.numpy(), 1)
                weight.copy_(torch.from_numpy(numbers * scale))


def quantised(array: Floats, axis: int) -> tuple[np.ndarray, Floats]:
    """Whole numbers of 8 bits and the scales that give the array back; one scale for each line along the axis."""
    largest = np.abs(array).max(axis=axis, keepdims=True)
    scale = np.maximum(largest / LARGEST, np.finfo(np.float32).tiny).astype(np.float32)
    return np.rint(array / scale).astype(np.int8), scale


def _output_axis(name: str, uses: list[Any]) -> int:
    """The axis of a matrix along which its outputs are."""
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
    """The runtime computes these two nodes once, when it loads the graph."""
    from onnx import TensorProto, helper, numpy_helper

    name = weight.name
    numbers, scale = quantised(array, axis)
    weight.CopyFrom(numpy_helper.from_array(numbers, f"{name}.numbers"))
    graph.initializer.append(numpy_helper.from_array(scale, f"{name}.scale"))
    return [
        helper.make_node("Cast", [f"{name}.numbers"], [f"{name}.cast"], to=TensorProto.FLOAT),
        helper.make_node("Mul", [f"{name}.cast", f"{name}.scale"], [name]),
    ]


def _shrink_table(graph: Any, weight: Any, array: Floats, uses: list[Any]) -> None:
    """A large table of rows to look up stays in 8 bits in memory too: only the rows that are used are scaled."""
    from onnx import TensorProto, helper, numpy_helper

    name = weight.name
    numbers, scale = quantised(array, 1)
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
        for offset, one in enumerate(new):
            graph.node.insert(at + offset, one)
