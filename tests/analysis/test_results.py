"""Results and comparisons as tables."""

import pytest

from coindex.analysis.tables import (
    Table,
    Value,
    comparison_tables,
    groups_table,
    long_comparison,
    long_table,
    scores_table,
)
from coindex.analysis.writers import render
from coindex.scoring.corpus import macro_average
from coindex.scoring.significance import compare
from scoring.texts import doc, score

# MUC: the key's two links, of which the response has one; it has one link in all
KEY = doc("(a) w (a) w (a) w", id="d1")
GOOD = doc("(a) w (a) w w", id="d1")
OTHER = doc("(b) w (b) w", id="d2")
RESULT = score([KEY, OTHER], [GOOD, OTHER], metrics=("muc", "b3", "ceafe"))
"""MUC: recall (1 + 1) / (2 + 1), precision (1 + 1) / (1 + 1). B³: recall (2 * 2/3 + 2) / 5, precision 1.
CEAF-e: phi 4 is 2 * 2 / (3 + 2) and 1, of two entities on each side."""


def rows_of(table: Table) -> list[list[Value]]:
    """Rows with their labels."""
    return [[row.label, *row.values] for row in table.rows]


def test_one_result() -> None:
    assert render([scores_table(RESULT)], "text") == (
        "        recall  precision     F1\n"
        "MUC      66.67     100.00  80.00\n"
        "B³       66.67     100.00  80.00\n"
        "CEAF-e   90.00      90.00  90.00\n"
        "────────────────────────────────\n"
        "CoNLL                      83.33\n"
        "coindex|crac24@1|match:head|sing:no|zeros:dep|v:0.1.0\n"
    )


def test_without_conll() -> None:
    table = scores_table(score(KEY, GOOD, metrics=("muc",)))
    assert [row.label for row in table.rows] == ["MUC"]
    assert not any(row.is_summary for row in table.rows)


def test_mention_detection_by_length() -> None:
    rows = {row.label: row.values for row in scores_table(score(KEY, GOOD, metrics=("mentions",))).rows}
    assert rows["mention detection"] == [2 / 3, 1, pytest.approx(0.8)]
    assert rows["  1 word"] == rows["mention detection"]
    assert list(rows) == [
        "mention detection",
        "  zeros",
        "  1 word",
        "  2 words",
        "  3 words",
        "  4 words",
        "  5+ words",
    ]


def test_by_document() -> None:
    table = groups_table(RESULT.by_document(), RESULT, group="document")
    assert render([table], "text", bold=lambda cell: f"*{cell}*") == (
        "F1\n"
        "document     MUC      B³  CEAF-e   CoNLL\n"
        "d1         66.67   61.54   80.00   69.40\n"  # B³: recall 2 * 2/3 / 3 = 4/9, so F1 is 8/13
        "d2        *100.00*  *100.00*  *100.00*  *100.00*\n"
        "────────────────────────────────────────\n"
        "all        80.00   80.00   90.00   83.33\n"
        "coindex|crac24@1|match:head|sing:no|zeros:dep|v:0.1.0\n"
    )


def test_without_and_with_singletons_have_one_signature() -> None:
    both = {"without": score(KEY, GOOD), "with": score(KEY, GOOD, singletons=True)}
    table = groups_table(both, None, group="singletons")
    assert table.signatures == ["coindex|crac24@1|match:head|sing:no+yes|zeros:dep|v:0.1.0"]
    assert not any(row.is_summary for row in table.rows)
    assert not any(column.best for column in table.columns)
    signatures = [row.signature for row in long_table(both, None, group="singletons").rows]
    assert set(signatures) == {both["without"].signature, both["with"].signature}


def test_long_tables() -> None:
    table = long_table({"d1": RESULT.by_document()["d1"]}, RESULT, group="document")
    assert render([table], "csv").splitlines()[0] == "document,metric,recall,precision,f1,signature"
    rows = rows_of(table)
    assert rows[0] == ["d1", "muc", 1 / 2, 1.0, pytest.approx(2 / 3)]
    assert rows[-1] == ["all", "conll", None, None, pytest.approx((0.8 + 0.8 + 0.9) / 3)]
    plain = long_table({}, RESULT)
    assert [row.label for row in plain.rows] == ["muc", "b3", "ceafe", "conll"]


def test_long_tables_have_lengths_of_mentions() -> None:
    names = [row.label for row in long_table({}, score(KEY, GOOD, metrics=("mentions",))).rows]
    assert names == ["mentions", *(f"mentions:{length}" for length in ("0", "1", "2", "3", "4", "5+"))]


def test_datasets_and_their_mean() -> None:
    results = {"en": score(KEY, GOOD, metrics=("muc",)), "de": score(OTHER, OTHER, metrics=("muc",))}
    table = groups_table(results, macro_average(results), group="dataset", summary="macro average")
    assert rows_of(table) == [
        ["en", pytest.approx(2 / 3)],
        ["de", 1.0],
        ["macro average", pytest.approx((2 / 3 + 1) / 2)],
    ]
    assert "macro:2" in table.signatures[0]


@pytest.mark.filterwarnings("ignore::coindex.errors.DataWarning")  # two documents are few
def test_comparisons() -> None:
    worse = score([KEY, OTHER], [doc("(a) w w (a) w", id="d1"), doc("w w", id="d2")], metrics=("muc", "b3", "ceafe"))
    found = compare({"good": RESULT, "worse": worse}, rounds=100)
    scores, differences = comparison_tables(found)
    assert [scores.stub, *(column.title for column in scores.columns)] == [
        *("response", "MUC", "B³", "CEAF-e", "CoNLL", "95% from", "to"),
    ]
    assert [row.label for row in scores.rows] == ["good", "worse"]
    assert list(scores.rows[0].values[:4]) == [pytest.approx(n) for n in (0.8, 0.8, 0.9, 2.5 / 3)]
    interval = found.scores["conll"]["good"].interval
    assert list(scores.rows[0].values[4:]) == [interval.low, interval.high]
    muc = rows_of(differences)[0]
    assert muc[:2] == ["MUC", "good − worse"]
    assert muc[2] == pytest.approx(0.8 - 1 / 2)  # the response has one link, and it is one of the key's three
    assert muc[-1] == found.differences["muc"][0].p_value
    assert scores.signatures == differences.signatures == [found.signature]


@pytest.mark.filterwarnings("ignore::coindex.errors.DataWarning")
def test_a_comparison_as_one_table() -> None:
    found = compare({"a": RESULT, "b": RESULT}, rounds=10)
    table = long_comparison(found)
    muc = [row for row in rows_of(table) if row[0] == "muc"]
    assert [row[1:4] for row in muc] == [["a", None, 0.8], ["b", None, 0.8], ["a", "b", 0.0]]
    assert muc[-1][-2:] == [1.0, 1.0]
