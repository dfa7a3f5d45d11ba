"""A model folder as a resolver of the registry: `coindex.load("models/mine")`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from .. import load_trained
from ..resolver import NO_SCHEME, Resolver, Step, model_options, probability
from .folder import is_exported, load_resolver, read_description, resolve_options


def folder_resolver(path: str, load: Callable[..., Step] | None = None) -> Resolver:
    """The resolver that a model folder describes; `load` reads it, by default as its files ask for."""
    if load is None:
        load = load_resolver if is_exported(Path(path)) else load_trained
    description = read_description(Path(path), check_files=False)
    config = description["config"]
    return Resolver(
        name=path,
        kind="learned",
        summary=f"{config['name']}, a trained model in a folder",
        make=partial(make_model, Path(path), load=load),
        licence="that of the model",
        options=model_options((NO_SCHEME, *description["corpora"]), singletons=resolve_options(config).singletons),
    )


def make_model(
    folder: Path,
    *,
    mentions: str,
    scheme: str = NO_SCHEME,
    singletons: str | None = None,
    min_link: str = "0",
    load: Callable[..., Step] = load_resolver,
) -> Step:
    """The step of a model with these options."""
    corpus = None if scheme == NO_SCHEME else scheme
    options = resolve_options(read_description(folder, check_files=False)["config"], corpus)
    return load(
        folder,
        corpus=corpus,
        given=mentions == "given",
        options=replace(
            options,
            singletons=options.singletons if singletons is None else singletons == "yes",
            link=replace(options.link, min_link=probability(min_link)),
        ),
    )
