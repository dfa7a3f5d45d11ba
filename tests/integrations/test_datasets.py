"""Hugging Face datasets: `Dataset.map` with a resolver, and `coindex.read` of a dataset."""

import os
import pickle

import pyarrow.parquet as pq
import pytest

import coindex
from coindex.errors import CoindexError, DataWarning, FormatError, UnknownNameError
from coindex.integrations.datasets import BatchResolver

datasets = pytest.importorskip("datasets")

ROWS = {
    "key": [7, 8, 9],
    "body": ["...", "Ann Smith left. She waved.", None],
    "year": [2020, None, 2022],
}


@pytest.fixture(autouse=True)
def quiet(tmp_path, monkeypatch):
    """No progress bars, and the cache in the folder of the test."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


@pytest.fixture
def dataset():
    return datasets.Dataset.from_dict(ROWS)


@pytest.fixture(scope="module")
def function():
    return coindex.batch_resolver("en-small", text_column="body")


def found(row):
    assert [entity["mentions"] for entity in row["entities"]] == [[0, 1]]
    for mention in row["mentions"]:
        assert row["body"][mention["start_char"] : mention["end_char"]] == mention["text"]
    return [mention["text"] for mention in row["mentions"]]


def test_map(dataset, function):
    mapped = dataset.map(function, batched=True, batch_size=1, features=function.features(dataset))
    assert mapped.column_names == ["key", "body", "year", "mentions", "entities"]
    assert [len(row["mentions"]) for row in mapped] == [0, 2, 0]
    assert found(mapped[1]) == ["Ann Smith", "She"]


def test_map_without_features(dataset, function):
    assert found(dataset.map(function, batched=True)[1]) == ["Ann Smith", "She"]


def test_map_in_processes(dataset, function, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "environ", os.environ)  # datasets replaces it by a copy
    mapped = dataset.map(function, batched=True, num_proc=2, features=function.features(dataset))
    assert found(mapped[1]) == ["Ann Smith", "She"]


def test_map_of_arrow_tables(dataset, function):
    mapped = dataset.with_format("arrow").map(function, batched=True, batch_size=1).with_format(None)
    assert found(mapped[1]) == ["Ann Smith", "She"]
    again = mapped.with_format("arrow").map(function, batched=True).with_format(None)
    assert again.column_names == mapped.column_names


def test_map_of_an_iterable_dataset(dataset, function):
    stream = dataset.to_iterable_dataset().map(function, batched=True)
    assert found(list(stream)[1]) == ["Ann Smith", "She"]


def test_other_columns(dataset):
    function = coindex.batch_resolver(text_column="body", columns=["tokens", "resolved_text"])
    (row,) = dataset.select([1]).map(function, batched=True, features=function.features(dataset))
    assert row["resolved_text"] == "Ann Smith left. Ann Smith waved."
    assert [token["form"] for token in row["tokens"]] == ["Ann", "Smith", "left", ".", "She", "waved", "."]
    with pytest.raises(UnknownNameError):
        coindex.batch_resolver(columns=["mention"])


def test_pickled(function):
    copy = pickle.loads(pickle.dumps(function))
    assert isinstance(copy, BatchResolver)
    batch = {"body": ROWS["body"][1:2]}
    assert copy(batch) == function(batch)
    assert len(pickle.dumps(function)) < 10_000


def test_a_missing_column(dataset):
    with pytest.raises(CoindexError, match="'key', 'body', 'year'") as caught:
        coindex.batch_resolver("en-small")(dataset.to_dict())
    assert caught.value.code == "missing-column"


# --- reading


@pytest.mark.parametrize("kind", ["dataset", "arrow", "stream", "without features"])
def test_read(kind, dataset, tmp_path):
    if kind == "arrow":
        dataset = dataset.with_format("arrow")
    elif kind == "stream":
        dataset = dataset.to_iterable_dataset()
    elif kind == "without features":
        rows = [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]
        dataset = datasets.IterableDataset.from_generator(lambda: iter(rows))
    with pytest.warns(DataWarning, match="1 rows without text"):
        docs = list(coindex.read(dataset, text_column="body", id_column="key"))
    assert [(doc.id, doc.text, doc.meta) for doc in docs] == [
        ("7", "...", {"year": "2020"}),
        ("8", "Ann Smith left. She waved.", {}),
        ("9", "", {"year": "2022"}),
    ]
    coindex.write(docs, tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet")["year"].to_pylist() == [2020, None, 2022]


def test_read_errors(dataset):
    for options in ({}, {"text_column": "x"}):
        with pytest.raises(FormatError, match="'key', 'body', 'year'"):
            list(coindex.read(dataset, **options))
    with pytest.raises(UnknownNameError):
        coindex.read(dataset, column="body")
    with pytest.raises(CoindexError, match="'train'"):
        coindex.read(datasets.DatasetDict(train=dataset), text_column="body")
    with pytest.raises(TypeError):
        coindex.read(5)


def test_documents_that_were_written_are_a_dataset(tmp_path):
    doc = coindex.Document.from_text("Ann left.", id="d").replace(meta={"a": "b"})
    coindex.write(doc, tmp_path / "a.parquet")
    (row,) = datasets.Dataset.from_parquet(str(tmp_path / "a.parquet"), cache_dir=str(tmp_path))
    assert (row["text"], row["meta"]) == ("Ann left.", [{"key": "a", "value": "b"}])
