"""Pages: accounts and links, headers and cookies, limits, projects and their documents."""

from __future__ import annotations

import re

import pytest

from coindex.annotation_app import projects
from coindex.document import Document
from coindex.formats.registry import all_formats
from coindex.server import accounts
from coindex.server.database import Store
from coindex.server.models import User
from coindex.server.security import HEADERS, Limiter
from coindex.serving import app, setup_url
from web_world import BASE, PASSWORD, Browser, World


def link_in(text: str) -> str:
    found = re.search(rf'value="{BASE}(/[^"]+)"', text)
    assert found
    return found.group(1)


def test_from_the_set_up_link_to_an_annotator(store: Store) -> None:
    link = setup_url(store, BASE)
    assert link is not None
    root = Browser(app(store), base_url=BASE)
    root.see(link.removeprefix(BASE))
    assert root.submit(link.removeprefix(BASE), name="Root", password=PASSWORD, again=PASSWORD).status_code == 303
    root.see("/")
    project = root.submit("/projects", name="Cats & dogs", description="<b>bold</b>").headers["location"]
    assert "<b>bold" not in root.see(project)
    assert "Cats &amp; dogs" in root.see(project)
    invitation = link_in(root.post(f"{project}/invitations", data={"form_token": root.token, "role": "annotator"}).text)
    new = Browser(app(store), base_url=BASE)
    assert "as annotator" in new.see(invitation)
    assert new.submit(invitation, name="Ann", password=PASSWORD, again="another").status_code == 422
    assert new.submit(invitation, name="Ann", password=PASSWORD, again=PASSWORD).status_code == 303
    assert "Cats &amp; dogs" in new.see("/")
    assert new.get(invitation).status_code == 422, "it works once"
    assert setup_url(store, BASE) is None


def test_an_administrator_annotates_in_an_own_project(store: Store) -> None:
    link = setup_url(store, BASE)
    assert link is not None
    root = Browser(app(store), base_url=BASE)
    root.see(link.removeprefix(BASE))
    root.submit(link.removeprefix(BASE), name="Root", password=PASSWORD, again=PASSWORD)
    root.see("/")
    project = root.submit("/projects", name="Cats").headers["location"]
    with store.write() as session:
        projects.add_documents(session, int(project.rpartition("/")[2]), [Document.from_text("Ann slept.", id="d")])
    user = re.search(r'name="user">.*?<option value="(\d+)">Root', root.see(project), flags=re.DOTALL)
    assert user
    assert root.submit(f"{project}/assignments", document="all", user=user[1], deadline="").status_code == 303
    begin = re.search(rf'action="({project}/assignments/\d+/begin)"', root.see(project))
    assert begin
    editor = root.submit(begin[1]).headers["location"]
    assert root.get(editor).status_code == 200


def test_every_format_that_can_be_read_can_be_imported(world: World) -> None:
    page = world.browser("manager").see(f"/projects/{world.project}")
    imported, exported = (re.findall(r"<option[^>]*>(\w+)", part) for part in page.split('name="format"')[1:3])
    readable = {format.name for format in all_formats() if format.read}
    assert readable - {"table"} <= set(imported), "a table needs the name of a column"
    assert "korkor" not in exported


def test_somebody_with_an_account_joins_by_one_click(world: World) -> None:
    manager, stranger = world.browser("manager"), world.browser("stranger")
    path = f"/projects/{world.project}/invitations"
    invitation = link_in(manager.post(path, data={"form_token": manager.token, "role": "viewer"}).text)
    assert stranger.get(f"/projects/{world.project}").status_code == 404
    stranger.see(invitation)
    assert stranger.submit(invitation).status_code == 303
    assert stranger.get(f"/projects/{world.project}").status_code == 200


def test_a_wrong_password_looks_the_same_as_an_unknown_name(world: World) -> None:
    browser = world.browser()
    browser.see("/login")
    answers = []
    for name in ("manager", "nobody here"):
        response = browser.submit("/login", name=name, password="wrong wrong")
        assert response.status_code == 403
        answers.append(response.text.replace(name, ""))
    assert answers[0] == answers[1]


def test_after_ten_tries_one_has_to_wait(world: World) -> None:
    browser = world.browser()
    browser.see("/login")
    codes = [browser.submit("/login", name="manager", password="wrong wrong").status_code for _ in range(11)]
    assert codes == [403] * 10 + [429]
    last = browser.submit("/login", name="Manager", password=PASSWORD)
    assert last.status_code == 429, "also with another spelling and the right password"
    assert int(last.headers["retry-after"]) > 0
    assert browser.submit("/login", name="viewer", password=PASSWORD).status_code == 303


def test_a_limiter_forgets_with_time_and_on_request() -> None:
    limiter = Limiter(1, 0.0)
    assert [limiter.wait("a"), limiter.wait("a")] == [0, 0]
    limiter = Limiter(1, 1000)
    assert [limiter.wait("a") > 0, limiter.wait("a") > 0, limiter.wait("b") > 0] == [False, True, False]
    limiter.forget("a")
    assert limiter.wait("a") == 0
    small = Limiter(1, 1000, keys=1)
    assert [small.wait("a"), small.wait("b"), small.wait("a")] == [0, 0, 0], "it keeps no more than so many keys"


@pytest.mark.parametrize("path", ["/login", "/nowhere", "/static/style.css", "/static/none", "/", "/projects/1/x"])
def test_every_answer_has_the_guarding_headers(world: World, path: str) -> None:
    response = world.browser().get(path, follow_redirects=False)
    for name, value in HEADERS.items():
        assert response.headers[name] == value
    assert "unsafe" not in response.headers["content-security-policy"]


def test_pages_have_nothing_inline(world: World) -> None:
    browser = world.browser("manager")
    paths = ["/", "/account", f"/projects/{world.project}", world.layer_path("manager", "/edit")]
    for path in paths:
        text = browser.see(path)
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text), path
        assert "http://" not in text.replace(BASE, "")
        assert "https://" not in text


def test_cookies_are_guarded(world: World) -> None:
    browser = world.browser()
    browser.see("/login")
    cookie = browser.submit("/login", name="viewer", password=PASSWORD).headers["set-cookie"].lower()
    assert cookie.startswith("coindex-session=")
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie
    safe = Browser(world.app, base_url="https://testserver")
    page = safe.get("/login")
    assert "max-age" in page.headers["strict-transport-security"]
    safe.keep_token(page.text)
    cookie = safe.submit("/login", name="viewer", password=PASSWORD).headers["set-cookie"]
    assert cookie.startswith("__Host-coindex-session=")
    assert "Secure" in cookie
    assert "Path=/" in cookie


@pytest.mark.parametrize("path", ["//evil.example", "https://evil.example", "/\\evil.example", "evil", "/a\nb"])
def test_login_does_not_redirect_to_other_sites(world: World, path: str) -> None:
    browser = world.browser()
    browser.see("/login")
    response = browser.submit("/login", name="viewer", password=PASSWORD, next=path)
    assert response.headers["location"] == "/"


def test_a_locked_account_is_out_at_once(world: World) -> None:
    root, viewer = world.browser("administrator"), world.browser("viewer")
    assert root.submit(f"/users/{world.users['viewer']}/active", active="no").status_code == 303
    assert viewer.get("/", follow_redirects=False).status_code == 303
    own = root.submit(f"/users/{world.users['administrator']}/active", active="no")
    assert "last administrator" in own.text


def test_a_password_link_sets_a_password_and_ends_sessions(world: World) -> None:
    root, viewer = world.browser("administrator"), world.browser("viewer")
    page = root.post(f"/users/{world.users['viewer']}/password", data={"form_token": root.token})
    link = link_in(page.text)
    other = world.browser()
    other.see(link)
    new = "another long password"
    assert other.submit(link, password=new, again=new).status_code == 303
    assert viewer.get("/", follow_redirects=False).status_code == 303
    with world.store.read() as session:
        assert accounts.check_password(session.get(User, world.users["viewer"]), new)


def test_changing_ones_own_password_needs_the_old_one(world: World) -> None:
    browser = world.browser("viewer")
    new = "another long password"
    assert browser.submit("/account/password", old="wrong", password=new, again=new).status_code == 422
    assert browser.submit("/account/password", old=PASSWORD, password=new, again=new).status_code == 303
    world.browser().login("viewer", new)


def test_members_and_assignments(world: World) -> None:
    manager = world.browser("manager")
    path = f"/projects/{world.project}"
    assert manager.submit(f"{path}/members/{world.users['viewer']}", role="annotator").status_code == 303
    given = {"document": "all", "user": str(world.users["viewer"]), "deadline": "2099-01-31"}
    assert manager.submit(f"{path}/assignments", **given).status_code == 303
    assert ">2099-01-31</time>" in manager.see(path)
    assert "is in the past" in manager.submit(f"{path}/assignments", **given | {"deadline": "2020-01-31"}).text
    assert manager.submit(f"{path}/assignments", **given | {"deadline": "soon"}).status_code == 422
    assert manager.submit(f"{path}/assignments", **given | {"document": "999"}).status_code == 422
    assert manager.submit(f"{path}/members/{world.users['stranger']}", role="viewer").status_code == 422
    annotator = world.browser("viewer")
    begin = re.search(rf"{path}/assignments/\d+/begin", annotator.see(path))
    assert begin
    edit = annotator.submit(begin.group()).headers["location"]
    assert edit.endswith("/edit")
    assert 'type="module" src="/static/editor.js"' in annotator.see(edit)
    assert manager.submit(f"{path}/members/{world.users['viewer']}", role="none").status_code == 303
    assert annotator.get(edit).status_code == 404


def test_a_document_is_deleted_only_by_its_name(world: World) -> None:
    manager = world.browser("manager")
    path = f"/projects/{world.project}/documents/{world.document}/delete"
    assert manager.submit(path, name="dogs").status_code == 422
    assert manager.submit(path, name="cats").status_code == 303
    assert "No documents yet" in manager.see(f"/projects/{world.project}")


@pytest.mark.parametrize("tail", ["", "/documents/1/layers/1/data", "/progress"])
def test_numbers_that_no_database_takes_are_not_there(world: World, tail: str) -> None:
    assert world.browser("administrator").get(f"/projects/{10**19}{tail}").status_code == 404


def test_an_error_of_ours_shows_no_inside(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a secret inside")

    monkeypatch.setattr(accounts, "users", fail)
    response = world.browser("administrator").get("/users")
    assert response.status_code == 500
    assert "secret" not in response.text
