"""A model folder as a resolver of the registry: `coindex.load("models/mine")`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import CoindexError, quote
from ...formats.registry import Option
from ..registry import Resolver, Step
from .folder import load_resolver, read_description, resolve_options

NO_SCHEME = "none"


def folder_resolver(path: str) -> Resolver:
    """The resolver that a folder with exported graphs describes."""
    folder = Path(path)
    description = read_description(folder)
    config: dict[str, Any] = description["config"]
    return Resolver(
        name=path,
        kind="learned",
        summary=f"{config['name']}, a trained model in a folder",
        make=partial(_make, folder, description),
        licence="that of the model",
        options=(
            Option("scheme", (NO_SCHEME, *description["corpora"]), "the corpus whose way of annotating is followed"),
            Option("singletons", ("yes", "no"), "whether mentions that nothing refers to are kept"),
            Option("min_link", (), "the least probability of a link, from 0 to 1"),
        ),
    )


def _make(
    folder: Path,
    description: dict[str, Any],
    *,
    mentions: str,
    scheme: str = NO_SCHEME,
    singletons: str = "yes",
    min_link: str = "0",
) -> Step:
    options = resolve_options(description["config"]["decode"])
    link = replace(options.link, min_link=_probability(min_link))
    return load_resolver(
        folder,
        corpus=None if scheme == NO_SCHEME else scheme,
        given=mentions == "given",
        options=replace(options, singletons=singletons == "yes", link=link),
    )


def _probability(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise CoindexError(f"min_link {quote(text)}: no probability; expected a number from 0 to 1; choose another")
    return value
