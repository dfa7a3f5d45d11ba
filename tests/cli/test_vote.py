"""`coindex vote`."""

from __future__ import annotations

from pathlib import Path

import pytest

import coindex
from annotated import annotated, chains, text
from coindex.api.agreement import vote
from coindex.errors import CoindexError
from command import run
from corefud_text import document, sentence


def save(folder: Path, name: str, *found: dict[str, list[tuple[int, ...]]]) -> Path:
    path = folder / f"{name}.jsonlines"
    coindex.write([annotated(text(9, id=str(number)), each) for number, each in enumerate(found)], path)
    return path


def test_a_vote_of_files(tmp_path: Path) -> None:
    one = save(tmp_path, "one", {"x": [(0,), (3,)]}, {"x": [(0,), (1,)]})
    two = save(tmp_path, "two", {"x": [(0,), (3,)], "y": [(5,)]}, {"x": [(0,)], "y": [(1,)]})
    three = save(tmp_path, "three", {"x": [(0,)], "y": [(3,)]}, {"x": [(0,), (1,)]})
    out = tmp_path / "voted.jsonlines"
    done = run("vote", one, two, three, "-o", out)
    assert done.code == 0
    assert "mean agreement with the others (CoNLL): " in done.err
    assert [chains(doc) for doc in coindex.read(out)] == [{frozenset({(0,), (3,)})}, {frozenset({(0,), (1,)})}]
    assert list(coindex.read(out)) == list(vote([one, two, three]))
    piped = run("vote", one, f"{two}", three, "-o", "-", "--to", "jsonlines")
    assert piped.out == out.read_bytes()


def test_ties_go_to_those_who_agree_better_over_all_documents(tmp_path: Path) -> None:
    """Two against two on the first document; on the second, Ada and Ben agree with the others, Cleo and Dan do not."""
    together, apart = {"x": [(0,), (3,)]}, {"x": [(0,)], "y": [(3,)]}
    clear = {"x": [(0,), (1,), (2,)], "y": [(4,), (5,)]}
    files = [
        save(tmp_path, "ada", together, clear),
        save(tmp_path, "ben", together, clear),
        save(tmp_path, "cleo", apart, clear),
        save(tmp_path, "dan", apart, {"x": [(7,), (8,)]}),
    ]
    first, _ = vote(files)
    assert chains(first) == {frozenset({(0,), (3,)})}


def test_least(tmp_path: Path) -> None:
    one, two = save(tmp_path, "one", {"x": [(0,)]}), save(tmp_path, "two", {"x": [(1,)]})
    out = tmp_path / "voted.jsonlines"
    assert run("vote", one, two, "-o", out, "--least", "1").code == 0
    assert [len(doc.entities) for doc in coindex.read(out)] == [2]
    done = run("vote", one, two, "-o", out, "--least", "3")
    assert done.code == 2
    assert "choose 1 to 2" in done.err


def test_unused_zeros_are_removed(tmp_path: Path) -> None:
    def version(name: str, *words: str) -> Path:
        path = tmp_path / f"{name}.conllu"
        path.write_text(document(sentence(*words)), encoding="utf-8")
        return path

    one = version("one", "Ann Entity=(e1--1)", "left")
    two = version("two", "Ann Entity=(e1--1)", "1.1 _ Entity=(e1--1)", "left")
    three = version("three", "Ann Entity=(e1--1)", "1.1 _ Entity=(e1--1)", "left")
    (voted,) = vote([one, two, three])
    assert [(token.id, mention.positions) for mention, _ in voted.mentions() for token in mention.tokens] == [
        ("1", (0,)),
        ("1.1", (1,)),
    ]
    (voted,) = vote([two, one, one_again(one)])
    assert [token.id for token in voted.tokens] == ["1", "1.1", "2"]  # words are those of the first
    (voted,) = vote([one, two, one_again(one)])
    assert [token.id for token in voted.tokens] == ["1", "2"]


def one_again(path: Path) -> Path:
    again = path.with_name(f"again-{path.name}")
    again.write_bytes(path.read_bytes())
    return again


def test_other_texts_leave_no_output(tmp_path: Path) -> None:
    one = save(tmp_path, "one", {"x": [(0,)]})
    two = tmp_path / "two.jsonlines"
    two.write_text(one.read_text().replace('"w4"', '"w"'), encoding="utf-8")
    out = tmp_path / "voted.jsonlines"
    done = run("vote", one, two, "-o", out)
    assert done.code == 2
    assert "the word 'w'; expected the word 'w4' as in one" in done.err
    assert "Traceback" not in done.err
    assert not out.exists()


def test_one_annotation_is_too_few(tmp_path: Path) -> None:
    with pytest.raises(CoindexError, match="1 annotation given; at least 2"):
        list(vote([save(tmp_path, "one", {})]))
