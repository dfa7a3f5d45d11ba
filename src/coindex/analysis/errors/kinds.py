"""The kinds of errors, defined by mentions, entities and nearest earlier mentions: responses carry no links.

*The antecedent* of a mention is the nearest mention of its entity before it, in the order of first words, then of last
words. A mention without one is the first of its entity. What corresponds between key and response is what the scorer
matches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Group = Literal["mentions", "links", "entities"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of error: its name, what it is about, and its definition in a sentence."""

    name: str
    group: Group
    meaning: str


KINDS = {
    kind.name: kind
    for kind in (
        Kind("missed", "mentions", "A mention of the key that the response does not have."),
        Kind("spurious", "mentions", "A mention of the response that the key does not have."),
        Kind("span", "mentions", "Mentions of key and response with the same head but other borders, or the reverse."),
        Kind("false-new", "links", "The key has an antecedent, the response has none: it begins an entity there."),
        Kind("false-link", "links", "The key begins an entity here, the response links the mention to an earlier one."),
        Kind("wrong-link", "links", "Both have an antecedent, but that of the response is of another entity or none."),
        Kind("split", "entities", "The mentions of one entity of the key are in several entities of the response."),
        Kind("merged", "entities", "An entity of the response holds several of the key, whole as far as found."),
        Kind("conflated", "entities", "An entity of the response mixes entities of the key, one of them only in part."),
    )
}
"""All kinds, in the order of tables."""
LINKS = tuple(kind.name for kind in KINDS.values() if kind.group == "links")
"""The three kinds of PreCo."""
