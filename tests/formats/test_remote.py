"""Remote paths, in fsspec's store in memory and on a web server: files, folders, patterns, and clear errors."""

import gzip
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import fsspec
import pytest

import coindex
from coindex.errors import CoindexError, UnknownNameError
from coindex.formats.remote import RemotePath, as_path, is_remote
from command import run
from corefud_text import document, sentence
from marked_text import marked
from samples import SAMPLES
from stories import story

TEXT = document(sentence("Ann Entity=(e1)", "sah"), sentence("sie Entity=(e1)"))


@pytest.fixture
def store():
    memory = fsspec.filesystem("memory")
    yield memory
    memory.rm("/", recursive=True)


def names(store):
    return sorted(store.find("/"))


# --- paths


@pytest.mark.parametrize(
    "path", ["a.txt", "/x/y", "C:/x", "C://x", "c:\\x", "a:b", "s3:/x", "s3:x", "dir/s3://x", "://x", "1s://x", "-"]
)
def test_local_names(path):
    assert not is_remote(path)
    assert as_path(path) == Path(path)
    assert not is_remote(Path(path))


@pytest.mark.parametrize("url", ["s3://bucket/a/b.parquet", "hdfs://node:8020/a", "memory://x", "gs://b/a=1/c.gz"])
def test_remote_names(url):
    path = as_path(url)
    assert isinstance(path, RemotePath)
    assert str(path) == url
    assert as_path(path) is path


def test_names_around_a_remote_path():
    path = as_path("s3://bucket/a/b.txt.gz")
    assert (path.name, path.suffix, path.parts[1]) == ("b.txt.gz", ".gz", "bucket")
    for other, text in (
        (path.parent, "s3://bucket/a"),
        (path.parent / "c", "s3://bucket/a/c"),
        (path.with_suffix(".x"), "s3://bucket/a/b.txt.x"),
        (path.with_name("d"), "s3://bucket/a/d"),
        ((path.parent / "../x").resolve(), "s3://bucket/x"),
    ):
        assert (isinstance(other, RemotePath), str(other)) == (True, text)
    assert path.relative_to(path.parent.parent).parts == ("a", "b.txt.gz")
    assert path.parent in path.parents
    assert {path: 1}[as_path("s3://bucket/a/b.txt.gz")] == 1


def test_a_local_folder_with_such_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "memory:").mkdir()
    (tmp_path / "memory:/a.txt").write_text("Ann left.", encoding="utf-8")
    assert not is_remote("memory://a.txt")
    assert [doc.text for doc in coindex.read("memory://a.txt")] == ["Ann left."]


def test_a_file_url(tmp_path):
    (tmp_path / "a b.txt").write_text("Ann left.", encoding="utf-8")
    (doc,) = coindex.read(f"file://{tmp_path}/a%20b.txt")
    assert doc.id == "a b"
    coindex.write(doc, f"file://{tmp_path}/out/a.json")
    assert [found.id for found in coindex.read(f"file://{tmp_path}/out")] == ["a b"]


# --- reading and writing


@pytest.mark.parametrize("name", ["a.json", "a.conllu", "a.parquet", "a.arrow", "a.json.gz", "a.conllu.gz"])
def test_files(name, store, tmp_path):
    doc = marked("[Ann|a] lost [her|a] book.", id="d")
    coindex.write(doc, f"memory://corpus/{name}")
    assert names(store) == [f"/corpus/{name}"]
    coindex.write(doc, tmp_path / name)
    assert store.cat(f"/corpus/{name}") == (tmp_path / name).read_bytes()
    assert list(coindex.read(f"memory://corpus/{name}")) == list(coindex.read(tmp_path / name))


def test_a_file_is_replaced_when_the_new_one_is_complete(store):
    coindex.write(story(), "memory://a.json")
    before = store.cat("/a.json")

    def broken():
        yield story()
        raise CoindexError("stop")

    with pytest.raises(CoindexError, match="stop"):
        coindex.write(broken(), "memory://a.json")
    assert (names(store), store.cat("/a.json")) == (["/a.json"], before)
    coindex.write([story().replace(id="new")], "memory://a.json")
    assert [doc.id for doc in coindex.read("memory://a.json")] == ["new"]


def test_a_folder(store):
    store.pipe("/in/a.conllu", TEXT.encode())
    store.pipe("/in/sub/b.conllu.gz", gzip.compress(TEXT.encode()))
    store.pipe("/in/.hidden/c.conllu", b"no")
    store.pipe("/in/year=2024/d.txt", b"Ann left.")
    docs = list(coindex.read("memory://in"))
    assert [(doc.id, len(doc.tokens)) for doc in docs] == [("d", 3), ("d", 3), ("d", 3)]
    store.pipe("/in/odd.bin", b"\0\1\2")
    with pytest.warns(UserWarning, match=r"odd\.bin"):
        assert len(list(coindex.read("memory://in/"))) == 3


def test_patterns(store, tmp_path):
    for name in ("in/a.txt", "in/b.md", "in/sub/c.txt", "in/.d.txt", "other/e.txt"):
        store.pipe(f"/{name}", b"Ann left.")
    assert ids("memory://in/*.txt") == ["a"]
    assert ids("memory://in/**/*.txt") == ["a", "c"]
    assert ids("memory://*/*.txt") == ["a", "e"]
    assert failure("memory://in/*.xml").code == "unreadable-file"
    done = run("convert", "memory://in/**/*.txt", f"{tmp_path}/out/", "--to", "json")
    assert (done.code, sorted(path.name for path in (tmp_path / "out").iterdir())) == (0, ["a.json", "c.json"])


@pytest.fixture
def site(tmp_path):
    """The address of a web server, and its folder."""
    pytest.importorskip("aiohttp")
    folder = tmp_path / "site"
    folder.mkdir()
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", folder
        server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format, *arguments):
        pass


def test_a_web_server(site):
    address, folder = site
    doc = marked("[Ann|a] lost [her|a] book.", id="d")
    for name in ("a.json", "b.parquet", "sub/c.conllu.gz"):
        coindex.write(doc, folder / name)
    for name in ("a.json", "b.parquet", "sub/c.conllu.gz", "sub", "*.json"):
        assert ids(f"{address}/{name}") == ["d"], name
    assert ids(address) == ["d", "d", "d"]
    done = run("score", f"{address}/a.json", f"{address}/b.parquet")
    assert (done.code, b"100.00" in done.out) == (0, True)
    assert failure(f"{address}/none.txt").code == "unreadable-file"
    with pytest.raises(CoindexError) as caught:
        coindex.write(doc, f"{address}/new.json")
    assert (caught.value.code, sorted(path.name for path in folder.iterdir())) == (
        "unwritable-file",
        ["a.json", "b.parquet", "sub"],
    )


def ids(path):
    return [doc.id for doc in coindex.read(path)]


def test_shards_and_partitions(store):
    docs = [story().replace(id=str(number)) for number in range(3)]
    coindex.write(docs, "memory://out/year=2024", "parquet", shard_rows="2")
    assert names(store) == [f"/out/year=2024/part-0000{number}.parquet" for number in range(2)]
    found = list(coindex.read("memory://out"))
    assert [(doc.id, doc.meta["year"]) for doc in found] == [("0", "2024"), ("1", "2024"), ("2", "2024")]


@pytest.mark.filterwarnings("ignore::coindex.errors.LossWarning")
@pytest.mark.parametrize("format", ["brat", "mmax2", "ecbplus", "rueval"])
def test_formats_of_several_files(format, store, tmp_path):
    sample = SAMPLES[format]
    for name, text in sample.files.items():
        store.pipe(f"/in/{name}", text.encode())
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    expected = list(coindex.read(tmp_path))
    assert list(coindex.read("memory://in")) == expected
    assert list(coindex.read(f"memory://in/{sample.main}")) == expected
    coindex.write(expected, "memory://out", format)
    coindex.write(expected, tmp_path / "again", format)
    local = {path.relative_to(tmp_path / "again"): path.read_bytes() for path in (tmp_path / "again").rglob("*.*")}
    assert {Path(name).relative_to("/out"): store.cat(name) for name in store.find("/out")} == local


def test_a_path_out_of_a_remote_project_is_not_followed(store):
    for name, text in SAMPLES["mmax2"].files.items():
        store.pipe(f"/in/{name}", text.replace("d_words.xml", "../../secret.xml").encode())
    store.pipe("/secret.xml", SAMPLES["mmax2"].files["basedata/d_words.xml"].encode())
    with pytest.raises(CoindexError):
        list(coindex.read("memory://in"))


def test_text_columns(store):
    store.pipe("/in/year=2024/part-0.csv", b"id,body\r\n7,Ann left.\r\n")
    (doc,) = coindex.read("memory://in", text_column="body", id_column="id")
    assert (doc.id, doc.meta) == ("7", {"year": "2024"})


def test_commands(store, tmp_path):
    store.pipe("/in/a.conllu", TEXT.encode())
    store.pipe("/in/b.conllu", TEXT.replace("id = d", "id = e").encode())
    done = run("convert", "memory://in", "memory://out/", "--to", "json")
    assert (done.code, sorted(store.find("/out"))) == (0, ["/out/a.json", "/out/b.json"])
    assert run("convert", "memory://in", "memory://all.parquet").code == 0
    assert [doc.id for doc in coindex.read("memory://all.parquet")] == ["d", "e"]
    assert run("convert", "memory://in", tmp_path / "local.json").code == 0
    done = run("score", "memory://in", "memory://in", "--jobs", "1")
    assert (done.code, b"100.00" in done.out) == (0, True)
    done = run("resolve", "memory://in", "-r", "sieves + heads", "-o", "memory://resolved/")
    assert (done.code, sorted(store.find("/resolved"))) == (0, ["/resolved/a.conllu", "/resolved/b.conllu"])
    done = run("resolve", "memory://in", "-r", "sieves", "-o", "memory://resolved/")
    assert "2 done before" in done.err
    done = run("convert", "memory://in", "memory://in/out/", "--to", "json")
    assert done.code == 2


# --- errors


def failure(path, **options):
    with pytest.raises(CoindexError) as caught:
        list(coindex.read(path, **options))
    return caught.value


def test_what_does_not_exist(store):
    assert (failure("memory://none/a.txt").code, failure("memory://none/a.txt").path) == (
        "unreadable-file",
        "memory://none/a.txt",
    )
    done = run("convert", "memory://none/a.txt", "memory://out.json")
    assert (done.code, "Traceback" in done.err, names(store)) == (2, False, [])


def test_unknown_protocols():
    with pytest.raises(UnknownNameError):
        list(coindex.read("foo3://x/y"))
    with pytest.raises(UnknownNameError):
        coindex.write(story(), "foo3://x/y.json")


def test_a_protocol_whose_package_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "ocifs", None)
    error = failure("oci://bucket/a.json")
    assert (error.code, "ocifs" in str(error)) == ("missing-package", True)


def test_a_folder_as_a_file(store):
    store.pipe("/in/a.txt", b"x")
    with pytest.raises(CoindexError) as caught:
        coindex.write(story(), "memory://in", "json")
    assert caught.value.code == "not-a-file"


def test_errors_of_a_store_become_ours(store, monkeypatch):
    store.pipe("/a.txt", b"Ann left.")
    kind = type(store)

    def refuse(*args, **options):
        raise RuntimeError("no credentials")

    monkeypatch.setattr(kind, "put_file", refuse)
    with pytest.raises(CoindexError, match="no credentials") as caught:
        coindex.write(story(), "memory://b.json")
    assert (caught.value.code, names(store)) == ("unwritable-file", ["/a.txt"])
    monkeypatch.setattr(kind, "open", refuse)
    assert failure("memory://a.txt").code == "unreadable-file"
    monkeypatch.setattr(kind, "isdir", refuse)
    assert failure("memory://a.txt").code == "unreadable-file"


def test_without_fsspec(tmp_path):
    program = (
        "import sys; sys.modules['fsspec'] = None\n"
        "import coindex\n"
        "try:\n    list(coindex.read('s3://bucket/a.txt'))\n"
        "except coindex.errors.MissingExtraError as error:\n    print(error.details)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == str({"package": "fsspec", "extra": "remote"})
