"""Edits as data, and the promise that any sequence of them undone gives the start again."""

from __future__ import annotations

import inspect
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coindex.document import Document, Token, Tokens
from coindex.document.edit_log import _CHECKS, EDITS, Edit, apply, apply_all, inverse
from coindex.document.edits import canonical
from coindex.document.validation import check
from coindex.errors import CoindexError, EditError, UnknownNameError
from edit_strategies import edits_of
from strategies import documents

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def over_wire(edit: Edit) -> Edit:
    return Edit.from_json(json.loads(json.dumps(edit.to_json())))


@settings(max_examples=150, deadline=None)
@given(documents(max_sentences=2, max_words=5), st.data())
def test_any_sequence_undone_gives_the_start_again(start: Document, data: st.DataObject) -> None:
    doc, history = start, []
    for _ in range(data.draw(st.integers(1, 8), label="length")):
        edit = data.draw(edits_of(doc), label="edit")
        try:
            after = apply(doc, edit)
        except EditError:
            continue
        history.append((doc, inverse(doc, edit)))
        doc = after
    for before, steps in reversed(history):
        doc = apply_all(doc, steps)
        assert doc == before
    assert doc == start


@settings(max_examples=150, deadline=None)
@given(documents(max_sentences=2, max_words=5), st.data())
def test_an_edit_keeps_the_document_valid_and_canonical(doc: Document, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 4), label="length")):
        edit = data.draw(edits_of(doc), label="edit")
        try:
            doc = apply(doc, edit)
        except EditError:
            continue
        assert [finding.message for finding in check(doc) if finding.severity == "error"] == []
        assert canonical(doc) == doc


@settings(max_examples=100, deadline=None)
@given(documents(max_sentences=2, max_words=4), st.data())
def test_an_edit_and_its_inverse_survive_json(doc: Document, data: st.DataObject) -> None:
    edit = data.draw(edits_of(doc))
    assert over_wire(edit) == edit
    try:
        steps = inverse(doc, edit)
    except EditError:
        return
    assert tuple(map(over_wire, steps)) == steps


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(EDITS)), st.data())
def test_arguments_of_any_kind_raise_nothing_but_our_errors(name: str, data: st.DataObject) -> None:
    doc = small()
    names = [parameter for parameter in inspect.signature(EDITS[name]).parameters if parameter != "doc"]
    likely = st.sampled_from(["e1", "e2", [0], [1], [[0]], ["e1", "e2"], 0, 1, {"a": "b"}, None])
    arguments = data.draw(st.dictionaries(st.sampled_from([*names, "doc", "x"]), likely | JSON))
    try:
        after = apply(doc, Edit(name, arguments))
    except CoindexError:
        return
    assert isinstance(after, Document)


def small() -> Document:
    tokens = Tokens([Token("1", "Ann"), Token("2", "saw"), Token("3", "her", space="")])
    doc = Document.from_sentences(tokens, [3])
    return apply_all(
        doc,
        [Edit("add_mention", {"positions": [0]}), Edit("add_mention", {"positions": [2], "entity": "e2"})],
    )


def test_every_edit_of_the_log_can_be_sent_and_has_a_docstring() -> None:
    assert len(EDITS) == 17
    for function in EDITS.values():
        parameters = list(inspect.signature(function).parameters.values())
        assert parameters[0].name == "doc"
        assert all(parameter.annotation in _CHECKS for parameter in parameters[1:]), function
        assert function.__doc__


def test_tuples_and_ranges_become_lists() -> None:
    assert Edit("add_mention", {"positions": range(2)}) == Edit("add_mention", {"positions": (0, 1)})
    assert Edit("add_mention", {"positions": range(2)}).to_json()["arguments"] == {"positions": [0, 1]}


def test_the_undo_of_a_merge_is_a_split_with_the_old_id() -> None:
    steps = inverse(small(), Edit("merge", {"into": "e1", "other": "e2"}))
    assert steps == (Edit("split", {"entity": "e1", "mentions": [[2]], "new_id": "e2"}),)


def test_the_undo_of_a_link_that_emptied_an_entity_makes_it_again() -> None:
    doc = apply(small(), Edit("set_entity", {"entity": "e2", "type": "person"}))
    edit = Edit("link", {"entity": "e2", "positions": [2], "to": "e1"})
    assert [step.name for step in inverse(doc, edit)] == ["unlink", "set_entity"]
    assert apply_all(apply(doc, edit), inverse(doc, edit)) == doc


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (Edit("add_mentoin", {}), "unknown edit 'add_mentoin'; did you mean add_mention"),
        (
            Edit("add_mention", {"position": [1]}),
            "unknown argument of add_mention 'position'; did you mean positions",
        ),
        (Edit("add_mention", {}), "add_mention needs the argument positions"),
        (Edit("add_mention", {"positions": 1}), "add_mention: positions is 1; expected a list of positions"),
        (Edit("add_mention", {"positions": [True]}), "expected a list of positions"),
        (Edit("add_mention", {"positions": [1.0]}), "expected a list of positions"),
        (
            Edit("set_entity", {"entity": "e1", "kind": "thing"}),
            "'thing' is not a kind; an entity is one of entity",
        ),
        (Edit("set_entity", {"entity": 1}), "set_entity: entity is 1; expected a string"),
        (Edit("split", {"entity": "e1", "mentions": [1]}), "expected a list of lists of positions"),
    ],
)
def test_operations_that_cannot_be_applied_give_a_reason(edit: Edit, message: str) -> None:
    with pytest.raises(CoindexError) as raised:
        apply(small(), edit)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "data", [None, [], {}, {"name": "link"}, {"name": 1, "arguments": {}}, {"name": "a", "arguments": []}]
)
def test_an_invalid_edit_is_refused(data: object) -> None:
    with pytest.raises(EditError):
        Edit.from_json(data)


def test_an_unknown_name_is_one_of_our_errors() -> None:
    with pytest.raises(UnknownNameError):
        inverse(small(), Edit("undo", {}))
