"""What outputs need of mentions that other formats do not give them: an id, and one span."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import count

from ..document import Mention, Span


def mention_ids(mentions: Sequence[Mention]) -> list[str]:
    """The ids that the mentions have as attribute `id`, and the next free numbers for the others."""
    given = [mention.attributes.get("id", "").strip() for mention in mentions]
    times = Counter(given)
    free = (str(number) for number in count(1) if str(number) not in times)
    return [id if id and times[id] == 1 else next(free) for id in given]


def main_span(mention: Mention) -> Span:
    """The span, or of a mention with gaps the part with the head, else the first part."""
    parts = mention.spans
    if mention.head is None:
        return parts[0]
    return next((part for part in parts if part[0] <= mention.head < part[1]), parts[0])
