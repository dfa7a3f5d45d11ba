"""The public functions of coindex. They take paths or documents.

Heavy modules are imported when a function is called, so that `import coindex` stays fast.
"""

from ..corpora.files import OnProblem, documents, formats, read, read_source, sources, write
from ..corpora.key_and_response import Documents, find_datasets
from ..corpora.resolving import load, resolvers
from .agreement import Agreement, agreement, quality, vote
from .cleaning import Deduplication, find_duplicates
from .errors import find_errors
from .evaluation import Evaluation, evaluate
from .experiments import annotation_experiment, mention_experiment, overlap_experiment, size_experiment
from .overlap import overlap
from .quotations import quotations
from .reports import report
from .scoring import (
    ScoreOptions,
    compare,
    score,
    score_by,
    score_by_upos,
    score_datasets,
    score_side_by_side,
)
from .statistics import Statistics, stats
from .training import export, train

__all__ = [
    "Agreement",
    "Deduplication",
    "Documents",
    "Evaluation",
    "OnProblem",
    "ScoreOptions",
    "Statistics",
    "agreement",
    "annotation_experiment",
    "compare",
    "documents",
    "evaluate",
    "export",
    "find_datasets",
    "find_duplicates",
    "find_errors",
    "formats",
    "load",
    "mention_experiment",
    "overlap",
    "overlap_experiment",
    "quality",
    "quotations",
    "read",
    "read_source",
    "report",
    "resolvers",
    "score",
    "score_by",
    "score_by_upos",
    "score_datasets",
    "score_side_by_side",
    "size_experiment",
    "sources",
    "stats",
    "train",
    "vote",
    "write",
]
