"""The shipped runtime: a model folder with three ONNX graphs, computed by onnxruntime."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ...errors import MissingPackageError
from .detection import Mentions
from .pairs import Pairs
from .windows import Batch
from .words import Floats, Ints

PAIRS = 4096
"""Pairs that are scored at once: their vectors stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class MentionScores:
    """The model's view of mentions: heads, and vectors kept for linking."""

    head: Ints  # [mentions]: words, counted as the mentions are
    query: Floats  # [mentions, query]
    key: Floats  # [mentions, query]
    new: Floats  # [mentions]: the score of beginning an entity
    probability: Floats  # [mentions]: that it is a mention

    def __len__(self) -> int:
        return len(self.head)


class Scorer(Protocol):
    """The three parts of a model, arrays in and out."""

    def words(self, batch: Batch, corpus: int) -> tuple[Floats, Floats]:
        """Word vectors [words, hidden] and tag scores [words, tags]."""
        ...

    def mentions(self, vectors: Floats, mentions: Mentions) -> MentionScores:
        """Mentions whose words are counted from the first vector."""
        ...

    def links(self, query: Floats, key: Floats, pairs: Pairs) -> Floats:
        """The scores of pairs that point into the rows of `query` and `key`."""
        ...


def some_pairs(query: Floats, pairs: Pairs) -> Iterator[tuple[Floats, Pairs]]:
    """Pairs in turn, so many at once as memory is for, with the queries of their anaphors alone."""
    for begin in range(0, len(pairs), PAIRS):
        some = slice(begin, begin + PAIRS)
        anaphor = pairs.anaphor[some]
        first, last = int(anaphor[0]), int(anaphor[-1]) + 1  # they are sorted
        yield query[first:last], Pairs(anaphor - first, pairs.candidate[some], pairs.features[some])


WORDS, MENTIONS, LINKS = "words.onnx", "mentions.onnx", "links.onnx"
GRAPHS = (WORDS, MENTIONS, LINKS)

# Names of inputs, in the order of the parts that were exported.
WORD_INPUTS = ("ids", "mask", "shapes", "speakers", "corpus", "piece_index", "piece_weight", "word_shapes")
COLUMN_INPUTS = (*WORD_INPUTS, "columns")
"""Of a model that uses UD columns."""
WORD_OUTPUTS = ("vectors", "tags")
MENTION_INPUTS = ("vectors", "start", "end", "kind", "width", "number")
MENTION_OUTPUTS = ("head", "query", "key", "new", "probability")
LINK_INPUTS = ("query", "key", "anaphor", "candidate", "features")
LINK_OUTPUTS = ("scores",)
SIZED = ("features", "columns", "tags")
"""Those whose columns the description names."""

_ABANDONED: list[Any] = []


class Sessions:
    """Graphs of a folder, ready to run, by the names of their files."""

    def __init__(self, folder: Path, names: Sequence[str], *, threads: int = 0) -> None:
        self._folder = folder
        self._names = tuple(names)
        self._threads = threads
        self._open()

    def _open(self) -> None:
        self._sessions = {name: _session(self._folder / name, self._threads) for name in self._names}
        self._process = os.getpid()  # last: until then another thread must not take the old graphs for the new

    def __getitem__(self, name: str) -> Any:
        """In a forked process the threads of the graphs are gone, and whatever waits for them waits for ever.

        So the graphs are loaded anew, and the old ones kept: letting them go would wait, too.
        """
        if self._process != os.getpid():
            _ABANDONED.append(self._sessions)
            self._open()
        return self._sessions[name]

    def run(self, name: str, outputs: Sequence[str], values: Mapping[str, Any]) -> list[Any]:
        """Return the outputs of a graph for those values that it has inputs for: unused inputs are not exported."""
        session = self[name]
        inputs = {given.name: values[given.name] for given in session.get_inputs()}
        results: list[Any] = session.run(list(outputs), inputs)
        return results


class GraphScorer:
    """The three parts of a model as graphs."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        self._sessions = Sessions(folder, GRAPHS, threads=threads)

    def sizes(self) -> dict[str, int]:
        """How many features of a pair, columns and tags of a word the graphs know; what they do not use is left out."""
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
        return MentionScores(*self._sessions.run(MENTIONS, MENTION_OUTPUTS, values))

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
    """A graph ready to run."""
    # Without it, onnxruntime 1.31 leaves files in the temporary folder and sends usage data to its makers.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingPackageError("onnxruntime") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or _processors()
    options.inter_op_num_threads = 1
    # three graphs take turns: threads of one that wait in a busy loop would take the processors from the others
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _processors() -> int:
    """Those that this process may use, one where it is itself one of many that share the work; 0 for all there are."""
    if parent_process() is not None:
        return 1
    if not hasattr(os, "sched_getaffinity"):
        return 0
    usable = len(os.sched_getaffinity(0))
    return 0 if usable == os.cpu_count() else usable
