"""The folder of an experiment: a file for each finished cell, a training run for each unfinished one.

    cells/NAME.json     what came out, with all that it depends on
    runs/NAME-DIGEST    the run, whose last checkpoint is gone on from; removed when the cell is done
    results.csv         all numbers so far

A run whose documents are a part of a corpus has them in documents.json.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import CoindexError
from ..files import ANEW, remove_parts, write_json, write_whole
from .cells import Cell, Outcome, digest

CELLS, RUNS, RESULTS = "cells", "runs", "results.csv"
DOCUMENTS = "documents.json"


class ExperimentFolder:
    """Where an experiment is kept, so that nothing is done twice."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.exists() and not path.is_dir():
            raise CoindexError(f"{path}: is a file; expected the folder of an experiment; choose another")
        there = [one.name for one in path.iterdir()] if path.exists() else []
        own = {CELLS, RUNS, RESULTS}
        if there and not own.intersection(there):
            raise CoindexError(
                f"{path}: holds other things; expected a new folder or that of an experiment; choose another"
            )

    def clear(self) -> None:
        """Remove what an earlier experiment left, and nothing else."""
        for name in (CELLS, RUNS):
            shutil.rmtree(self.path / name, ignore_errors=True)
        (self.path / RESULTS).unlink(missing_ok=True)
        remove_parts(self.path / RESULTS)

    def finished(self, cell: Cell, about: Mapping[str, Any]) -> Outcome | None:
        """What came out of a cell, if it is done; one that was done otherwise is refused."""
        path = self._cell(cell)
        if not path.exists():
            return None
        try:
            found = Outcome.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CoindexError(f"{path}: damaged ({error}); expected a finished cell; remove the file") from error
        wanted = json.loads(json.dumps(about))
        if found.about != wanted:
            other = sorted(key for key in {*found.about, *wanted} if found.about.get(key) != wanted.get(key))
            raise CoindexError(f"{path}: made with other {' and '.join(other)}; expected those of this run; {ANEW}")
        return found

    def finish(self, cell: Cell, outcome: Outcome) -> None:
        """Keep what came out."""
        remove_parts(self._cell(cell))
        write_json(self._cell(cell), outcome.to_dict())

    def _cell(self, cell: Cell) -> Path:
        return self.path / CELLS / f"{cell.name}.json"

    def run(self, cell: Cell, about: Mapping[str, Any]) -> Path:
        """The folder of the cell's training run: another for other settings, so that none goes on from a wrong one."""
        return self.path / RUNS / f"{cell.name}-{digest(about)}"

    def remove_models(self, cell: Cell, about: Mapping[str, Any]) -> None:
        """Remove what is needed only until the cell is done."""
        shutil.rmtree(self.run(cell, about), ignore_errors=True)
        runs = self.path / RUNS
        if runs.is_dir() and not any(runs.iterdir()):
            runs.rmdir()

    def write_results(self, text: str) -> None:
        """The table of all cells so far, as CSV."""
        remove_parts(self.path / RESULTS)
        write_whole(self.path / RESULTS, lambda beside: _put(beside, text))


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")
