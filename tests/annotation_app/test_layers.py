"""Layers: revisions, conflicts, replays, undo and redo, snapshots."""

from __future__ import annotations

import json
import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select

from coindex.annotation_app import projects
from coindex.annotation_app.layers import Appended, Conflict, Layers, Operation, OperationError, replay
from coindex.annotation_app.models import Layer, OperationRow, Snapshot
from coindex.annotation_app.packing import pack, unpack
from coindex.document import Document
from coindex.document.edit_log import Edit, apply_all
from coindex.errors import CoindexError, EditError
from coindex.server.database import Store
from edit_strategies import edits_of
from store_samples import mark, small_project
from strategies import documents

UNDO, REDO = "undo", "redo"


def spans(doc: Document) -> set[tuple[str, tuple[int, ...]]]:
    return {(entity.id, mention.positions) for mention, entity in doc.mentions()}


@settings(max_examples=100)
@given(documents())
def test_a_packed_document_comes_back(doc: Document) -> None:
    assert unpack(pack(doc)) == doc


def test_what_is_appended_is_in_the_document(store: Store) -> None:
    layer = small_project(store).layer
    done = store.layers.append(layer, 0, [mark(0, 0), mark(1, 5, entity="e1")], client="a")
    assert isinstance(done, Appended)
    assert (done.revision, [step.revision for step in done.steps]) == (2, [1, 2])
    assert spans(store.layers.document_at(layer)) == {("e1", (0,)), ("e1", (5,))}
    assert spans(store.layers.document_at(layer, 1)) == {("e1", (0,))}
    assert spans(store.layers.document_at(layer, 0)) == set()


def test_an_old_base_is_a_conflict_and_stores_nothing(store: Store) -> None:
    layer = small_project(store).layer
    store.layers.append(layer, 0, [mark(0, 0)], client="a")
    assert store.layers.append(layer, 0, [mark(0, 1)], client="b") == Conflict(base=0, revision=1)
    assert spans(store.layers.document_at(layer)) == {("e1", (0,))}


def test_a_base_that_has_not_been_is_an_error(store: Store) -> None:
    layer = small_project(store).layer
    with pytest.raises(CoindexError, match=r"has no revision .* yet"):
        store.layers.append(layer, 3, [mark(0, 0)], client="a")


def test_operations_sent_again_count_once(store: Store) -> None:
    layer = small_project(store).layer
    store.layers.append(layer, 0, [mark(0, 0)], client="a")
    again = store.layers.append(layer, 0, [mark(0, 0), mark(1, 1)], client="a")
    assert isinstance(again, Appended)
    assert (again.revision, [step.revision for step in again.steps]) == (2, [1, 2])
    whole = store.layers.append(layer, 0, [mark(0, 0), mark(1, 1)], client="a")
    assert isinstance(whole, Appended)
    assert whole.revision == 2
    assert len(store.layers.document_at(layer).entities) == 2


def test_operations_resent_after_those_of_another_user_are_acknowledged_but_new_ones_conflict(store: Store) -> None:
    layer = small_project(store).layer
    store.layers.append(layer, 0, [mark(0, 0)], client="a")
    store.layers.append(layer, 1, [mark(0, 1)], client="b")
    again = store.layers.append(layer, 0, [mark(0, 0)], client="a")
    assert isinstance(again, Appended)
    assert again.revision == 1
    assert store.layers.append(layer, 0, [mark(0, 0), mark(1, 2)], client="a") == Conflict(base=1, revision=2)


def test_operations_sent_again_on_the_newest_revision_count_once(store: Store) -> None:
    """The client has read the log meanwhile, and does not see its own operation in it."""
    layer = small_project(store).layer
    first = store.layers.append(layer, 0, [mark(7, 0)], client="a")
    again = store.layers.append(layer, 1, [mark(7, 0)], client="a")
    assert again == first
    both = store.layers.append(layer, 1, [mark(7, 0), mark(8, 2)], client="a")
    assert isinstance(both, Appended)
    assert [step.sequence for step in both.steps] == [7, 8]
    assert [step.sequence for step in store.layers.log(layer)] == [7, 8]


def test_two_programs_with_one_database_see_each_others_work(store: Store) -> None:
    """What each has in memory is old as soon as the other writes."""
    layer = small_project(store).layer
    other = Layers(store.database)
    assert isinstance(store.layers.append(layer, 0, [mark(0, 0)], client="a"), Appended)
    assert isinstance(other.append(layer, 1, [mark(0, 2)], client="b"), Appended)
    assert store.layers.append(layer, 1, [mark(1, 4)], client="a") == Conflict(1, 2)
    assert isinstance(store.layers.append(layer, 2, [mark(1, 4)], client="a"), Appended)
    assert spans(store.layers.document_at(layer)) == spans(other.document_at(layer))
    assert len(spans(other.document_at(layer))) == 3


def test_a_number_already_used_for_another_operation_is_refused(store: Store) -> None:
    layer = small_project(store).layer
    store.layers.append(layer, 0, [mark(0, 0)], client="a")
    with pytest.raises(EditError, match="stored with other content"):
        store.layers.append(layer, 0, [mark(0, 1)], client="a")
    store.layers.append(layer, 1, [mark(1, 1)], client="a")
    with pytest.raises(EditError, match="has already sent later operations"):
        store.layers.append(layer, 0, [mark(0, 0)], client="a")


def test_one_edit_that_does_not_fit_stops_the_batch(store: Store) -> None:
    layer = small_project(store).layer
    with pytest.raises(OperationError, match="operation 6: position 99") as raised:
        store.layers.append(layer, 0, [mark(5, 0), mark(6, 99)], client="a")
    assert raised.value.sequence == 6
    assert store.layers.state(layer).revision == 0


@pytest.mark.parametrize("client", ["", "x" * 65, "ä", "a\nb"])
def test_odd_clients_are_refused(store: Store, client: str) -> None:
    with pytest.raises(EditError, match="invalid client id"):
        store.layers.append(small_project(store).layer, 0, [mark(0, 0)], client=client)


def test_operations_out_of_order_or_none_are_refused(store: Store) -> None:
    layer = small_project(store).layer
    for wrong in ([], [mark(1, 0), mark(1, 1)], [mark(2, 0), mark(1, 1)]):
        with pytest.raises(EditError):
            store.layers.append(layer, 0, wrong, client="a")


def test_half_a_character_is_refused(store: Store) -> None:
    layer = small_project(store).layer
    with pytest.raises(OperationError, match="lone surrogate"):
        store.layers.append(layer, 0, [mark(0, 0, entity="\ud800")], client="a")


def test_a_zero_byte_is_kept(store: Store) -> None:
    """PostgreSQL's texts cannot hold it, JSON can."""
    layer = small_project(store).layer
    store.layers.append(layer, 0, [mark(0, 0, entity="a\0b")], client="a")
    assert store.layers.document_at(layer).entities[0].id == "a\0b"


def test_undo_and_redo_follow_the_stack(store: Store) -> None:
    layer = small_project(store).layer
    kinds = [UNDO, UNDO, REDO, REDO, UNDO, UNDO, REDO]
    operations = [mark(0, 0), mark(1, 1), *(Operation(n, kind=kind) for n, kind in enumerate(kinds, 2))]  # type: ignore[arg-type]
    store.layers.append(layer, 0, operations, client="a")
    counts = [len(store.layers.document_at(layer, revision).entities) for revision in range(10)]
    assert counts == [0, 1, 2, 1, 0, 1, 2, 1, 0, 1]
    state = store.layers.state(layer)
    assert (state.can_undo, state.can_redo) == (True, True)
    store.layers.append(layer, 9, [mark(9, 2)], client="a")
    assert not store.layers.state(layer).can_redo


def test_nothing_to_undo_is_reported(store: Store) -> None:
    layer = small_project(store).layer
    for kind in (UNDO, REDO):
        with pytest.raises(OperationError, match=f"nothing to {kind}"):
            store.layers.append(layer, 0, [Operation(0, kind=kind)], client="a")  # type: ignore[arg-type]


def test_taking_over_undoes_the_others_and_can_be_undone(store: Store) -> None:
    layer = small_project(store).layer
    store.layers.append(layer, 0, [mark(0, 0)], client="a")
    store.layers.append(layer, 1, [mark(0, 1), mark(1, 2)], client="b")
    done = store.layers.append(layer, 1, [mark(1, 5)], client="a", take_over=True)
    assert isinstance(done, Appended)
    assert done.revision == 5
    assert {positions for _, positions in spans(store.layers.document_at(layer))} == {(0,), (5,)}
    again = store.layers.append(layer, 1, [mark(1, 5)], client="a", take_over=True)
    assert isinstance(again, Appended)
    assert again.revision == 5
    store.layers.append(layer, 5, [Operation(2, kind="undo"), Operation(3, kind="undo")], client="a")
    assert {positions for _, positions in spans(store.layers.document_at(layer))} == {(0,), (1,), (2,)}


def test_a_closed_layer_takes_nothing(store: Store) -> None:
    layer = small_project(store).layer
    with store.write() as session:
        session.get_one(Layer, layer).is_closed = True
    with pytest.raises(CoindexError, match="finished; reopen it"):
        store.layers.append(layer, 0, [mark(0, 0)], client="a")


def test_a_layer_that_is_not_there(store: Store) -> None:
    with pytest.raises(CoindexError, match="layer 77 does not exist"):
        store.layers.append(77, 0, [mark(0, 0)], client="a")


def fresh_layer(store: Store, doc: Document) -> int:
    """A layer of its own for an example, of a document with annotation."""
    with store.write() as session:
        project = projects.add_project(session, secrets.token_hex(8))
        (document,) = projects.add_documents(session, project.id, [doc])
        return projects.start_layer(session, document, name="all", with_entities=True).id


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), start=documents(max_sentences=2, max_words=5))
def test_any_operations_and_their_undo_through_the_store(store: Store, start: Document, data: st.DataObject) -> None:
    """The log gives the documents that the edits give, from any snapshot; undone it ends at the start."""
    layer, doc, states = fresh_layer(store, start), start, [start]
    for number in range(data.draw(st.integers(1, 10), label="length")):
        edits = data.draw(st.lists(edits_of(doc), min_size=1, max_size=2), label="edits")
        try:
            doc = apply_all(doc, edits)
        except EditError:
            continue
        done = store.layers.append(layer, len(states) - 1, [Operation(number, tuple(edits))], client="a")
        assert isinstance(done, Appended)
        states.append(doc)
    count = len(states) - 1
    others = Layers(store.database)  # knows nothing from before
    assert [others.document_at(layer, revision) for revision in range(count + 1)] == states
    back = [Operation(100 + number, kind="undo") for number in range(count)]
    forth = [Operation(200 + number, kind="redo") for number in range(count)]
    if count:
        store.layers.append(layer, count, [*back, *forth], client="a")
    later = [others.document_at(layer, revision) for revision in range(count, 3 * count + 1)]
    assert later == [*reversed(states), *states[1:]]


def test_snapshots_are_made_and_shorten_the_replay(store: Store) -> None:
    layer = small_project(store).layer
    for number in range(16):
        edit = Edit("set_entity", {"entity": "e1", "type": str(number)}) if number else None
        operation = mark(0, 0) if edit is None else Operation(number, (edit,))
        store.layers.append(layer, number, [operation], client="a")
    with store.read() as session:
        made = session.scalars(select(Snapshot.revision).where(Snapshot.layer_id == layer).order_by(Snapshot.revision))
        assert made.all() == [0, 7, 14]
    with store.write() as session:  # what is before the snapshot is not read
        session.execute(delete(OperationRow).where(OperationRow.layer_id == layer, OperationRow.revision <= 14))
    with store.read() as session:
        assert replay(session, layer, 16).entities[0].type == "15"
        with pytest.raises(CoindexError, match="restore a backup"):
            replay(session, layer, 13)


def test_many_at_once_on_one_layer_give_one_log(store: Store) -> None:
    """Each retries after its conflicts; nothing is lost and no revision is given twice."""
    layer = small_project(store).layer

    def work(client: str) -> None:
        for number in range(5):
            while True:
                base = store.layers.state(layer).revision
                step = Operation(number, (Edit("add_mention", {"positions": [0], "entity": f"{client}{number}"}),))
                if isinstance(store.layers.append(layer, base, [step], client=client), Appended):
                    break

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, "abcd"))
    assert [step.revision for step in store.layers.log(layer)] == list(range(1, 21))
    ids = {entity.id for entity in store.layers.document_at(layer).entities}
    assert ids == {f"{client}{number}" for client in "abcd" for number in range(5)}


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"sequence": "1", "edits": []},
        {"sequence": True, "kind": "undo"},
        {"sequence": -1, "kind": "undo"},
        {"sequence": 2**60, "kind": "undo"},
        {"sequence": 1},
        {"sequence": 1, "kind": "undo", "edits": [{"name": "link", "arguments": {}}]},
        {"sequence": 1, "kind": "delete"},
        {"sequence": 1, "edits": {}},
        {"sequence": 1, "edits": [1]},
        {"sequence": 1, "kind": "undo", "more": 1},
    ],
)
def test_an_invalid_operation_is_refused(data: object) -> None:
    with pytest.raises(EditError):
        Operation.from_json(data)


def test_an_operation_survives_json() -> None:
    for operation in (mark(3, 1, 2, entity="x"), Operation(4, kind="undo")):
        assert Operation.from_json(json.loads(json.dumps(operation.to_json()))) == operation
