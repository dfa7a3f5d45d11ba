"""How scores spread over documents, by hand."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from coindex.analysis.reports import Report
from coindex.analysis.statistics.tables import Spread, rank_correlation
from coindex.analysis.tables import Table
from coindex.api.reports import report
from coindex.errors import CoindexError, UnknownNameError
from scoring.texts import doc, score

# MUC links of the key: one in two documents, two in one, none in the last
KEY = [
    doc("(a) Ann fed (a) herself", id="GUM_diary_one"),
    doc("(a) Ann saw (a) her (a) own", id="GUM_diary_two"),
    doc("(a) Bo ran (a) his way", id="GUM_letter_three"),
    doc("it rained", id="GUM_letter_four"),
]
GOOD = [KEY[0], doc("(a) Ann saw (a) her own", id="GUM_diary_two"), *KEY[2:]]  # MUC F1: 1, 2/3, 1
POOR = [doc("Ann fed herself", id="GUM_diary_one"), *GOOD[1:]]  # MUC F1: 0, 2/3, 1


def made(**options: object) -> Report:
    return report("documents", KEY, {"poor": POOR, "good": GOOD}, profile="crac24", metric="muc", **options)  # type: ignore[arg-type]


def values(table: Table, label: str) -> dict[str, object]:
    (row,) = (row for row in table.rows if row.label == label)
    return dict(zip((column.name for column in table.columns), row.values, strict=True))


def test_spread() -> None:
    table = made().table("spread")
    assert [row.label for row in table.rows] == ["good", "poor"], "by their means"
    poor = values(table, "poor")
    # all together: links of the key 4, found 2 (two, three), of 2: R 1/2, P 1
    assert poor["together"] == pytest.approx(2 / 3)
    assert poor["mean"] == pytest.approx(5 / 9)
    assert poor["sd"] == pytest.approx(math.sqrt(((5 / 9) ** 2 + (1 / 9) ** 2 + (4 / 9) ** 2) / 2))
    assert (poor["least"], poor["median"], poor["most"]) == (0, pytest.approx(2 / 3), 1)
    assert (poor["first_quartile"], poor["third_quartile"]) == (pytest.approx(1 / 3), pytest.approx(5 / 6))
    assert list(table.remarks) == ["1 document without an entity to score is omitted."]


def test_together_is_the_score_of_the_scorer() -> None:
    result = score(KEY, POOR)
    table = made().table("spread")
    assert values(table, "poor")["together"] == result["muc"].f1
    assert table.columns[0].signature == result.signature
    assert "|docs:3|" in table.columns[1].signature


def test_tables_as_frames() -> None:
    pytest.importorskip("pandas")
    found = made()
    frame = found.to_frame()
    assert list(frame["system"]) == ["good", "poor"]
    assert frame.loc[1, "together"] == values(found.table("spread"), "poor")["together"]
    assert frame.attrs["signatures"] == found.table("spread").signatures
    hardest = found.to_frame("hardest")
    assert list(hardest["document"]) == ["GUM_diary_one", "GUM_diary_two", "GUM_letter_three"]
    assert hardest.loc[0, "poor"] == 0
    with pytest.raises(UnknownNameError, match="did you mean hardest"):
        found.to_frame("hardests")


def test_hardest() -> None:
    table = made().table("hardest")
    assert [row.label for row in table.rows] == ["GUM_diary_one", "GUM_diary_two", "GUM_letter_three"]
    first = values(table, "GUM_diary_one")
    assert first == {
        "genre": "diary",
        "words": 3,
        "mean": 0.5,
        "sd": pytest.approx(math.sqrt(0.5)),
        "good": 1,
        "poor": 0,
    }
    assert [row.label for row in made(top=1).table("hardest").rows] == ["GUM_diary_one"]
    assert made(top=1).table("hardest").title == "The hardest of 3 documents"
    assert len(made(top=0).table("hardest").rows) == 3


def test_genres_sum_documents() -> None:
    table = made().table("genres")
    assert [row.label for row in table.rows] == ["diary", "letter", "all"]
    diary = values(table, "diary")
    # poor: of the key's three links one found, of one
    assert diary == {"documents": 2, "words": 7, "good": pytest.approx(2 * (2 / 3) / (5 / 3)), "poor": 0.5}
    assert values(table, "letter")["documents"] == 2, "also one without an entity"
    assert values(table, "all")["words"] == 13
    assert table.rows[-1].is_summary


def test_no_genres_no_table() -> None:
    plain = [one.replace(id=str(number)) for number, one in enumerate(KEY)]
    found = report("documents", plain, {"same": plain})
    assert [table.name for table in found.tables] == ["spread", "hardest"], "nor agreement of one system"


def test_agreement_is_a_rank_correlation() -> None:
    table = made().table("agreement")
    # ranks of good: 2.5, 1, 2.5; of poor: 1, 2, 3: sums about the means: (.5*-1) + (-1*0) + (.5*1) = 0
    assert values(table, "good")["poor"] == pytest.approx(0)
    assert values(table, "good")["good"] == pytest.approx(1)


def test_the_order_of_documents_and_systems_changes_nothing() -> None:
    order = list(range(len(KEY)))
    random.Random(1).shuffle(order)
    assert order != sorted(order)

    def mixed(docs: list) -> list:  # type: ignore[type-arg]
        return [docs[number] for number in order]

    other = report("documents", mixed(KEY), {"good": mixed(GOOD), "poor": mixed(POOR)}, metric="muc")
    assert other.render() == made().render()


def test_several_datasets(tmp_path: Path) -> None:
    from coindex.api import write

    for side, docs in (("key", KEY), ("mine", POOR)):
        (tmp_path / side).mkdir()
        for name, some in (("x", docs[:2]), ("y", docs[2:])):
            write([one.replace(shared_ids=False) for one in some], tmp_path / side / f"{name}.conllu")
    found = report("documents", tmp_path / "key", {"poor": tmp_path / "mine"}, metric="muc")
    assert values(found.table("spread"), "poor") == values(made().table("spread"), "poor")
    assert found.table("hardest").rows[0].label == "x/GUM_diary_one"
    assert [row.section for row in found.table("genres").rows] == ["x", "y", ""]


def test_other_metrics() -> None:
    conll = report("documents", KEY, {"good": GOOD})
    assert conll.table("spread").columns[0].title == "CoNLL"
    assert values(conll.table("spread"), "good")["together"] == score(KEY, GOOD).conll
    ru = report("documents", KEY, {"good": GOOD}, profile="are07-task2")
    assert ru.table("spread").columns[0].title == "MUC", "the first of the profile, where there is no CoNLL"
    with pytest.raises(UnknownNameError, match="unknown metric of crac24@1 'b33'"):
        report("documents", KEY, {"good": GOOD}, metric="b33")


def test_a_key_without_entities() -> None:
    with pytest.raises(CoindexError, match="none of the 1 documents of the key has an entity to score"):
        report("documents", KEY[3], {"same": KEY[3]})


def test_the_figure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = made()
    (chart,) = found.charts
    assert chart.name == "spread"
    page = found.render("html")
    assert page.count("<svg") == 1
    assert "<script" not in page
    (path,) = found.save_figures(tmp_path / "figures")
    assert path.read_bytes().startswith(b"<?xml")
    with pytest.raises(CoindexError, match="the report are07 has no figures"):
        report("are07", KEY[0], {"same": KEY[0]}).save_figures(tmp_path)


def test_a_page_without_matplotlib_has_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    page = made().render("html")
    assert "<svg" not in page
    assert "cannot be drawn" in page


def test_spread_of_one_number() -> None:
    assert Spread.of([0.5]) == Spread(1, 0.5, None, 0.5, 0.5, 0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1, 2, 3], [1, 2, 30], 1),
        ([1, 2, 3], [3, 2, 1], -1),
        ([1, 1, 1], [1, 2, 3], None),
        ([1], [1], None),
        # ranks 0, 1.5, 1.5, 3 and 0, 1, 2, 3: 4.5 / sqrt(4.5 * 5)
        ([1, 2, 2, 3], [1, 2, 3, 4], 4.5 / math.sqrt(4.5 * 5)),
    ],
)
def test_rank_correlation(one: list[float], other: list[float], expected: float | None) -> None:
    found = rank_correlation(one, other)
    assert found == (None if expected is None else pytest.approx(expected))
