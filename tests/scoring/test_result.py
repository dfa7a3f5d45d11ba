"""What a result shows."""

import json
import sys

import pytest

from coindex.errors import MissingExtraError, UnknownNameError
from coindex.scoring import Counts, Result
from scoring.texts import doc, score

KEY = [doc("(a) w (a) w (b) w (b) w", id="d1"), doc("(a) w (a) w", id="d2")]
RESPONSE = [doc("(a) w (a) w (a) w (b) w", id="d1"), doc("(a) w (a) w", id="d2")]


@pytest.fixture
def result() -> Result:
    return score(KEY, RESPONSE, metrics=["muc", "b3", "ceafe"])


def test_scores_by_name(result: Result) -> None:
    """MUC: 1 + 0 of 2 links and 1 of 1; of the response's links 1 of 2 and 1 of 1."""
    assert (result["muc"].recall, result["muc"].precision) == (2 / 3, 2 / 3)
    assert list(result) == ["muc", "b3", "ceafe"]
    with pytest.raises(UnknownNameError, match="unknown metric in this result 'lea'"):
        result["lea"]


def test_as_plain_data(result: Result) -> None:
    data = json.loads(json.dumps(result.to_dict()))
    assert list(data) == ["signature", "metrics", "conll"]
    assert data["metrics"]["muc"] == {"recall": 2 / 3, "precision": 2 / 3, "f1": 2 / 3}
    assert data["conll"] == result.conll
    assert data["signature"] == result.signature


def test_as_text(result: Result) -> None:
    lines = repr(result).splitlines()
    assert lines[0].split() == ["recall", "precision", "F1"]
    assert lines[1].split() == ["muc", "66.67", "66.67", "66.67"]
    assert lines[-2].split()[0] == "CoNLL"
    assert lines[-1] == result.signature


def test_in_a_notebook(result: Result) -> None:
    html = result._repr_html_()
    assert "<th>muc</th><td>66.67</td>" in html
    assert result.signature in html


def test_as_a_frame(result: Result) -> None:
    pytest.importorskip("pandas")
    frame = result.to_frame()
    assert list(frame.columns) == ["recall", "precision", "f1"]
    assert frame.loc["muc", "f1"] == 2 / 3
    assert frame.attrs["signature"] == result.signature


def test_without_pandas(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"coindex\[pandas\]"):
        result.to_frame()


def test_by_document(result: Result) -> None:
    by_document = result.by_document()
    assert {name: found["muc"].f1 for name, found in by_document.items()} == {"d1": 1 / 2, "d2": 1}
    summed = [unit.counts["muc"] for unit in result.units]
    assert summed[0] + summed[1] == result.counts["muc"] == Counts((2, 3, 2, 3))


def test_scoring_loads_neither_numpy_nor_scipy() -> None:
    """They take longer to load than most corpora to score."""
    import subprocess

    code = "import sys, coindex.scoring; sys.exit(any(name in sys.modules for name in ('numpy', 'scipy', 'pandas')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
