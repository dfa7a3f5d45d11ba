"""Two responses to one key: which errors both have, which the second mends, which it makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from .cases import ErrorCase

Change = Literal["both", "fixed", "broken"]
CHANGES: tuple[Change, ...] = ("both", "fixed", "broken")
"""An error is in both responses, only in the first (the second fixes it), or only in the second (which breaks it)."""


def compared(first: Sequence[ErrorCase], second: Sequence[ErrorCase]) -> Iterator[tuple[Change, ErrorCase]]:
    """All errors of two responses, told apart by their ids; of one that both have, that of the first."""
    own, other = ({case.id for case in cases} for cases in (first, second))
    yield from (("both" if case.id in other else "fixed", case) for case in first)
    yield from (("broken", case) for case in second if case.id not in own)
