"""`coindex stats`: files, folders, systems and standard input in every form, and clear errors."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from analysis.corpus_text import FIRST, SECOND, corpus
from coindex.api import stats, write
from command import run


@pytest.fixture
def paths(tmp_path: Path) -> dict[str, Path]:
    """A file of both documents, and a folder with a file for each, in two formats."""
    both = tmp_path / "both.conllu"
    write(corpus(), both)
    folder = tmp_path / "folder"
    folder.mkdir()
    for doc in corpus():
        write(doc, folder / f"{doc.id}.conllu")
    return {"both": both, "folder": folder}


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "latex"])
def test_forms_are_those_of_python(paths: dict[str, Path], form: str) -> None:
    done = run("stats", paths["both"], f"parts={paths['folder']}", "--format", form)
    assert (done.code, done.err) == (0, "")
    assert done.out.decode() == stats({"both": paths["both"], "parts": paths["folder"]}).render(form)


def test_a_folder_has_the_numbers_of_its_documents(paths: dict[str, Path]) -> None:
    done = run("stats", paths["both"], f"parts={paths['folder']}", "--format", "json", "--tables", "all")
    data = json.loads(done.out)
    assert data["corpora"] == {"both": str(paths["both"]), "parts": str(paths["folder"])}
    assert [table["name"] for table in data["tables"]][-1] == "documents"
    (entities,) = (table for table in data["tables"] if table["name"] == "entities")
    both, parts = (row["values"] for row in entities["rows"])
    assert both == parts
    assert (both["total"], both["length_max"]) == (6, 3)


def test_chosen_tables_with_and_without_singletons(paths: dict[str, Path]) -> None:
    totals = {}
    for option in ("--singletons", "--no-singletons"):
        done = run("stats", paths["both"], "--tables", "entities,mentions", option, "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(done.out.decode())))
        assert {row["table"] for row in rows} == {"entities", "mentions"}
        totals[option] = {row["table"]: row["value"] for row in rows if row["column"] == "total"}
    assert totals["--singletons"] == {"entities": "6", "mentions": "10"}
    assert totals["--no-singletons"] == {"entities": "3", "mentions": "7"}


def test_several_processes_count_the_same(tmp_path: Path) -> None:
    many = [doc.replace(id=f"GUM_news_{number}") for number in range(400) for doc in [(FIRST, SECOND)[number % 2]]]
    write(many, tmp_path / "many.conllu")
    one, two = (
        run("stats", tmp_path / "many.conllu", "--tables", "all", "--format", "json", "-j", jobs) for jobs in (1, 2)
    )
    assert one.code == two.code == 0, two.err
    assert one.out == two.out


def test_standard_input_and_other_formats(paths: dict[str, Path], tmp_path: Path) -> None:
    done = run("stats", "-", "--tables", "dataset", input=paths["both"].read_bytes())
    assert done.code == 0, done.err
    assert done.out.decode().splitlines()[3].split()[:4] == ["stdin", "2", "4", "19"]
    run("convert", paths["both"], tmp_path / "same.json")
    other = run("stats", tmp_path / "same.json", "--format", "csv")
    own = run("stats", f"same={paths['both']}", "--format", "csv")
    assert other.out == own.out


def test_the_page_is_written_whole(paths: dict[str, Path], tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    plots = tmp_path / "plots"
    done = run("stats", paths["both"], "--format", "html", "-o", target, "--plots", plots)
    assert (done.code, done.err, done.out) == (0, "", b"")
    assert target.read_text(encoding="utf-8") == stats(paths["both"], lists=True).render("html")
    assert sorted(path.name for path in plots.iterdir())[0] == "cluster_sizes.svg"


def test_files_with_the_same_name_are_distinguished_by_their_paths(paths: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    again = tmp_path / "other" / "both.conllu"
    again.write_bytes(paths["both"].read_bytes())
    done = run("stats", paths["both"], again, "--tables", "dataset", "--format", "json")
    assert list(json.loads(done.out)["corpora"]) == [str(paths["both"]), str(again)]


def test_a_path_with_an_equals_sign_is_a_path(tmp_path: Path) -> None:
    write(corpus(), tmp_path / "a=b.conllu")
    done = run("stats", tmp_path / "a=b.conllu", "--format", "json")
    assert list(json.loads(done.out)["corpora"]) == ["a=b"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.conllu"], "no such file or folder"),
        (["x=nowhere.conllu"], "no such file or folder"),
        (["={both}"], "the name is empty"),
        (["a={both}", "a={both}"], "two corpora have the name"),
        (["{both}", "{both}"], "two corpora have the name"),
        (["a=-", "b=-"], "standard input can be used only once"),
        (["{both}", "--tables", "entitys"], "did you mean entities"),
        (["{text}"], "a format without entities"),
        (["{broken}"], "broken.conllu:3"),
        ([], "Missing argument"),
    ],
)
def test_bad_input(paths: dict[str, Path], tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "raw.txt").write_text("Nobody said a word.", encoding="utf-8")
    broken = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n1\tAnn\tAnn\n\n"
    (tmp_path / "broken.conllu").write_text(broken, encoding="utf-8")
    names = {"both": paths["both"], "text": tmp_path / "raw.txt", "broken": tmp_path / "broken.conllu"}
    target = tmp_path / "out.txt"
    done = run("stats", *(one.format(**names) for one in arguments), "-o", target)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert not target.exists()


def test_a_corpus_without_entities_is_reported(tmp_path: Path) -> None:
    write(FIRST.replace(entities=()), tmp_path / "bare.conllu")
    done = run("stats", tmp_path / "bare.conllu", "--tables", "dataset")
    assert done.code == 0
    assert "bare: no entities; if this is unexpected" in done.err
