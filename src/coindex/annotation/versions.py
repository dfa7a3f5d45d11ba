"""Align versions of one text by several annotators to the same words.

`on_same_words` requires the same words and sentences. Empty nodes may differ, because annotators insert zeros: every
version then gets the empty nodes of all, identified by sentence and id, as in the scorers.

`align` also accepts texts with a few different words and reduces them to their common words, which Myers' difference
algorithm finds. A mention keeps its common words; one without common words is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest

from ..document import Document, Entity, Mention, Sentence, Token, Tokens
from ..document.edits import canonical
from ..errors import CoindexError, Problem, ProblemError, quote
from ..scoring import Locate, MismatchError, describe_place
from ..scoring.token_alignment import check_pair, sentences_of

Place = tuple[int, int]
"""A token of a sentence: the number of the word, and of the empty node after it, or 0."""
REMEDY = "give annotations of one text: the same documents in the same order, with the same sentences and words"


class NotOneTextError(ProblemError):
    """Two versions of different texts; the place of the error is the first difference."""

    def __init__(self, error: MismatchError, first: str, other: str, remedy: str = "") -> None:
        super().__init__(error.against(first, f"{REMEDY}{remedy}", side=other))


def side_by_side(
    sides: Mapping[str, Iterable[Document]], *, locate: Locate = describe_place
) -> Iterator[tuple[Document, ...]]:
    """Yield the versions of each document; `sides` maps the names of annotators to their documents."""
    names = list(sides)
    for docs in zip_longest(*sides.values()):
        missing = [name for name, doc in zip(names, docs, strict=True) if doc is None]
        if missing:
            there, doc = next((name, doc) for name, doc in zip(names, docs, strict=True) if doc is not None)
            named = "a document without an id" if doc.id is None else f"document {quote(doc.id)}"
            expected = f"{named} as in {there} ({locate(doc, 0)})"
            raise ProblemError(
                Problem(
                    "", None, "the end of the documents", expected, REMEDY, code="missing-document", side=missing[0]
                )
            )
        yield docs


def on_same_words(
    docs: Sequence[Document], names: Sequence[str] = (), *, locate: Locate = describe_place
) -> list[Document]:
    """Return the versions over the tokens of the first, with the empty nodes of all; raise an error if words differ."""
    names = names or [f"version {number}" for number in range(1, len(docs) + 1)]
    first = docs[0]
    same = True
    for doc, name in zip(docs[1:], names[1:], strict=True):
        try:
            same &= check_pair(first, doc, strict=True, compares="words", locate=locate)
        except MismatchError as error:
            raise NotOneTextError(error, names[0], name) from error
    if same:
        return [first, *(_move(doc, first, range(len(first.tokens))) for doc in docs[1:])]
    base, places = _with_all_empty_nodes(docs)
    return [canonical(_move(doc, base, doc_places, fill=True)) for doc, doc_places in zip(docs, places, strict=True)]


def _move(doc: Document, base: Document, places: Sequence[int], *, fill: bool = False) -> Document:
    """Return the annotation of a document over the tokens of another; `places` maps the positions.

    With `fill`, an empty node between two positions of a mention becomes part of it, as when one is inserted.
    """
    layer = base.tokens

    def move_mention(mention: Mention) -> Mention:
        positions = [places[position] for position in mention.positions]
        if fill:
            positions = _fill_gaps(positions, mention.positions, layer)
        head = None if mention.head is None else places[mention.head]
        return Mention(layer, tuple(positions), head, mention.attributes)

    return base.replace(
        entities=tuple(
            Entity(entity.id, tuple(map(move_mention, entity.mentions)), entity.type, entity.kind, entity.attributes)
            for entity in doc.entities
        ),
        bridges=tuple(replace(bridge, anaphor=move_mention(bridge.anaphor)) for bridge in doc.bridges),
        split_antecedents=tuple(replace(split, anaphor=move_mention(split.anaphor)) for split in doc.split_antecedents),
        shared_ids=doc.shared_ids,
    )


def _fill_gaps(positions: list[int], before: Sequence[int], layer: Tokens) -> list[int]:
    starts = [positions[0]]
    for at in range(1, len(positions)):
        between = range(positions[at - 1] + 1, positions[at])
        if before[at] == before[at - 1] + 1:
            starts += [position for position in between if position in layer.empty_positions]
        starts.append(positions[at])
    return starts


def _with_all_empty_nodes(docs: Sequence[Document]) -> tuple[Document, list[list[int]]]:
    """Return the first document with the empty nodes of all, and the new positions for each document."""
    tokens: list[Token] = []
    ends: list[int] = []
    places: list[list[int]] = [[] for _ in docs]
    for sentences in zip(*map(sentences_of, docs), strict=True):
        nodes: dict[Place, Token] = {}
        sentence_places = [_places(sentence) for sentence in sentences]
        for sentence, keys in zip(sentences, sentence_places, strict=True):
            for key, token in zip(keys, sentence.tokens, strict=True):
                nodes.setdefault(key, token)
        order = {key: len(tokens) + rank for rank, key in enumerate(sorted(nodes))}
        for side, keys in zip(places, sentence_places, strict=True):
            side += [order[key] for key in keys]
        tokens += [nodes[key] for key in order]
        ends.append(len(tokens))
    first = docs[0]
    multiwords = [
        replace(multiword, start=places[0][multiword.start], end=places[0][multiword.end - 1] + 1)
        for multiword in first.tokens.multiwords
    ]
    layer = Tokens(tokens, multiwords=multiwords, prefix=first.tokens.prefix)
    starts = [0, *ends]
    sentences_now = tuple(
        Sentence(layer, start, end, old.id, old.speaker, old.comments)
        for old, start, end in zip(first.sentences, starts, ends, strict=False)
    )
    return first.replace(tokens=layer, sentences=sentences_now), places


def _places(sentence: Sentence) -> list[Place]:
    places: list[Place] = []
    words = 0
    for token in sentence.tokens:
        words += not token.is_empty
        word, _, number = token.id.partition(".")
        places.append((int(word), int(number)) if token.is_empty else (words, 0))
    return places


MOST_DIFFERENT = 0.1
"""The share of different words up to which two texts count as versions of one."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """The versions over their common words, and how much was left out."""

    docs: list[Document]
    words: list[int]
    """How many other words each version had."""
    mentions: list[int]
    """How many mentions of each version had no common word."""


def align(docs: Sequence[Document], names: Sequence[str]) -> Aligned:
    """Return the versions over their common words, in the sentences of the first."""
    base = docs[0]
    forms = [_forms(doc) for doc in docs]
    partners: list[dict[int, int]] = [{position: position for position in range(len(base.tokens))}]
    for other, name in zip(forms[1:], names[1:], strict=True):
        most = math.ceil(MOST_DIFFERENT * (len(forms[0]) + len(other)))
        pairs = common_run(forms[0], other, most)
        if pairs is None:
            raise CoindexError(
                f"{name}: more than {most} words differ from {names[0]}; these are not versions of one text; {REMEDY}",
                code="different-text",
            )
        partners.append(dict(pairs))
    common = [
        position for position in range(len(base.tokens)) if all(position in partner_of for partner_of in partners)
    ]
    layer = Tokens([base.tokens[position] for position in common])
    kept = [
        0,
        *accumulate(1 if all(position in partner_of for partner_of in partners) else 0 for position in partners[0]),
    ]
    ends = [(kept[sentence.start], kept[sentence.end], sentence) for sentence in base.sentences]
    sentences = tuple(Sentence(layer, start, end, old.id, old.speaker) for start, end, old in ends if end > start)
    aligned = []
    lost = []
    for doc, partner_of in zip(docs, partners, strict=True):
        places = {partner_of[position]: new for new, position in enumerate(common)}
        entities = tuple(_move_entity(entity, layer, places) for entity in doc.entities)
        lost.append(sum(map(len, doc.entities)) - sum(map(len, entities)))
        fitting = tuple(entity for entity in entities if entity.mentions)
        aligned.append(Document(layer, sentences, fitting, id=base.id, shared_ids=doc.shared_ids))
    return Aligned(aligned, [len(doc.tokens) - len(common) for doc in docs], lost)


def _forms(doc: Document) -> list[tuple[str, bool]]:
    return [(form, position in doc.tokens.empty_positions) for position, form in enumerate(doc.tokens.forms)]


def _move_entity(entity: Entity, layer: Tokens, places: dict[int, int]) -> Entity:
    """Return the entity over the common words; of two mentions that become equal, keep the first."""
    mentions: dict[tuple[int, ...], Mention] = {}
    for mention in entity.mentions:
        positions = tuple(places[position] for position in mention.positions if position in places)
        head = places.get(mention.head) if mention.head is not None else None
        if positions:
            mentions.setdefault(positions, Mention(layer, positions, head, mention.attributes))
    return Entity(entity.id, tuple(mentions.values()), entity.type, entity.kind, entity.attributes)


def common_run(first: Sequence[object], other: Sequence[object], most: int) -> list[tuple[int, int]] | None:
    """Return the longest common subsequence as pairs of positions; None if more than `most` items are not in it.

    >>> common_run("abcd", "acde", 3)
    [(0, 0), (2, 1), (3, 2)]
    """
    furthest = {1: 0}
    steps = []
    for differences in range(most + 1):
        steps.append(dict(furthest))
        for diagonal in range(-differences, differences + 1, 2):
            down = diagonal == -differences or (
                diagonal != differences and furthest[diagonal - 1] < furthest[diagonal + 1]
            )
            x = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
            y = x - diagonal
            while x < len(first) and y < len(other) and first[x] == other[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(first) and y >= len(other):
                return _trace_back(steps, x, y)
    return None


def _trace_back(steps: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    """Trace the steps back and return the pairs of equal items."""
    pairs = []
    for differences in range(len(steps) - 1, -1, -1):
        furthest, diagonal = steps[differences], x - y
        down = diagonal == -differences or (diagonal != differences and furthest[diagonal - 1] < furthest[diagonal + 1])
        before = diagonal + 1 if down else diagonal - 1
        start_x = furthest[before]
        start_y = start_x - before
        while x > max(start_x, 0) and y > max(start_y, 0):
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = start_x, start_y
    return pairs[::-1]
