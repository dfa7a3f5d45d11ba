"""A document transformer for LangChain that replaces pronouns by the names they refer to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..corpora.resolving import load
from ..document.documents import CONFIDENCE
from ..errors import MissingExtraError

try:
    from langchain_core.documents import BaseDocumentTransformer, Document
except ImportError as error:
    raise MissingExtraError("langchain-core", "langchain") from error

ORIGINAL = "unresolved_text"
"""The key of the metadata with the text before the replacements."""


class CoreferenceTransformer(BaseDocumentTransformer):
    """Resolves documents, so that each passage can be understood without the text before it.

    Use it before a text splitter: in a chunk, the name that a pronoun refers to may be missing. Documents keep their
    id and metadata; a document that changes keeps its text in `metadata["unresolved_text"]`.

    - `resolver`, and options such as `language`, `parser` and `min_link`: as in `coindex.load`.
    - `confidence`: replace a pronoun only if its links are right with this probability; 0 replaces all.

    >>> CoreferenceTransformer().transform_documents(documents)  # doctest: +SKIP
    """

    def __init__(self, resolver: str | None = None, *, confidence: float = CONFIDENCE, **options: Any) -> None:
        self.chain = load(resolver, **options)
        self.confidence = confidence

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:
        """Return copies of the documents with resolved text, in the same order."""
        with_text = [number for number, document in enumerate(documents) if document.page_content.strip()]
        result = list(documents)
        for number, doc in zip(with_text, self.chain.pipe(documents[at].page_content for at in with_text), strict=True):
            result[number] = _replace_text(documents[number], doc.resolved_text(confidence=self.confidence))
        return result


def _replace_text(document: Document, text: str) -> Document:
    if text == document.page_content:
        return document
    metadata = {**document.metadata, ORIGINAL: document.page_content}
    return document.model_copy(update={"page_content": text, "metadata": metadata})
