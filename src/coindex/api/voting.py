"""Voting: one annotation made of several. What it needs is loaded when it is called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from ..corpora.key_and_response import locate
from ..document import Document
from ..errors import EditError
from .agreement import Versions, name_versions, open_versions


def vote(
    versions: Versions,
    *,
    least: int | None = None,
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
    on_trust: Callable[[dict[str, float]], None] = lambda trust: None,
) -> Iterator[Document]:
    """The documents that most annotators agree with, one by one: a mention is kept by a majority, links by votes.

    Each version is a file, a folder or documents, perhaps with the annotator's name. `least` is how many have to mark
    a mention, where that is not a majority. `on_trust` is told how well each annotator agrees with the others, which
    decides where votes are equal.

    >>> docs = list(vote(["ada.conll", "ben.conll", "cleo.conll"]))  # doctest: +SKIP
    """
    from ..annotation.agreement import trust
    from ..annotation.versions import side_by_side
    from ..scoring import make_settings

    named = name_versions(versions)
    names = list(named)
    opened = open_versions(named, make_settings(match="exact"), format, read_options or {})
    trusted = trust(opened, locate=locate)
    on_trust(dict(zip(names, trusted, strict=True)))
    yield from vote_trusting(side_by_side(opened, locate=locate), names, trusted, least=least)


def vote_trusting(
    sides: Iterable[Sequence[Document]], names: Sequence[str], trust: Sequence[float], *, least: int | None = None
) -> Iterator[Document]:
    """The votes on documents of which each comes in all versions; `trust` in the annotators decides where they tie."""
    from ..annotation.versions import on_same_words
    from ..annotation.voting import vote_together

    together: list[Sequence[Document]] = []
    for docs in sides:
        if any(doc.shared_ids for doc in docs):
            together.append(docs)
            continue
        same = on_same_words(docs, names, locate=locate)
        (voted,) = vote_together([[doc] for doc in same], trust=trust, least=least)
        yield without_unused_zeros(voted, docs[0])
    if together:
        shared = [on_same_words(docs, names, locate=locate) for docs in together]
        out = vote_together(list(zip(*shared, strict=True)), trust=trust, least=least)
        for voted, docs in zip(out, together, strict=True):
            yield without_unused_zeros(voted, docs[0])


def without_unused_zeros(doc: Document, first: Document) -> Document:
    """The document without the empty nodes that the first version did not have and that no mention needs."""
    from ..document.edits import remove_zero

    if len(doc.tokens) == len(first.tokens):
        return doc
    used = {position for mention, _ in doc.mentions() for position in mention.positions}
    known = set(_empty_ids(first).values())
    for position, id in sorted(_empty_ids(doc).items(), reverse=True):
        if position not in used and id not in known:
            with suppress(EditError):  # another node hangs on it
                doc = remove_zero(doc, position)
    return doc


def _empty_ids(doc: Document) -> dict[int, tuple[int, str]]:
    """The empty nodes by position: their sentence and id."""
    return {position: (doc.sentence_index(position), token.id) for position, token in doc.tokens.empty_tokens.items()}
