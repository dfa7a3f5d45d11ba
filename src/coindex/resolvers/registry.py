"""The registry of resolvers: modules with a `RESOLVER`, imported on first use, and companion models."""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from pathlib import Path

from ..errors import CoindexWarning, UnknownNameError
from . import check_training
from .companions import companion_folder, companions
from .resolver import Resolver, find_shipped_folder

MODULES = {
    "en-small": "neural.shipped",
    "xx-ud": "ud.xx_ud",
    "singleton": "rules.singleton",
    "heads": "rules.heads",
    "attributes": "rules.attributes",
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


def resolver_names() -> tuple[str, ...]:
    """Return the names of all resolvers: companions, installed or not, and those of `MODULES`."""
    return (*(name for name in companions() if name not in MODULES), *MODULES)


def get_resolver(name: str) -> Resolver:
    """Return the resolver with that name, or that of a model folder if the name is a path ("./mine")."""
    if name not in MODULES:
        if name in companions():
            from .neural.shipped import companion_resolver

            return companion_resolver(name)
        from .neural.folder import COMMON_KEYS, DESCRIPTION, is_exported, read_description

        folder = Path(name)
        if "/" in name or os.sep in name or (folder / DESCRIPTION).is_file():
            if not is_exported(folder):
                check_training()
            kind = read_description(folder, check_files=False, keys=COMMON_KEYS).get("kind")
            module = import_module(f"{__package__}.{FOLDERS.get(kind, FOLDERS[None])}")
            resolver: Resolver = module.folder_resolver(name)
            return resolver
        raise UnknownNameError("resolver", name, resolver_names())
    registered: Resolver = import_module(f"{__package__}.{MODULES[name]}").RESOLVER
    return registered


def all_resolvers() -> list[Resolver]:
    """Return all resolvers in the order of `resolver_names`."""
    for name, companion in companions().items():
        if name in MODULES:
            message = f"the model {name} of {companion.distribution} is ignored: coindex has a resolver with that name"
            warnings.warn(CoindexWarning(message, code="duplicate-input"), stacklevel=2)
    return [get_resolver(name) for name in resolver_names()]


def model_folder(name: str) -> Path:
    """Return the folder of the model with that name or path; rules have none, so it need not exist."""
    if name in MODULES:
        return find_shipped_folder(name)
    return companion_folder(name) if name in companions() else Path(name)
