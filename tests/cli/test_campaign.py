"""`coindex campaign`: what it prints, its exit codes, and no traceback whatever it is given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from campaigns.world import BAD, GOOD, HALF, World, text
from coindex.api import write
from coindex.campaigns.definition import READY
from command import run
from marked_text import marked


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.answer("mill", GOOD)
    world.answer("hill", HALF)
    return world


def board(world: World, *more: object, verb: str = "score") -> tuple[int, str, str]:
    done = run("campaign", verb, world.file, "--keys", world.keys, "--submissions", world.received, *more)
    assert "Traceback" not in done.err
    return done.code, done.out.decode(), done.err


def test_new_and_show(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    for like in READY:
        assert run("campaign", "new", "mine", "--like", like, "--opens", "2030-05-01", "-o", file).code == 0
        shown = run("campaign", "show", file, "--now", "2030-05-01T00:00:00Z")
        assert shown.code == 0
        first = next(line for line in shown.out.decode().splitlines() if line.startswith("phase"))
        assert "2030-05-01 00:00" in first
        assert first.endswith("open")
    near = run("campaign", "new", "mine", "--like", "crac2")
    assert near.code == 2
    assert "crac22" in near.err


def test_blind_and_check(world: World) -> None:
    folder = world.folder / "input"
    done = run("campaign", "blind", world.keys, "-o", folder, "--campaign", world.file)
    assert done.code == 0
    assert done.out.decode().split() == [str(folder / "x.conllu"), str(folder / "y.conllu")]
    assert b"Entity=" not in (folder / "x.conllu").read_bytes()
    good = run("campaign", "check", folder, world.received / "hill", "--campaign", world.file)
    assert (good.code, good.out) == (0, b"")
    (world.received / "hill" / "x.conllu").write_text(text(HALF, "x1"), encoding="utf-8")
    bad = run("campaign", "check", folder, world.received / "hill", "--campaign", world.file, "--json")
    assert bad.code == 2
    found = json.loads(bad.out)
    assert found["severity"] == "error"
    assert found["found"] == "no document 'x2'"
    shown = run("campaign", "check", folder, world.received / "hill", "--campaign", world.file)
    assert "x.conllu: no document 'x2'; expected all 2 documents of x;" in shown.out.decode()
    assert "1 error" in shown.err
    again = run("campaign", "blind", world.keys, "-o", folder)
    assert again.code == 2
    assert "not empty" in again.err


def test_check_names_files_of_an_answer_that_are_not_read(world: World) -> None:
    answer = world.received / "hill/x"
    answer.mkdir()
    answer.with_suffix(".conllu").rename(answer / "x.conllu")
    (answer / "plot.png").write_bytes(bytes(range(256)))
    (answer / "notes.txt").write_text("How we did it.", encoding="utf-8")
    done = run("campaign", "check", world.keys, world.received / "hill", "--campaign", world.file)
    assert (done.code, "0 errors, 2 warnings" in done.err) == (0, True)
    assert "hill/x/plot.png: skipped: binary data" in done.out.decode()
    assert "hill/x/notes.txt: skipped: raw text, without entities" in done.out.decode()


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "latex", "html"])
def test_score(world: World, form: str) -> None:
    code, out, _ = board(world, "--format", form)
    assert code == 0
    assert out.index("mill") < out.index("hill")
    assert "crac22@1" in out.replace("\\", "")


def test_score_to_a_file_and_a_failed_run(world: World) -> None:
    (world.received / "lake.zip").write_bytes(b"x")
    code, out, _ = board(world, "-o", world.folder / "board.txt", "--rounds", 0)
    assert (code, out) == (1, "")
    shown = (world.folder / "board.txt").read_text(encoding="utf-8")
    assert "lake, run 1: not scored" in shown
    assert "p, next" not in shown


def test_hidden_names_and_scores(world: World) -> None:
    public = ("--for", "public", "--phase", "evaluation", "--scores", world.scores)
    code, out, err = board(world, *public, "--now", "2030-01-31T23:59:59Z")
    assert (code, out) == (2, "")
    assert "hidden" in err
    code, out, err = board(world, *public, "--now", "2030-02-01T00:00:00Z")
    assert code == 0
    assert "mill" not in out + err
    assert "S1" in out


def test_choose(world: World) -> None:
    world.answer("bay@1", GOOD)
    world.answer("bay@2", BAD)
    _, out, _ = board(world, "--choose", "bay=2", "--format", "csv")
    assert "main,main,bay,scored,run,2," in out
    code, _, err = board(world, "--choose", "bay=9")
    assert code == 2
    assert "unknown run of bay" in err


def test_findings(world: World) -> None:
    code, out, _ = board(world, "--tables", "4,6", verb="findings")
    assert code == 0
    assert "CoNLL score by dataset" in out
    code, _, err = board(world, "--tables", "99", verb="findings")
    assert code == 2
    assert "unknown table" in err


def test_sample_and_verdicts(world: World) -> None:
    world.answer("bay", BAD)
    file = world.folder / "sample.json"
    assert board(world, "--size", 2, "-o", file, verb="sample")[0] == 0
    assert len(json.loads(file.read_text(encoding="utf-8"))["items"]) == 6
    shown = run("campaign", "verdicts", file)
    assert shown.code == 0
    assert "matched groups" in shown.out.decode()
    file.write_text("[]", encoding="utf-8")
    assert run("campaign", "verdicts", file).code == 2


def test_all_tracks_of_are(tmp_path: Path) -> None:
    story = marked("[The fox|a] saw [a hen|b] . [It|a] ran and [she|b] hid .", id="s")
    write(story, tmp_path / "key.xml", "are")
    (tmp_path / "received" / "mill").mkdir(parents=True)
    for task in "1234":
        write(story, tmp_path / "received" / "mill" / f"task{task}.xml", "are", task=task, kind="response")
    arguments = (
        "are07",
        "--keys",
        tmp_path / "key.xml",
        "--submissions",
        tmp_path / "received",
        "--scores",
        tmp_path / "s",
    )
    scored = run("campaign", "score", *arguments, "--format", "json")
    assert scored.code == 0, scored.err
    tables = json.loads(scored.out)["tables"]
    assert [table["name"] for table in tables] == ["task1", "task2", "task3", "task4"]
    assert all(table["rows"][0]["values"]["rank"] == 1 for table in tables)
    made = run("campaign", "findings", *arguments, "--anonymous")
    assert made.code == 0, made.err
    assert "Tasks 2, 3 and 4" in made.out.decode()
    assert "mill" not in made.out.decode()


def test_nothing_for_any_track(tmp_path: Path) -> None:
    story = marked("[The fox|a] ran . [It|a] hid .", id="s")
    write(story, tmp_path / "key.xml", "are")
    write(story, tmp_path / "received" / "mill.xml", "are", task="1", kind="response")
    done = run("campaign", "score", "are07", "--keys", tmp_path / "key.xml", "--submissions", tmp_path / "received")
    assert done.code == 2
    assert (
        "no submission contains a file or folder for any track; name them after their parts: task1, task2" in done.err
    )


def test_collections(tmp_path: Path) -> None:
    for number in (1, 2):
        story = marked("[The fox|a] [fled|e] . [It|a] ran .", id=f"1_{number}ecb")
        story = story.replace(topic="1", subtopic="1ecb", shared_ids=True)
        write(story, tmp_path / "key", "ecbplus")
        for part in ("gold-topic", "predicted-subtopic"):
            write(story, tmp_path / "received" / "mill" / part, "ecbplus")
    arguments = ("ecb-realistic", "--keys", tmp_path / "key", "--submissions", tmp_path / "received")
    scored = run("campaign", "score", *arguments, "--format", "json")
    assert scored.code == 0, scored.err
    names = [table["name"] for table in json.loads(scored.out)["tables"]]
    assert names == [f"{part}{end}" for part in ("gold-topic", "predicted-subtopic") for end in ("", "-singletons")]
    made = run("campaign", "findings", *arguments)
    assert made.code == 0, made.err
    assert "mill – Gold⁺" in made.out.decode()


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "nothing.toml", "--keys", ".", "--submissions", "."),
        ("show", "nothing.toml"),
        ("check", ".", "nothing.zip"),
        ("blind", ".", "-o", "out"),
        ("blind", ".", "-o", "out", "--campaign", "crac22", "--task", "1"),
    ],
)
def test_bad_input(arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("campaign", *arguments)
    assert done.code == 2
    assert "rror: " in done.err
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []
