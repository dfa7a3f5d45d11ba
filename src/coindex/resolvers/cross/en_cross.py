"""`en-cross`, the included English model for cross-document coreference, and models from other folders."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from ..resolver import Resolver, Step, find_shipped_folder
from .resolver import OPTIONS, make

NAME = "en-cross"


def model_folder() -> Path:
    """Return the folder of the included weights."""
    return find_shipped_folder(NAME)


def _make(**options: Any) -> Step:
    return make(model=model_folder(), name=NAME, **options)


RESOLVER = Resolver(
    name=NAME,
    kind="learned",
    summary="links events and entities across English documents, with a trained mention tagger and pair scorer",
    make=_make,
    languages=("en",),
    licence="CC BY 3.0, as its training data",
    source="Cattan et al. 2021 (mentions, pairs, average linkage, topics); features and weights are ours",
    options=OPTIONS,
    collects=True,
)


def folder_resolver(path: str) -> Resolver:
    """Return the resolver of a model folder for cross-document coreference."""
    from ..neural.folder import COMMON_KEYS, read_description

    config = read_description(Path(path), check_files=False, keys=COMMON_KEYS)["config"]
    name = str(config.get("name", path))
    return Resolver(
        name=path,
        kind="learned",
        summary=f"{name}, a trained model for cross-document coreference, from a folder",
        make=partial(make, model=Path(path), name=name),
        licence="see the model",
        options=OPTIONS,
        collects=True,
    )
