"""The tables of CRAC 2022 beside the main results: by tags of heads, and statistics of key and responses."""

from __future__ import annotations

from pathlib import Path

import pytest

from coindex.analysis.reports import Report
from coindex.api import write
from coindex.api.reports import report
from coindex.errors import CoindexError, UnknownNameError
from scoring.texts import doc

# 8 words; Ann, she: PROPN and PRON; the hen, it: NOUN and PRON; a singleton
EN = "(a) Ann/PROPN/2/nsubj saw/VERB/0/root (b:2 the/DET/4/det hen/NOUN/2/obj )b"
EN2 = "(a) she/PRON/2/nsubj fed/VERB/0/root (b) it/PRON/2/obj (c) twice/ADV/2/advmod"
DE = "(x) Bo/PROPN/2/nsubj ran/VERB/0/root and/CCONJ/4/cc (x) he/PRON/2/conj fell/VERB/2/conj"
WRONG = "Bo/PROPN/2/nsubj ran/VERB/0/root and/CCONJ/4/cc (x) he/PRON/2/conj (x) fell/VERB/2/conj"
EN_WRONG = "(a:1 the/DET/2/det hen/NOUN/0/root )a and/CCONJ/4/cc (a) she/PRON/2/conj"


def write_datasets(folder: Path, **texts: list[str]) -> Path:
    folder.mkdir(parents=True)
    for name, sentences in texts.items():
        write(doc(*sentences, id=name).replace(shared_ids=False), folder / f"{name}.conllu")
    return folder


@pytest.fixture
def paths(tmp_path: Path) -> dict[str, Path]:
    return {
        "key": write_datasets(tmp_path / "key", en=[EN, EN2], de=[DE]),
        "same": write_datasets(tmp_path / "same", en=[EN, EN2], de=[DE]),
        "half": write_datasets(tmp_path / "half", en=[EN, EN2], de=[WRONG]),
    }


def made(paths: dict[str, Path], *tables: str, systems: tuple[str, ...] = ("same", "half")) -> Report:
    return report("crac22", paths["key"], {name: paths[name] for name in systems}, tables=tables)


def values(found: Report, name: str, system: str) -> dict[str, object]:
    table = found.table(name)
    (row,) = (row for row in table.rows if row.keys["system"] == system)
    return dict(zip((column.name for column in table.columns), row.values, strict=True))


def test_by_tags_of_heads(paths: dict[str, Path]) -> None:
    """The key has VERB heads nowhere, so no column, though a response has one; half finds nothing right in de."""
    found = made(paths, "8")
    assert values(found, "upos", "same") == {"NOUN": 1, "PRON": 1, "PROPN": 1}
    half = values(found, "upos", "half")
    assert half["NOUN"] == 1, "en alone has nouns"
    assert half["PROPN"] == 0.5, "all of en; in de the response has no entity with a PROPN"
    # de: he alone of {Bo, he} in {he, fell}: MUC 0; B³ R (1/2)/2 = 1/4, P 1/4; CEAF-e 2*1/4 = 1/2; mean (0+1/4+1/2)/3
    assert half["PRON"] == pytest.approx((1 + 0.25) / 2)
    marks = {column.name: column.signature for column in found.table("upos").columns}
    assert "macro:1" in marks["NOUN"]
    assert "macro:2" in marks["PRON"]


def test_statistics_of_all_datasets_together(paths: dict[str, Path]) -> None:
    found = made(paths, "9", "10")
    gold = values(found, "entities", "gold")
    assert (gold["total"], gold["length_max"]) == (4, 2)
    assert gold["per_1k"] == pytest.approx(1000 * 4 / 13)
    assert gold["length_avg"] == pytest.approx(7 / 4)
    assert (gold["size_1"], gold["size_2"]) == (1 / 4, 3 / 4)
    mentions = values(found, "mentions", "gold")
    assert (mentions["total"], mentions["length_max"]) == (6, 2)
    assert (mentions["length_1"], mentions["length_2"]) == (5 / 6, 1 / 6)


def test_details_have_singletons(paths: dict[str, Path]) -> None:
    gold = values(made(paths, "11"), "details", "gold")
    assert gold["head_PRON"] == pytest.approx(3 / 7)
    assert gold["head_ADV"] == pytest.approx(1 / 7)
    half = values(made(paths, "11"), "details", "half")
    assert half["head_VERB"] == pytest.approx(1 / 7)


def test_heads_of_responses_are_those_of_the_tree(tmp_path: Path) -> None:
    """The response says that "the" is the head of "the hen"."""
    right = EN_WRONG.replace("(a:1", "(a:2")
    key = write_datasets(tmp_path / "key", en=[right])
    response = write_datasets(tmp_path / "response", en=[EN_WRONG])
    details = values(report("crac22", key, {"mine": response}, tables=["11"]), "details", "mine")
    assert (details["head_DET"], details["head_NOUN"]) == (0, 0.5)


def test_the_largest_dataset_by_itself(paths: dict[str, Path]) -> None:
    found = made(paths, "12", "13", "14")
    assert [table.name for table in found.tables] == ["largest-entities", "largest-mentions", "largest-details"]
    assert found.table("largest-entities").title.endswith(" in en")
    assert values(found, "largest-entities", "gold")["total"] == 3
    single = report("crac22", paths["key"] / "en.conllu", {"mine": paths["same"] / "en.conllu"})
    assert not any(table.name.startswith("largest") for table in single.tables)


def test_rows_are_the_key_and_the_systems_the_best_first(paths: dict[str, Path]) -> None:
    found = made(paths, "9", systems=("half", "same"))
    assert [row.label for row in found.table("entities").rows] == ["gold", "same", "half"]


def test_the_order_of_systems_and_of_documents_changes_nothing(paths: dict[str, Path], tmp_path: Path) -> None:
    assert made(paths).render() == made(paths, systems=("half", "same")).render()
    docs = [doc(EN, EN2, id="en"), doc(DE, id="de")]
    responses = [doc(EN, EN2, id="en"), doc(WRONG, id="de")]
    one = report("crac22", docs, {"mine": responses})
    other = report("crac22", docs[::-1], {"mine": responses[::-1]})
    assert one.render() == other.render()


def test_choice_of_tables(paths: dict[str, Path]) -> None:
    assert [table.name for table in made(paths, "6", "main").tables] == ["main", "datasets"]
    assert made(paths, "6").render() in made(paths).render()
    with pytest.raises(UnknownNameError, match=r"unknown table of crac22 '3'.*main \(4\)"):
        made(paths, "3")


def test_every_number_has_a_signature(paths: dict[str, Path]) -> None:
    rows = made(paths).render("csv").splitlines()[1:]
    assert rows
    assert all(row.rpartition(",")[2].startswith("coindex|") for row in rows)


def test_the_name_of_the_key_is_taken(paths: dict[str, Path]) -> None:
    with pytest.raises(CoindexError, match="the system name 'gold' is reserved for the key in Tables 9 to 14"):
        report("crac22", paths["key"], {"gold": paths["same"]})
    found = report("crac22", paths["key"], {"gold": paths["same"]}, tables=["4"])
    assert [row.label for row in found.tables[0].rows] == ["gold"]


def test_datasets_must_be_the_same_for_all_systems(paths: dict[str, Path]) -> None:
    with pytest.raises(CoindexError, match=r"'b': .*has de, en"):
        report("crac22", paths["key"], {"a": paths["same"], "b": paths["half"] / "en.conllu"})
