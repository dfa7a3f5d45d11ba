"""Recover the weights of a BERT from an ONNX file, exported as it is or with fused attention.

Exporters transpose the matrices and drop their names, but name each node after its module, and biases, norms and
embeddings keep their names. onnxruntime's optimiser fuses query, key and value into one `Attention` node per layer.
"""

from __future__ import annotations

import json

import numpy as np

from hf_folder import BERT_SPECIALS, Encoder, Weights, parse_tokenizer


def load_onnx(config: bytes, model: bytes, tokenizer: bytes) -> Encoder:
    """Return the encoder of an ONNX file, its config.json and its tokenizer.json."""
    return Encoder(
        config=json.loads(config),
        weights=read_weights(model),
        tokenizer=parse_tokenizer(tokenizer),
        specials=BERT_SPECIALS,
    )


def read_weights(model: bytes) -> Weights:
    """Return the weights by the names that transformers uses."""
    import onnx
    from google.protobuf.message import DecodeError

    try:
        graph = onnx.load_from_string(model).graph
    except DecodeError as error:
        raise SystemExit(f"the ONNX file is damaged ({error}); download the package again") from None
    arrays = {item.name: onnx.numpy_helper.to_array(item) for item in graph.initializer}
    weights = {
        name: value.astype(np.float32)
        for name, value in arrays.items()
        if name.startswith(("embeddings.", "encoder.")) and name.endswith((".weight", ".bias"))
    }
    fused = [node for node in graph.node if node.op_type == "Attention"]
    for layer, node in enumerate(fused):  # nodes are in the order in which they run
        matrix, bias = (arrays[name].astype(np.float32) for name in node.input[1:3])
        for role, columns, values in zip(
            ("query", "key", "value"), np.split(matrix, 3, axis=1), np.split(bias, 3), strict=True
        ):
            prefix = f"encoder.layer.{layer}.attention.self.{role}"
            weights |= {f"{prefix}.weight": columns.T, f"{prefix}.bias": values}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in arrays:
            module = node.name.strip("/").removesuffix("/MatMul").replace("/", ".")
            weights[f"{module}.weight"] = arrays[node.input[1]].astype(np.float32).T
    return weights
