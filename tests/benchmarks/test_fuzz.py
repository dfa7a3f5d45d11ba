"""The fuzzer: it runs, its cases depend only on the seed, and it finds planted bugs."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice

import pytest
from benchmarks.fuzz.cases import Case, Target, seeds
from benchmarks.fuzz.checks import Failure, run
from benchmarks.fuzz.readers import READERS
from benchmarks.fuzz.workers import Worker

from benchmarks import fuzz, measuring
from coindex.formats import preco

NAMES = [*seeds(None), *(name for name in READERS if name != "backup")]
PRECO = b'{"id": "a", "sentences": [["Ann", "left"], ["She"]], "mention_clusters": [[[0, 0, 1], [1, 0, 1]]]}\n'


def test_some_hundred_cases_find_nothing():
    findings = fuzz.fuzz(islice(fuzz.cases(NAMES, 20, None), 300), 1, NAMES)
    assert [f"{case.reader}: {failure}: {failure.detail}" for failure, case in findings.first.items()] == []
    assert sum(row.cases for row in findings.rows.values()) == 300
    assert all(row.read for name, row in findings.rows.items() if row.cases > 20)


def test_cases_depend_on_the_seed_alone():
    first = list(islice(fuzz.cases(NAMES, 1, None), 40))
    assert first == list(islice(fuzz.cases(NAMES, 1, None), 40))
    assert first != list(islice(fuzz.cases(NAMES, 2, None), 40))
    assert len({case.reader for case in first}) > 8


def test_a_planted_fault_is_found_reduced_and_kept(tmp_path, monkeypatch, capsys):
    def read(source):
        for doc in preco_read(source):
            yield doc.replace(id={"a": "a"}[doc.id])

    preco_read = preco.FORMAT.read
    monkeypatch.setattr(preco, "FORMAT", replace(preco.FORMAT, read=read))
    monkeypatch.setattr(measuring, "RESULTS", tmp_path / "results")
    monkeypatch.delenv("COINDEX_DATA", raising=False)
    with pytest.raises(SystemExit) as stopped:
        fuzz.main(["--cases", "60", "--formats", "preco", "--keep", str(tmp_path / "kept"), "--jobs", "2"])
    assert stopped.value.code == 1
    results = json.loads((tmp_path / "results/fuzz.json").read_text())
    (row,) = results["rows"]
    assert (row["format"], row["cases"], row["failed"] > 0) == ("preco", 60, True)
    kept = {failure["what"]: failure["kept"] for failure in row["failures"]}
    name = kept["read: KeyError at corpora/files.py:read_source"]
    (file,) = (tmp_path / "kept" / name).iterdir()
    assert len(file.read_bytes()) < 60  # {"sentences":[]}
    assert "KeyError" in (tmp_path / "kept" / f"{name}.log").read_text()
    assert "| preco | 60 |" in (tmp_path / "results/fuzz.md").read_text()
    assert "read: KeyError" in capsys.readouterr().err


def test_output_that_is_refused_or_differs_is_found(tmp_path, monkeypatch):
    def write(docs, sink):
        preco_write((doc.replace(entities=doc.entities[1:]) for doc in docs), sink)

    preco_write = preco.FORMAT.write
    case = Case("preco", "d.jsonl", {"d.jsonl": PRECO}, "here", targets=(Target("preco"),))
    assert run(case, tmp_path).failures == ()
    monkeypatch.setattr(preco, "FORMAT", replace(preco.FORMAT, write=write))
    assert run(case, tmp_path).failures == (Failure("compare preco", "other entities"),)
    monkeypatch.setattr(preco, "FORMAT", replace(preco.FORMAT, write=lambda docs, sink: sink.stream.write("{\n")))
    (refused,) = run(case, tmp_path).failures
    assert (refused.step, refused.what) == ("read what was written as preco", "our own output is refused")


def test_a_hanging_reader_is_ended(monkeypatch):
    def read(source):
        while source:
            pass
        yield

    monkeypatch.setattr(preco, "FORMAT", replace(preco.FORMAT, read=read))
    worker = Worker(cpu_seconds=0.1)
    try:
        (hang,) = worker.run(Case("preco", "d.jsonl", {"d.jsonl": PRECO}, "here")).failures
        assert hang.what == "more than 0.1 s of CPU time"
        assert worker.run(Case("text", "d.txt", {"d.txt": b"Ann"}, "here")).result == "read"  # in a new process
    finally:
        worker.close()


def test_an_unknown_format_is_refused(capsys):
    with pytest.raises(SystemExit):
        fuzz.main(["--formats", "conl"])
    assert "unknown format 'conl'; known: corefud" in capsys.readouterr().err
