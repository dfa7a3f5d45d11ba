"""Assessments in the store: keys that stay hidden, attempts, who may work; and data from before there were any."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import select

from coindex.annotation_app import assessments, assignments, projects, work
from coindex.annotation_app.layers import open_store
from coindex.annotation_app.models import Assessment, Assignment, Attempt, Layer
from coindex.document import Document
from coindex.document.edits import add_mention
from coindex.errors import CoindexError
from coindex.server.database import Database, Store, list_revisions, migrate
from coindex.server.models import Membership
from store_samples import mark, plain_user

KEY = add_mention(Document.from_text("Ann saw a bird.", id="test"), [0], entity="ann")


class Class:
    """A project with two annotators, a document to do and a document with a key."""

    def __init__(self, store: Store, kind: str = "assessment") -> None:
        self.store = store
        with store.write() as session:
            self.project = projects.add_project(session, "Birds").id
            self.ann, self.bob = (plain_user(session, name) for name in ("Ann", "Bob"))
            for user in (self.ann, self.bob):
                projects.set_role(session, self.project, user, "annotator")
            texts = [Document.from_text("A bird sings.", id="work"), KEY]
            self.work, self.test = projects.add_documents(session, self.project, texts)
            self.assessment = assessments.make(session, self.test, kind, KEY).id

    def begin(self, user: int) -> Attempt:
        with self.store.write() as session:
            return assessments.begin(session, self.project, self.assessment, user)

    def hand_in(self, attempt: Attempt, *, passed: bool, revision: int = 0) -> bool:
        with self.store.write() as session:
            row = session.get_one(Attempt, attempt.id)
            return assessments.hand_in(
                session, row, revision=revision, score=0.9 if passed else 0.1, is_passed=passed, detail={"mark": 0.8}
            )

    def waiting(self) -> set[int]:
        with self.store.read() as session:
            return assessments.find_waiting(session, self.project)


def test_who_has_not_passed_gets_no_work_in_any_way(store: Store) -> None:
    one = Class(store)
    assert one.waiting() == {one.ann, one.bob}
    ways: list[Callable[..., object]] = [
        lambda session: assignments.assign(session, one.work, one.ann),
        lambda session: work.give(session, one.project, [(one.work, one.ann)]),
        lambda session: work.next_for(session, one.project, one.ann, at=assessments.now()),
    ]
    for way in ways:
        with pytest.raises(CoindexError), store.write() as session:
            way(session)
    assert one.hand_in(one.begin(one.ann), passed=True)
    assert one.waiting() == {one.bob}
    with store.write() as session:
        assert assignments.assign(session, one.work, one.ann).state == "open"


def test_who_fails_may_try_again_only_when_allowed(store: Store) -> None:
    one = Class(store)
    attempt = one.begin(one.ann)
    assert one.begin(one.ann).id == attempt.id, "the same until it is submitted"
    one.hand_in(attempt, passed=False)
    assert one.ann in one.waiting()
    with pytest.raises(CoindexError, match="already submitted this assessment"):
        one.begin(one.ann)
    with store.write() as session:
        again = assessments.allow_again(session, one.project, session.get_one(Attempt, attempt.id))
        assert assessments.allow_again(session, one.project, again).id == again.id
    assert again.number == 2
    assert one.begin(one.ann).id == again.id
    one.hand_in(again, passed=True)
    assert one.waiting() == {one.bob}


def test_a_new_key_of_a_seen_document_does_not_allow_another_attempt(store: Store) -> None:
    one = Class(store)
    one.hand_in(one.begin(one.ann), passed=False)
    with store.write() as session:
        one.assessment = assessments.make(session, one.test, "assessment", KEY).id
    with pytest.raises(CoindexError, match="already submitted this assessment"):
        one.begin(one.ann)


def test_tutorials_can_be_repeated_and_do_not_block_work(store: Store) -> None:
    one = Class(store, "tutorial")
    assert one.waiting() == set()
    first = one.begin(one.ann)
    one.hand_in(first, passed=False)
    assert one.begin(one.ann).number == 2


def test_managers_can_let_somebody_work_without_it(store: Store) -> None:
    one = Class(store)
    with store.write() as session:
        assessments.set_exempt(session, one.project, one.bob, True)
    assert one.waiting() == {one.ann}
    with store.write() as session, pytest.raises(CoindexError, match="not a member"):
        assessments.set_exempt(session, one.project, 999, True)


def test_the_key_is_shown_only_after_handing_in(store: Store) -> None:
    one = Class(store)
    attempt = one.begin(one.ann)
    with store.read() as session, pytest.raises(CoindexError, match="hidden until the attempt is submitted"):
        assessments.key_of(session, session.get_one(Attempt, attempt.id))
    assert attempt.layer_id is not None
    assert store.layers.document_at(attempt.layer_id).entities == (), "one begins with the text alone"
    one.hand_in(attempt, passed=True)
    with store.read() as session:
        assert assessments.key_of(session, session.get_one(Attempt, attempt.id)).entities == KEY.entities


def test_what_is_handed_in_is_what_was_scored(store: Store) -> None:
    one = Class(store)
    attempt = one.begin(one.ann)
    assert attempt.layer_id is not None
    store.layers.append(attempt.layer_id, 0, [mark(0, 0)], client="a")
    assert not one.hand_in(attempt, passed=True, revision=0), "an edit came in between"
    assert one.hand_in(attempt, passed=True, revision=1)
    with pytest.raises(CoindexError, match="already been submitted"):
        one.hand_in(attempt, passed=True, revision=1)
    with pytest.raises(CoindexError, match="is finished"):
        store.layers.append(attempt.layer_id, 1, [mark(1, 3)], client="a")


def test_assessments_are_no_real_work(store: Store) -> None:
    one = Class(store, "tutorial")
    with store.write() as session:
        assert [document.id for document in work.documents_to_deal(session, one.project)] == [one.work]
        with pytest.raises(CoindexError, match="an assessment or a tutorial"):
            assignments.assign(session, one.test, one.ann)
        assignments.assign(session, one.work, one.ann)
        with pytest.raises(CoindexError, match="assigned to an annotator"):
            assessments.make(session, one.work, "tutorial", KEY)
        with pytest.raises(CoindexError, match="the key has no entities"):
            assessments.make(session, one.test, "tutorial", Document.from_text("A bird."))
        with pytest.raises(CoindexError, match="choose one of tutorial, assessment"):
            assessments.make(session, one.test, "exam", KEY)


def test_ending_an_assessment_keeps_who_passed(store: Store) -> None:
    one = Class(store)
    one.hand_in(one.begin(one.ann), passed=True)
    with store.write() as session:
        assessments.end(session, one.test)
        assert assessments.of_project(session, one.project) == []
        assert assignments.assign(session, one.test, one.bob).state == "open", "nobody has to pass any more"
    with store.write() as session:
        session.execute(select(Assignment))
        projects.add_documents(session, one.project, [KEY.replace(id="second")])
        other = projects.documents(session, one.project)[0]
        assessments.make(session, other.id, "assessment", KEY)
    assert one.waiting() == {one.bob}


def test_data_from_before_there_were_assessments_come_through(place: str) -> None:
    """The rows are written as the first schema had them, without the models of today."""
    database = Database(place, bare=True)
    at = "'2026-01-02 03:04:05.000000'"
    blob = "x'00'" if database.is_sqlite else "'\\x00'"
    with database.write() as session:
        migrate(session.connection(), "old", to=list_revisions()[-1])
        for statement in (
            f"INSERT INTO users VALUES (5, 'Ann', 'ann', 'x', false, true, {at})",
            f"INSERT INTO projects VALUES (6, 'Cats', '', '{{}}', {at})",
            f"INSERT INTO memberships VALUES (6, 5, 'annotator', {at})",
            f"INSERT INTO documents VALUES (7, 6, 'a', {blob}, 4, 0, {at})",
            f"INSERT INTO documents VALUES (8, 6, 'b', {blob}, 5, 0, {at})",
            f"INSERT INTO layers VALUES (9, 7, 5, 'Ann', 'annotation', 0, true, false, {at})",
            f"INSERT INTO assignments VALUES (3, 7, 5, 9, 'done', NULL, {at}, {at})",
            f"INSERT INTO assignments VALUES (4, 8, 5, NULL, 'returned', NULL, {at}, {at})",
        ):
            session.connection().exec_driver_sql(statement)
    database.close()
    store = open_store(place)
    with store.write() as session:
        assert [(row.state, row.reason) for row in session.scalars(select(Assignment).order_by(Assignment.id))] == [
            ("done", None),
            ("returned", None),
        ]
        assert session.get_one(Membership, (6, 5)).is_exempt is False
        assert assessments.find_waiting(session, 6) == set()
        assert work.next_for(session, 6, 5, at=assessments.now()) is None, "what was returned is not offered again"
        session.add(Assessment(document_id=7, kind="tutorial", key={}))
        session.flush()
        session.delete(session.get_one(Layer, 9))
    store.close()
