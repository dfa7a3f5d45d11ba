"""The check of submissions: what a server refuses, the same offline, with file, line and column."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from campaigns.world import HALF, WORDS, World, text
from coindex.api import write
from coindex.campaigns.checking import SubmissionProblem
from coindex.campaigns.offline import blind_key, check_submission
from coindex.document import Document
from coindex.errors import CoindexError
from marked_text import marked
from wording import says


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def check(world: World, submission: Path) -> list[SubmissionProblem]:
    """What is found against the key; the blind input must find the same."""
    if not (world.folder / "input").exists():
        blind_key(world.keys, world.folder / "input", campaign=world.file)
    found = check_submission(world.keys, submission, campaign=world.file)
    assert found == check_submission(world.folder / "input", submission, campaign=world.file)
    return found


def errors(found: list[SubmissionProblem]) -> list[SubmissionProblem]:
    return [finding for finding in found if finding.severity == "error"]


def pack(folder: Path, target: Path, prefix: str = "") -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, prefix + file.relative_to(folder).as_posix())
    return target


def test_good_answers_pass(world: World) -> None:
    folder = world.answer("lake", HALF)
    assert check(world, folder) == []
    assert check(world, pack(folder, world.folder / "lake.zip")) == []
    assert check(world, pack(folder, world.folder / "deep.zip", "my answer/final/")) == []
    for file in list(folder.iterdir()):
        (folder / f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    assert check(world, folder) == []
    assert check(world, pack(folder, world.folder / "packed.zip")) == []


def test_one_file_answers_one_file(world: World) -> None:
    answer = world.folder / "mine.conllu"
    answer.write_text(text(HALF, "x1", "x2"), encoding="utf-8")
    assert check_submission(world.keys / "x.conllu", answer) == []
    packed = world.folder / "mine.conllu.gz"
    packed.write_bytes(gzip.compress(answer.read_bytes()))
    assert check_submission(world.keys / "x.conllu", packed) == []


def test_a_changed_word_has_its_place(world: World) -> None:
    folder = world.answer("lake", HALF)
    words = ["Bill" if word == "Bob" else word for word in WORDS]
    (folder / "x.conllu").write_text(text(HALF, "x1") + text(HALF, "x2", words=words), encoding="utf-8")
    (found,) = check(world, folder)
    lines = (folder / "x.conllu").read_text(encoding="utf-8").split("\n")
    assert found.line is not None
    assert lines[found.line - 1].startswith("3\tBill")
    assert found.column == 3
    assert found.file.endswith("lake/x.conllu")
    assert found.code == "word-mismatch"
    assert says(found.found, "'Bill'")
    assert says(found.expected, "'Bob' as in the input")
    assert "strict" not in str(found)


def test_a_cut_file(world: World) -> None:
    folder = world.answer("lake", HALF)
    lines = text(HALF, "x1", "x2").split("\n")
    (folder / "x.conllu").write_text("\n".join(lines[:-6]) + "\n", encoding="utf-8")
    assert "missing-word" in [finding.code for finding in errors(check(world, folder))]


@pytest.mark.parametrize(
    ("ids", "code", "said"),
    [
        (("x1",), "missing-document", "no document 'x2'"),
        (("x1", "x2", "x3"), "extra-document", "the document 'x3'"),
        (("x2", "x1"), "document-order", "the document 'x2'"),
        (("x1", "x2", "x2"), "duplicate-document-id", "the document 'x2' repeated"),
        (("y1", "y2"), "wrong-dataset", "documents of the dataset y"),
        (("z1",), "missing-document", "no document 'x1', 'x2'"),
    ],
)
def test_documents(world: World, ids: tuple[str, ...], code: str, said: str) -> None:
    folder = world.answer("lake", HALF)
    (folder / "x.conllu").write_text(text(HALF, *ids), encoding="utf-8")
    found = errors(check(world, folder))
    assert code in [finding.code for finding in found]
    assert says(found[0].found, said)
    assert found[0].file.endswith("lake/x.conllu")


def test_datasets(world: World) -> None:
    folder = world.answer("lake", HALF, only="x")
    (found,) = check(world, folder)
    assert found.code == "missing-dataset"
    assert says(found.found, "no file or folder y")
    (folder / "z.conllu").write_text(text(HALF, "z1"), encoding="utf-8")
    assert [one.severity for one in check(world, folder)] == ["error", "warning"]


def test_brackets_have_line_and_column(world: World) -> None:
    folder = world.answer("lake", HALF)
    file = folder / "x.conllu"
    file.write_text(text(HALF, "x1", "x2").replace("Entity=(b)", "Entity=((b", 1), encoding="utf-8")
    found = errors(check(world, folder))[0]
    line = file.read_text(encoding="utf-8").split("\n")[(found.line or 0) - 1]
    assert line[(found.column or 0) - 1 :] == "((b"


def test_wrong_encodings(world: World) -> None:
    folder = world.answer("lake", HALF)
    file = folder / "x.conllu"
    data = text(HALF, "x1", "x2").replace("Ann", "Añn", 1)
    file.write_bytes(data.encode("latin-1"))
    found = errors(check(world, folder))[0]
    assert found.code == "not-utf8"
    line = 1 + data[: data.index("ñ")].count("\n")
    assert (found.line, found.column) == (line, 4), "the letter after 1, a tab and A"
    file.write_bytes(data.encode("utf-16"))
    assert errors(check(world, folder))


def test_the_input_itself_is_no_answer(world: World) -> None:
    blind_key(world.keys, world.folder / "input", campaign=world.file)
    found = check(world, world.folder / "input")
    assert [finding.code for finding in found] == ["no-entities"] * 2
    assert says(found[0].found, "none of the 2 documents contains an entity")


def test_formats_without_entities(world: World) -> None:
    folder = world.answer("lake", HALF, only="y")
    (folder / "x.txt").write_text("Ann met Bob.", encoding="utf-8")
    found = errors(check(world, folder))[0]
    assert found.code == "no-entities"
    assert says(found.found, "the format text, which has no entities")


@pytest.mark.parametrize("name", ["../x.conllu", "/x.conllu", "..\\x.conllu", "C:/x.conllu"])
def test_path_tricks(world: World, name: str) -> None:
    packed = world.folder / "trick.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, text(HALF, "x1"))
    (found,) = check(world, packed)
    assert found.code == "unsafe-file-name"
    assert says(found.found, "points outside the folder")
    assert says(found.remedy, "rename the file")
    assert found.file == str(packed)


def test_links_in_a_zip(world: World) -> None:
    packed = world.folder / "link.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        info = zipfile.ZipInfo("x.conllu")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "../keys/x.conllu")
    (found,) = check(world, packed)
    assert found.code == "unsafe-archive"
    assert says(found.found, "a link or device")


def test_bombs(world: World) -> None:
    packed = world.folder / "bomb.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.conllu", b"\0" * (8 << 20))
    (found,) = check(world, packed)
    assert found.code == "upload-too-large"
    assert says(found.found, "compressed by a factor")
    (world.folder / "bomb.conllu.gz").write_bytes(gzip.compress(b"\0" * (8 << 20)))
    (found,) = check(world, world.folder / "bomb.conllu.gz")
    assert found.code == "upload-too-large"
    assert says(found.found, "compressed by a factor")


def test_broken_archives(world: World) -> None:
    broken = world.folder / "broken.zip"
    broken.write_bytes(b"PK\x03\x04 nothing")
    (found,) = check(world, broken)
    assert found.code == "broken-archive"
    assert says(found.found, "not a valid zip archive")
    broken = world.folder / "broken.conllu.gz"
    broken.write_bytes(gzip.compress(b"x" * 5000)[:-9])
    (found,) = check(world, broken)
    assert found.code == "broken-archive"
    assert says(found.found, "damaged compressed data")


def test_places_in_archives_are_those_of_the_sender(world: World) -> None:
    folder = world.answer("lake", HALF)
    (folder / "x.conllu").write_text(text(HALF, "x1"), encoding="utf-8")
    packed = pack(folder, world.folder / "lake.zip")
    (found,) = check(world, packed)
    assert found.file == f"{packed}/x.conllu"


def test_missing_files_and_unknown_tracks_are_refused(world: World) -> None:
    with pytest.raises(CoindexError, match="no such file"):
        check_submission(world.keys, world.folder / "nothing.zip", campaign=world.file)
    with pytest.raises(CoindexError, match="did you mean main"):
        check_submission(world.keys, world.keys, campaign=world.file, track="mian")


# --- mentions that are given

STORY = marked("[The fox|a] saw [a hen|b] . [It|a] ran , and [the barn|c] shook .", id="s")
GIVEN = """
name = "c"
[[tracks]]
name = "gold"
profile = "crac24"
primary = "conll"
mentions = "given"
[[phases]]
name = "p"
opens = 2030-01-01T00:00:00Z
"""


def test_given_mentions(tmp_path: Path) -> None:
    file, key, answer = tmp_path / "c.toml", tmp_path / "key.json", tmp_path / "answer.json"
    file.write_text(GIVEN, encoding="utf-8")
    write(STORY, key, "json")
    blind_key(key, tmp_path / "input", campaign=file)

    def found(doc: Document) -> list[tuple[str, str]]:
        write(doc, answer, "json")
        one, other = (check_submission(side, answer, campaign=file) for side in (key, tmp_path / "input" / "key.json"))
        assert one == other
        assert all(says(finding.found, "mention '") for finding in one)
        return [(finding.severity, finding.code) for finding in one]

    assert found(STORY) == []
    assert found(STORY.replace(entities=STORY.entities[:2])) == [("warning", "missing-mention")]
    more = marked("[The fox|a] [saw|d] [a hen|b] . [It|a] ran , and [the barn|c] shook .", id="s")
    assert found(more) == [("error", "extra-mention")]


def test_tasks_of_are(tmp_path: Path) -> None:
    write(STORY, tmp_path / "key.xml", "are")
    blind_key(tmp_path / "key.xml", tmp_path / "input", campaign="are07")
    (tmp_path / "mine").mkdir()
    for task in (1, 4):
        write(STORY, tmp_path / "mine" / f"task{task}.xml", "are", task=str(task), kind="response")
    for side in (tmp_path / "key.xml", tmp_path / "input"):
        assert check_submission(side, tmp_path / "mine", campaign="are07") == []
    answer = tmp_path / "mine" / "task1.xml"
    answer.write_text(answer.read_text(encoding="utf-8").replace('antecedent="1"', 'antecedent="99"'), encoding="utf-8")
    (found,) = check_submission(tmp_path / "input", tmp_path / "mine", campaign="are07")
    assert found.code == "text-mismatch"
    assert says(found.found, "'99'")
    assert found.line is not None
    assert found.column is not None


def test_nothing_for_any_track(tmp_path: Path) -> None:
    write(STORY, tmp_path / "key.xml", "are")
    (tmp_path / "mine").mkdir()
    write(STORY, tmp_path / "mine" / "answer.xml", "are", task="1", kind="response")
    (found,) = check_submission(tmp_path / "key.xml", tmp_path / "mine", campaign="are07")
    assert found.code == "wrong-part-name"
    assert says(found.found, "no file or folder for any track")
    assert says(found.expected, "task1")
