"""Columns exchanged, all else kept: what a parser or tagger does to a document."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .documents import Document
from .entities import Entity, Mention
from .tokens import Token, Tokens


def with_columns(doc: Document, tokens: Iterable[Token]) -> Document:
    """The document with these tokens for its own, one for one; positions, text, sentences and mentions stay."""
    layer = Tokens(tokens, multiwords=doc.tokens.multiwords, prefix=doc.tokens.prefix)
    assert len(layer) == len(doc.tokens)

    def moved(mention: Mention) -> Mention:
        return Mention(layer, mention.positions, mention.head, mention.attributes)

    return doc.replace(
        tokens=layer,
        sentences=tuple(replace(sentence, layer=layer) for sentence in doc.sentences),
        entities=tuple(
            Entity(entity.id, tuple(map(moved, entity.mentions)), entity.type, entity.kind, entity.attributes)
            for entity in doc.entities
        ),
        bridges=tuple(replace(bridge, anaphor=moved(bridge.anaphor)) for bridge in doc.bridges),
        split_antecedents=tuple(replace(split, anaphor=moved(split.anaphor)) for split in doc.split_antecedents),
    )
