"""Texts in a language that a resolver does not support: warnings, errors, and texts that are accepted."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import coindex
from coindex import Document
from coindex.corpora.resolving import ResolveSettings, resolve_documents
from coindex.errors import CoindexError, DataWarning
from coindex.resolvers import defaults
from coindex.resolvers.defaults import LanguageWarning
from coindex.resolvers.linguistics import languages
from coindex.resolvers.linguistics.languages import identify, other_language
from command import run

CZECH = "Jana ztratila klíč. Hledala ho celý den, ale nenašla ho."
GERMAN = "Anna verlor ihren Schlüssel. Sie suchte ihn den ganzen Tag und fand ihn nicht."
SPANISH = "Ana perdió la llave. La buscó todo el día, pero no la encontró."
PORTUGUESE = "A Ana perdeu a chave. Ela procurou o dia inteiro, mas não a encontrou."
JAPANESE = "彼は東京に行きました。そこで働いています。"
RUSSIAN = "Анна потеряла ключ. Она искала его весь день."
ENGLISH = "Ann lost her key. She looked for it."

ODD_ENGLISH = [
    "",
    "Hello",
    "OK",
    "No.",
    "Berlin",
    "Barack Obama",
    "Angela Merkel, Emmanuel Macron, Pedro Sánchez, Giorgia Meloni",
    "Paris, London, Rome, Madrid, Lisbon, Vienna",
    "Ann slept.",
    "I met Jan.",
    "Anna met Pavel in Brno.",
    "Don Quixote de la Mancha",
    "El Niño is coming.",
    "Die Hard is a movie.",
    "Der Spiegel reported it.",
    "pasta al forno, tiramisu, gelato",
    "milk\neggs\nbread\nbutter\nsalt",
    "lol omg u r gr8 @anna #yolo",
    "hiya bestie, c u l8r xoxo",
    "def f(x):\n    return [y + 1 for y in x]",
    "SELECT name FROM users WHERE id = 3 ORDER BY name;",
    "https://example.com/a/b?c=d",
    "ERROR 404 not found",
    "1 2 3 4 5 6 7 8 9 10 11 12",
    "GOOG +1.2% AAPL -0.4% MSFT +0.1%",
    "😀😀😀",
    "résumé, café, naïve",
    "Wait… what?!",
]


def doc(text: str, **fields: str) -> Document:
    return Document.from_text(text, **fields)


@pytest.mark.parametrize(
    ("text", "code"),
    [(CZECH, "cs"), (GERMAN, "de"), (SPANISH, "es"), (PORTUGUESE, "pt"), (JAPANESE, "ja"), (RUSSIAN, "ru")],
)
def test_languages_are_identified(text: str, code: str) -> None:
    found = other_language(doc(text), ("en",))
    assert found is not None
    assert found.code == code
    assert 0.5 <= found.probability <= 1
    assert other_language(doc(text), ("en", code)) is None


@pytest.mark.parametrize("text", [*ODD_ENGLISH, ENGLISH])
def test_no_false_alarm(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # of an empty text
        coindex.load("en-small")(text)
    assert defaults.choose(doc(text)).resolver in (
        defaults.default_for("en"),
        "are-baseline",
    )  # the latter for emoji alone


def test_plain_english_is_not_shown_to_the_identifier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "identify", lambda forms: pytest.fail("not needed"))
    assert other_language(doc(ENGLISH), ("en",)) is None


def test_little_text_is_not_identified() -> None:
    assert identify(["Guten", "Tag"]) is None
    assert identify([]) is None


def test_a_warning_names_the_language_and_what_fits() -> None:
    with pytest.warns(LanguageWarning) as warned:
        coindex.load("en-small")(doc(GERMAN, id="brief"))
    (only,) = warned
    assert isinstance(only.message, LanguageWarning)
    assert (only.message.language, only.message.count, only.message.languages) == ("de", 1, ("en",))
    said = str(only.message)
    assert said.startswith("brief: the text looks German (")
    assert "; en-small is for English; for German use xx-ud with dependency trees" in said
    assert "parser='spacy(de_core_news_sm)' (pip install 'coindex[spacy]' && python -m spacy download" in said
    assert said.endswith("; if it is English, specify language='en'")


def test_several_documents_give_one_warning_for_each_language() -> None:
    texts = [doc(GERMAN, id=f"g{number}") for number in range(3)] + [doc(CZECH, id="c"), doc(ENGLISH, id="e")]
    with pytest.warns(LanguageWarning) as warned:
        assert len(list(coindex.load("en-small").pipe(texts))) == 5
    german, czech = (str(warning.message) for warning in warned)
    assert german.startswith("3 documents look German (the first: g0); en-small is for English")
    assert czech.startswith("c: the text looks Czech (")


def test_the_count_is_that_of_all_processes() -> None:
    texts = [doc(GERMAN, id=f"g{number}") for number in range(20)]
    with pytest.warns(LanguageWarning, match="20 documents look German") as warned:
        list(resolve_documents(texts, ResolveSettings(resolver="en-small"), workers=2))
    assert len(warned) == 1


def test_a_given_language_is_believed() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        coindex.load("en-small", language="en")(GERMAN)
        coindex.load("en-small")(doc(GERMAN, language="English"))
    with pytest.warns(LanguageWarning, match="document: the language is German; en-small is for English; for German"):
        coindex.load("en-small", language="German")("Hallo.")
    with pytest.warns(LanguageWarning, match="d: the language is Spanish"):
        coindex.load("en-small")(doc("Hola.", id="d").replace(language="spa"))


def test_resolvers_for_any_language_identify_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "other_language", lambda doc, expected: pytest.fail("not needed"))
    assert coindex.load("singleton", mentions="given")(GERMAN).text == GERMAN


def test_an_unknown_language_of_a_document_is_reported() -> None:
    odd = doc("Ann left. She waved.", id="odd").replace(language="xx")
    message = "odd: unknown language 'xx'; expected an ISO 639 code .*; the document is resolved without a language"
    with pytest.warns(DataWarning, match=message):
        assert defaults.choose(odd).resolver == defaults.default_for("en")
    with pytest.warns(DataWarning, match=message):
        assert coindex.load("are-baseline")(odd).entities


@pytest.mark.parametrize(
    ("text", "name", "parser"),
    [
        (SPANISH, r"Spanish \(es\)", "parser='spacy\\(es_core_news_sm\\)'"),
        (PORTUGUESE, r"Portuguese \(pt\)", "parser='spacy\\(pt_core_news_sm\\)'"),
        (RUSSIAN, r"Russian \(ru\)", "parser='natasha'"),
        (JAPANESE, r"Japanese \(ja\)", "parser='spacy\\(ja_core_news_sm\\)'"),
        (CZECH, r"Czech \(cs\)", "parser='spacy\\(MODEL\\)'"),
    ],
)
def test_no_resolver_is_chosen_for_a_text_that_none_fits(text: str, name: str, parser: str) -> None:
    with pytest.raises(CoindexError, match=f"^d: the language is {name} and there is no dependency tree.*{parser}"):
        defaults.choose(doc(text, id="d"))


def test_collections_in_other_languages() -> None:
    assert defaults.choose_cross([doc(ENGLISH)]) == "en-cross"
    assert defaults.choose_cross([doc(PORTUGUESE)]) == "cross"


# --- the command line


def test_the_command_warns(tmp_path: Path) -> None:
    done = run("resolve", "-", "-r", "en-small", "--to", "json", input=GERMAN.encode())
    assert done.code == 0
    shown, warning = done.err.splitlines()
    assert shown.startswith("resolver: en-small, scheme gum")
    assert warning.startswith("warning: stdin: the text looks German (")
    assert "parse the text with --parser 'spacy(de_core_news_sm)' (pip install" in done.err
    assert "; if it is English, specify --language en" in done.err
    quiet = run("resolve", "-", "-r", "en-small", "--language", "english", "--to", "json", input=GERMAN.encode())
    assert (quiet.code, quiet.err.splitlines()) == (0, [shown])


def test_the_command_fails_if_no_resolver_fits() -> None:
    done = run("resolve", "-", input=SPANISH.encode())
    assert done.code == 2
    assert done.err.startswith("error: stdin: the language is Spanish (es) and there is no dependency tree")
    assert "--parser 'spacy(es_core_news_sm)'" in done.err
    assert "choose a resolver with -r NAME" in done.err


@pytest.mark.parametrize("jobs", [1, 2])
def test_folders_give_one_warning(tmp_path: Path, jobs: int) -> None:
    (tmp_path / "in").mkdir()
    for number in range(7):
        (tmp_path / "in" / f"t{number}.txt").write_text(GERMAN if number else ENGLISH, encoding="utf-8")
    done = run("resolve", tmp_path / "in", "-r", "en-small", "-o", tmp_path / "out/", "--jobs", jobs)
    assert done.code == 0
    (line,) = [line for line in done.err.splitlines() if line.startswith("warning")]
    assert line.startswith("warning: 6 documents look German (the first: t1); en-small is for English")
    assert "--parser 'spacy(de_core_news_sm)'" in line


@pytest.mark.parametrize("language", ["es", "spa", "Spanish", "ESPAÑOL"])
def test_languages_by_name(language: str) -> None:
    done = run("resolve", "-", "--language", language, input=b"Hola.")
    assert (done.code, "the language is Spanish (es)" in done.err) == (2, True)


@pytest.mark.parametrize("verb", [("resolve", "-"), ("evaluate", "sieves", "-")])
def test_unknown_languages_on_the_command_line(verb: tuple[str, ...]) -> None:
    done = run(*verb, "--language", "xx", input=b"Hola.")
    assert done.code == 2
    assert (
        "--language': unknown language 'xx'; expected an ISO 639 code or a name, such as 'es' or 'Spanish'" in done.err
    )
