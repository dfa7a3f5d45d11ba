"""`en-small`, the included English model. Its weights are loaded on first use."""

from __future__ import annotations

import json
from pathlib import Path

from ..resolver import NO_SCHEME, Resolver, Step, find_shipped_folder, model_options

NAME = "en-small"
SCHEME = "gum"
"""The default annotation scheme, which has mentions of all entity types."""


def model_folder() -> Path:
    """Return the folder of the included weights."""
    return find_shipped_folder(NAME)


def _make(*, mentions: str, scheme: str = SCHEME, singletons: str | None = None, min_link: str = "0") -> Step:
    from .folder import make_model

    return make_model(model_folder(), mentions=mentions, scheme=scheme, singletons=singletons, min_link=min_link)


def _schemes() -> tuple[str, ...]:
    """Return the schemes of the weights; errors in the folder are reported when the model is used."""
    try:
        known: list[str] = json.loads((model_folder() / "model.json").read_text(encoding="utf-8"))["corpora"]
    except (OSError, ValueError, LookupError, TypeError):
        return ()
    return tuple(dict.fromkeys((SCHEME, NO_SCHEME, *known)))


RESOLVER = Resolver(
    name=NAME,
    kind="learned",
    summary="small neural model for English that runs on the CPU, with a probability for each mention and link",
    make=_make,
    languages=("en",),
    licence="CC BY-NC-SA 4.0, as its training data",
    source="Straka and Straková 2022 (mentions by tags, links by attention); weights trained for coindex",
    options=model_options(_schemes()),
)
