"""Folder runs and streams from Python: planning, results and messages."""

from __future__ import annotations

from pathlib import Path

import pytest

import coindex
from coindex import Document
from coindex.corpora.folders import FileJob, Ways, goes_to_folder, plan_folder, run_folder
from coindex.corpora.resolving import BATCH_SIZE, ResolveSettings, resolve_documents
from coindex.errors import CoindexError
from coindex.resolvers.defaults import default_for
from corefud_text import document, sentence

GIVEN = ResolveSettings(resolver="singleton", mentions="given")
COREFUD = Ways(to="corefud")
TEXT = document(sentence("Ann Entity=(e1--1)", "met", "Bob Entity=(e2--1)"))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for name in ("a.conllu", "b.x.conllu", "deep/c.conllu"):
        path = tmp_path / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEXT, encoding="utf-8")
    return tmp_path / "corpus"


def test_a_plan_names_every_file(corpus: Path) -> None:
    plan = plan_folder([str(corpus)], "out", Ways(to="jsonlines"))
    assert plan.done == ()
    assert plan.todo == tuple(
        FileJob(str(corpus / f"{name}.conllu"), f"out/{name}.jsonlines", "corefud") for name in ("a", "b.x", "deep/c")
    )


def test_outcomes(corpus: Path, tmp_path: Path) -> None:
    (corpus / "b.x.conllu").write_text("# newdoc id = x\n1\tAnn\n\n", encoding="utf-8")
    plan = plan_folder([str(corpus)], str(tmp_path / "out"), COREFUD)
    good, bad, last = run_folder(plan.todo, GIVEN, COREFUD)
    assert (good.documents, good.tokens, good.problem, good.resolvers) == (1, 3, None, ["singleton"])
    assert bad.problem is not None
    assert bad.problem.startswith(f"{corpus / 'b.x.conllu'}:2: 2 columns")
    assert last.problem is None
    again = plan_folder([str(corpus)], str(tmp_path / "out"), COREFUD)
    assert [job.input for job in again.todo] == [str(corpus / "b.x.conllu")]
    assert len(again.done) == 2
    assert plan_folder([str(corpus)], str(tmp_path / "out"), COREFUD, overwrite=True).done == ()


def test_files_are_done_one_by_one(corpus: Path, tmp_path: Path) -> None:
    plan = plan_folder([str(corpus)], str(tmp_path / "out"), COREFUD)
    outcomes = run_folder(plan.todo, GIVEN, COREFUD)
    assert not (tmp_path / "out").exists()
    next(outcomes)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.conllu"]


@pytest.mark.parametrize(
    ("ways", "message"),
    [
        (Ways(to="nothing"), "unknown format 'nothing'"),
        (Ways(to="corefud", format="nothing"), "unknown format 'nothing'"),
        (Ways(to="corefud", write_options={"x": "y"}), "unknown option of corefud 'x'"),
    ],
)
def test_wrong_ways(ways: Ways, message: str, corpus: Path) -> None:
    with pytest.raises(CoindexError, match=message):
        plan_folder([str(corpus)], "out", ways)


@pytest.mark.parametrize(
    ("inputs", "output", "to", "expected"),
    [
        (["a.txt"], "out", None, False),
        (["a.txt"], "out/", None, True),
        (["a.txt", "b.txt"], "out", None, True),
        (["a.txt", "b.txt"], "out", "corefud", True),
        (["a.txt", "b.txt"], "out.conllu", None, False),
        (["a.txt", "b.txt"], "out.conllu.gz", None, False),
        (["."], "out", None, True),
        (["a.txt"], ".", None, True),
        (["a.txt"], ".", "brat", False),
        (["a.txt", "b.txt"], "out", "brat", True),
    ],
)
def test_outputs_that_are_folders(inputs: list[str], output: str, to: str | None, expected: bool) -> None:
    assert goes_to_folder(inputs, output, to) == expected


def test_documents_are_taken_as_they_are_needed() -> None:
    taken = []

    def docs():  # type: ignore[no-untyped-def]
        for number in range(100):
            taken.append(number)
            yield Document.from_text("Ann met Bob.", id=f"d{number}", language="en")

    next(resolve_documents(docs(), GIVEN))
    assert len(taken) == 1
    names: list[str] = []
    next(resolve_documents(docs(), ResolveSettings(), on_chain=names.append))
    assert len(taken) <= 1 + BATCH_SIZE
    assert names == [default_for("en")]


def test_a_loaded_chain_takes_texts() -> None:
    doc = coindex.load("are-baseline", language="en")("Mary met John. She waved.")
    assert [[mention.text for mention in entity.mentions] for entity in doc.entities] == [["Mary", "She"]]
