"""The registry of resolvers. Each name maps to a module with a `RESOLVER`, which is imported on first use."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

from ..errors import UnknownNameError
from . import check_training
from .resolver import Resolver

MODULES = {
    "en-small": "neural.en_small",
    "xx-ud": "ud.xx_ud",
    "singleton": "rules.singleton",
    "heads": "rules.heads",
    "spacy": "parsers.spacy",
    "natasha": "parsers.natasha",
    "simple-rules": "rules.simple_rules",
    "propn-merge": "rules.propn_merge",
    "ne-post": "rules.ne_post",
    "nearest-np": "rules.nearest_np",
    "are-baseline": "rules.are_baseline",
    "head-lemma": "rules.head_lemma",
    "cross": "cross.resolver",
    "en-cross": "cross.en_cross",
    "sieves": "sieves",
}

FOLDERS = {None: "neural.folder", "ud": "ud.xx_ud", "cross": "cross.en_cross"}
"""Modules with a `folder_resolver` function for model folders, by the `kind` in the folder's description."""


def get_resolver(name: str) -> Resolver:
    """Return the resolver with that name, or that of a model folder if the name is a path ("./mine")."""
    if name not in MODULES:
        from .neural.folder import COMMON_KEYS, DESCRIPTION, is_exported, read_description

        folder = Path(name)
        if "/" in name or os.sep in name or (folder / DESCRIPTION).is_file():
            if not is_exported(folder):
                check_training()
            kind = read_description(folder, check_files=False, keys=COMMON_KEYS).get("kind")
            module = import_module(f"{__package__}.{FOLDERS.get(kind, FOLDERS[None])}")
            resolver: Resolver = module.folder_resolver(name)
            return resolver
        raise UnknownNameError("resolver", name, MODULES)
    registered: Resolver = import_module(f"{__package__}.{MODULES[name]}").RESOLVER
    return registered


def all_resolvers() -> list[Resolver]:
    """Return all resolvers in the order of `MODULES`."""
    return [get_resolver(name) for name in MODULES]
