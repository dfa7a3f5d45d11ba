"""Which files of a folder, or of a list, are read, and what happens to the others."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from coindex.formats.discovery import InputFile, classify_files, find_files
from coindex.formats.registry import get_format
from corefud_text import document, sentence

CONLLU = document(sentence("Ann Entity=(e1)"))
TEXT = "Ann met Bob. She waved.\n"
MMAX = {
    "project/d.mmax": '<?xml version="1.0"?>\n<mmax_project><words>d_words.xml</words></mmax_project>',
    "project/common_paths.xml": "<common_paths><basedata_path>basedata/</basedata_path></common_paths>",
    "project/basedata/d_words.xml": '<words><word id="word_1">Ann</word></words>',
    "project/basedata/words.dtd": "<!ELEMENT words (word*)>",
}
ECB = {
    "ECB+/1/1_1ecb.xml": '<Document doc_name="1_1ecb.xml"><token t_id="1" sentence="0">Ann</token></Document>',
    "ECB+/ECBplus_coreference_sentences.csv": "Topic,File,Sentence Number\n1,1ecb,0\n",
}
RUEVAL = {
    "ru/groups.xml": '<rueval track="coreference"><text id="1" file="texts/1.txt"/><text id="2"/></rueval>',
    "ru/texts/1.txt": TEXT,
    "ru/2.txt": TEXT,
}
BRAT = {"brat/a.ann": "T1\tPerson 0 3\tAnn\n", "brat/a.txt": TEXT, "brat/annotation.conf": "[entities]\nPerson\n"}


def fill(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def told(files: list[InputFile], folder: Path) -> dict[str, str]:
    """Each file with its status, its format, and what else is told of it."""
    return {
        file.path.relative_to(folder).as_posix(): " ".join(
            filter(None, (file.status, file.format and file.status == "read" and file.format.name))
        )
        for file in files
    }


def found(folder: Path, wanted: str | None = None) -> dict[str, str]:
    return told(find_files(folder, None if wanted is None else get_format(wanted)), folder)


def reasons(folder: Path) -> dict[str, str]:
    return {file.path.name: file.reason for file in find_files(folder) if file.reason}


def test_each_file_is_detected_on_its_own(tmp_path: Path) -> None:
    texts = dict.fromkeys(("a.txt", "b.md", "c.markdown", "d.text", "e", "f.TXT", "Dear Mr. Smith", "chapter.2"), TEXT)
    fill(tmp_path, {**texts, "g.txt": CONLLU, "h.conllu": CONLLU, "deep/i.rst": TEXT})
    (tmp_path / "j.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    assert found(tmp_path) == {
        "Dear Mr. Smith": "read text",
        "a.txt": "read text",
        "b.md": "read text",
        "c.markdown": "read text",
        "chapter.2": "read text",
        "d.text": "read text",
        "deep/i.rst": "read text",
        "e": "read text",
        "f.TXT": "read text",
        "g.txt": "read corefud",
        "h.conllu": "read corefud",
        "j.txt.gz": "read text",
    }


def test_formats_of_many_files_side_by_side(tmp_path: Path) -> None:
    """Parts are read with their files; a text of the same folder that belongs to none is read."""
    fill(tmp_path, {**MMAX, **ECB, **RUEVAL, **BRAT, "brat/b.txt": TEXT, "ru/3.txt": TEXT, "x.conllu": CONLLU})
    assert found(tmp_path) == {
        "ECB+/1/1_1ecb.xml": "read ecbplus",
        "ECB+/ECBplus_coreference_sentences.csv": "part",
        "brat/a.ann": "read brat",
        "brat/a.txt": "part",
        "brat/annotation.conf": "part",
        "brat/b.txt": "read text",
        "project/basedata/d_words.xml": "part",
        "project/basedata/words.dtd": "ignored",
        "project/common_paths.xml": "part",
        "project/d.mmax": "read mmax2",
        "ru/2.txt": "part",
        "ru/3.txt": "read text",
        "ru/groups.xml": "read rueval",
        "ru/texts/1.txt": "part",
        "x.conllu": "read corefud",
    }


def test_what_is_skipped_or_failed_has_a_reason(tmp_path: Path) -> None:
    fill(tmp_path, {"a.txt": TEXT, "run.py": "import os\n", "table.tsv": "a\tb\tc\td\te\n", "empty.jsonl": " \n"})
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "torn.conllu.gz").write_bytes(b"\x1f\x8b\x08\x00broken")
    (tmp_path / "lost.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "elsewhere").symlink_to(tmp_path.parent, target_is_directory=True)
    os.mkfifo(tmp_path / "pipe")
    assert found(tmp_path) == {
        "a.txt": "read text",
        "binary.txt": "skipped",
        "elsewhere": "skipped",
        "empty.jsonl": "failed",
        "lost.txt": "failed",
        "pipe": "skipped",
        "run.py": "skipped",
        "table.tsv": "skipped",
        "torn.conllu.gz": "failed",
    }
    why = reasons(tmp_path)
    assert why["run.py"] == "plain text in a .py file; --from text reads it"
    assert why["table.tsv"] == "content that fits no known format"
    assert why["elsewhere"] == "a link to a folder; give that folder as a separate input"
    assert why["lost.txt"].startswith("a broken link")
    assert "broken gzip data" in why["torn.conllu.gz"]
    assert "an empty file; expected a document" in why["empty.jsonl"]
    assert all(file.error is not None for file in find_files(tmp_path) if file.status == "failed")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    fill(tmp_path, {"a.txt": TEXT, "closed/b.txt": TEXT})
    (tmp_path / "closed").chmod(0)
    try:
        assert found(tmp_path) == {"a.txt": "read text", "closed": "failed"}
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_hidden_files_and_those_of_systems_do_not_count(tmp_path: Path) -> None:
    fill(tmp_path, {"a.txt": TEXT, ".b.txt": TEXT, ".git/c.txt": TEXT, "__MACOSX/a.txt": TEXT, "Thumbs.db": "x"})
    assert found(tmp_path) == {"a.txt": "read text"}
    assert told(find_files(tmp_path / ".git"), tmp_path) == {".git/c.txt": "read text"}


def test_a_readme_describes_the_other_files(tmp_path: Path) -> None:
    names = ("README.md", "LICENSE", "LICENSE.txt", "COPYING-CC.TXT", "readme_en.txt")
    fill(tmp_path, dict.fromkeys(names, TEXT))
    assert set(found(tmp_path).values()) == {"read text"}, "alone they are texts like others"
    texts = ("deep/licensed.txt", "License to stay.txt", "notice.txt")
    fill(tmp_path, {**dict.fromkeys(texts, TEXT), "CITATION.cff": "title: x\n"})
    (tmp_path / "readme.pdf").write_bytes(b"%PDF-1.5\0\1\2\3")
    left_out = dict.fromkeys((*names, "CITATION.cff", "readme.pdf"), "ignored")
    assert found(tmp_path) == {**dict.fromkeys(texts, "read text"), **left_out}
    assert reasons(tmp_path)["LICENSE"] == "describes the other files"


def test_parts_of_files_that_are_not_there(tmp_path: Path) -> None:
    """They are reported, not left out as if they were read."""
    del (parts := dict(MMAX))["project/d.mmax"]
    fill(tmp_path, {**parts, "brat/a.ann": "no annotations at all", "brat/a.txt": TEXT})
    assert found(tmp_path) == {
        "brat/a.ann": "skipped",
        "brat/a.txt": "skipped",
        "project/basedata/d_words.xml": "skipped",
        "project/basedata/words.dtd": "ignored",
        "project/common_paths.xml": "skipped",
    }
    assert reasons(tmp_path)["a.txt"] == "belongs to a file in brat format, which is missing or cannot be read"


def test_a_requested_format_excludes_the_others(tmp_path: Path) -> None:
    fill(tmp_path, {**BRAT, "a.conllu": CONLLU, "b.txt": TEXT, "broken.conllu": "nothing\n", "c.dat": CONLLU})
    (tmp_path / "d.png").write_bytes(bytes(range(256)))
    assert found(tmp_path, "corefud") == {
        "a.conllu": "read corefud",
        "b.txt": "ignored",
        "brat/a.ann": "ignored",
        "brat/a.txt": "ignored",
        "brat/annotation.conf": "ignored",
        "broken.conllu": "read corefud",
        "c.dat": "read corefud",
        "d.png": "skipped",
    }
    assert found(tmp_path, "text") == {
        "a.conllu": "ignored",
        "b.txt": "read text",
        "brat/a.ann": "ignored",
        "brat/a.txt": "read text",
        "brat/annotation.conf": "ignored",
        "broken.conllu": "ignored",
        "c.dat": "ignored",
        "d.png": "skipped",
    }


def test_files_that_are_named_one_by_one(tmp_path: Path) -> None:
    """All are read, whatever they are called, but a text is not read twice with its annotations."""
    fill(tmp_path, {**BRAT, **MMAX, "brat/b.ann": "", "brat/b.txt": TEXT, "run.py": "Ann ran.\n", "README": TEXT})
    named = [tmp_path / name for name in ("brat/a.ann", "brat/a.txt", "brat/b.txt", "run.py", "README")]
    assert told(classify_files(named), tmp_path) == {
        "README": "read text",
        "brat/a.ann": "read brat",
        "brat/a.txt": "part",
        "brat/b.txt": "read brat",
        "run.py": "read text",
    }
    project = [tmp_path / name for name in ("project/common_paths.xml", "project/d.mmax")]
    assert set(told(classify_files(project), tmp_path).values()) == {"part", "read mmax2"}
    assert set(told(classify_files(project[:1]), tmp_path).values()) == {"read mmax2"}, (
        "its reader says what is missing"
    )


def test_a_named_file_in_an_unknown_format_fails(tmp_path: Path) -> None:
    fill(tmp_path, {"a.xml": "<other/>", "b.conllu": CONLLU})
    (file, _, missing) = classify_files([tmp_path / "a.xml", tmp_path / "b.conllu", tmp_path / "c.txt"])
    assert (file.status, missing.status) == ("failed", "failed")
    assert "content that fits no known format" in str(file.error)
    assert "No such file" in missing.reason
    assert classify_files([tmp_path / "a.xml"], get_format("ecbplus"))[0].status == "read"
