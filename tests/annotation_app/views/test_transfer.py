"""Import and export: every format comes back, tricks of archives do not work."""

from __future__ import annotations

import gzip
import io
import re
import stat
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from httpx2 import Response

import coindex
from coindex import serving
from coindex.annotation_app import projects
from coindex.document import Document
from coindex.document.edit_log import Edit, apply_all
from coindex.errors import CoindexError
from coindex.formats.archives import Unpacker
from coindex.server.calls import Rule
from web_world import Browser, World

WHOLE = ("json",)
"""Formats that say all that the sample says."""
SAME_SPANS = ("corefud", "conll2012", "jsonlines", "preco", "brat", "mmax2", "ecbplus")


def sample(name: str) -> Document:
    """A text with two entities, which all formats can say something of."""
    doc = Document.from_text("Ann saw Tom . She waved .", id=name, language="en")
    marks = [([0], "ann"), ([4], "ann"), ([2], "tom")]
    return apply_all(doc, [Edit("add_mention", {"positions": at, "entity": entity}) for at, entity in marks])


def spans(doc: Document) -> set[frozenset[tuple[int, ...]]]:
    return {frozenset(mention.positions for mention in entity.mentions) for entity in doc.entities}


def upload(browser: Browser, world: World, name: str, content: bytes, **fields: str) -> Response:
    return browser.post(
        f"/projects/{world.project}/documents",
        data={"form_token": browser.token, **fields},
        files={"files": (name, content)},
        follow_redirects=False,
    )


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def stored(world: World) -> dict[str, Document]:
    with world.store.read() as session:
        infos = projects.documents(session, world.project)
        return {info.name: projects.load_imported_document(session, info.id) for info in infos if info.name != "cats"}


@pytest.fixture
def manager(world: World) -> Browser:
    return world.browser("manager")


@pytest.mark.parametrize("pack", ["plain", "gz", "zip"])
def test_an_uploaded_file_becomes_documents(world: World, manager: Browser, tmp_path: Path, pack: str) -> None:
    coindex.write([sample("one"), sample("two")], tmp_path / "a.json")
    content = (tmp_path / "a.json").read_bytes()
    name, data = {
        "plain": ("a.json", content),
        "gz": ("a.json.gz", gzip.compress(content)),
        "zip": ("a.zip", zipped({"folder/a.json": content})),
    }[pack]
    answer = upload(manager, world, name, data)
    assert answer.status_code == 303, answer.text
    assert stored(world) == {"one": sample("one"), "two": sample("two")}


@pytest.mark.parametrize("how", ["file", "zip"])
@pytest.mark.parametrize("format", [*WHOLE, *SAME_SPANS])
def test_exported_documents_are_read_back_unchanged(
    world: World, manager: Browser, tmp_path: Path, format: str, how: str
) -> None:
    with world.store.write() as session:
        projects.add_documents(session, world.project, [sample("one"), sample("two")])
    answer = manager.get(f"/projects/{world.project}/export?format={format}&layers=imported&as={how}")
    assert answer.status_code == 200, answer.text
    name = re.fullmatch(r'attachment; filename="([^"]+)"', answer.headers["content-disposition"])
    assert name
    (tmp_path / "in").mkdir()
    Unpacker(tmp_path / "in").take(name[1], io.BytesIO(answer.content), len(answer.content))
    docs = {doc.id or "": doc for doc in coindex.read(tmp_path / "in", format)}
    found = [doc for name, doc in docs.items() if "one" in name or "two" in name]
    assert len(found) == 2
    for doc in found:
        assert spans(doc) == spans(sample("one"))
        if format in WHOLE:
            assert doc == sample(doc.id or "")


def test_every_format_that_can_be_written_is_exported(world: World, manager: Browser) -> None:
    for format in coindex.formats():
        answer = manager.get(world.layer_path("annotator", f"/export?format={format.name}"))
        expected = (200,) if format.write else (422,)
        assert answer.status_code in expected, (format.name, answer.text)


def test_exports_by_member_and_published(world: World, manager: Browser) -> None:
    path = f"/projects/{world.project}/export?layers="
    assert manager.get(path + str(world.users["annotator"])).status_code == 200
    assert manager.get(path + "published").status_code == 200
    assert "nothing to export" in manager.get(path + str(world.users["viewer"])).text
    assert manager.get(path + "imported&format=pdf").status_code == 422


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.conllu", b"1\tAnn\n", "a.conllu:1"),
        ("a.txt", b"", "is empty; remove it"),
        ("a.md", b" \n", "is empty; remove it"),
        ("a.zip", zipped({}), "no file"),
        ("a.zip", zipped({"a.conllu": b"# newdoc id = x\n1\tAnn\n"}), "a.conllu:2"),
        ("a.zip", zipped({"a.json": b"{}"})[:-30], ""),
        ("a.gz", gzip.compress(b"x" * 1000)[:-10] + b"0123456789", ""),
    ],
    ids=["conllu", "empty", "white space", "empty zip", "conllu in a zip", "cut zip", "broken gzip"],
)
def test_bad_uploads_are_reported_with_their_place_and_store_nothing(
    world: World, manager: Browser, name: str, content: bytes, message: str
) -> None:
    answer = upload(manager, world, name, content)
    assert answer.status_code == 422
    assert message in answer.text
    assert "/tmp" not in answer.text
    assert stored(world) == {}


def test_a_gzip_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    data = gzip.compress(b"a long text " * 100)[:-12]
    with pytest.raises(CoindexError, match="cut short"):
        Unpacker(tmp_path).take("a.gz", io.BytesIO(data), len(data))


@pytest.mark.filterwarnings("ignore::coindex.errors.LossWarning")
def test_files_that_belong_together_are_read_together(world: World, manager: Browser, tmp_path: Path) -> None:
    coindex.write(sample("one"), tmp_path / "out", "brat")
    files = [("files", (path.name, path.read_bytes())) for path in (tmp_path / "out").iterdir()]
    path = f"/projects/{world.project}/documents"
    answer = manager.post(path, data={"form_token": manager.token}, files=files, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    (doc,) = stored(world).values()
    assert spans(doc) == spans(sample("one"))


def test_a_missing_file_is_reported(world: World, manager: Browser) -> None:
    assert "no file" in manager.submit(f"/projects/{world.project}/documents").text


def test_a_zip_bomb_is_refused(world: World, manager: Browser) -> None:
    bomb = zipped({"a.txt": b"a " * (20 << 20)})
    assert len(bomb) < 1 << 20
    answer = upload(manager, world, "a.zip", bomb)
    assert (answer.status_code, "compressed by a factor" in answer.text) == (422, True)


def test_a_gzip_bomb_inside_a_zip_is_refused(world: World, manager: Browser) -> None:
    answer = upload(manager, world, "a.zip", zipped({"a.txt.gz": gzip.compress(b"a " * (20 << 20))}))
    assert (answer.status_code, "compressed by a factor" in answer.text) == (422, True)


@pytest.mark.parametrize(
    "name", ["../a.txt", "/a.txt", "a/../../b.txt", "..\\a.txt", "C:\\a.txt", "a\nb.txt", "x" * 300, "a/" * 300 + "b"]
)
def test_names_that_leave_the_folder_are_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    data = zipped({name: b"text"})
    with pytest.raises(CoindexError, match="points outside the folder"):
        Unpacker(folder).take("a.zip", io.BytesIO(data), len(data))
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    assert list(folder.iterdir()) == []


def test_links_in_a_zip_are_refused(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("a.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/hosts")
    with pytest.raises(CoindexError, match="a link or device"):
        Unpacker(tmp_path).take("a.zip", out, 100)


def test_too_much_and_too_many_and_twice(tmp_path: Path) -> None:
    data = zipped({"a.txt": b"12345", "b.txt": b"12345"})
    with pytest.raises(CoindexError, match="more than 9 bytes"):
        Unpacker(tmp_path / "1", most_bytes=9).take("a.zip", io.BytesIO(data), len(data))
    with pytest.raises(CoindexError, match="too many files"):
        Unpacker(tmp_path / "2", most_files=1).take("a.zip", io.BytesIO(data), len(data))
    data = zipped({"a.txt": b"1", "a.txt.gz": gzip.compress(b"2")})
    with pytest.raises(CoindexError, match="two files with this name"):
        Unpacker(tmp_path / "3").take("a.zip", io.BytesIO(data), len(data))
    data = gzip.compress(gzip.compress(b"3"))
    with pytest.raises(CoindexError, match=r"a \.gz file inside a \.gz file"):
        Unpacker(tmp_path / "4").take("a.gz", io.BytesIO(data), len(data))


def _with_cap(rule: Rule) -> Rule:
    return replace(rule, most=1000) if rule.body == "upload" else rule


def test_too_large_an_upload_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = tuple((tuple(_with_cap(rule) for rule in rules), kind) for rules, kind in serving.PARTS)
    monkeypatch.setattr(serving, "PARTS", parts)
    browser = replace(world, app=serving.app(world.store)).browser("manager")
    answer = upload(browser, world, "a.txt", b"text " * 1000)
    assert (answer.status_code, "at most 1,000 bytes" in answer.text) == (413, True)
