"""How documents and entities are named where there is little room: facts, labels, names."""

from __future__ import annotations

from .documents import Document
from .entities import Entity, Mention
from .pronouns import is_pronoun

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
    """The text of its most telling mention: the first with a proper name, else noun, else what there is."""
    if not entity.mentions:
        return ""
    return mention_name(max(entity.mentions, key=_telling))


def mention_name(mention: Mention) -> str:
    """The text of a mention on one short line; "∅" and what is left out for a zero."""
    text = " ".join(mention.text.split())
    if mention.is_zero:
        text = f"{ZERO} {zero_hint(mention)}".rstrip()
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def zero_hint(mention: Mention) -> str:
    """The forms of a zero's empty nodes, or their lemmas, where somebody wrote them."""
    return " ".join(hint for token in mention.tokens if (hint := written(token.form) or written(token.lemma)))


def written(column: str) -> str:
    """A CoNLL-U column's value, "" where it was not given."""
    return "" if column == "_" else column


def _telling(mention: Mention) -> int:
    if mention.is_zero:
        return 0
    if is_pronoun(mention):
        return 1
    head = mention.layer[mention.positions[-1] if mention.head is None else mention.head]
    if head.upos == "_":  # a capital tells a name, but not where any word has one
        is_name, is_noun = head.form[:1].isupper() and head.id != "1", len(mention) > 1
    else:
        is_name, is_noun = head.upos == "PROPN", head.upos == "NOUN"
    return 4 if is_name else 3 if is_noun else 2


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
