"""Names and codes of languages."""

from __future__ import annotations

from typing import Any

import pytest

from coindex import Document
from coindex.text.language_names import UnknownLanguageError, language_code, language_name


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("es", "es"),
        ("ES", "es"),
        ("spa", "es"),
        ("Spanish", "es"),
        ("spanish", "es"),
        (" Español ", "es"),
        ("espanol", "es"),
        ("castellano", "es"),
        ("ger", "de"),
        ("deu", "de"),
        ("Deutsch", "de"),
        ("русский", "ru"),
        ("日本語", "ja"),
        ("pt-BR", "pt-BR"),
        ("por_BR", "pt-BR"),
        ("ewe", "ee"),
        ("hbo", "hbo"),
        ("arn", "arn"),
        ("und", None),
        (None, None),
    ],
)
def test_codes_and_names(text: str | None, code: str | None) -> None:
    assert language_code(text) == code


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "xx",
            "^language: unknown language 'xx'; expected an ISO 639 code or a name, such as 'es' or 'Spanish'; check",
        ),
        ("Spansh", r"did you mean 'es' \(Spanish\)\?"),
        ("", "unknown language ''"),
        ("x" * 500, "unknown language 'x{59}…'"),
    ],
)
def test_unknown_languages(text: str, message: str) -> None:
    with pytest.raises(UnknownLanguageError, match=message):
        language_code(text)


@pytest.mark.parametrize("value", [5, b"es", ["es"]])
def test_arguments_that_are_not_text(value: Any) -> None:
    with pytest.raises(TypeError, match=r"language: .* expected a str such as"):
        language_code(value)


def test_names_of_codes() -> None:
    assert (language_name("de"), language_name("pt-BR"), language_name("arn")) == ("German", "Portuguese", "arn")


def test_every_code_is_its_own() -> None:
    """No name or code is that of two languages."""
    from coindex.text.language_names import _codes, _rows

    for code, codes, name, more in _rows():
        assert {language_code(text) for text in (code, *codes, name, *more)} == {code}
    assert len(_codes()) > 600


def test_documents_of_raw_text() -> None:
    assert Document.from_text("Hola.", language="Spanish").language == "es"
    with pytest.raises(UnknownLanguageError):
        Document.from_text("Hola.", language="xx")
