"""A collection: documents with topics, a table of all their mentions, and entity ids that all documents share.

A resolved document has `shared_ids`, and its entities have the ids e1, e2 … in the order of their first mention in the
collection, so that the same id in two documents is the same entity. CorefUD writes that as `eid` in its
header (`GRP` would mean ids of one document), ECB+ as CROSS_DOC_COREF relations, JSON as `"shared_ids": true`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...document import Document, Entity, Kind, Mention
from ...document.heads import Trees
from ..clusters import add_provenance
from ..linguistics.word_classes import head_word

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
KINDS: tuple[Kind, ...] = ("entity", "event")
"""Kinds are numbered by their position here."""


@dataclass(frozen=True)
class Collection:
    """Documents and the table of their mentions, in the order of the documents and then of the text.

    The columns are arrays with a row for each mention: `document` and `sentence` are numbers over the whole
    collection, `head` is a position in the document, `kind` an index of KINDS.
    """

    documents: tuple[Document, ...]
    mentions: tuple[Mention, ...]
    document: Ints
    sentence: Ints
    head: Ints
    kind: Ints
    entity: Ints
    """The entity of the mention within its document, numbered over the collection."""

    def __len__(self) -> int:
        return len(self.document)

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Collection:
        """Return the collection of the documents with all their mentions."""
        docs = tuple(documents)
        mentions: list[Mention] = []
        rows: list[tuple[int, int, int, int, int]] = []
        sentences = entities = 0
        for number, doc in enumerate(docs):
            trees = Trees(doc)
            number_of = {entity.id: entities + place for place, entity in enumerate(doc.entities)}
            for mention, entity in doc.mentions():
                sentence = sentences + max(0, doc.sentence_index(mention.start))
                kind = KINDS.index(entity.kind)
                mentions.append(mention)
                rows.append((number, sentence, head_word(mention, trees), kind, number_of[entity.id]))
            sentences += max(1, len(doc.sentences))
            entities += len(doc.entities)
        columns = np.array(rows, dtype=np.int64).reshape(-1, 5).T
        return cls(docs, tuple(mentions), *columns)

    def without_documents(self) -> Collection:
        """Return the columns alone, for other processes."""
        return replace(self, documents=(), mentions=())

    @cached_property
    def entity_sizes(self) -> Ints:
        """The size of the entity of each mention within its document."""
        return np.bincount(self.entity, minlength=1)[self.entity]


def with_entities(
    collection: Collection,
    labels: Ints,
    *,
    by: str,
    scores: Floats | None = None,
    names: Mapping[int, str] | None = None,
    singletons: bool = True,
) -> Iterator[Document]:
    """Yield the documents with entities from the labels of mentions, with ids shared by all documents.

    `names` are ids that some labels have already; the others are numbered on behind them. A mention that shares its
    label carries its score. Without `singletons`, mentions that do not share their label are left out.
    """
    sizes = np.bincount(labels, minlength=1)
    ids = dict(names or {})
    number = next_number(ids.values())
    ends = np.searchsorted(collection.document, np.arange(len(collection.documents)), side="right").tolist()
    row = 0
    for doc, end in zip(collection.documents, ends, strict=True):
        groups: dict[int, list[int]] = {}
        for at, label in enumerate(labels[row:end].tolist(), row):
            if label not in ids:
                ids[label] = f"e{number}"
                number += 1
            groups.setdefault(label, []).append(at)
        row = end
        entities = tuple(
            Entity(
                ids[label], _link_mentions(collection, rows, sizes[label] > 1, by, scores), kind=_kind(collection, rows)
            )
            for label, rows in groups.items()
            if singletons or sizes[label] > 1
        )
        yield doc.replace(entities=entities, bridges=(), split_antecedents=(), shared_ids=True)


def _kind(collection: Collection, rows: Sequence[int]) -> Kind:
    return KINDS[int(collection.kind[rows[0]])]


def _link_mentions(
    collection: Collection, rows: Sequence[int], is_linked: bool, by: str, scores: Floats | None
) -> tuple[Mention, ...]:
    origin = f"{by}/link" if is_linked else f"{by}/new"
    return tuple(
        add_provenance(
            collection.mentions[row], origin, float(scores[row]) if is_linked and scores is not None else None
        )
        for row in rows
    )


def next_number(ids: Iterable[str]) -> int:
    """Return the number after the largest one in ids such as e12."""
    numbers = (int(id[1:]) for id in ids if id[:1] == "e" and id[1:].isascii() and id[1:].isdigit())
    return max(numbers, default=0) + 1
