"""How documents and entities are named where there is little room: facts, labels, names."""

from __future__ import annotations

from .documents import Document
from .entities import GAP, Entity, Mention
from .representative import core_text, representative

LONGEST_LABEL = 4
LONGEST_NAME = 60
ZERO = "∅"


def labels(doc: Document) -> list[str]:
    """A label for each entity: its id where all ids of the document are short, else its number from 1."""
    ids = [entity.id for entity in doc.entities]
    if all(0 < len(id) <= LONGEST_LABEL and id.isprintable() for id in ids):
        return ids
    return [str(number) for number in range(1, len(ids) + 1)]


def entity_name(entity: Entity) -> str:
    """The text of its most telling mention (see `representative`), without what only tells about it."""
    if not entity.mentions:
        return ""
    best = entity.mentions[representative(entity)]
    return mention_name(best) if best.is_zero else short(core_text(best, gap=GAP))


def mention_name(mention: Mention) -> str:
    """The text of a mention on one short line; "∅" and what is left out for a zero."""
    return short(mention_line(mention))


def mention_line(mention: Mention) -> str:
    """The text of a mention on one line, however long."""
    return f"{ZERO} {zero_hint(mention)}".rstrip() if mention.is_zero else " ".join(mention.text.split())


def short(text: str) -> str:
    """The text, cut where it is long."""
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def zero_hint(mention: Mention) -> str:
    """The forms of a zero's empty nodes, or their lemmas, where somebody wrote them."""
    return " ".join(hint for token in mention.tokens if (hint := written(token.form) or written(token.lemma)))


def written(column: str) -> str:
    """A CoNLL-U column's value, "" where it was not given."""
    return "" if column == "_" else column


def facts(doc: Document) -> str:
    """The document in one line: its sizes, and where it stands in a corpus."""
    singletons = sum(entity.is_singleton for entity in doc.entities)
    sizes = [
        count(len(doc.tokens) - len(doc.tokens.empty_positions), "token"),
        count(len(doc.sentences), "sentence"),
        count(sum(map(len, doc.entities)), "mention"),
        count(len(doc.entities), "entity", "entities") + (f", {singletons:,} of one mention" if singletons else ""),
    ]
    named = {"genre": doc.genre, "topic": doc.topic, "subtopic": doc.subtopic}
    return " · ".join(sizes + [f"{name} {value}" for name, value in named.items() if value])


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: "1 token", "1,204 tokens"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
