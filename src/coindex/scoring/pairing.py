"""Key and response documents side by side, one pair after the other, so that memory does not grow with their number.

Documents of the same id count as one, as in the official scorers. Where such documents stand apart, a second pass over
both sides is needed, so both must be something that can be gone through twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from ..document import Document
from ..errors import CoindexError, quote
from .checking import Locate, MismatchError, check_pair, describe_place
from .cuts import cut_alike
from .matching import RULES
from .profiles import Settings


@dataclass(frozen=True, slots=True)
class Pair:
    """A key document and the response to it; one is missing where official scorers pass over that."""

    key: Document | None
    response: Document | None
    same: bool = True
    """Whether words and empty nodes are the same, so that equal positions mean equal words."""

    @property
    def id(self) -> str | None:
        doc = self.key or self.response
        return None if doc is None else doc.id


@dataclass(frozen=True, slots=True)
class Unit:
    """What is scored by itself: usually one document and the response to it."""

    id: str | None
    pairs: tuple[Pair, ...]


class DocumentsApart(Exception):  # noqa: N818  # not an error: the sign to begin again
    """A document has the id of one that is scored already."""


def pair_documents(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    locate: Locate = describe_place,
    apart: frozenset[str] = frozenset(),
) -> Iterator[Unit]:
    """The units of a corpus in the key's order; those whose ids are known to stand `apart` come last."""
    waiting: dict[str, list[Pair]] = {}
    current: list[Pair] = []
    done: set[str] = set()
    for pair in _pairs(key, response, settings, locate):
        if pair.id is not None and pair.id in apart:
            waiting.setdefault(pair.id, []).append(pair)
            continue
        if current and pair.id is not None and pair.id == current[0].id:
            current.append(pair)
            continue
        if pair.id in done:
            raise DocumentsApart(pair.id)
        if current:
            yield Unit(current[0].id, tuple(current))
        if pair.id is not None:
            done.add(pair.id)
        current = [pair]
    if current:
        yield Unit(current[0].id, tuple(current))
    for id, pairs in waiting.items():
        yield Unit(id, tuple(pairs))


def repeated_ids(docs: Iterable[Document]) -> frozenset[str]:
    """The ids that several documents have."""
    if iter(docs) is docs:
        raise CoindexError(
            "two documents of one id stand apart, which takes a second look at all of them; give paths or lists, "
            "not iterators, or rename the documents"
        )
    counts = Counter(doc.id for doc in docs if doc.id is not None)
    return frozenset(id for id, number in counts.items() if number > 1)


def _pairs(key: Iterable[Document], response: Iterable[Document], settings: Settings, locate: Locate) -> Iterator[Pair]:
    """Documents side by side, checked. Without `strict`, response documents after the last key one are passed over."""
    rules = RULES[settings.rules]
    compares = rules.compares
    uneven: Document | None = None  # a document with missing or additional sentences must be the last
    seen: set[str] = set()
    for one, other in zip_longest(key, response):
        if one is None:
            if settings.strict:
                raise _extra(other, locate)
            if other.id in seen:  # more of a document that the key has
                yield Pair(None, other, same=False)
            continue
        if other is None:
            raise _missing(one)
        if uneven is not None:
            raise _uneven(uneven, locate)
        if rules.cuts_alike:
            one, other = cut_alike(one, other)
        same = check_pair(one, other, strict=settings.strict, compares=compares, locate=locate)
        if len(one.sentences) != len(other.sentences) and compares != "nothing":
            uneven = other
        if one.id is not None:
            seen.add(one.id)
        yield Pair(one, other, same)


def _named(doc: Document) -> str:
    return f"document {quote(doc.id)}" if doc.id is not None else "a document without an id"


_REMEDY = "give a response to every document of the key, in the key's order"


def _missing(key: Document) -> MismatchError:
    return MismatchError("response", "the end of the documents", f"{_named(key)} as in the key", _REMEDY)


def _extra(response: Document, locate: Locate) -> MismatchError:
    return MismatchError(
        f"response: {locate(response, 0)}",
        _named(response),
        "no more documents, as in the key",
        "remove it; --no-strict (strict=False) passes over it",
    )


def _uneven(response: Document, locate: Locate) -> MismatchError:
    return MismatchError(
        f"response: {locate(response, 0)}",
        f"{_named(response)} with {len(response.sentences)} sentences, not as many as in the key",
        "the key's sentences",
        "give every sentence of the key; what is beyond the end is passed over in the last document only",
    )
