"""The tables of the shared task over two systems and two datasets: numbers of the scorer, in the paper's order."""

from __future__ import annotations

from pathlib import Path

import pytest

from coindex.analysis.reports import Report
from coindex.analysis.tables import Table
from coindex.api import score, score_datasets, write
from coindex.api.reports import report
from coindex.errors import CoindexError
from scoring.texts import doc

KEYS = {
    "aa": ["(a:2 the fox )a saw (b) hens", "@2:nsubj (a) it ran (b) hens fled", "(c) night fell"],
    "bb": ["(a) Ann met (b) Bob", "(a) she and (b) he left"],
}
RESPONSES = {
    "good": {
        "aa": ["(a:2 the fox )a saw (b) hens", "@2:nsubj (a) it ran (b) hens fled", "(c) night fell"],
        "bb": ["(a) Ann met (b) Bob", "(a) she and (a) he left"],
    },
    "poor": {
        "aa": ["the (a) fox saw hens", "@2:nsubj (a) it ran hens fled", "night fell"],
        "bb": ["(a) Ann met (a) Bob", "she and he left"],
    },
}


def write_datasets(texts: dict[str, list[str]], folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, sentences in texts.items():
        write(doc(*sentences, id=name).replace(shared_ids=False), folder / f"{name}.conllu")
    return folder


@pytest.fixture
def paths(tmp_path: Path) -> dict[str, Path]:
    folders = {name: write_datasets(texts, tmp_path / name) for name, texts in RESPONSES.items()}
    return {"key": write_datasets(KEYS, tmp_path / "key"), **folders}


@pytest.fixture
def made(paths: dict[str, Path]) -> Report:
    return report("crac22", paths["key"], {"poor": paths["poor"], "good": paths["good"]})


def table(found: Report, name: str) -> Table:
    (one,) = (table for table in found.tables if table.name == name)
    return one


def values(found: Table, system: str) -> dict[str, object]:
    (row,) = (row for row in found.rows if row.keys["system"] == system)
    return dict(zip((column.name for column in found.columns), row.values, strict=True))


@pytest.mark.parametrize("system", RESPONSES)
def test_numbers_are_those_of_the_scorer(made: Report, paths: dict[str, Path], system: str) -> None:
    pairs = {name: (paths["key"] / f"{name}.conllu", paths[system] / f"{name}.conllu") for name in KEYS}
    primary = score_datasets(pairs, profile="crac22")
    assert primary.conll is not None
    main = values(table(made, "main"), system)
    assert main["primary"] == primary.conll
    for name, options in (
        ("head-match", {"match": "head"}),
        ("exact-match", {"match": "exact"}),
        ("with-singletons", {"singletons": True}),
    ):
        other = score_datasets(pairs, profile="crac22", **options).conll  # type: ignore[arg-type]
        assert other is not None
        assert main[name] == other
        assert main[f"{name}_difference"] == other - primary.conll
    metrics = values(table(made, "metrics"), system)
    assert metrics["lea_recall"] == primary["lea"].recall
    assert metrics["mor_precision"] == primary["mor"].precision
    datasets = values(table(made, "datasets"), system)
    assert datasets == {name: primary.results[name].conll for name in KEYS}


def test_signatures(made: Report, paths: dict[str, Path]) -> None:
    """The variants differ by column in the first table; a dataset's number is not a mean."""
    marks = ["match:partial", "match:head", "match:exact", "sing:yes"]
    assert all(mark in one for mark, one in zip(marks, table(made, "main").signatures, strict=True))
    assert ["macro:2" in table(made, name).signatures[0] for name in ("metrics", "datasets")] == [True, False]
    pair = (paths["key"] / "aa.conllu", paths["good"] / "aa.conllu")
    assert table(made, "datasets").signatures == [score(*pair, profile="crac22").signature]


def test_the_best_comes_first(made: Report) -> None:
    for name in ("main", "metrics", "datasets"):
        assert [row.label for row in table(made, name).rows] == ["good", "poor"]


def test_zeros_only_of_datasets_that_have_them(tmp_path: Path, paths: dict[str, Path], made: Report) -> None:
    assert "zeros" not in [found.name for found in made.tables]
    texts = {"zz": ["(a) Ann came", "(a) @2:nsubj and sat"], "bb": KEYS["bb"]}
    key, response = (write_datasets(texts, tmp_path / name) for name in ("zkey", "zresponse"))
    zeros = table(report("crac22", key, {"same": response}), "zeros")
    assert [column.name for column in zeros.columns] == ["zz_recall", "zz_precision", "zz_f1"]
    assert list(zeros.rows[0].values) == [1, 1, 1]


def test_one_file_is_one_dataset(paths: dict[str, Path]) -> None:
    found = report("crac22", paths["key"] / "bb.conllu", {"good": paths["good"] / "bb.conllu"})
    assert [column.name for column in table(found, "datasets").columns] == ["bb"]


def test_as_the_paper_prints_it(made: Report) -> None:
    text = made.render()
    assert "primary" in text.splitlines()[1]
    assert "(" not in text.splitlines()[4]
    assert "+0.00" in text
    assert r"\multicolumn{2}{c}{head-match}" in made.render("latex")


def test_bad_input(paths: dict[str, Path], tmp_path: Path) -> None:
    (paths["good"] / "bb.conllu").unlink()
    with pytest.raises(CoindexError, match=r"'good': .*no response file 'bb'"):
        report("crac22", paths["key"], {"good": paths["good"]})
    with pytest.raises(CoindexError, match=r"'gone': .*no such file or folder; expected a response"):
        report("crac22", paths["key"], {"gone": tmp_path / "gone"})
    with pytest.raises(CoindexError, match="the report crac22 needs at least one system"):
        report("crac22", paths["key"])
    with pytest.raises(CoindexError, match="two systems have the name 'a'"):
        report("crac22", paths["key"], [("a", paths["poor"]), ("a", paths["poor"])])
    with pytest.raises(CoindexError, match="crac22 has no option levels"):
        report("crac22", paths["key"], {"poor": paths["poor"]}, levels=["topic"])
