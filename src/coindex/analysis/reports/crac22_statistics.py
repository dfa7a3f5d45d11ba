"""Tables 9 to 14 of the CRAC 2022 shared task: what the key and the responses are made of.

Tables 9 to 11 are of all datasets together, Tables 12 to 14 of the largest one, by the words of its key; they are left
out where there is only one. What is counted is defined in `analysis.statistics`. As in the paper, the heads of
responses are those of the tree, whatever a response says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...errors import CoindexError, quote
from ..statistics import Counts, detail_table, entity_table, mention_table
from ..tables import Table
from .kinds import Findings

GOLD = "gold"
"""What the row of the key is called."""


def statistics_tables(findings: Findings) -> list[Table]:
    """All six tables, or three where there is one dataset."""
    if GOLD in findings.systems:
        raise CoindexError(
            f"system {quote(GOLD)}: the key has that name in Tables 9 to 14; expected another; rename it, or choose "
            "other tables with --tables (tables=… in Python)"
        )
    datasets = findings.datasets
    made = _tables(_together(findings, datasets))
    if len(datasets) > 1:
        largest = max(sorted(datasets), key=lambda name: findings.key_counts[name].words)
        for table in _tables(_together(findings, [largest])):
            made.append(replace(table, name=f"largest-{table.name}", title=f"{table.title} in {largest}"))
    return made


def _tables(counts: Mapping[str, Counts]) -> list[Table]:
    return [entity_table(counts), mention_table(counts), detail_table(counts)]


def _together(findings: Findings, datasets: list[str]) -> dict[str, Counts]:
    """The counts of the key, and of each system, over these datasets; entities of two datasets are never one."""
    counts = {GOLD: sum((findings.key_counts[name].settled() for name in datasets), Counts())}
    for system, found in findings.systems.items():
        counts[system] = Counts()
        for name in datasets:
            own = found[name].counts
            assert own is not None, "they were wanted"
            counts[system] += own.settled()
    return counts
