"""The options of a learned resolver, the default of each first."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import CoindexError, quote
from ...formats.registry import Option

NO_SCHEME = "none"


def model_options(schemes: Sequence[str], *, singletons: bool = True) -> tuple[Option, ...]:
    """What can be chosen of a model that knows these annotation schemes."""
    kept = ("yes", "no") if singletons else ("no", "yes")
    return (
        Option("scheme", tuple(schemes), "the corpus whose way of annotating is followed"),
        Option("singletons", kept, "whether mentions without a link are kept"),
        Option("min_link", (), "the least probability of a link, from 0 to 1"),
    )


def probability(text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise CoindexError(f"min_link {quote(text)}: no probability; expected a number from 0 to 1; choose another")
    return value
