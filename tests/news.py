"""A small collection of news written for tests, with mentions: `from news import collection, documents`.

Two happenings in one harbour town: a storm that sinks a boat, told by a and b, and a hall that is opened, told by c.
"""

from __future__ import annotations

from coindex.document import Document
from parsed_text import with_mentions, words

# text, mentions as first and last word, kinds: v for events
TEXTS = {
    "a": (
        "A storm struck Port Alder / Mayor Lena Brandt said two fishermen died / Brandt promised help",
        "1-1v 2-2v 3-4 5-7 8-8v 9-10 11-11v 12-12 13-13v 14-14",
    ),
    "b": (
        "Two fishermen died when a storm struck Port Alder / The mayor Lena Brandt visited families",
        "0-1 2-2v 5-5v 6-6v 7-8 9-12 13-13v 14-14",
    ),
    "c": (
        "The museum of Port Alder opened a hall in 2012 / Lena Brandt opened the hall",
        "0-4 3-4 5-5v 6-7 9-9 10-11 12-12v 13-14",
    ),
}


def documents(*, topics: dict[str, str] | None = None) -> list[Document]:
    """The documents; `topics` by id."""
    return [
        _marked(words(text, id=id, language="en", topic=(topics or {}).get(id)), spans)
        for id, (text, spans) in TEXTS.items()
    ]


def _marked(doc: Document, spans: str) -> Document:
    parts = [span.removesuffix("v").split("-") for span in spans.split()]
    kinds = ["event" if span.endswith("v") else "entity" for span in spans.split()]
    return with_mentions(doc, *(range(int(first), int(last) + 1) for first, last in parts), kinds=kinds)


def over_documents(docs: list[Document]) -> dict[str, list[str]]:
    """The texts of the mentions of each entity that several documents have, each after the id of its document."""
    found: dict[str, list[str]] = {}
    for doc in docs:
        for entity in doc.entities:
            found.setdefault(entity.id, []).extend(f"{doc.id}:{mention.text}" for mention in entity.mentions)
    return {id: texts for id, texts in found.items() if len({text[0] for text in texts}) > 1}
