"""Neural models as resolvers: `en-small`, which is included, and the models of companion distributions.

Weights are loaded on first use. The default annotation scheme is that of the first corpus in the model's description.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ..companions import (
    KNOWN,
    MissingModelError,
    companion_folder,
    companions,
    describe_installed,
    is_installed,
    reinstall,
)
from ..resolver import NO_SCHEME, Resolver, Step, find_shipped_folder, model_options

SOURCE = "Straka and Straková 2022 (mentions by tags, links by attention); weights trained for coindex"


def _make(find_folder: Callable[[], Path], *, mentions: str, scheme: str | None = None, **options: Any) -> Step:
    from .folder import make_model

    folder = find_folder()
    schemes = _schemes(folder)
    scheme = scheme or (schemes[0] if schemes else NO_SCHEME)
    return make_model(folder, mentions=mentions, scheme=scheme, **options)


def _schemes(folder: Path) -> tuple[str, ...]:
    """Return the schemes of a model, the default first; errors in the folder are reported when the model is used."""
    try:
        known: list[str] = json.loads((folder / "model.json").read_text(encoding="utf-8"))["corpora"]
        return tuple(dict.fromkeys((*known[:1], NO_SCHEME, *known)))
    except (OSError, ValueError, LookupError, TypeError):
        return ()


EN_SMALL = "en-small"


def en_small_folder() -> Path:
    """Return the folder of the included weights."""
    return find_shipped_folder(EN_SMALL)


RESOLVER = Resolver(
    name=EN_SMALL,
    kind="learned",
    summary="small neural model for English that runs on the CPU, with a probability for each mention and link",
    make=partial(_make, en_small_folder),
    languages=("en",),
    licence="CC BY-NC-SA 4.0, as its training data",
    source=SOURCE,
    options=model_options(_schemes(en_small_folder())),
)


def companion_resolver(name: str) -> Resolver:
    """Return the resolver of a companion; if it is not installed, the error about that is raised when it is used."""
    companion = companions()[name]
    return Resolver(
        name=name,
        kind="learned",
        summary=companion.summary,
        make=partial(_make_companion, name),
        languages=companion.languages,
        licence=companion.licence,
        source=SOURCE if name in KNOWN else "",
        options=model_options(_companion_schemes(name)),
        install="" if is_installed(name) else companion.install,
    )


def _companion_schemes(name: str) -> tuple[str, ...]:
    try:
        return _schemes(companion_folder(name))
    except MissingModelError:
        return ()


def _make_companion(name: str, **options: str) -> Step:
    """Return the step of an installed model; errors in its folder name the distribution and the remedy."""
    from .folder import UPGRADE, ModelFolderError

    try:
        return _make(partial(companion_folder, name), **options)
    except ModelFolderError as error:
        raise ModelFolderError(
            f"{describe_installed(name)} cannot be used ({error.found})",
            code=error.code,
            path=error.path,
            remedy=UPGRADE if error.details.get("newer") else f"install it again with: {reinstall(name)}",
        ) from error
