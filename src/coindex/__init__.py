"""coindex: one toolkit for the whole life of coreference."""

from .api import (
    compare,
    evaluate,
    export,
    formats,
    load,
    read,
    report,
    resolvers,
    score,
    score_by_upos,
    score_datasets,
    score_side_by_side,
    to_frame,
    to_graph,
    train,
    write,
)
from .document import Bridge, Corpus, Document, Entity, Mention, Sentence, SplitAntecedent, Token

__version__ = "0.1.0"

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
    "compare",
    "evaluate",
    "export",
    "formats",
    "load",
    "read",
    "report",
    "resolvers",
    "score",
    "score_by_upos",
    "score_datasets",
    "score_side_by_side",
    "to_frame",
    "to_graph",
    "train",
    "write",
]
