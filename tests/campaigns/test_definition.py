"""A campaign is one TOML file; unknown or contradictory settings are refused with their place."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from coindex.campaigns.definition import (
    READY,
    Campaign,
    Phase,
    Track,
    Visible,
    find_definition,
    load_campaign,
    new_definition,
    read_campaign,
)
from coindex.errors import CoindexError
from wording import says

SMALL = """
name = "small"
[[tracks]]
name = "one"
profile = "crac24"
primary = "conll"
[[phases]]
name = "test"
opens = 2030-01-01T00:00:00Z
closes = 2030-01-08T00:00:00Z
"""


def read(tmp_path: Path, text: str) -> Campaign:
    path = tmp_path / "c.toml"
    path.write_text(text, encoding="utf-8")
    return read_campaign(path)


def test_a_small_one(tmp_path: Path) -> None:
    campaign = read(tmp_path, SMALL)
    assert campaign.track("one").settings.profile == "crac24@1"
    assert campaign.phase("test").visible == Visible(), "hidden where nothing is said"
    assert campaign.phase("test").visible.scores == "nobody"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "small"', 'name = "small"\ntitel = "x"', "did you mean title"),
        ('primary = "conll"', 'primary = "conl"', "did you mean conll"),
        ('profile = "crac24"', 'profile = "crac42"', "crac24"),
        ('primary = "conll"', 'primary = "conll"\nsecondry = ["muc"]', "did you mean secondary"),
        ("closes = 2030-01-08T00:00:00Z", "closes = 2029-01-08T00:00:00Z", "closes must be later than opens"),
        ("opens = 2030-01-01T00:00:00Z", "opens = 2030-01-01T00:00:00", "is not in UTC"),
        ("opens = 2030-01-01T00:00:00Z", "opens = 2030-01-01T00:00:00+02:00", "is not in UTC"),
        ("opens = 2030-01-01T00:00:00Z", 'opens = "tomorrow"', "expected datetime"),
        ("closes = 2030-01-08T00:00:00Z", "limit_a_day = 0", "limit_a_day = 0 is not positive"),
        ("closes = 2030-01-08T00:00:00Z", 'releases = ["tset"]', "did you mean test"),
        ("closes = 2030-01-08T00:00:00Z", '[phases.visible]\nscores = "evryone"', "did you mean everyone"),
        ('primary = "conll"', 'primary = "conll"\ntask = 5', "use 1, 2, 3 or 4"),
        ('name = "one"', 'name = "../one"', "invalid track name"),
        ('name = "small"', 'name = "small"\nreport = "crac23"', "did you mean crac22"),
        ('profile = "crac24"', 'profile = "crac22"\nblind_zeros = "stripped"', "needs empty nodes"),
    ],
)
def test_errors_are_reported(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SMALL
    with pytest.raises(CoindexError, match=said) as caught:
        read(tmp_path, SMALL.replace(old, new, 1))
    assert says(caught.value, "c.toml")


def test_two_of_one_name(tmp_path: Path) -> None:
    track = '[[tracks]]\nname = "one"\nprofile = "crac24"\nprimary = "muc"\n'
    with pytest.raises(CoindexError, match="two tracks are named 'one'"):
        read(tmp_path, SMALL + track)


@pytest.mark.parametrize("name", READY)
def test_ready_definitions(name: str) -> None:
    campaign = load_campaign(name)
    assert campaign.name == name
    assert campaign.report == name
    evaluation, after = campaign.phase("evaluation"), campaign.phase("after")
    assert evaluation.visible.scores == "nobody", "a blind phase"
    assert after.releases == ("evaluation",)


def test_what_ready_definitions_have() -> None:
    are = load_campaign("are07")
    assert [track.task for track in are.tracks] == [1, 2, 3, 4]
    assert are.phase("evaluation").hours_from_download == 48
    assert [track.primary for track in load_campaign("rueval14").tracks] == ["anaphora", "muc"]
    (crac,) = load_campaign("crac22").tracks
    assert set(crac.settings.metrics) == set(crac.secondary), "all metrics stand beside the primary one"
    ecb = load_campaign("ecb-realistic").tracks
    settings = {(track.mentions, track.settings.unit, track.settings.singletons) for track in ecb}
    assert len(settings) == 2 * 2 * 2


@pytest.mark.parametrize("kind", [Campaign, Track, Phase, Visible])
def test_every_key_is_in_the_long_definition(kind: type) -> None:
    text = find_definition("crac22").read_text(encoding="utf-8")
    assert [one.name for one in fields(kind) if f"{one.name} =" not in text and f"[[{one.name}]]" not in text] in (
        [],
        ["visible"],  # a table
    )
    assert "[phases.visible]" in text


@pytest.mark.parametrize("name", READY)
def test_new_moves_the_dates(name: str, tmp_path: Path) -> None:
    new = read(tmp_path, new_definition('my "own"', name, date(2031, 5, 6)))
    old = load_campaign(name)
    assert new.name == 'my "own"'
    assert min(phase.opens for phase in new.phases) == datetime(2031, 5, 6, tzinfo=UTC)
    lengths = [[p.closes - p.opens for p in c.phases if p.closes is not None] for c in (old, new)]
    assert lengths[0] == lengths[1]
    assert new.tracks == old.tracks


def test_new_refuses_a_path() -> None:
    with pytest.raises(CoindexError, match="valid folder name"):
        new_definition("../x", "crac22", date(2031, 5, 6))
