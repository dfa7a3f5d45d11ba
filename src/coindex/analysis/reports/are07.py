"""Tables 1 and 2 of ARE 2007 (Orăsan et al. 2008): the success rate of task 1; recall, precision and F of tasks 2 to 4.

Systems are listed in the given order; the paper lists the baseline first.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...document import Document
from ...scoring import Result, make_settings
from ..tables import Column, Row, Table
from .base import TrackReport

TRACKS = {f"task{number}": make_settings(f"are07-task{number}") for number in range(1, 5)}
PARTS = {"recall": "Recall", "precision": "Precision", "f1": "F-measure"}


def make(results: Mapping[str, Mapping[str, Result]]) -> list[Table]:
    """Return the tables of the tasks that have results."""
    tasks = {track: results[track] for track in TRACKS if results.get(track)}
    tables = []
    if "task1" in tasks:
        columns = [Column("success", "Success rate", best=True)]
        tables.append(_table("success", "Task 1", columns, _rows("task1", tasks["task1"], {"f1": ""}, "")))
    others = [track for track in tasks if track != "task1"]
    if others:
        columns = [Column(part, title, best=part == "f1") for part, title in PARTS.items()]
        rows = [row for track in others for row in _rows(track, tasks[track], PARTS, f"Task {track[-1]}")]
        tables.append(_table("tasks", "Tasks 2, 3 and 4", columns, rows))
    return tables


def _rows(track: str, results: Mapping[str, Result], parts: Mapping[str, str], section: str) -> list[Row]:
    (metric,) = TRACKS[track].metrics
    return [
        Row(
            label=system,
            values=[getattr(result[metric], part) for part in parts],
            section=section,
            keys={"task": track, "system": system},
            signature=result.signature,
            contest=track,
        )
        for system, result in results.items()
    ]


def _table(name: str, title: str, columns: list[Column], rows: list[Row]) -> Table:
    return Table(name=name, title=title, columns=columns, rows=rows, stub="method")


def find_track(doc: Document) -> str | None:
    """Return the task of a response in the format of ARE; other responses are for all tasks."""
    task = doc.meta.get("task")
    return f"task{task}" if doc.meta.get("kind") == "response" and f"task{task}" in TRACKS else None


REPORT = TrackReport(
    name="are07",
    summary="English pronoun and coreference resolution in four tasks, with given mentions and on raw text",
    source="ARE 2007 (Orăsan et al. 2008), Tables 1 and 2",
    tables={"success": "1", "tasks": "2"},
    tracks=TRACKS,
    make=make,
    said_by=find_track,
)
