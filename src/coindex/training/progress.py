"""How far a run is, told to whoever looks on, and how it is asked to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import CoindexError


@dataclass(frozen=True, slots=True)
class Progress:
    """Epochs count from 1; steps are those done in this one, or documents of `dev` while that is scored.

    Before the first epoch `dev` says what else is done with documents.
    """

    epoch: int
    epochs: int
    step: int
    steps: int
    losses: Mapping[str, float] = field(default_factory=dict)
    dev: str | None = None


Report = Callable[[dict[str, Any]], None]
"""Gets the rows of the log."""
Tick = Callable[[Progress], None]
"""Called after each step and each document of dev. Where it raises `Stopped`, the run is saved and left."""


class Stopped(CoindexError):  # noqa: N818 - nothing is wrong
    """A run that was asked to stop, and is saved."""


def nothing(progress: Progress) -> None:
    """Nobody looks on."""
