"""Measure how much of a test corpus occurs in the training corpus."""

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
    """Measure the rates of unknown and rare words in a test corpus, as defined in the PreCo paper.

    Rates are computed for all words, for heads of mentions and for names. Documents are read one at a time.

    Parameters:

    - `train`, `test`: a file, a folder, a document or an iterable of documents.
    - `below`: a word is rare if it occurs fewer times than this in training; one rate for each number (default: 2, 5
      and 10).
    - `ignore_case`: whether upper and lower case count as the same.
    - `format`, `read_options`: the input format (default: detected) and its options.

    Returns an `Overlap`.

    >>> overlap("train.conllu", "dev.conllu").oov  # doctest: +SKIP
    """
    from ..analysis.overlap import BELOW, Vocabulary, check_levels, measure_overlap

    check_side(train, "train")
    check_side(test, "test")
    if all(isinstance(side, str) and side == STDIN for side in (train, test)):
        raise CoindexError(
            "both corpora are standard input; name a file for one of them",
            code="unsupported-standard-input",
        )
    levels = check_levels(BELOW if below is None else below)
    vocabulary = Vocabulary.of(side_documents(train, format, read_options), ignore_case=ignore_case)
    result = measure_overlap(vocabulary, side_documents(test, format, read_options), below=levels)
    _check(result, _name(train, "the training corpus"), _name(test, "the test corpus"))
    return result


def side_documents(
    side: Documents, format: str | None = None, read_options: Mapping[str, str] | None = None
) -> Iterable[Document]:
    """Return the documents of a path, or the documents themselves."""
    if isinstance(side, str | os.PathLike):
        return documents(os.fspath(side), format, read_options or {})
    return check_documents(side)


def _name(side: Documents, what: str) -> str:
    return os.fspath(side) if isinstance(side, str | os.PathLike) else what


def _check(result: Overlap, train: str, test: str) -> None:
    """Raise an error for corpora without words, and warn of what makes the rates misleading."""
    for name, size in ((train, result.train), (test, result.test)):
        if not size.words:
            raise CoindexError(
                f"no words, that is tokens made of letters, in {size.documents} documents; check the path",
                code="no-words",
                path=name,
            )
    if not result.kinds["heads"].words:
        message = f"{test}: no mention has a word as its head; there are only rates of all words"
        warnings.warn(DataWarning(message, code="no-entities"), stacklevel=3)
    if result.repeated:
        message = (
            f"{test}: {result.repeated} of {result.test.documents} documents also occur in {train}, word for word; "
            "the rates say little about unseen text; remove these documents from one of the corpora"
        )
        warnings.warn(DataWarning(message, code="repeated-documents"), stacklevel=3)
