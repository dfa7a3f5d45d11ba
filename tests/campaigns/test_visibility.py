"""Who sees what, when: every role, everything, before, during and after a phase."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from coindex.campaigns.definition import READY, Audience, Campaign, Phase, Shown, Track, Visible, load_campaign
from coindex.campaigns.visibility import Role, visible
from coindex.errors import UnknownNameError

START = datetime(2030, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)
TRACK = Track(name="t", profile="crac24", primary="conll")
WHAT = get_args(Shown)


def phase(name: str, day: int, audience: Audience, **fields: object) -> Phase:
    shown = Visible(**dict.fromkeys(WHAT, audience))
    return Phase(name=name, opens=START + day * DAY, closes=START + (day + 1) * DAY, visible=shown, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize(
    ("audience", "own", "others", "public"),
    [
        ("nobody", False, False, False),
        ("own", True, False, False),
        ("teams", True, True, False),
        ("everyone", True, True, True),
    ],
)
def test_audiences(what: Shown, audience: Audience, own: bool, others: bool, public: bool) -> None:
    one = phase("test", 1, audience)
    campaign = Campaign(name="c", tracks=(TRACK,), phases=(one,))

    def sees(role: Role, *, own: bool = False, at: timedelta = DAY) -> bool:
        return visible(START + at, role, what, campaign, one, own=own)

    assert sees("organiser")
    assert (sees("team", own=True), sees("team"), sees("public")) == (own, others, public)
    assert not sees("team", own=True, at=DAY - TICK), "nothing before it opens"
    assert sees("organiser", at=DAY - TICK)
    assert sees("team", own=True, at=2 * DAY) == own, "what was shown stays"


def test_a_later_phase_releases() -> None:
    test = phase("test", 1, "nobody")
    after = phase("after", 5, "everyone", releases=("test",))
    campaign = Campaign(name="c", tracks=(TRACK,), phases=(test, after))
    opens = START + 5 * DAY
    assert not visible(opens - TICK, "public", "scores", campaign, test)
    assert visible(opens, "public", "scores", campaign, test)
    assert visible(opens + 30 * DAY, "public", "scores", campaign, test), "also when that phase is over"


def test_only_what_is_named_is_released() -> None:
    test, dev = phase("test", 1, "nobody"), phase("dev", 0, "nobody")
    after = phase("after", 5, "everyone", releases=("dev",))
    campaign = Campaign(name="c", tracks=(TRACK,), phases=(dev, test, after))
    assert not visible(START + 6 * DAY, "team", "keys", campaign, test, own=True)


@pytest.mark.parametrize("name", READY)
def test_evaluation_is_blind_in_ready_definitions(name: str) -> None:
    campaign = load_campaign(name)
    evaluation, after = campaign.phase("evaluation"), campaign.phase("after")
    moments = [evaluation.opens, after.opens - TICK]
    for now in moments:
        for role in ("team", "public"):
            for own in (False, True):
                seen = [what for what in WHAT if visible(now, role, what, campaign, evaluation, own=own)]
                assert seen == []


def test_unknown_names_are_refused() -> None:
    one = phase("test", 1, "everyone")
    campaign = Campaign(name="c", tracks=(TRACK,), phases=(one,))
    with pytest.raises(UnknownNameError):
        visible(START, "guest", "scores", campaign, one)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError):
        visible(START, "team", "score", campaign, one)  # type: ignore[arg-type]
