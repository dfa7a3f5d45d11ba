"""Tables in every form, written out."""

import csv
import io
import json

import pytest

from coindex.errors import UnknownNameError
from coindex.scoring.tables import FORMS, Column, Table, render, show

COLUMNS = (Column("system", "system", "name"), Column("b3", "B³", best=True), Column("p", "p", "probability"))
TABLE = Table(
    columns=COLUMNS,
    rows=[["a_1", 2 / 3, 0.04], ["b|2", 0.5, 0.00001], ["c & d", None, None], ["mean", 7 / 12, None]],
    caption="coindex|crac24@1|v:0",
    summary=1,
)
TITLED = Table(columns=COLUMNS, rows=[["one", 1.0, 1.0]], caption="sig", title="F1 of x_1")


def test_text() -> None:
    assert render(TABLE, "text") == (
        "system     B³        p\n"
        "a_1     66.67   0.0400\n"
        "b|2     50.00  <0.0001\n"
        "c & d\n"
        "──────────────────────\n"
        "mean    58.33\n"
        "coindex|crac24@1|v:0\n"
    )
    assert render(TITLED, "text").splitlines()[0] == "F1 of x_1"


def test_text_with_the_best_in_bold_is_as_wide() -> None:
    text = render(TABLE, "text", bold=lambda cell: f"<b>{cell}</b>")
    assert "a_1     <b>66.67</b>   0.0400\n" in text
    assert text.count("<b>") == 1
    assert text.replace("<b>", "").replace("</b>", "") == render(TABLE, "text")


def test_text_with_wide_characters_is_aligned() -> None:
    table = Table(columns=COLUMNS[:2], rows=[["日本", 0.5], ["abcde", 1.0]], caption="sig")
    assert render(table, "text").splitlines()[1:3] == ["日本     50.00", "abcde   100.00"]


def test_markdown() -> None:
    assert render(TABLE, "markdown") == (
        "| system | B³ | p |\n"
        "| --- | --: | --: |\n"
        "| a\\_1 | **66.67** | 0.0400 |\n"
        "| b\\|2 | 50.00 | \\<0.0001 |\n"
        "| c & d |  |  |\n"
        "| mean | 58.33 |  |\n"
        "\n"
        "`coindex|crac24@1|v:0`\n"
    )
    assert render(TITLED, "markdown").startswith("**F1 of x\\_1**\n\n| system |")


def test_csv_has_the_numbers_as_they_are() -> None:
    rows = list(csv.DictReader(io.StringIO(render(TABLE, "csv"))))
    assert [row["system"] for row in rows] == ["a_1", "b|2", "c & d", "mean"]
    assert float(rows[0]["b3"]) == 2 / 3
    assert rows[2]["b3"] == ""
    assert {row["signature"] for row in rows} == {"coindex|crac24@1|v:0"}


def test_json_lines() -> None:
    lines = [json.loads(line) for line in render(TABLE, "jsonl").splitlines()]
    assert lines[0] == {"system": "a_1", "b3": 2 / 3, "p": 0.04, "signature": "coindex|crac24@1|v:0"}
    assert lines[2]["b3"] is None


def test_a_column_of_signatures_is_kept() -> None:
    table = Table(columns=[Column("signature", "signature", "name")], rows=[["mine"]], caption="all")
    assert render(table, "csv") == "signature\nmine\n"
    assert json.loads(render(table, "jsonl")) == {"signature": "mine"}


def test_latex() -> None:
    assert render(TABLE, "latex") == (
        "\\begin{table}\n"
        "\\centering\n"
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "system & B$^3$ & p \\\\\n"
        "\\midrule\n"
        "a\\_1 & \\textbf{66.67} & 0.0400 \\\\\n"
        "b|2 & 50.00 & $<$0.0001 \\\\\n"
        "c \\& d &  &  \\\\\n"
        "\\midrule\n"
        "mean & 58.33 &  \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\caption{\\texttt{coindex|crac24@1|v:0}}\n"
        "\\end{table}\n"
    )
    assert "\\caption{F1 of x\\_1. \\texttt{sig}}" in render(TITLED, "latex")


@pytest.mark.parametrize(
    ("numbers", "best"),
    [
        ([0.5, 0.7, 0.6], [1]),
        ([0.70001, 0.70004, 0.1], [0, 1]),  # the same as far as people see
        ([0.5, 0.5], []),
        ([0.5], []),
        ([None, 0.5, 0.4], [1]),
    ],
)
def test_which_are_best(numbers: list[float | None], best: list[int]) -> None:
    table = Table(columns=COLUMNS[1:2], rows=[[n] for n in numbers], caption="")
    marked = [row[0].startswith("*") for row in table.shown(lambda cell: "*" + cell)]
    assert [index for index, is_best in enumerate(marked) if is_best] == best


def test_a_summary_is_never_best() -> None:
    table = Table(columns=COLUMNS[1:2], rows=[[0.5], [0.4], [0.9], [0.5]], caption="", summary=2)
    assert [row[0] for row in table.shown(lambda cell: cell + "*")] == ["50.00*", "40.00", "90.00", "50.00"]


def test_values() -> None:
    assert show(0.12345, "percent") == "12.35"
    assert show(0.012, "points") == "+1.20"
    assert show(1 / 10001, "probability") == "0.0001"
    assert show(1234, "number") == "1,234"
    assert show(0.5, "number") == "0.5"
    assert show("zero", "percent") == "zero"


def test_forms() -> None:
    assert list(FORMS) == ["text", "markdown", "csv", "latex", "jsonl"]
    with pytest.raises(UnknownNameError, match="unknown form of a table 'html'"):
        render(TABLE, "html")
