"""What the metadata of a document say: its genre, and which sentences were annotated.

The genre of a document, where it says one.

Formats keep it in three places: in the field `genre` of the document, in its `meta` (as "genre" or "meta::genre"), or
only in its id. Whatever counts or scores by genre asks here, so that all tables have the same groups.

ECB+ has a list of such sentences. Read with all of its sentences, a document marks those outside the list by a comment:
they are context. What finds mentions passes over them, and what is scored is cut down to the others.
"""

from __future__ import annotations

import re

from .documents import Document
from .entities import Entity, Mention
from .tokens import Sentence, Tokens

META = ("genre", "meta::genre")
IDS = (
    re.compile(r"[A-Z]{2,}_([a-z]+)_."),  # GUM_academic_exposure, GENTLE_poetry_raven: the corpus, the genre, the text
    re.compile(r"([a-z]{2})[/:]."),  # bc/cctv/00/cctv_0000: two letters, as in OntoNotes
)
"""How ids begin that name a genre."""


def genre_of(doc: Document) -> str | None:
    """What the document calls its genre, else what its id says; None where neither does.

    >>> genre_of(Document(id="GUM_academic_exposure")), genre_of(Document(id="nw/wsj/24/wsj_2400"))
    ('academic', 'nw')
    >>> genre_of(Document(id="nw/wsj", genre="news")), genre_of(Document(id="chapter_one"))
    ('news', None)
    """
    said = (doc.genre, *(doc.meta.get(name) for name in META))
    genre = next((text.strip() for text in said if text and text.strip()), None)
    return genre or genre_in(doc.id or "")


def genre_in(id: str) -> str | None:
    """The genre in an id of a known form, for formats that say it nowhere else."""
    return next((found[1] for pattern in IDS if (found := pattern.match(id))), None)


CONTEXT = "# validated = no"
"""The comment of a sentence that is context."""


def is_validated(sentence: Sentence) -> bool:
    """Whether mentions are known and looked for in it: in all sentences that nothing is said of."""
    return CONTEXT not in sentence.comments


def validated_part(doc: Document) -> Document:
    """The document without sentences that are context, and with the mentions that lie in the others."""
    if all(map(is_validated, doc.sentences)):
        return doc
    shown = [sentence for sentence in doc.sentences if is_validated(sentence)]
    kept = [position for sentence in shown for position in range(sentence.start, sentence.end)]
    new = {position: place for place, position in enumerate(kept)}
    last = len(kept) - 1
    tokens = Tokens(doc.tokens[old]._replace(space="") if new[old] == last else doc.tokens[old] for old in kept)
    sentences = []
    start = 0
    for old in shown:
        sentences.append(Sentence(tokens, start, start + len(old), old.id, old.speaker, old.comments))
        start += len(old)
    entities = (_moved(entity, tokens, new) for entity in doc.entities)
    return doc.replace(
        tokens=tokens,
        sentences=tuple(sentences),
        entities=tuple(entity for entity in entities if entity.mentions),
        bridges=(),
        split_antecedents=(),
    )


def _moved(entity: Entity, tokens: Tokens, new: dict[int, int]) -> Entity:
    mentions = tuple(
        Mention(tokens, tuple(new[at] for at in old.positions), _head(old, new), old.attributes)
        for old in entity.mentions
        if all(at in new for at in old.positions)
    )
    return Entity(entity.id, mentions, entity.type, entity.kind, entity.attributes)


def _head(mention: Mention, new: dict[int, int]) -> int | None:
    return None if mention.head is None else new[mention.head]
