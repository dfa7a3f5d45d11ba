"""Submissions: what windows and limits allow, to the second; what the check refuses, with its place."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from campaigns.server_world import OPENS, ServerWorld, answer, definition, zipped
from campaigns.world import GOOD, WORDS, text
from coindex.annotation_app.layers import open_store
from coindex.campaigns import submissions
from coindex.campaigns.checking import SubmissionProblem
from coindex.campaigns.models import SubmissionRow
from coindex.campaigns.server import ClosedError, ForbiddenError, NotFoundError, Viewer
from coindex.campaigns.submissions import check, download_input, submit, submit_state
from coindex.campaigns.worker import run_all
from coindex.errors import CODES_ONLY, CoindexError

CLOSES = datetime(2030, 1, 8, tzinfo=UTC)


def set_outcome(world: ServerWorld, submission: int | None, outcome: str) -> None:
    with world.store.write() as session:
        session.get_one(SubmissionRow, submission).outcome = outcome


# --- windows


def test_the_edges_of_the_phase(world: ServerWorld) -> None:
    team = world.add_team("mill")
    world.clock.now = OPENS.replace(year=2029, month=12, day=31, hour=23, minute=59, second=59)
    with pytest.raises(ClosedError, match="opens on 2030-01-01 00:00:00 UTC"):
        world.submit(team)
    with pytest.raises(ClosedError, match="opens"):
        download_input(world.server, team, "evaluation")
    world.clock.now = OPENS
    assert world.submit(team).submission is not None
    world.clock.now = CLOSES.replace(day=7, hour=23, minute=59, second=59, microsecond=999_999)
    assert world.submit(team).submission is not None
    world.clock.now = CLOSES
    with pytest.raises(ClosedError, match="closed on 2030-01-08 00:00:00 UTC"):
        world.submit(team)


def test_hours_run_from_the_first_download(tmp_path: Path) -> None:
    store = open_store(tmp_path / "a.db")
    world = ServerWorld(store, text=definition(limits="hours_from_download = 48"))
    team = world.add_team("mill")
    with pytest.raises(ClosedError, match="download the input first; you then have 48 hours"):
        world.submit(team)
    first = world.clock.now
    given = download_input(world.server, team, "evaluation")
    assert sorted(zipfile.ZipFile(io.BytesIO(given.content)).namelist()) == ["x.conllu", "y.conllu"]
    assert b"Entity=" not in zipfile.ZipFile(io.BytesIO(given.content)).read("x.conllu")
    world.clock.forward(hours=10)
    assert download_input(world.server, team, "evaluation").content == given.content
    assert submit_state(world.server, team, "evaluation").first_download == first
    world.clock.now = first
    world.clock.forward(hours=48, microseconds=-1)
    assert world.submit(team).submission is not None
    world.clock.now = first
    world.clock.forward(hours=48)
    with pytest.raises(ClosedError, match="your 48-hour submission window ended on"):
        world.submit(team)
    world.close()
    store.close()


def test_limits_a_day_and_in_all_pass_over_what_failed(tmp_path: Path) -> None:
    store = open_store(tmp_path / "a.db")
    world = ServerWorld(store, text=definition(limits="limit_a_day = 2\nlimit_total = 3"))
    team, other = world.add_team("mill"), world.add_team("lake")
    first = world.submit(team).submission
    world.submit(team)
    with pytest.raises(ClosedError, match="daily submission limit reached: 2 of 2") as refused:
        world.submit(team)
    assert refused.value.answer.until == datetime(2030, 1, 2, tzinfo=UTC)
    assert world.submit(other).submission is not None
    set_outcome(world, first, "failed")
    assert world.submit(team).submission is not None
    with pytest.raises(ClosedError):
        world.submit(team)
    world.clock.now = datetime(2030, 1, 2, tzinfo=UTC)
    assert world.submit(team).submission is not None
    with pytest.raises(ClosedError, match="submission limit reached: 3 of 3 in evaluation"):
        world.submit(team)
    state = submit_state(world.server, team, "evaluation")
    assert (state.today, state.total, bool(state.submit)) == (1, 3, False)
    world.close()
    store.close()


def test_a_refused_submission_is_not_counted_or_kept(world: ServerWorld) -> None:
    team = world.add_team("mill")
    receipt = submit(world.server, team, "evaluation", file_name="a.zip", content=answer(GOOD, datasets="x"))
    assert receipt.submission is None
    assert submit_state(world.server, team, "evaluation").total == 0
    assert submissions.list_submissions(world.server, team) == []


# --- who


def test_only_teams_submit_and_download(world: ServerWorld) -> None:
    world.add_user("pat")
    for nobody in (world.viewer("pat"), world.viewer(None)):
        with pytest.raises(ForbiddenError, match="only teams"):
            world.submit(nobody)
        with pytest.raises(ForbiddenError, match="only teams"):
            download_input(world.server, nobody, "evaluation")
    with pytest.raises(NotFoundError, match="unknown phase 'evalution'; did you mean evaluation"):
        world.submit(world.add_team("mill"), phase="evalution")


def test_runs_have_names_of_their_own(world: ServerWorld) -> None:
    team = world.add_team("mill")
    world.submit(team, run="2")
    world.submit(team)
    with pytest.raises(CoindexError, match="your team already has a run named '2'"):
        world.submit(team, run="2")
    assert [one.run for one in submissions.list_submissions(world.server, team)] == ["2.2", "2"]


def test_a_team_sees_and_gets_its_own_submissions_only(world: ServerWorld) -> None:
    mill, lake = world.add_team("mill"), world.add_team("lake")
    sent = world.submit(mill).submission
    assert sent is not None
    assert submissions.download_submission(world.server, mill, sent).content == answer(GOOD)
    for act in (submissions.download_submission, submissions.submission, submissions.cancel):
        with pytest.raises(NotFoundError, match="does not exist or is not visible"):
            act(world.server, lake, sent)
    submissions.cancel(world.server, mill, sent)
    assert run_all(world.server) == 0
    assert submissions.submission(world.server, mill, sent).state == "cancelled"
    assert submit_state(world.server, mill, "evaluation").total == 0


# --- what the check refuses


def sent(world: ServerWorld, team: Viewer, name: str, content: bytes) -> list[SubmissionProblem]:
    receipt = submit(world.server, team, "evaluation", file_name=name, content=content)
    assert receipt.submission is None
    assert receipt.findings == check(world.server, team, "evaluation", file_name=name, content=content)
    return receipt.findings


def link() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("x.conllu")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return out.getvalue()


def changed() -> str:
    words = ["Ann", "met", "Rob", *WORDS[3:]]
    return text(GOOD, "x1", "x2", words=words)


GOOD_X, GOOD_Y = text(GOOD, "x1", "x2"), text(GOOD, "y1", "y2")
REFUSED: dict[str, tuple[str, bytes, str, str]] = {
    "a zip bomb": (
        "a.zip",
        zipped({"x.conllu": "\n" * 3_000_000}),
        "upload-too-large",
        "compressed by a factor of more than 200",
    ),
    "a link": ("a.zip", link(), "unsafe-archive", "a link or device in a zip"),
    "a word changed": (
        "a.zip",
        zipped({"x.conllu": changed(), "y.conllu": GOOD_Y}),
        "word-mismatch",
        r"a\.zip/x\.conllu:\d+:\d+: ",
    ),
    "a document missing": (
        "a.zip",
        zipped({"x.conllu": text(GOOD, "x1"), "y.conllu": GOOD_Y}),
        "missing-document",
        "no document 'x2'",
    ),
    "a dataset missing": ("a.zip", zipped({"x.conllu": GOOD_X}), "missing-dataset", "no file or folder y"),
    "another dataset": (
        "a.zip",
        zipped({"x.conllu": GOOD_Y, "y.conllu": GOOD_X}),
        "wrong-dataset",
        "documents of the dataset y",
    ),
    "a path out of the folder": (
        "a.zip",
        zipped({"../x.conllu": GOOD_X}),
        "unsafe-file-name",
        "points outside the folder",
    ),
    "an absolute path": ("a.zip", zipped({"/x.conllu": GOOD_X}), "unsafe-file-name", "points outside the folder"),
    "no zip": ("a.zip", b"PK\x03\x04 half of it", "broken-archive", "not a valid zip archive"),
    "a broken gz": ("x.conllu.gz", gzip.compress(GOOD_X.encode())[:-9], "broken-archive", "damaged compressed data"),
    "nothing": ("a.zip", zipped({}), "missing-dataset", "no file or folder"),
    "no entities": (
        "a.zip",
        zipped({"x.conllu": text({}, "x1", "x2"), "y.conllu": GOOD_Y}),
        "no-entities",
        "none of the 2 documents contains an entity",
    ),
}


def test_the_check_of_uploads_reports_the_place(world: ServerWorld) -> None:
    team = world.add_team("mill")
    for what, (name, content, code, message) in REFUSED.items():
        findings = sent(world, team, name, content)
        messages = "\n".join(map(str, findings))
        assert code in [finding.code for finding in findings], what
        assert CODES_ONLY or re.search(message, messages), f"{what}: {messages}"
        assert "/tmp" not in messages, what
        assert all(finding.file.startswith(name) for finding in findings), what
    latin = zipped({"y.conllu": GOOD_Y})
    out = io.BytesIO(latin)
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("x.conllu", GOOD_X.replace("Ann", "Änn").encode("latin-1"))
    assert "not-utf8" in [finding.code for finding in sent(world, team, "a.zip", out.getvalue())]


def test_names_of_files_that_cannot_be_kept(world: ServerWorld) -> None:
    team = world.add_team("mill")
    for name in ("", "..", "a\0b.zip", "x" * 300 + ".zip", "result.json", ".hidden"):
        with pytest.raises(CoindexError, match="is not a valid file name"):
            submit(world.server, team, "evaluation", file_name=name, content=b"")
    kept = submit(world.server, team, "evaluation", file_name="C:\\home\\my answer.zip", content=answer(GOOD))
    assert submissions.submission(world.server, team, kept.submission or 0).file_name == "my answer.zip"
