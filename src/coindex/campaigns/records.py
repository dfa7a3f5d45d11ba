"""Runs and their scores. A record has the counts of every document, so that any table can be made of it without scoring
again, and it is known by what it was computed by and from: another signature or another key is another record.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ..errors import CoindexError
from ..scoring import Counts, MacroResult, Result, Settings, UnitCounts, macro_average
from ..scoring.profiles import signature
from ..scoring.result import package_version
from ..settings import parse_section

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a team sent, and what it was worth: results by dataset, or why there are none."""

    team: str
    name: str = "1"
    track: str
    results: Mapping[str, Result] = field(default_factory=dict)
    failure: str = ""
    """Why it could not be scored; such a run never counts."""
    missing: tuple[str, ...] = ()
    """Datasets that it does not answer."""
    order: int = 1
    """The number of the run; later ones have higher numbers."""

    notes: tuple[str, ...] = ()
    """What was done to the key before scoring, for the signature, such as chains switched off."""

    @property
    def message(self) -> str:
        return self.failure

    def renamed(self, team: str, message: str) -> Run:
        """The same under another name; the run goes by its number then, as its name may tell whose it is."""
        name = self.name if team == self.team else str(self.order)
        return replace(self, team=team, name=name, failure=message)

    @property
    def macro(self) -> MacroResult | None:
        """The mean over datasets; None where one is missing, so that nobody gains by leaving out the hard ones."""
        return None if self.failure or self.missing or not self.results else macro_average(self.results)

    def score(self, metric: str) -> float | None:
        """The mean of a metric over datasets, as F1."""
        macro = self.macro
        return None if macro is None else value_of(macro, metric)

    @property
    def signature(self) -> str:
        """What its means were computed by; empty where there are none."""
        macro = [f"macro:{len(self.results)}"] if len(self.results) > 1 else []
        return self._signed(*macro) if self.results else ""

    @property
    def dataset_signature(self) -> str:
        """What its numbers of single datasets were computed by."""
        return self._signed() if self.results else ""

    def _signed(self, *more: str) -> str:
        settings = next(iter(self.results.values())).settings
        return signature(settings, package_version(), *more, *self.notes)


def value_of(result: Result | MacroResult, metric: str) -> float | None:
    """A number of a result by the name of its metric."""
    return result.conll if metric == "conll" else result[metric].f1


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a record was computed from: digests of the answer, of the key, and of the chains switched off."""

    answer: str
    key: str
    switched_off: str = ""

    def name(self, signature: str) -> str:
        """What the record's file is called: another for everything that can change a number."""
        text = json.dumps([signature, self.answer, self.key, self.switched_off])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def to_record(result: Result, source: Source) -> dict[str, Any]:
    """A result as plain data, with its counts."""
    return {
        "version": VERSION,
        "signature": result.signature,
        "source": asdict(source),
        "settings": asdict(result.settings),
        "scores": result.to_dict(),
        "units": [
            {"id": unit.id, "counts": {name: list(counts.values) for name, counts in unit.counts.items()}}
            for unit in result.units
        ],
    }


def from_record(record: Mapping[str, Any], place: str) -> Result:
    """The result of a record, to the last bit."""
    if record.get("version") != VERSION:
        raise CoindexError(f"{place}: a record of another version; expected {VERSION}; remove it to score anew")
    try:
        settings: Settings = parse_section(Settings, record["settings"], place)
        units = [
            UnitCounts(unit["id"], {name: Counts(tuple(values)) for name, values in unit["counts"].items()})
            for unit in record["units"]
        ]
        return Result.of(settings, units)
    except (KeyError, TypeError, AttributeError) as error:
        raise CoindexError(f"{place}: a broken record ({error}); expected one of ours; remove it") from error
