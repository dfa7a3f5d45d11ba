"""What rules must know about a language beyond UD features, from small TOML files; and language identification.

The language of a text, by py3langid: to warn of a text that a model was not trained for.

The identifier takes half a second and 100 MB to load, so a text that is plainly in the expected language, by its share
of closed-class words, is not shown to it. A language is reported only where it is clear: a probability of 0.9, or of
0.5 where the closed-class words agree, of a text with enough letters. `python -m benchmarks language` measures both.

A language without a file works by features alone. Files are read when a document needs them.
"""

from __future__ import annotations

import tomllib
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from ...document import Document
from ...errors import DataWarning, MissingPackageError
from ...text.language_names import UnknownLanguageError, language_code

CODES = ("en", "es", "cs", "hu", "fr", "de", "ru", "nl")
SAMPLE = 2000
"""How many words are looked at to guess a language."""
LEAST_SHARE = 0.05
"""The share of closed-class words under which a text is of no language that is known here."""
LEAST_WORDS = 3
"""How many of them it takes: *met* alone may be English or Dutch."""


@dataclass(frozen=True, slots=True)
class Language:
    """The words of one language; all in lower case, nouns as lemmas."""

    code: str = ""
    common: frozenset[str] = frozenset()
    """Frequent words of closed classes: they tell the language."""
    pronouns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Features of pronouns where corpora leave them out or differ, by form; they come after those of the tree."""
    persons: Mapping[str, str] = field(default_factory=dict)
    """Nouns for people with "Masc", "Fem" or "" where they may be either."""
    person_endings: tuple[str, ...] = ()
    """Endings of nouns that mean people."""
    perhaps_endings: tuple[str, ...] = ()
    """Endings of nouns that mean people or things (baker, cooker)."""
    names: Mapping[str, str] = field(default_factory=dict)
    """First names that leave no doubt, with their gender."""
    titles: Mapping[str, str] = field(default_factory=dict)
    groups: frozenset[str] = frozenset()
    """Nouns in the singular that a plural pronoun may take up."""
    things: frozenset[str] = frozenset()
    """Frequent nouns that no personal pronoun for people takes up, though their ending may say so."""
    times: frozenset[str] = frozenset()
    vague: frozenset[str] = frozenset()
    """Nouns that mean nothing of their own without an article, as in fixed phrases (of course, in addition)."""
    speech: frozenset[str] = frozenset()
    """Verbs of saying."""
    negations: frozenset[str] = frozenset()
    impersonal: frozenset[str] = frozenset()
    """Verbs and adjectives whose neuter subject means nothing (rain, seem)."""
    dummies: frozenset[str] = frozenset()
    """Pronouns that are no neuters but may mean nothing with an impersonal verb (French il)."""
    linkers: frozenset[str] = frozenset()
    """Small words inside names that acronyms leave out."""
    silent: frozenset[str] = frozenset()
    """Forms of pronouns that mean nobody: clitics that belong to the verb, "one does"."""
    gendered: bool = True
    """Whether nouns have a grammatical gender that pronouns take over."""
    appositions: bool = False
    """Whether the language's corpora take an apposition as a mention of its own."""
    copulas: bool = False
    """Whether they take a predicate noun as a mention of its subject's entity."""
    bare_nouns: bool = False
    """Whether a noun that could have an article but has none is taken up by the same noun later (tea ... tea)."""
    relatives: bool = True
    """Whether they take relative pronouns as mentions."""
    last_name_heads: bool = False
    """Whether they take the last word of a name for its head, where UD takes the first."""


@lru_cache(maxsize=256)  # documents may have any code
def language(code: str | None) -> Language:
    """The language of an ISO 639-1 code (a region after it is ignored); one without words where there is no file."""
    short = (code or "").lower().replace("_", "-").partition("-")[0]
    return _read(short) if short in CODES else Language(code=short)


def own_language(doc: Document) -> str | None:
    """Return the code of the language that a document states, or None; an unknown one gives a warning."""
    try:
        return language_code(doc.language, where=doc.id or "document")
    except UnknownLanguageError as error:
        message = f"{error}; the document is resolved without a language"
        warnings.warn(DataWarning(message, code=error.code), stacklevel=2)
        return None


def language_of(doc: Document) -> Language:
    """The language that the document says, else the one whose closed-class words are the most frequent in it."""
    if doc.language:
        return language(doc.language)
    return language(guess(doc.tokens.forms[:SAMPLE]))


def guess(forms: Sequence[str]) -> str | None:
    """The code of the language with most of these words, None where none has enough of them."""
    shares = closed_class_shares(forms)
    best = max(shares, key=lambda code: shares[code])
    words = sum(form[:1].isalpha() for form in forms)
    return best if shares[best] >= max(LEAST_WORDS / max(words, 1), LEAST_SHARE) else None


def closed_class_shares(forms: Iterable[str]) -> dict[str, float]:
    """Return the share of closed-class words of each language among the words."""
    counts = Counter(form.lower() for form in forms)
    total = sum(number for word, number in counts.items() if word[:1].isalpha())
    return {code: sum(counts[word] for word in language(code).common) / max(total, 1) for code in CODES}


def _read(code: str) -> Language:
    source = files(__package__).joinpath(f"{code}.toml")
    data: dict[str, Any] = tomllib.loads(source.read_text(encoding="utf-8"))
    people = data.get("persons", {})
    fields: dict[str, Any] = {name: frozenset(data.get(name, "").split()) for name in LISTS}
    fields |= {name: data[name] for name in SWITCHES if name in data}
    return Language(
        code=code,
        pronouns={word: _features(text) for word, text in data.get("pronouns", {}).items()},
        persons=_by_gender(people),
        names=_by_gender(data.get("names", {})),
        titles=_by_gender(data.get("titles", {})),
        person_endings=tuple(people.get("endings", "").split()),
        perhaps_endings=tuple(people.get("perhaps_endings", "").split()),
        **fields,
    )


SWITCHES = ("gendered", "appositions", "copulas", "bare_nouns", "relatives", "last_name_heads")
LISTS = (
    "common",
    "groups",
    "things",
    "times",
    "vague",
    "speech",
    "negations",
    "impersonal",
    "dummies",
    "linkers",
    "silent",
)


def _by_gender(table: Mapping[str, str]) -> dict[str, str]:
    genders = {"masculine": "Masc", "feminine": "Fem", "either": ""}
    return {word: gender for key, gender in genders.items() for word in table.get(key, "").split()}


def _features(text: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in text.split("|"))


CLEAR = 0.9
SUPPORTED = 0.5
"""The probability that is enough where the most frequent closed-class words are of the same language."""
LEAST_BYTES = 20
"""Letters in UTF-8: twenty Latin letters, ten Cyrillic, or seven Chinese or Korean characters."""
PLAIN = 0.2
"""The share of closed-class words from which on a text is plainly in a language, if no other has half as many."""
UNCLEAR = ("zxx", "pcm")
"""No language at all (code, numbers), and Nigerian Pidgin, which lists of English names are taken for."""

ALIKE = {
    **dict.fromkeys(("ary", "arz"), "ar"),
    **dict.fromkeys(("ext", "an"), "es"),
    **dict.fromkeys(("wuu", "yue"), "zh"),
    "bs": "hr",
    "ms": "id",
    "nn": "no",
}
"""Varieties that the identifier cannot tell apart in short texts: their probabilities are added."""


class Identified(NamedTuple):
    """A language, with the probability of it."""

    code: str
    probability: float


def other_language(doc: Document, expected: Collection[str]) -> Identified | None:
    """Return the language of a document whose text is clearly in none of the `expected` ones (ISO 639-1 codes).

    None where it is in one of them, and where the text is too short or too odd for a clear answer.
    """
    forms = doc.tokens.forms[:SAMPLE]
    if _is_plain(forms, expected):
        return None
    found = identify(forms)
    return None if found is None or found.code in expected else found


def identify(forms: Sequence[str]) -> Identified | None:
    """Return the language of words in their order, None where it is not clear."""
    letters = "".join(char for form in forms for char in form if char.isalpha())
    if len(letters.encode()) < LEAST_BYTES:
        return None
    ranked: Counter[str] = Counter()
    for code, share in _identifier().rank(" ".join(forms)):
        ranked[ALIKE.get(code, code)] += share
    ((code, probability),) = ranked.most_common(1)
    if code in UNCLEAR or probability < SUPPORTED:
        return None
    if probability < CLEAR and guess(forms) != code:
        return None
    return Identified(code, min(float(probability), 1.0))


def _is_plain(forms: Sequence[str], expected: Collection[str]) -> bool:
    shares = closed_class_shares(forms)
    first, second = sorted(shares, key=lambda code: -shares[code])[:2]
    enough = shares[first] >= PLAIN and shares[first] * len(forms) >= LEAST_WORDS
    return first in expected and enough and shares[first] >= 2 * shares[second]


@cache
def _identifier() -> Any:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError as error:
        raise MissingPackageError("py3langid") from error
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
