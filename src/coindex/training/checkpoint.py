"""Files written so that the last good one is never lost: first beside it, then in its place."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from ..errors import CoindexError


class CheckpointError(CoindexError):
    """A checkpoint that cannot be written or read."""


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` make the file under another name, then put it in place; where that fails, the old file stays."""
    beside = path.with_name(f"{path.name}.part")
    try:
        write(beside)
        with beside.open("rb+") as stream:
            os.fsync(stream.fileno())
        beside.replace(path)
    except (OSError, RuntimeError) as error:  # torch says RuntimeError when a disk is full
        beside.unlink(missing_ok=True)
        kept = "; the last one is still there" if path.exists() else ""
        raise CheckpointError(f"{path}: cannot be written: {error}{kept}; make room and resume") from error


def write_json(path: Path, data: Any) -> None:
    """Plain data in a file."""
    text = json.dumps(data, indent=1, ensure_ascii=False, default=list) + "\n"
    write_whole(path, lambda beside: _write_text(beside, text))


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """The whole state of a run."""
    write_whole(path, lambda beside: torch.save(state, beside))


def load_checkpoint(path: Path, fingerprint: str) -> dict[str, Any] | None:
    """The state of a run, None where there is none yet; one of another configuration is refused."""
    if not path.exists():
        return None
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many kinds for a damaged file
        raise CheckpointError(f"{path}: not a checkpoint ({error}); remove it to begin anew") from error
    if state.get("fingerprint") != fingerprint:
        raise CheckpointError(
            f"{path}: made by another configuration or on other data; expected that of this run; "
            "use another folder, or remove it to begin anew"
        )
    return state
