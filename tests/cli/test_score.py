"""`coindex score`, `coindex compare` and `coindex profiles` as people call them."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import coindex
from scoring.texts import doc

ROOT = Path(__file__).parents[2]
KEY, RESPONSE = ROOT / "examples/garden.conllu", ROOT / "examples/garden-response.conllu"
SIGNATURE = f"coindex|crac24@1|match:head|sing:no|zeros:dep|v:{coindex.__version__}"
METRICS = ["muc", "b3", "ceafe", "ceafm", "blanc", "lea", "mor", "zero"]


def run(*arguments: str | Path, code: int = 0, stdin: str | None = None, **environment: str) -> tuple[str, str]:
    command = [sys.executable, "-m", "coindex", *map(str, arguments)]
    env = {**os.environ, "PYTHONWARNINGS": "", **environment}
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=env, check=False, input=stdin)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def corpora(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of two datasets."""
    key, response = tmp_path / "key", tmp_path / "response"
    for folder in (key, response):
        folder.mkdir()
    texts = {"one": ("(a) w (a) w (a) w", "(a) w (a) w w"), "two": ("(b) w (b) w", "(b) w (b) w")}
    for name, (wanted, found) in texts.items():
        coindex.write(doc(wanted, id=name), key / f"{name}.conllu")
        coindex.write(doc(found, id=name), response / f"{name}.conllu")
    return key, response


def test_text() -> None:
    out, err = run("score", KEY, RESPONSE)
    assert err == ""
    lines = out.splitlines()
    assert lines[0].split() == ["recall", "precision", "F1"]
    assert lines[-1] == SIGNATURE
    expected = coindex.score(KEY, RESPONSE)
    assert lines[1].split() == ["MUC", *(f"{100 * n:.2f}" for n in expected["muc"].to_dict().values())]
    assert lines[-2].split() == ["CoNLL", f"{100 * (expected.conll or 0):.2f}"]
    assert "\x1b" not in out


def test_json_has_fractions() -> None:
    data = json.loads(run("score", KEY, RESPONSE, "--format", "json")[0])
    expected = coindex.score(KEY, RESPONSE)
    assert list(data) == ["signature", "metrics", "conll"]
    assert list(data["metrics"]) == METRICS
    assert data["metrics"]["muc"] == {
        "recall": expected["muc"].recall,
        "precision": expected["muc"].precision,
        "f1": expected["muc"].f1,
    }
    assert data == expected.to_dict()
    assert data["signature"] == SIGNATURE


def test_json_of_mention_detection_has_lengths() -> None:
    data = json.loads(run("score", KEY, RESPONSE, "--format", "json", "--metrics", "mentions")[0])
    assert data["conll"] is None
    assert list(data["metrics"]["mentions"]["lengths"]) == ["0", "1", "2", "3", "4", "5+"]


def test_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(run("score", KEY, RESPONSE, "--format", "csv")[0])))
    expected = coindex.score(KEY, RESPONSE)
    assert [row["metric"] for row in rows] == [*METRICS, "conll"]
    assert float(rows[0]["f1"]) == expected["muc"].f1
    assert {row["signature"] for row in rows} == {SIGNATURE}


@pytest.mark.parametrize(("form", "start"), [("markdown", "|   | recall |"), ("latex", "\\begin{table}")])
def test_forms_for_papers(form: str, start: str) -> None:
    out, _ = run("score", KEY, RESPONSE, "--format", form)
    assert out.startswith(start)
    assert SIGNATURE in out


def test_single_options_change_the_profile() -> None:
    out, _ = run(
        "score", KEY, RESPONSE, "--profile", "crac23", "--match", "exact", "--singletons", "--metrics", "b3,muc"
    )
    assert out.splitlines()[-1] == f"coindex|crac23@1|match:exact|sing:yes|zeros:lin|v:{coindex.__version__}"
    assert [line.split()[0] for line in out.splitlines()[1:-1]] == ["B³", "MUC"]


def test_all_metrics() -> None:
    data = json.loads(run("score", KEY, KEY, "--metrics", "all", "--format", "json", "-j", "2")[0])
    assert {"pronoun", "nominal", "mentions", *METRICS} <= data["metrics"].keys()


def test_by_document(corpora: tuple[Path, Path]) -> None:
    out, _ = run("score", *corpora, "--by", "document", "--metrics", "muc,ceafe")
    assert [line.split() for line in out.splitlines()] == [
        ["F1"],
        ["document", "MUC", "CEAF-e"],
        ["one", "66.67", "80.00"],  # one of two links, all that is there; 2 * 2 / (3 + 2)
        ["two", "100.00", "100.00"],
        ["─" * 24],
        ["all", "80.00", "90.00"],  # (1 + 1) / (2 + 1) and 1; (0.8 + 1) / 2
        [SIGNATURE],
    ]
    data = json.loads(run("score", *corpora, "--by", "document", "--format", "json")[0])
    assert list(data) == ["signature", "metrics", "conll", "documents"]
    assert data["documents"]["two"]["metrics"]["muc"]["f1"] == 1
    assert list(data["documents"]["two"]) == ["metrics", "conll"]


def test_by_dataset(corpora: tuple[Path, Path]) -> None:
    key, response = corpora
    out, _ = run("score", *corpora, "--by", "dataset", "--metrics", "muc")
    assert [line.split()[-1] for line in out.splitlines()[2:4]] == ["66.67", "100.00"]
    assert out.splitlines()[-2].split() == ["macro", "average", "83.33"]  # not 80.00, as of all documents together
    assert "|macro:2|" in out.splitlines()[-1]
    pairs = [path for name in ("one", "two") for path in (key / f"{name}.conllu", response / f"{name}.conllu")]
    assert run("score", *pairs, "--metrics", "muc")[0] == out
    data = json.loads(run("score", *pairs, "--format", "json")[0])
    assert list(data) == ["signature", "metrics", "conll", "datasets"]
    assert data["metrics"]["muc"]["f1"] == pytest.approx((2 / 3 + 1) / 2)
    assert list(data["datasets"]) == ["one", "two"]


def test_by_document_of_several_datasets(corpora: tuple[Path, Path]) -> None:
    out, _ = run("score", *corpora, *corpora, "--by", "document", "--metrics", "muc")
    assert [line.split()[0] for line in out.splitlines()[2:-3]] == [
        *("key/one", "key/two"),
        *(f"{corpora[0]}/one", f"{corpora[0]}/two"),
    ]


def test_by_upos() -> None:
    out, _ = run("score", KEY, RESPONSE, "--by", "upos", "--metrics", "muc,b3,ceafe")
    assert [line.split()[0] for line in out.splitlines()[2:-3]] == ["NOUN", "PRON", "PROPN", "VERB"]
    one = json.loads(run("score", KEY, RESPONSE, "--by", "upos", "--format", "json")[0])
    assert one["upos"]["PRON"]["conll"] == coindex.score_by_upos(KEY, RESPONSE)["PRON"].conll
    two = json.loads(run("score", KEY, RESPONSE, KEY, KEY, "--by", "upos", "--format", "json")[0])
    assert two["upos"]["PRON"]["conll"] == pytest.approx((one["upos"]["PRON"]["conll"] + 1) / 2)


def test_by_singletons() -> None:
    out, _ = run("score", KEY, RESPONSE, "--by", "singletons")
    assert [line.split()[0] for line in out.splitlines()[2:-1]] == ["without", "with"]
    assert "|sing:no+yes|" in out.splitlines()[-1]
    data = json.loads(run("score", KEY, RESPONSE, "--by", "singletons", "--format", "json")[0])
    assert data["singletons"]["with"] == coindex.score(KEY, RESPONSE, singletons=True).to_dict()
    assert data["conll"] == data["singletons"]["without"]["conll"]
    rows = list(csv.DictReader(io.StringIO(run("score", KEY, RESPONSE, "--by", "singletons", "--format", "csv")[0])))
    assert [row["signature"].split("|")[3] for row in rows[::9]] == ["sing:no", "sing:yes"]


def test_output_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    assert run("score", KEY, RESPONSE, "--format", "json", "-o", path) == ("", "")
    assert json.loads(path.read_text())["signature"] == SIGNATURE
    run("score", KEY, ROOT / "examples/cartero.conllu", "-o", path, code=2)
    assert json.loads(path.read_text())["signature"] == SIGNATURE  # an error leaves it as it was


def test_standard_input() -> None:
    out, _ = run("score", KEY, "-", stdin=RESPONSE.read_text(encoding="utf-8"))
    assert out == run("score", KEY, RESPONSE)[0]
    _, err = run("score", "-", "-", stdin="", code=2)
    assert "both be standard input" in err


def test_several_processes(corpora: tuple[Path, Path]) -> None:
    assert run("score", *corpora, "--jobs", "2") == run("score", *corpora)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([KEY], r"expected a RESPONSE after each KEY, but got 1 paths; to compare responses to one key, use "),
        ([KEY, RESPONSE, "--profile", "crac21"], r"unknown profile 'crac21'; did you mean crac2"),
        ([KEY, RESPONSE, "--metrics", "muc,bcub"], r"unknown metric 'bcub'; did you mean|unknown metric 'bcub'; known"),
        (
            [KEY, RESPONSE, "--profile", "conll12", "--match", "head"],
            r"unknown matching of the rules conll-8.01 'head'",
        ),
        (
            [KEY, RESPONSE, "--profile", "crac23", "--zeros", "dependent"],
            r"does not support zeros 'dependent', only linear",
        ),
        ([KEY, ROOT / "examples/cartero.conllu"], r"document 'cartero'; expected document 'garden' as in the key"),
        ([KEY, ROOT / "examples/story.txt"], r"story\.txt: text, a format without entities"),
        ([KEY, ROOT / "nothing.conllu"], r"nothing\.conllu' does not exist"),
        ([KEY, RESPONSE, "-j", "-1"], r"-1 is not in the range"),
    ],
)
def test_wrong_calls(arguments: list[str | Path], message: str) -> None:
    out, err = run("score", *arguments, code=2)
    assert out == ""
    assert re.search(message, err)


def test_official_numbers_without_strict(tmp_path: Path) -> None:
    response = tmp_path / "response.conllu"
    text = RESPONSE.read_text(encoding="utf-8")
    response.write_text(text[: text.index("# sent_id = garden-15")], encoding="utf-8")
    _, err = run("score", KEY, response, code=2)
    assert "14 sentences; expected 15 as in the key; the response may be truncated" in err
    out, _ = run("score", KEY, response, "--no-strict")
    assert "|strict:no|" in out.splitlines()[-1]


def test_the_best_is_bold_on_a_terminal(corpora: tuple[Path, Path]) -> None:
    pty = pytest.importorskip("pty")
    main, other = pty.openpty()
    command = [sys.executable, "-m", "coindex", "score", *map(str, corpora), "--by", "document", "--metrics", "muc"]
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    subprocess.run(command, stdout=other, check=True, env=env)
    os.close(other)
    shown = os.read(main, 10_000).decode()
    os.close(main)
    assert "\x1b[1m100.00\x1b[0m" in shown
    assert shown.count("\x1b[1m") == 1


# --- compare


@pytest.fixture
def responses(tmp_path: Path) -> list[Path]:
    """A key of twelve documents, a perfect response and a worse one."""
    texts = {"key": "(a) w (a) w (a) w", "good": "(a) w (a) w (a) w", "bad": "(a) w w (a) w"}
    for name, text in texts.items():
        coindex.write([doc(text, id=f"d{n}", ids=(f"d{n}-1",)) for n in range(12)], tmp_path / f"{name}.conllu")
    return [tmp_path / f"{name}.conllu" for name in texts]


def test_comparing(responses: list[Path]) -> None:
    out, err = run("compare", *responses, "--metrics", "muc,b3", "--rounds", "200", "--seed", "3")
    assert err == ""
    scores, differences = out.split("\n\n")
    assert [line.split()[:3] for line in scores.splitlines()[2:4]] == [
        ["good", "100.00", "100.00"],
        ["bad", "66.67", "61.54"],  # one of two links; B³ recall 2 * 2/3 / 3
    ]
    muc = differences.splitlines()[2].split()
    assert muc == ["MUC", "good", "−", "bad", "+33.33", "+33.33", "+33.33", "0.0050"]  # 1 / 201
    assert out.count("|test:bootstrap|rounds:200|seed:3|conf:0.95|") == 2


def test_comparisons_as_data(responses: list[Path]) -> None:
    options = ["--test", "permutation", "--metrics", "muc", "--rounds", "100"]
    data = json.loads(run("compare", *responses, *options, "--format", "json")[0])
    assert data["scores"]["muc"]["bad"]["score"] == pytest.approx(2 / 3)
    assert data["differences"]["muc"][0]["first"] == "good"
    rows = list(csv.DictReader(io.StringIO(run("compare", *responses, *options, "--format", "csv")[0])))
    assert [(row["first"], row["second"]) for row in rows] == [("good", ""), ("bad", ""), ("good", "bad")]
    assert float(rows[2]["p_value"]) == data["differences"]["muc"][0]["p_value"]
    for form in ("markdown", "latex"):
        assert run("compare", *responses, *options, "--format", form)[0].count(data["signature"]) == 2


def test_names_of_responses(responses: list[Path], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    same = tmp_path / "other/good.conllu"
    same.write_bytes(responses[1].read_bytes())
    options = ["--metrics", "muc", "--rounds", "10", "--format", "csv"]
    rows = list(csv.DictReader(io.StringIO(run("compare", *responses[:2], same, *options)[0])))
    assert [row["first"] for row in rows[:2]] == [str(responses[1]), str(same)]
    _, err = run("compare", *responses[:2], responses[1], code=2)
    assert "the same response is given twice" in err


def test_too_few_documents() -> None:
    _, err = run("compare", KEY, RESPONSE, KEY, code=2)
    assert "1 document to compare responses on; expected at least 2" in err


# --- profiles


def test_profiles() -> None:
    out, _ = run("profiles")
    for name in ("crac22@1", "crac23@1", "crac24@1", "conll12@1", "rueval14-coref@1", "are07-task4@1", "ecb-topic@1"):
        assert f"{name}: " in out
    assert "crac24@1: CRAC 2024 and 2025 shared tasks; CorefUD scorer 1.2 (default)\n" in out
    one = json.loads(run("profiles", "crac23", "--json")[0])
    assert list(one) == ["crac23@1"]
    assert one["crac23@1"]["match"] == "head"
    _, err = run("profiles", "crac21", code=2)
    assert "unknown profile 'crac21'" in err
