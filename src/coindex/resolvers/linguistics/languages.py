"""Word lists of languages, and the identification of the language and the genre of a text.

The word lists are small TOML files, which are read when a document needs them. For a language without a file, only UD
features are used.

Languages are identified with py3langid, to warn about texts that a model was not trained for. Loading it takes half a
second and 100 MB, so it is not used if the share of closed-class words clearly indicates the expected language. An
identified language is reported only if the text is long enough and the probability is at least 0.9, or 0.5 if the
closed-class words indicate the same language. `python -m benchmarks language` measures both.

Fiction is recognized by its vocabulary, to suggest the annotation scheme of a corpus of novels. The measure is the
share of a few words that are frequent in narrative prose and rare elsewhere, among the first words of a document. The
words and the threshold were chosen on the training parts of GUM and LitBank. `python -m benchmarks replacing` measures
it on their development parts.
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
"""Number of words that are used to identify a language."""
LEAST_SHARE = 0.05
"""Minimum share of closed-class words to guess a language."""
LEAST_WORDS = 3
"""Minimum number of closed-class words: *met* alone can be English or Dutch."""


@dataclass(frozen=True, slots=True)
class Language:
    """The word lists and settings of a language; words are in lower case, nouns are lemmas."""

    code: str = ""
    common: frozenset[str] = frozenset()
    """Frequent closed-class words, used to guess the language."""
    pronouns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Features of pronouns by form, where corpora lack them or differ; features of the tree take precedence."""
    persons: Mapping[str, str] = field(default_factory=dict)
    """Nouns for people with "Masc", "Fem", or "" for either."""
    person_endings: tuple[str, ...] = ()
    """Endings of nouns for people."""
    perhaps_endings: tuple[str, ...] = ()
    """Endings of nouns for people or things (baker, cooker)."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Unambiguous first names with their gender."""
    nicknames: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """First names and their short forms, each with the names that it can stand for."""
    short_forms: frozenset[str] = frozenset()
    """Those that are rarely names of their own."""
    titles: Mapping[str, str] = field(default_factory=dict)
    groups: frozenset[str] = frozenset()
    """Singular nouns that plural pronouns can refer to."""
    things: frozenset[str] = frozenset()
    """Frequent nouns that do not denote people despite their endings."""
    times: frozenset[str] = frozenset()
    vague: frozenset[str] = frozenset()
    """Nouns that are not referential without an article, as in fixed phrases (of course, in addition)."""
    speech: frozenset[str] = frozenset()
    """Verbs of speech."""
    negations: frozenset[str] = frozenset()
    impersonal: frozenset[str] = frozenset()
    """Verbs and adjectives with a non-referential neuter subject (rain, seem)."""
    dummies: frozenset[str] = frozenset()
    """Pronouns that are not neuter but can be non-referential with an impersonal verb (French il)."""
    linkers: frozenset[str] = frozenset()
    """Words inside names that acronyms omit."""
    silent: frozenset[str] = frozenset()
    """Non-referential pronoun forms: clitics that belong to the verb, "one does"."""
    gendered: bool = True
    """Whether nouns have grammatical gender that pronouns agree with."""
    appositions: bool = False
    """Whether the corpora of the language annotate appositions as separate mentions."""
    copulas: bool = False
    """Whether they annotate predicate nouns as mentions of the entity of the subject."""
    bare_nouns: bool = False
    """Whether they link nouns without an article to the same noun later (tea ... tea)."""
    relatives: bool = True
    """Whether they annotate relative pronouns as mentions."""
    last_name_heads: bool = False
    """Whether the head of a name is its last word, where UD uses the first."""


@lru_cache(maxsize=256)  # documents can have any code
def language(code: str | None) -> Language:
    """Return the language of an ISO 639-1 code, ignoring a region; without word lists if there is no file."""
    short = (code or "").lower().replace("_", "-").partition("-")[0]
    return _read(short) if short in CODES else Language(code=short)


def own_language(doc: Document) -> str | None:
    """Return the language code of a document, or None; warn about an unknown code."""
    try:
        return language_code(doc.language, where=doc.id or "document")
    except UnknownLanguageError as error:
        message = f"{error}; the document is resolved without a language"
        warnings.warn(DataWarning(message, code=error.code), stacklevel=2)
        return None


def language_of(doc: Document) -> Language:
    """Return the language of the document, or otherwise the one with the most frequent closed-class words in it."""
    if doc.language:
        return language(doc.language)
    return language(guess(doc.tokens.forms[:SAMPLE]))


def guess(forms: Sequence[str]) -> str | None:
    """Return the code of the language with the most closed-class words, or None if there are too few."""
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
        **_nicknames(data.get("nicknames", {})),
        titles=_by_gender(data.get("titles", {})),
        person_endings=tuple(people.get("endings", "").split()),
        perhaps_endings=tuple(people.get("perhaps_endings", "").split()),
        **fields,
    )


def _nicknames(data: Mapping[str, str]) -> dict[str, Any]:
    groups = [line.split() for line in data.get("groups", "").splitlines()]
    sure = {word for group in groups for word in group[1:] if not word.endswith("?")}
    unsure = {word.rstrip("?") for group in groups for word in group if word.endswith("?")}
    known: dict[str, set[str]] = {}
    for group in groups:
        for word in group:
            known.setdefault(word.rstrip("?"), set()).add(group[0])
    names = {word: frozenset(names) for word, names in known.items()}
    return {"nicknames": names, "short_forms": frozenset(sure - unsure - {group[0] for group in groups if group})}


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
"""Minimum probability if the closed-class words indicate the same language."""
LEAST_BYTES = 20
"""Minimum length of the letters in UTF-8: 20 Latin, 10 Cyrillic, or 7 Chinese or Korean characters."""
PLAIN = 0.2
"""Share of closed-class words that clearly indicates a language if no other one has half as many."""
UNCLEAR = ("zxx", "pcm")
"""No language (code, numbers), and Nigerian Pidgin, which lists of English names are mistaken for."""

ALIKE = {
    **dict.fromkeys(("ary", "arz"), "ar"),
    **dict.fromkeys(("ext", "an"), "es"),
    **dict.fromkeys(("wuu", "yue"), "zh"),
    "bs": "hr",
    "ms": "id",
    "nn": "no",
}
"""Varieties that cannot be distinguished in short texts; their probabilities are added."""


class Identified(NamedTuple):
    """An identified language with its probability."""

    code: str
    probability: float


def other_language(doc: Document, expected: Collection[str]) -> Identified | None:
    """Return the language of a document if it is clearly none of the `expected` ones (ISO 639-1 codes).

    The result is None if it may be one of them, or if the text is too short or too unusual for a clear answer.
    """
    forms = doc.tokens.forms[:SAMPLE]
    if _is_plain(forms, expected):
        return None
    identified = identify(forms)
    return None if identified is None or identified.code in expected else identified


def identify(forms: Sequence[str]) -> Identified | None:
    """Return the language of a sequence of words, or None if it is not clear."""
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


NARRATIVE_WORDS = frozenset(
    """
    stood eyes seemed upon voice looked round lay nor heart door face knew dark gone saw passed hands perhaps felt
    turned indeed came heard held began moment
    """.split()  # noqa: SIM905 - a list of words is easier to read than a list of strings
)
LEAST_NARRATIVE_SHARE = 0.01
"""The least share of these words in fiction."""
LEAST_NARRATIVE_LENGTH = 200
"""Shorter texts are never taken for fiction."""
NARRATIVE_SAMPLE = 2000
"""Number of tokens that are looked at."""


def narrative_share(doc: Document) -> float:
    """Return the share of narrative words among the first words of a document; 0 if it is too short."""
    words = [form.lower() for form in doc.tokens.forms[:NARRATIVE_SAMPLE] if form.isalpha()]
    return sum(word in NARRATIVE_WORDS for word in words) / len(words) if len(words) >= LEAST_NARRATIVE_LENGTH else 0.0


def is_fiction(doc: Document) -> bool:
    """Return whether a document looks like fiction."""
    return narrative_share(doc) >= LEAST_NARRATIVE_SHARE
