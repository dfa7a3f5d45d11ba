"""Tables of texts: every kind of file gives the same documents, other columns are kept, and every row is read."""

import csv
import datetime
import decimal
import gzip
import io
import json
import os

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import coindex
from coindex.errors import CoindexError, DataWarning, FormatError, UnknownNameError
from coindex.formats import columns
from command import run

ROWS = [
    {"id": "a1", "body": "Ann left. She waved.", "title": "A day, or two"},
    {"id": "b2", "body": 'Bob said:\n"He, the\tboss?"', "title": 'the "big" one'},
    {"id": "c3", "body": "Élodie 🐈", "title": ""},
]


def as_csv(rows, delimiter=","):
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_parquet(rows):
    data = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), data)
    return data.getvalue()


def as_feather(rows):
    data = io.BytesIO()
    pyarrow.feather.write_feather(pa.Table.from_pylist(rows), data)
    return data.getvalue()


def as_stream(rows):
    data = io.BytesIO()
    table = pa.Table.from_pylist(rows)
    with pa.ipc.new_stream(data, table.schema) as writer:
        writer.write_table(table)
    return data.getvalue()


KINDS = {
    "a.csv": as_csv,
    "a.tsv": lambda rows: as_csv(rows, "\t"),
    "semicolon.csv": lambda rows: as_csv(rows, ";"),
    "mark.csv": lambda rows: b"\xef\xbb\xbf" + as_csv(rows),
    "lf.csv": lambda rows: as_csv(rows).replace(b"\r\n", b"\n"),
    "a.csv.gz": lambda rows: gzip.compress(as_csv(rows)),
    "a.jsonl": as_jsonl,
    "a.ndjson": as_jsonl,
    "a.jsonl.gz": lambda rows: gzip.compress(as_jsonl(rows)),
    "a.parquet": as_parquet,
    "a.feather": as_feather,
    "a.arrow": as_stream,
}


def table(name, tmp_path, rows=ROWS):
    path = tmp_path / name
    path.write_bytes(KINDS[name](rows))
    return path


def read(path, **options):
    return list(coindex.read(path, **{"text_column": "body", **options}))


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_table(name, tmp_path):
    path = table(name, tmp_path)
    docs = read(path, id_column="id")
    assert [(doc.id, doc.text, doc.meta["title"]) for doc in docs] == [
        (row["id"], row["body"], row["title"]) for row in ROWS
    ]
    assert [set(doc.meta) for doc in docs] == [{"title"}] * 3
    stem = name.partition(".")[0]
    assert [doc.id for doc in read(path)] == [f"{stem}_{number}" for number in (1, 2, 3)]
    assert read(path)[0].meta["id"] == "a1"


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.arrow"])
def test_the_same_from_standard_input(name, tmp_path):
    data = table(name, tmp_path).read_bytes()
    options = ("--from", "table", "-r", "text_column=body", "-r", "id_column=id")
    done = run("convert", "-", tmp_path / "out.json", *options, input=data)
    assert done.code == 0
    assert [doc.text for doc in coindex.read(tmp_path / "out.json")] == [row["body"] for row in ROWS]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("options", [{"text_column": "text"}, {"id_column": "ID"}, {"text_column": ""}])
def test_a_missing_column_names_those_there_are(options, name, tmp_path):
    with pytest.raises(FormatError, match="'id', 'body', 'title'") as caught:
        read(table(name, tmp_path), **options)
    assert caught.value.code == "missing-column"


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_rows_without_text_are_empty_documents(name, tmp_path):
    rows = [ROWS[0], {**ROWS[1], "body": None}, {**ROWS[2], "body": " "}]
    with pytest.warns(DataWarning) as caught:
        docs = read(table(name, tmp_path, rows), id_column="id")
    assert [(doc.id, len(doc.tokens)) for doc in docs] == [("a1", 6), ("b2", 0), ("c3", 0)]
    assert [(warning.message.code, warning.message.details["number"]) for warning in caught] == [("missing-text", 2)]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_duplicate_ids_are_kept_and_counted(name, tmp_path):
    rows = [ROWS[0], ROWS[1] | {"id": "a1"}, ROWS[2] | {"id": "a1"}]
    with pytest.warns(DataWarning) as caught:
        assert [doc.id for doc in read(table(name, tmp_path, rows), id_column="id")] == ["a1"] * 3
    assert [(w.message.code, w.message.details["number"]) for w in caught] == [("duplicate-document-id", 2)]


def test_missing_ids(tmp_path):
    rows = [row | {"id": None} for row in ROWS]
    assert [doc.id for doc in read(table("a.jsonl", tmp_path, rows), id_column="id")] == ["a_1", "a_2", "a_3"]


TYPED = pa.table(
    {
        "key": pa.array([7, 8, 9]),
        "body": pa.array(["Ann left.", "Bob", "x"], pa.large_string()),
        "year": pa.array([2020, None, 2022], pa.int16()),
        "when": pa.array([datetime.datetime(2024, 5, 6, 7, 8, 9), None, None], pa.timestamp("ns")),
        "price": [decimal.Decimal("1.20"), None, None],
        "tags": [["a", "b"], [], None],
        "author": [{"name": "N", "age": 3}, None, None],
        "is_new": [True, False, None],
        "share": pa.array([0.5, None, float("nan")], pa.float32()),
        "raw": [b"\0\xff", None, None],
        "place": pa.array(["x", "y", "x"]).dictionary_encode(),
        "never": pa.nulls(3, pa.int32()),
        "language": ["en", "unknown", None],
        "tokens": [1, 2, 3],
    }
)


def test_other_columns_keep_their_types(tmp_path):
    pq.write_table(TYPED, tmp_path / "a.parquet")
    docs = read(tmp_path / "a.parquet", id_column="key")
    assert [doc.id for doc in docs] == ["7", "8", "9"]
    assert docs[0].meta == {
        "year": "2020",
        "when": "2024-05-06T07:08:09",
        "price": "1.20",
        "tags": '["a", "b"]',
        "author": '{"name": "N", "age": 3}',
        "is_new": "true",
        "share": "0.5",
        "raw": "AP8=",
        "place": "x",
        "tokens": "1",
    }
    assert [doc.language for doc in docs] == ["en", None, None]
    assert docs[1].meta["language"] == "unknown"
    coindex.write(docs, tmp_path / "b.parquet")
    written = pq.read_table(tmp_path / "b.parquet")
    for name in ("year", "price", "tags", "author", "is_new", "raw", "never"):
        assert written[name].combine_chunks() == TYPED[name].combine_chunks()
        assert written[name].type == TYPED[name].type
    assert written["place"].to_pylist() == ["x", "y", "x"]
    assert [{pair["key"] for pair in meta} for meta in written["meta"].to_pylist()] == [
        {"tokens"},
        {"tokens", "language"},
        {"tokens"},
    ]
    assert list(coindex.read(tmp_path / "b.parquet")) == docs


def test_changed_metadata_is_written_as_it_is(tmp_path):
    pq.write_table(pa.table({"body": ["Ann", "Bob", "Eve"], "year": [1, 2, 3]}), tmp_path / "a.parquet")
    first, second, third = read(tmp_path / "a.parquet")
    docs = [first.replace(meta={"year": "about 1"}), second.replace(meta={}), third]
    coindex.write(docs, tmp_path / "b.parquet")
    assert pq.read_table(tmp_path / "b.parquet")["year"].to_pylist() == [None, None, 3]
    assert list(coindex.read(tmp_path / "b.parquet")) == docs


def test_values_of_several_types_stay_in_the_metadata(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "BATCH_ROWS", 2)
    rows = [
        {"body": "x", "n": 1},
        {"body": "y", "n": 2, "late": "z"},
        {"body": "z", "n": "three"},
        {"body": "u", "n": 4},
    ]
    (tmp_path / "a.jsonl").write_bytes(as_jsonl(rows))
    docs = read(tmp_path / "a.jsonl")
    coindex.write(docs, tmp_path / "b.parquet")
    assert pq.read_table(tmp_path / "b.parquet")["n"].to_pylist() == [1, 2, None, 4]
    assert [doc.meta["n"] for doc in coindex.read(tmp_path / "b.parquet")] == ["1", "2", "three", "4"]
    assert list(coindex.read(tmp_path / "b.parquet")) == docs


def test_a_long_table_is_read_row_by_row(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"body,n\r\n" + b"".join(b"x%d,%d\r\n" % (n, n) for n in range(5000)))
    stream = coindex.read(path, text_column="body")
    assert [next(stream).meta["n"] for _ in range(2)] == ["0", "1"]
    long = "Ann " * 100_000
    path.write_bytes(as_csv([{"body": long, "n": "1"}]))
    assert read(path)[0].text == long


def test_folders(tmp_path):
    for year in ("2023", "2024"):
        (tmp_path / f"in/year={year}").mkdir(parents=True)
        (tmp_path / f"in/year={year}/part-0.parquet").write_bytes(as_parquet(ROWS))
    (tmp_path / "in/more.csv").write_bytes(as_csv(ROWS))
    (tmp_path / "in/_SUCCESS").touch()
    docs = read(tmp_path / "in", id_column="id")
    assert [doc.meta.get("year") for doc in docs] == [None] * 3 + ["2023"] * 3 + ["2024"] * 3
    with pytest.warns(DataWarning):
        assert {doc.id for doc in read(tmp_path / "in/year=2024", id_column="year")} == {"2024"}


BAD = [
    ("a.csv", b'id,body\r\n1,"Ann', "invalid-line", 2),
    ("a.csv", b"id,body\r\n1,Ann\r\n2,Bob,x\r\n", "column-count", 3),
    ("a.csv", b"id,body,id\r\n1,Ann,2\r\n", "invalid-column-names", 1),
    ("a.csv", b"id,body\r\n1,Ren\xe9\r\n", "not-utf8", 2),
    ("a.csv.gz", gzip.compress(as_csv(ROWS * 50))[:-20], "broken-gzip", None),
    ("a.jsonl", b'{"body": "x"}\n{"body": 5}\n', "invalid-text", 2),
    ("a.jsonl", b'{"body": "x"}\n[1]\n', "invalid-json-value", 2),
    ("a.jsonl", b'{"body": "x"}\n{"body": \n', "invalid-json", 2),
    ("a.parquet", as_parquet(ROWS)[:-9], "broken-table", None),
    ("a.parquet", as_parquet([{"body": 3}]), "invalid-text", None),
    ("a.csv", b"", "empty-file", 1),
]


@pytest.mark.parametrize(("name", "data", "code", "line"), BAD)
def test_bad_tables(name, data, code, line, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(CoindexError) as caught:
        read(path)
    assert caught.value.code == code
    assert caught.value.line == line or line is None
    done = run("resolve", path, "-r", "en-small", "--text-column", "body", "-o", tmp_path / "out.json")
    assert (done.code, "Traceback" in done.err, (tmp_path / "out.json").exists()) == (2, False, False)


def test_no_rows(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"id,body\r\n")
    assert read(tmp_path / "a.csv") == []
    pq.write_table(TYPED.slice(0, 0), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == []


def test_options(tmp_path):
    path = table("a.csv", tmp_path)
    with pytest.raises(UnknownNameError):
        list(coindex.read(path, "corefud", text_column="body"))
    with pytest.raises(UnknownNameError):
        read(path, delimiter="dash")
    assert [doc.language for doc in read(path, language="es")] == ["es"] * 3
    with pytest.raises(FormatError, match="--text-column") as caught:
        list(coindex.read(path))
    assert caught.value.code == "unknown-content"


# --- the command


def test_resolve_a_table_into_a_folder(tmp_path):
    path = table("a.parquet", tmp_path)
    arguments = ("resolve", path, "-r", "en-small", "--text-column", "body", "--id-column", "id", "-o")
    done = run(*arguments, f"{tmp_path}/out/")
    assert (done.code, os.listdir(tmp_path / "out")) == (0, ["a.parquet"])
    rows = pq.read_table(tmp_path / "out/a.parquet").to_pylist()
    assert [(row["id"], row["text"], row["title"]) for row in rows] == [(r["id"], r["body"], r["title"]) for r in ROWS]
    assert [mention["text"] for mention in rows[0]["mentions"]] == ["Ann", "She"]
    assert run(*arguments, tmp_path / "two.parquet", "--jobs", "2").code == 0
    assert (tmp_path / "two.parquet").read_bytes() == (tmp_path / "out/a.parquet").read_bytes()


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_resolve_other_tables(name, tmp_path):
    path = table(name, tmp_path)
    arguments = ("resolve", path, "-r", "en-small", "--text-column", "body", "--id-column", "id", "-o")
    assert run(*arguments, f"{tmp_path}/out/").code == 0
    (found,) = os.listdir(tmp_path / "out")
    docs = list(coindex.read(tmp_path / "out" / found))
    assert [(doc.id, doc.meta["title"]) for doc in docs] == [(row["id"], row["title"]) for row in ROWS]
    assert run(*arguments, tmp_path / "out.jsonl", "--to", "jsonlines").code == 0
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["title"] for line in lines] == [row["title"] for row in ROWS]


def test_resolve_into_shards(tmp_path):
    path = table("a.csv", tmp_path)
    shards = ("-o", f"{tmp_path}/out/", "--to", "parquet", "-w", "shard_rows=2")
    assert run("resolve", path, "-r", "en-small", "--text-column", "body", *shards).code == 0
    assert sorted(os.listdir(tmp_path / "out")) == ["part-00000.parquet", "part-00001.parquet"]
    assert len(list(coindex.read(tmp_path / "out"))) == 3


def test_an_id_column_alone_is_an_error(tmp_path):
    assert run("resolve", table("a.csv", tmp_path), "--id-column", "id").code == 2
