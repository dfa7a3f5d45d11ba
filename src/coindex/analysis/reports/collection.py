"""Systems on a collection of documents: what they see of its topics, and what they answer.

A level is what counts as one collection: a subtopic, a topic, or all documents. A system that looks at several
documents together is run for each level, and sees the units of that level as the topics of the documents; so a
subtopic's documents are resolved apart from the rest where the level is `subtopic`, as in the upper half of Table 3 of
Cattan et al. 2021. With predicted topics it sees those instead, at all levels the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from ...document import Document
from ...document.documents import validated_part
from ...resolvers.chain import Chain

Level = Literal["subtopic", "topic", "corpus"]
LEVELS: tuple[Level, ...] = ("subtopic", "topic", "corpus")
MentionSource = Literal["gold", "predicted"]
MENTION_SOURCES: tuple[MentionSource, ...] = ("gold", "predicted")
Respond = Callable[[Level], Sequence[Document]]
Predict = Callable[[Sequence[Document]], Sequence[str]]
"""The topic of each document, found by what the documents say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A system on gold or on predicted mentions, and its response at each level that it was made for."""

    system: str
    mentions: MentionSource
    respond: Respond
    levels: tuple[Level, ...] = LEVELS


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Documents with topics, the systems that answer, and the levels of interest."""

    key: Sequence[Document]
    whole: Sequence[Document] = ()
    """The same documents with sentences that are context, which resolvers see; the key itself where empty."""
    runs: Sequence[Run] = ()
    levels: tuple[Level, ...] = LEVELS
    topics: Mapping[str, str] | None = None
    """Predicted topics by the id of the document; the key's own, by level, where None."""

    @property
    def has_context(self) -> bool:
        """Whether resolvers see more than is scored."""
        return any(len(one.tokens) > len(other.tokens) for one, other in zip(self.whole, self.key, strict=False))

    def seen(self, level: Level) -> list[Document]:
        """The documents as a system sees them: what counts as one collection is their topic and subtopic."""
        docs = self.whole or self.key
        names = [self._name(doc, level) for doc in docs]
        return [doc.replace(topic=name, subtopic=name) for doc, name in zip(docs, names, strict=True)]

    def _name(self, doc: Document, level: Level) -> str | None:
        if self.topics is not None:
            return self.topics.get(doc.id or "")
        if level == "corpus":
            return "corpus"
        names = [doc.topic, doc.subtopic if level == "subtopic" else None]
        return "/".join(name for name in names if name is not None) or None


def chain_responses(chain: Chain, collection: Collection, source: Respond | None = None) -> Respond:
    """What a chain makes of the key, or of the mentions that another system gave; run as rarely as possible."""
    sees_one = not chain.collects or collection.topics is not None

    @cache
    def resolve(level: Level) -> list[Document]:
        seen = collection.seen(level)
        if source is not None:
            pairs = zip(source(level), seen, strict=True)
            seen = [doc.replace(topic=own.topic, subtopic=own.subtopic) for doc, own in pairs]
        resolved = chain.pipe(seen)
        return [validated_part(doc) for doc in resolved] if collection.whole else list(resolved)

    return lambda level: resolve(collection.levels[0] if sees_one and source is None else level)
