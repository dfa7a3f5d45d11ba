"""The results of RU-EVAL 2014 (Toldova et al. 2014): two tracks, anaphora and coreference.

The paper describes the scores (precision, recall and F of each run; MUC, B³ and CEAF of each system), but the tables
are on the website of the campaign. The variant of CEAF is not specified, so both are included. The best F comes first.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...document import Document
from ...scoring import Result, make_settings
from ..tables import Column, Row, Table
from .base import TrackReport

PARTS = {"precision": "P", "recall": "R", "f1": "F"}
TRACKS = {"anaphora": make_settings("rueval14-anaphora"), "coreference": make_settings("rueval14-coref")}
COLUMNS = {
    "anaphora": {"anaphora": ""},
    "coreference": {"muc": "MUC", "b3": "B³", "ceafm": "CEAF-m", "ceafe": "CEAF-e"},
}
"""The metrics of each track with their headings; the first one determines the order of systems."""
TITLES = {"anaphora": "Anaphora resolution", "coreference": "Coreference resolution"}


def make(results: Mapping[str, Mapping[str, Result]]) -> list[Table]:
    """Return a table for each track that has results."""
    return [_table(track, results[track]) for track in TRACKS if results.get(track)]


def _table(track: str, results: Mapping[str, Result]) -> Table:
    metrics = COLUMNS[track]
    first = next(iter(metrics))
    columns = [
        Column(f"{metric}_{part}", short, best=part == "f1", group=title)
        for metric, title in metrics.items()
        for part, short in PARTS.items()
    ]
    rows = [
        Row(
            label=system,
            values=[getattr(results[system][metric], part) for metric in metrics for part in PARTS],
            keys={"system": system},
            signature=results[system].signature,
        )
        for system in sorted(results, key=lambda system: (-results[system][first].f1, system))
    ]
    stub = "run" if track == "anaphora" else "system"
    return Table(name=track, title=TITLES[track], columns=columns, rows=rows, stub=stub)


def find_track(doc: Document) -> str | None:
    """Return the track of a response: pairs are for the anaphora track, chains for both."""
    return "anaphora" if doc.meta.get("track") == "anaphora" else None


REPORT = TrackReport(
    name="rueval14",
    summary="Russian anaphora and coreference resolution: P, R and F of each run; MUC, B³ and CEAF of each system",
    source="RU-EVAL 2014 (Toldova et al. 2014)",
    tables={"anaphora": "", "coreference": ""},
    tracks=TRACKS,
    make=make,
    said_by=find_track,
)
