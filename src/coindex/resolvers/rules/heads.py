"""Reduce mention spans to their heads, as several CRAC 2022 systems did because partial matching rewards it."""

from __future__ import annotations

from typing import cast

from ...document import Document
from ...document.heads import REDUCTIONS, Reduction, find_heads, reduce_to_heads
from ...formats.registry import Option
from ..resolver import Resolver, Step


def make(*, how: str = "all") -> Step:
    """Return the step that reduces spans in one of the ways of `REDUCTIONS`."""

    def step(doc: Document) -> Document:
        return reduce_to_heads(find_heads(doc), cast(Reduction, how))

    return step


RESOLVER = Resolver(
    name="heads",
    kind="step",
    summary="reduces mention spans to their heads",
    make=make,
    source="Straka and Straková 2022",
    options=(Option("how", tuple(REDUCTIONS), "; ".join(f"{name}: {what}" for name, what in REDUCTIONS.items())),),
)
