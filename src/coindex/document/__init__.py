"""The document model: plain, immutable data that every other part reads and makes."""

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
