"""Small parsed texts for tests of resolvers: `from parsed_text import chains, parsed`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from coindex.document import Document, Entity, Token, Tokens

COLUMNS = ("lemma", "upos", "feats", "head", "deprel", "deps", "misc")


def parsed(text: str, **fields: Any) -> Document:
    """A word a line, FORM LEMMA UPOS FEATS HEAD DEPREL DEPS MISC with as many of them as are needed.

    An empty line ends a sentence; a line that begins with an id such as 3.1 is an empty node.
    """
    tokens: list[Token] = []
    lengths = []
    for block in text.strip().split("\n\n"):
        number = 0
        for line in block.splitlines():
            id, *cells = line.split() if "." in line.split()[0][1:-1] else ["", *line.split()]
            number += not id
            tokens.append(Token(id or str(number), cells[0], **dict(zip(COLUMNS, cells[1:], strict=False))))
        lengths.append(len(block.splitlines()))
    return Document.from_sentences(Tokens(tokens), lengths, **fields)


def words(text: str, **fields: Any) -> Document:
    """Words between blanks and nothing known of them; "/" ends a sentence."""
    sentences = [sentence.split() for sentence in text.split("/")]
    tokens = Tokens(Token(str(n), form) for sentence in sentences for n, form in enumerate(sentence, 1))
    return Document.from_sentences(tokens, map(len, sentences), **fields)


def with_mentions(doc: Document, *spans: Iterable[int], **fields: Any) -> Document:
    """Each of these a mention that is an entity of its own; kinds by `kinds`."""
    kinds = fields.get("kinds", ["entity"] * len(spans))
    entities = (
        Entity(f"m{n}", (doc.mention(span),), kind=kind)
        for n, (span, kind) in enumerate(zip(spans, kinds, strict=True))
    )
    return doc.replace(entities=tuple(entities))


def chains(doc: Document) -> list[list[str]]:
    """The texts of the mentions of each entity; zeros as "∅" and their form."""
    return [[mention.text or "∅" + mention.tokens[0].form for mention in entity.mentions] for entity in doc.entities]
