"""Sentences that annotators went over, where a document says which ones: of the others no mention is known.

ECB+ has a list of such sentences. Read with all of its sentences, a document marks those outside the list by a comment:
they are context. What finds mentions passes over them, and what is scored is cut down to the others.
"""

from __future__ import annotations

from .documents import Document
from .entities import Entity, Mention
from .tokens import Sentence, Tokens

CONTEXT = "# validated = no"
"""The comment of a sentence that is context."""


def is_validated(sentence: Sentence) -> bool:
    """Whether mentions are known and looked for in it: in all sentences that nothing is said of."""
    return CONTEXT not in sentence.comments


def validated_part(doc: Document) -> Document:
    """The document without sentences that are context, and with the mentions that lie in the others."""
    if all(map(is_validated, doc.sentences)):
        return doc
    shown = [sentence for sentence in doc.sentences if is_validated(sentence)]
    kept = [position for sentence in shown for position in range(sentence.start, sentence.end)]
    new = {position: place for place, position in enumerate(kept)}
    last = len(kept) - 1
    tokens = Tokens(doc.tokens[old]._replace(space="") if new[old] == last else doc.tokens[old] for old in kept)
    sentences = []
    start = 0
    for old in shown:
        sentences.append(Sentence(tokens, start, start + len(old), old.id, old.speaker, old.comments))
        start += len(old)
    entities = (_moved(entity, tokens, new) for entity in doc.entities)
    return doc.replace(
        tokens=tokens,
        sentences=tuple(sentences),
        entities=tuple(entity for entity in entities if entity.mentions),
        bridges=(),
        split_antecedents=(),
    )


def _moved(entity: Entity, tokens: Tokens, new: dict[int, int]) -> Entity:
    mentions = tuple(
        Mention(tokens, tuple(new[at] for at in old.positions), _head(old, new), old.attributes)
        for old in entity.mentions
        if all(at in new for at in old.positions)
    )
    return Entity(entity.id, mentions, entity.type, entity.kind, entity.attributes)


def _head(mention: Mention, new: dict[int, int]) -> int | None:
    return None if mention.head is None else new[mention.head]
