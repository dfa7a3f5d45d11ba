"""The runtime of exported models: a folder with three ONNX graphs, run by onnxruntime."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...engines.scheduling import is_worker
from ...errors import MissingPackageError
from .detection import Mentions
from .pairs import Pairs
from .windows import Batch
from .words import Floats, Ints

PAIRS = 4096
"""Number of pairs that are scored at the same time; their vectors fit into the CPU cache."""


@dataclass(frozen=True, slots=True)
class MentionScores:
    """The output of the model for mentions: heads, scores, and vectors for linking."""

    head: Ints  # [mentions]: word indices, numbered as those of the mentions
    query: Floats  # [mentions, query]
    key: Floats  # [mentions, query]
    new: Floats  # [mentions]: the score of starting a new entity
    probability: Floats  # [mentions]: that it is a mention
    types: Floats | None = None  # [mentions, types]: probabilities of entity types

    def __len__(self) -> int:
        return len(self.head)


class Arcs(NamedTuple):
    """Scores of dependency trees: the product of a row of `child` and a row of `parent` scores an arc."""

    child: Floats  # [words, size]
    parent: Floats  # [words, size]
    relation: Ints  # [words]: the relation to the parent, as a number of `words.NUMBER`


class Scorer(Protocol):
    """The parts of a model, with arrays as inputs and outputs."""

    def words(self, batch: Batch, corpus: int) -> tuple[Floats, Floats]:
        """Return word vectors [words, hidden] and tag scores [words, tags]."""
        ...

    def syntax(self, vectors: Floats) -> Arcs | None:
        """Return the scores of dependency trees, or None if the model does not predict them."""
        ...

    def mentions(self, vectors: Floats, mentions: Mentions) -> MentionScores:
        """Return the scores of mentions, whose word indices refer to `vectors`."""
        ...

    def links(self, query: Floats, key: Floats, pairs: Pairs) -> Floats:
        """Return the scores of pairs of rows of `query` and `key`."""
        ...


def some_pairs(query: Floats, pairs: Pairs) -> Iterator[tuple[Floats, Pairs]]:
    """Yield chunks of pairs with the queries of their anaphors."""
    for begin in range(0, len(pairs), PAIRS):
        some = slice(begin, begin + PAIRS)
        anaphor = pairs.anaphor[some]
        first, last = int(anaphor[0]), int(anaphor[-1]) + 1  # sorted
        yield query[first:last], Pairs(anaphor - first, pairs.candidate[some], pairs.features[some])


WORDS, MENTIONS, LINKS = "words.onnx", "mentions.onnx", "links.onnx"
GRAPHS = (WORDS, MENTIONS, LINKS)
SYNTAX = "syntax.onnx"
"""The graph of models that predict trees."""

# Names of inputs, in the order of the parts that were exported.
WORD_INPUTS = ("ids", "mask", "shapes", "speakers", "corpus", "piece_index", "piece_weight", "word_shapes")
COLUMN_INPUTS = (*WORD_INPUTS, "columns")
"""Inputs of a model that uses UD columns."""
WORD_OUTPUTS = ("vectors", "tags")
MENTION_INPUTS = ("vectors", "start", "end", "kind", "width", "number")
MENTION_OUTPUTS = ("head", "query", "key", "new", "probability")
TYPE_OUTPUT = "types"
"""A further output of models that predict entity types."""
SYNTAX_INPUTS = ("vectors",)
SYNTAX_OUTPUTS = ("child", "parent", "relation")
LINK_INPUTS = ("query", "key", "anaphor", "candidate", "features")
LINK_OUTPUTS = ("scores",)
SIZED = ("features", "columns", "tags", "vectors")
"""Inputs and outputs with a fixed size."""

_ABANDONED: list[Any] = []


class Sessions:
    """The loaded graphs of a folder, by file name."""

    def __init__(self, folder: Path, names: Sequence[str], *, threads: int = 0) -> None:
        self._folder = folder
        self._names = tuple(names)
        self._threads = threads
        self._open()

    def _open(self) -> None:
        self._sessions = {name: _session(self._folder / name, self._threads) for name in self._names}
        self._process = os.getpid()  # last, so that other threads do not mistake the old graphs for the new ones

    def __getitem__(self, name: str) -> Any:
        """Return a graph; in a forked process, load all graphs again.

        The threads of the old graphs do not exist in a forked process, so using or deleting them would block forever.
        """
        if self._process != os.getpid():
            _ABANDONED.append(self._sessions)
            self._open()
        return self._sessions[name]

    def run(self, name: str, outputs: Sequence[str], values: Mapping[str, Any]) -> list[Any]:
        """Run a graph and return its outputs; values that are not inputs of the graph are ignored."""
        session = self[name]
        inputs = {given.name: values[given.name] for given in session.get_inputs()}
        results: list[Any] = session.run(list(outputs), inputs)
        return results


class GraphScorer:
    """The parts of a model as graphs."""

    def __init__(self, folder: Path, *, threads: int = 0, syntax: bool = False) -> None:
        self._sessions = Sessions(folder, (*GRAPHS, SYNTAX) if syntax else GRAPHS, threads=threads)
        self._has_syntax = syntax
        outputs = [value.name for value in self._sessions[MENTIONS].get_outputs()]
        self._mention_outputs = (*MENTION_OUTPUTS, TYPE_OUTPUT) if TYPE_OUTPUT in outputs else MENTION_OUTPUTS

    def sizes(self) -> dict[str, int]:
        """Return the numbers of pair features, word columns and tags and the size of word vectors, for used inputs."""
        words, links = self._sessions[WORDS], self._sessions[LINKS]
        values = (*words.get_inputs(), *words.get_outputs(), *links.get_inputs())
        return {
            value.name: value.shape[-1] for value in values if value.name in SIZED and isinstance(value.shape[-1], int)
        }

    def words(self, batch: Batch, corpus: int) -> tuple[Floats, Floats]:
        number = np.array([corpus], dtype=np.int64)
        values = {name: number if name == "corpus" else getattr(batch, name) for name in COLUMN_INPUTS}
        vectors, tags = self._sessions.run(WORDS, WORD_OUTPUTS, values)
        return vectors, tags

    def mentions(self, vectors: Floats, mentions: Mentions) -> MentionScores:
        values = {name: vectors if name == "vectors" else getattr(mentions, name) for name in MENTION_INPUTS}
        return MentionScores(*self._sessions.run(MENTIONS, self._mention_outputs, values))

    def syntax(self, vectors: Floats) -> Arcs | None:
        if not self._has_syntax:
            return None
        return Arcs(*self._sessions.run(SYNTAX, SYNTAX_OUTPUTS, {"vectors": vectors}))

    def links(self, query: Floats, key: Floats, pairs: Pairs) -> Floats:
        scores: list[Floats] = []
        for rows, some in some_pairs(query, pairs):
            values = {
                "query": rows,
                "key": key,
                "anaphor": some.anaphor,
                "candidate": some.candidate,
                "features": some.features,
            }
            scores += self._sessions.run(LINKS, LINK_OUTPUTS, values)
        return np.concatenate(scores) if scores else np.zeros(0, dtype=np.float32)


def _session(path: Path, threads: int) -> Any:
    """Load a graph."""
    # Otherwise onnxruntime 1.31 leaves files in the temporary folder and sends usage data to its vendor.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingPackageError("onnxruntime") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or _thread_count()
    options.inter_op_num_threads = 1
    # the graphs run alternately: spinning threads of one would take CPU time from the others
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _thread_count() -> int:
    """Return the number of usable CPUs, 1 in a worker process, or 0 for all CPUs."""
    if is_worker() or parent_process() is not None:
        return 1
    if not hasattr(os, "sched_getaffinity"):
        return 0
    usable = len(os.sched_getaffinity(0))
    return 0 if usable == os.cpu_count() else usable
