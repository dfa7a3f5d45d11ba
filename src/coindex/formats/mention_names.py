"""What outputs need of mentions that other formats do not give them: an id, and one span."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count

from ..document import Document, Entity, Mention, Span
from .chains import ordered_mentions


def mention_ids(mentions: Sequence[Mention]) -> list[str]:
    """The ids that the mentions have as attribute `id`, and the next free numbers for the others."""
    given = [mention.attributes.get("id", "").strip() for mention in mentions]
    times = Counter(given)
    free = (str(number) for number in count(1) if str(number) not in times)
    return [id if id and times[id] == 1 else next(free) for id in given]


def distinct_spans(doc: Document, span_of: Callable[[Mention], Span]) -> list[tuple[Mention, Entity, Span]]:
    """All mentions in reading order, each with its entity and a span; a span comes once in an entity.

    Parts of discontinuous mentions may be mentions of the same entity.
    """
    found: dict[tuple[str, Span], tuple[Mention, Entity, Span]] = {}
    for mention, entity in ordered_mentions(doc):
        span = span_of(mention)
        known = found.get((entity.id, span))
        if known is None or (mention.is_contiguous and not known[0].is_contiguous):
            found[entity.id, span] = mention, entity, span
    return list(found.values())


def main_span(mention: Mention) -> Span:
    """The span, or of a mention with gaps the part with the head, else the first part."""
    return _with(mention.head, mention.spans)


def main_characters(mention: Mention) -> Span:
    """The same as a span of characters: words with a gap of positions may be side by side in a multiword token."""
    return _with(None if mention.head is None else mention.layer.start_char(mention.head), mention.char_spans)


def _with(place: int | None, parts: list[Span]) -> Span:
    return next((part for part in parts if place is not None and part[0] <= place < part[1]), parts[0])
