"""`coindex dedup` and `coindex clean`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import coindex
from coindex.document import Document
from command import run

TEXT = "the old man went down to the river and sat there until the sun was low and the birds came home"
WORDS = TEXT.split()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    texts = {
        "whole": [*WORDS, "so", "it", "was"],
        "part": WORDS,
        "other": [word[::-1] for word in WORDS],
        "again": [*WORDS, "so", "it", "was"],
    }
    path = tmp_path / "corpus.jsonlines"
    coindex.write([Document.from_text(" ".join(words), id=id) for id, words in texts.items()], path)
    return path


def test_the_shorter_ones_go(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "kept.jsonlines"
    done = run("dedup", corpus, "-o", out, "--format", "json")
    assert done.code == 0
    assert done.err == "4 documents, 2 near-duplicates\n"
    (table,) = json.loads(done.out)["tables"]
    pairs = {(row["dropped"].split(": ")[1], row["values"]["kept"].split(": ")[1]) for row in table["rows"]}
    assert pairs == {("part", "whole"), ("part", "again"), ("again", "whole")}
    assert [doc.id for doc in coindex.read(out)] == ["whole", "other"]


def test_without_output_only_the_list(corpus: Path, tmp_path: Path) -> None:
    before = set(tmp_path.iterdir())
    done = run("dedup", corpus)
    assert done.code == 0
    assert "part" in done.out.decode()
    assert set(tmp_path.iterdir()) == before


def test_nothing_found(corpus: Path) -> None:
    done = run("dedup", corpus, "--threshold", "0.9999999")
    assert b"part" in done.out  # what lies wholly in another is over every threshold
    alone = run("dedup", "-", "--from", "text", input=b"A text of its own.")
    assert (alone.code, alone.out) == (0, b"")
    assert alone.err == "1 document, 0 near-duplicates\n"


def test_standard_input_and_output(corpus: Path) -> None:
    done = run("dedup", "-", "-o", "-", "--to", "jsonlines", input=corpus.read_bytes())
    assert done.code == 0
    assert [json.loads(line)["doc_key"] for line in done.out.splitlines()] == ["whole", "other"]
    assert run("dedup", "-", corpus, input=b"x").code == 2


def test_several_files(corpus: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.jsonlines"
    coindex.write(Document.from_text(" ".join(WORDS), id="more"), more)
    done = run("dedup", corpus, more, "--format", "csv")
    assert f"{more}: more" in done.out.decode()
    assert "5 documents, 3 near-duplicates" in done.err


@pytest.mark.parametrize("threshold", ["2", "x", "1"])
def test_bad_thresholds(corpus: Path, tmp_path: Path, threshold: str) -> None:
    out = tmp_path / "kept.jsonlines"
    done = run("dedup", corpus, "-o", out, "--threshold", threshold)
    assert done.code == 2
    assert "threshold" in done.err
    assert not out.exists()


def test_cleaning_is_shown_before_it_is_done(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("He went home.Then he slept.", encoding="utf-8")
    done = run("clean", path)
    assert done.code == 0
    assert done.out.decode() == "a, sentence 1: blanks\n- went home.Then he slept\n+ went home. Then he slept\n"
    assert done.err == "1 place to fix; write the fixed documents with -o\n"
    assert path.read_text(encoding="utf-8") == "He went home.Then he slept."
    out = tmp_path / "out.conllu"
    assert run("clean", path, "-o", out).err == "1 place fixed\n"
    (doc,) = coindex.read(out)
    assert [each.text for each in doc.sentences] == ["He went home.", "Then he slept."]
    assert run("clean", path, "--rule", "quotes").err == "0 places to fix; write the fixed documents with -o\n"
