"""Languages: files that can be read, and the guess by frequent words."""

import tomllib
from importlib.resources import files

import pytest

from coindex import Document
from coindex.resolvers import linguistics
from coindex.resolvers.linguistics.languages import CODES, LISTS, SWITCHES, guess, language, language_of

TABLES = {"pronouns", "persons", "titles", "nicknames", "names"}


@pytest.mark.parametrize("code", CODES)
def test_a_file_has_only_keys_that_are_read(code):
    data = tomllib.loads(files(linguistics).joinpath(f"{code}.toml").read_text(encoding="utf-8"))
    assert set(data) <= {*LISTS, *SWITCHES, *TABLES}
    assert len(language(code).common) > 20


@pytest.mark.parametrize("code", CODES)
def test_words_are_in_lower_case(code):
    found = language(code)
    words = {*found.common, *found.speech, *found.persons, *found.titles, *found.names, *found.pronouns}
    assert words == {word.lower() for word in words}


def test_features_of_pronouns():
    assert language("en").pronouns["herself"]["Reflex"] == "Yes"
    assert language("en").persons["aunt"] == "Fem"
    assert language("en").persons["teacher"] == ""


def test_the_language_is_that_of_the_document():
    doc = Document.from_text("the of and to in that", language="fr-CA")
    assert language_of(doc).code == "fr"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("She put the letters on the table and went to the window of the room.", "en"),
        ("El alcalde dijo que no sabe nada de los planes para la nueva escuela.", "es"),
        ("Le maire dit que les plans pour la nouvelle école ne sont pas dans la liste.", "fr"),
        ("Starosta řekl, že nic o plánu na novou školu neví a že to je dobře.", "cs"),
        ("A polgármester azt mondta, hogy nem tud az új iskola tervéről, és ez volt a baj.", "hu"),
        ("Der Bürgermeister sagte, dass er von den Plänen für die neue Schule nichts weiß.", "de"),
    ],
)
def test_a_guess(text, code):
    assert language_of(Document.from_text(text)).code == code


def test_no_guess():
    assert guess([]) is None
    assert guess(["猫", "犬", "鳥"]) is None
    assert language_of(Document()).code == ""


def test_a_language_without_a_file_works_by_features():
    found = language("xx")
    assert found.gendered
    assert not found.common
