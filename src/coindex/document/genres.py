"""The genre of a document, where it says one.

Formats keep it in three places: in the field `genre` of the document, in its `meta` (as "genre" or "meta::genre"), or
only in its id. Whatever counts or scores by genre asks here, so that all tables have the same groups.
"""

from __future__ import annotations

import re

from .documents import Document

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
