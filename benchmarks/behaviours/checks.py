"""Which mention of a resolved document a mark stands for, and which checks fail.

A mark stands for the first of these mentions that exists (punctuation at the ends of marks and mentions is ignored):

1. the mention with exactly the marked words;
2. the smallest mention that contains the marked words and has its head in them: *the mayor of Lund* for
   *the mayor*. A mention without a head has to end with the marked words. A coordination does not stand for one of its
   members;
3. the largest mention inside the marked words that ends with them: *Lindqvist* for *Prof. Lindqvist*. A member does not
   stand for its coordination.

So *her mother* never stands for *her*, nor *her* for *her mother*. A required mark without a mention fails every check
that links it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

from coindex import Document, Entity, Mention

from .suite import UNLINKED, Mark, Text

CONJUNCTIONS = frozenset({"and", "or", "nor", "&"})


def failed_checks(text: Text, doc: Document) -> list[str]:
    """Return a line for each check that the entities of the document violate; none if the text is fully right."""
    found = {mark: entity_of(doc, mark) for mark in text.marks}
    return [*_missing_links(text, found), *_wrong_links(text, found)]


def _missing_links(text: Text, found: dict[Mark, Entity | None]) -> Iterator[str]:
    for number in sorted({mark.entity for mark in found} - {UNLINKED}):
        required = [mark for mark in found if mark.entity == number and not mark.optional]
        for left, right in pairwise(required):
            if found[left] is None or found[left] is not found[right]:
                missing = [text.label(mark) for mark in (left, right) if found[mark] is None]
                note = f" (no mention: {', '.join(missing)})" if missing else ""
                yield f"same: {text.label(left)} = {text.label(right)}{note}"


def _wrong_links(text: Text, found: dict[Mark, Entity | None]) -> Iterator[str]:
    for mark, entity in found.items():
        if mark.entity == UNLINKED and entity is not None and len(entity.mentions) > 1:
            yield f"unlinked: {text.label(mark)}"
    seen = set()
    for left, right in combinations((mark for mark in found if mark.entity != UNLINKED), 2):
        pair = frozenset((left.entity, right.entity))
        if len(pair) == 2 and pair not in seen and found[left] is not None and found[left] is found[right]:
            seen.add(pair)
            yield f"differ: {text.label(left)} / {text.label(right)}"


def entity_of(doc: Document, mark: Mark) -> Entity | None:
    """Return the entity of the mention that the mark stands for."""
    words = _trim(doc, doc.tokens.positions_in(mark.start, mark.end))
    candidates = [
        (rank, entity)
        for entity in doc.entities
        for mention in entity.mentions
        if (rank := _rank(doc, mention, words)) is not None
    ]
    return min(candidates, key=lambda candidate: candidate[0])[1] if candidates else None


def _rank(doc: Document, mention: Mention, words: tuple[int, ...]) -> tuple[int, int] | None:
    """Return the rule by which the mention stands for the words and its place within the rule; None for no rule."""
    positions = _trim(doc, mention.positions)
    if not words or not positions:
        return None
    if positions == words:
        return 1, 0
    if set(positions) > set(words):
        in_head = positions[-1] == words[-1] if mention.head is None else mention.head in words
        beside = {_form(doc, at) for at in (words[0] - 1, words[-1] + 1) if at in positions}
        return (2, len(positions)) if in_head and not beside & CONJUNCTIONS else None
    if set(positions) < set(words) and positions[-1] == words[-1]:
        left_out = {_form(doc, at) for at in set(words) - set(positions)}
        return None if left_out & CONJUNCTIONS else (3, -len(positions))
    return None


def _trim(doc: Document, positions: range | tuple[int, ...]) -> tuple[int, ...]:
    """Return the positions without punctuation at either end."""
    inside = [number for number, at in enumerate(positions) if any(map(str.isalnum, doc.tokens[at].form))]
    return tuple(positions[inside[0] : inside[-1] + 1]) if inside else ()


def _form(doc: Document, position: int) -> str:
    return doc.tokens[position].form.lower()
