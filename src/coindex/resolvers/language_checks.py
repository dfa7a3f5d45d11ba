"""Texts in a language that a resolver is not for: a warning per language, with what fits."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Protocol

from ..document import Document
from ..errors import CODES_ONLY, CoindexWarning, ShowPath, setting
from ..text.language_names import language_name


class LanguageWarning(CoindexWarning):
    """Documents in a language that the resolver is not for.

    `language` is its code (ISO 639), `count` how many documents are in it, `first` the name of the first one and
    `probability` that of its language, None where the language was given. `resolver` and `languages` are what the
    documents were given to.
    """

    default_code = "other-language"

    def __init__(
        self, languages: Sequence[str], resolver: str, language: str, probability: float | None, first: str
    ) -> None:
        super().__init__()
        self.languages = tuple(languages)
        self.resolver = resolver
        self.language = language
        self.probability = probability
        self.first = first
        self.count = 1
        from .defaults import remedy_for

        own = " or ".join(map(language_name, languages))
        override = "" if probability is None else f"; if it is {own}, give {setting('language', languages[0])}"
        self._advice = f"{resolver} is for {own}; {remedy_for(language)}{override}"

    def text(self, show: ShowPath = str) -> str:
        """Return the message, which counts the documents; it names no path."""
        if CODES_ONLY:
            return self.code
        name = language_name(self.language)
        if self.count > 1:
            verb = "are in" if self.probability is None else "look"
            return f"{self.count} documents {verb} {name} (the first: {self.first}); {self._advice}"
        looks = "language is" if self.probability is None else "text looks"
        sure = "" if self.probability is None else f" ({self.probability:.2f})"
        return f"{self.first}: the {looks} {name}{sure}; {self._advice}"


class Watched(Protocol):
    """A chain: the languages that it is for, and its name."""

    @property
    def languages(self) -> tuple[str, ...]: ...

    @property
    def name(self) -> str: ...


def watch_languages(docs: Iterable[Document], chain: Watched) -> Iterator[Document]:
    """Yield the documents; at the end warn of those that are clearly in another language, once per language."""
    if not chain.languages:
        yield from docs
        return
    found: dict[str, LanguageWarning] = {}
    try:
        for doc in docs:
            _note(doc, chain, found)
            yield doc
    finally:
        for warning in found.values():
            warnings.warn(warning, stacklevel=2)


def merge_warnings(found: Iterable[LanguageWarning]) -> list[LanguageWarning]:
    """Return a warning for each resolver and language, with the sum of the counts."""
    merged: dict[tuple[str, str], LanguageWarning] = {}
    for warning in found:
        first = merged.setdefault((warning.resolver, warning.language), warning)
        if first is not warning:
            first.count += warning.count
    return list(merged.values())


def _note(doc: Document, chain: Watched, found: dict[str, LanguageWarning]) -> None:
    code, probability = _other_language(doc, chain.languages)
    if code is None:
        return
    if code in found:
        found[code].count += 1
    else:
        found[code] = LanguageWarning(chain.languages, chain.name, code, probability, doc.id or "document")


def _other_language(doc: Document, languages: Collection[str]) -> tuple[str | None, float | None]:
    """Return the language of a document that is not in these, and its probability if it had to be identified."""
    if doc.language:
        code = doc.language.partition("-")[0].lower()
        return (None if code in languages else code), None
    from .linguistics.language_identification import other_language

    return other_language(doc, languages) or (None, None)
