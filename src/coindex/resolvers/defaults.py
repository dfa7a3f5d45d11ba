"""Choose a resolver where none was named, and warn about texts in a language that a resolver does not cover."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from ..document import Document
from ..document.heads import Trees
from ..errors import CODES_ONLY, CoindexError, CoindexWarning, ShowPath, setting
from ..text.language_names import language_code, language_name
from .linguistics.languages import language as spoken
from .linguistics.languages import language_of, own_language
from .resolver import shown_name

TRAINED = {"en": "en-small"}
"""By language: models that come with coindex and need nothing but words."""
CROSS = {"en": "en-cross"}
"""The same for collections."""
CROSS_UNTRAINED = "cross"
"""For collections in any other language, and for those of several."""
LEARNED = "xx-ud"
"""For any other language with trees, and where a parser is asked for."""
RULES = "sieves"
"""In its place, where the weights of the model are not installed."""
ODD = "are-baseline"
"""For a text of which not even the letters are known."""
ASSUMED = "en"
"""The language of a raw text in Latin letters that neither says nor shows its own."""
SAMPLE = 200
"""How many words are looked at for their letters."""
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
"""By language: a parser that makes trees, and how to install it."""


class Choice(NamedTuple):
    """A resolver, and the language that the document is taken to be in, where it matters."""

    resolver: str
    language: str | None


def choose(doc: Document, *, parsed: bool = False, language: str | None = None) -> Choice:
    """The resolver for a document; `parsed` says that a parser goes before, `language` what its user says.

    A document without trees whose text is clearly in a language without a model of its own is refused.
    """
    if parsed:
        return Choice(with_trees(), language)
    code = _code(doc, language)
    if code in TRAINED:
        return Choice(TRAINED[code], code)
    if Trees(doc).has_trees:
        return Choice(with_trees(), language)
    if not code and not _is_latin(doc):
        message = (
            f"{shown_name(doc)}: not in Latin letters and of no known language, so {ODD} will find "
            f"little; give its language with {setting('language', 'CODE')}, or parse it with "
            f"{setting('parser', 'spacy(MODEL)')}"
        )
        warnings.warn(CoindexWarning(message, code="unidentified-language"), stacklevel=2)
        return Choice(ODD, None)
    code = code or ASSUMED
    if code not in TRAINED:
        raise CoindexError(f"{shown_name(doc)}: {available(code)}", code="unsupported-language")
    return Choice(TRAINED[code], code)


def _code(doc: Document, language: str | None) -> str:
    """The language that the document or its user says, or the one that its text is clearly in; "" for neither."""
    said = own_language(doc) or language_code(language)
    if said:
        return spoken(said).code
    from .linguistics.languages import other_language

    found = other_language(doc, TRAINED)
    if found is not None:
        return found.code
    guessed = language_of(doc).code
    return guessed if guessed in TRAINED else ""


def with_trees() -> str:
    """The resolver for documents with trees: the learned one, if its weights are there."""
    from .ud.xx_ud import is_there

    return LEARNED if is_there() else RULES


def choose_cross(docs: Iterable[Document], language: str | None = None) -> str:
    """The resolver for a collection: a model if all documents that have words are in its language, or may well be."""
    codes = {_cross_code(doc, language) for doc in docs if len(doc.tokens)} or {language or ASSUMED}
    return CROSS.get(codes.pop(), CROSS_UNTRAINED) if len(codes) == 1 else CROSS_UNTRAINED


def _cross_code(doc: Document, language: str | None) -> str:
    return _code(doc, language) or (ASSUMED if _is_latin(doc) and not Trees(doc).has_trees else "")


def default_for(code: str | None) -> str:
    """The resolver for texts of a language, English if it is None."""
    short = spoken(language_code(code) or ASSUMED).code
    if short not in TRAINED:
        raise CoindexError(available(short), code="unsupported-language")
    return TRAINED[short]


def available(code: str) -> str:
    """What there is for raw text in a language without a model, and what to install for it."""
    return (
        f"the language is {language_name(code)} ({code}) and there is no dependency tree; expected a text in "
        f"{' or '.join(map(language_name, TRAINED))}, or trees for {with_trees()}; {remedy_for(code)}; if it "
        f"is another language, give it with {setting('language', 'CODE')}, or name a resolver with "
        f"{setting('resolver', 'NAME')}"
    )


def remedy_for(code: str) -> str:
    """What resolves texts in a language, and what to install for it."""
    if code in TRAINED:
        return f"use {TRAINED[code]} for {language_name(code)}"
    parser, install = PARSERS.get(code, ("spacy(MODEL)", "if you have a pipeline for it"))
    return (
        f"for {language_name(code)} use {with_trees()} over dependency trees: parse the text with "
        f"{setting('parser', parser)} ({install}), or give CoNLL-U from a parser such as Stanza (pip install stanza) "
        f"or UDPipe (coindex resolve text.conllu --language {code})"
    )


def _is_latin(doc: Document) -> bool:
    """Whether half of the letters or more are Latin; of a text without letters nothing speaks against it."""
    letters = [char for form in doc.tokens.forms[:SAMPLE] for char in form if char.isalpha()]
    return 2 * sum(unicodedata.name(char, "").startswith("LATIN") for char in letters) >= len(letters)


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
    from .linguistics.languages import other_language

    return other_language(doc, languages) or (None, None)
