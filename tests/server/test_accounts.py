"""Users, sessions, links that work once; projects, members and assignments."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.orm import Session

from coindex.annotation_app import assignments, projects
from coindex.annotation_app.calls import find_caller
from coindex.annotation_app.models import DocumentRow, Layer, OperationRow
from coindex.document import Document
from coindex.errors import CoindexError
from coindex.server import accounts, models
from coindex.server.database import Store
from coindex.server.models import LoginSession, Membership, OneTimeLink, User
from store_samples import mark, small_project

PASSWORD = "a long password"


def test_a_password_is_checked_and_not_kept(store: Store) -> None:
    with store.write() as session:
        user = accounts.add_user(session, "Ann", PASSWORD)
        assert PASSWORD not in user.password
        assert user.password.startswith("$argon2id$")
    assert accounts.check_password(user, PASSWORD)
    assert not accounts.check_password(user, PASSWORD + " ")
    assert not accounts.check_password(None, PASSWORD)


@pytest.mark.parametrize("name", ["ann", "ANN", "Ａｎｎ"])
def test_names_that_look_the_same_are_equal(store: Store, name: str) -> None:
    with store.write() as session:
        accounts.add_user(session, "Ann", PASSWORD)
    with store.write() as session, pytest.raises(CoindexError, match="is already taken"):
        accounts.add_user(session, name, PASSWORD)


@pytest.mark.parametrize(
    ("name", "password"), [("", PASSWORD), ("a\0b", PASSWORD), ("x" * 61, PASSWORD), ("A", "short")]
)
def test_odd_names_and_short_passwords_are_refused(store: Store, name: str, password: str) -> None:
    with store.write() as session, pytest.raises(CoindexError):
        accounts.add_user(session, name, password)


def test_a_session_lives_until_it_ends_or_expires(store: Store) -> None:
    with store.write() as session:
        user = accounts.add_user(session, "Ann", PASSWORD)
        secret, late = accounts.start_session(session, user), accounts.start_session(session, user)
        session.get_one(LoginSession, accounts.hash_secret(late)).expires = datetime.now(UTC) - timedelta(seconds=1)
    with store.read() as session:
        assert session.get(LoginSession, secret) is None, "only its hash is kept"
        found = find_caller(session, secret)
        assert found is not None
        assert found.user.id == user.id
        assert find_caller(session, late) is None
    with store.write() as session:
        accounts.end_session(session, secret)
        assert find_caller(session, secret) is None


def test_a_locked_account_and_a_new_password_end_sessions(store: Store) -> None:
    with store.write() as session:
        accounts.add_user(session, "Root", PASSWORD, is_administrator=True)
        user = accounts.add_user(session, "Ann", PASSWORD)
        secret = accounts.start_session(session, user)
        accounts.set_password(session, user, PASSWORD + "2")
        assert find_caller(session, secret) is None
        secret = accounts.start_session(session, user)
        accounts.set_active(session, user, False)
        assert find_caller(session, secret) is None
    assert not accounts.check_password(user, PASSWORD + "2")


def test_the_last_administrator_stays(store: Store) -> None:
    with store.write() as session:
        root = accounts.add_user(session, "Root", PASSWORD, is_administrator=True)
        with pytest.raises(CoindexError, match="the last administrator"):
            accounts.set_active(session, root, False)
        accounts.add_user(session, "Other", PASSWORD, is_administrator=True)
        session.flush()
        accounts.set_active(session, root, False)


def test_the_set_up_link_works_once_and_only_the_newest(store: Store) -> None:
    with store.write() as session:
        first = accounts.setup_link(session)
        second = accounts.setup_link(session)
    assert first is not None
    assert second is not None
    with store.write() as session, pytest.raises(accounts.WrongLinkError):
        accounts.set_up(session, first, "Root", PASSWORD)
    with store.write() as session:
        assert accounts.set_up(session, second, "Root", PASSWORD).is_administrator
        assert accounts.setup_link(session) is None
    with store.write() as session, pytest.raises(accounts.WrongLinkError):
        accounts.set_up(session, second, "Again", PASSWORD)


def test_a_failed_set_up_does_not_use_the_link(store: Store) -> None:
    with store.write() as session:
        secret = accounts.setup_link(session)
    assert secret is not None
    with pytest.raises(CoindexError, match="passwords must have"), store.write() as session:
        accounts.set_up(session, secret, "Root", "short")
    with store.write() as session:
        accounts.set_up(session, secret, "Root", PASSWORD)


def test_an_invitation_grants_only_its_role(store: Store) -> None:
    sample = small_project(store)
    with store.write() as session:
        secret = accounts.make_link(session, "invitation", project=sample.project, role="annotator")
        with pytest.raises(accounts.WrongLinkError):
            accounts.reset_password(session, secret, PASSWORD)
        user = accounts.accept_invitation(session, secret, name="Bob", password=PASSWORD)
        assert _role(session, sample.project, user) == "annotator"
        with pytest.raises(accounts.WrongLinkError):
            accounts.accept_invitation(session, secret, name="Eve", password=PASSWORD)


def test_an_expired_link_does_nothing(store: Store) -> None:
    with store.write() as session:
        secret = accounts.make_link(session, "invitation")
        session.flush()
        session.get_one(OneTimeLink, accounts.hash_secret(secret)).expires = datetime.now(UTC) - timedelta(seconds=1)
        with pytest.raises(accounts.WrongLinkError):
            accounts.accept_invitation(session, secret, name="Bob", password=PASSWORD)


def test_roles_change_and_go(store: Store) -> None:
    sample = small_project(store)
    with store.write() as session:
        user = accounts.add_user(session, "Bob", PASSWORD)
        assert _role(session, sample.project, user) is None
        projects.set_role(session, sample.project, user.id, "viewer")
        projects.set_role(session, sample.project, user.id, "adjudicator")
        assert _role(session, sample.project, user) == "adjudicator"
        assert [role for _, role in projects.members(session, sample.project)] == ["manager", "adjudicator"]
        projects.set_role(session, sample.project, user.id, None)
        assert projects.projects_of(session, user) == []
        with pytest.raises(CoindexError, match="is not a role"):
            projects.set_role(session, sample.project, user.id, "owner")


def test_two_documents_of_one_name_are_refused(store: Store) -> None:
    sample = small_project(store)
    new = [Document.from_text("A.", id="new"), Document.from_text("B.", id="cats")]
    with pytest.raises(CoindexError, match="already has a document 'cats'"), store.write() as session:
        projects.add_documents(session, sample.project, new)
    with store.read() as session:
        assert [doc.name for doc in projects.documents(session, sample.project)] == ["cats"]


def test_an_assignment_from_open_to_done_and_back(store: Store) -> None:
    sample = small_project(store)
    yesterday = datetime.now(UTC) - timedelta(days=1)
    with store.write() as session:
        given = assignments.assign(session, sample.document, sample.user, deadline=yesterday)
        assert given.state == "open"
        assert assignments.overdue(session, sample.project) == [given]
        layer = assignments.begin(session, given)
        assert assignments.begin(session, given) is layer
        assert given.state == "started"
        assignments.finish(session, given)
        assert layer.is_closed
        assert assignments.overdue(session, sample.project) == []
        assignments.reopen(session, given)
        assert not layer.is_closed
        assignments.give_back(session, given)
        assert layer.is_closed
        again = assignments.assign(session, sample.document, sample.user)
        assert (again.id, again.state, again.deadline) == (given.id, "started", None)


def test_strangers_and_viewers_get_no_assignments(store: Store) -> None:
    sample = small_project(store)
    with store.write() as session:
        user = accounts.add_user(session, "Bob", PASSWORD)
        with pytest.raises(CoindexError, match="not an annotator of the project"):
            assignments.assign(session, sample.document, user.id)
        projects.set_role(session, sample.project, user.id, "viewer")
        with pytest.raises(CoindexError, match="not an annotator of the project"):
            assignments.assign(session, sample.document, user.id)


def test_deleting_a_document_takes_its_layers_and_never_gives_their_ids_again(store: Store) -> None:
    sample = small_project(store)
    store.layers.append(sample.layer, 0, [mark(0, 0)], client="a")
    with store.write() as session:
        session.delete(session.get_one(DocumentRow, sample.document))
    with store.write() as session:
        assert session.get(Layer, sample.layer) is None
        assert session.get(OperationRow, (sample.layer, 1)) is None
        (document,) = projects.add_documents(session, sample.project, [Document.from_text("New.", id="new")])
        assert document != sample.document
        assert projects.start_layer(session, document, name="x").id != sample.layer


def test_who_goes_leaves_the_work(store: Store) -> None:
    sample = small_project(store)
    store.layers.append(sample.layer, 0, [mark(0, 0)], client="a", user=sample.user)
    with store.write() as session:
        models.record(session, "something", user=sample.user, project=sample.project, why="a test")
        session.delete(session.get_one(User, sample.user))
    with store.read() as session:
        assert session.get_one(Layer, sample.layer).owner_id is None
        (entry,) = models.entries(session, project=sample.project)
        assert (entry.user_id, entry.detail) == (None, {"why": "a test"})
    assert len(store.layers.document_at(sample.layer).entities) == 1


def test_an_error_in_a_transaction_takes_all_of_it_back(store: Store) -> None:
    def work() -> None:
        with store.write() as session:
            accounts.add_user(session, "Ann", PASSWORD)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    with store.read() as session:
        assert accounts.users(session) == []


def test_times_come_back_in_utc(store: Store) -> None:
    with store.write() as session:
        id = accounts.add_user(session, "Ann", PASSWORD).id
    with store.read() as session:
        created = session.get_one(User, id).created
        assert created.tzinfo == UTC
        assert abs(datetime.now(UTC) - created) < timedelta(hours=1)


def _role(session: Session, project: int, user: User) -> str | None:
    found = session.get(Membership, (project, user.id))
    return None if found is None else found.role


def test_real_passwords_are_hashed_as_rfc_9106_recommends() -> None:
    """In a process of its own, since the tests have a quick hash."""
    code = "from coindex.server.accounts import hash_password; print(hash_password('a long password'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
