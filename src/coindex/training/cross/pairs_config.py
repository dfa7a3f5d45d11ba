"""The settings of the pair scorer's training: the table `[pairs]` of a run for cross-document coreference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...document import Kind
from ...settings import ConfigError
from ..config import check_least


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsConfig:
    """How trees learn which pairs of mentions mean the same."""

    learn_from: Literal["best", "given", "found", "both"] = "best"
    """The mentions whose pairs are learned from; `best` for what is best on the development topics. Without found ones
    all learn from given ones."""
    members: int = 3
    """So many scorers are trained, each with features drawn anew; the mean of their logits is kept."""
    negatives: float = 20.0
    """So many unlike pairs for each pair that means the same are drawn."""
    rounds: int = 100
    """Trees of each scorer."""
    rate: float = 0.08
    leaves: int = 10
    """The most leaves of a tree."""
    least: int = 80
    """The least number of pairs of a leaf."""
    smoothing: float = 5.0
    """How strongly the values of leaves are drawn towards nothing."""
    share: float = 0.5
    """Of the features, drawn anew for each split."""
    networks: int = 2
    """So many small networks score pairs beside the trees; the mean of both counts. 0 for none."""
    hidden: int = 64
    """The size of their two hidden layers."""
    networks_of: tuple[Kind, ...] = ("event",)
    """The kinds of mentions whose pairs they score."""
    projection: int = 96
    """The size of a learned projection of the vectors; 0 for none."""
    parts: int = 3
    """The training topics are parted so: the projection that a part is trained with is learned from the others."""
    second: int = 2
    """So many scorers look at pairs a second time, by the company of both mentions; 0 for none."""
    meanings: tuple[Kind, ...] = ("event",)
    """The kinds of mentions whose words are compared by what they can mean in English, too."""
    seed: int = 1

    def __post_init__(self) -> None:
        for name, least in (
            ("members", 1),
            ("rounds", 1),
            ("leaves", 2),
            ("least", 1),
            ("networks", 0),
            ("hidden", 1),
            ("projection", 0),
            ("second", 0),
            ("parts", 2),
        ):
            check_least(f"pairs: {name}", getattr(self, name), least)
        for name in ("negatives", "rate", "share"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"pairs: {name} {getattr(self, name)}; expected more than 0; mend the value")
        if self.share > 1:
            raise ConfigError(f"pairs: share {self.share}; expected at most 1; mend the value")
