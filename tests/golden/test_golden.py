"""The golden files say what the outside sees: names, help, registries, model folders, tables, routes.

A change that is not meant to be seen from outside leaves them as they are. After one that is, run
`COINDEX_UPDATE_GOLDEN=1 python -m pytest tests/golden` and read the difference before committing it.
"""

from __future__ import annotations

import difflib
import os
from itertools import islice
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the golden files need the extra coindex[web]")
pytest.importorskip("torch", reason="the golden files need the extra coindex[train]")

from golden.snapshots import SNAPSHOTS

FOLDER = Path(__file__).parent / "files"
COMMAND = "COINDEX_UPDATE_GOLDEN=1 python -m pytest tests/golden"
MOST_LINES = 40
"""Lines of a difference that are shown."""


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_the_outside_is_as_before(name: str) -> None:
    path, found = FOLDER / name, SNAPSHOTS[name]()
    if os.environ.get("COINDEX_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, encoding="utf-8")
    expected = path.read_text(encoding="utf-8") if path.exists() else ""
    if found != expected:
        pytest.fail(difference(expected, found, name), pytrace=False)


def difference(expected: str, found: str, name: str) -> str:
    """The lines that differ, as many as one wants to read, and what to do."""
    lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), f"golden {name}", "now", lineterm="", n=1)
    shown = list(islice(lines, MOST_LINES + 1))
    if len(shown) > MOST_LINES:
        shown[-1] = "…"
    return "\n".join([f"{name} differs from its golden file:", *shown, f"If this is what you want, run: {COMMAND}"])


def test_a_difference_is_short_and_names_the_command() -> None:
    before, after = "\n".join(map(str, range(200))), "\n".join(map(str, range(100, 300)))
    text = difference(before, after, "help.txt")
    assert len(text.splitlines()) <= MOST_LINES + 3
    assert "-0" in text.splitlines()
    assert text.endswith(COMMAND)


def test_every_golden_file_is_compared() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(SNAPSHOTS)
