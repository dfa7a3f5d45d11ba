"""Choose the default resolver of a document, and warn about languages that a resolver does not support."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from ..document import Document
from ..document.heads import Trees
from ..errors import CODES_ONLY, CoindexError, CoindexWarning, ShowPath, setting
from ..text.language_names import language_code, language_name
from .companions import KNOWN, is_installed
from .linguistics.languages import language as get_language
from .linguistics.languages import language_of, own_language
from .resolver import display_name

INCLUDED = ("en-small", ("en",))
"""The included model that needs only words, and its languages."""
CROSS = {"en": "en-cross"}
"""Included models for collections, by language."""
CROSS_UNTRAINED = "cross"
"""The resolver of collections in other languages or in several languages."""
LEARNED = "xx-ud"
"""The resolver of documents with trees in other languages, or with a parser."""
RULES = "sieves"
"""The replacement of `LEARNED` if its weights are not installed."""
FALLBACK = "are-baseline"
"""The resolver of texts in an unknown language that are not in Latin script."""
ASSUMED = "en"
"""The language of raw text in Latin script if it is not given and cannot be identified."""
SAMPLE = 200
"""Number of words that are checked for their script."""
PARSERS = {
    "ru": ("natasha", "pip install 'coindex[natasha]'"),
    **{
        code: (f"spacy({model})", f"pip install 'coindex[spacy]' && python -m spacy download {model}")
        for code, model in {
            "ca": "ca_core_news_sm",
            "da": "da_core_news_sm",
            "de": "de_core_news_sm",
            "el": "el_core_news_sm",
            "es": "es_core_news_sm",
            "fi": "fi_core_news_sm",
            "fr": "fr_core_news_sm",
            "hr": "hr_core_news_sm",
            "it": "it_core_news_sm",
            "ja": "ja_core_news_sm",
            "ko": "ko_core_news_sm",
            "lt": "lt_core_news_sm",
            "mk": "mk_core_news_sm",
            "nb": "nb_core_news_sm",
            "no": "nb_core_news_sm",
            "nl": "nl_core_news_sm",
            "pl": "pl_core_news_sm",
            "pt": "pt_core_news_sm",
            "ro": "ro_core_news_sm",
            "sl": "sl_core_news_sm",
            "sv": "sv_core_news_sm",
            "uk": "uk_core_news_sm",
            "zh": "zh_core_web_sm",
        }.items()
    },
}
"""A parser for each language, and how to install it."""


class Choice(NamedTuple):
    """A resolver, and the language that is assumed for the document, or None."""

    resolver: str
    language: str | None


def choose(doc: Document, *, parsed: bool = False, language: str | None = None) -> Choice:
    """Return the default resolver for a document.

    `parsed` is True if a parser runs first; `language` is the language that the user specified. Raises an error for a
    document without trees that is clearly in a language without a model.
    """
    if parsed:
        return Choice(with_trees(), language)
    code = _code(doc, language)
    models = trained_models()
    if code in models:
        return Choice(models[code], code)
    if Trees(doc).has_trees:
        return Choice(with_trees(), language)
    if not code and not _is_latin(doc):
        message = (
            f"{display_name(doc)}: the language is unknown and the script is not Latin, so {FALLBACK} is used "
            f"and will find little; specify the language with {setting('language', 'CODE')}, or parse the text with "
            f"{setting('parser', 'spacy(MODEL)')}"
        )
        warnings.warn(CoindexWarning(message, code="unidentified-language"), stacklevel=2)
        return Choice(FALLBACK, None)
    code = code or ASSUMED
    if code not in models:
        raise CoindexError(f"{display_name(doc)}: {available(code)}", code="unsupported-language")
    return Choice(models[code], code)


def trained_models() -> dict[str, str]:
    """Return the model for each language that needs only words: an installed companion, or the included model.

    A model for few languages is preferred to a model for many.
    """
    installed = ((companion.name, companion.languages) for companion in KNOWN.values() if is_installed(companion.name))
    models: dict[str, str] = {}
    for name, languages in sorted((INCLUDED, *installed), key=lambda model: len(model[1]), reverse=True):
        models |= dict.fromkeys(languages, name)  # later ones replace earlier ones
    return models


def _code(doc: Document, language: str | None) -> str:
    """Return the language that the document or the user specifies or that the text is clearly in, or ""."""
    given = own_language(doc) or language_code(language)
    if given:
        return get_language(given).code
    from .linguistics.languages import other_language

    models = trained_models()
    identified = other_language(doc, models)
    if identified is not None:
        return identified.code
    guessed = language_of(doc).code
    return guessed if guessed in models else ""


def with_trees() -> str:
    """Return the resolver for documents with trees: the learned one if its weights are installed."""
    from .ud.xx_ud import is_there

    return LEARNED if is_there() else RULES


def choose_cross(docs: Iterable[Document], language: str | None = None) -> str:
    """Return the resolver for a collection: a model if all non-empty documents are, or may be, in its language."""
    codes = {_cross_code(doc, language) for doc in docs if len(doc.tokens)} or {language or ASSUMED}
    return CROSS.get(codes.pop(), CROSS_UNTRAINED) if len(codes) == 1 else CROSS_UNTRAINED


def _cross_code(doc: Document, language: str | None) -> str:
    return _code(doc, language) or (ASSUMED if _is_latin(doc) and not Trees(doc).has_trees else "")


def default_for(code: str | None) -> str:
    """Return the resolver for texts in a language; None means English."""
    short = get_language(language_code(code) or ASSUMED).code
    models = trained_models()
    if short not in models:
        raise CoindexError(available(short), code="unsupported-language")
    return models[short]


def available(code: str) -> str:
    """Return the message for raw text in a language without a model: what is available and what to install."""
    languages = " and ".join(map(language_name, trained_models()))
    return (
        f"the language is {language_name(code)} ({code}) and there is no dependency tree; only {languages} can "
        f"be resolved without trees; {remedy_for(code)}; if the "
        f"language is wrong, specify it with {setting('language', 'CODE')}, or choose a resolver with "
        f"{setting('resolver', 'NAME')}"
    )


def remedy_for(code: str) -> str:
    """Return a sentence about how to resolve texts in a language, and what to install."""
    models = trained_models()
    if code in models:
        return f"use {models[code]} for {language_name(code)}"
    companion = next((companion for companion in KNOWN.values() if code in companion.languages), None)
    model = f"install {companion.name} ({companion.install}), or " if companion is not None else ""
    parser, install = PARSERS.get(code, ("spacy(MODEL)", "if you have a pipeline for it"))
    return (
        f"for {language_name(code)} {model}use {with_trees()} with dependency trees: parse the text with "
        f"{setting('parser', parser)} ({install}), or supply CoNLL-U from a parser such as Stanza (pip install stanza) "
        f"or UDPipe (coindex resolve text.conllu --language {code})"
    )


def _is_latin(doc: Document) -> bool:
    """Return whether at least half of the letters are Latin; True for a text without letters."""
    letters = [char for form in doc.tokens.forms[:SAMPLE] for char in form if char.isalpha()]
    return 2 * sum(unicodedata.name(char, "").startswith("LATIN") for char in letters) >= len(letters)


class LanguageWarning(CoindexWarning):
    """Issued for documents in a language that the resolver does not support.

    `language` is the ISO 639 code, `count` the number of documents in that language, `first` the name of the first one,
    and `probability` the probability of its language (None if the language was given). `resolver` is the resolver, and
    `languages` are those it supports.
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

        own = " or ".join(map(language_name, languages))
        override = "" if probability is None else f"; if it is {own}, specify {setting('language', languages[0])}"
        self._advice = f"{resolver} is for {own}; {remedy_for(language)}{override}"

    def text(self, show: ShowPath = str) -> str:
        """Return the message with the number of documents; it contains no path."""
        if CODES_ONLY:
            return self.code
        name = language_name(self.language)
        if self.count > 1:
            verb = "are in" if self.probability is None else "look"
            return f"{self.count} documents {verb} {name} (the first: {self.first}); {self._advice}"
        verb = "language is" if self.probability is None else "text looks"
        certainty = "" if self.probability is None else f" ({self.probability:.2f})"
        return f"{self.first}: the {verb} {name}{certainty}; {self._advice}"


class LanguageSupport(Protocol):
    """A chain with a name and the languages that it supports."""

    @property
    def languages(self) -> tuple[str, ...]: ...

    @property
    def name(self) -> str: ...


def warn_about_languages(docs: Iterable[Document], chain: LanguageSupport) -> Iterator[Document]:
    """Yield the documents; at the end, warn about documents in unsupported languages, once per language."""
    if not chain.languages:
        yield from docs
        return
    by_language: dict[str, LanguageWarning] = {}
    try:
        for doc in docs:
            _count_document(doc, chain, by_language)
            yield doc
    finally:
        for warning in by_language.values():
            warnings.warn(warning, stacklevel=2)


def merge_warnings(issued: Iterable[LanguageWarning]) -> list[LanguageWarning]:
    """Return one warning per resolver and language, with the sum of the counts."""
    merged: dict[tuple[str, str], LanguageWarning] = {}
    for warning in issued:
        first = merged.setdefault((warning.resolver, warning.language), warning)
        if first is not warning:
            first.count += warning.count
    return list(merged.values())


def _count_document(doc: Document, chain: LanguageSupport, by_language: dict[str, LanguageWarning]) -> None:
    """Count a document that is in an unsupported language."""
    code, probability = _other_language(doc, chain.languages)
    if code is None:
        return
    if code in by_language:
        by_language[code].count += 1
    else:
        by_language[code] = LanguageWarning(chain.languages, chain.name, code, probability, doc.id or "document")


def _other_language(doc: Document, languages: Collection[str]) -> tuple[str | None, float | None]:
    """Return the language of a document if it is not one of these, and its probability if it was identified."""
    if doc.language:
        code = doc.language.partition("-")[0].lower()
        return (None if code in languages else code), None
    from .linguistics.languages import other_language

    return other_language(doc, languages) or (None, None)
