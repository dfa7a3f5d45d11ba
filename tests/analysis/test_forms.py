"""Tables as people and programs get them."""

from __future__ import annotations

import csv
import io
import json

import pytest

from coindex.analysis.figures import fragment
from coindex.analysis.tables import Column, Row, Table
from coindex.analysis.writers import FORMS, render
from coindex.errors import UnknownNameError

COLUMNS = (
    Column("muc_recall", "R", group="MUC", decimals=1),
    Column("muc_f1", "F₁", best=True, group="MUC", decimals=1),
    Column("gain", "±", "points"),
)


def row(label: str, *values: float | None, section: str = "near", signature: str = "s|x", contest: str = "") -> Row:
    keys = {"level": section, "system": label.rstrip("⁺")}
    return Row(label=label, values=values, section=section, keys=keys, signature=signature, contest=contest)


ROWS = (row("one⁺", 0.5, 0.25, 0.1), row("two", 1 / 3, 0.5, None), row("three", 0, 0.75, -0.1, section="far"))
TABLE = Table(name="t", title="Some results", columns=COLUMNS, rows=ROWS, stub="system", remarks=["Mind the gap."])


def lines(form: str, table: Table = TABLE) -> list[str]:
    return render([table], form).splitlines()


def test_text() -> None:
    assert lines("text") == [
        "Some results",
        "            MUC",
        "system     R    F₁       ±",
        "──────────────────────────",
        "near",
        "one⁺    50.0  25.0  +10.00",
        "two     33.3  50.0",
        "──────────────────────────",
        "far",
        "three    0.0  75.0  -10.00",
        "s|x",
        "Mind the gap.",
    ]


def test_the_best_is_looked_for_within_a_contest() -> None:
    def best(*contests: str) -> list[str]:
        pairs = zip((1, 0.5, 0.5), contests, strict=True)
        rows = [row(f"r{number}", 0, value, 0, contest=name) for number, (value, name) in enumerate(pairs)]
        shown = Table(name="t", title="", columns=COLUMNS, rows=rows).shown(lambda cell: f"*{cell}*")
        return [cells[1] for cells in shown]

    assert best("", "", "") == ["*100.0*", "50.0", "50.0"]
    assert best("x", "x", "y") == ["*100.0*", "50.0", "50.0"], "nobody is the best of one"
    assert best("x", "y", "y") == ["100.0", "50.0", "50.0"], "nobody is the best where all are alike"


def test_values_that_are_printed_the_same_are_tied() -> None:
    rows = [row("a", 0, 0.50001, 0), row("b", 0, 0.5, 0), row("c", 0, 0.1, 0), row("d", 0, None, 0)]
    shown = Table(name="t", title="", columns=COLUMNS, rows=rows).shown(lambda cell: f"*{cell}*")
    assert [cells[1] for cells in shown] == ["*50.0*", "*50.0*", "10.0", ""]


def test_signatures_are_numbered_where_there_are_several() -> None:
    rows = (row("one", 0.5, 0.25, 0.1, signature="s|x"), row("two", 0.5, 0.5, 0.1, signature="s|y"))
    table = Table(name="t", title="", columns=COLUMNS, rows=rows)
    text = lines("text", table)
    assert text[4].endswith("+10.00  [1]")
    assert text[5].endswith("+10.00  [2]")
    assert text[-2:] == ["[1] s|x", "[2] s|y"]
    assert "| one | 50.0 | 25.0 | +10.00 | <sup>1</sup> |" in render([table], "markdown")
    assert "| --- | --: | --: | --: | --- |" in render([table], "markdown")
    assert "<sup>2</sup>`s|y`" in render([table], "markdown")
    assert r"two & 50.0 & \textbf{50.0} & +10.00 & \textsuperscript{2} \\" in render([table], "latex")
    assert r"\begin{tabular}{lrrrl}" in render([table], "latex")
    assert '<td class="name"><sup>2</sup></td></tr>' in render([table], "html")
    assert "<li><code>s|y</code></li>" in render([table], "html")


def test_columns_may_have_signatures() -> None:
    columns = (Column("a", "A", signature="s|x"), Column("b", "B", signature="s|y"))
    table = Table(name="t", title="", columns=columns, rows=[Row(label="one", values=(0.5, 1), keys={"system": "one"})])
    assert lines("text", table)[0].split() == ["A", "[1]", "B", "[2]"]
    assert list(csv.reader(io.StringIO(render([table], "csv")))) == [
        ["table", "system", "column", "value", "signature"],
        ["t", "one", "a", "0.5", "s|x"],
        ["t", "one", "b", "1", "s|y"],
    ]


def test_markdown() -> None:
    found = lines("markdown")
    assert found[0] == "**Some results**"
    assert found[2] == "| system | MUC R | MUC F₁ | ± |"
    assert found[3] == "| --- | --: | --: | --: |"
    assert found[4] == "| **near** |   |   |   |"
    assert found[5] == "| one⁺ | 50.0 | 25.0 | +10.00 |"
    assert "| three | 0.0 | **75.0** | -10.00 |" in found
    assert found[-3:] == ["`s|x`", "", "Mind the gap."]


def test_latex() -> None:
    found = lines("latex")
    assert r"\begin{tabular}{lrrr}" in found
    assert r" & \multicolumn{2}{c}{MUC} & \multicolumn{1}{c}{} \\" in found
    assert r"\cmidrule(lr){2-3}" in found
    assert r"system & R & F$_1$ & ± \\" in found
    assert r"\multicolumn{4}{l}{\textit{far}} \\" in found
    assert r"one$^{+}$ & 50.0 & 25.0 & +10.00 \\" in found
    assert r"\caption{Some results. Mind the gap. \texttt{s|x}}" in found
    assert sum(line == r"\midrule" for line in found) == 2


@pytest.mark.parametrize(
    ("form", "label", "shown"),
    [
        ("latex", "A&B_50%", r"A\&B\_50\% &"),
        ("latex", "[x]", "{}[x] &"),
        ("markdown", "a|b*c", r"| a\|b\*c |"),
        ("html", "<script>&", "&lt;script&gt;&amp;</th>"),
    ],
)
def test_names_are_shown_as_they_are(form: str, label: str, shown: str) -> None:
    table = Table(name="t", title="", columns=COLUMNS, rows=[row(label, 0, 0, 0)])
    assert shown in render([table], form)
    assert "<script>" not in render([table], "html")


def test_html_is_a_page_of_its_own() -> None:
    page = render([TABLE], "html")
    assert page.startswith("<!doctype html>")
    assert '<th class="group" colspan="2">MUC</th>' in page
    assert '<th scope="rowgroup" colspan="4">far</th>' in page
    assert "<td><b>75.0</b></td>" in page
    assert "<p>Mind the gap.</p>" in page
    assert "default-src 'none'" in page
    assert fragment([TABLE]) in page
    assert "<style" not in fragment([TABLE])
    assert "src=" not in page.replace("default-src", "").replace("style-src", "")


def test_csv_has_a_row_for_each_number() -> None:
    other = Table(name="u", title="", columns=COLUMNS[:1], rows=[Row(label="plain", values=[0.5])])
    rows = list(csv.DictReader(io.StringIO(render([TABLE, other], "csv"))))
    assert len(rows) == 3 * 3 + 1
    assert rows[3] == {
        "table": "t",
        "level": "near",
        "system": "two",
        "row": "",
        "column": "muc_recall",
        "value": str(1 / 3),
        "signature": "s|x",
    }
    assert (rows[-1]["table"], rows[-1]["row"], rows[-1]["value"]) == ("u", "plain", "0.5")


def test_json_has_the_numbers_as_they_are() -> None:
    data = json.loads(render([TABLE], "json", about={"report": "r"}))
    assert data["report"] == "r"
    (table,) = data["tables"]
    assert table["columns"][0] == {"name": "muc_recall", "title": "R", "group": "MUC"}
    assert table["rows"][1] == {
        "level": "near",
        "system": "two",
        "signature": "s|x",
        "values": {"muc_recall": 1 / 3, "muc_f1": 0.5, "gain": None},
    }
    assert table["remarks"] == ["Mind the gap."]


@pytest.mark.parametrize("form", FORMS)
def test_a_table_without_rows(form: str) -> None:
    empty = Table(name="t", title="Nothing", columns=COLUMNS, rows=[])
    assert render([empty], form).endswith("\n")


def test_unknown_form() -> None:
    with pytest.raises(UnknownNameError, match="did you mean latex"):
        render([TABLE], "latx")
