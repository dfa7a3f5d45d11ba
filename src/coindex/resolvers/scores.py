"""What resolvers were scored at: read from `scores.json`, which `python -m benchmarks quality` writes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .chain import parse_chain
from .registry import MODULES, get_resolver

PATH = Path(__file__).with_name("scores.json")
CONLL = "CoNLL"
TELLING = {
    "singleton": "CoNLL with singletons",  # without them nothing is left of it
    "nearest-np": "F1 of ARE task 3",  # it resolves pronouns only
    "head-lemma": "CoNLL of events",  # what it is known for
}
"""The measure that tells most about a resolver, where it is not CoNLL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A number with all that it takes to get it again."""

    chain: str
    corpus: str
    mentions: str
    measure: str
    """The name of the number, such as CoNLL."""
    number: float
    """In percent."""
    signature: str
    version: str
    """That of coindex when it was measured."""

    def __str__(self) -> str:
        chain = f" in '{self.chain}'" if {"+", "("} & set(self.chain) else ""
        given = "" if self.mentions == "detected" else f", {self.mentions} mentions"
        return f"{self.number:.1f} {self.measure}{chain} on {self.corpus}{given}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@cache
def all_scores() -> tuple[Measured, ...]:
    """Every score, those on the main corpora and of the main chains first."""
    return tuple(Measured(**row) for row in json.loads(PATH.read_text(encoding="utf-8"))["scores"])


def scores_of(name: str) -> list[Measured]:
    """The scores of a resolver: of chains that it ends, for that is what they measure; a parser, of those it is in."""
    return [score for score in all_scores() if name in _measured(score.chain)]


def telling_score(name: str) -> Measured | None:
    """The one number to show beside a resolver: the first by its measure; a parser's, where it fills all columns."""
    scores = scores_of(name)
    if get_resolver(name).kind == "parser":
        scores = [score for score in scores if "columns=" not in score.chain]
    wanted = TELLING.get(name, CONLL)
    return next((score for score in scores if score.measure == wanted), next(iter(scores), None))


@cache
def _measured(chain: str) -> frozenset[str]:
    names = [name for name, _ in parse_chain(chain)]
    parsers = {name for name in names[:-1] if name in MODULES and get_resolver(name).kind == "parser"}
    return frozenset({names[-1], *parsers})
