"""A small collection in the manner of ECB+, and two systems on it: `from analysis.ecb_text import KEY, S1, S2`.

It has the shape of the example in section 3.1 of Cattan et al. 2021: five singletons, an entity of two mentions and one
of three. S1 finds all mentions and puts two entities and a singleton together; S2 misses singletons, has wrong borders,
and puts only the singleton with the smaller entity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from coindex.api import write
from coindex.document import Document
from scoring.texts import doc

PLACES = (("2_1ecb", "2_ecb"), ("2_2ecb", "2_ecb"), ("2_1ecbplus", "2_ecbplus"), ("2_2ecbplus", "2_ecbplus"))


def collection(*texts: str, topic: str = "2") -> list[Document]:
    """Four documents of one topic, two in each of its subtopics, with events only."""
    docs = []
    for (id, subtopic), text in zip(PLACES, texts, strict=True):
        found = doc(text, id=id.replace("2", topic, 1), ids=("0",))
        entities = tuple(replace(entity, kind="event") for entity in found.entities)
        docs.append(found.replace(topic=topic, subtopic=subtopic.replace("2", topic, 1), entities=entities))
    return docs


KEY = collection(
    "(a) Rumour has it that Mia will (b) coach (c North Bay )c rowers",
    "the club (d) denied it (e) again though she was (b) chosen",
    "Tom is to (f) lead the choir after the (g) feast",
    "he (f) leads it by the (f) vote of all",
)
S1 = collection(
    "(a) Rumour has it that Mia will (h) coach (c North Bay )c rowers",
    "the club (d) denied it (e) again though she was (h) chosen",
    "Tom is to (h) lead the choir after the (h) feast",
    "he (h) leads it by the (h) vote of all",
)
S2 = collection(
    "(a Rumour has )a it that Mia will (h) coach (c) North Bay rowers",
    "the club denied it again though she was (h) chosen",
    "Tom is to (f) lead the choir after the (h) feast",
    "he (f) leads it by the (f) vote of all",
)


def with_entities(docs: Sequence[Document], ids: Sequence[str]) -> list[Document]:
    """The same documents, entities of these ids being no events."""
    return [
        doc.replace(
            entities=tuple(
                replace(entity, kind="entity" if entity.id in ids else entity.kind) for entity in doc.entities
            )
        )
        for doc in docs
    ]


def write_ecb(docs: Sequence[Document], folder: Path) -> Path:
    """The documents as a folder of ECB+."""
    write(docs, folder, "ecbplus")
    return folder
