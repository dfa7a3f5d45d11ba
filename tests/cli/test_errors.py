"""`coindex errors`: every form, files and standard input, and clear messages for bad input."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from command import run

EXAMPLES = Path(__file__).parents[2] / "examples"
KEY, RESPONSE = EXAMPLES / "garden.conllu", EXAMPLES / "garden-response.conllu"


def test_text() -> None:
    done = run("errors", KEY, RESPONSE, "--show", 3)
    out = done.out.decode()
    assert (done.code, done.err) == (0, "")
    assert "coindex|crac24@1|match:head|sing:no|zeros:dep" in out
    assert (
        "They loved [it] at once.\n    key: the garden behind the house (s. 3)\n    response: the house (s. 3)" in out
    )
    assert "… and 14 more errors" in out


def test_only() -> None:
    out = run("errors", KEY, RESPONSE, "--only", "missed", "--only", "zero").out.decode()
    assert '"Don\'t [∅ you] chase her away!"' in out
    assert "more errors" not in out


def test_json() -> None:
    done = run("errors", KEY, RESPONSE, "--format", "json", "--match", "exact")
    data = json.loads(done.out)
    assert "|match:exact|" in data["signature"]
    assert data["responses"] == ["garden-response"]
    assert {table["name"] for table in data["tables"]} == {"kinds", "type", "distance", "size", "genre", "document"}
    spans = [error for error in data["errors"] if error["kind"] == "span"]
    assert spans[0]["counterpart"]["text"] == "an old house"
    assert spans[0]["mention"]["positions"] == list(range(2, 12))
    assert data["kinds"].keys() >= {error["kind"] for error in data["errors"]}


def test_csv_has_a_row_for_each_error() -> None:
    done = run("errors", KEY, RESPONSE, KEY, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out.decode())))
    assert len(rows) == 17
    assert {row["change"] for row in rows} == {"fixed"}
    assert {row["genre"] for row in rows} == {"fiction"}


@pytest.mark.parametrize(("form", "sign"), [("markdown", "| missed | 6 |"), ("latex", r"\toprule")])
def test_tables_for_papers(form: str, sign: str) -> None:
    done = run("errors", KEY, RESPONSE, "--format", form)
    assert done.code == 0
    assert sign in done.out.decode()


def test_the_explorer(tmp_path: Path) -> None:
    out = tmp_path / "errors.html"
    done = run("errors", KEY, RESPONSE, KEY, "--format", "html", "-o", out)
    page = out.read_text(encoding="utf-8")
    assert (done.code, done.out) == (0, b"")
    assert "<title>Errors of garden-response and garden</title>" in page
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_training_corpus() -> None:
    out = run("errors", KEY, RESPONSE, "--train", KEY).out.decode()
    assert "LFW %" in out
    assert "rare in training: an old house" in out


@pytest.mark.parametrize("side", ["key", "response"])
def test_standard_input(side: str) -> None:
    paths = ["-", RESPONSE] if side == "key" else [KEY, "-"]
    piped = KEY if side == "key" else RESPONSE
    done = run("errors", *paths, "--format", "json", input=piped.read_bytes())
    assert json.loads(done.out)["responses"] == (["garden-response"] if side == "key" else ["response"])


def test_a_key_from_standard_input_serves_two_responses() -> None:
    done = run("errors", "-", RESPONSE, KEY, "--format", "csv", input=KEY.read_bytes())
    assert len(done.out.decode().splitlines()) == 18


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.conllu", "RESPONSE"], "'nowhere.conllu' does not exist"),
        (["KEY", "CARTERO"], "document 'garden' as in the key"),
        (["KEY", "STORY"], "a format without entities"),
        (["KEY", "RESPONSE", "--only", "falsenew"], "did you mean false-new"),
        (["KEY", "RESPONSE", "--match", "lenient", "--profile", "crac22"], "unknown matching"),
        (["KEY", "RESPONSE", "--train", "EMPTY"], "empty"),
        (["-", "-"], "both be standard input"),
        (["KEY", "CUT"], "the response may be truncated"),
    ],
)
def test_bad_input(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "empty.conllu").write_bytes(b"")
    sentences = RESPONSE.read_text(encoding="utf-8").split("\n\n")
    (tmp_path / "cut.conllu").write_text("\n\n".join(sentences[:-2]) + "\n\n", encoding="utf-8")
    names = {"KEY": KEY, "RESPONSE": RESPONSE, "CARTERO": EXAMPLES / "cartero.conllu", "STORY": EXAMPLES / "story.txt"}
    names |= {"EMPTY": tmp_path / "empty.conllu", "CUT": tmp_path / "cut.conllu"}
    out = tmp_path / "out.txt"
    done = run("errors", *(names.get(argument, argument) for argument in arguments), "-o", out)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert not out.exists()
