"""Texts, commands and results of runs on several workers: `from engine_runs import write_texts`."""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import coindex

COMMAND = [sys.executable, "-m", "coindex"]
TRAP = Path(__file__).parent / "trap"
"""The folder with a resolver that dies or waits at some words."""


def write_texts(path: Path, number: int, words: Mapping[int, str] | None = None) -> None:
    """Write texts with ids to a JSON file; `words` are those that some of them have instead of a name."""

    def make(at: int) -> coindex.Document:
        name = (words or {}).get(at, "Peter")
        text = f"Ann{at % 7} met Bob in the garden. She gave him a key of {name}. Bob thanked her and left number {at}."
        return coindex.Document.from_text(text, id=f"doc{at}")

    coindex.write(map(make, range(number)), path, "json")


def read_rows(folder: Path) -> list[dict[str, Any]]:
    """Return the documents of all shards, in order."""
    return [json.loads(line) for path in sorted(folder.glob("part-*")) for line in path.read_text().splitlines()]


def make_environment(gate: Path, **more: str) -> dict[str, str]:
    """Return the environment of processes that know the resolver `trap`; Ray uses the loopback address there."""
    token = secrets.token_hex(32)
    ray = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    ray["RAY_worker_niceness"] = "0"  # on a busy machine, actors would wait for minutes
    ray |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token}
    path = os.pathsep.join([str(TRAP), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, **ray, "PYTHONPATH": path, "TRAP_GATE": str(gate), **more}
