"""Differences between annotators, and the document that follows from decisions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotated import annotated, annotations, chains, text
from coindex.annotation.adjudication import KINDS, Comparison, adjudicate, compare, find_undecided
from coindex.document import Document
from coindex.document.validation import check
from coindex.errors import CoindexError, UnknownNameError

NAMES = ("Ada", "Ben", "Cleo", "Dan")


def compared(docs: list[Document]) -> Comparison:
    return compare(docs, NAMES[: len(docs)])


def all_of(comparison: Comparison, name: str | None) -> dict[str, str | None]:
    """Take one annotator's answer wherever there is one."""
    return {
        each.id: name
        for each in comparison.differences
        if name is None or any(name in option.annotators for option in each.options)
    }


def without_names(doc: Document) -> object:
    """All that a document says, entities named by their order."""
    names = {entity.id: number for number, entity in enumerate(doc.entities)}
    entities = [(each.mentions, each.type, each.kind, dict(each.attributes)) for each in doc.entities]
    bridges = {(b.anaphor.positions, names[b.entity], names[b.antecedent], b.relation) for b in doc.bridges}
    splits = [(each.anaphor.positions, sorted(names[id] for id in each.antecedents)) for each in doc.split_antecedents]
    return entities, bridges, splits


@settings(max_examples=40)
@given(annotations())
def test_whoever_takes_one_annotators_answers_gets_their_document(docs: list[Document]) -> None:
    comparison = compared(docs)
    for name, doc in zip(NAMES, docs, strict=False):
        assert without_names(adjudicate(comparison, all_of(comparison, name))) == without_names(doc)


@settings(max_examples=40)
@given(annotations(), st.data())
def test_any_decisions_give_a_valid_document(docs: list[Document], data: st.DataObject) -> None:
    comparison = compared(docs)
    choices = {}
    for each in comparison.differences:
        if data.draw(st.booleans()):
            names = [name for option in each.options for name in option.annotators]
            choices[each.id] = data.draw(st.none() | st.sampled_from(names))
    made = adjudicate(comparison, choices)
    assert [finding for finding in check(made) if finding.severity == "error"] == []
    assert made == adjudicate(comparison, choices)
    assert len(find_undecided(comparison, choices)) == len(comparison.differences) - len(choices)


@settings(max_examples=40)
@given(annotations())
def test_ids_are_unique_and_differences_in_reading_order(docs: list[Document]) -> None:
    found = compared(docs).differences
    assert len({each.id for each in found}) == len(found)
    assert [each.spot for each in found] == sorted(each.spot for each in found)
    for each in found:
        names = [name for option in each.options for name in option.annotators]
        assert len(set(names)) == len(names)
        assert len(each.options) > 1


@settings(max_examples=40)
@given(annotations())
def test_who_agrees_with_themselves_has_no_differences(docs: list[Document]) -> None:
    assert compared([docs[0]] * 3).differences == ()


@settings(max_examples=40)
@given(annotations(details=False))
def test_without_differences_annotations_are_the_same(docs: list[Document]) -> None:
    if not compared(docs).differences:
        assert all(chains(doc) == chains(docs[0]) for doc in docs)


def test_kinds_of_differences() -> None:
    base = text(9)
    one = annotated(base, {"x": [(0, 1), (4,)], "y": [(6,)], "z": [(8,)]})
    other = annotated(base, {"x": [(1,), (4,), (8,)], "y": [(5,)]})
    found = compare([one, other], ["Ada", "Ben"])
    assert [(each.id, each.kind) for each in found.differences] == [
        ("span:0-1/1", "span"),
        ("mention:5", "mention"),
        ("mention:6", "mention"),
        ("link:8", "link"),
    ]
    span, only_ben, only_ada, link = found.differences
    assert [(option.annotators, option.value) for option in span.options] == [(("Ada",), (0, 1)), (("Ben",), (1,))]
    assert [(option.annotators, option.value) for option in only_ben.options] == [(("Ada",), None), (("Ben",), (5,))]
    assert only_ada.positions == (6,)
    assert [(option.annotators, option.value) for option in link.options] == [(("Ada",), None), (("Ben",), (4,))]
    assert [each.kind for each in found.of_kind("link", "span")] == ["span", "link"]


def test_a_mention_of_one_alone_is_no_difference_of_links() -> None:
    """Ada's entity goes over a mention that Ben did not mark; both have the next one in the same entity."""
    base = text(9)
    one = annotated(base, {"x": [(0,), (3,), (6,)]})
    other = annotated(base, {"x": [(0,), (6,)]})
    assert [each.id for each in compare([one, other], ["Ada", "Ben"]).differences] == ["mention:3"]


def test_decisions_by_hand() -> None:
    base = text(9)
    one = annotated(base, {"x": [(0, 1), (4,)], "y": [(6,)], "z": [(8,)]})
    other = annotated(base, {"x": [(1,), (4,), (8,)], "y": [(5,)]})
    found = compare([one, other], ["Ada", "Ben"])
    choices = {"span:0-1/1": "Ben", "mention:5": None, "mention:6": "Ada", "link:8": "Ben"}
    assert chains(adjudicate(found, choices)) == {frozenset({(1,), (4,), (8,)}), frozenset({(6,)})}
    choices["link:8"] = None
    assert chains(adjudicate(found, choices)) == {frozenset({(1,), (4,)}), frozenset({(6,)}), frozenset({(8,)})}


def test_undecided_differences_go_to_most_annotators() -> None:
    base = text(6)
    docs = [annotated(base, {"x": [(0,), (3,)]}), annotated(base, {"x": [(0,)]}), annotated(base, {"x": [(0,)]})]
    found = compared(docs)
    assert chains(adjudicate(found, {})) == {frozenset({(0,)})}
    assert [each.id for each in find_undecided(found, {})] == ["mention:3"]


def test_details_differ() -> None:
    base = text(6)
    plain = annotated(base, {"x": [(0, 1), (3,)]})
    (entity,) = plain.entities
    mention = base.mention((0, 1), head=1, attributes={"role": "a"})
    rich = plain.replace(entities=(type(entity)("x", (mention, entity.mentions[1]), "person"),))
    found = compared([plain, rich])
    assert [each.kind for each in found.differences] == ["head", "attributes", "entity"]
    taken = adjudicate(found, {"head:0-1": "Ben", "attributes:0-1": None, "entity:0-1": "Ben"})
    assert [(m.head, dict(m.attributes)) for m in taken.entities[0].mentions] == [(1, {}), (None, {})]
    assert taken.entities[0].type == "person"


def test_wrong_decisions() -> None:
    base = text(6)
    found = compared([annotated(base, {"x": [(0,)]}), annotated(base, {})])
    with pytest.raises(UnknownNameError, match="unknown difference 'mention:9'; did you mean mention:0"):
        adjudicate(found, {"mention:9": "Ada"})
    with pytest.raises(UnknownNameError, match="unknown annotator at mention:0 'Bob'"):
        adjudicate(found, {"mention:0": "Bob"})


@pytest.mark.parametrize("names", [("Ada",), ("Ada", "Ada"), ("Ada", "Ben", "Cleo")])
def test_everyone_needs_a_name(names: tuple[str, ...]) -> None:
    with pytest.raises(CoindexError, match="at least two with distinct names"):
        compare([text(3)] * 2, names)


def test_kinds_are_reported() -> None:
    assert set(KINDS) == {"mention", "span", "link", "head", "attributes", "entity", "relation"}
