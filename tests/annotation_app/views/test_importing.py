"""Import in two steps; exported files can be imported again without changes."""

from __future__ import annotations

import html
import io
import re
import tempfile
import zipfile
from pathlib import Path

import pytest
from httpx2 import Response
from hypothesis import HealthCheck, given, settings

import coindex
from coindex.annotation_app import projects
from coindex.annotation_app.layers import open_store
from coindex.document import Document
from coindex.document.edits import canonical
from coindex.formats.archives import Unpacker
from coindex.server.database import Store
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
        return {info.name: projects.load_imported_document(session, info.id) for info in infos}


def text(id: str, content: str) -> Document:
    return Document.from_text(content, id=id)


def test_nothing_is_stored_before_it_is_confirmed(team: Team, max_: Browser) -> None:
    answer = upload(team, max_, [text("new", "Something else .")])
    assert answer.status_code == 303, answer.text
    page = answer.headers["location"]
    assert "Nothing has been imported yet" in max_.see(page)
    assert set(stored(team)) == {"d1"}
    assert max_.submit(page, confirmed="yes").status_code == 303
    assert set(stored(team)) == {"d1", "new"}
    answer = max_.submit(page, confirmed="yes")
    assert (answer.status_code, "has expired" in answer.text) == (422, True)


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


def test_a_longer_version_is_kept_and_the_page_shows_the_duplicate(team: Team, max_: Browser) -> None:
    page = upload(team, max_, [text("more", LONG + " And the end .")]).headers["location"]
    shown = max_.see(page)
    assert 'd1 <span class="tag">in the project</span>' in shown
    assert "drop 0" not in shown


def test_cleaning_is_previewed_and_applied_only_on_request(team: Team, max_: Browser) -> None:
    dirty = text("dirty", "He went home.Then he slept.")
    for rules, expected in (({}, "home.Then"), ({"rule blanks": "yes"}, "home. Then")):
        page = upload(team, max_, [dirty.replace(id=f"dirty{len(rules)}")]).headers["location"]
        shown = max_.see(page)
        assert "<del>" in shown
        assert "home. Then" in shown
        max_.submit(page, confirmed="yes", **rules)
        assert expected in stored(team)[f"dirty{len(rules)}"].text


def test_a_duplicate_name_is_reported_before_the_import(team: Team, max_: Browser) -> None:
    page = upload(team, max_, [text("d1", "Another text .")]).headers["location"]
    assert "with these names: d1" in max_.see(page)
    answer = max_.submit(page, confirmed="yes")
    assert (answer.status_code, "already" in answer.text) == (422, True)
    assert stored(team)["d1"].text == LONG


def test_an_upload_belongs_to_whoever_made_it(team: Team, max_: Browser) -> None:
    page = upload(team, max_, [text("new", "Something else .")]).headers["location"]
    with team.store.write() as session:
        projects.set_role(session, team.project, team.users["Dora"], "manager")
    other = team.browser("Dora")
    answer = other.get(page)
    assert (answer.status_code, "has expired" in answer.text) == (422, True)


def test_a_new_upload_takes_the_place_of_the_old(team: Team, max_: Browser) -> None:
    first = upload(team, max_, [text("one", "Something .")]).headers["location"]
    second = upload(team, max_, [text("two", "Something .")]).headers["location"]
    assert "has expired" in max_.get(first).text
    assert ">two<" in max_.see(second)


@pytest.mark.parametrize("name", ["json", "jsonlines", "conll2012"])
def test_exported_documents_are_imported_unchanged(name: str) -> None:
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
                back = projects.load_imported_document(session, info.id)
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


GARDEN = (
    b"# newdoc id = garden\n1\tAnn\t_\t_\t_\t_\t_\t_\t_\t_\n\n# newdoc id = lake\n1\tTom\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
)
INN = b"Ann went to the inn. She slept."
NO_DOCUMENTS = b'<are task="1" kind="response"></are>'


def send(team: Team, browser: Browser, files: dict[str, bytes], path: str = "imports", format: str = "") -> Response:
    return browser.post(
        f"{team.base}/{path}",
        data={"form_token": browser.token, "format": format},
        files=[("files", (name, content)) for name, content in files.items()],
        follow_redirects=False,
    )


def rows(page: str) -> dict[str, list[str]]:
    """The table of files: of each its format, the number of documents, and what is said of it."""
    table = page[page.index("<h2>Files") : page.index("</table>")]
    found = re.findall(
        r'<tr><th scope="row">(.*?)</th><td>(.*?)</td><td class="number">(.*?)</td><td>(.*?)</td>', table
    )
    return {name: [format, documents, re.sub("<[^>]+>", "", note)] for name, format, documents, note in found}


def test_files_of_several_formats_come_together(team: Team, max_: Browser) -> None:
    page = send(team, max_, {"inn.txt": INN, "garden.conllu": GARDEN}).headers["location"]
    assert rows(max_.see(page)) == {"garden.conllu": ["corefud", "2", ""], "inn.txt": ["text", "1", ""]}
    max_.submit(page, confirmed="yes")
    assert set(stored(team)) == {"d1", "garden", "lake", "inn"}


def test_parts_and_descriptions_are_listed(team: Team, max_: Browser) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("corpus/a.txt", INN)
        archive.writestr("corpus/a.ann", "T1\tperson 0 3\tAnn\n")
        archive.writestr("corpus/README.txt", "A corpus of inns.")
        archive.writestr("corpus/b.conllu", GARDEN)
    page = send(team, max_, {"corpus.zip": packed.getvalue()}).headers["location"]
    assert rows(max_.see(page)) == {
        "corpus/README.txt": ["text", "0", "describes the other files"],
        "corpus/a.ann": ["brat", "1", ""],
        "corpus/a.txt": ["brat", "0", "read with corpus/a.ann"],
        "corpus/b.conllu": ["corefud", "2", ""],
    }
    max_.submit(page, confirmed="yes")
    assert set(stored(team)) == {"d1", "a", "garden", "lake"}


WRONG = {
    "page.html": (b"<!DOCTYPE html><html></html>", "unknown", "page.html: an HTML page; "),
    "paper.pdf": (b"%PDF-1.4 \xff", "unknown", "paper.pdf: a PDF document; "),
    "answer.are.xml": (NO_DOCUMENTS, "are", "answer.are.xml: no document; "),
    "bad.conllu": (b"# newdoc id = x\n1\tAnn\n\n", "corefud", "bad.conllu:2: 2 columns: "),
    "empty.txt": (b" \n", "text", "empty.txt: document 'empty' is empty; "),
    "picture": (b"\x89PNG\r\n\x1a\n\0\0", "unknown", "picture: an image (PNG); "),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("alone", [True, False])
def test_one_file_in_the_way_stops_all(name: str, alone: bool, team: Team, max_: Browser) -> None:
    content, format, message = WRONG[name]
    files = {name: content} if alone else {"inn.txt": INN, name: content, "garden.conllu": GARDEN}
    answer = send(team, max_, files)
    assert answer.status_code == 422
    found = rows(answer.text)
    assert found.keys() == files.keys()
    assert found[name][0] == format
    assert html.unescape(found[name][2]).startswith(message)
    if not alone:
        assert next(iter(found)) == name, "what is wrong stands first"
        assert (found["inn.txt"][2], found["garden.conllu"][:2]) == ("", ["corefud", "2"])
    assert "Nothing was imported" in answer.text
    assert 'name="confirmed"' not in answer.text
    assert "/tmp" not in answer.text
    at_once = send(team, max_, files, "documents")
    assert at_once.status_code == 422
    assert message in html.unescape(at_once.text)
    assert set(stored(team)) == {"d1"}


def test_a_docx_is_not_unpacked(team: Team, max_: Browser) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<w:document/>")
    answer = send(team, max_, {"paper.docx": packed.getvalue(), "inn.txt": INN})
    assert answer.status_code == 422
    assert "a Word document (DOCX)" in rows(answer.text)["paper.docx"][2]


def test_a_zip_of_nothing_to_read(team: Team, max_: Browser) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.xsd", "<schema/>")
    answer = send(team, max_, {"corpus.zip": packed.getvalue()})
    assert answer.status_code == 422
    assert rows(answer.text) == {"a.xsd": ["unknown", "0", "a.xsd: a schema or style sheet"]}


def test_a_format_by_name_is_that_of_every_file(team: Team, max_: Browser) -> None:
    answer = send(team, max_, {"inn.txt": INN, "garden.conllu": GARDEN}, format="corefud")
    assert answer.status_code == 422
    assert "inn.txt:1: 1 column: " in html.unescape(rows(answer.text)["inn.txt"][2])
    page = send(team, max_, {"page.html": b"<!DOCTYPE html><p>Ann left.</p>"}, format="text").headers["location"]
    assert rows(max_.see(page)) == {"page.html": ["text", "1", ""]}


def test_a_name_twice_in_the_upload(team: Team, max_: Browser) -> None:
    page = send(team, max_, {"lake.txt": INN, "garden.conllu": GARDEN}).headers["location"]
    assert "have the same name: lake." in max_.see(page)
    assert max_.submit(page, confirmed="yes").status_code == 422
    assert set(stored(team)) == {"d1"}
