"""Import in two steps, and what is exported read back the same."""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path

import pytest
from httpx2 import Response
from hypothesis import HealthCheck, given, settings

import coindex
from coindex.document import Document
from coindex.document.edits import canonical
from coindex.formats.archives import Unpacker
from coindex.store import Store, open_store, projects
from strategies import documents
from web_team import Team, make_team, spans
from web_world import Browser

LONG = " ".join(f"word{number} is here and there ." for number in range(20))


@pytest.fixture
def team(store: Store) -> Team:
    return make_team(store, [LONG])


@pytest.fixture
def max_(team: Team) -> Browser:
    browser = team.browser("Max")
    browser.see("/")
    return browser


def upload(team: Team, browser: Browser, docs: list[Document], format: str = "json") -> Response:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.json"
        coindex.write(docs, path, format)
        content = path.read_bytes()
    return browser.post(
        f"{team.base}/imports",
        data={"form_token": browser.token, "format": format},
        files={"files": ("in.json", content)},
        follow_redirects=False,
    )


def stored(team: Team) -> dict[str, Document]:
    with team.store.read() as session:
        infos = projects.documents(session, team.project)
        return {info.name: projects.imported_document(session, info.id) for info in infos}


def text(id: str, content: str) -> Document:
    return Document.from_text(content, id=id)


def test_nothing_is_stored_before_it_is_confirmed(team: Team, max_: Browser) -> None:
    answer = upload(team, max_, [text("new", "Something else .")])
    assert answer.status_code == 303, answer.text
    page = answer.headers["location"]
    assert "Nothing is stored yet" in max_.see(page)
    assert set(stored(team)) == {"d1"}
    assert max_.submit(page, confirmed="yes").status_code == 303
    assert set(stored(team)) == {"d1", "new"}
    answer = max_.submit(page, confirmed="yes")
    assert (answer.status_code, "no longer waits" in answer.text) == (422, True)


def test_it_can_be_given_up(team: Team, max_: Browser) -> None:
    page = upload(team, max_, [text("new", "Something else .")]).headers["location"]
    max_.submit(page, confirmed="no")
    assert set(stored(team)) == {"d1"}


def test_near_duplicates_in_the_upload_and_in_the_project(team: Team, max_: Browser) -> None:
    other = " ".join(f"thing{number} was long ago ." for number in range(20))
    docs = [
        text("part", LONG[:-30]),
        text("other", other),
        text("copy", other.replace("thing3", "thing999")),
        text("fresh", "Nothing like that ."),
    ]
    page = upload(team, max_, docs).headers["location"]
    shown = max_.see(page)
    rows = re.findall(r'<tr><th scope="row">(\w+)</th><td>(\w+)</td><td class="number">([\d.]+) %</td>', shown)
    assert {(one, other) for one, other, _ in rows} == {("part", "d1"), ("copy", "other")}
    dropped = dict.fromkeys(re.findall(r'name="(drop \d+)" value="yes" checked', shown), "yes")
    assert list(dropped) == ["drop 0", "drop 2"]
    max_.submit(page, confirmed="yes", **dropped)
    assert set(stored(team)) == {"d1", "other", "fresh"}


def test_a_near_duplicate_may_stay(team: Team, max_: Browser) -> None:
    page = upload(team, max_, [text("part", LONG[:-30])]).headers["location"]
    max_.submit(page, confirmed="yes")
    assert set(stored(team)) == {"d1", "part"}


def test_the_longer_one_comes_in_and_the_page_says_so(team: Team, max_: Browser) -> None:
    page = upload(team, max_, [text("more", LONG + " And the end .")]).headers["location"]
    shown = max_.see(page)
    assert 'd1 <span class="tag">in the project</span>' in shown
    assert "drop 0" not in shown


def test_cleaning_is_shown_and_done_only_if_wanted(team: Team, max_: Browser) -> None:
    dirty = text("dirty", "He went home.Then he slept.")
    for rules, expected in (({}, "home.Then"), ({"rule blanks": "yes"}, "home. Then")):
        page = upload(team, max_, [dirty.replace(id=f"dirty{len(rules)}")]).headers["location"]
        shown = max_.see(page)
        assert "<del>" in shown
        assert "home. Then" in shown
        max_.submit(page, confirmed="yes", **rules)
        assert expected in stored(team)[f"dirty{len(rules)}"].text


def test_a_name_twice_is_told_before(team: Team, max_: Browser) -> None:
    page = upload(team, max_, [text("d1", "Another text .")]).headers["location"]
    assert "names already: d1" in max_.see(page)
    answer = max_.submit(page, confirmed="yes")
    assert (answer.status_code, "already" in answer.text) == (422, True)
    assert stored(team)["d1"].text == LONG


def test_an_upload_belongs_to_whoever_made_it(team: Team, max_: Browser) -> None:
    page = upload(team, max_, [text("new", "Something else .")]).headers["location"]
    with team.store.write() as session:
        projects.set_role(session, team.project, team.users["Dora"], "manager")
    other = team.browser("Dora")
    answer = other.get(page)
    assert (answer.status_code, "no longer waits" in answer.text) == (422, True)


def test_a_new_upload_takes_the_place_of_the_old(team: Team, max_: Browser) -> None:
    first = upload(team, max_, [text("one", "Something .")]).headers["location"]
    second = upload(team, max_, [text("two", "Something .")]).headers["location"]
    assert "no longer waits" in max_.get(first).text
    assert ">two<" in max_.see(second)


@pytest.mark.parametrize("name", ["json", "jsonlines", "conll2012"])
def test_what_is_exported_is_imported_the_same(name: str) -> None:
    """Any document: into the store, out by the web, in again by the web."""
    left_out = ("spaces", "columns", "multiwords", "zeros", "discontinuous", "crossing", "relations")
    options = {} if name == "json" else dict.fromkeys(left_out, False)

    @settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(documents(**options))
    def check(doc: Document) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = open_store(Path(folder) / "a.db")
            team = make_team(store, [])
            whole = canonical(doc.replace(id="sample"))
            with store.write() as session:
                projects.add_documents(session, team.project, [whole])
                other = projects.add_project(session, "Other", manager=team.users["Max"]).id
            browser = team.browser("Max")
            browser.see("/")
            answer = browser.get(f"{team.base}/export?format={name}&layers=imported")
            assert answer.status_code == 200, answer.text
            found = re.search(r'filename="([^"]+)"', answer.headers["content-disposition"])
            assert found
            again = browser.post(
                f"/projects/{other}/imports",
                data={"form_token": browser.token, "format": name},
                files={"files": (found[1], answer.content)},
                follow_redirects=False,
            )
            assert again.status_code == 303, again.text
            browser.submit(again.headers["location"], confirmed="yes")
            with store.read() as session:
                (info,) = projects.documents(session, other)
                back = projects.imported_document(session, info.id)
            store.close()
        if name == "json":
            assert back == whole
        else:
            assert spans(back) == spans(whole)
            assert back.tokens.forms == whole.tokens.forms

    check()


def test_a_zip_is_read_too(team: Team, max_: Browser) -> None:
    answer = max_.get(f"{team.base}/export?format=json&layers=imported&as=zip")
    with tempfile.TemporaryDirectory() as folder:
        Unpacker(Path(folder)).take("a.zip", io.BytesIO(answer.content), len(answer.content))
        assert [doc.text for doc in coindex.read(folder, "json")] == [LONG]
