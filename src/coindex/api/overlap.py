"""How much of a test corpus is known from training."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..arguments import check_documents, check_side
from ..corpora.files import documents
from ..corpora.key_and_response import STDIN, Documents
from ..document import Document
from ..errors import CoindexError, DataWarning

if TYPE_CHECKING:
    from ..analysis.overlap import Overlap


def overlap(
    train: Documents,
    test: Documents,
    *,
    below: Sequence[int] | None = None,
    ignore_case: bool = False,
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
) -> Overlap:
    """The rates of unknown and rare words of a test corpus, as PreCo defines them; also of heads and of names.

    Both are files, folders, documents or iterables of documents, and are read one document at a time. Words are rare
    that come fewer times in training than `below` says: 2, 5 and 10 if left out.

    >>> overlap("train.conllu", "dev.conllu").oov  # doctest: +SKIP
    """
    from ..analysis.overlap import BELOW, Vocabulary, check_levels, measure_overlap

    check_side(train, "train")
    check_side(test, "test")
    if all(isinstance(side, str) and side == STDIN for side in (train, test)):
        raise CoindexError(
            "both corpora are standard input; expected one of them in a file; name its path",
            code="unsupported-standard-input",
        )
    levels = check_levels(BELOW if below is None else below)
    vocabulary = Vocabulary.of(side_documents(train, format, read_options), ignore_case=ignore_case)
    found = measure_overlap(vocabulary, side_documents(test, format, read_options), below=levels)
    _check(found, _name(train, "the training corpus"), _name(test, "the test corpus"))
    return found


def side_documents(
    side: Documents, format: str | None = None, read_options: Mapping[str, str] | None = None
) -> Iterable[Document]:
    """The documents of a path, or those that were given."""
    if isinstance(side, str | os.PathLike):
        return documents(os.fspath(side), format, read_options or {})
    return check_documents(side)


def _name(side: Documents, what: str) -> str:
    return os.fspath(side) if isinstance(side, str | os.PathLike) else what


def _check(found: Overlap, train: str, test: str) -> None:
    """Refuse corpora without words, and tell what makes the rates mean less than they seem to."""
    for name, size in ((train, found.train), (test, found.test)):
        if not size.words:
            raise CoindexError(
                f"no word in {size.documents} documents; expected tokens made of letters; check the path",
                code="no-words",
                path=name,
            )
    if not found.kinds["heads"].words:
        message = f"{test}: no mentions with a word as their head; only the rates of all words are known"
        warnings.warn(DataWarning(message, code="no-entities"), stacklevel=3)
    if found.repeated:
        message = (
            f"{test}: {found.repeated} of {found.test.documents} documents are in {train} too, word for word; the "
            "rates say little of unseen text; take them out of one side"
        )
        warnings.warn(DataWarning(message, code="repeated-documents"), stacklevel=3)
