"""Each verb on small files and on real ones."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

import coindex
from coindex.document import Document
from coindex.formats.registry import NAMES
from command import run
from corefud_text import document, sentence
from samples import SAMPLES, lay_out

FIRST = sentence("The Entity=(e1-person", "mayor", "of", "Ulm Entity=(e2-place)e1)", comments=("# sent_id = s1",))
SECOND = sentence("She Entity=(e1)", "sang", comments=("# sent_id = s2",))
TEXT = document(FIRST, SECOND)


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "story.conllu"
    path.write_text(TEXT, encoding="utf-8")
    return path


# --- convert


def test_file_to_file_by_names(story: Path, tmp_path: Path) -> None:
    done = run("convert", story, tmp_path / "out.jsonlines")
    assert (done.code, done.out) == (0, b"")
    assert done.err.startswith("warning: jsonlines cannot represent: 6 tokens with UD columns; ")
    record = json.loads((tmp_path / "out.jsonlines").read_text(encoding="utf-8"))
    assert (record["doc_key"], record["clusters"]) == ("d", [[[0, 3], [4, 4]], [[3, 3]]])


def test_standard_input_to_standard_output() -> None:
    done = run("convert", "-", "-", "--to", "corefud", input=TEXT.encode())
    assert (done.code, done.out, done.err) == (0, TEXT.encode(), "")
    packed = run("convert", "-", "-", "--from", "corefud", "--to", "corefud", input=gzip.compress(TEXT.encode()))
    assert packed == done


def test_compressed_output(story: Path, tmp_path: Path) -> None:
    assert run("convert", story, tmp_path / "out.conllu.gz").code == 0
    assert gzip.decompress((tmp_path / "out.conllu.gz").read_bytes()) == TEXT.encode()


def test_folder_to_file_and_file_to_folder(tmp_path: Path) -> None:
    (tmp_path / "in/sub").mkdir(parents=True)
    for name in ("b", "a", "sub/c"):
        (tmp_path / f"in/{name}.conllu").write_text(TEXT.replace("id = d\n", f"id = {name}\n"), encoding="utf-8")
    assert run("convert", tmp_path / "in", tmp_path / "out.conllu").code == 0
    assert [doc.id for doc in coindex.read(tmp_path / "out.conllu")] == ["a", "b", "sub/c"]
    done = run("convert", tmp_path / "out.conllu", tmp_path / "brat", "--to", "brat")
    assert done.code == 0
    assert sorted(path.name for path in (tmp_path / "brat").iterdir()) == [
        f"{stem}.{end}" for stem in ("a", "b", "sub_c") for end in ("ann", "txt")
    ]
    assert [len(doc.entities) for doc in coindex.read(tmp_path / "brat")] == [2, 2, 2]


def test_options_of_reader_and_writer(tmp_path: Path) -> None:
    path = lay_out(SAMPLES["ecbplus"], tmp_path)
    done = run("convert", path, "-", "--to", "markdown", "-r", "sentences=all", "-w", "singletons=hidden")
    assert done.code == 0
    assert b"Ann" in done.out
    done = run("convert", path, "-", "--to", "markdown", "-r", "sentences=al")
    assert (done.code, done.err) == (2, "error: unknown value of ecbplus option sentences 'al'; did you mean all?\n")
    done = run("convert", path, "-", "--to", "markdown", "-w", "x=y")
    assert done.code == 2
    assert "unknown option of markdown 'x'" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["out"],
            "error: {out}: the name does not identify the format; name the format with --to (format=… in Python)",
        ),
        (["out.x", "--to", "korkor"], "error: korkor can be read but not written; choose another output format"),
        (
            ["-", "--to", "brat"],
            "error: this format writes a folder of files and cannot be written to standard output; give a folder",
        ),
    ],
)
def test_outputs_that_cannot_be(arguments: list[str], message: str, story: Path, tmp_path: Path) -> None:
    target = arguments[0] if arguments[0] == "-" else tmp_path / arguments[0]
    done = run("convert", story, target, *arguments[1:])
    assert (done.code, done.err) == (2, message.format(out=target) + "\n")
    assert [path.name for path in tmp_path.iterdir()] == ["story.conllu"]


def test_formats_that_are_only_written(story: Path) -> None:
    done = run("convert", story, "-", "--from", "html", "--to", "corefud")
    assert (done.code, done.err) == (
        2,
        f"error: {story}: html can be written but not read; choose another input format\n",
    )


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in ("korkor", "text")])
def test_every_format_becomes_every_other(name: str, tmp_path: Path) -> None:
    path = lay_out(SAMPLES[name], tmp_path / "in")
    expected = sum(len(doc.entities) for doc in coindex.read(path))
    assert expected > 0
    for other in (other for other in NAMES if other not in ("korkor", "table", "terminal")):
        done = run("convert", path, tmp_path / other, "--from", name, "--to", other)
        assert (done.code, "Traceback" in done.err) == (0, False), (other, done.err)
        if other in SAMPLES and other != "text":
            found = sum(len(doc.entities) for doc in coindex.read(tmp_path / other, other))
            assert 0 < found <= expected, other


# --- validate


def test_a_good_file_is_valid(story: Path) -> None:
    done = run("validate", story)
    assert (done.code, done.out, done.err) == (0, b"", "1 file: 0 errors, 0 warnings\n")


BAD = document(
    sentence("a Entity=(e1", "b Entity=e2)", "c Entity=(e3--2)", comments=("# sent_id = s",)),
    sentence("d", "7 e", comments=("# sent_id = s",)),
)


def test_all_problems_of_a_file_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(BAD, encoding="utf-8")
    done = run("validate", path)
    rows = done.out.decode().splitlines()
    assert [row.partition(";")[0] for row in rows] == [
        f"error: {path}:5: a closing bracket 'e2)' of a mention that was never opened in this sentence",
        f"error: {path}:4: a mention of 'e1' that is never closed in its sentence",
        f"error: {path}:8: duplicate sent_id 's' in a document",
        f"error: {path}:10: the word id '7'",
        f"error: {path}:6: head '2' of a mention of 1 words",
    ]
    assert (done.code, done.err) == (2, "1 file: 5 errors, 0 warnings\n")


def test_problems_as_json(tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(BAD, encoding="utf-8")
    done = run("validate", "--json", path)
    records = [json.loads(row) for row in done.out.splitlines()]
    assert [record["line"] for record in records] == [5, 4, 8, 10, 6]
    assert records[0] == {
        "path": str(path),
        "line": 5,
        "column": 28,
        "severity": "error",
        "code": "unopened-mention",
        "found": "a closing bracket 'e2)' of a mention that was never opened in this sentence",
        "expected": "'(e2' at an earlier word",
        "remedy": "add the opening bracket or remove this one",
    }
    assert (done.code, done.err) == (2, "")


def test_warnings_alone_are_no_failure(tmp_path: Path) -> None:
    path = tmp_path / "cut.conllu"
    path.write_text(TEXT.rstrip("\n"), encoding="utf-8")
    done = run("validate", path)
    assert (done.code, done.err) == (0, "1 file: 0 errors, 1 warning\n")
    assert done.out.decode().startswith(f"warning: {path}:11: the end of the file right after a word; ")
    quiet = run("validate", "--no-warnings", path)
    assert (quiet.code, quiet.out) == (0, b"")


def test_several_files_and_standard_input(story: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.conllu"
    bad.write_text(BAD, encoding="utf-8")
    done = run("validate", story, bad, "-", input=b"# newdoc\n1\tx\n\n")
    assert (done.code, done.err) == (2, "3 files: 7 errors, 0 warnings\n")
    assert done.out.decode().splitlines()[-1].startswith("error: <stdin>:1: a sentence without words")


def test_what_is_wrong_with_a_document_that_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "odd.conllu"
    path.write_text(TEXT.replace("\t1\tdep", "\t99\tdep", 1), encoding="utf-8")
    done = run("validate", path)
    assert b"99" in done.out
    assert str(path).encode() in done.out


@pytest.mark.parametrize(
    "name", ["en_gum/en_gum-corefud-dev.conllu", "es_ancora/es_ancora-dev.conllu", "en_parcorfull", "en_litbank/dev"]
)
def test_real_corpora_have_no_errors(name: str, shared_data: Path) -> None:
    done = run("validate", "--no-warnings", shared_data / name)
    assert [row for row in done.out.decode().splitlines() if row.startswith("error")] == []
    assert done.code == 0


# --- info


def test_info(story: Path) -> None:
    done = run("info", story)
    assert (done.code, done.err) == (0, "")
    assert done.out.decode().split() == (
        f"{story}: corefud 1 documents 2 sentences 6 words 2 entities 1 singletons 3 mentions".split()
    )


def test_info_as_json(story: Path) -> None:
    done = run("info", "--json", story, "-", input=b"Ann left.")
    first, second = json.loads(done.out)
    assert first == {
        "path": str(story),
        "format": "corefud",
        "documents": 1,
        "sentences": 2,
        "words": 6,
        "empty nodes": 0,
        "entities": 2,
        "singletons": 1,
        "mentions": 3,
        "zero mentions": 0,
        "multiword tokens": 0,
        "events": 0,
        "discontinuous mentions": 0,
        "mentions with a head": 0,
        "bridging relations": 0,
        "split antecedents": 0,
        "sentences with a speaker": 0,
    }
    assert (second["path"], second["format"], second["words"]) == ("-", "text", 3)


# From the README of the corpora, and counted with udapi in tests/reference.
SIZES = {
    "es_ancora": {"format": "corefud", "documents": 131, "zero mentions": 780, "mentions": 7161},
    "cs_faust": {"documents": 48, "zero mentions": 1251, "discontinuous mentions": 11, "bridging relations": 52},
    "en_parcorfull/en_parcorfull-train.conllu": {"documents": 15, "entities": 170},
    "nl_openboek": {"format": "conll2012", "documents": 7},
}


@pytest.mark.parametrize("name", SIZES)
def test_info_of_real_corpora(name: str, shared_data: Path) -> None:
    (row,) = json.loads(run("info", "--json", shared_data / name).out)
    assert {key: row[key] for key in SIZES[name]} == SIZES[name]


# --- formats


def test_the_table_of_formats() -> None:
    done = run("formats")
    assert (done.code, done.err) == (0, "")
    shown = [row.split()[0] for row in done.out.decode().splitlines() if row and not row.startswith(" ")]
    assert shown == list(NAMES)


def test_formats_as_json() -> None:
    records = json.loads(run("formats", "--json").out)
    assert [record["name"] for record in records] == list(NAMES)
    (corefud,) = json.loads(run("formats", "corefud", "--json").out)
    assert corefud == records[0]
    assert (corefud["read"], corefud["write"], corefud["folder"], corefud["extensions"]) == (
        True,
        True,
        False,
        [".conllu", ".conllup"],
    )
    assert "zeros" in corefud["carries"]


def test_all_about_one_format() -> None:
    text = run("formats", "ecbplus").out.decode()
    assert text.startswith("ecbplus: ECB+ XML")
    assert "is read and written, as a folder of files" in text
    assert "yes  events " in text
    assert " no  heads " in text
    assert "-r sentences=validated|context|all" in text


# --- heads


def test_heads(story: Path) -> None:
    done = run("heads", story)
    assert (done.code, done.err) == (0, "")
    (doc,) = read(done.out, story.parent)
    assert [(m.positions, m.head) for m, _ in doc.mentions()] == [((0, 1, 2, 3), 0), ((3,), 3), ((4,), 4)]
    assert b"Entity=(e1-person-1\n" in done.out


def read(data: bytes, folder: Path) -> list[Document]:
    path = folder / "read.conllu"
    path.write_bytes(data)
    return list(coindex.read(path))


def test_given_heads_are_kept_by_default(story: Path) -> None:
    story.write_text(TEXT.replace("(e1-person", "(e1-person-3"), encoding="utf-8")
    expected = story.read_bytes().replace(b"(e2-place)", b"(e2-place-1)").replace(b"(e1)", b"(e1-person-1)")
    assert run("heads", story).out == expected
    assert b"(e1-person-1\n" in run("heads", "--overwrite", story).out


def test_heads_into_a_file_in_place(story: Path) -> None:
    done = run("heads", story, "-o", story)
    assert (done.code, done.out) == (0, b"")
    assert "Entity=(e1-person-1\n" in story.read_text(encoding="utf-8")


def test_heads_need_trees(tmp_path: Path) -> None:
    path = lay_out(SAMPLES["jsonlines"], tmp_path)
    done = run("heads", path)
    assert (done.code, done.out) == (2, b"")
    assert done.err == (
        f"error: {path}: document 'a' has no dependency tree (columns HEAD and DEPREL); parse the text first\n"
    )


def test_sentences_of_one_word_are_trees(tmp_path: Path) -> None:
    path = tmp_path / "short.conllu"
    path.write_text(document(sentence("Ann Entity=(e1)"), sentence("Bob Entity=(e2)")), encoding="utf-8")
    done = run("heads", path)
    assert (done.code, done.out.count(b"--1)")) == (0, 2)


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("all", {"e1": [(0,), (4,)], "e2": [(3,)], "e3": [(0,)]}),
        ("merge", {"e1": [(0,), (4,)], "e2": [(3,)]}),
        ("smaller", {"e1": [(0, 1, 2, 3), (0,), (4,)], "e2": [(3,)], "e3": [(0, 1)]}),
    ],
)
def test_spans_reduced_to_heads(how: str, expected: dict[str, list[tuple[int, ...]]], tmp_path: Path) -> None:
    words = ("The Entity=(e1-person(e3(e1)", "mayor Entity=e3)", "of", "Ulm Entity=(e2-place)e1)")
    path = tmp_path / "nested.conllu"
    path.write_text(document(sentence(*words), SECOND), encoding="utf-8")
    done = run("heads", "--reduce", how, path)
    assert (done.code, done.err) == (0, "")
    (doc,) = read(done.out, tmp_path)
    assert {e.id: [m.positions for m in e.mentions] for e in doc.entities} == expected


def test_heads_of_gum_are_those_of_corefud(shared_data: Path, tmp_path: Path) -> None:
    done = run("heads", shared_data / "en_gum/en_gum-dev.conllu", "-o", tmp_path / "heads.conllu")
    assert (done.code, done.err) == (0, "")
    ours = list(coindex.read(tmp_path / "heads.conllu"))
    theirs = list(coindex.read(shared_data / "en_gum/en_gum-corefud-dev.conllu"))
    assert [doc.id for doc in ours] == [doc.id for doc in theirs]
    number = 0
    for one, other in zip(ours, theirs, strict=True):
        found = [(m.positions, m.head) for m, _ in one.mentions()]
        assert Counter(found) == Counter((m.positions, m.head) for m, _ in other.mentions()), one.id
        number += len(found)
    assert number == 7897


# --- show


def test_show_in_the_terminal(story: Path) -> None:
    done = run("show", story)
    assert (done.code, done.err) == (0, "")
    text = done.out.decode()
    assert "The mayor of" in text
    assert "\x1b" not in text
    assert "\x1b[" in run("show", "--colour", "always", story).out.decode()


def test_show_as_a_page(story: Path, tmp_path: Path) -> None:
    done = run("show", story, "--html", tmp_path / "page.html")
    assert (done.code, done.out, done.err) == (0, b"", "")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert "mayor" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page
    assert run("show", story, "--html", "-").out.decode().count("mayor") == page.count("mayor")


def test_show_one_document(tmp_path: Path) -> None:
    path = tmp_path / "two.conllu"
    path.write_text(TEXT + TEXT.replace("id = d\n", "id = other\n").replace("Ulm", "Bonn"), encoding="utf-8")
    text = run("show", "--document", "other", path).out.decode()
    assert "Bonn" in text
    assert "Ulm" not in text
    done = run("show", "--document", "othr", path)
    assert (done.code, done.err) == (2, "error: unknown document 'othr'; did you mean other?\n")


def test_show_without_singletons(story: Path) -> None:
    assert run("show", story).out != run("show", "--no-singletons", story).out
    assert b"Ulm" in run("show", "--no-singletons", story).out


def test_show_raw_text() -> None:
    assert b"Ann left." in run("show", "-", input=b"Ann left.").out


# --- quotes


def test_quotes_as_text_and_as_json(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text('"I am here," said Anna. Ben told her, "I know."\n\n"Oh."', encoding="utf-8")
    done = run("quotes", path)
    assert (done.code, done.out.decode()) == (0, "Anna: I am here,\nBen → her: I know.\n?: Oh.\n")
    (record,) = json.loads(run("quotes", path, "--json").out)
    first, second, third = record["quotations"]
    assert record["document"] == "talk"
    assert first["speaker"] == {"text": "Anna", "start_char": 18, "end_char": 22, "entity": None}
    assert (second["addressee"]["text"], second["evidence"], third["speaker"]) == ("her", "verb", None)


def test_quotes_of_a_resolved_document_have_entities(tmp_path: Path) -> None:
    text = '"I am here," said Anna.'
    doc = coindex.read(_write(tmp_path / "talk.txt", text))
    (doc,) = list(doc)
    anna = [token.form for token in doc.tokens].index("Anna")
    coindex.write(doc.replace(entities=(coindex.Entity("e7", (doc.mention([anna]),)),)), tmp_path / "talk.json")
    (record,) = json.loads(run("quotes", tmp_path / "talk.json", "--json").out)
    assert record["quotations"][0]["speaker"]["entity"] == "e7"


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
