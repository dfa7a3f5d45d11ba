"""The key checked as RU-EVAL did: chains switched off, and a sample looked at by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from campaigns.world import BAD, HALF, World
from coindex.campaigns.findings import count_verdicts, find_items
from coindex.campaigns.offline import campaign_findings, read_sample, sample_key, score_campaign
from coindex.campaigns.setups import DisputedEntity, Disputes, read_disputes, switch_off
from coindex.errors import CoindexError
from coindex.scoring import make_settings, score_documents
from coindex.scoring.corpus import make_units
from scoring.texts import doc

KEY = doc("(a) Ann saw (b) Bob . (a) She waved and (b) he (c) waved (c) too .", id="d")
OFF = [DisputedEntity(document="d", entity="b")]
SETTINGS = make_settings("crac24")


def f1(key: object, response: object, profile: str = "crac24") -> float:
    settings = make_settings(profile)
    both = switch_off([key], [response], OFF, settings)  # type: ignore[list-item]
    return score_documents(*both, settings)["muc"].f1


def test_a_chain_that_is_off_is_neither_asked_for_nor_held_against_anybody() -> None:
    without = doc("(a) Ann saw Bob . (a) She waved and he (c) waved (c) too .", id="d")
    for profile in ("crac24", "rueval14-coref"):
        assert f1(KEY, KEY, profile) == 1
        assert f1(KEY, without, profile) == 1
    assert score_documents([KEY], [without], SETTINGS)["muc"].f1 < 1, "or nothing was switched off"


def test_other_mistakes_still_count() -> None:
    wrong = doc("(a) Ann saw (b) Bob . (b) She waved and (a) he (c) waved (c) too .", id="d")
    for profile in ("crac24", "rueval14-coref"):
        assert f1(KEY, wrong, profile) < 1


def test_a_mention_of_two_chains_stays() -> None:
    key = doc("(a) (b) Ann saw (b) Bob . (a) She left .", id="d")
    answer = doc("(a) Ann saw Bob . (a) She left .", id="d")
    _, (left,) = switch_off([key], [answer], OFF, SETTINGS)
    assert left == answer


def write_list(folder: Path, **chain: str) -> Path:
    path = folder / "off.toml"
    path.write_text(
        "[[chains]]\n" + "".join(f'{name} = "{value}"\n' for name, value in chain.items()), encoding="utf-8"
    )
    return path


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.answer("hill", HALF)
    world.answer("bay", BAD)
    return world


def test_everything_is_rescored_and_logged(world: World) -> None:
    off = write_list(world.folder, document="x1", entity="a", dataset="x", reason="generic")
    before = score_campaign(world.file, world.keys, world.received, scores=world.scores)
    after = score_campaign(world.file, world.keys, world.received, scores=world.scores, switched_off=off)
    assert before.render("csv") != after.render("csv")
    assert "|off:1-" in after.tables[0].rows[0].signature
    line = "excluded: x, document 'x1', chain 'a': generic"
    assert line in after.log
    assert line in (world.scores / "log.txt").read_text(encoding="utf-8")
    again = score_campaign(world.file, world.keys, world.received, scores=world.scores)
    assert again.render("csv") == before.render("csv"), "the old scores were kept"
    made = campaign_findings(world.file, world.keys, world.received, switched_off=off, tables=["6"])
    board = {row.label: dict(zip(after.tables[0].columns, row.values, strict=True)) for row in after.tables[0].rows}
    for row in made.tables[0].rows:
        scores = {column.name: value for column, value in board[row.label].items()}
        assert list(row.values) == pytest.approx([scores["conll:x"], scores["conll:y"]])
    assert "1 chains of the key are excluded" in made.render("text")


def test_a_chain_that_is_not_there_is_refused(world: World) -> None:
    off = write_list(world.folder, document="x1", entity="nobody")
    with pytest.raises(CoindexError, match="no such chain"):
        score_campaign(world.file, world.keys, world.received, switched_off=off)
    with pytest.raises(CoindexError, match="did you mean entity"):
        read_disputes(write_list(world.folder, document="x1", entty="a"))


def test_no_chains_leave_no_trace() -> None:
    assert Disputes().note() == ()
    assert Disputes().digest("x") == ""
    one = Disputes(chains=(DisputedEntity(document="d", entity="a"),))
    assert one.digest("x") == Disputes(chains=(DisputedEntity(document="d", entity="a", reason="why"),)).digest("x")


# --- the sample


def test_what_is_matched_wrong_and_missed() -> None:
    answer = doc("(a) Ann saw (a) Bob . (b) She waved and (b) he waved too .", id="d")
    units = make_units([KEY], [answer], SETTINGS)
    items = list(find_items(units, SETTINGS, "hill@1"))
    by_kind = {kind: [item for item in items if item.kind == kind] for kind in ("matched", "wrong", "missed")}
    assert len(by_kind["matched"]) == 4
    assert [item.entity for item in by_kind["missed"]] == ["a", "b", "c"]
    assert [(item.first.split()[0], item.second.split()[0]) for item in by_kind["wrong"][:1]] == [("[Ann]", "Ann")]
    assert "[Bob]" in by_kind["wrong"][0].second
    assert len({item.id for item in items}) == len(items)


def test_a_sample_is_drawn_by_its_seed(world: World) -> None:
    one, same, other = (sample_key(world.file, world.keys, world.received, size=3, seed=seed) for seed in (1, 1, 2))
    assert one == same != other
    kinds = [item.kind for item in one.items]
    assert kinds == ["matched"] * 3 + ["wrong"] * 3 + ["missed"] * 3
    assert "crac22@1" in one.signature


def test_verdicts_are_kept(world: World) -> None:
    sample = sample_key(world.file, world.keys, world.received, size=2, seed=1)
    data = sample.to_dict()
    data["items"][0].update(verdict="key", comment="fine")
    data["items"][-1].update(verdict="disputed")
    path = world.folder / "sample.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    same = sample_key(world.file, world.keys, world.received, size=2, seed=1, earlier=path)
    assert [item.verdict for item in same.items] == ["key", "", "", "", "", "disputed"]
    table = count_verdicts(same)
    assert [row.values for row in table.rows] == [[2, 1, 1, 0, 0], [2, 2, 0, 0, 0], [2, 1, 0, 0, 1]]
    assert any("Disputed: document" in remark for remark in table.remarks)


def test_an_unknown_verdict_is_refused(world: World) -> None:
    data = sample_key(world.file, world.keys, world.received, size=1).to_dict()
    data["items"][0]["verdict"] = "kye"
    path = world.folder / "sample.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(CoindexError, match="did you mean key"):
        read_sample(path)


def test_a_good_answer_has_nothing_wrong() -> None:
    items = find_items(make_units([KEY], [KEY], SETTINGS), SETTINGS, "same")
    assert {item.kind for item in items} == {"matched"}
