"""The public functions: read, write, formats, and what a folder holds."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

import coindex
from coindex.corpora.files import read_annotated
from coindex.document import Document
from coindex.errors import CoindexError, DataWarning, FormatError, LossWarning, Problem, UnknownNameError
from corefud_text import document, sentence
from samples import SAMPLES, lay_out

STORY = document(sentence("Ann Entity=(e1-person-1)", "left"), sentence("She Entity=(e1--1)"))


def story(path: Path, id: str = "d") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(STORY.replace("id = d\n", f"id = {id}\n"), encoding="utf-8")
    return path


def ids(path: Path, format: str | None = None) -> list[str | None]:
    return [doc.id for doc in coindex.read(path, format)]


def test_the_public_names() -> None:
    wanted = {"Bridge", "Corpus", "Document", "Entity", "Mention", "Sentence", "SplitAntecedent", "Token"}
    assert wanted | {"__version__", "formats", "read", "write"} <= set(coindex.__all__)
    for name in coindex.__all__:
        assert getattr(coindex, name) is not None
    assert issubclass(coindex.errors.FormatError, coindex.errors.CoindexError)


def test_the_document_interface(tmp_path: Path) -> None:
    """The main attributes of documents: `doc.text`, `doc.tokens` and others."""
    docs = coindex.read(story(tmp_path / "a.conllu"))
    assert isinstance(docs, Iterator)
    (doc,) = docs
    assert doc.text == "Ann left She"
    assert [token.form for token in doc.tokens] == ["Ann", "left", "She"]
    assert [sentence.text for sentence in doc.sentences] == ["Ann left", "She"]
    (entity,) = doc.entities
    mention = entity.mentions[1]
    assert (mention.text, [token.form for token in mention.tokens], mention.head) == ("She", ["She"], 2)
    assert doc.text[mention.start_char : mention.end_char] == "She"


def test_reading_is_lazy(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(STORY + STORY.replace("id = d\n", "id = e\n") + "1\tbroken\n\n", encoding="utf-8")
    docs = coindex.read(path)
    assert next(docs).id == "d"
    with pytest.raises(FormatError, match=r"a\.conllu:15: 2 columns"):
        list(docs)


def test_reading_can_be_left_off(tmp_path: Path) -> None:
    """The file is closed then; a file left open would be a warning, and that an error here."""
    docs = coindex.read(story(tmp_path / "a.conllu"))
    next(docs)
    docs.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("make", [str, Path])
def test_paths_and_strings(make: type, tmp_path: Path) -> None:
    path = story(tmp_path / "a.conllu")
    docs = list(coindex.read(make(path)))
    coindex.write(docs, make(tmp_path / "b.conllu"))
    assert (tmp_path / "b.conllu").read_bytes() == path.read_bytes()


def test_a_single_document_is_written_as_well(tmp_path: Path) -> None:
    (doc,) = coindex.read(story(tmp_path / "a.conllu"))
    coindex.write(doc, tmp_path / "one.conllu")
    coindex.write([doc], tmp_path / "list.conllu")
    coindex.write(iter([doc]), tmp_path / "iterator.conllu")
    assert len({(tmp_path / f"{name}.conllu").read_bytes() for name in ("one", "list", "iterator")}) == 1


def test_no_documents_are_an_empty_file(tmp_path: Path) -> None:
    coindex.write([], tmp_path / "a.conllu")
    assert (tmp_path / "a.conllu").read_bytes() == b""


def test_formats_and_options_are_checked(tmp_path: Path) -> None:
    path = story(tmp_path / "a.conllu")
    with pytest.raises(UnknownNameError, match="unknown format 'corefd'; did you mean corefud"):
        list(coindex.read(path, "corefd"))
    with pytest.raises(UnknownNameError, match="unknown format 'corefd'; did you mean corefud"):
        coindex.write([], tmp_path / "x", "corefd")
    with pytest.raises(UnknownNameError, match="unknown option of corefud 'colour'; known: none"):
        list(coindex.read(path, colour="red"))
    with pytest.raises(UnknownNameError, match="unknown option of html 'titel'; did you mean title"):
        coindex.write([], tmp_path / "x.html", titel="x")
    with pytest.raises(CoindexError, match="html can be written but not read"):
        list(coindex.read(path, "html"))
    with pytest.raises(CoindexError, match="korkor can be read but not written; choose another output format"):
        coindex.write([], tmp_path / "x", "korkor")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.conllu"]


def test_a_named_format_is_not_detected(tmp_path: Path) -> None:
    path = story(tmp_path / "a.conllu")
    (doc,) = coindex.read(path, "text")
    assert (doc.text, doc.entities) == (STORY, ())


def test_problems_are_collected_instead_of_raised(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(document(sentence("a Entity=(e1", "b Entity=(e2)")), encoding="utf-8")
    problems: list[Problem] = []
    (doc,) = coindex.read(path, on_problem=problems.append)
    assert [entity.id for entity in doc.entities] == ["e2"]
    assert [(problem.path, problem.line, problem.severity) for problem in problems] == [(str(path), 3, "error")]


def test_losses_are_warned_of(tmp_path: Path) -> None:
    (doc,) = coindex.read(story(tmp_path / "a.conllu"))
    with pytest.warns(LossWarning, match="preco cannot represent: 3 tokens with UD columns; 1 entity types"):
        coindex.write(doc, tmp_path / "a.jsonl", "preco")


def test_documents_from_text() -> None:
    text = "  Ann left.\n\nShe sang. "
    doc = Document.from_text(text, id="x", language="en")
    assert (doc.text, doc.id, doc.language) == (text, "x", "en")
    assert [sentence.text for sentence in doc.sentences] == ["Ann left.", "She sang."]
    assert [token.form for token in doc.tokens] == ["Ann", "left", ".", "She", "sang", "."]
    assert Document.from_text("").text == ""
    assert Document.from_text(" \n").text == " \n"


# --- folders


def test_the_files_of_a_folder_come_by_name(tmp_path: Path) -> None:
    for name in ("b", "a", "sub/c", "B"):
        story(tmp_path / f"{name}.conllu", id=name)
    assert ids(tmp_path) == ["B", "a", "b", "sub/c"]


def test_compressed_files_in_a_folder(tmp_path: Path) -> None:
    story(tmp_path / "a.conllu", id="a")
    (tmp_path / "b.conllu.gz").write_bytes(gzip.compress(STORY.encode()))
    assert ids(tmp_path) == ["a", "d"]
    assert ids(tmp_path, "corefud") == ["a", "d"]


def test_hidden_files_and_folders_are_left_out(tmp_path: Path) -> None:
    story(tmp_path / "a.conllu", id="a")
    for name in (".b", ".git/c", "sub/.ipynb_checkpoints/d"):
        story(tmp_path / f"{name}.conllu", id=name)
    assert ids(tmp_path) == ["a"]


def test_a_folder_below_a_hidden_one_is_no_hidden_folder(tmp_path: Path) -> None:
    story(tmp_path / ".data/corpus/a.conllu", id="a")
    assert ids(tmp_path / ".data/corpus") == ["a"]


def test_raw_text_is_read_only_if_there_are_no_other_files(tmp_path: Path) -> None:
    (tmp_path / "README.txt").write_text("About the corpus.", encoding="utf-8")
    assert ids(tmp_path) == ["README"]
    story(tmp_path / "a.conllu", id="a")
    assert ids(tmp_path) == ["a"]
    assert ids(tmp_path, "text") == ["README"]


def test_files_that_no_reader_fits_are_listed_in_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A text.", encoding="utf-8")
    (tmp_path / "b.md").write_text("A text.", encoding="utf-8")
    (tmp_path / "LICENSE").write_text("All rights.", encoding="utf-8")
    (tmp_path / "run.py").write_text("import os\n", encoding="utf-8")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    with pytest.warns(DataWarning) as caught:
        assert ids(tmp_path) == ["a", "b"]
    assert [str(warning.message) for warning in caught] == [
        f"{tmp_path}: 2 files skipped: image.png (an image (PNG)), run.py (plain text in a .py file; "
        "--from text reads it)"
    ]
    with pytest.warns(DataWarning, match=r"1 file skipped: image\.png"):
        assert ids(tmp_path, "text") == ["a", "b", "run"]
    problems: list[Problem] = []
    assert len(list(coindex.read(tmp_path, on_problem=problems.append))) == 2
    assert [(Path(problem.path).name, problem.severity) for problem in problems] == [
        ("image.png", "warning"),
        ("run.py", "warning"),
    ]


def test_a_warning_lists_the_first_of_many_files(tmp_path: Path) -> None:
    story(tmp_path / "a.conllu", id="a")
    for number in range(30):
        (tmp_path / f"{number:02}.csv").write_text("a,b\n", encoding="utf-8")
    with pytest.warns(DataWarning, match=r"30 files skipped: 00\.csv .*, 09\.csv \(.*\) and 20 more"):
        assert ids(tmp_path) == ["a"]


@pytest.mark.parametrize("name", ["brat", "mmax2", "rueval"])
def test_files_that_belong_to_others_are_left_out(name: str, tmp_path: Path) -> None:
    lay_out(SAMPLES[name], tmp_path)
    assert len(ids(tmp_path)) == 1
    assert len(ids(tmp_path, name)) == 1


def test_several_formats_in_a_folder(tmp_path: Path) -> None:
    story(tmp_path / "a.conllu", id="x")
    story(tmp_path / "z.conllu", id="z")
    lay_out(SAMPLES["jsonlines"], tmp_path)
    (tmp_path / "README.txt").write_text("About.", encoding="utf-8")
    (tmp_path / "y.txt").write_text("A text.", encoding="utf-8")
    assert ids(tmp_path) == ["x", "a", "b", "y", "z"]
    assert ids(tmp_path, "corefud") == ["x", "z"]
    assert ids(tmp_path, "jsonlines") == ["a", "b"]


def test_a_folder_without_anything_to_read(tmp_path: Path) -> None:
    with pytest.raises(CoindexError) as caught:
        ids(tmp_path)
    assert str(caught.value) == f"{tmp_path}: no file to read; name a folder that contains texts or a corpus"
    story(tmp_path / "a.conllu")
    with pytest.raises(CoindexError, match="no file of format brat to read; name a folder"):
        ids(tmp_path, "brat")
    (tmp_path / "a.conllu").write_bytes(bytes(range(256)))
    (tmp_path / "a.conllu").rename(tmp_path / "a.bin")
    with pytest.raises(CoindexError, match=r"no file to read \(1 file skipped: a\.bin \(binary data\)"):
        ids(tmp_path)


def test_empty_and_broken_files_are_not_left_out_in_silence(tmp_path: Path) -> None:
    story(tmp_path / "a.conllu", id="a")
    (tmp_path / "b.conllu").write_bytes(b"")
    docs = coindex.read(tmp_path)
    assert next(docs).id == "a"
    with pytest.raises(FormatError, match=r"b\.conllu:1: an empty file"):
        next(docs)
    (tmp_path / "b.conllu").unlink()
    (tmp_path / "c.conllu.gz").write_bytes(gzip.compress(STORY.encode())[:40])
    with pytest.raises(FormatError, match=r"c\.conllu\.gz:1: broken gzip data"):
        ids(tmp_path)
    (tmp_path / "a.conllu").unlink()
    with pytest.raises(FormatError, match=r"c\.conllu\.gz:1: broken gzip data"):
        ids(tmp_path, "corefud")


def test_corpora_with_entities_leave_raw_texts_out(tmp_path: Path) -> None:
    """Where entities are needed, a text beside a corpus is not part of it, and a warning says so."""
    story(tmp_path / "a.conllu", id="a")
    (tmp_path / "about.txt").write_text("A text.", encoding="utf-8")
    with pytest.warns(DataWarning, match=r"1 file skipped: about\.txt \(raw text, without entities\)"):
        assert [doc.id for doc in read_annotated(tmp_path)] == ["a"]
    with pytest.warns(DataWarning, match=r"1 file skipped: about\.txt"):
        assert coindex.score(tmp_path, tmp_path)["b3"].f1 == 1
    (tmp_path / "a.conllu").unlink()
    assert [doc.id for doc in read_annotated(tmp_path)] == ["about"]


@pytest.mark.parametrize("folder", ["en_litbank/dev", "de_potsdam_mmax/coreference", "hu_korkor/dev"])
@pytest.mark.filterwarnings("ignore::coindex.errors.DataWarning")
def test_real_folders(folder: str, shared_data: Path) -> None:
    number = {"en_litbank/dev": 10, "de_potsdam_mmax/coreference": 176, "hu_korkor/dev": 9}[folder]
    assert sum(1 for _ in coindex.read(shared_data / folder)) == number
