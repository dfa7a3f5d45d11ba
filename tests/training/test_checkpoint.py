"""Files and folders are there whole or not at all, whatever happens while they are written."""

import errno
import os
import time

import pytest

pytest.importorskip("torch")

from coindex.training.run import (
    STALE,
    CheckpointError,
    WriteError,
    clear_run,
    load_checkpoint,
    remove_stale_parts,
    save_checkpoint,
    settle,
    write_folder,
    write_whole,
)

OWN = ("model.json", "weights")


def put(folder, text):
    for name in OWN:
        (folder / name).write_text(text, encoding="utf-8")


def texts(folder):
    return {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def full(beside):
    beside.write_bytes(b"ha")
    raise OSError(28, "No space left on device")


def full_folder(beside):
    put(beside, "new")
    raise OSError(28, "No space left on device")


def interrupted(beside):
    (beside / "weights").write_text("ne", encoding="utf-8") if beside.is_dir() else beside.write_text("ne")
    raise KeyboardInterrupt


def test_a_full_disk_leaves_the_last_file(tmp_path):
    path = tmp_path / "checkpoint.pt"
    write_whole(path, lambda beside: beside.write_bytes(b"good") and None)
    with pytest.raises(WriteError, match="No space left on device; the previous version is unchanged"):
        write_whole(path, full)
    assert path.read_bytes() == b"good"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_the_last_folder(tmp_path):
    path = tmp_path / "best"
    write_folder(path, lambda beside: put(beside, "good"), OWN)
    with pytest.raises(
        WriteError, match="best: cannot be written: No space left on device; the previous version is unchanged"
    ):
        write_folder(path, full_folder, OWN)
    assert texts(path) == dict.fromkeys(OWN, "good")
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_first_write_leaves_no_files(tmp_path):
    with pytest.raises(WriteError, match="device; free disk space"):
        write_folder(tmp_path / "best", full_folder, OWN)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [write_whole, lambda path, how: write_folder(path, how, OWN)])
def test_an_interrupt_leaves_nothing_behind(tmp_path, write):
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "best", interrupted)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_replaced_as_a_whole_and_other_files_stay(tmp_path):
    path = tmp_path / "best"
    write_folder(path, lambda beside: put(beside, "old"), OWN)
    (path / "card.md").write_text("mine", encoding="utf-8")
    write_folder(path, lambda beside: (beside / "model.json").write_text("new", encoding="utf-8") and None, OWN)
    assert texts(path) == {"model.json": "new", "card.md": "mine"}


def test_a_folder_of_other_things_is_not_replaced(tmp_path):
    path = tmp_path / "photos"
    path.mkdir()
    (path / "cat.png").write_text("cat", encoding="utf-8")
    with pytest.raises(WriteError, match="the folder contains other files"):
        write_folder(path, lambda beside: put(beside, "new"), OWN)
    assert texts(path) == {"cat.png": "cat"}


def test_a_file_in_place_of_a_folder_is_refused(tmp_path):
    path = tmp_path / "best"
    path.write_text("a file", encoding="utf-8")
    with pytest.raises(WriteError, match="is a file, not a folder"):
        write_folder(path, lambda beside: put(beside, "new"), OWN)


def test_a_kill_between_the_two_renames_is_repaired(tmp_path):
    old = tmp_path / "best.old"
    old.mkdir()
    put(old, "good")
    settle(tmp_path / "best")
    assert texts(tmp_path / "best") == dict.fromkeys(OWN, "good")
    assert not old.exists()


def test_leftovers_of_killed_runs_do_not_prevent_writing(tmp_path):
    path = tmp_path / "best"
    for ending in ("", ".part", ".0a1b2c.part", ".old"):
        folder = tmp_path / f"best{ending}"
        folder.mkdir()
        put(folder, "torn")
    write_folder(path, lambda beside: put(beside, "new"), OWN)
    assert list(tmp_path.iterdir()) == [path]
    assert texts(path) == dict.fromkeys(OWN, "new")


def test_two_runs_may_write_one_file_at_the_same_time(tmp_path):
    path = tmp_path / "labels.npz"

    def write(beside):
        beside.write_bytes(b"mine")
        write_whole(path, lambda other: other.write_bytes(b"theirs") and None)
        assert path.read_bytes() == b"theirs"

    write_whole(path, write)
    assert path.read_bytes() == b"mine"
    assert list(tmp_path.iterdir()) == [path]


def test_partial_files_of_killed_runs_are_removed_but_not_those_of_others(tmp_path):
    for name in ("checkpoint.pt.part", "checkpoint.pt.0a1b2c.part", "checkpoint.pt.mine", "other.pt.0a1b2c.part"):
        (tmp_path / name).write_bytes(b"torn")
    assert load_checkpoint(tmp_path / "checkpoint.pt", "abc") is None
    assert sorted(file.name for file in tmp_path.iterdir()) == ["checkpoint.pt.mine", "other.pt.0a1b2c.part"]
    clear_run(tmp_path, ("other.pt",), ("best",), "model.json")
    assert [file.name for file in tmp_path.iterdir()] == ["checkpoint.pt.mine"]


def test_parts_in_a_shared_folder_are_removed_when_they_are_old(tmp_path):
    for name in ("old.npz.part", "old.npz.0a1b2c.part", "young.npz.0a1b2c.part", "film.mkv.part"):
        (tmp_path / name).write_bytes(b"torn")
        if not name.startswith("young"):
            long_ago = time.time() - 2 * STALE
            os.utime(tmp_path / name, (long_ago, long_ago))
    remove_stale_parts(tmp_path, "*.npz")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["film.mkv.part", "young.npz.0a1b2c.part"]
    remove_stale_parts(tmp_path / "none", "*.npz")


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "free disk space and try again"),
        (errno.EDQUOT, "free disk space and try again"),
        (errno.EACCES, "choose another folder, or change permissions"),
        (errno.EROFS, "choose another folder, or change permissions"),
    ],
)
def test_the_remedy_fits_the_error(tmp_path, number, remedy):
    def write(beside):
        raise OSError(number, os.strerror(number))

    with pytest.raises(WriteError, match=f"cannot be written: {os.strerror(number)}; {remedy}"):
        write_whole(tmp_path / "checkpoint.pt", write)


def test_a_checkpoint_comes_back(tmp_path):
    path = tmp_path / "run" / "checkpoint.pt"
    state = {"fingerprint": "abc", "epoch": 3, "scores": [{"conll": 50.5}]}
    save_checkpoint(path, state)
    assert load_checkpoint(path, "abc") == state
    assert load_checkpoint(tmp_path / "none.pt", "abc") is None


@pytest.mark.parametrize("keep", [0, 10, -20])
def test_a_damaged_checkpoint_is_refused(tmp_path, keep):
    path = tmp_path / "checkpoint.pt"
    save_checkpoint(path, {"fingerprint": "abc", "epoch": 3})
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(CheckpointError, match=r"damaged.*start from scratch with --restart"):
        load_checkpoint(path, "abc")
