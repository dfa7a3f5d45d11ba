"""The document model: immutable data that all other packages read and create."""

from ..text.spans import Span
from .documents import Corpus, Document
from .entities import Bridge, Entity, Kind, Mention, SplitAntecedent, mention_order, runs
from .tokens import Multiword, Sentence, Token, Tokens

__all__ = [
    "Bridge",
    "Corpus",
    "Document",
    "Entity",
    "Kind",
    "Mention",
    "Multiword",
    "Sentence",
    "Span",
    "SplitAntecedent",
    "Token",
    "Tokens",
    "mention_order",
    "runs",
]
