"""Plain tables, as `coindex score` prints them, in every form, written out."""

import csv
import io

import pytest

from coindex.analysis.tables import Column, plain_table, show
from coindex.analysis.writers import FORMS, render

COLUMNS = (Column("system", "system", "name"), Column("b3", "B³", best=True), Column("p", "p", "probability"))
TABLE = plain_table(
    COLUMNS,
    [["a_1", 2 / 3, 0.04], ["b|2", 0.5, 0.00001], ["c & d", None, None], ["mean", 7 / 12, None]],
    "coindex|crac24@1|v:0",
    summary=1,
)
TITLED = plain_table(COLUMNS, [["one", 1.0, 1.0]], "sig", title="F1 of x_1")


def test_text() -> None:
    assert render([TABLE], "text") == (
        "system     B³        p\n"
        "a_1     66.67   0.0400\n"
        "b|2     50.00  <0.0001\n"
        "c & d\n"
        "──────────────────────\n"
        "mean    58.33\n"
        "coindex|crac24@1|v:0\n"
    )
    assert render([TITLED], "text").splitlines()[0] == "F1 of x_1"


def test_text_with_the_best_in_bold_is_as_wide() -> None:
    text = render([TABLE], "text", bold=lambda cell: f"<b>{cell}</b>")
    assert "a_1     <b>66.67</b>   0.0400\n" in text
    assert text.count("<b>") == 1
    assert text.replace("<b>", "").replace("</b>", "") == render([TABLE], "text")


def test_text_with_wide_characters_is_aligned() -> None:
    table = plain_table(COLUMNS[:2], [["日本", 0.5], ["abcde", 1.0]], "sig")
    assert render([table], "text").splitlines()[1:3] == ["日本     50.00", "abcde   100.00"]


def test_markdown() -> None:
    assert render([TABLE], "markdown") == (
        "| system | B³ | p |\n"
        "| --- | --: | --: |\n"
        "| a\\_1 | **66.67** | 0.0400 |\n"
        "| b\\|2 | 50.00 | \\<0.0001 |\n"
        "| c \\& d |  |  |\n"
        "| mean | 58.33 |  |\n"
        "\n"
        "`coindex|crac24@1|v:0`\n"
    )
    assert render([TITLED], "markdown").startswith("**F1 of x\\_1**\n\n| system |")


def test_csv_has_the_numbers_as_they_are() -> None:
    rows = list(csv.DictReader(io.StringIO(render([TABLE], "csv"))))
    assert [row["system"] for row in rows] == ["a_1", "b|2", "c & d", "mean"]
    assert float(rows[0]["b3"]) == 2 / 3
    assert rows[2]["b3"] == ""
    assert {row["signature"] for row in rows} == {"coindex|crac24@1|v:0"}


def test_rows_may_have_signatures_of_their_own() -> None:
    table = plain_table([Column("system", "", "name"), Column("b3", "B³")], [["a", 0.5], ["b", 1.0]], ["s|x", "s|y"])
    assert render([table], "csv") == "system,b3,signature\na,0.5,s|x\nb,1.0,s|y\n"


def test_labels_may_be_indented() -> None:
    table = plain_table(COLUMNS[:2], [["all", 0.5], ["  some_", 1.0]], "sig")
    assert "|   some\\_ | **100.00** |" in render([table], "markdown")
    assert "  some_  100.00" in render([table], "text")


def test_latex() -> None:
    assert render([TABLE], "latex") == (
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
    assert "\\caption{F1 of x\\_1. \\texttt{sig}}" in render([TITLED], "latex")


@pytest.mark.parametrize(
    ("numbers", "best"),
    [
        ([0.5, 0.7, 0.6], [1]),
        ([0.70001, 0.70004, 0.1], [0, 1]),  # the same as far as people see
        ([0.5, 0.5], []),
        ([0.5], []),
        ([None, 0.5, 0.4], [1]),
        ([None, 0.5], []),
    ],
)
def test_which_are_best(numbers: list[float | None], best: list[int]) -> None:
    table = plain_table(COLUMNS[:2], [["x", n] for n in numbers], "")
    marked = [row[0].startswith("*") for row in table.shown(lambda cell: "*" + cell)]
    assert [index for index, is_best in enumerate(marked) if is_best] == best


def test_a_summary_is_never_best() -> None:
    table = plain_table(COLUMNS[:2], [["x", 0.5], ["x", 0.4], ["x", 0.9], ["x", 0.5]], "", summary=2)
    assert [row[0] for row in table.shown(lambda cell: cell + "*")] == ["50.00*", "40.00", "90.00", "50.00"]


def test_values() -> None:
    assert show(0.12345, "percent") == "12.35"
    assert show(0.012, "points") == "+1.20"
    assert show(1 / 10001, "probability") == "0.0001"
    assert show(1234, "number") == "1,234"
    assert show(0.5, "number") == "0.5"
    assert show("zero", "percent") == "zero"


def test_decimals() -> None:
    assert show(0.12345, "percent", 1) == "12.3"
    assert show(0.012, "points", 0) == "+1"
    assert show(1234.56, "number", 1) == "1,234.6"
    assert show(1234, "number", 1) == "1,234"


@pytest.mark.parametrize("form", FORMS)
def test_every_form_takes_plain_tables(form: str) -> None:
    assert "a" in render([TABLE], form)
