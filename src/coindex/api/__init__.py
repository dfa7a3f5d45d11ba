"""The public functions: they take paths or documents and hide where things live inside the package.

What they need is imported when they are called, so that `import coindex` stays light.
"""

from .agreement import Agreement, agreement
from .conversion import from_spacy, to_frame, to_graph
from .duplicates import Deduplication, find_duplicates
from .errors_found import find_errors
from .evaluating import Evaluation, evaluate
from .experiments import annotation_experiment, mention_experiment, overlap_experiment, size_experiment
from .files import OnProblem, documents, formats, read, read_source, sources, write
from .inputs import Documents
from .overlap import overlap
from .quality import quality
from .reports import report
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
from .statistics import Statistics, stats
from .training import export, train
from .voting import vote

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
    "from_spacy",
    "load",
    "mention_experiment",
    "overlap",
    "overlap_experiment",
    "quality",
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
    "to_frame",
    "to_graph",
    "train",
    "vote",
    "write",
]
