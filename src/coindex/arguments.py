"""Check arguments of the public functions; a TypeError names the argument and what it accepts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .document import Document
from .errors import CoindexError


def check_path(value: object, name: str) -> None:
    """Raise a TypeError if the value is not a path."""
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"{name}: expected a path (str or Path), not {_kind(value)}")


def check_paths(value: object, name: str) -> None:
    """Raise a TypeError if the value is not a list of paths."""
    if isinstance(value, str | bytes | os.PathLike) or not isinstance(value, Iterable):
        raise TypeError(f"{name}: expected a list of paths, not {_kind(value)}")
    if isinstance(value, Sequence):
        for number, path in enumerate(value):
            check_path(path, f"{name}, item {number}")


def check_corpora(value: object, name: str) -> None:
    """Raise a TypeError unless the value is a path, documents, or a mapping or list of these."""
    check_side(value, name)
    if isinstance(value, Mapping):
        for key, corpus in value.items():
            check_side(corpus, f"{name}, {key}")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for number, corpus in enumerate(value):
            check_side(corpus, f"{name}, item {number}")


def check_text(value: object, name: str, expected: str) -> None:
    """Raise a TypeError unless the value is a str or None."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name}: expected {expected}, not {_kind(value)}")


def check_document(value: object, name: str = "doc") -> None:
    """Raise a TypeError if the value is not a document."""
    if not isinstance(value, Document):
        raise TypeError(f"{name}: expected a coindex.Document, not {_kind(value)}{_hint(value)}")


def check_documents(value: object, name: str = "docs") -> Iterable[Document]:
    """Return an iterable that checks documents as they are read; a single document becomes a list."""
    if isinstance(value, Document):
        return [value]
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise TypeError(f"{name}: expected a Document or an iterable of Documents, not {_kind(value)}{_hint(value)}")
    return _check_items(value, name)


def check_side(value: object, name: str) -> None:
    """Raise a TypeError unless the value is a path, a document or an iterable."""
    if isinstance(value, bytes) or not isinstance(value, str | os.PathLike | Iterable | Document):
        raise TypeError(f"{name}: expected a path, a Document or an iterable of Documents, not {_kind(value)}")


def _check_items(docs: Iterable[Any], name: str) -> Iterator[Document]:
    for number, doc in enumerate(docs):
        check_document(doc, f"{name}, item {number}")
        yield doc


def check_load_options(
    *,
    name: object,
    mentions: object,
    keep_entities: object,
    language: object,
    parser: object,
    min_link: object,
    singletons: object,
    zeros: object,
    keep_words: object,
) -> None:
    """Raise an error for options of `load` with the wrong type or an unknown value."""
    from .resolvers.resolver import MENTIONS
    from .resolvers.ud.zeros import ZEROS

    if name is not None and not isinstance(name, str | os.PathLike):
        raise TypeError(
            f"name: expected a resolver, such as 'en-small', or the path of a model folder, not {_kind(name)}"
        )
    check_text(language, "language", "an ISO 639 code or a name, such as 'es' or 'Spanish'")
    check_text(parser, "parser", "a parser such as 'spacy(en_core_web_sm)'")
    _check_choice(mentions, "mentions", MENTIONS)
    if zeros is not None:
        _check_choice(zeros, "zeros", tuple(ZEROS))
    for flag, value in (("keep_entities", keep_entities), ("keep_words", keep_words)):
        if not isinstance(value, bool):
            raise TypeError(f"{flag}: expected True or False, not {value!r}")
    if singletons is not None and not isinstance(singletons, bool):
        raise TypeError(f"singletons: expected True, False or None, not {singletons!r}")
    if min_link is not None:
        if isinstance(min_link, bool) or not isinstance(min_link, int | float):
            raise TypeError(f"min_link: expected a number from 0 to 1, not {min_link!r}")
        if not 0 <= min_link <= 1:
            raise CoindexError(f"min_link: expected a probability from 0 to 1, not {min_link:g}", code="invalid-option")


def _check_choice(value: object, name: str, known: tuple[str, ...]) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected one of {', '.join(map(repr, known))}, not {_kind(value)}")
    if value not in known:
        raise CoindexError(
            f"{name}: unknown value {value!r}; expected one of {', '.join(map(repr, known))}", code="unknown-choice"
        )


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _hint(value: object) -> str:
    if isinstance(value, str):
        return "; read a file with coindex.read(path), or create a document from a text with Document.from_text(text)"
    if type(value).__module__.startswith("spacy."):
        return "; convert it with coindex.from_spacy(doc)"
    return ""
