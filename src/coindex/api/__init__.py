"""The public functions: they take paths or documents and hide where things live inside the package."""

from .files import OnProblem, documents, formats, read, read_source, sources, write
from .frames import to_frame, to_graph
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

__all__ = [
    "Documents",
    "OnProblem",
    "ScoreOptions",
    "compare",
    "documents",
    "find_datasets",
    "formats",
    "load",
    "read",
    "read_source",
    "resolvers",
    "score",
    "score_by",
    "score_by_upos",
    "score_datasets",
    "score_side_by_side",
    "sources",
    "to_frame",
    "to_graph",
    "write",
]
