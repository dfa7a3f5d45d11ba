"""The annotations of several people, from files, folders or documents."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..document import Document
from ..errors import CoindexError, quote
from .arguments import check_corpora
from .sides import STDIN, Documents, Reading, dataset_name, files_below, pair_paths, read_stdin

if TYPE_CHECKING:
    from ..scoring import Settings

_PARTS = re.compile(r"([^0-9A-Za-z]+)")
Versions = Mapping[str, Documents] | Sequence[Documents]
"""What each annotator made of the same documents, perhaps with the annotators' names."""


def name_versions(versions: Versions, *, least: int = 2) -> dict[str, Documents]:
    """The versions by name; those without one are named after their files, as short as that is clear."""
    if isinstance(versions, str | os.PathLike | Document):
        raise TypeError(
            f"annotations: expected a list or dict with the annotation of each annotator, not {type(versions).__name__}"
        )
    check_corpora(versions, "annotations")
    if isinstance(versions, Mapping):
        named = dict(versions)
    else:
        paths = [str(each) if isinstance(each, str | os.PathLike) else "" for each in versions]
        named = dict(zip(short_names(paths), versions, strict=True))
    if len(named) < least:
        raise CoindexError(
            f"{len(named)} annotation{'s' * (len(named) != 1)}; expected {least} or more of the same text; "
            "give a file for each annotator"
        )
    if sum(side == STDIN for side in named.values()) > 1:
        raise CoindexError("-: two annotations from standard input; expected at most one; name files")
    return named


def short_names(paths: Sequence[str]) -> list[str]:
    """Names for files: what is left of them without their endings, folders and all that they have in common.

    >>> short_names(["x/Faust-AB_Act1.conll", "x/Faust-CD_Act1.conll"]), short_names(["a/x.conll", "b/x.conll"])
    (['AB', 'CD'], ['a', 'b'])
    """
    for at, path in enumerate(paths):
        if path and path in paths[:at]:
            raise CoindexError(f"{path}: given twice; expected each annotation once; leave one out")
    if not all(paths) or len(paths) < 2:
        return [dataset_name(path) if path else f"annotator {number}" for number, path in enumerate(paths, 1)]
    parts = [_PARTS.split(path if path == STDIN else str(Path(path).with_name(dataset_name(path)))) for path in paths]
    shortest = min(map(len, parts))
    start = next((at for at in range(shortest) if len({part[at] for part in parts}) > 1), 0)
    end = next((at for at in range(1, shortest - start + 1) if len({part[-at] for part in parts}) > 1), 1)
    cut = ["".join(part[start : len(part) - end + 1]).strip("/-_. ") for part in parts]
    return cut if all(cut) and len(set(cut)) == len(cut) else list(paths)


def open_versions(
    versions: Mapping[str, Documents], settings: Settings, format: str | None, read_options: Mapping[str, str]
) -> dict[str, Iterable[Document]]:
    """The documents of each annotator, to go through as often as need be; folders are paired by their files' names."""
    paths = {
        name: os.fspath(side)
        for name, side in versions.items()
        if isinstance(side, str | os.PathLike) and side != STDIN
    }
    for path in paths.values():
        if not os.path.exists(path):
            raise CoindexError(f"{path}: no such file or folder; expected annotations; name one that is there")
    first = next(iter(paths.values()), "")
    folders = len(paths) > 1 and all(os.path.isdir(path) for path in paths.values())
    found: dict[str, Iterable[Document]] = {}
    for name, side in versions.items():
        if side == STDIN:  # which can be read only once
            found[name] = read_stdin(format, read_options, settings)
        elif name in paths:
            if folders and paths[name] != first:
                pairs = pair_paths(first, paths[name], format)
                files = tuple(chain.from_iterable(pair.response for pair in pairs))
            else:
                files = tuple(files_below(paths[name], format))
            found[name] = Reading(files, read_options, settings)
        else:
            found[name] = _given(side, name)
    return found


def _given(side: Any, name: str) -> list[Document]:
    docs = [side] if isinstance(side, Document) else list(cast(Iterable[Document], side))
    for doc in docs:
        if not isinstance(doc, Document):
            raise CoindexError(f"{quote(name)}: {type(doc).__name__}; expected documents; give a path or documents")
    return docs
