"""RU-EVAL and ARE: tracks that are scored each in its own way."""

from __future__ import annotations

from pathlib import Path

import pytest

from coindex.analysis.reports import Report
from coindex.api import write
from coindex.api.reports import report
from coindex.document import Document
from coindex.errors import CoindexError
from scoring.texts import doc, score

RU_KEY = doc("(a) Анна взяла (b) книгу и отдала (b) её . (a) Она ушла .", id="r")
RU_GOOD = RU_KEY
RU_HALF = doc("(a) Анна взяла книгу и отдала её . (a) Она ушла .", id="r")
RU_BAD = doc("(a) Анна взяла книгу и отдала (a) её . Она ушла .", id="r")
# pronouns to resolve: It, it
EN_KEY = doc("(a:2 The fox )a saw (b:2 a hen )b . (a) It ran and (b) it fled .", id="e")
EN_HALF = doc("(a:2 The fox )a saw (b:2 a hen )b . (a) It ran and it fled .", id="e")


def cells(found: Report, table: str, **keys: str) -> dict[str, object]:
    one = found.table(table)
    (row,) = (row for row in one.rows if keys.items() <= row.keys.items())
    return dict(zip((column.name for column in one.columns), row.values, strict=True))


def labels(found: Report, table: str) -> list[str]:
    return [row.label for row in found.table(table).rows]


def test_rueval() -> None:
    found = report("rueval14", RU_KEY, {"bad": RU_BAD, "half": RU_HALF, "good": RU_GOOD})
    assert [table.name for table in found.tables] == ["anaphora", "coreference"]
    assert labels(found, "anaphora") == ["good", "half", "bad"], "the best first"
    half = cells(found, "anaphora", system="half")
    assert half == {"anaphora_precision": 1, "anaphora_recall": 1 / 2, "anaphora_f1": pytest.approx(2 / 3)}
    assert cells(found, "anaphora", system="bad")["anaphora_f1"] == 0
    half = cells(found, "coreference", system="half")
    # one of two links; B³ and both CEAF: two mentions of four, one entity of two
    assert (half["muc_precision"], half["muc_recall"]) == (1, 1 / 2)
    assert (half["b3_recall"], half["ceafm_recall"], half["ceafe_recall"]) == (1 / 2, 1 / 2, 1 / 2)
    assert found.table("anaphora").columns[0].title == "P", "precision comes first in this paper"


def test_rueval_numbers_are_those_of_the_scorer() -> None:
    found = report("rueval14", RU_KEY, {"bad": RU_BAD})
    for table, profile in (("anaphora", "rueval14-anaphora"), ("coreference", "rueval14-coref")):
        result = score(RU_KEY, RU_BAD, profile)
        own = cells(found, table, system="bad")
        assert own == {f"{metric}_{part}": getattr(result[metric], part) for metric in result for part in PARTS}
        assert found.table(table).signatures == [result.signature]


PARTS = ("precision", "recall", "f1")


def test_are() -> None:
    found = report("are07", EN_KEY, {"half": EN_HALF, "same": EN_KEY})
    assert [table.name for table in found.tables] == ["success", "tasks"]
    assert labels(found, "success") == ["half", "same"], "in the order given"
    assert cells(found, "success", system="half") == {"success": 1 / 2}
    for task, recall in (("task2", 1 / 2), ("task3", 1 / 2), ("task4", 1 / 2)):
        half = cells(found, "tasks", task=task, system="half")
        assert half == {"recall": recall, "precision": 1, "f1": pytest.approx(2 / 3)}
    assert [row.section for row in found.table("tasks").rows[::2]] == ["Task 2", "Task 3", "Task 4"]
    assert "**66.67**" not in found.render("markdown")
    assert len(found.table("tasks").signatures) == 3


def test_tracks_in_names() -> None:
    found = report("are07", EN_KEY, [("mine:task1", EN_HALF), ("mine:task4", EN_KEY), ("other:x", EN_KEY)])
    assert labels(found, "success") == ["mine", "other:x"]
    assert cells(found, "success", system="mine") == {"success": 1 / 2}
    assert cells(found, "tasks", task="task4", system="mine")["f1"] == 1
    tasks = [row.keys["task"] for row in found.table("tasks").rows if row.label == "mine"]
    assert tasks == ["task4"]


def test_a_response_may_specify_its_track() -> None:
    said = EN_HALF.replace(meta={"task": "3", "kind": "response"})
    found = report("are07", EN_KEY, {"mine": said})
    assert [table.name for table in found.tables] == ["tasks"]
    assert [row.keys["task"] for row in found.table("tasks").rows] == ["task3"]
    pairs = RU_HALF.replace(meta={"track": "anaphora"})
    assert [table.name for table in report("rueval14", RU_KEY, {"mine": pairs}).tables] == ["anaphora"]


def test_folders_with_a_part_for_each_track(tmp_path: Path) -> None:
    for side, docs in (("key", [EN_KEY, EN_KEY]), ("mine", [EN_HALF, EN_KEY]), ("other", [EN_KEY])):
        for task, one in zip(("task1", "task4"), docs, strict=False):
            (tmp_path / side).mkdir(exist_ok=True)
            write(one.replace(shared_ids=False), tmp_path / side / f"{task}.conllu")
    found = report("are07", tmp_path / "key", {"mine": tmp_path / "mine", "other": tmp_path / "other"})
    assert labels(found, "success") == ["mine", "other"]
    assert cells(found, "success", system="mine") == {"success": 1 / 2}
    assert labels(found, "tasks") == ["mine"]
    one = tmp_path / "mine" / "task4.conllu"
    with pytest.raises(
        CoindexError, match=r"'x': the track of the response is unknown, as the key has the tracks task1, task4"
    ):
        report("are07", tmp_path / "key", {"x": one})
    assert labels(report("are07", tmp_path / "key", {"x:task4": one}), "tasks") == ["x"]
    with pytest.raises(CoindexError, match="'x': a response for task2, but the key only has task1, task4"):
        report("are07", tmp_path / "key", {"x:task2": one})


def test_choice_of_tables() -> None:
    assert [table.name for table in report("are07", EN_KEY, {"a": EN_HALF}, tables=["1"]).tables] == ["success"]


def test_the_order_of_documents_changes_nothing() -> None:
    more = doc("(a) Ann left as (a) she had to .", id="f")
    one = report("are07", [EN_KEY, more], {"a": [EN_HALF, more]})
    other = report("are07", [more, EN_KEY], {"a": [more, EN_HALF]})
    assert one.render() == other.render()


def test_documents_may_come_from_an_iterator() -> None:
    docs: list[Document] = [EN_KEY]
    found = report("are07", iter(docs), {"a": iter([EN_HALF]), "b": iter(docs)})
    assert found.render() == report("are07", docs, {"a": [EN_HALF], "b": docs}).render()


def test_bad_input(tmp_path: Path) -> None:
    with pytest.raises(CoindexError, match="the report are07 needs at least one system"):
        report("are07", EN_KEY)
    with pytest.raises(CoindexError, match="'a': two responses for task1"):
        report("are07", EN_KEY, [("a", EN_KEY), ("a:task1", EN_KEY)])
    with pytest.raises(CoindexError, match=r"'a': .*no such file or folder"):
        report("are07", EN_KEY, {"a": tmp_path / "gone"})
    with pytest.raises(CoindexError, match="are07 has no option top, which belongs to documents"):
        report("are07", EN_KEY, {"a": EN_KEY}, top=3)
    with pytest.raises(CoindexError, match=r"'a': .*expected the word 'fox'"):
        report("are07", EN_KEY, {"a": doc("The dog saw .", id="e")})
