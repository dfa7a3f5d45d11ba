"""Generated collections of news: events with people and places, each reported by several documents.

Words follow Zipf's law, as in real text, so some heads are in very many mentions. The key is known: an event
and a person are each one entity in all documents that report them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from coindex import Document, Entity, Mention

SENTENCES = 4
"""Of each document; each has four mentions."""
MENTIONS = 4 * SENTENCES
TOLD_BY = 8
"""Documents that report one event."""
SEED = 7


@dataclass(frozen=True)
class Happening:
    """Who did what to whom, and where."""

    verbs: tuple[str, ...]
    who: tuple[str, str]
    whom: str
    where: str
    about: tuple[str, ...]


def documents(mentions: int) -> Iterator[Document]:
    """Return documents with about this many mentions; the result is deterministic."""
    random = np.random.default_rng(SEED)
    number = max(1, mentions // MENTIONS)
    happenings = [_happening(random) for _ in range(max(1, number // TOLD_BY))]
    for at in range(number):
        yield _write_report(f"d{at}", happenings[int(random.integers(len(happenings)))], at, random)


def _word(random: np.random.Generator, kind: str, words: int) -> str:
    """Return a word by its rank: the first ranks are the most frequent."""
    rank = int(min(random.zipf(1.1), words))
    syllables = ("ba", "ko", "mi", "ru", "te", "sol", "van", "dor", "lin", "qua", "pes", "gri")
    word = ""
    while rank:
        rank, rest = divmod(rank, len(syllables))
        word += syllables[rest]
    return word + kind


def _happening(random: np.random.Generator) -> Happening:
    return Happening(
        verbs=tuple(_word(random, "t", 20_000) for _ in range(2)),
        who=(_word(random, "a", 50_000).title(), _word(random, "o", 100_000).title()),
        whom=_word(random, "n", 20_000),
        where=_word(random, "ia", 50_000).title(),
        about=tuple(_word(random, "s", 100_000) for _ in range(20)),
    )


def _write_report(id: str, event: Happening, number: int, random: np.random.Generator) -> Document:
    text: list[str] = []
    spans: list[tuple[str, tuple[int, int]]] = []
    for _ in range(SENTENCES):
        verb = event.verbs[int(random.integers(2))]
        about = [event.about[int(at)] for at in random.integers(len(event.about), size=3)]
        start = len(text)
        text += [*event.who, verb, "the", event.whom, "in", event.where, "with", *about, "."]
        spans += [
            ("who", (start, start + 2)),
            ("verb", (start + 2, start + 3)),
            ("whom", (start + 3, start + 5)),
            ("where", (start + 6, start + 7)),
        ]
    doc = Document.from_text(" ".join(text), id=id, language="en")
    entities = []
    for place, (role, span) in enumerate(spans):
        mention = Mention(doc.tokens, tuple(range(*span)), span[1] - 1)
        entities.append(Entity(f"m{place}", (mention,), kind="event" if role == "verb" else "entity"))
    return doc.replace(entities=tuple(entities))
