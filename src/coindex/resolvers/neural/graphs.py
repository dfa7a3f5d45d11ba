"""The shipped runtime: a model folder with three ONNX graphs, computed by onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MissingExtraError
from .mentions import Mentions
from .pairs import Pairs
from .scorer import MentionScores
from .windows import Batch
from .words import Floats

WORDS, MENTIONS, LINKS = "words.onnx", "mentions.onnx", "links.onnx"
GRAPHS = (WORDS, MENTIONS, LINKS)

# Names of inputs, in the order of the parts that were exported.
WORD_INPUTS = ("ids", "mask", "shapes", "speakers", "corpus", "piece_index", "piece_weight", "word_shapes")
WORD_OUTPUTS = ("vectors", "tags")
MENTION_INPUTS = ("vectors", "start", "end", "kind", "width", "number")
MENTION_OUTPUTS = ("head", "query", "key", "new", "probability")
LINK_INPUTS = ("query", "key", "anaphor", "candidate", "features")
LINK_OUTPUTS = ("scores",)


class GraphScorer:
    """The three parts of a model as graphs."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        self._words, self._mentions, self._links = (_session(folder / name, threads) for name in GRAPHS)

    def words(self, batch: Batch, corpus: int) -> tuple[Floats, Floats]:
        number = np.array([corpus], dtype=np.int64)
        values = {name: number if name == "corpus" else getattr(batch, name) for name in WORD_INPUTS}
        vectors, tags = self._words.run(list(WORD_OUTPUTS), values)
        return vectors, tags

    def mentions(self, vectors: Floats, mentions: Mentions) -> MentionScores:
        values = {name: vectors if name == "vectors" else getattr(mentions, name) for name in MENTION_INPUTS}
        return MentionScores(*self._mentions.run(list(MENTION_OUTPUTS), values))

    def links(self, query: Floats, key: Floats, pairs: Pairs) -> Floats:
        values = {
            "query": query,
            "key": key,
            "anaphor": pairs.anaphor,
            "candidate": pairs.candidate,
            "features": pairs.features,
        }
        scores: Floats = self._links.run(list(LINK_OUTPUTS), values)[0]
        return scores


def _session(path: Path, threads: int) -> Any:
    """A graph ready to run; 0 threads are as many as there are processors."""
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtraError("onnxruntime", "models") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
