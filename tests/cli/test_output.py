"""The option -o of commands that analyse corpora: input is never overwritten, a missing folder is reported."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from command import run

EXAMPLES = Path(__file__).parents[2] / "examples"
VERBS = [
    ("stats", "KEY"),
    ("stats", "name=KEY"),
    ("errors", "OTHER", "KEY"),
    ("overlap", "KEY", "OTHER"),
    ("overlap", "OTHER", "KEY"),
    ("score", "KEY", "OTHER"),
    ("report", "documents", "OTHER", "a=KEY"),
]


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return Path(shutil.copy(EXAMPLES / "garden.conllu", tmp_path / "key.conllu"))


def spelled(verb: tuple[str, ...], key: Path) -> list[str]:
    other = str(EXAMPLES / "garden-response.conllu")
    return [word.replace("KEY", str(key)).replace("OTHER", other) for word in verb]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_input_files_are_not_overwritten(verb: tuple[str, ...], key: Path, tmp_path: Path) -> None:
    before = key.read_bytes()
    (tmp_path / "link.txt").symlink_to(key)
    for output in (key, tmp_path / "link.txt"):
        done = run(*spelled(verb, key), "-o", output)
        assert done.code == 2
        assert f"{output}: the output would overwrite the input {key}; choose another file" in done.err
        assert key.read_bytes() == before


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_missing_folder_is_reported_and_another_file_is_written(
    verb: tuple[str, ...], key: Path, tmp_path: Path
) -> None:
    done = run(*spelled(verb, key), "-o", tmp_path / "none" / "out.txt")
    assert done.code == 2
    assert "none: no such folder; create it to write out.txt there" in done.err
    (tmp_path / "out.txt").write_text("old", encoding="utf-8")
    done = run(*spelled(verb, key), "-o", tmp_path / "out.txt")
    assert done.code == 0, done.err
    assert "coindex|" in (tmp_path / "out.txt").read_text(encoding="utf-8")
