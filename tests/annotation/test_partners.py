"""Entities of several annotators that get one number."""

from __future__ import annotations

from coindex.annotation.adjudication import number_entities
from coindex.document import Document
from coindex.document.edit_log import Edit, apply_all

TEXT = Document.from_text("Ann saw Tom and Kim . She waved .")


def version(**entities: list[int]) -> Document:
    marks = [(at, entity) for entity, positions in entities.items() for at in positions]
    return apply_all(TEXT, [Edit("add_mention", {"positions": [at], "entity": entity}) for at, entity in marks])


def test_an_entity_has_the_number_of_the_one_it_shares_most_with() -> None:
    one = version(ann=[0, 6], tom=[2])
    other = version(x=[2], y=[0, 6])
    assert number_entities([one, other]) == [{"ann": 1, "tom": 2}, {"x": 2, "y": 1}]


def test_two_of_one_document_never_share_a_number() -> None:
    """The larger part of what was split keeps the number, the rest gets a new one."""
    one = version(ann=[0, 4, 6])
    other = version(a=[0], b=[4, 6])
    assert number_entities([one, other]) == [{"ann": 1}, {"b": 1, "a": 2}]


def test_what_only_a_later_one_has_is_known_to_those_after_it() -> None:
    assert number_entities([version(), version(t=[2]), version(tom=[2])]) == [{}, {"t": 1}, {"tom": 1}]
