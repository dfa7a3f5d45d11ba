"""The public functions: they take paths or documents and hide where things live inside the package."""

from .evaluating import Evaluation, evaluate
from .files import OnProblem, documents, formats, read, read_source, sources, write
from .frames import to_frame, to_graph
from .reports import Report, report
from .resolving import load, resolvers
from .scoring import (
    ScoreOptions,
    compare,
    find_datasets,
    score,
    score_by,
    score_by_upos,
    score_datasets,
    score_side_by_side,
)
from .sides import Documents
from .training import export, train

__all__ = [
    "Documents",
    "Evaluation",
    "OnProblem",
    "Report",
    "ScoreOptions",
    "compare",
    "documents",
    "evaluate",
    "export",
    "find_datasets",
    "formats",
    "load",
    "read",
    "read_source",
    "report",
    "resolvers",
    "score",
    "score_by",
    "score_by_upos",
    "score_datasets",
    "score_side_by_side",
    "sources",
    "to_frame",
    "to_graph",
    "train",
    "write",
]
