"""Parquet and Arrow: round trips, other programs, row groups, shards, partitions, and damaged or foreign files."""

import gzip
import os
import subprocess
import sys

import duckdb
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import coindex
from coindex.document import Bridge, Document, Entity, Sentence, SplitAntecedent, Tokens
from coindex.errors import CoindexError, DataWarning, FormatError, MissingExtraError
from coindex.formats import columns
from coindex.formats.columns import make_row, read_batches, schema
from coindex.formats.source import Source
from command import run
from marked_text import marked
from stories import story
from strategies import documents

ENDINGS = ["parquet", "pq", "arrow", "feather"]


def again(*docs):
    """The documents after a way through an Arrow table."""
    table = pa.Table.from_pylist([make_row(doc) for doc in docs], schema())
    return list(read_batches(Source("-"), table.to_batches(), "a table"))


def full_story():
    return story().replace(
        language="en", topic="t", subtopic="s", shared_ids=True, meta={"a": "b", "c": ""}, genre="fiction"
    )


@given(documents())
def test_everything_comes_back(doc):
    assert again(doc) == [doc]


@settings(max_examples=10)
@given(documents())
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_everything_comes_back_from_a_file(ending, tmp_path_factory, doc):
    path = tmp_path_factory.mktemp("x") / f"a.{ending}"
    coindex.write(doc, path)
    assert list(coindex.read(path)) == [doc]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_story_with_one_of_everything(ending, tmp_path):
    docs = [full_story(), full_story().replace(id="two")]
    coindex.write(docs, tmp_path / f"a.{ending}")
    assert list(coindex.read(tmp_path / f"a.{ending}")) == docs


@pytest.mark.parametrize("text", ["", " \n", "One", "  Ann left.\n\nShe  sings. 🐈 ", "שלום לך.", "a\u2028b\x85c\0d"])
def test_raw_text_comes_back(text):
    doc = Document.from_text(text, id="d", language="en")
    (found,) = again(doc)
    assert found == doc
    assert found.text == text


@pytest.mark.parametrize("score", ["0.8300", "1", "high", "nan", "-0.5000", "1e400", ""])
def test_scores_come_back_as_they_were(score):
    doc = Document.from_text("Ann")
    doc = doc.replace(entities=(Entity("e", (doc.mention([0], attributes={"score": score, "by": "x"}),)),))
    assert again(doc) == [doc]


def test_unusual_documents():
    doc = Document.from_text("Ann left early.")
    she = doc.mention([2])
    odd = [
        Document(),
        Document(Tokens(prefix=" x ")),
        doc.replace(sentences=(Sentence(doc.tokens, 0, 4), Sentence(doc.tokens, 4, 4))),
        doc.replace(sentences=()),
        doc.replace(bridges=(Bridge(she, "other", "e"),), split_antecedents=(SplitAntecedent(she, "x", ("a", "b")),)),
    ]
    assert again(*odd) == odd


def test_columns_of_mentions_and_entities(tmp_path):
    doc = marked("[Alice|a] lost [[her|a] old book|b].", id="d")
    coindex.write(doc, tmp_path / "a.parquet")
    (row,) = pq.read_table(tmp_path / "a.parquet").to_pylist()
    assert (row["id"], row["text"], row["language"]) == ("d", "Alice lost her old book.", doc.language)
    found = [(m["entity"], m["text"], m["start_char"], m["end_char"], m["antecedent"]) for m in row["mentions"]]
    assert found == [("a", "Alice", 0, 5, None), ("b", "her old book", 11, 23, None), ("a", "her", 11, 14, 0)]
    for mention in row["mentions"]:
        assert row["text"][mention["start_char"] : mention["end_char"]] == mention["text"]
    assert [(e["id"], e["name"], e["mentions"]) for e in row["entities"]] == [
        ("a", "Alice", [0, 2]),
        ("b", "her old book", [1]),
    ]
    assert [token["id"] for token in row["tokens"]] == ["1", "2", "3", "4", "5", "6"]
    assert all(row[name] == [] for name in ("bridging", "split_antecedents", "multiwords", "meta", "columns"))


# --- other programs

STORIES = [
    marked("[Alice|a] lost [[her|a] old book|b].", id="one").replace(meta={"year": "2024"}),
    marked("[Bob|a] ran. [He|a] fell.", id="two"),
]


@pytest.fixture(params=["parquet", "arrow"])
def table(request, tmp_path):
    path = tmp_path / f"stories.{request.param}"
    coindex.write(STORIES, path)
    return path


def test_pandas(table, tmp_path):
    frame = pandas.read_parquet(table) if table.suffix == ".parquet" else pandas.read_feather(table)
    mentions = frame.explode("mentions")
    assert list(zip(mentions["id"], mentions["mentions"].str["text"], strict=True)) == [
        ("one", "Alice"),
        ("one", "her old book"),
        ("one", "her"),
        ("two", "Bob"),
        ("two", "He"),
    ]
    if table.suffix == ".parquet":
        frame.to_parquet(tmp_path / "again.parquet", index=False)
        assert list(coindex.read(tmp_path / "again.parquet")) == STORIES


def test_polars(table, tmp_path):
    frame = polars.read_parquet(table) if table.suffix == ".parquet" else polars.read_ipc(table)
    counts = frame.explode("mentions").unnest("mentions", separator=".").group_by("id").len().sort("id")
    assert counts["len"].to_list() == [3, 2]
    frame.with_columns(polars.lit(7).alias("fold")).write_parquet(tmp_path / "again.parquet")
    frame.write_ipc(tmp_path / "again.arrow")
    assert [doc.meta.get("fold") for doc in coindex.read(tmp_path / "again.parquet")] == ["7", "7"]
    assert list(coindex.read(tmp_path / "again.arrow")) == STORIES


def test_duckdb(tmp_path):
    coindex.write(STORIES, tmp_path / "stories.parquet")
    query = f"""
        SELECT id, m.text, substring(stories.text, m.start_char + 1, m.end_char - m.start_char)
        FROM '{tmp_path}/stories.parquet' AS stories, unnest(mentions) AS unnested(m)
        WHERE m.antecedent IS NOT NULL ORDER BY id
    """
    assert duckdb.sql(query).fetchall() == [("one", "her", "her"), ("two", "He", "He")]
    year = "map_from_entries(meta)['year']"
    assert duckdb.sql(f"SELECT {year} FROM '{tmp_path}/stories.parquet'").fetchall() == [("2024",), (None,)]
    duckdb.sql(f"COPY (FROM '{tmp_path}/stories.parquet' WHERE id = 'two') TO '{tmp_path}/two.parquet'")
    assert list(coindex.read(tmp_path / "two.parquet")) == STORIES[1:]


# --- groups, shards, partitions


def test_row_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "GROUP_ROWS", 5)
    monkeypatch.setattr(columns, "BATCH_ROWS", 2)
    docs = [story().replace(id=str(number)) for number in range(12)]
    coindex.write(iter(docs), tmp_path / "a.parquet")
    file = pq.ParquetFile(tmp_path / "a.parquet")
    assert [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)] == [5, 5, 2]
    assert list(coindex.read(tmp_path / "a.parquet")) == docs
    coindex.write(iter(docs), tmp_path / "a.arrow")
    assert list(coindex.read(tmp_path / "a.arrow")) == docs


def test_documents_are_read_one_batch_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "GROUP_ROWS", 5)
    coindex.write((story().replace(id=str(number)) for number in range(200)), tmp_path / "a.arrow")
    converted = []
    convert = columns.record_document
    monkeypatch.setattr(columns, "record_document", lambda record: converted.append(1) or convert(record))
    next(coindex.read(tmp_path / "a.arrow"))
    assert len(converted) == 1


@pytest.mark.parametrize(
    ("options", "sizes"),
    [({"shard_rows": "2"}, [2, 2, 1]), ({"shard_words": "5"}, [1] * 5), ({"shard_words": "6"}, [2, 2, 1])],
)
@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_shards(format, options, sizes, tmp_path):
    docs = [marked("[Ann|a] lost [her|a] book again", id=str(number)) for number in range(5)]
    coindex.write(docs, tmp_path / "out", format, **options)
    files = sorted(os.listdir(tmp_path / "out"))
    assert files == [f"part-{number:05}.{format}" for number in range(len(sizes))]
    assert [len(list(coindex.read(tmp_path / "out" / name))) for name in files] == sizes
    assert list(coindex.read(tmp_path / "out")) == docs


def test_shards_from_the_command_line(tmp_path):
    coindex.write([story().replace(id=str(number)) for number in range(3)], tmp_path / "a.json")
    done = run("convert", tmp_path / "a.json", tmp_path / "out/", "--to", "parquet", "-w", "shard_rows=2")
    assert (done.code, sorted(os.listdir(tmp_path / "out"))) == (0, ["part-00000.parquet", "part-00001.parquet"])
    done = run("convert", tmp_path / "a.json", tmp_path / "x/", "--to", "parquet", "-w", "shard_rows=no")
    assert (done.code, (tmp_path / "x").exists()) == (2, False)
    done = run("convert", tmp_path / "out", tmp_path / "b.json")
    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a.json").read_bytes()


def test_no_documents(tmp_path):
    coindex.write([], tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").num_rows == 0
    assert list(coindex.read(tmp_path / "a.parquet")) == []
    coindex.write([], tmp_path / "out", "arrow", shard_rows="3")
    assert os.listdir(tmp_path / "out") == ["part-00000.arrow"]


def test_partitions_become_metadata(tmp_path):
    for year, language in (("2023", "de"), ("2024", "en")):
        folder = tmp_path / f"corpus/year={year}/language={language}/place=New%20York"
        folder.mkdir(parents=True)
        doc = Document.from_text("Ann", id=year)
        coindex.write(doc, folder / "part-0.parquet")
    (tmp_path / "corpus/_SUCCESS").touch()
    (tmp_path / "corpus/._SUCCESS.crc").touch()
    docs = list(coindex.read(tmp_path / "corpus"))
    assert [(doc.id, doc.language) for doc in docs] == [("2023", "de"), ("2024", "en")]
    assert docs[1].meta == {"year": "2024", "place": "New York"}


def test_streams_and_pipes(tmp_path):
    coindex.write(full_story(), tmp_path / "a.arrows", "arrow", layout="stream")
    assert list(coindex.read(tmp_path / "a.arrows")) == [full_story()]
    for to in ("parquet", "arrow"):
        packed = run("convert", tmp_path / "a.arrows", "-", "--to", to)
        assert packed.code == 0
        done = run("convert", "-", tmp_path / f"{to}.json", input=packed.out)
        assert (done.code, list(coindex.read(tmp_path / f"{to}.json"))) == (0, [full_story()])
        (tmp_path / f"a.{to}.gz").write_bytes(gzip.compress(packed.out))
        assert list(coindex.read(tmp_path / f"a.{to}.gz")) == [full_story()]


@pytest.mark.parametrize("compression", ["snappy", "gzip", "none"])
def test_compression(compression, tmp_path):
    coindex.write(story(), tmp_path / "a.parquet", compression=compression)
    found = pq.ParquetFile(tmp_path / "a.parquet").metadata.row_group(0).column(0).compression
    assert found == {"none": "UNCOMPRESSED"}.get(compression, compression.upper())
    assert list(coindex.read(tmp_path / "a.parquet")) == [story()]


def test_equal_documents_give_equal_bytes(tmp_path):
    for ending in ("parquet", "arrow"):
        for name in ("a", "b"):
            coindex.write(full_story(), tmp_path / f"{name}.{ending}")
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


# --- what goes wrong


def test_duplicate_ids_are_counted(tmp_path):
    coindex.write([story()] * 3, tmp_path / "a.parquet")
    with pytest.warns(DataWarning) as caught:
        assert len(list(coindex.read(tmp_path / "a.parquet"))) == 3
    assert [(w.message.code, w.message.details["number"]) for w in caught] == [("duplicate-document-id", 2)]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_truncated_file(ending, tmp_path):
    path = tmp_path / f"a.{ending}"
    coindex.write(story(), path)
    whole = path.read_bytes()
    for size in (12, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:size])
        with pytest.raises(FormatError) as caught:
            list(coindex.read(path))
        assert (caught.value.code, caught.value.path) == ("broken-table", str(path))
    done = run("convert", path, tmp_path / "out.json")
    assert (done.code, "Traceback" in done.err, (tmp_path / "out.json").exists()) == (2, False, False)


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_changed_bytes_never_crash(ending, tmp_path):
    path = tmp_path / f"a.{ending}"
    coindex.write(full_story(), path, compression="none")
    whole = path.read_bytes()
    failed = 0
    for at in range(0, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            list(coindex.read(path))
        except CoindexError:
            failed += 1
    assert failed


def test_a_message_about_damage_is_printable(tmp_path):
    """The library quotes an unknown type of the footer as a control character."""
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" + b"\x1e" * 8 + (8).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(FormatError) as caught:
        list(coindex.read(path))
    assert (caught.value.code, str(caught.value).isprintable()) == ("broken-table", True)


def test_a_foreign_table(tmp_path):
    pq.write_table(pa.table({"title": ["x"], "body": ["Ann"]}), tmp_path / "a.parquet")
    with pytest.raises(FormatError, match=r"'title', 'body'.*--text-column") as caught:
        list(coindex.read(tmp_path / "a.parquet"))
    assert caught.value.code == "missing-column"


def test_a_later_version(tmp_path):
    coindex.write(story(), tmp_path / "a.parquet")
    later = pq.read_table(tmp_path / "a.parquet").replace_schema_metadata({"coindex": "2"})
    pq.write_table(later, tmp_path / "a.parquet")
    with pytest.raises(FormatError) as caught:
        list(coindex.read(tmp_path / "a.parquet"))
    assert caught.value.code == "unknown-version"


BAD = [
    ("text", "Bob", "the token 0, which is not at character 0"),
    ("text", None, "no 'text'"),
    ("tokens", None, "entities|sentences|positions|number"),
    ("entities", [{"id": "a", "mentions": [9]}], "numbers of mentions, from 0 to 1"),
    ("entities", [{"id": "a", "mentions": [-1]}], "numbers of mentions"),
    ("bridging", [{"entity": "a", "mention": None, "antecedent": "a"}], "the number of a mention"),
]


@pytest.mark.parametrize(("column", "value", "message"), BAD)
def test_bad_values_have_a_row(column, value, message, tmp_path):
    good = marked("[Ann|a] left. [She|a] sings.")
    rows = [make_row(good), make_row(good) | {column: value}]
    pq.write_table(pa.Table.from_pylist(rows, schema()), tmp_path / "a.parquet")
    with pytest.raises(FormatError, match=message) as caught:
        list(coindex.read(tmp_path / "a.parquet"))
    assert (caught.value.code, caught.value.line) == ("invalid-json-value", 2)
    problems = []
    assert len(list(coindex.read(tmp_path / "a.parquet", on_problem=problems.append))) == 1
    assert [problem.line for problem in problems] == [2]


@pytest.mark.parametrize("column", ["tokens", "mentions", "entities", "meta"])
def test_columns_of_another_type(column, tmp_path):
    table = pa.Table.from_pylist([make_row(story())], schema())
    index = table.schema.get_field_index(column)
    pq.write_table(table.set_column(index, column, pa.array(["x"])), tmp_path / "a.parquet")
    with pytest.raises(FormatError) as caught:
        list(coindex.read(tmp_path / "a.parquet"))
    assert caught.value.code == "invalid-json-value"


def test_nothing_is_left_of_a_failed_output(tmp_path):
    def docs():
        yield story()
        raise CoindexError("stop")

    for options in ({}, {"shard_rows": "1"}):
        with pytest.raises(CoindexError, match="stop"):
            coindex.write(docs(), tmp_path / "a.parquet", **options)
        with pytest.raises(CoindexError) as caught:
            coindex.write(Document.from_text("half: \ud800"), tmp_path / "a.parquet", **options)
        assert caught.value.code == "lone-surrogate"
        assert os.listdir(tmp_path) == []


def test_without_pyarrow(tmp_path):
    coindex.write(story(), tmp_path / "a.parquet")
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import coindex\n"
        "for work in (lambda: list(coindex.read('a.parquet')), lambda: coindex.write([], 'b.arrow')):\n"
        "    try:\n        work()\n"
        "    except coindex.errors.MissingExtraError as error:\n        print(error.details)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.splitlines() == [str({"package": "pyarrow", "extra": "parquet"})] * 2
    assert not (tmp_path / "b.arrow").exists()
    assert MissingExtraError("pyarrow", "parquet").code == "missing-extra"
