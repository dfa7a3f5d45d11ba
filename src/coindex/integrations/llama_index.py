"""A node post-processor for LlamaIndex that replaces pronouns by the names they refer to."""

from __future__ import annotations

from typing import Any

from ..corpora.resolving import load
from ..document.documents import CONFIDENCE
from ..errors import MissingExtraError

try:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise MissingExtraError("llama-index-core", "llama-index") from error


class CoreferencePostprocessor(BaseNodePostprocessor):
    """Resolves the texts of retrieved nodes before they reach the language model; other nodes stay as they are.

    A node is resolved on its own, so a name has to be in the same node as the pronoun. The nodes of the index are not
    changed.

    - `resolver`, and options such as `language`, `parser` and `min_link`: as in `coindex.load`.
    - `confidence`: replace a pronoun only if its links are right with this probability; 0 replaces all.

    >>> index.as_query_engine(node_postprocessors=[CoreferencePostprocessor()])  # doctest: +SKIP
    """

    confidence: float = CONFIDENCE
    _chain: Any = PrivateAttr()

    def __init__(self, resolver: str | None = None, *, confidence: float = CONFIDENCE, **options: Any) -> None:
        super().__init__(confidence=confidence)
        self._chain = load(resolver, **options)

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex stores it."""
        return "CoreferencePostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        texts = [node.node.text if isinstance(node.node, TextNode) else "" for node in nodes]
        with_text = [number for number, text in enumerate(texts) if text.strip()]  # image nodes have an empty text
        docs = self._chain.pipe(texts[number] for number in with_text)
        result = list(nodes)
        for number, doc in zip(with_text, docs, strict=True):
            text = doc.resolved_text(confidence=self.confidence)
            node = nodes[number].node.model_copy(update={"text": text})
            result[number] = NodeWithScore(node=node, score=nodes[number].score)
        return result
