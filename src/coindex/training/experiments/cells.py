"""A cell of an experiment: what is trained or run, and, when it is done, what came out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ...document.naming import count
from ...errors import CoindexError
from ...resolvers.resolver import Mentions
from ...scoring import Result
from ...scoring.profiles import CONLL
from ..config import Config
from .measures import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One condition of an experiment. `name` is that of its files, `factors` say what it is for programs."""

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
        """The outcome of a cell whose response has this result."""
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
        """The mean of MUC, B³ and CEAF-e in "recall", "precision" or "f1": PreCo's averages."""
        if not all(name in self.scores for name in CONLL):
            return None
        return sum(self.scores[name][side] for name in CONLL) / len(CONLL)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as it is kept in a file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Outcome:
        """From such data; KeyError or TypeError where something else was kept."""
        training = data["training"]
        return cls(**{**data, "training": None if training is None else Training(**training)})


def digest(about: Mapping[str, Any]) -> str:
    """A short name for all that a cell depends on."""
    text = json.dumps(about, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def check_cells(cells: Sequence[Cell]) -> None:
    """Refuse two cells of one name."""
    names = [cell.name for cell in cells]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise CoindexError(f"{name}: given twice; expected each once; leave one out or rename it")
