"""Find the errors of responses. The analysis is imported when a function is called."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from ..arguments import check_side
from ..corpora.key_and_response import STDIN, Documents, dataset_name, locate
from ..document import Document
from ..errors import CoindexError

if TYPE_CHECKING:
    from ..analysis.errors.result import ErrorsFound
    from ..corpora.counting import Options
    from ..engines import Engine
    from ..scoring import Settings


def find_errors(
    key: Documents,
    response: Documents,
    second: Documents | None = None,
    *,
    train: Documents | None = None,
    names: tuple[str, str] | None = None,
    explorer: bool = False,
    match: str | None = None,
    singletons: bool | None = None,
    zeros: str | None = None,
    profile: str | None = None,
    strict: bool = True,
    kind: str | None = None,
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
    jobs: int = 1,
    engine: Engine = "local",
    address: str | None = None,
) -> ErrorsFound:
    """Find the errors of a response in mentions, links and entities, each with its place, type and context.

    Parameters:

    - `key`, `response`: a file, a folder, a document or an iterable of documents.
    - `second`: another response to the same key, to compare: which errors of the first it fixes, and which it adds.
    - `train`: the training corpus; errors then show which of their words are rare in it.
    - `names`: the names of the two responses (default: those of the files).
    - `explorer`: whether to keep the texts for the HTML page.
    - `match`, `singletons`, `zeros`, `profile`, `strict`, `kind`: as in `score`. Mentions are matched as the scorer
      matches them.
    - `format`, `read_options`: the input format (default: detected) and its options.
    - `jobs`, `engine`, `address`: the processes, as in `score`.

    Returns an `ErrorsFound`.

    >>> errors = find_errors("key.conllu", "response.conllu")  # doctest: +SKIP
    >>> errors.counts["false-link"], errors.only("false-link", "pronoun")[0].mention.text  # doctest: +SKIP
    """
    from ..corpora.counting import Options
    from ..engines import Workers
    from ..scoring import make_settings
    from ..scoring.matching import RULES

    check_side(key, "key")
    check_side(response, "response")
    if second is not None:
        check_side(second, "second")
    settings = make_settings(
        profile,
        match=match,
        singletons=singletons,
        zeros=zeros,
        metrics=("mentions",),
        strict=strict,
        unit="document",
        kind=kind,
    )
    if RULES[settings.rules].is_ua:
        raise CoindexError(
            f"errors are not classified by the rules of {settings.profile}; choose another profile, for example crac24 "
            "with match exact",
            code="invalid-option",
        )
    options = Options(format=format, read_options=read_options or {}, workers=Workers(jobs, engine, address))
    frequent = None if train is None else _frequent_words(train)
    sides = [response] if second is None else [response, second]
    reusable_key = _make_reusable(key, options, settings) if len(sides) > 1 else key
    titles = _choose_names(sides, names)
    errors: ErrorsFound | None = None
    for side, name in reversed(list(zip(sides, titles, strict=True))):
        errors = _find_errors_of(
            reusable_key, side, name, settings, options, frequent, explorer=explorer, second=errors
        )
    assert errors is not None
    return errors


def _find_errors_of(
    key: Documents,
    response: Documents,
    name: str,
    settings: Settings,
    options: Options,
    frequent: frozenset[str] | None,
    *,
    explorer: bool,
    second: ErrorsFound | None,
) -> ErrorsFound:
    from ..analysis.errors import distinct, examine
    from ..analysis.errors.result import ErrorsFound
    from ..corpora.counting import count_all
    from ..scoring.result import warn

    count = partial(examine, settings=settings, locate=locate, frequent=frequent, for_page=explorer)
    units = count_all(count, key, response, settings, options)
    warn((note for unit in units for note in unit.notes), stacklevel=4)
    cases = distinct(case for unit in units for case in unit.cases)
    shown = tuple(unit.shown for unit in units if unit.shown is not None) if explorer else None
    return ErrorsFound(
        name=name,
        cases=tuple(cases),
        tallies=tuple(unit.tally for unit in units),
        settings=settings,
        second=second,
        shown=shown,
    )


def _frequent_words(train: Documents) -> frozenset[str]:
    """Return the words of the training corpus that are not rare."""
    from ..analysis.errors.result import LOW
    from ..analysis.overlap import Vocabulary
    from .overlap import side_documents

    vocabulary = Vocabulary.of(side_documents(train))
    if not vocabulary.words:
        place = os.fspath(train) if isinstance(train, str | os.PathLike) else "the training corpus"
        raise CoindexError(
            "the training corpus contains no words, that is tokens made of letters; check the path",
            code="no-words",
            path=place,
        )
    return vocabulary.find_frequent(LOW)


def _make_reusable(key: Documents, options: Options, settings: Settings) -> Documents:
    """Return the key in a form that can be read once for each response."""
    from ..corpora.key_and_response import read_stdin

    if isinstance(key, str) and key == STDIN:
        return read_stdin(options.format, options.read_options, settings)
    return key if isinstance(key, str | os.PathLike | Document) else list(key)


def _choose_names(sides: list[Documents], names: tuple[str, str] | None) -> list[str]:
    """Return the given names, or those of the files if they differ, or A and B."""
    if names is not None:
        return list(names)[: len(sides)]
    files = [dataset_name(os.fspath(side)) for side in sides if isinstance(side, str | os.PathLike) and side != STDIN]
    if len(files) == len(sides) == len(set(files)):
        return files
    return ["response"] if len(sides) == 1 else ["A", "B"]
