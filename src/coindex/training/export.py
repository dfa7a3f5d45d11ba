"""Export: a trained model as three ONNX graphs, and the check that both resolve alike."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..document import Document, Span
from ..errors import CoindexError
from ..resolvers.neural.folder import DESCRIPTION, TOKENIZER, file_hash, load_resolver
from ..resolvers.neural.graphs import (
    GRAPHS,
    LINK_INPUTS,
    LINK_OUTPUTS,
    LINKS,
    MENTION_INPUTS,
    MENTION_OUTPUTS,
    MENTIONS,
    WORD_INPUTS,
    WORD_OUTPUTS,
    WORDS,
)
from .checkpoint import write_json, write_whole
from .folder import TrainedModel, load_model
from .model import LinkScorer, MentionEncoder

OPSET = 17


class ExportError(CoindexError):
    """An exported model that does not do what the trained one does."""


class MentionGraph(nn.Module):
    """Mentions as the runtime wants them: the head itself in place of scores, a probability in place of a score."""

    def __init__(self, mentions: MentionEncoder) -> None:
        super().__init__()
        self.mentions = mentions

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        parts = self.mentions(*inputs)
        return parts.heads.argmax(1), parts.query, parts.key, parts.new, parts.mention.sigmoid()


def export_model(source: str | Path, target: str | Path, *, half: bool = True) -> Path:
    """Write the graphs of a model folder into another folder; `half` stores weights in 16 bits, cast when loaded."""
    source, target = Path(source), Path(target)
    target.mkdir(parents=True, exist_ok=True)
    trained = load_model(source, attention="eager")  # the fused kernel has no ONNX form
    model = trained.model.eval()
    write_graph(target / WORDS, model.words, word_inputs(trained), WORD_INPUTS, WORD_OUTPUTS, WORD_AXES, half)
    inputs = mention_inputs(model.words.encoder.config.hidden_size)
    write_graph(
        target / MENTIONS, MentionGraph(model.mentions), inputs, MENTION_INPUTS, MENTION_OUTPUTS, MENTION_AXES, half
    )
    write_graph(target / LINKS, model.links, link_inputs(model.links), LINK_INPUTS, LINK_OUTPUTS, LINK_AXES, half)
    shutil.copyfile(source / TOKENIZER, target / TOKENIZER)
    description = json.loads((source / DESCRIPTION).read_text(encoding="utf-8"))
    description["weights"] = {name: file_hash(target / name) for name in (*GRAPHS, TOKENIZER)}
    write_json(target / DESCRIPTION, description)
    return target


def check_export(source: str | Path, target: str | Path, docs: Iterable[Document], corpus: str | None) -> int:
    """Resolve documents with both and count them; the first whose entities differ is an error."""
    trained = load_model(source)
    first, second = trained.resolver(corpus), load_resolver(Path(target), corpus=corpus)
    count = 0
    for doc in docs:
        if clusters(first(doc)) != clusters(second(doc)):
            raise ExportError(
                f"{target}: {doc.id or 'a document'} is resolved otherwise than by {source}; "
                "expected the same entities; export again with 32-bit weights"
            )
        count += 1
    return count


def clusters(doc: Document) -> set[frozenset[tuple[Span, int | None]]]:
    """The entities without their names and scores."""
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
    "vectors": {0: "words"},
    "tags": {0: "words"},
}
MENTION_AXES = {"vectors": {0: "words"}} | {name: {0: "mentions"} for name in MENTION_INPUTS[1:] + MENTION_OUTPUTS}
LINK_AXES = {"query": {0: "anaphors"}, "key": {0: "candidates"}} | {
    name: {0: "pairs"} for name in LINK_INPUTS[2:] + LINK_OUTPUTS
}


def word_inputs(trained: TrainedModel) -> tuple[Tensor, ...]:
    """An input for tracing; no size is 1, which a trace would take for a constant."""
    ids = torch.full((2, 7), trained.pieces.unknown)
    index = torch.tensor([[1, 2], [3, 3], [8, 9]])
    zeros, words = torch.zeros_like(ids), torch.zeros(3, dtype=torch.int64)
    return ids, torch.ones_like(ids), zeros, zeros, torch.tensor([0]), index, torch.full((3, 2), 0.5), words


def mention_inputs(hidden: int) -> tuple[Tensor, ...]:
    zeros = torch.zeros(2, dtype=torch.int64)
    return torch.zeros(3, hidden), torch.tensor([0, 1]), torch.tensor([2, 3]), zeros, zeros, zeros


def link_inputs(links: LinkScorer) -> tuple[Tensor, ...]:
    size = links.size + links.product.in_features
    pairs = torch.tensor([0, 1, 1])
    return (
        torch.zeros(2, size),
        torch.zeros(4, size),
        pairs,
        pairs + 1,
        torch.zeros(3, len(links.features), dtype=torch.int64),
    )


def write_graph(
    path: Path,
    part: nn.Module,
    inputs: tuple[Tensor, ...],
    names: tuple[str, ...],
    outputs: tuple[str, ...],
    axes: dict[str, dict[int, str]],
    half: bool,
) -> None:
    """One part of the model in a file."""

    def write(beside: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # tracing warns of what it takes for constants; the check tells if it matters
            torch.onnx.export(
                part,
                inputs,
                str(beside),
                input_names=list(names),
                output_names=list(outputs),
                dynamic_axes=axes,
                opset_version=OPSET,
                dynamo=False,
            )
        if half:
            halve(beside)

    write_whole(path, write)


def halve(path: Path) -> None:
    """Store large weights in 16 bits, each followed by a cast, so that all computing stays in 32 bits."""
    import onnx
    from onnx import numpy_helper

    model: Any = onnx.load(str(path))
    casts = []
    for weight in model.graph.initializer:
        array = numpy_helper.to_array(weight)
        if array.dtype != np.float32 or array.size < 1024:
            continue
        name = weight.name
        weight.CopyFrom(numpy_helper.from_array(array.astype(np.float16), f"{name}.half"))
        casts.append(onnx.helper.make_node("Cast", [f"{name}.half"], [name], to=onnx.TensorProto.FLOAT))
    for cast in reversed(casts):
        model.graph.node.insert(0, cast)
    onnx.save(model, str(path))
