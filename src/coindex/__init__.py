"""coindex: one toolkit for the whole life of coreference."""

from .api import formats, read, write
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
    "formats",
    "read",
    "write",
]
