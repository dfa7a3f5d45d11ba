"""The leaderboard: order, ties, missing scores, failed runs, significance, scores that are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from campaigns.world import BAD, GOOD, HALF, World, text
from coindex.api import compare, score_datasets
from coindex.campaigns.definition import Track
from coindex.campaigns.leaderboard import compare_runs, explain_ties, standings
from coindex.campaigns.offline import Board, score_campaign
from coindex.campaigns.scoring import Run, Source, from_record, list_submissions, to_record
from coindex.errors import CoindexError
from coindex.scoring import Counts, Result, UnitCounts
from wording import says

TRACK = Track(name="main", profile="rueval14-coref", primary="muc", secondary=("b3",))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def board(world: World, **options: object) -> Board:
    return score_campaign(world.file, world.keys, world.received, **options)  # type: ignore[arg-type]


def column(found: Board, name: str) -> dict[str, object]:
    (table,) = found.tables
    at = [one.name for one in table.columns].index(name)
    return {row.label: row.values[at] for row in table.rows}


def test_order_and_numbers(world: World) -> None:
    for name, marks in (("bay", BAD), ("hill", HALF), ("mill", GOOD)):
        world.answer(name, marks)
    found = board(world)
    (table,) = found.tables
    assert [row.label for row in table.rows] == ["mill", "hill", "bay"]
    assert column(found, "rank") == {"mill": 1, "hill": 2, "bay": 3}
    pairs = {name: (world.keys / f"{name}.conllu", world.received / "hill" / f"{name}.conllu") for name in "xy"}
    expected = score_datasets(pairs, profile="crac22")
    assert column(found, "conll")["hill"] == expected.conll
    assert column(found, "lea")["hill"] == expected["lea"].f1
    assert column(found, "conll:x")["hill"] == expected.results["x"].conll
    assert table.rows[1].signature == expected.signature
    for form in ("text", "json", "csv", "markdown", "latex", "html"):
        assert "crac22@1" in found.render(form).replace("\\", ""), "every number has its signature"


def test_missing_scores_come_last(world: World) -> None:
    world.answer("part", GOOD, only="x")
    world.answer("whole", BAD)
    found = board(world)
    assert list(column(found, "rank").items()) == [("whole", 1), ("part", None)]
    assert column(found, "conll")["part"] is None
    assert column(found, "conll:x")["part"] == 1
    assert any("no response to y" in remark for remark in found.tables[0].remarks)


def test_failed_runs_never_count(world: World) -> None:
    world.answer("mill@1", HALF)
    broken = world.answer("mill@2", GOOD)
    (broken / "x.conllu").write_text(text(GOOD, "x1"), encoding="utf-8")
    (world.received / "lake.zip").write_bytes(b"no zip")
    found = board(world)
    assert column(found, "run") == {"mill": "1", "lake": "1"}
    assert column(found, "rank") == {"mill": 1, "lake": None}
    assert {run.name: bool(run.failure) for run in found.runs if run.team == "mill"} == {"1": False, "2": True}


@pytest.mark.parametrize(
    ("counts", "chosen", "expected"),
    [
        ("best", {}, "1"),
        ("last", {}, "3"),
        ("chosen", {}, "3"),
        ("chosen", {"mill": "2"}, "2"),
        ("best", {"mill": "2"}, "2"),
    ],
)
def test_which_run_counts(world: World, counts: str, chosen: dict[str, str], expected: str) -> None:
    world.file.write_text(f'counts = "{counts}"\n' + world.file.read_text(encoding="utf-8"), encoding="utf-8")
    for number, marks in ((1, GOOD), (2, BAD), (3, HALF)):
        world.answer(f"mill@{number}", marks)
    assert column(board(world, chosen=chosen), "run") == {"mill": expected}


def test_a_choice_that_is_not_there(world: World) -> None:
    world.answer("mill@1", GOOD)
    with pytest.raises(CoindexError, match="unknown run of mill"):
        board(world, chosen={"mill": "7"})


def run(team: str, muc: float, b3: float, order: int = 1, documents: int = 3) -> Run:
    """A run whose F1 are these numbers."""
    units = []
    for number in range(documents):
        counts = {name: Counts((1.0, 1.0, 1.0, 1.0)) for name in TRACK.settings.metrics}
        for name, value in (("muc", muc), ("b3", b3)):
            counts[name] = Counts((value, 1.0, value, 1.0))
        units.append(UnitCounts(str(number), counts))
    return Run(team=team, track="main", results={"all": Result.of(TRACK.settings, units)}, order=order)


def test_ties_are_explained() -> None:
    runs = [run("a", 0.5, 0.2), run("b", 0.5, 0.4), run("c", 0.5, 0.4, order=2), run("d", 0.49999, 0.9)]
    found = standings(TRACK, runs)
    assert [(one.run.team, one.rank) for one in found] == [("b", 1), ("c", 1), ("a", 1), ("d", 4)]
    assert explain_ties(TRACK, found) == [
        "b and c have the same muc and share rank 1; b is listed first because it submitted earlier.",
        "c and a have the same muc and share rank 1; c is listed first because of its b3 score.",
        "a and d have the same rounded score; a is 0.001 points of muc better.",
    ]


def test_order_of_the_input_does_not_matter() -> None:
    runs = [run("a", 0.5, 0.2), run("b", 0.5, 0.2), Run(team="c", track="main", failure="broken"), run("d", 0.1, 0.1)]
    expected = ["a", "b", "d", "c"]
    assert [one.run.team for one in standings(TRACK, runs)] == expected
    assert [one.run.team for one in standings(TRACK, reversed(runs))] == expected


# --- significance


def test_one_dataset_is_as_in_compare(world: World) -> None:
    world.file.write_text(
        world.file.read_text(encoding="utf-8").replace('name = "main"', 'name = "main"\none_dataset = true'),
        encoding="utf-8",
    )
    world.answer("hill", HALF)
    world.answer("mill", GOOD)
    found = board(world)
    sides = {name: world.received / name for name in ("mill", "hill")}
    expected = compare(world.keys, sides, test="permutation", profile="crac22")
    difference = expected.difference("conll", "mill", "hill")
    assert expected.exact
    assert column(found, "p_next") == {"mill": difference.p_value, "hill": None}


def test_exact_and_drawn_agree() -> None:
    first, second = run("a", 0.9, 0.5, documents=8), run("b", 0.4, 0.5, documents=8)
    exact = compare_runs(first, second, "muc", rounds=256)
    drawn = compare_runs(first, second, "muc", rounds=255)
    assert exact is not None
    assert drawn is not None
    # only all or none swapped is as far apart: 2 of 256
    assert exact.p_value == 2 / 256
    assert "permutation-exact" in exact.signature
    assert "permutation-exact" not in drawn.signature
    assert drawn.p_value < 0.06
    same = compare_runs(first, first, "muc")
    assert same is not None
    assert same.p_value == 1


def test_runs_that_cannot_be_compared() -> None:
    one = run("a", 0.9, 0.5, documents=1)
    assert compare_runs(one, one, "muc") is None
    assert compare_runs(run("a", 1, 1), Run(team="b", track="main", failure="x"), "muc") is None


# --- scores that are kept


def test_kept_scores_are_taken_and_stay(world: World) -> None:
    folder = world.answer("hill", HALF)
    before = board(world, scores=world.scores)
    files = sorted(world.scores.rglob("*.json"))
    assert len(files) == 2
    record = json.loads(files[0].read_text(encoding="utf-8"))
    assert record["signature"].startswith("coindex|crac22@1|")
    assert record["scores"]["conll"] is not None
    again = board(world, scores=world.scores)
    assert again.render("csv") == before.render("csv")
    assert sorted(world.scores.rglob("*.json")) == files
    for dataset in "xy":
        (folder / f"{dataset}.conllu").write_text(text(GOOD, f"{dataset}1", f"{dataset}2"), encoding="utf-8")
    assert column(board(world, scores=world.scores), "conll") == {"hill": 1}
    assert set(files) < set(world.scores.rglob("*.json")), "old scores stay beside new ones"
    world.file.write_text(
        world.file.read_text(encoding="utf-8").replace('"crac22"\nprimary', '"crac24"\nprimary'), encoding="utf-8"
    )
    board(world, scores=world.scores)
    assert len(list(world.scores.rglob("*.json"))) == 6, "another signature is another record"


def test_a_kept_score_is_not_computed_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.answer("hill", HALF)
    before = board(world, scores=world.scores)
    monkeypatch.setattr("coindex.api.scoring.score", None)
    assert board(world, scores=world.scores).render("json") == before.render("json")


def test_records_keep_every_bit() -> None:
    result = run("a", 1 / 3, 0.1).results["all"]
    source = Source(answer="a", key="k")
    record = json.loads(json.dumps(to_record(result, source)))
    again = from_record(record, "here")
    assert again.scores == result.scores
    assert again.signature == result.signature
    assert again.by_document().keys() == result.by_document().keys()
    assert source.name("s") != Source(answer="a", key="k2").name("s") != source.name("t")


def test_broken_records_are_reported(world: World) -> None:
    world.answer("hill", HALF)
    board(world, scores=world.scores)
    file = next(world.scores.rglob("x-*.json"))
    file.write_text("{}", encoding="utf-8")
    (failed,) = board(world, scores=world.scores).runs
    assert failed.failure
    assert says(failed.failure, "another version")


def test_names_of_submissions(tmp_path: Path) -> None:
    for name in ("lake.conllu", "v1.5@10.zip", "v1.5@9.conllu.gz", "mill@b", "mill@a"):
        (tmp_path / name).mkdir() if "." not in name else (tmp_path / name).write_text("", encoding="utf-8")
    found = [(sent.team, sent.run, sent.order) for sent in list_submissions(tmp_path)]
    assert sorted(found) == [("lake", "1", 1), ("mill", "a", 1), ("mill", "b", 2), ("v1.5", "10", 2), ("v1.5", "9", 1)]
    (tmp_path / "lake.zip").write_text("", encoding="utf-8")
    with pytest.raises(CoindexError, match="two runs '1' of 'lake'"):
        list_submissions(tmp_path)
