"""Campaigns of other shapes: several tracks and parts, one plain file, packed files."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from campaigns.server_world import ServerWorld, definition, zipped
from campaigns.world import BAD, GOOD, HALF, text
from coindex.annotation_app.layers import open_store
from coindex.campaigns import boards, key_review, submissions
from coindex.campaigns.keys import upload_key
from coindex.campaigns.submissions import download_input, submit
from coindex.campaigns.worker import run_all

TRACK = """[[tracks]]
name = "main"
profile = "crac22"
primary = "conll"
secondary = ["lea", "muc"]
"""
THREE = """[[tracks]]
name = "all"
part = "open"
profile = "crac22"
primary = "conll"
[[tracks]]
name = "heads"
part = "open"
profile = "crac24"
primary = "lea"
[[tracks]]
name = "given"
profile = "crac24"
primary = "conll"
mentions = "given"
"""


def test_tracks_with_parts(tmp_path: Path) -> None:
    store = open_store(tmp_path / "a.db")
    key = zipped({"x.conllu": text(GOOD, "x1", "x2")})
    world = ServerWorld(store, text=definition().replace(TRACK, THREE), key=key)
    mill, lake = world.add_team("mill"), world.add_team("lake")
    given = zipfile.ZipFile(io.BytesIO(download_input(world.server, mill, "evaluation").content))
    assert sorted(given.namelist()) == ["given/x.conllu", "open/x.conllu"]
    assert (b"Entity=" in given.read("given/x.conllu"), b"Entity=" in given.read("open/x.conllu")) == (True, False)

    good, half = text(GOOD, "x1", "x2"), text(HALF, "x1", "x2")
    both = submit(
        world.server,
        mill,
        "evaluation",
        file_name="both.zip",
        content=zipped({"open/x.conllu": half, "given/x.conllu": good}),
    )
    one = submit(world.server, lake, "evaluation", file_name="one.zip", content=zipped({"wrapped/open.conllu": good}))
    neither = submit(world.server, lake, "evaluation", file_name="x.zip", content=zipped({"other.conllu": good}))
    assert [finding.code for finding in neither.findings] == ["wrong-part-name"]
    assert run_all(world.server) == 2
    found = {
        one.id: (one.tracks, one.state, sorted(one.scores or {}))
        for one in submissions.list_submissions(world.server, world.organiser)
    }
    assert found == {
        both.submission: (["all", "heads", "given"], "done", ["all", "given", "heads"]),
        one.submission: (["all", "heads"], "done", ["all", "heads"]),
    }
    board = {
        track: [row.label for row in boards.board(world.server, world.organiser, "evaluation", track).rows]
        for track in ("all", "heads", "given")
    }
    assert board == {"all": ["lake", "mill"], "heads": ["lake", "mill"], "given": ["mill"]}
    world.close()
    store.close()


@pytest.mark.parametrize("name", ["mine.conllu", "mine.conllu.gz"])
def test_one_plain_file(tmp_path: Path, name: str) -> None:
    store = open_store(tmp_path / "a.db")
    world = ServerWorld(store)
    plain = text(GOOD, "x1", "x2").encode()
    upload_key(world.server, world.organiser, "evaluation", [("test.conllu", io.BytesIO(plain), len(plain))])
    for team, marks in (("mill", HALF), ("lake", BAD)):
        content = text(marks, "x1", "x2").encode()
        packed = gzip.compress(content) if name.endswith(".gz") else content
        sent = submit(world.server, world.add_team(team), "evaluation", file_name=name, content=packed)
        assert sent.submission is not None, sent.findings
    key_review.request_findings(world.server, world.organiser, "evaluation", anonymous=True)
    sample = key_review.request_sample(world.server, world.organiser, "evaluation", "main", size=2)
    assert run_all(world.server) == 4
    state = key_review.findings_state(world.server, world.organiser, "evaluation")
    assert (state.state, state.error) == ("done", "")
    shown = key_review.findings(world.server, world.organiser, "evaluation", "text")
    assert "mill" not in shown
    assert "coindex-team" not in shown
    assert len(key_review.sample(world.server, world.organiser, sample).items) == 6
    world.close()
    store.close()


def test_a_run_without_a_response_to_a_dataset_is_last(tmp_path: Path) -> None:
    """The check refuses it on upload; a dataset that came to the key later is missing from what was sent before."""
    store = open_store(tmp_path / "a.db")
    x, y = text(GOOD, "x1", "x2"), text(GOOD, "y1", "y2")
    world = ServerWorld(store, key=zipped({"x.conllu": x, "y.conllu": y}))
    mill, lake = world.add_team("mill"), world.add_team("lake")
    world.submit(mill, GOOD)
    run_all(world.server)
    world.upload_key(zipped({"x.conllu": x, "y.conllu": y, "z.conllu": text(GOOD, "z1")}), why="one more")
    content = zipped({"x.conllu": x, "y.conllu": y, "z.conllu": text(BAD, "z1")})
    submit(world.server, lake, "evaluation", file_name="a.zip", content=content)
    run_all(world.server)
    table = boards.board(world.server, world.organiser, "evaluation", "main")
    assert [(row.label, row.values[0]) for row in table.rows] == [("lake", 1), ("mill", None)]
    assert any("no response to z" in remark for remark in table.remarks)
    world.close()
    store.close()
