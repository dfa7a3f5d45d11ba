"""A document as words and spans: no empty nodes, no gaps, no text between words.

Readers convert spans with `entities_from_spans`, writers convert documents with `surface`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from ..document import Document, Entity, Mention, Sentence, Span, Token, Tokens, mention_order, runs
from ..document.documents import join_tokens, space_sentences
from .source import Source


def distinct(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """Return the mentions in reading order, only the first of those at the same positions."""
    by_positions: dict[tuple[int, ...], Mention] = {}
    for mention in mentions:
        by_positions.setdefault(mention.positions, mention)
    return tuple(sorted(by_positions.values(), key=mention_order))


def each_once(mentions: Sequence[Mention], source: Source) -> tuple[Mention, ...]:
    """Return the mentions of an entity in reading order; drop and count those at the same positions as another."""
    unique = distinct(mentions)
    if len(unique) < len(mentions):
        source.count("mentions given twice in one entity", len(mentions) - len(unique), code="duplicate-mention")
    return unique


def sort_mentions(doc: Document) -> list[tuple[Mention, Entity]]:
    """Return all mentions in reading order, those at the same words by the ids of their entities.

    A file does not keep the order of entities, so the result must not depend on it.
    """
    return sorted(doc.mentions(), key=lambda pair: (*mention_order(pair[0]), pair[1].id))


def in_order(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Return the entities in the order of their first mentions, then of their ids."""
    return tuple(sorted(entities, key=lambda entity: (*mention_order(entity.mentions[0]), entity.id)))


def mention_ids(mentions: Sequence[Mention]) -> list[str]:
    """Return the ids of mentions: the attribute `id` if it has one, otherwise the next free number."""
    given = [mention.attributes.get("id", "").strip() for mention in mentions]
    times = Counter(given)
    free = (str(number) for number in count(1) if str(number) not in times)
    return [id if id and times[id] == 1 else next(free) for id in given]


def distinct_spans(doc: Document, span_of: Callable[[Mention], Span]) -> list[tuple[Mention, Entity, Span]]:
    """Return all mentions in reading order, each with its entity and a span; a span occurs once in an entity.

    Parts of discontinuous mentions may be mentions of the same entity.
    """
    by_span: dict[tuple[str, Span], tuple[Mention, Entity, Span]] = {}
    for mention, entity in sort_mentions(doc):
        span = span_of(mention)
        known = by_span.get((entity.id, span))
        if known is None or (mention.is_contiguous and not known[0].is_contiguous):
            by_span[entity.id, span] = mention, entity, span
    return list(by_span.values())


def main_span(mention: Mention) -> Span:
    """Return the span of a mention; if it has gaps, the part with the head, otherwise the first part."""
    return _with(mention.head, mention.spans)


def main_characters(mention: Mention) -> Span:
    """Return the main span in characters: positions with a gap may be adjacent characters in a multiword token."""
    return _with(None if mention.head is None else mention.layer.start_char(mention.head), mention.char_spans)


def _with(place: int | None, parts: list[Span]) -> Span:
    return next((part for part in parts if place is not None and part[0] <= place < part[1]), parts[0])


def without_zeros(doc: Document) -> Document:
    """Return the document without empty nodes: zero mentions are removed, other mentions lose their empty nodes.

    An entity without remaining mentions is removed too, with its relations.
    """
    if not doc.tokens.empty_positions:
        return doc
    before = [0]  # how many tokens before each position are kept
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

    return _map_mentions(doc, move).replace(
        tokens=tokens,
        sentences=tuple(
            replace(sentence, layer=tokens, start=before[sentence.start], end=before[sentence.end])
            for sentence in doc.sentences
        ),
        origin=None,
    )


def _map_mentions(doc: Document, move: Callable[[Mention], Mention | None]) -> Document:
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
    """Return the sentences that have words; tokens outside sentences become separate sentences."""
    rows = []
    at = 0
    for sentence in doc.sentences:
        if sentence.start > at:
            rows.append(Sentence(doc.tokens, at, sentence.start))
        if sentence.end > sentence.start:
            rows.append(sentence)
        at = sentence.end
    if at < len(doc.tokens):
        rows.append(Sentence(doc.tokens, at, len(doc.tokens)))
    return rows


NO_SPEAKER = frozenset({"", "-", "_"})


@dataclass(frozen=True, slots=True)
class Stretch:
    """A sentence as a span of surface words, with its speaker."""

    start: int
    end: int
    speaker: str | None


@dataclass(frozen=True, slots=True)
class Surface:
    """The words of a document without its empty nodes; entities are ids with spans into these words."""

    words: list[Token]
    sentences: list[Stretch]
    entities: list[tuple[str, list[Span]]]


def surface(doc: Document, *, within_sentences: bool = False) -> Surface:
    """Return the document as words and contiguous spans, without zeros.

    Of a mention with gaps the part with the head is kept, otherwise the first part; with `within_sentences`
    mentions are split at sentence boundaries too.
    """
    empty = doc.tokens.empty_positions
    index: Sequence[int] = range(len(doc.tokens) + 1) if not empty else _number_words(len(doc.tokens), empty)
    sentences = [
        Stretch(index[start], index[end], speaker)
        for start, end, speaker in _stretches(doc)
        if index[start] < index[end] or start == end  # not a sentence of empty nodes only
    ]
    borders = [sentence.start for sentence in sentences] if within_sentences else []
    entities = []
    for entity in doc.entities:
        spans = dict.fromkeys(
            span for mention in entity.mentions if (span := _span(mention, index, empty, borders)) is not None
        )
        if spans:
            entities.append((entity.id, sorted(spans, key=_reading_order)))
    entities.sort(key=lambda entity: _reading_order(entity[1][0]))  # the kept part may begin later than the mention
    words = [token for token in doc.tokens if not token.is_empty] if empty else list(doc.tokens)
    return Surface(words, sentences, entities)


def _reading_order(span: Span) -> Span:
    return span[0], -span[1]


def _number_words(size: int, empty: frozenset[int]) -> list[int]:
    index = [0]
    for position in range(size):
        index.append(index[-1] + (position not in empty))
    return index


def _stretches(doc: Document) -> Iterator[tuple[int, int, str | None]]:
    """Return the sentences, and the tokens outside them, so that every token occurs once."""
    at = 0
    for sentence in doc.sentences:
        if sentence.start > at:
            yield at, sentence.start, None
        yield sentence.start, sentence.end, sentence.speaker
        at = sentence.end
    if at < len(doc.tokens):
        yield at, len(doc.tokens), None


def _span(mention: Mention, index: Sequence[int], empty: frozenset[int], borders: list[int]) -> Span | None:
    if mention.is_contiguous and not empty and not borders:
        return mention.start, mention.end
    pieces = runs(index[position] for position in mention.positions if position not in empty)
    if borders:
        pieces = [part for piece in pieces for part in _split_span(piece, borders)]
    if not pieces:
        return None
    if mention.head is not None and mention.head not in empty:
        head = index[mention.head]
        return next((piece for piece in pieces if piece[0] <= head < piece[1]), pieces[0])
    return pieces[0]


def _split_span(span: Span, borders: list[int]) -> Iterator[Span]:
    start, end = span
    at = bisect_right(borders, start)
    while at < len(borders) and borders[at] < end:
        if borders[at] > start:  # not where empty sentences share a boundary
            yield start, borders[at]
            start = borders[at]
        at += 1
    yield start, end


def plain_tokens(sentences: Iterable[Sequence[str]]) -> Tokens:
    """Return tokens for sentences of words: a space between words, a line feed between sentences."""
    return join_tokens(space_sentences([list(words) for words in sentences if words]), ends="")


def one_speaker(speakers: Iterable[str], source: Source) -> str | None:
    """Return the speaker of a sentence from those of its words; a sentence has only one."""
    named = [speaker for speaker in dict.fromkeys(speakers) if speaker.strip() and speaker not in NO_SPEAKER]
    if len(named) > 1:
        source.count("sentences with several speakers, of which the first is kept", code="several-speakers")
    return named[0] if named else None


def sentences_of(tokens: Tokens, lengths: Iterable[int], speakers: Iterable[str | None]) -> tuple[Sentence, ...]:
    """Return consecutive sentences with these lengths and speakers."""
    sentences = []
    start = 0
    for length, speaker in zip(lengths, speakers, strict=True):
        sentences.append(Sentence(tokens, start, start + length, speaker=speaker))
        start += length
    return tuple(sentences)


def entities_from_spans(
    tokens: Tokens, spans_by_id: Mapping[str, Sequence[Span]], source: Source
) -> tuple[Entity, ...]:
    """Return entities in the order of their first mention; a span given twice in an entity is one mention."""
    entities = []
    for id, spans in spans_by_id.items():
        unique = dict.fromkeys(spans)
        if len(unique) < len(spans):
            source.count("mentions given twice in one entity", len(spans) - len(unique), code="duplicate-mention")
        mentions = [Mention(tokens, tuple(range(start, end))) for start, end in unique]
        if mentions:
            entities.append(Entity(id, tuple(sorted(mentions, key=mention_order))))
    return tuple(sorted(entities, key=lambda entity: mention_order(entity.mentions[0])))
