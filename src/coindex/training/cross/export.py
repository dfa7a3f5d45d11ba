"""The tagger and its encoder as graphs that run without torch."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from ...resolvers.cross.model import (
    LOWER,
    LOWER_INPUTS,
    LOWER_OUTPUTS,
    PLAIN,
    PLAIN_INPUTS,
    PLAIN_OUTPUTS,
    TAG_INPUTS,
    TAG_OUTPUTS,
    TAGS,
)
from ...resolvers.neural.folder import TOKENIZER
from ..adapters import run_layers
from ..export import PIECES, WORD_AXES, put_graph
from .loop import TrainedTagger
from .network import Plain, TagNetwork

SHARED = ("ids", "mask", "piece_index", "piece_weight", "word_shapes", "tags")
AXES = {name: WORD_AXES[name] for name in SHARED} | {"states": PIECES, "vectors": PIECES}


class LowerGraph(nn.Module):
    """Pieces to the states of the frozen layers."""

    def __init__(self, plain: Plain) -> None:
        super().__init__()
        self.plain = plain

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        return self.plain.lower(ids, mask)


class PlainGraph(nn.Module):
    """Those to the vectors of the encoder as it came."""

    def __init__(self, plain: Plain) -> None:
        super().__init__()
        self.plain = plain

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        return run_layers(self.plain.base, self.plain.upper, states, mask)


class TagGraph(nn.Module):
    """Those to the scores of tags."""

    def __init__(self, network: TagNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, *inputs: Tensor) -> Tensor:
        return self.network.upper(*inputs)


def put_graphs(trained: TrainedTagger, folder: Path, bits: int) -> None:
    """Graphs and vocabulary in a folder that is there. Attention must be eager: the fused kernel has no ONNX form."""
    network = trained.network.eval()
    # no size is 1, which a trace would take for a constant
    ids = torch.full((2, 7), trained.pieces.unknown)
    mask = torch.ones_like(ids)
    states = torch.zeros(2, 7, network.plain.hidden)
    words = (torch.tensor([[1, 2], [3, 3], [8, 9]]), torch.full((3, 2), 0.5), torch.zeros(3, dtype=torch.int64))
    put_graph(folder / LOWER, LowerGraph(network.plain), (ids, mask), LOWER_INPUTS, LOWER_OUTPUTS, AXES, bits)
    put_graph(folder / PLAIN, PlainGraph(network.plain), (states, mask), PLAIN_INPUTS, PLAIN_OUTPUTS, AXES, bits)
    put_graph(folder / TAGS, TagGraph(network), (states, mask, *words), TAG_INPUTS, TAG_OUTPUTS, AXES, bits)
    (folder / TOKENIZER).write_text(trained.tokenizer.to_str(), encoding="utf-8")
