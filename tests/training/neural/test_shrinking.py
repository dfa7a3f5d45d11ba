"""Graphs with smaller weights compute nearly the same, and rows of small numbers are not lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from coindex.resolvers.neural.folder import file_hash  # noqa: E402
from coindex.training.neural.export import (  # noqa: E402
    LARGE,
    quantise,
    quantise_blocks,
    quantise_table,
    round_inputs,
    shrink,
)

ROWS, SIZE = 64, 48


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """Rows of a table through two matrices, one of them stored the other way round, as exported models have them."""
    rng = np.random.default_rng(5)
    scales = np.geomspace(0.001, 10, ROWS)[:, None]  # rows of very different size
    weights = {
        "table": rng.normal(size=(ROWS, SIZE)) * scales,
        "matrix": rng.normal(size=(SIZE, SIZE)) / SIZE,
        "turned": rng.normal(size=(SIZE, SIZE)) / SIZE,
        "bias": rng.normal(size=(SIZE,)),
    }
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["rows"], axis=0),
        helper.make_node("MatMul", ["rows", "matrix"], ["product"]),
        helper.make_node("Gemm", ["product", "turned", "bias"], ["result"], transB=1),
    ]
    model = helper.make_model(
        helper.make_graph(
            nodes,
            "small",
            [helper.make_tensor_value_info("ids", TensorProto.INT64, ["n"])],
            [
                helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["n", SIZE]),
                helper.make_tensor_value_info("result", TensorProto.FLOAT, ["n", SIZE]),
            ],
            [numpy_helper.from_array(array.astype(np.float32), name) for name, array in weights.items()],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=9,
    )
    path = tmp_path / "graph.onnx"
    onnx.save(model, str(path))
    return path


def run(path: Path) -> list[Any]:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    found: list[Any] = session.run(None, {"ids": np.arange(ROWS)})
    return found


def test_large_tables_alone_stay_small_in_memory(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = graph.with_name("large.onnx")
    large.write_bytes(graph.read_bytes())
    shrink(graph, 8)
    monkeypatch.setattr("coindex.training.neural.export.LARGE", ROWS * SIZE)
    shrink(large, 8)
    looked_up = [
        [node.input[0] for node in onnx.load(str(path)).graph.node if node.op_type == "Gather"]
        for path in (graph, large)
    ]
    assert looked_up == [["table"], ["table.numbers", "table.scale"]]
    assert all(np.array_equal(one, other) for one, other in zip(run(graph), run(large), strict=True))


@pytest.mark.parametrize(("bits", "part", "error"), [(8, 0.45, 1 / 127), (16, 0.65, 1e-3)])
def test_smaller_and_nearly_the_same(graph: Path, bits: int, part: float, error: float) -> None:
    size, (rows, result) = graph.stat().st_size, run(graph)
    shrink(graph, bits)
    assert graph.stat().st_size < part * size
    new_rows, new_result = run(graph)
    # each row keeps its precision, whatever its size
    assert (np.abs(new_rows - rows).max(axis=1) <= error * np.abs(rows).max(axis=1)).all()
    assert np.abs(new_result - result).max() <= 3 * error * np.abs(result).max()
    assert not np.array_equal(new_rows, rows)


def test_32_bits_change_nothing(graph: Path) -> None:
    before = graph.read_bytes()
    shrink(graph, 32)
    assert graph.read_bytes() == before


@pytest.mark.parametrize("axis", [0, 1])
def test_scales_are_per_line(axis: int) -> None:
    array = np.outer([1.0, 100.0], [1.0, -0.5, 0.25]).astype(np.float32)
    numbers, scale = quantise(array, axis)
    assert numbers.dtype == np.int8
    assert np.abs(numbers).max() == 127
    assert scale.shape == ((1, 3) if axis == 0 else (2, 1))
    assert (np.abs(numbers * scale - array) <= 0.501 * scale).all()


def test_a_row_of_zeros_stays() -> None:
    numbers, scale = quantise(np.zeros((2, 4), dtype=np.float32), 1)
    assert not (numbers * scale).any()


def test_blocks_of_4_bits_keep_their_own_scale() -> None:
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(6, 96)).astype(np.float32)
    rows[:, 32:64] *= 1000  # does not spoil the blocks beside it
    rows[3] = 0
    numbers, scale = quantise_blocks(rows)
    assert (numbers.shape, scale.shape) == ((6, 3, 32), (6, 3, 1))
    assert (numbers.min(), numbers.max()) >= (-8, 7)
    assert np.array_equal(numbers, np.rint(numbers))
    error = np.abs((numbers * scale).reshape(rows.shape) - rows).reshape(6, 3, 32).mean(axis=2)
    size = np.abs(rows).reshape(6, 3, 32).mean(axis=2)
    assert (error <= 0.12 * size).all()
    assert not (numbers * scale)[3].any()


def test_4_bits_are_for_products_with_a_matrix(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    path = tmp_path / "graph.onnx"
    weights = {"matrix": rng.normal(size=(64, 48)), "odd": rng.normal(size=(48, 40))}
    nodes = [
        helper.make_node("MatMul", ["x", "matrix"], ["product"]),
        helper.make_node("MatMul", ["product", "odd"], ["y"]),  # 48 numbers are no whole blocks
    ]
    graph = helper.make_graph(
        nodes,
        "products",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", "m", 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", "m", 40])],
        [numpy_helper.from_array(array.astype(np.float32), name) for name, array in weights.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path))
    shrink(path, 4)
    stored = onnx.load(str(path))
    assert [node.op_type for node in stored.graph.node if "MatMul" in node.op_type] == ["MatMulNBits", "MatMul"]
    values = {weight.name: numpy_helper.to_array(weight) for weight in stored.graph.initializer}
    assert values["matrix.numbers"].nbytes == 64 * 48 / 2
    numbers, scale = quantise_blocks(weights["matrix"].astype(np.float32).T.copy())
    rounded = (numbers * scale).reshape(48, 64).T @ (values["odd.numbers"] * values["odd.scale"])
    x = rng.normal(size=(2, 5, 64)).astype(np.float32)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (y,) = session.run(None, {"x": x})
    assert np.allclose(y, x @ rounded, atol=1e-3)


def test_inputs_of_4_bit_products_are_rounded_after_the_check(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "matrix"], ["y"])],
        "words",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 48])],
        [numpy_helper.from_array(rng.normal(size=(64, 48)).astype(np.float32), "matrix")],
    )
    path = tmp_path / "words.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path))
    shrink(path, 4)
    (tmp_path / "model.json").write_text('{"weights": {"words.onnx": "old"}}', encoding="utf-8")
    x = rng.normal(size=(5, 64)).astype(np.float32)
    exact = onnxruntime.InferenceSession(str(path)).run(None, {"x": x})[0]
    round_inputs(tmp_path)
    fast = onnxruntime.InferenceSession(str(path)).run(None, {"x": x})[0]
    assert 0 < np.abs(fast - exact).max() < 0.05 * np.abs(exact).max()
    assert json.loads((tmp_path / "model.json").read_text())["weights"]["words.onnx"] == file_hash(path)


def test_a_table_of_4_bits_is_half_as_large_and_keeps_its_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    table = rng.normal(size=(LARGE // 64, 64)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "ids"], ["y"])],
        "words",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["windows", "pieces"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["windows", "pieces", 64])],
        [numpy_helper.from_array(table, "table")],
    )
    path = tmp_path / "words.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path))
    shrink(path, 8, 4)
    assert path.stat().st_size < 0.6 * table.size
    ids = np.array([[0, 5, 7], [9, 9, len(table) - 1]])
    (rows,) = onnxruntime.InferenceSession(str(path)).run(None, {"ids": ids})
    numbers, scale = quantise_table(table)
    assert np.allclose(rows, (numbers * scale).reshape(table.shape)[ids], atol=1e-6)
    assert 0.05 < np.linalg.norm(rows - table[ids]) / np.linalg.norm(table[ids]) < 0.12
