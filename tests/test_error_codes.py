"""Errors, problems and warnings have codes and fields; no logic reads their messages."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from campaigns.world import GOOD, HALF, World, text
from coindex.error_codes import CODES
from coindex.errors import (
    CODES_ONLY,
    CoindexError,
    DataWarning,
    FormatError,
    MissingExtraError,
    Problem,
    UnknownNameError,
)
from coindex.formats.source import fill_columns


@pytest.fixture
def uses(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parent.parent / "docs")
    return importlib.import_module("generating.error_uses")


def test_every_code_is_registered_and_every_registered_code_is_used(uses: ModuleType) -> None:
    used = {use.code: f"{use.module}:{use.line}" for use in uses.find_uses()}
    assert not {code: place for code, place in used.items() if code not in CODES}
    assert not CODES.keys() - used.keys()
    assert all(meaning.endswith(".") for meaning in CODES.values())
    assert not [meaning for meaning, times in Counter(CODES.values()).items() if times > 1]


def test_every_error_and_warning_is_made_with_a_code(uses: ModuleType) -> None:
    assert not list(uses.find_uncoded())


def test_the_fields_of_an_error_reach_other_processes() -> None:
    error = CoindexError("bad", code="no-text", path=Path("a/b"), line=3, column=7, remedy="go", details={"n": 1})
    again = pickle.loads(pickle.dumps(error))
    assert vars(again) == vars(error)
    assert (type(again), str(again), again.code) == (CoindexError, "a/b:3: bad; go", "no-text")
    problem = Problem("x", 2, "this", "that", "go", code="no-root", column=4, fragment="th")
    assert pickle.loads(pickle.dumps(FormatError(problem))).problem == problem
    warning = pickle.loads(pickle.dumps(DataWarning("odd", code="no-head", path="x")))
    assert (str(warning), warning.code) == ("x: odd", "no-head")


def test_the_path_of_a_message_is_a_field() -> None:
    def hide(path: str) -> str:
        return {"/secret/key": "the key"}.get(path, path)

    before = CoindexError("is bad", code="no-text", path="/secret/key", line=4)
    assert (before.text(hide), before.message) == ("the key:4: is bad", "is bad")
    inside = CoindexError(("no ", Path("/secret/key"), " nor ", Path("/o")), code="no-text")
    assert (str(inside), inside.text(hide)) == ("no /secret/key nor /o", "no the key nor /o")
    assert pickle.loads(pickle.dumps(inside)).text(hide) == inside.text(hide)
    named = CoindexError(f"no entity {'{path}'!r}", code="no-text", path="{key}", details={"key": Path("/o")})
    assert (str(named), named.message) == ("{key}: no entity '{path}'", "no entity '{path}'")
    problem = Problem("/secret/key", 4, "this", "that", "go", code="no-root", side="key", where="word 3")
    assert problem.text(hide) == "key: the key:4, word 3: this; expected that; go"
    assert FormatError(problem).text(hide) == problem.text(hide)


def test_classes_have_codes_and_details() -> None:
    unknown = UnknownNameError("format", "connl", ["conll", "corefud"])
    assert (unknown.code, unknown.details["name"], unknown.details["known"]) == (
        "unknown-name",
        "connl",
        ["conll", "corefud"],
    )
    assert MissingExtraError("pandas", "pandas").code == "missing-extra"


def test_columns_are_found_by_the_fragment(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("one two\nthree four\n", encoding="utf-8")

    def at(line: int | None, fragment: str, column: int | None = None) -> Problem:
        return Problem(str(path), line, "f", "e", "r", code="no-text", column=column, fragment=fragment)

    problems = [at(2, "four"), at(1, "four"), at(1, "two", 3), at(None, "one"), at(9, "one"), at(1, "")]
    assert [problem.column for problem in fill_columns(problems)] == [7, None, 3, None, None, None]
    gone = Problem(str(tmp_path / "gone"), 1, "f", "e", "r", code="no-text", fragment="x")
    assert fill_columns([gone]) == [gone]


TESTS = Path(__file__).parent
SUITES = (
    "scoring",
    "api/test_scoring.py",
    *(f"campaigns/test_{name}.py" for name in ("aliases", "blinding", "checking", "definition", "editing")),
    *(f"campaigns/test_{name}.py" for name in ("key_review", "leaderboard", "visibility", "windows")),
    "campaigns/test_organising.py",
    "campaigns/test_shapes.py",
    "campaigns/test_submitting.py",
)


def with_codes() -> dict[str, str]:
    """The environment of a program whose messages are codes."""
    return {**os.environ, "COINDEX_MESSAGES": "codes", "PYTHONPATH": str(TESTS)}


@pytest.mark.skipif(CODES_ONLY, reason="a run within the run")
def test_scoring_checking_and_campaigns_need_no_messages() -> None:
    """Their tests pass with every message replaced by its code, but for comparisons of wording."""
    options = ["-q", "-x", "-p", "wording", "-p", "no:cacheprovider", "-k", "not golden_fuzz and not loads"]
    command = [sys.executable, "-m", "pytest", *options, *SUITES]
    done = subprocess.run(command, cwd=TESTS, env=with_codes(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


def without_messages(text: str) -> object:
    """JSON, or JSON lines, without the fields that are written for people."""
    try:
        return _strip(json.loads(text))
    except ValueError:
        return [_strip(json.loads(line)) for line in text.splitlines()]


def _strip(value: object) -> object:
    if isinstance(value, list):
        return [_strip(item) for item in value]
    if isinstance(value, dict):
        left_out = ("found", "expected", "remedy", "failure", "remarks")
        return {name: _strip(item) for name, item in value.items() if name not in left_out}
    return value


@pytest.mark.skipif(CODES_ONLY, reason="it sets the mode itself")
def test_data_for_programs_is_the_same_without_messages(tmp_path: Path) -> None:
    """Exit codes, scores, boards, and all fields of problems but the messages."""
    world = World(tmp_path)
    for team, marks in {"hill": GOOD, "lake": HALF, "mill": HALF, "dale": HALF}.items():
        world.answer(team, marks)
    broken, cut = world.received / "mill" / "x.conllu", world.received / "dale" / "y.conllu"
    broken.write_text(text(HALF, "x1", "x2").replace("Entity=(b)", "Entity=((b", 1), encoding="utf-8")
    cut.write_text(text(HALF, "y1"), encoding="utf-8")
    unclosed = tmp_path / "unclosed.conllu"
    unclosed.write_text(text(GOOD, "x1", "x2").replace("Entity=(a)", "Entity=(a", 1), encoding="utf-8")
    (tmp_path / "empty").mkdir()
    key = world.keys / "x.conllu"
    board = ["--keys", world.keys, "--submissions", world.received, "--format", "json", "--rounds", 0]
    score, check = ["score", "--format", "json"], ["campaign", "check", "--json", "--campaign", world.file, world.keys]
    commands: list[tuple[int, list[object]]] = [
        (2, ["validate", "--json", broken, unclosed, cut]),
        (2, ["validate", "--json", tmp_path / "empty"]),
        (2, [*score, key, unclosed]),
        (0, [*score, "--no-strict", key, unclosed]),  # official scorers pass over it
        (2, [*score, "--no-strict", key, broken]),
        (0, [*score, key, world.received / "lake" / "x.conllu"]),
        (0, [*check, world.received / "lake"]),
        (2, [*check, world.received / "mill"]),
        (2, [*check, world.received / "dale"]),
        (1, ["campaign", "score", world.file, *board]),
    ]
    for code, arguments in commands:
        command = [sys.executable, "-m", "coindex", *map(str, arguments)]
        plain, coded = (
            subprocess.run(command, env=env, capture_output=True, text=True, check=False)
            for env in (dict(os.environ), with_codes())
        )
        assert (plain.returncode, coded.returncode) == (code, code), (arguments, plain.stderr, coded.stderr)
        assert without_messages(coded.stdout) == without_messages(plain.stdout), arguments
        assert "; expected " not in coded.stdout + coded.stderr
