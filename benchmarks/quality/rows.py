"""What is measured: a row for each number, and why some are missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import coindex
from coindex.resolvers.chain import Measured
from coindex.resolvers.resolver import Mentions
from coindex.scoring import Result


@dataclass(frozen=True)
class Row:
    """A score with the way to it. `system` is the chain without parsers: what a table has a column for."""

    measured: Measured
    system: str
    more: dict[str, float] = field(default_factory=dict)
    """Other numbers by name."""

    def to_dict(self) -> dict[str, Any]:
        return {**self.measured.to_dict(), "system": self.system, **self.more}


class Misfit(NamedTuple):
    """A chain that does not work on a corpus."""

    corpus: str
    system: str
    mentions: Mentions
    reason: str


def percent(share: float) -> float:
    return round(100 * share, 2)


def measured(
    chain: str, corpus: str, mentions: Mentions, measure: str, result: Result, number: float | None = None
) -> Measured:
    """Return a result as a number with everything needed to reproduce it; default: CoNLL."""
    value = result.conll if number is None else number
    assert value is not None
    return Measured(
        chain=chain,
        corpus=corpus,
        mentions=mentions,
        measure=f"{measure} with singletons" if result.settings.singletons else measure,
        number=percent(value),
        signature=result.signature,
        version=coindex.__version__,
    )
