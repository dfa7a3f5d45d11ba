"""`coindex report`: the tables of `coindex.api.reports` in every form, and clear errors."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from analysis.ecb_text import KEY, S1, S2, write_ecb
from coindex.api.reports import report
from command import run


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    return {name: write_ecb(docs, tmp_path / name) for name, docs in (("key", KEY), ("s1", S1), ("s2", S2))}


def systems(folders: dict[str, Path]) -> list[str]:
    return [f"S1={folders['s1']}", f"S2:predicted={folders['s2']}"]


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_forms_for_people(folders: dict[str, Path], form: str) -> None:
    done = run("report", "ecb-realistic", folders["key"], *systems(folders), "--format", form)
    assert done.code == 0, done.err
    assert done.err == ""
    expected = report("ecb-realistic", KEY, {"S1": S1, "S2": S2}).render(form)
    assert done.out.decode() == expected
    for number in ("57.5", "86.5", "76.8", "59.2"):
        assert number in expected


def test_json(folders: dict[str, Path]) -> None:
    done = run("report", "ecb-realistic", folders["key"], *systems(folders), "--levels", "topic", "--format", "json")
    data = json.loads(done.out)
    assert data["report"] == "ecb-realistic"
    assert data["source"] == "Cattan et al. 2021, Table 3"
    assert data["systems"] == {"S1": str(folders["s1"]), "S2:predicted": str(folders["s2"])}
    assert (data["documents"], data["topics"], data["topics_seen"]) == (4, ["2"], "given")
    rows = [row for row in data["tables"][0]["rows"] if row["system"] == "S2" and row["singletons"] == "without"]
    (row,) = rows
    assert row["values"]["ceafe_f1"] == pytest.approx(0.9)
    assert "|sing:no|" in row["signature"]
    assert "|kind:event|" in row["signature"]


def test_csv(folders: dict[str, Path]) -> None:
    done = run("report", "ecb-realistic", folders["key"], *systems(folders), "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out.decode())))
    wanted = {"table": "events", "level": "topic", "system": "S1", "singletons": "without", "column": "muc_f1"}
    (row,) = (row for row in rows if wanted.items() <= row.items())
    assert float(row["value"]) == pytest.approx(0.75)
    assert row["mentions"] == "gold"
    assert all(row["signature"].startswith("coindex|ecb-") for row in rows)


def test_a_file(folders: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "table.tex"
    done = run("report", "ecb-realistic", folders["key"], "--format", "latex", "-o", out)
    assert (done.code, done.out) == (0, b"")
    assert out.read_text(encoding="utf-8") == report("ecb-realistic", KEY).render("latex")


def test_crac22() -> None:
    garden = Path(__file__).parents[2] / "examples" / "garden.conllu"
    done = run("report", "crac22", garden, f"mine={garden.with_name('garden-response.conllu')}")
    assert done.code == 0, done.err
    assert "CoNLL score by dataset" in done.out.decode()


GARDEN = Path(__file__).parents[2] / "examples" / "garden.conllu"
MINE = f"mine={GARDEN.with_name('garden-response.conllu')}"


def test_some_tables() -> None:
    done = run("report", "crac22", GARDEN, MINE, "--tables", "9, datasets", "--format", "json")
    assert done.code == 0, done.err
    assert [table["name"] for table in json.loads(done.out)["tables"]] == ["datasets", "entities"]


@pytest.mark.parametrize("name", ["rueval14", "are07"])
def test_tracks(name: str) -> None:
    done = run("report", name, GARDEN, MINE, "--format", "csv")
    assert done.code == 0, done.err
    assert {row["system"] for row in csv.DictReader(io.StringIO(done.out.decode()))} == {"mine"}


def test_documents(tmp_path: Path) -> None:
    done = run("report", "documents", GARDEN, MINE, "--metric", "b3", "--tables", "hardest,genres")
    assert done.code == 0, done.err
    assert "fiction" in done.out.decode()
    assert "over 1 document" not in done.out.decode(), "the table spread was not asked for"


def test_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = run("report", "documents", GARDEN, MINE, "--figures", tmp_path / "figures", "--figure-format", "png")
    assert done.code == 0, done.err
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["spread.png"]


def test_problems_of_a_response_are_reported_with_its_system(tmp_path: Path) -> None:
    """Mentions that are in two entities."""
    odd = tmp_path / "odd.conllu"
    text = GARDEN.read_text(encoding="utf-8").replace("Entity=(e1-person-1)", "Entity=(e1-person-1)(e99-person-1)")
    assert "e99" in text
    odd.write_text(text, encoding="utf-8")
    done = run("report", "crac22", GARDEN, f"odd={odd}", "--tables", "4")
    assert "odd: 6 mentions of the response occur more than once" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ecb", "KEY"], "unknown report 'ecb'"),
        (["ecb-realistic", "missing"], "'missing' does not exist"),
        (["ecb-realistic", "KEY", "S1"], "'S1': write it as NAME=VALUE"),
        (["ecb-realistic", "KEY", "S1=nowhere"], "neither an existing file or folder nor a resolver"),
        (["ecb-realistic", "KEY", "--split", "train"], "no documents of the topics 1 3 4"),
        (["ecb-realistic", "KEY", "--levels", "topics"], "unknown level 'topics'"),
        (["ecb-realistic", "KEY", "--format", "xml"], "is not one of"),
        (["crac22", "KEY", "S1=KEY", "--split", "dev"], "crac22 has no option split"),
        (["crac22", "KEY", "S1=KEY", "--tables", "3"], "unknown table of crac22 '3'"),
        (["crac22", "KEY"], "the report crac22 needs at least one system"),
        (["rueval14", "KEY", "S1=KEY", "--top", "3"], "rueval14 has no option top"),
        (["are07", "KEY", "S1=missing"], "'S1': missing: no such file or folder"),
        (["are07", "KEY", "S1=KEY", "--figures", "figures"], "the report are07 has no figures"),
        (["documents", "KEY", "S1=KEY", "--metric", "mucc"], "unknown metric of crac24@1 'mucc'"),
    ],
)
def test_bad_input(folders: dict[str, Path], tmp_path: Path, arguments: list[str], message: str) -> None:
    given = [argument.replace("KEY", str(folders["key"])) for argument in arguments]
    out = tmp_path / "out.txt"
    done = run("report", *given, "-o", out)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert not out.exists()
    assert not list(tmp_path.glob("*.tmp*"))


def test_a_response_cut_short_leaves_no_file(folders: dict[str, Path], tmp_path: Path) -> None:
    next(folders["s1"].rglob("2_1ecb.xml")).unlink()
    out = tmp_path / "out.txt"
    done = run("report", "ecb-realistic", folders["key"], f"S1={folders['s1']}", "-o", out)
    assert done.code == 2
    assert "'S1': no document '2_1ecb'; expected the 4 documents of the key" in done.err
    assert not out.exists()
