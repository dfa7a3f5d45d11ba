"""The document as formats without empty nodes see it, all else as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ..document import Document, Entity, Mention, Sentence, Tokens
from .chains import distinct


def without_zeros(doc: Document) -> Document:
    """The document without its empty nodes: zero mentions go, other mentions lose the empty nodes in them.

    An entity that has no mentions left goes too, and with it the relations that it takes part in.
    """
    if not doc.tokens.empty_positions:
        return doc
    before = [0]  # how many tokens stay before each position
    for token in doc.tokens:
        before.append(before[-1] + (not token.is_empty))
    tokens = Tokens(
        (token for token in doc.tokens if not token.is_empty),
        multiwords=(replace(m, start=before[m.start], end=before[m.end]) for m in doc.tokens.multiwords),
        prefix=doc.tokens.prefix,
    )
    empty = doc.tokens.empty_positions

    def move(mention: Mention) -> Mention | None:
        positions = tuple(before[position] for position in mention.positions if position not in empty)
        head = None if mention.head is None or mention.head in empty else before[mention.head]
        return Mention(tokens, positions, head, mention.attributes) if positions else None

    return _moved(doc, move).replace(
        tokens=tokens,
        sentences=tuple(
            replace(sentence, layer=tokens, start=before[sentence.start], end=before[sentence.end])
            for sentence in doc.sentences
        ),
        origin=None,
    )


def _moved(doc: Document, move: Callable[[Mention], Mention | None]) -> Document:
    entities = tuple(_entities(doc, move))
    ids = {entity.id for entity in entities}
    return doc.replace(
        entities=entities,
        bridges=tuple(
            replace(bridge, anaphor=anaphor)
            for bridge in doc.bridges
            if (anaphor := move(bridge.anaphor)) and {bridge.entity, bridge.antecedent} <= ids
        ),
        split_antecedents=tuple(
            replace(split, anaphor=anaphor)
            for split in doc.split_antecedents
            if (anaphor := move(split.anaphor)) and {split.entity, *split.antecedents} <= ids
        ),
    )


def _entities(doc: Document, move: Callable[[Mention], Mention | None]) -> Iterator[Entity]:
    for entity in doc.entities:
        moved = [new for mention in entity.mentions if (new := move(mention))]
        if moved:
            yield replace(entity, mentions=distinct(moved))


def all_sentences(doc: Document) -> list[Sentence]:
    """The sentences that have words, and tokens of no sentence as sentences of their own."""
    found = []
    at = 0
    for sentence in doc.sentences:
        if sentence.start > at:
            found.append(Sentence(doc.tokens, at, sentence.start))
        if sentence.end > sentence.start:
            found.append(sentence)
        at = sentence.end
    if at < len(doc.tokens):
        found.append(Sentence(doc.tokens, at, len(doc.tokens)))
    return found
