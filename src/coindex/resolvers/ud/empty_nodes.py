"""Empty nodes put into a document, many at once, and entities found without empty nodes brought back to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...document import Document, Entity, Mention, Multiword, Token, Tokens
from ...formats.surface import without_zeros

Resolve = Callable[[Document], Document]


@dataclass(frozen=True, slots=True)
class Node:
    """An empty node and where it goes: before a word, or after one, of the same sentence. It is numbered there."""

    token: Token
    before: int | None = None
    after: int | None = None


def insert_nodes(doc: Document, nodes: Sequence[Node]) -> Document:
    """The document with the nodes, after those that are at their place already.

    A mention that has what stands on both sides of a node gets the node too.
    """
    if not nodes:
        return doc
    starts = {sentence.start for sentence in doc.sentences}
    first, following = _places(nodes, starts)
    tokens: list[Token] = []
    new: list[int] = []
    for position, token in enumerate(doc.tokens):
        tokens += _numbered("0", 0, first.get(position, ()))
        new.append(len(tokens))
        tokens.append(token)
        word, _, number = token.id.partition(".")
        tokens += _numbered(word, int(number) if number.isdecimal() else 0, following.get(position, ()))
    starts_of_added = [position - len(first.get(old, ())) for old, position in enumerate(new)]
    layer = Tokens(tokens, multiwords=_multiwords(doc, new), prefix=doc.tokens.prefix)
    sentences = tuple(
        replace(
            sentence,
            layer=layer,
            start=starts_of_added[sentence.start] if sentence.start < len(new) else len(tokens),
            end=starts_of_added[sentence.end] if sentence.end < len(new) else len(tokens),
        )
        for sentence in doc.sentences
    )
    return with_positions(doc.replace(tokens=layer, sentences=sentences, origin=None), doc, layer, new)


def _places(nodes: Sequence[Node], starts: set[int]) -> tuple[dict[int, list[Token]], dict[int, list[Token]]]:
    """The nodes at the beginning of a sentence, and those after a word."""
    first: defaultdict[int, list[Token]] = defaultdict(list)
    following: defaultdict[int, list[Token]] = defaultdict(list)
    for node in nodes:
        if node.before is not None and node.before in starts:
            first[node.before].append(node.token)
        else:
            place = node.after if node.before is None else node.before - 1
            assert place is not None, "a node goes before or after a word"
            following[place].append(node.token)
    return first, following


def _numbered(word: str, last: int, nodes: Sequence[Token]) -> list[Token]:
    return [node._replace(id=f"{word}.{number}") for number, node in enumerate(nodes, last + 1)]


def _multiwords(doc: Document, new: Sequence[int]) -> list[Multiword]:
    return [replace(one, start=new[one.start], end=new[one.end - 1] + 1) for one in doc.tokens.multiwords]


def with_positions(made: Document, doc: Document, layer: Tokens, new: Sequence[int]) -> Document:
    """`made` with the entities and relations of `doc`, whose positions are `new` ones in the layer."""
    empty = layer.empty_positions

    def moved(mention: Mention) -> Mention:
        positions = [new[position] for position in mention.positions]
        if len(positions) < positions[-1] - positions[0] + 1:
            positions = _closed(positions, empty)
        head = None if mention.head is None else new[mention.head]
        return Mention(layer, tuple(positions), head, mention.attributes)

    return made.replace(
        entities=tuple(
            Entity(entity.id, tuple(map(moved, entity.mentions)), entity.type, entity.kind, entity.attributes)
            for entity in doc.entities
        ),
        bridges=tuple(replace(bridge, anaphor=moved(bridge.anaphor)) for bridge in doc.bridges),
        split_antecedents=tuple(replace(split, anaphor=moved(split.anaphor)) for split in doc.split_antecedents),
    )


def _closed(positions: Sequence[int], empty: frozenset[int]) -> list[int]:
    """The positions with the gaps filled that hold nothing but empty nodes."""
    filled = [positions[0]]
    for position in positions[1:]:
        between = range(filled[-1] + 1, position)
        if all(one in empty for one in between):
            filled += between
        filled.append(position)
    return filled


def without_nodes(resolve: Resolve) -> Resolve:
    """The same resolver, blind to empty nodes: they stay in the document and take no part."""

    def step(doc: Document) -> Document:
        empty = doc.tokens.empty_positions
        if not empty:
            return resolve(doc)
        words = [position for position in range(len(doc.tokens)) if position not in empty]
        return with_positions(doc, resolve(without_zeros(doc)), doc.tokens, words)

    return step
