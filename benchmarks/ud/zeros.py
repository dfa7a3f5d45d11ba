"""How many dropped subjects are found again where the empty nodes of a corpus were taken out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from coindex import Document
from coindex.formats.surface import without_zeros
from coindex.resolvers.ud.zeros import ZeroTable, predict_zeros
from coindex.training.ud.run import find_dropped_subjects


def zero_row(docs: Iterable[Document], table: ZeroTable) -> dict[str, Any] | None:
    """Recall, precision and F1 in percent; None of documents without empty nodes."""
    right = wanted = found = nodes = 0
    for doc in docs:
        key = set(_governors(doc))
        response = set(_governors(predict_zeros(without_zeros(doc), table)))
        right += len(key & response)
        wanted += len(key)
        found += len(response)
        nodes += len(doc.tokens.empty_positions)
    if not wanted:
        return None
    return {
        "empty_nodes": nodes,
        "dropped_subjects": wanted,
        "recall": round(100 * right / wanted, 1),
        "precision": round(100 * right / max(found, 1), 1),
        "f1": round(200 * right / (wanted + found), 1),
    }


def _governors(doc: Document) -> Iterator[int]:
    """What dropped subjects are the subjects of, counted in words, which are the same without empty nodes."""
    if not doc.tokens.empty_positions:
        return
    number: dict[int, int] = {}
    for position, token in enumerate(doc.tokens):
        if not token.is_empty:
            number[position] = len(number)
    yield from (number[governor] for governor in find_dropped_subjects(doc))
