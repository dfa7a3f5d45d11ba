"""The step `attributes`: number, gender and animacy of entities."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import coindex
from coindex.resolvers.linguistics.languages import language
from coindex.resolvers.rules.attributes import add_attributes
from command import run
from marked_text import marked, tagged

SHE = {"number": "Sing", "gender": "Fem", "animacy": "Anim"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[Kim|e] ran. [She|e] won.", SHE),
        ("[Mary Lee|e] ran.", SHE),
        ("[Mrs. Ray|e] ran.", SHE),
        ("[The girl|e] ran.", SHE),
        ("[The doctor|e] ran.", {"number": "Sing", "animacy": "Anim"}),
        ("[The bank|e] sank. [It|e] closed.", {"number": "Sing", "gender": "Neut", "animacy": "Inan"}),
        ("[Ann and Bob|e] ran. [They|e] won.", {"number": "Plur", "animacy": "Anim"}),
        ("[The committee|e] met. [It|e] sat. [They|e] left.", {"gender": "Neut", "animacy": "Inan"}),
        ("[Alex|e] ran. [She|e] won. [He|e] left.", {"number": "Sing", "animacy": "Anim"}),
        ("[I|e] ran.", {"number": "Sing", "animacy": "Anim"}),
        ("[The lamp|e] fell.", {}),
    ],
)
def test_attributes(text: str, expected: dict[str, str]) -> None:
    (entity,) = marked(text).entities
    assert add_attributes(entity, language("en")).attributes == expected


def test_tags_and_given_attributes() -> None:
    (entity,) = tagged("Lamps NOUN 2 nsubj Number=Plur (e)\nfell VERB 0 root _").entities
    assert add_attributes(entity, language("en")).attributes == {"number": "Plur"}
    given = coindex.Entity("e", entity.mentions, attributes={"number": "Dual"})
    assert add_attributes(given, language("en")).attributes == {"number": "Dual"}


def test_in_a_chain_with_a_model(tmp_path: Path) -> None:
    """They reach Python, JSON and CSV."""
    text = "Mary Lee met John. She thanked him."
    doc = coindex.load("en-small + attributes")(text)
    assert doc.entities[0].attributes == SHE
    done = run("resolve", "-", "-r", "en-small + attributes", "--to", "json", "-q", input=text.encode())
    assert json.loads(done.out)["entities"][0]["attributes"] == SHE
    path = tmp_path / "story.csv"
    assert run("resolve", "-", "-r", "en-small + attributes", "-o", path, "-q", input=text.encode()).code == 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["text"], row["number"], row["gender"], row["animacy"]) for row in rows if row["entity"] == "e1"] == [
        ("Mary Lee", "Sing", "Fem", "Anim"),
        ("She", "Sing", "Fem", "Anim"),
    ]
