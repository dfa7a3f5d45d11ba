"""A toolkit for coreference: read, resolve, score, annotate, run shared tasks, analyse."""

from typing import Any as _Any

# `formats` and `resolvers` come first: imported later, the packages would replace the functions of the same names.
# `render` adds the methods of documents for notebooks and resolved text.
from . import formats as _formats  # noqa: F401
from . import render as _render  # noqa: F401
from . import resolvers as _resolvers
from .api import (
    agreement,
    annotation_experiment,
    compare,
    evaluate,
    export,
    find_duplicates,
    find_errors,
    formats,
    load,
    mention_experiment,
    overlap,
    overlap_experiment,
    quality,
    quotations,
    read,
    report,
    resolvers,
    score,
    score_by_upos,
    score_datasets,
    score_side_by_side,
    size_experiment,
    stats,
    train,
    vote,
    write,
)
from .document import Bridge, Corpus, Document, Entity, Mention, Sentence, SplitAntecedent, Token
from .integrations.conversion import from_spacy, to_frame, to_graph
from .integrations.datasets import batch_resolver

__all__ = [
    "Bridge",
    "Corpus",
    "Document",
    "Entity",
    "Mention",
    "Sentence",
    "SplitAntecedent",
    "Token",
    "__version__",
    "agreement",
    "annotation_experiment",
    "batch_resolver",
    "compare",
    "evaluate",
    "export",
    "find_duplicates",
    "find_errors",
    "formats",
    "from_spacy",
    "load",
    "mention_experiment",
    "overlap",
    "overlap_experiment",
    "quality",
    "quotations",
    "read",
    "report",
    "resolvers",
    "score",
    "score_by_upos",
    "score_datasets",
    "score_side_by_side",
    "size_experiment",
    "stats",
    "to_frame",
    "to_graph",
    "train",
    "vote",
    "write",
]

__version__ = "0.1.0"


def _load_trained(*arguments: _Any, **options: _Any) -> _Any:
    from .training.neural.folder import load_trained

    return load_trained(*arguments, **options)


def _check_training() -> None:
    from .api.training import need_training

    need_training()


_resolvers.register_training(load=_load_trained, check=_check_training)
