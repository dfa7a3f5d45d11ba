"""Schemas: the ready ones, one's own with clear errors, and what a document lacks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.annotation.schemas import PRECO, READY, RUEVAL, Schema, SchemaError, check, parse_schema, ready_schema
from coindex.document import Document
from coindex.document.edits import add_mention, set_entity
from coindex.errors import CoindexError
from coindex.scoring.lenient import is_secondary

OWN: dict[str, Any] = {
    "title": "Birds",
    "types": ["person", "bird"],
    "attributes": [{"name": "func", "title": "Function", "values": ["def", "pred"]}, {"name": "note"}],
    "heads": True,
    "rules": ["Mark every bird."],
}


@pytest.mark.parametrize("name", READY)
def test_ready_schemas_come_back_from_json(name: str) -> None:
    assert Schema.from_json(json.loads(json.dumps(ready_schema(name).to_json()))) == READY[name]


def test_the_markables_of_rueval_are_those_that_the_scorer_knows() -> None:
    doc = Document.from_text("Ann is a doctor.")
    for func in {value for one in RUEVAL.attributes if one.name == "func" for value in one.values}:
        marked = add_mention(doc, [2, 3], head=3, attributes={"func": func})
        assert check(marked, RUEVAL) == []
        mention = marked.entities[0].mentions[0]
        assert is_secondary(mention, is_first=False) == (func in ("appo", "pred", "ds"))
        assert is_secondary(mention, is_first=True) == (func in ("appo", "pred", "ds", "indef"))
    assert {one.name for one in RUEVAL.attributes} == {"func", "str", "markable"}
    assert RUEVAL.heads
    assert PRECO.rules


def test_ones_own_schema() -> None:
    schema = parse_schema(json.dumps({**OWN, "name": "rueval"}))
    assert schema.name == "own", "it does not pass for a ready one"
    assert schema.types == ("person", "bird")
    assert schema.attributes[1].values == ()
    assert schema.to_json()["attributes"][0] == {"name": "func", "title": "Function", "values": ["def", "pred"]}
    assert Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": "red"}, r"the whole: 'colour'; expected one of the keys name, title, types"),
        ({"types": "bird"}, r"types: 'bird'; expected a list of at most 200"),
        ({"types": ["bird", 7]}, r"types, number 2: 7; expected a text of 1 to 100 characters"),
        ({"types": ["bird", "bird"]}, r"types: 'bird'; expected each value only once"),
        ({"types": ["b\nd"]}, r"types, number 1: .*on one line"),
        ({"heads": "yes"}, r"heads: 'yes'; expected true or false"),
        ({"attributes": [{"title": "x"}]}, r"attribute 1: no name; expected a name, a title and values"),
        (
            {"attributes": [{"name": "a"}, {"name": "a"}]},
            r"attribute 2, name: 'a'; expected a name that is not used yet",
        ),
        (
            {"attributes": [{"name": "a", "values": ["b,c"]}]},
            r"attribute 'a', values: 'b,c'; expected a value without a comma",
        ),
        ({"attributes": ["a"]}, r"attribute 1: 'a'; expected an object with name, title, values"),
        ({"rules": [""]}, r"rules, number 1: ''; expected a text of 1 to 2000"),
        ({"title": "x" * 101}, r"title: .*expected a text of 1 to 100"),
    ],
)
def test_errors_in_a_schema_are_reported_with_their_place(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        parse_schema(json.dumps({**OWN, **change}))


@pytest.mark.parametrize(
    ("text", "place"),
    [("{", "line 1 column 2"), ("[" * 100_000, "the whole"), ("7", "the whole"), ("7" * 5000, "the whole")],
)
def test_what_is_no_schema_at_all(text: str, place: str) -> None:
    with pytest.raises(SchemaError, match=place):
        parse_schema(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*OWN, "values", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_a_schema_or_a_clear_error(data: object) -> None:
    try:
        schema = Schema.from_json(data)
    except CoindexError:
        return
    assert Schema.from_json(schema.to_json()) == schema


def test_a_schema_of_that_name_is_not_known() -> None:
    with pytest.raises(CoindexError, match=r"unknown schema 'preko'; did you mean preco\?"):
        ready_schema("preko")


def test_what_a_document_lacks() -> None:
    doc = Document.from_text("Ann saw a bird. She fed it.")
    doc = add_mention(doc, [2, 3], entity="e1", attributes={"func": "odd", "own": "free"})
    doc = set_entity(add_mention(doc, [5], entity="e2"), "e2", type="cat")
    assert check(doc, parse_schema(json.dumps(OWN))) == [
        "sentence 1, 'a bird': no head; expected one for mentions longer than one word",
        "sentence 1, 'a bird': func 'odd'; expected def, pred",
        "sentence 2, 'She': the type 'cat'; expected person, bird",
    ]
    assert check(doc, READY["free"]) == []
