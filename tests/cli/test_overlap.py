"""`coindex overlap`: every form, streams, clear errors."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import coindex
from command import run
from tiny_model import make_corpus

STORY = '{"doc_key": "x", "sentences": [["Emil", "saw", "the", "dog", "."]], "clusters": [[[0, 0], [2, 3]]]}\n'


@pytest.fixture
def train(tmp_path: Path) -> str:
    return make_corpus(tmp_path / "train.jsonlines")


@pytest.fixture
def test(tmp_path: Path) -> Path:
    path = tmp_path / "test.jsonlines"
    path.write_text(STORY, encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "csv", "json"])
def test_forms(train: str, test: Path, form: str, tmp_path: Path) -> None:
    done = run("overlap", train, test, "--format", form)
    assert (done.code, done.err) == (0, "")
    assert done.out.decode() == coindex.overlap(train, test).render(form)
    assert run("overlap", train, test, "--format", form, "-o", tmp_path / "out").out == b""
    assert (tmp_path / "out").read_bytes() == done.out


def test_numbers(train: str, test: Path) -> None:
    data = json.loads(run("overlap", train, test, "--format", "json", "--below", "4,20").out)
    rows = {row["kind"]: row["values"] for row in data["tables"][0]["rows"]}
    # Emil is unknown; saw comes 3 times, the and dog 12 and 24 times
    assert rows["words"] == {"words": 4, "types": 4, "oov": 0.25, "below_4": 0.5, "below_20": 0.75}
    assert rows["heads"] == {"words": 2, "types": 2, "oov": 0.5, "below_4": 0.5, "below_20": 0.5}
    assert rows["names"]["oov"] == 1
    table = list(csv.DictReader(io.StringIO(run("overlap", train, test, "--format", "csv").out.decode())))
    assert all(row["signature"].startswith("coindex|overlap:preco@1|") for row in table)


def test_either_side_may_come_from_standard_input(train: str, test: Path) -> None:
    expected = run("overlap", train, test).out
    assert run("overlap", train, "-", input=STORY.encode()).out == expected
    assert run("overlap", "-", test, input=Path(train).read_bytes()).out == expected


def test_raw_text_is_a_corpus_of_words(train: str, tmp_path: Path) -> None:
    path = tmp_path / "story.txt"
    path.write_text("Anna saw the dog.", encoding="utf-8")
    done = run("overlap", train, path)
    assert done.code == 0
    assert "no mention has a word as its head" in done.err
    assert "all words              4" in done.out.decode()


def test_the_same_file_twice(train: str) -> None:
    done = run("overlap", train, train)
    assert done.code == 0
    assert "warning: " in done.err
    assert "12 of 12 documents also occur in" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing", "TEST"], "'missing' does not exist"),
        (["-", "-"], "both corpora are standard input"),
        (["TRAIN", "TEST", "--below", "1"], "frequency for rare words: 1"),
        (["TRAIN", "TEST", "--below", "some"], "expected integers, separated by commas"),
        (["TRAIN", "TEST", "--format", "xml"], "'xml' is not one of"),
    ],
)
def test_bad_input_is_refused(train: str, test: Path, tmp_path: Path, arguments: list[str], message: str) -> None:
    names = {"TRAIN": train, "TEST": test}
    done = run("overlap", *(names.get(one, one) for one in arguments), "-o", tmp_path / "out")
    assert (done.code, done.out) == (2, b"")
    assert message in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "out").exists()
