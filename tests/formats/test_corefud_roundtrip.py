"""An unchanged file comes back byte for byte, however it is laid out and wherever it was on the way."""

from __future__ import annotations

import gzip
import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import coindex
from coindex.document import Token, Tokens, edits
from coindex.errors import DataWarning
from corefud_text import CORPORA, GUM, HEADER, difference, document, only, save, sentence, written


def test_the_list_of_corpora_is_complete(shared_data: Path) -> None:
    assert sorted(str(path.relative_to(shared_data)) for path in shared_data.rglob("*.conllu")) == CORPORA


@pytest.mark.parametrize("name", CORPORA)
def test_real_files_come_back_byte_for_byte(name: str, shared_data: Path, tmp_path: Path) -> None:
    coindex.write(coindex.read(shared_data / name), tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == (shared_data / name).read_bytes()


@pytest.mark.parametrize("name", CORPORA[4:])
def test_real_files_through_gz(name: str, shared_data: Path, tmp_path: Path) -> None:
    data = (shared_data / name).read_bytes()
    (tmp_path / "in.conllu.gz").write_bytes(gzip.compress(data))
    coindex.write(coindex.read(tmp_path / "in.conllu.gz"), tmp_path / "out.conllu.gz")
    assert gzip.decompress((tmp_path / "out.conllu.gz").read_bytes()) == data


@pytest.mark.parametrize("name", CORPORA[4:])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_real_files_through_pipes(name: str, pack: Callable[[bytes], bytes], shared_data: Path) -> None:
    data = (shared_data / name).read_bytes()
    command = [sys.executable, "-m", "coindex", "convert", "-", "-", "--to", "corefud"]
    done = subprocess.run(command, input=pack(data), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == data


@pytest.mark.parametrize("name", ["en_gum/en_gum-dev.conllu", "en_parcorfull/en_parcorfull-dev.conllu"])
def test_line_ends_of_real_files_are_kept(name: str, shared_data: Path, tmp_path: Path) -> None:
    """The first is of several megabytes, so that its line ends are in several blocks."""
    data = (shared_data / name).read_bytes().replace(b"\n", b"\r\n")
    (tmp_path / "in.conllu").write_bytes(data)
    docs = list(coindex.read(tmp_path / "in.conllu"))
    coindex.write(docs, tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == data
    assert docs == list(coindex.read(shared_data / name))


@pytest.mark.parametrize(
    "text",
    [
        GUM,
        GUM + GUM.replace("id = d\n", "id = e\n"),
        "\n\n\n" + GUM,
        GUM.replace("\n\n", "\n\n\n"),
        GUM.replace("\n\n", "\n\n\n\n\n"),
        GUM + "\n\n\n",
        GUM.replace("\n", "\r\n"),
        "# a comment of the file\n" + GUM,
        GUM.replace("# newdoc id = d\n", ""),
        GUM.replace("# newdoc id = d", "#newdoc"),
        GUM.replace("# global.Entity = ", "# global.Entity="),
        sentence("No", "entities"),
    ],
)
def test_odd_layouts_come_back(text: str, tmp_path: Path) -> None:
    path = save(tmp_path, text)
    assert written(coindex.read(path), tmp_path) == text


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_missing_end_is_kept_and_warned_of(end: str, tmp_path: Path) -> None:
    path = save(tmp_path, GUM.rstrip("\n") + end)
    with pytest.warns(DataWarning, match=r"in\.conllu:17: the end of the file right after a word"):
        docs = list(coindex.read(path))
    assert written(docs, tmp_path) == GUM.rstrip("\n") + end


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_document_after_a_missing_end_is_separate(end: str, tmp_path: Path) -> None:
    path = save(tmp_path, GUM.rstrip("\n") + end)
    with pytest.warns(DataWarning):
        first = only(path)
    second = only(save(tmp_path, GUM.replace("id = d\n", "id = e\n"), "second.conllu"))
    assert written([first, second], tmp_path) == GUM + GUM.replace("id = d\n", "id = e\n")


def test_documents_of_several_files_have_the_line_ends_of_the_first(tmp_path: Path) -> None:
    first = only(save(tmp_path, GUM))
    second = only(save(tmp_path, GUM.replace("\n", "\r\n"), "second.conllu"))
    assert written([first, second.replace(id="e")], tmp_path).count("\r") == 0
    text = written([second, first.replace(id="e")], tmp_path)
    assert text.count("\r\n") == text.count("\n") > 20


def test_a_document_takes_the_header_of_its_file_along(tmp_path: Path) -> None:
    """Many files name the fields in their first document only."""
    text = document(sentence("Ann Entity=(e1-person-1)"), id="a") + "# newdoc id = b\n" + sentence("Bob Entity=(e2)")
    docs = list(coindex.read(save(tmp_path, text)))
    assert written(docs, tmp_path) == text
    assert written(docs[1], tmp_path) == f"# newdoc id = b\n{HEADER}\n" + sentence("Bob Entity=(e2)")
    assert only(tmp_path / "out.conllu").entities == docs[1].entities


def test_documents_with_different_headers(tmp_path: Path) -> None:
    one = document(sentence("Ann Entity=(e1-person-1)"), id="a")
    other = document(sentence("Bob Entity=(person-7)"), id="b", header="# global.Entity = etype-GRP")
    docs = [only(save(tmp_path, text)) for text in (one, other)]
    assert written([*docs, docs[0]], tmp_path) == one + other + one
    with pytest.warns(DataWarning, match="duplicate document id"):
        assert [doc.entities for doc in coindex.read(tmp_path / "out.conllu")] == [
            docs[0].entities,
            docs[1].entities,
            docs[0].entities,
        ]


# --- what comes with a document that was read


def test_deferred_tokens_are_the_same_as_tokens_at_once(tmp_path: Path) -> None:
    doc = only(save(tmp_path, GUM))
    assert len(doc.tokens) == 8
    assert doc.tokens.empty_positions == frozenset({2})
    assert doc.tokens.forms == ["The", "mayor", "on", "town", ".", "She", "and", "he"]
    eager = Tokens(doc.tokens, multiwords=doc.tokens.multiwords)
    assert eager == doc.tokens
    assert (eager.forms, eager.empty_positions, eager.text) == (
        doc.tokens.forms,
        doc.tokens.empty_positions,
        doc.tokens.text,
    )
    assert doc.tokens[2] == Token("2.1", "on", "on", "X", deps="1:dep")


@pytest.mark.parametrize("name", ["cs_faust/cs_pdtc-ud-train-ft.conllu", "es_ancora/es_ancora-dev.conllu"])
def test_forms_and_empty_nodes_of_real_files(name: str, shared_data: Path) -> None:
    for doc in coindex.read(shared_data / name):
        forms, empty = list(doc.tokens.forms), doc.tokens.empty_positions  # asked for before the tokens are made
        assert forms == [token.form for token in doc.tokens]
        assert empty == {position for position, token in enumerate(doc.tokens) if token.is_empty}
        assert len(doc.tokens) == len(forms)


def test_pickled_documents_are_written_back_byte_for_byte(tmp_path: Path) -> None:
    doc = only(save(tmp_path, GUM))
    again = pickle.loads(pickle.dumps(doc))
    assert again == doc
    assert written(again, tmp_path) == GUM
    changed = edits.remove_mention(again, "3", [2])
    assert len(difference(GUM, written(changed, tmp_path))) == 1


def test_documents_go_to_other_processes_and_back(tmp_path: Path) -> None:
    docs = list(coindex.read(save(tmp_path, GUM + GUM.replace("id = d\n", "id = e\n"))))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        renamed = pool.starmap(edits.rename_entity, [(doc, "1", "100") for doc in docs])
        same = pool.map(edits.canonical, docs)
    assert [doc.entity("100").mentions for doc in renamed] == [doc.entity("1").mentions for doc in docs]
    assert written(same, tmp_path) == GUM + GUM.replace("id = d\n", "id = e\n")
