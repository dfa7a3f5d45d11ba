"""`coindex resolve` into a folder: a file for each, what is done before, broken files, interrupts, processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import coindex
from command import run
from corefud_text import document, sentence

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
    assert f"warning: {corpus}/a.conllu: jsonlines cannot say: " in done.err


def test_a_format_of_many_files_gets_a_folder_each(corpus: Path, tmp_path: Path) -> None:
    assert run("resolve", corpus, *GIVEN, "-o", tmp_path / "out", "--to", "brat").code == 0
    assert below(tmp_path / "out") == [
        f"{name}/{Path(name).name}0.{end}" for name in ("a", "b", "deep/c") for end in ("ann", "txt")
    ]
    assert "3 skipped" in run("resolve", corpus, *GIVEN, "-o", tmp_path / "out", "--to", "brat").err


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


def test_what_is_done_is_skipped(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("resolve", corpus, *GIVEN, "-o", out)
    (out / "a.conllu").write_text("mine", encoding="utf-8")
    (out / "b.conllu").unlink()
    done = run("resolve", corpus, *GIVEN, "-o", out)
    assert (done.code, done.err) == (0, "1 file done, 2 skipped, done before (--overwrite does them anew)\n")
    assert (out / "a.conllu").read_text(encoding="utf-8") == "mine"
    done = run("resolve", corpus, *GIVEN, "-o", out, "--overwrite")
    assert (done.code, done.err) == (0, "3 files done\n")
    assert (out / "a.conllu").read_text(encoding="utf-8") != "mine"


# --- what cannot be


def test_two_inputs_of_one_name_are_refused_before_any_work(tmp_path: Path) -> None:
    one, other = put(tmp_path / "one/a.conllu"), put(tmp_path / "other/a.conllu")
    done = run("resolve", one, other, *GIVEN, "-o", f"{tmp_path}/out/")
    assert done.code == 2
    assert f"out/a.conllu: would be the result of {one} and of {other}; expected names that differ" in done.err
    assert not (tmp_path / "out").exists()


def test_an_input_is_never_written_over(corpus: Path) -> None:
    before = (corpus / "a.conllu").read_bytes()
    done = run("resolve", corpus / "a.conllu", *GIVEN, "-o", corpus, "--overwrite")
    assert (done.code, "a.conllu: is an input itself" in done.err) == (2, True)
    done = run("resolve", corpus, *GIVEN, "-o", corpus / "out/", "--overwrite")
    assert (done.code, "where the next run would read it as input" in done.err) == (2, True)
    assert (corpus / "a.conllu").read_bytes() == before


def test_wrong_options_are_told_once_before_any_work(corpus: Path, tmp_path: Path) -> None:
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
    assert (done.code, f"error: {broken}:1: content of no known format" in done.err) == (1, True)
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


def test_the_choice_of_a_resolver_is_told_once(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for name in ("a", "b", "c"):
        (texts / f"{name}.txt").write_text(f"Nora met Tom {name}. She waved.", encoding="utf-8")
    for jobs in (1, 2):
        done = run("resolve", texts, "-o", tmp_path / f"out{jobs}", "--jobs", jobs)
        assert done.code == 0
        assert done.err.splitlines() == [
            "resolver: en-small (choose another with -r; coindex resolvers lists them)",
            "3 files done",
        ]
    for name in ("a.conllu", "b.conllu", "c.conllu"):
        assert (tmp_path / "out1" / name).read_bytes() == (tmp_path / "out2" / name).read_bytes()


def test_what_looks_at_several_documents_together(corpus: Path, tmp_path: Path) -> None:
    """It wants all of them at once: in one process, into one file."""
    together = ("-r", "head-lemma(corpus)", "--mentions", "given")
    done = run("resolve", corpus, *together, "-o", tmp_path / "out")
    assert (done.code, "name a file with -o" in done.err, (tmp_path / "out").exists()) == (2, True, False)
    done = run("resolve", corpus, *together, "-o", tmp_path / "all.conllu", "--jobs", "2")
    assert (done.code, "cannot be spread over processes; use --jobs 1" in done.err) == (2, True)
    assert run("resolve", corpus, *together, "-o", tmp_path / "all.conllu").code == 0
    assert len({entity.id for doc in coindex.read(tmp_path / "all.conllu") for entity in doc.entities}) == 3
    assert (
        run("resolve", corpus, "-r", "head-lemma", "--mentions", "given", "-o", tmp_path / "out", "-j", "2").code == 0
    )


# --- interrupts


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_keeps_what_is_finished(jobs: str, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        put(tmp_path / f"corpus/{name}.conllu")
    for name in ("x", "y", "z"):
        put(tmp_path / f"corpus/{name}.conllu", copies=6000)
    out = tmp_path / "out"
    command = [sys.executable, "-m", "coindex", "resolve", "corpus", *GIVEN, "-o", "out", "--jobs", jobs]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        until = time.monotonic() + 60
        while process.poll() is None and not list(out.glob(".x.*")) and time.monotonic() < until:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)  # as the keyboard does: to all of them
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.strip().endswith("interrupted")
    assert "Traceback" not in err
    kept = below(out)
    assert {"a.conllu", "b.conllu", "c.conllu"} <= set(kept) < {f"{name}.conllu" for name in "abcxyz"}
    for name in "xyz":
        put(tmp_path / f"corpus/{name}.conllu")
    done = run("resolve", tmp_path / "corpus", *GIVEN, "-o", out)
    assert (done.code, done.err.split(",")[:2]) == (
        0,
        [f"{6 - len(kept)} file{'s' if len(kept) < 5 else ''} done", f" {len(kept)} skipped"],
    )
