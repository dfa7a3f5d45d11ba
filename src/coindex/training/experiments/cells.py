"""The cells of an experiment, their outcomes, and the folder that stores them.

The folder has a file for each finished cell and a training run for each unfinished one:

    cells/NAME.json     the outcome, with everything that it depends on
    runs/NAME-DIGEST    the training run, which can be resumed; removed when the cell is finished
    results.csv         all numbers so far

A run on a part of a corpus stores its documents in documents.json.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ...analysis.errors import LINKS, examine
from ...analysis.errors.result import LOW
from ...analysis.overlap import Vocabulary, measure_overlap
from ...document import Document
from ...document.naming import count
from ...errors import CoindexError
from ...resolvers.resolver import Mentions
from ...scoring import Result, Settings
from ...scoring.corpus import count_units
from ...scoring.profiles import CONLL
from ..neural.config import Config
from ..run import RESTART, remove_parts, write_json, write_whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """Size and overlap of what was trained on; rates are fractions."""

    documents: int
    words: int
    entities: int
    mentions: int
    oov: float | None
    low: float | None
    """The rate of words of the key that come fewer than ten times."""
    lfw: float | None = None
    """The share of wrong links that involve such a word; None where no link is wrong."""
    repeated: int
    """Documents of the key that are among them, word for word."""
    signature: str
    """Of all but `lfw`, which has that of the scores."""


def measure_training(docs: Iterable[Document], key: Sequence[Document]) -> tuple[Training, frozenset[str]]:
    """Measure the training documents compared with the key; return also the words that are frequent."""
    vocabulary = Vocabulary()
    entities = mentions = 0
    for doc in docs:
        vocabulary.add(doc)
        entities += len(doc.entities)
        mentions += sum(map(len, doc.entities))
    overlap = measure_overlap(vocabulary, key, below=(LOW,))
    training = Training(
        documents=vocabulary.documents,
        words=vocabulary.words,
        entities=entities,
        mentions=mentions,
        oov=overlap.oov,
        low=overlap.kinds["words"].rate(LOW),
        repeated=overlap.repeated,
        signature=overlap.signature,
    )
    return training, vocabulary.find_frequent(LOW)


def lfw_rate(
    key: Sequence[Document], response: Sequence[Document], settings: Settings, frequent: frozenset[str]
) -> float | None:
    """Return PreCo's LFW rate (section 4.2): of false-new, false-link and wrong-link errors, those with a rare word."""
    units = count_units(partial(examine, settings=settings, frequent=frequent), key, response, settings)
    errors = [case for unit in units for case in unit.cases if case.kind in LINKS]
    return sum(bool(case.is_lfw) for case in errors) / len(errors) if errors else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One condition of an experiment. `name` is that of its files; `factors` describe it for programs."""

    name: str
    label: str
    factors: Mapping[str, str]
    mentions: Mentions = "detected"
    config: Config | None = None
    """What is trained; None where a resolver is run as it is."""
    documents: Sequence[int] | None = None
    """The numbers of the documents that are trained on, of the corpus that is varied; None for all of them."""
    version: str | None = None
    """The path of another version of that corpus."""
    section: str = ""
    """Under what heading it stands in the table."""

    @property
    def work(self) -> str:
        """What is to be done, for people."""
        if self.config is None:
            return "resolving"
        return "training" if self.documents is None else f"training on {count(len(self.documents), 'document')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A finished cell. `scores` has fractions by metric, then by recall, precision and F1."""

    name: str
    label: str
    factors: Mapping[str, str]
    section: str
    scores: Mapping[str, Mapping[str, float]]
    conll: float | None
    signature: str
    training: Training | None
    about: Mapping[str, Any] = field(repr=False)
    """All that the numbers depend on: configuration, hashes of data, seed, version."""

    @classmethod
    def of(cls, cell: Cell, result: Result, training: Training | None, about: Mapping[str, Any]) -> Outcome:
        """Return the outcome of a cell whose response has this result."""
        return cls(
            name=cell.name,
            label=cell.label,
            factors=cell.factors,
            section=cell.section,
            scores={name: result[name].to_dict() for name in result},
            conll=result.conll,
            signature=result.signature,
            training=training,
            about=about,
        )

    def mean(self, side: str) -> float | None:
        """Return the mean of MUC, B³ and CEAF-e in "recall", "precision" or "f1": PreCo's averages."""
        if not all(name in self.scores for name in CONLL):
            return None
        return sum(self.scores[name][side] for name in CONLL) / len(CONLL)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data to save in a file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Outcome:
        """Convert a dictionary; raise KeyError or TypeError if it contains anything else."""
        training = data["training"]
        return cls(**{**data, "training": None if training is None else Training(**training)})


def digest(about: Mapping[str, Any]) -> str:
    """Return a short checksum of everything that a cell depends on."""
    text = json.dumps(about, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def check_cells(cells: Sequence[Cell]) -> None:
    """Raise an error if two cells have the same name."""
    names = [cell.name for cell in cells]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise CoindexError(f"{name}: the name is given twice; rename or remove one", code="duplicate-input")


CELLS, RUNS, RESULTS = "cells", "runs", "results.csv"
DOCUMENTS = "documents.json"


class ExperimentFolder:
    """The folder of an experiment, which stores finished cells so that they are not run again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.exists() and not path.is_dir():
            raise CoindexError(
                "is a file, not the folder of an experiment; choose another path", code="not-a-folder", path=path
            )
        there = [file.name for file in path.iterdir()] if path.exists() else []
        own = {CELLS, RUNS, RESULTS}
        if there and not own.intersection(there):
            raise CoindexError(
                "the folder contains other files; choose a new folder or that of an experiment",
                code="not-empty",
                path=path,
            )

    def clear(self) -> None:
        """Remove the files of an earlier experiment, and nothing else."""
        for name in (CELLS, RUNS):
            shutil.rmtree(self.path / name, ignore_errors=True)
        (self.path / RESULTS).unlink(missing_ok=True)
        remove_parts(self.path / RESULTS)

    def read_outcome(self, cell: Cell, about: Mapping[str, Any]) -> Outcome | None:
        """Return the outcome of a finished cell, or None; other settings are an error."""
        path = self._cell(cell)
        if not path.exists():
            return None
        try:
            outcome = Outcome.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CoindexError(
                f"the file of a finished cell is damaged ({error}); remove it", code="broken-record", path=path
            ) from error
        wanted = json.loads(json.dumps(about))
        if outcome.about != wanted:
            other = sorted(key for key in {*outcome.about, *wanted} if outcome.about.get(key) != wanted.get(key))
            raise CoindexError(
                f"the results were computed with different {' and '.join(other)}; {RESTART}",
                code="different-settings",
                path=path,
            )
        return outcome

    def finish(self, cell: Cell, outcome: Outcome) -> None:
        """Store the outcome of a cell."""
        remove_parts(self._cell(cell))
        write_json(self._cell(cell), outcome.to_dict())

    def _cell(self, cell: Cell) -> Path:
        return self.path / CELLS / f"{cell.name}.json"

    def run(self, cell: Cell, about: Mapping[str, Any]) -> Path:
        """Return the folder of the training run of a cell, which differs for other settings."""
        return self.path / RUNS / f"{cell.name}-{digest(about)}"

    def remove_models(self, cell: Cell, about: Mapping[str, Any]) -> None:
        """Remove what is needed only until the cell is done."""
        shutil.rmtree(self.run(cell, about), ignore_errors=True)
        runs = self.path / RUNS
        if runs.is_dir() and not any(runs.iterdir()):
            runs.rmdir()

    def write_results(self, text: str) -> None:
        """Write the table of all cells so far as CSV."""
        remove_parts(self.path / RESULTS)
        write_whole(self.path / RESULTS, lambda beside: _put(beside, text))


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")
