"""Attributes for the mentions of test documents: `from scoring.attributes import marked`."""

from __future__ import annotations

from dataclasses import replace

from coindex.document import Document, Mention


def marked(doc: Document, **attributes: dict[str, str]) -> Document:
    """The document with attributes: `marked(doc, the_cat={"func": "def"})` for each mention "the cat"."""
    used = set()

    def change(mention: Mention) -> Mention:
        name = "_".join(token.form for token in mention.tokens)
        if name not in attributes:
            return mention
        used.add(name)
        return replace(mention, attributes=attributes[name])

    entities = tuple(replace(entity, mentions=tuple(map(change, entity.mentions))) for entity in doc.entities)
    assert used == set(attributes), "a mention that is not there"
    return doc.replace(entities=entities)
