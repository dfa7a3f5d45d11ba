"""Work: the queue, slots that only one gets, work that returns, dealing out, progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from threading import Barrier

import pytest

from coindex.annotation_app import assignments, projects, work
from coindex.annotation_app.models import Assignment, Layer
from coindex.annotation_app.projects import WorkRules, set_setting, set_work_rules, work_rules
from coindex.annotation_app.work import by_day, progress
from coindex.document import Document
from coindex.errors import CoindexError
from coindex.server import models
from coindex.server.database import Store
from coindex.server.models import Project
from store_samples import mark, plain_user

START = datetime(2030, 1, 1, tzinfo=UTC)


def day(number: float) -> datetime:
    return START + timedelta(days=number)


class Team:
    """A project with annotators and documents of one, two, three … words."""

    def __init__(self, store: Store, *, people: int = 3, documents: int = 3, rules: WorkRules | None = None) -> None:
        self.store = store
        with store.write() as session:
            self.project = projects.add_project(session, "Birds").id
            self.users = [plain_user(session, f"user {at}") for at in range(people)]
            for user in self.users:
                projects.set_role(session, self.project, user, "annotator")
            texts = [Document.from_text("bird " * at + "sings", id=f"text {at}") for at in range(documents)]
            self.documents = projects.add_documents(session, self.project, texts)
            set_work_rules(session, self.project, rules or WorkRules())

    def next(self, user: int, at: datetime = START) -> int | None:
        """The document that somebody gets next, begun."""
        with self.store.write() as session:
            found = work.next_for(session, self.project, self.users[user], at=at)
            if found is None:
                return None
            assignments.begin(session, found, at=at)
            return self.documents.index(found.document_id)

    def change(self, user: int, document: int, way: Callable[..., None], at: datetime = START) -> None:
        with self.store.write() as session:
            way(session, self._assignment(session, user, document), at=at)

    def state(self, user: int, document: int) -> tuple[str, str | None]:
        with self.store.read() as session:
            row = self._assignment(session, user, document)
            return row.state, row.reason

    def layer(self, user: int, document: int) -> int:
        with self.store.read() as session:
            found = self._assignment(session, user, document).layer_id
            assert found is not None
            return int(found)

    def _assignment(self, session, user: int, document: int) -> Assignment:  # type: ignore[no-untyped-def]
        wanted = {"document_id": self.documents[document], "user_id": self.users[user]}
        return session.query(Assignment).filter_by(**wanted).one()  # type: ignore[no-any-return]


# --- the queue


def test_open_assignments_come_before_new_ones(store: Store) -> None:
    team = Team(store)
    assert [team.next(0), team.next(0)] == [0, 0]
    team.change(0, 0, assignments.finish)
    assert team.next(0) == 1
    assert team.next(1) == 2
    assert team.next(2) is None, "each document is for one"


def test_documents_that_others_have_begun_come_first(store: Store) -> None:
    team = Team(store, rules=WorkRules(copies=2))
    assert [team.next(0), team.next(1), team.next(2)] == [0, 0, 1]
    team.change(0, 0, assignments.finish)
    assert team.next(0) == 1, "never a document that one has done"


def test_a_returned_document_goes_to_another_annotator(store: Store) -> None:
    team = Team(store, documents=1)
    assert team.next(0) == 0
    team.change(0, 0, assignments.give_back)
    assert team.state(0, 0) == ("returned", "handed back")
    assert team.next(0) is None
    assert team.next(1) == 0


def test_what_was_given_by_hand_comes_first_by_its_deadline(store: Store) -> None:
    team = Team(store)
    with store.write() as session:
        for document, deadline in ((0, None), (1, day(9)), (2, day(5))):
            assignments.assign(session, team.documents[document], team.users[0], deadline=deadline)
    assert team.next(0) == 2


def test_the_queue_sets_the_deadline_of_the_project(store: Store) -> None:
    team = Team(store, rules=WorkRules(deadline_days=3))
    team.next(0)
    with store.read() as session:
        assert work.in_hand(session, team.project)[0].deadline == day(3)


def test_the_queue_knows_documents_that_are_for_more_or_fewer(store: Store) -> None:
    team = Team(store, documents=3, rules=WorkRules(copies=1, exceptions=(("text 2", 2), ("text 1", 0))))
    with store.read() as session:
        assert work.free_slots(session, session.get_one(Project, team.project)) == 3
    assert team.next(0) == 0
    assert team.next(1) == 2
    assert team.next(2) == 2
    with store.read() as session:
        project = session.get_one(Project, team.project)
        assert work.free_slots(session, project) == 0
        found = progress(session, project, START)
    assert {document.name: document.copies for document in found.documents} == {"text 0": 1, "text 1": 0, "text 2": 2}


def test_two_who_ask_at_once_never_get_the_same_slot(store: Store) -> None:
    people = 8
    team = Team(store, people=people, documents=4, rules=WorkRules(copies=2))
    barrier = Barrier(people)

    def ask(user: int) -> int | None:
        barrier.wait()
        return team.next(user)

    with ThreadPoolExecutor(people) as pool:
        got = list(pool.map(ask, range(people)))
    assert Counter(got) == {0: 2, 1: 2, 2: 2, 3: 2}


def test_one_who_asks_twice_at_once_gets_one_document(store: Store) -> None:
    team = Team(store)
    barrier = Barrier(4)

    def ask(_: int) -> int | None:
        barrier.wait()
        return team.next(0)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(4))) == [0] * 4


# --- work that returns


def test_work_left_lying_returns_and_can_be_taken_up_again(store: Store) -> None:
    team = Team(store, documents=1, rules=WorkRules(idle_days=7))
    team.next(0)
    assert work.sweep(store, team.project, day(6.9)) == 0
    assert work.sweep(store, team.project, day(7.1)) == 1
    assert work.sweep(store, team.project, day(7.1)) == 0, "once is enough"
    assert team.state(0, 0) == ("returned", "no activity")
    layer = team.layer(0, 0)
    with pytest.raises(CoindexError, match="is finished"):
        store.layers.append(layer, 0, [mark(0, 0)], client="a")
    assert team.next(0, day(8)) == 0, "nobody else had taken it"
    assert team.layer(0, 0) == layer, "and nothing is lost"
    assert work.sweep(store, team.project, day(8)) == 0
    with store.read() as session:
        (entry,) = models.entries(session, project=team.project)
        assert (entry.action, entry.detail["reason"]) == ("returned", "no activity")


def test_an_edit_is_a_sign_of_life(store: Store) -> None:
    team = Team(store, rules=WorkRules(idle_days=7))
    team.next(0, at=datetime.now(UTC) - timedelta(days=30))
    assert len(store.layers.log(team.layer(0, 0))) == 0
    store.layers.append(team.layer(0, 0), 0, [mark(0, 0)], client="a")
    assert work.sweep(store, team.project, datetime.now(UTC)) == 0
    assert work.sweep(store, team.project, datetime.now(UTC) + timedelta(days=8)) == 1


def test_assignments_not_started_also_return_but_finished_ones_never(store: Store) -> None:
    team = Team(store, rules=WorkRules(idle_days=7))
    team.next(1)
    team.change(1, 0, assignments.finish)
    with store.write() as session:
        assignments.assign(session, team.documents[1], team.users[0], at=START)
        assignments.assign(session, team.documents[2], team.users[0], at=START, deadline=day(1))
    assert work.sweep(store, team.project, day(2)) == 1
    assert team.state(0, 2) == ("returned", "late")
    assert work.sweep(store, team.project, day(8)) == 1
    assert [team.state(0, 1), team.state(1, 0)] == [("returned", "no activity"), ("done", None)]


def test_a_project_may_let_work_lie(store: Store) -> None:
    team = Team(store, rules=WorkRules(idle_days=None))
    team.next(0)
    assert work.sweep(store, team.project, day(9999)) == 0


def test_a_late_document_that_another_annotator_took_stays_theirs(store: Store) -> None:
    team = Team(store, documents=1, rules=WorkRules(deadline_days=2))
    team.next(0)
    work.sweep(store, team.project, day(3))
    assert team.next(1, day(3)) == 0
    assert team.next(0, day(3)) is None
    with pytest.raises(CoindexError, match="was returned; request it again"):
        team.change(0, 0, assignments.finish)
    with store.read() as session, pytest.raises(CoindexError, match="was returned; request it again"):
        assignments.begin(session, team._assignment(session, 0, 0))
    with store.read() as session:
        assert session.get_one(Layer, team.layer(0, 0)).is_closed


# --- dealing out


def test_a_plan_creates_its_assignments(store: Store) -> None:
    team = Team(store)
    pairs = [(team.documents[0], team.users[0]), (team.documents[0], team.users[1])]
    with store.write() as session:
        assert work.give(session, team.project, pairs, deadline=day(4), at=START) == 2
        assert work.words_in_hand(session, team.project) == {team.users[0]: 1, team.users[1]: 1}
        first = work.documents_to_deal(session, team.project)[0]
        assert (first.copies, first.people) == (2, set(team.users[:2]))
    assert team.state(0, 0) == ("open", None)
    assert team.next(1) == 0


@pytest.mark.parametrize("who", ["stranger", "viewer", "twice", "other document"])
def test_a_plan_that_no_longer_fits_gives_nothing(store: Store, who: str) -> None:
    team = Team(store)
    with store.write() as session:
        stranger = plain_user(session, "Bob")
        if who == "viewer":
            projects.set_role(session, team.project, stranger, "viewer")
    user, document = (stranger, team.documents[1]) if who in ("stranger", "viewer") else (team.users[0], 0)
    pairs = [(team.documents[0], team.users[0]), (team.documents[0] if who == "twice" else document, user)]
    with pytest.raises(CoindexError, match="can no longer be assigned"), store.write() as session:
        work.give(session, team.project, pairs)
    with store.read() as session:
        assert work.in_hand(session, team.project) == []


# --- progress


def test_progress_of_documents_people_and_days(store: Store) -> None:
    team = Team(store, rules=WorkRules(copies=2, idle_days=None))
    team.next(0)
    team.change(0, 0, assignments.finish, day(1))
    team.next(0, day(1))
    team.change(0, 1, assignments.finish, day(3))
    team.next(1, day(3))
    with store.write() as session:
        assignments.assign(session, team.documents[2], team.users[2], deadline=day(2), at=day(0))
    with store.read() as session:
        found = progress(session, session.get_one(Project, team.project), day(4))
    assert found.words_wanted == 2 * (1 + 2 + 3)
    assert found.words_done == 3
    assert found.share("done") == 3 / 12
    assert [document.count("done") for document in found.documents] == [1, 1, 0]
    assert [(share.name, share.state) for share in found.documents[0].shares] == [
        ("user 0", "done"),
        ("user 1", "started"),
    ]
    assert [person.words.get("done", 0) for person in found.people] == [3, 0, 0]
    assert [person.late for person in found.people] == [0, 0, 1]
    assert by_day(found.done) == [(date(2030, 1, 2), 1), (date(2030, 1, 3), 1), (date(2030, 1, 4), 3)]


def test_who_leaves_stays_in_the_progress_of_documents(store: Store) -> None:
    team = Team(store)
    team.next(0)
    with store.write() as session:
        projects.set_role(session, team.project, team.users[0], None)
    with store.read() as session:
        found = progress(session, session.get_one(Project, team.project), START)
    assert found.documents[0].shares[0].name == "former member"
    assert len(found.people) == 2


# --- settings


def test_settings_of_different_parts_do_not_touch_each_other(store: Store) -> None:
    team = Team(store)
    barrier = Barrier(6)

    def change(number: int) -> None:
        barrier.wait()
        with store.write() as session:
            session.get_one(Project, team.project)  # read before it is locked, as pages do
            set_setting(session, team.project, f"part {number}", number)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(change, range(6)))
    with store.read() as session:
        project = session.get_one(Project, team.project)
        assert {f"part {number}" for number in range(6)} | {"work"} == set(project.settings)
        assert work_rules(project) == WorkRules()


@pytest.mark.parametrize("rules", [{"copies": 0}, {"copies": 21}, {"idle_days": 0}, {"deadline_days": -1}])
def test_rules_that_make_no_sense_are_refused(rules: dict[str, int]) -> None:
    with pytest.raises(CoindexError, match="expected 1 to"):
        WorkRules(**rules)  # type: ignore[arg-type]
