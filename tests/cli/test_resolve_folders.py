"""`coindex resolve` into a folder: one file for each input, finished files, broken files, interrupts, processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import coindex
from coindex.errors import LossWarning
from coindex.resolvers.defaults import default_for
from command import run
from corefud_text import document, sentence
from waiting import wait_for_group, wait_until

SENTENCES = sentence("Ann Entity=(e1--1)", "met", "Bob Entity=(e2--1)"), sentence("She Entity=(e1--1)", "left")
GIVEN = ("-r", "singleton", "--mentions", "given")


def put(path: Path, copies: int = 1) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(document(*SENTENCES, id=f"{path.stem}{number}") for number in range(copies)), encoding="utf-8"
    )
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for name in ("a.conllu", "b.conllu", "deep/c.conllu"):
        put(tmp_path / "corpus" / name)
    return tmp_path / "corpus"


def below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_each_file_gets_one_under_its_name(corpus: Path, tmp_path: Path) -> None:
    done = run("resolve", corpus, *GIVEN, "-o", tmp_path / "out")
    assert (done.code, done.out, done.err) == (0, b"", "3 files done\n")
    assert below(tmp_path / "out") == ["a.conllu", "b.conllu", "deep/c.conllu"]
    (doc,) = coindex.read(tmp_path / "out/deep/c.conllu")
    assert (doc.id, len(doc.entities)) == ("c0", 3)


def test_the_ending_is_that_of_the_format(corpus: Path, tmp_path: Path) -> None:
    done = run("resolve", corpus, *GIVEN, "-o", f"{tmp_path}/out/", "--to", "jsonlines")
    assert done.code == 0
    assert below(tmp_path / "out") == ["a.jsonlines", "b.jsonlines", "deep/c.jsonlines"]
    assert done.err.count("warning: ") == 3
    assert f"warning: {corpus}/a.conllu: jsonlines cannot represent: " in done.err


def test_a_format_of_many_files_gets_a_folder_each(corpus: Path, tmp_path: Path) -> None:
    assert run("resolve", corpus, *GIVEN, "-o", tmp_path / "out", "--to", "brat").code == 0
    assert below(tmp_path / "out") == [
        f"{name}/{Path(name).name}0.{end}" for name in ("a", "b", "deep/c") for end in ("ann", "txt")
    ]
    assert "3 done before" in run("resolve", corpus, *GIVEN, "-o", tmp_path / "out", "--to", "brat").err


def test_when_an_output_is_a_folder(corpus: Path, tmp_path: Path) -> None:
    one = corpus / "a.conllu"
    (tmp_path / "there").mkdir()
    run("resolve", one, *GIVEN, "-o", tmp_path / "there")
    run("resolve", one, *GIVEN, "-o", f"{tmp_path}/slash/")
    run("resolve", one, corpus / "b.conllu", *GIVEN, "-o", tmp_path / "two")
    run("resolve", corpus, *GIVEN, "-o", tmp_path / "all.conllu")
    assert below(tmp_path / "there") == ["a.conllu"]
    assert below(tmp_path / "slash") == ["a.conllu"]
    assert below(tmp_path / "two") == ["a.conllu", "b.conllu"]
    assert [doc.id for doc in coindex.read(tmp_path / "all.conllu")] == ["a0", "b0", "c0"]


def test_standard_input_into_a_folder(tmp_path: Path) -> None:
    done = run("resolve", "-", *GIVEN, "-o", f"{tmp_path}/out/", input=document(*SENTENCES).encode())
    assert (done.code, below(tmp_path / "out")) == (0, ["stdin.conllu"])


# --- a second run


def test_finished_files_are_skipped(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("resolve", corpus, *GIVEN, "-o", out)
    (out / "a.conllu").write_text("mine", encoding="utf-8")
    (out / "b.conllu").unlink()
    done = run("resolve", corpus, *GIVEN, "-o", out)
    assert (done.code, done.err) == (0, "1 file done, 2 done before (--overwrite repeats them)\n")
    assert (out / "a.conllu").read_text(encoding="utf-8") == "mine"
    done = run("resolve", corpus, *GIVEN, "-o", out, "--overwrite")
    assert (done.code, done.err) == (0, "3 files done\n")
    assert (out / "a.conllu").read_text(encoding="utf-8") != "mine"


# --- what cannot be


def test_two_inputs_of_one_name_are_refused_before_any_work(tmp_path: Path) -> None:
    one, other = put(tmp_path / "one/a.conllu"), put(tmp_path / "other/a.conllu")
    done = run("resolve", one, other, *GIVEN, "-o", f"{tmp_path}/out/")
    assert done.code == 2
    assert f"out/a.conllu: both {one} and {other} have this output" in done.err
    assert not (tmp_path / "out").exists()


def test_an_input_is_never_written_over(corpus: Path) -> None:
    before = (corpus / "a.conllu").read_bytes()
    done = run("resolve", corpus / "a.conllu", *GIVEN, "-o", corpus, "--overwrite")
    assert (done.code, "a.conllu: the output is also an input" in done.err) == (2, True)
    done = run("resolve", corpus, *GIVEN, "-o", corpus / "out/", "--overwrite")
    assert (done.code, "the next run would read it as input" in done.err) == (2, True)
    assert (corpus / "a.conllu").read_bytes() == before


def test_wrong_options_are_reported_once_before_any_work(corpus: Path, tmp_path: Path) -> None:
    for arguments, message in (
        (["--to", "jsonlines", "-w", "x=y"], "unknown option of jsonlines 'x'"),
        (["-r", "nobody"], "unknown resolver 'nobody'"),
    ):
        done = run("resolve", corpus, *GIVEN, "-o", tmp_path / "out", *arguments)
        assert (done.code, done.err.count(message)) == (2, 1)
        assert not (tmp_path / "out").exists()


# --- broken files


@pytest.mark.parametrize("jobs", [1, 2])
def test_broken_files_are_reported_and_the_others_done(jobs: int, corpus: Path, tmp_path: Path) -> None:
    (corpus / "aa.conllu").write_text("# newdoc id = x\n1\tAnn\n\n", encoding="utf-8")
    (corpus / "empty.conllu").write_bytes(b"")
    (corpus / "packed.conllu.gz").write_bytes(b"\x1f\x8b\x08\x00broken")
    done = run("resolve", corpus, *GIVEN, "-o", tmp_path / "out", "--jobs", jobs)
    assert (done.code, done.out) == (1, b"")
    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert [line.split(": ")[1] for line in errors] == [
        f"{corpus}/aa.conllu:2",
        f"{corpus}/empty.conllu:1",
        f"{corpus}/packed.conllu.gz:1",
    ]
    assert done.err.endswith("3 files done, 3 failed\n")
    assert below(tmp_path / "out") == ["a.conllu", "b.conllu", "deep/c.conllu"]


def test_a_broken_file_among_those_named(corpus: Path, tmp_path: Path) -> None:
    broken = corpus / "broken.xml"
    broken.write_text("<nothing/>\n", encoding="utf-8")
    done = run("resolve", corpus / "a.conllu", broken, *GIVEN, "-o", f"{tmp_path}/out/")
    assert (done.code, f"error: {broken}:1: content that fits no known format" in done.err) == (1, True)
    assert below(tmp_path / "out") == ["a.conllu"]


def test_nothing_but_broken_files_is_bad_input(tmp_path: Path) -> None:
    for name in ("a.conllu", "b.conllu"):
        (tmp_path / name).write_text("# newdoc id = x\n1\tAnn\n\n", encoding="utf-8")
    done = run("resolve", tmp_path / "a.conllu", tmp_path / "b.conllu", *GIVEN, "-o", f"{tmp_path}/out/")
    assert (done.code, done.err.endswith("0 files done, 2 failed\n")) == (2, True)


# --- processes


def test_the_same_on_two_processes(corpus: Path, tmp_path: Path) -> None:
    for jobs in (1, 2):
        assert run("resolve", corpus, *GIVEN, "-o", tmp_path / f"out{jobs}", "--jobs", jobs).code == 0
    assert below(tmp_path / "out1") == below(tmp_path / "out2")
    for name in below(tmp_path / "out1"):
        assert (tmp_path / "out1" / name).read_bytes() == (tmp_path / "out2" / name).read_bytes()


def test_the_choice_of_a_resolver_is_reported_once(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for name in ("a", "b", "c"):
        (texts / f"{name}.txt").write_text(f"Nora met Tom {name}. She waved.", encoding="utf-8")
    for jobs in (1, 2):
        done = run("resolve", texts, "-o", tmp_path / f"out{jobs}", "--jobs", jobs)
        assert done.code == 0
        assert done.err.splitlines() == [
            f"resolver: {default_for('en')}, scheme gum (choose another with -r, see 'coindex resolvers')",
            "3 files done",
        ]
    for name in ("a.conllu", "b.conllu", "c.conllu"):
        assert (tmp_path / "out1" / name).read_bytes() == (tmp_path / "out2" / name).read_bytes()


def test_what_looks_at_several_documents_together(corpus: Path, tmp_path: Path) -> None:
    """It wants all of them at once: in one process, into one file."""
    together = ("-r", "head-lemma(corpus)", "--mentions", "given")
    done = run("resolve", corpus, *together, "-o", tmp_path / "out")
    assert (done.code, "to one file with -o FILE" in done.err, (tmp_path / "out").exists()) == (2, True, False)
    done = run("resolve", corpus, *together, "-o", tmp_path / "all.conllu", "--jobs", "2")
    assert (done.code, "cannot use several processes; use --jobs 1" in done.err) == (2, True)
    assert run("resolve", corpus, *together, "-o", tmp_path / "all.conllu").code == 0
    assert len({entity.id for doc in coindex.read(tmp_path / "all.conllu") for entity in doc.entities}) == 3
    assert (
        run("resolve", corpus, "-r", "head-lemma", "--mentions", "given", "-o", tmp_path / "out", "-j", "2").code == 0
    )


# --- interrupts


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_keeps_what_is_finished(jobs: str, by: int, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        put(tmp_path / f"corpus/{name}.conllu")
    for name in ("x", "y", "z"):
        put(tmp_path / f"corpus/{name}.conllu", copies=6000)
    out = tmp_path / "out"
    command = [sys.executable, "-m", "coindex", "resolve", "corpus", *GIVEN, "-o", "out", "--jobs", jobs]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        # With two workers, x may begin while a smaller file is still being written.
        wait_until(lambda: list(out.glob(".x.*")) and {"a.conllu", "b.conllu", "c.conllu"} <= set(below(out)), process)
        if by == signal.SIGINT:
            os.killpg(process.pid, by)  # as the keyboard does: to all of them
        else:
            process.send_signal(by)
        _, err = process.communicate()
    wait_for_group(process.pid)
    ended, message = (130, "interrupted") if by == signal.SIGINT else (-signal.SIGTERM, "terminated")
    assert process.returncode == ended
    assert err.strip().endswith(message)
    assert "Traceback" not in err
    kept = below(out)
    assert {"a.conllu", "b.conllu", "c.conllu"} <= set(kept) < {f"{name}.conllu" for name in "abcxyz"}
    assert err.split() == f"{len(kept)} files done, {6 - len(kept)} not done {message}".split()
    for name in "xyz":
        put(tmp_path / f"corpus/{name}.conllu")
    done = run("resolve", tmp_path / "corpus", *GIVEN, "-o", out)
    assert (done.code, done.err.split(",")[:2]) == (
        0,
        [
            f"{6 - len(kept)} file{'s' if len(kept) < 5 else ''} done",
            f" {len(kept)} done before (--overwrite repeats them)\n",
        ],
    )


def test_an_interrupt_counts_what_other_processes_have_finished(tmp_path: Path) -> None:
    """A slow first file holds back the results of the others, whose outputs are there all the same."""
    put(tmp_path / "corpus/a.conllu", copies=6000)
    for name in "bcdef":
        put(tmp_path / f"corpus/{name}.conllu")
    out = tmp_path / "out"
    put(out / "b.conllu")  # from an earlier run, to be written over
    command = [sys.executable, "-m", "coindex", "resolve", "corpus", *GIVEN, "-o", "out", "--jobs", "2", "--overwrite"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        wait_until((out / "d.conllu").exists, process)
        assert not (out / "a.conllu").exists()
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130
    kept = below(out)
    assert set(kept) >= {"b.conllu", "c.conllu", "d.conllu"}
    assert err.split() == f"{len(kept)} files done, {6 - len(kept)} not done interrupted".split()


# --- files of many kinds


BINARY = "binary data; export it as text in UTF-8 from the program that wrote it"


def mixed(folder: Path) -> Path:
    """Texts of every ending, one that is CoNLL, one that is binary, a README, hidden files."""
    for name in ("d000.txt", "d001.md", "d002.markdown", "d003.text", "d004", "README.md", ".hidden.txt"):
        put(folder / name).write_text("Ann met Bob. She waved.\n", encoding="utf-8")
    put(folder / "d005.txt")
    (folder / "binary.txt").write_bytes(bytes(range(256)) * 4)
    return folder


def test_each_file_is_resolved_in_its_own_format(tmp_path: Path) -> None:
    folder = mixed(tmp_path / "texts")
    done = run("resolve", folder, *GIVEN, "-o", tmp_path / "out")
    assert (done.code, done.err.splitlines()) == (
        1,
        [
            f"left out (describes the other files): {folder}/README.md",
            f"skipped: {folder}/binary.txt: {BINARY}",
            "6 files done, 1 skipped",
        ],
    )
    assert below(tmp_path / "out") == [f"d00{number}.conllu" for number in range(6)]
    done = run("resolve", folder, *GIVEN, "-o", tmp_path / "out")
    assert done.code == 1, "a second run has not read it either"
    assert done.err.endswith("0 files done, 6 done before (--overwrite repeats them), 1 skipped\n")


def test_one_corpus_file_among_texts_leaves_none_of_them_out(tmp_path: Path) -> None:
    for number in range(20):
        put(tmp_path / f"texts/t{number:02}.txt").write_text("Ann left. She waved.", encoding="utf-8")
    put(tmp_path / "texts/t99.txt")
    done = run("resolve", tmp_path / "texts", *GIVEN, "-o", f"{tmp_path}/out/")
    assert (done.code, done.err) == (0, "21 files done\n")


def test_one_output_of_files_of_many_kinds(tmp_path: Path) -> None:
    folder = mixed(tmp_path / "texts")
    out = tmp_path / "all.json"
    done = run("resolve", folder, *GIVEN, "-o", out)
    assert (done.code, done.err.splitlines()[1:]) == (
        1,
        [f"skipped: {folder}/binary.txt: {BINARY}", "the output is without 1 skipped file"],
    )
    assert [doc.id for doc in coindex.read(out)] == ["d000", "d001", "d002", "d003", "d004", "d0050"]
    (folder / "cut.conllu").write_bytes(b"")
    out.unlink()
    done = run("resolve", folder, *GIVEN, "-o", out)
    assert (done.code, "cut.conllu:1: an empty file" in done.err, out.exists()) == (2, True, False)


def test_a_format_that_is_named_selects_files(tmp_path: Path) -> None:
    """Other formats are left out as asked, but a file that nobody knows is still reported."""
    folder = mixed(tmp_path / "texts")
    done = run("resolve", folder, "--from", "corefud", *GIVEN, "-o", tmp_path / "out")
    assert done.code == 1
    assert f"left out (text, not corefud): {folder}/README.md, {folder}/d000.txt, {folder}/d001.md" in done.err
    assert done.err.endswith(f"skipped: {folder}/binary.txt: {BINARY}\n1 file done, 1 skipped\n")
    (folder / "binary.txt").unlink()
    assert run("resolve", folder, "--from", "corefud", *GIVEN, "-o", tmp_path / "other").code == 0


def test_texts_and_annotations_named_together(tmp_path: Path) -> None:
    """As by *: the text of a .ann file is not a second input."""
    (tmp_path / "a.ann").write_text("T1\tPerson 0 3\tAnn\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("Ann left.\n", encoding="utf-8")
    done = run("resolve", tmp_path / "a.ann", tmp_path / "a.txt", *GIVEN, "-o", f"{tmp_path}/out/")
    assert (done.code, done.err, below(tmp_path / "out")) == (0, "1 file done\n", ["a.conllu"])


def test_inputs_whose_outputs_have_one_name(tmp_path: Path) -> None:
    """Names that differ by their ending only, or in several folders."""
    for name in ("texts/d000.txt", "texts/d000.md", "one/a.txt", "two/a.txt"):
        put(tmp_path / name).write_text("Ann left.", encoding="utf-8")
    for inputs, made in (([tmp_path / "texts"], "d000"), ([tmp_path / "one", tmp_path / "two"], "a")):
        for verb, *arguments in (("resolve", *GIVEN, "-o"), ("convert", "--to", "corefud")):
            done = run(verb, *inputs, *arguments, f"{tmp_path}/out/")
            assert (done.code, f"out/{made}.conllu: both " in done.err) == (2, True)
            assert "rename one of them, or use two output folders" in done.err
            assert not (tmp_path / "out").exists()


def test_names_with_dots_are_not_cut(tmp_path: Path) -> None:
    for name in ("chapter.1", "chapter.2", "Dear Mr. Smith"):
        put(tmp_path / "texts" / name).write_text("Ann left.", encoding="utf-8")
    assert run("resolve", tmp_path / "texts", *GIVEN, "-o", f"{tmp_path}/out/").code == 0
    assert below(tmp_path / "out") == ["Dear Mr. Smith.conllu", "chapter.1.conllu", "chapter.2.conllu"]


# --- convert


def test_convert_writes_a_file_for_each(tmp_path: Path) -> None:
    folder = mixed(tmp_path / "texts")
    put(folder / "deep/e.conllu")
    (folder / "cut.conllu").write_bytes(b"")
    for _ in range(2):  # what is there is written over
        done = run("convert", folder, tmp_path / "out", "--to", "json")
        assert done.code == 1
        assert done.err.splitlines()[-3:] == [
            f"error: {folder}/cut.conllu:1: an empty file; expected a document; check how the file was made, or leave "
            "it out",
            f"skipped: {folder}/binary.txt: {BINARY}",
            "7 files done, 1 failed, 1 skipped",
        ]
    assert below(tmp_path / "out") == [*(f"d00{number}.json" for number in range(6)), "deep/e.json"]


def test_convert_to_one_file_takes_all_in_the_order_of_names(tmp_path: Path) -> None:
    folder = mixed(tmp_path / "texts")
    put(folder / "deep/e.conllu")
    done = run("convert", folder, tmp_path / "all.json")
    assert (done.code, "skipped: " in done.err) == (1, True)
    assert [doc.id for doc in coindex.read(tmp_path / "all.json")] == [*(f"d00{n}" for n in range(5)), "d0050", "e0"]
    (folder / "binary.txt").unlink()
    done = run("convert", folder / "d000.txt", folder / "deep", tmp_path / "two.json")
    assert (done.code, [doc.id for doc in coindex.read(tmp_path / "two.json")]) == (0, ["d000", "e0"])


def test_convert_needs_the_format_of_files_in_a_folder(corpus: Path, tmp_path: Path) -> None:
    for output in (f"{tmp_path}/out/", tmp_path / "out"):
        done = run("convert", corpus, output)
        assert (done.code, "out" in done.err, "--to" in done.err) == (2, True, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("jobs", [None, "2"])
def test_formats_of_many_files_side_by_side(jobs: str | None, tmp_path: Path) -> None:
    """brat, MMAX2, ECB+, RU-EVAL, CorefUD and raw text in one folder: each document comes out once."""
    (doc,) = coindex.read(put(tmp_path / "doc.conllu"))
    folder = tmp_path / "all"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)
        for name in ("brat", "mmax2", "ecbplus", "rueval"):
            coindex.write(doc.replace(id=f"{name}-doc"), folder / name, name)
    put(folder / "plain.conllu")
    put(folder / "brat/alone.txt").write_text("Ann left. She waved.", encoding="utf-8")
    put(folder / "rueval/alone-too.txt").write_text("Ann left. She waved.", encoding="utf-8")
    arguments = ["convert", folder] if jobs is None else ["resolve", folder, *GIVEN, "--jobs", jobs]
    out = [f"{tmp_path}/out/"] if jobs is None else ["-o", f"{tmp_path}/out/"]
    done = run(*arguments, *out, "--to", "json")
    assert (done.code, done.err.splitlines()[-1]) == (0, "7 files done")
    found = sorted(str(one.id) for path in (tmp_path / "out").rglob("*.json") for one in coindex.read(path))
    assert found == ["alone", "alone-too", "brat-doc", "ecbplus-doc", "mmax2-doc", "plain0", "rueval-doc"]
    words = {one.id: len(one.tokens) for one in coindex.read(tmp_path / "out")}
    assert {words[f"{name}-doc"] for name in ("brat", "mmax2", "ecbplus", "rueval")} == {5}


# --- one format in, the same out


@pytest.mark.parametrize("verb", ["resolve", "convert"])
@pytest.mark.parametrize("name", ["jsonlines", "preco", "json"])
def test_an_ending_of_several_formats_means_that_of_the_input(name: str, verb: str, tmp_path: Path) -> None:
    docs = list(coindex.read(put(tmp_path / "doc.conllu")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)
        coindex.write(docs, tmp_path / "in.jsonl", name)
    arguments = [*GIVEN, "-o"] if verb == "resolve" else []
    out = tmp_path / "out.jsonl"
    assert run(verb, tmp_path / "in.jsonl", *arguments, out).code == 0
    assert run("info", "--json", out).out.count(f'"format": "{name}"'.encode()) == 1
    out.unlink()
    assert run(verb, "-", *arguments, out, input=(tmp_path / "in.jsonl").read_bytes()).code == 0
    assert run("info", "--json", out).out.count(f'"format": "{name}"'.encode()) == 1
    done = run(verb, tmp_path / "in.jsonl", tmp_path / "doc.conllu", *arguments, tmp_path / "both.jsonl")
    assert (done.code, "both.jsonl: the name fits json and preco and jsonlines" in done.err) == (2, True)


# --- quiet


@pytest.mark.parametrize("place", ["before", "after"])
def test_quiet_leaves_errors_and_warnings(place: str, tmp_path: Path) -> None:
    folder = mixed(tmp_path / "texts")
    before, after = (["-q"], []) if place == "before" else ([], ["--quiet"])
    done = run(*before, "resolve", folder / "d000.txt", *after)
    assert (done.code, done.err, b"Ann" in done.out) == (0, "", True)
    done = run(*before, "resolve", folder / "d000.txt", "-o", f"{tmp_path}/out/", *after)
    assert (done.code, done.err) == (0, "")
    done = run(*before, "resolve", folder, *GIVEN, "-o", tmp_path / "all", *after)
    assert (done.code, done.err.splitlines()) == (
        1,
        [f"skipped: {folder}/binary.txt: {BINARY}", "6 files done, 1 skipped"],
    )
    (folder / "empty.txt").write_bytes(b"")
    done = run(*before, "convert", folder / "empty.txt", tmp_path / "empty.json", *after)
    assert (done.code, done.err.startswith("warning: ")) == (0, True)


# --- other verbs


def test_validate_reports_what_it_cannot_check(tmp_path: Path) -> None:
    folder = mixed(tmp_path / "texts")
    done = run("validate", folder)
    assert (done.code, done.err) == (2, "7 files: 1 error, 0 warnings\n")
    assert done.out.decode().startswith(f"error: {folder}/binary.txt: skipped: binary data; expected")
    (folder / "binary.txt").unlink()
    assert run("validate", folder).code == 0


@pytest.mark.parametrize("arguments", [["info"], ["dedup"], ["show"], ["clean"], ["stats"], ["errors"], ["heads"]])
def test_other_verbs_name_what_they_leave_out(arguments: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    put(folder / "a.conllu")
    (folder / "image.png").write_bytes(bytes(range(256)))
    inputs = [folder, folder] if arguments == ["errors"] else [folder]
    done = run(*arguments, *inputs)
    assert done.code == 0
    assert done.err.count(f"warning: {folder}: 1 file skipped: image.png (binary data)\n") == 1


@pytest.mark.parametrize("verb", ["stats", "score"])
def test_verbs_that_need_entities_leave_texts_out(verb: str, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    put(folder / "a.conllu")
    (folder / "about.txt").write_text("About this.", encoding="utf-8")
    done = run(verb, *([folder, folder] if verb == "score" else [folder]))
    assert (done.code, "1 file skipped: about.txt (raw text, without entities)" in done.err) == (0, True)


def test_warnings_of_one_kind_do_not_hide_others(tmp_path: Path) -> None:
    for number in range(8):
        put(tmp_path / f"corpus/a{number}.conllu")
    put(tmp_path / "corpus/z.txt").write_bytes(b"")
    done = run("convert", tmp_path / "corpus", f"{tmp_path}/out/", "--to", "jsonlines")
    lines = done.err.splitlines()
    assert (done.code, lines[-1], len(lines)) == (0, "9 files done", 8)
    assert all(f"a{number}.conllu: jsonlines cannot represent: " in lines[number] for number in range(5))
    assert lines[5] == "warning: 3 more warnings like the last one"
    assert lines[6].startswith(f"warning: {tmp_path}/corpus/z.txt: an empty text")
