"""The genre of a document."""

from __future__ import annotations

import pytest

from coindex.document import Document
from coindex.document.documents import genre_of


@pytest.mark.parametrize(
    ("id", "genre"),
    [
        ("GUM_vlog_garden", "vlog"),
        ("GENTLE_poetry_hill", "poetry"),
        ("bc/hill/00/hill_0001", "bc"),
        ("nw:hill_0001", "nw"),
        ("GUM_vlog", None),
        ("GUM_Vlog_garden", None),
        ("faust_2010_07_es_14", None),
        ("2_1ecb", None),
        ("news/hill", None),
        ("", None),
        (None, None),
    ],
)
def test_ids_of_known_forms_name_a_genre(id: str | None, genre: str | None) -> None:
    assert genre_of(Document(id=id)) == genre


def test_metadata_takes_precedence_over_the_document_id() -> None:
    assert genre_of(Document(id="GUM_vlog_garden", genre="diary")) == "diary"
    assert genre_of(Document(id="GUM_vlog_garden", meta={"genre": "diary"})) == "diary"
    assert genre_of(Document(id="GUM_vlog_garden", meta={"meta::genre": " diary "})) == "diary"


def test_the_field_goes_before_the_metadata() -> None:
    assert genre_of(Document(genre="diary", meta={"genre": "letter"})) == "diary"


def test_an_empty_genre_is_none() -> None:
    assert genre_of(Document(genre=" ", meta={"genre": ""})) is None
    assert genre_of(Document(id="GUM_vlog_garden", genre="")) == "vlog"
