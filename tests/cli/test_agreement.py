"""`coindex agreement` and `coindex quality`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import coindex
from annotated import annotated, text
from coindex.api.agreement import agreement, short_names
from coindex.errors import DataWarning
from command import run

CHAINS = {
    "ada": {"x": [(0,), (3,), (6,)], "y": [(1,), (4,)]},
    "ben": {"x": [(0,), (3,)], "y": [(1,), (4,)], "z": [(6,)]},
    "cleo": {"x": [(0,), (3,), (6,)], "y": [(1,)]},
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    paths = {name: tmp_path / f"{name}.jsonlines" for name in CHAINS}
    for name, chains in CHAINS.items():
        coindex.write(annotated(text(9), chains), paths[name])
    return paths


def test_the_numbers_are_those_of_the_scorer(files: dict[str, Path]) -> None:
    found = agreement(list(files.values()))
    assert found.names == ("ada", "ben", "cleo")
    for (one, other), result in found.scores.items():
        metrics = ("mentions", "muc", "b3", "ceafm", "ceafe", "lea")
        scored = coindex.score(
            files[one], files[other], match="exact", singletons=True, zeros="linear", metrics=metrics
        )
        assert result.to_dict() == scored.to_dict()
        assert found.values((one, other))["conll"] == scored.conll
        assert found.signature == scored.signature
    mean = (found.values(("ada", "ben"))["b3"] + found.values(("ada", "cleo"))["b3"]) / 2
    assert found.means("ada")["b3"] == pytest.approx(mean)


def test_text_has_pairs_annotators_and_a_matrix(files: dict[str, Path]) -> None:
    done = run("agreement", *files.values())
    assert done.code == 0
    out = done.out.decode()
    assert "ada – ben" in out
    assert "By annotator: mean over the other annotators" in out
    assert "All pairs, CoNLL" in out
    assert "[1] coindex|crac24@1|match:exact|sing:yes|zeros:lin|v:" in out
    assert "coindex|alpha|dist:passonneau|unmarked:null|sing:yes|v:" in out


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "latex", "html"])
def test_all_forms(files: dict[str, Path], form: str) -> None:
    done = run("agreement", f"A={files['ada']}", f"B={files['ben']}", "--format", form)
    assert (done.code, done.err) == (0, "")
    assert done.out


def test_json_has_each_number_with_its_signature(files: dict[str, Path]) -> None:
    options = ("--matrix", "alpha", "--by-document", "--format", "json")
    data = json.loads(run("agreement", *(f"{name}={path}" for name, path in files.items()), *options).out)
    assert [table["name"] for table in data["tables"]] == ["pairs", "annotators", "matrix-alpha", "documents"]
    assert all(column["signature"] for table in data["tables"] for column in table["columns"])
    pairs = {(row["a"], row["b"]): row["values"] for row in data["tables"][0]["rows"]}
    assert pairs["ada", "cleo"]["mentions"] == pytest.approx(8 / 9)
    matrix = {row["annotator"]: row["values"] for row in data["tables"][2]["rows"]}
    assert matrix["ada"]["ben"] == matrix["ben"]["ada"] == pairs["ada", "ben"]["alpha"]
    assert matrix["ada"]["ada"] is None


def test_the_hardest_document_comes_first_and_documents_spread(tmp_path: Path) -> None:
    """All agree on two documents, and differ on the one between them."""
    paths = {name: tmp_path / f"{name}.jsonlines" for name in CHAINS}
    for name, chains in CHAINS.items():
        docs = [annotated(text(9, id=id), chains if id == "hard" else CHAINS["ada"]) for id in ("one", "hard", "two")]
        coindex.write(docs, paths[name])
    found = agreement(paths)
    alone = agreement({name: [list(coindex.read(path))[1]] for name, path in paths.items()})
    by_document = found.by_document()
    assert list(by_document) == ["one", "hard", "two"]
    assert by_document["one"]["conll"] == by_document["one"]["alpha"] == 1
    assert by_document["hard"] == {key: pytest.approx(value) for key, value in alone.means().items()} | {
        "alpha": alone.alpha["null"],
        "alpha_missing": alone.alpha["missing"],
    }
    spread, documents = found.report(by_document=True).tables[-2:]
    assert [row.label for row in documents.rows] == ["hard", "one", "two"]
    at = [column.name for column in spread.columns].index("alpha")
    hard = alone.alpha["null"]
    mean = (2 + hard) / 3
    sd = ((2 * (1 - mean) ** 2 + (hard - mean) ** 2) / 2) ** 0.5
    assert [row.values[at] for row in spread.rows] == pytest.approx([mean, sd, hard, 1])


def test_options_of_the_scorer(files: dict[str, Path]) -> None:
    out = run("agreement", files["ada"], files["ben"], "--no-singletons", "--metrics", "muc").out.decode()
    assert "sing:no" in out
    assert "B³" not in out


def test_folders(tmp_path: Path) -> None:
    for name, chains in CHAINS.items():
        (tmp_path / name).mkdir()
        for number in (1, 2):
            coindex.write(annotated(text(9, id=str(number)), chains), tmp_path / name / f"{number}.jsonlines")
    found = agreement({name: tmp_path / name for name in CHAINS})
    assert [unit.id for unit in found.scores["ada", "ben"].units] == ["1", "2"]


def test_standard_input(files: dict[str, Path]) -> None:
    done = run("agreement", f"A={files['ada']}", "B=-", input=files["ben"].read_bytes())
    assert done.code == 0
    assert run("agreement", "A=-", "B=-").code == 2


def test_other_words_are_an_error_with_its_place_and_can_be_aligned(files: dict[str, Path], tmp_path: Path) -> None:
    other = tmp_path / "dan.jsonlines"
    other.write_text(files["ben"].read_text().replace('"w5"', '"W5"'), encoding="utf-8")
    done = run("agreement", files["ada"], other)
    assert (done.code, done.out) == (2, b"")
    assert "dan.jsonlines" in done.err
    assert "the word 'W5'; expected the word 'w5' as in ada" in done.err
    assert "--align" in done.err
    assert "Traceback" not in done.err
    aligned = run("agreement", files["ada"], other, "--align")
    assert aligned.code == 0
    assert "words that some versions lack are ignored: ada 1, dan 1" in aligned.err
    assert "align:yes" in aligned.out.decode()
    whole = agreement({"a": files["ada"], "b": files["ben"]})
    with pytest.warns(DataWarning, match="a 1, b 1"):
        found = agreement({"a": files["ada"], "b": other}, align=True)
    assert found.values(("a", "b")) == whole.values(("a", "b"))


def test_bad_calls(files: dict[str, Path], tmp_path: Path) -> None:
    one = files["ada"]
    for arguments, told in [
        ((one,), "1 annotation given; at least 2"),
        ((one, one), "given twice"),
        ((one, tmp_path / "none.conll"), "no such file or folder"),
        ((f"A={one}", files["ben"]), "no name"),
        ((f"A={one}", f"A={files['ben']}"), "two annotations have this name"),
        ((one, files["ben"], "--matrix", "muk"), "did you mean muc"),
    ]:
        done = run("agreement", *arguments)
        assert done.code == 2
        assert told in done.err
        assert "Traceback" not in done.err


def test_broken_files(files: dict[str, Path], tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonlines"
    broken.write_text(files["ben"].read_text()[:-20], encoding="utf-8")
    out = tmp_path / "out.txt"
    done = run("agreement", files["ada"], broken, "-o", out)
    assert done.code == 2
    assert "broken.jsonlines:1" in done.err
    assert not out.exists()


def test_names() -> None:
    assert short_names(["p/Play-AB_1.x.conll", "p/Play-AC_1.x.conll", "p/Play-D_1.x.conll"]) == ["AB", "AC", "D"]
    assert short_names(["a.conll", "b.conll"]) == ["a", "b"]
    assert short_names(["a.conll", "a.conllu"]) == ["a.conll", "a.conllu"]


def test_quality(files: dict[str, Path]) -> None:
    once = [argument for name in CHAINS for argument in ("--once", f"{name[0].upper()}={files[name]}")]
    final = [argument for name in ("D", "E", "F") for argument in ("--final", f"{name}={files['ada']}")]
    done = run("quality", *once, "--merge", f"AB={files['ben']}", *final, "--format", "json")
    assert (done.code, done.err) == (0, "")
    (table,) = json.loads(done.out)["tables"]
    rows = {row["process"]: row["values"] for row in table["rows"]}
    assert list(rows) == ["once", "ABC-voting", "AB-merge", "DEF-voting"]
    assert rows["DEF-voting"] == dict.fromkeys(rows["DEF-voting"], 1.0)
    assert rows["ABC-voting"]["average_f1"] == 1.0  # the errors of two annotators are not the same
    conll = [agreement({"key": files["ada"], "x": files[name]}).values(("key", "x"))["conll"] for name in CHAINS]
    assert rows["once"]["average_f1"] == pytest.approx(sum(conll) / 3)
    assert rows["AB-merge"]["average_f1"] == pytest.approx(conll[1])
    assert all(row["signature"].startswith("coindex|crac24@1|match:exact|sing:yes") for row in table["rows"])


def test_quality_against_one_refined_annotation(files: dict[str, Path]) -> None:
    done = run("quality", "--once", files["ben"], "--final", f"gold={files['ada']}", "--format", "csv")
    assert done.code == 0
    assert b"quality,gold,average_f1,1.0," in done.out


def test_real_annotators(shared_data: Path) -> None:
    """Three annotators of the first act of a drama, and two whose words differ."""
    folder = shared_data / "de_gerdracor_parallel" / "conll"
    by_name = {path.name[: path.name.index("_Act1")]: path for path in folder.glob("Raeuber-*_Act1*")}
    found = agreement(by_name)
    assert all(0.5 < found.values(pair)["conll"] < 0.9 for pair in found.scores)
    sara = {name: next(folder.glob(f"Sara-{name}_Act1*")) for name in ("AH", "AK")}
    assert run("agreement", *sara.values()).code == 2
    with pytest.warns(DataWarning, match="words that some versions lack are ignored"):
        aligned = agreement(sara, align=True)
    assert 0 < aligned.values(("AH", "AK"))["conll"] < 1
