"""Clocks at the edges: a phase has begun when it opens, and is over when it closes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from coindex.campaigns.definition import Campaign, Phase, Track
from coindex.campaigns.visibility import Submitted, deadline, may_download, may_submit, open_phases, state
from coindex.errors import CoindexError

OPENS = datetime(2030, 6, 1, 12, tzinfo=UTC)
CLOSES = datetime(2030, 6, 8, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)
HOUR = timedelta(hours=1)
PHASE = Phase(name="test", opens=OPENS, closes=CLOSES)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (OPENS - TICK, "before"),
        (OPENS, "open"),
        (CLOSES - TICK, "open"),
        (CLOSES, "over"),
        (CLOSES.astimezone(timezone(timedelta(hours=5))), "over"),
    ],
)
def test_edges_of_a_phase(now: datetime, expected: str) -> None:
    assert state(now, PHASE) == expected
    assert bool(may_download(now, PHASE)) == bool(may_submit(now, PHASE)) == (expected == "open")


def test_no_end() -> None:
    assert may_submit(OPENS + timedelta(days=9999), Phase(name="after", opens=OPENS))


def test_refusals_give_a_reason() -> None:
    assert may_submit(OPENS - HOUR, PHASE).reason == "test opens on 2030-06-01 12:00:00 UTC"
    assert may_submit(OPENS - HOUR, PHASE).until == OPENS
    assert may_submit(CLOSES, PHASE).reason == "test closed on 2030-06-08 12:00:00 UTC"


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(CoindexError, match="has no time zone"):
        may_submit(datetime(2030, 6, 2), PHASE)


def test_phases_that_take_nothing() -> None:
    shut = Phase(name="after", opens=OPENS, submissions=False, downloads=False)
    assert not may_submit(OPENS, shut)
    assert not may_download(OPENS, shut)


HOURS = Phase(name="test", opens=OPENS, closes=CLOSES, hours_from_download=48)


def test_hours_from_the_download() -> None:
    assert not may_submit(OPENS, HOURS), "download first"
    taken = OPENS + HOUR
    end = taken + timedelta(hours=48)
    assert may_submit(end - TICK, HOURS, downloaded=taken)
    late = may_submit(end, HOURS, downloaded=taken)
    assert not late
    assert "48-hour submission window" in late.reason
    assert may_download(end, HOURS), "others may begin"


def test_hours_end_with_the_phase() -> None:
    taken = CLOSES - HOUR
    assert deadline(HOURS, taken) == CLOSES
    assert may_submit(CLOSES - TICK, HOURS, downloaded=taken)
    assert not may_submit(CLOSES, HOURS, downloaded=taken)


def test_limits() -> None:
    phase = Phase(name="test", opens=OPENS, closes=CLOSES, limit_a_day=2, limit_total=3)
    day = OPENS + timedelta(days=1)
    runs = [Submitted(day), Submitted(day + HOUR)]
    full = may_submit(day + 2 * HOUR, phase, submitted=runs)
    assert not full
    midnight = datetime(2030, 6, 3, tzinfo=UTC)
    assert full.until == midnight
    assert not may_submit(midnight - TICK, phase, submitted=runs)
    assert may_submit(midnight, phase, submitted=runs)
    runs.append(Submitted(midnight))
    assert not may_submit(midnight + HOUR, phase, submitted=runs), "three in all"


def test_failed_runs_never_count() -> None:
    phase = Phase(name="test", opens=OPENS, limit_a_day=1, limit_total=1)
    assert may_submit(OPENS, phase, submitted=[Submitted(OPENS, failed=True)] * 5)
    assert not may_submit(OPENS, phase, submitted=[Submitted(OPENS)])


def test_a_day_is_one_in_utc() -> None:
    phase = Phase(name="test", opens=OPENS, limit_a_day=1)
    east = timezone(timedelta(hours=9))
    sent = datetime(2030, 6, 3, 8, 30, tzinfo=east)  # 2 June, 23:30 in UTC
    assert not may_submit(datetime(2030, 6, 2, 23, 45, tzinfo=UTC), phase, submitted=[Submitted(sent)])
    assert may_submit(datetime(2030, 6, 3, 10, tzinfo=east), phase, submitted=[Submitted(sent)])


def test_open_phases() -> None:
    track = Track(name="t", profile="crac24", primary="conll")
    other = Phase(name="after", opens=CLOSES)
    campaign = Campaign(name="c", tracks=(track,), phases=(PHASE, other))
    assert open_phases(CLOSES - TICK, campaign) == [PHASE]
    assert open_phases(CLOSES, campaign) == [other]
