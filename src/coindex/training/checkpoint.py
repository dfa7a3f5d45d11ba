"""The state of a run in a file, of which the last good one is never lost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import torch

from ..errors import CoindexError
from .files import ANEW, remove_parts, write_whole


class CheckpointError(CoindexError):
    """A checkpoint that cannot be used."""


def run_fingerprint(settings: Mapping[str, Any], data: Mapping[str, str], no_matter: Collection[str]) -> str:
    """Of what must be the same for a training to go on: the settings but for some of training, and the data."""
    training = {name: value for name, value in settings.get("train", {}).items() if name not in no_matter}
    text = json.dumps([{**settings, "train": training}, data], sort_keys=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """The whole state of a run."""

    def write(beside: Path) -> None:
        try:
            with beside.open("wb") as stream:  # a stream of ours, which says why it cannot be written
                torch.save(state, stream)
        except RuntimeError as error:  # torch fails once more, at the end of its archive
            cause = error.__context__
            raise cause if isinstance(cause, OSError) else OSError(str(error)) from error

    write_whole(path, write)


def load_checkpoint(path: Path, fingerprint: str) -> dict[str, Any] | None:
    """The state of a run, None where there is none yet; one of another configuration is refused."""
    remove_parts(path)
    if not path.exists():
        return None
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many kinds for a damaged file
        raise CheckpointError(f"{path}: damaged ({error}); expected a checkpoint; {ANEW}") from error
    if state.get("fingerprint") != fingerprint:
        raise CheckpointError(
            f"{path}: made by another configuration or on other data; expected that of this run; {ANEW}"
        )
    return state
