"""Values of a phase changed in the text of a definition, whose comments stay."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from coindex.campaigns.definition import READY, change_phase, find_definition
from coindex.errors import CoindexError

TEXT = """name = "tiny"
[[tracks]]
name = "main"
profile = "crac22"
primary = "conll"

# the real thing
[[phases]]
name = "evaluation"  # its name
opens = 2030-01-01T00:00:00Z  # at midnight
limit_total = 3
# more limits
[phases.visible]
scores = "own" # each its own

[[phases]]
name = "after"
opens = 2030-02-01T00:00:00Z
releases = ["evaluation"]
"""
VISIBLE = {"scores": "nobody", "keys": "nobody", "team_names": "everyone", "document_errors": "own"}


def test_values_are_changed_added_and_taken_out_and_comments_stay() -> None:
    closes = datetime(2030, 1, 9, 12, 30, tzinfo=UTC)
    values = {"closes": closes, "limit_total": None, "limit_a_day": 2, "hours_from_download": 36.5, "downloads": False}
    changed = change_phase(TEXT, "evaluation", values, VISIBLE)
    assert changed.split("[[phases]]")[1] == (
        '\nname = "evaluation"  # its name\nopens = 2030-01-01T00:00:00Z  # at midnight\n'
        "closes = 2030-01-09T12:30:00Z\nlimit_a_day = 2\nhours_from_download = 36.5\ndownloads = false\n# more limits\n"
        '[phases.visible]\nscores = "nobody" # each its own\nkeys = "nobody"\nteam_names = "everyone"\n'
        'document_errors = "own"\n\n'
    )
    assert changed.split("[[phases]]")[2] == TEXT.split("[[phases]]")[2]
    assert change_phase(changed, "evaluation", values, VISIBLE) == changed


def test_a_phase_without_a_table_of_who_sees_what_gets_one() -> None:
    changed = change_phase(TEXT, "after", {"submissions": False}, VISIBLE)
    assert changed.endswith(
        'submissions = false\n\n[phases.visible]\nscores = "nobody"\nkeys = "nobody"\n'
        'team_names = "everyone"\ndocument_errors = "own"'
    )


@pytest.mark.parametrize("name", READY)
def test_every_ready_definition_can_be_changed(name: str) -> None:
    text = find_definition(name).read_text(encoding="utf-8")
    changed = change_phase(text, "evaluation", {"limit_total": 7}, VISIBLE)
    assert sum("limit_total = 7" in line for line in changed.splitlines()) == 1
    assert sum(line.lstrip().startswith("#") for line in changed.splitlines()) >= text.count("\n# ")


def test_what_cannot_be_changed_so_is_refused() -> None:
    inline = TEXT.replace('[phases.visible]\nscores = "own" # each its own', 'visible = { scores = "own" }')
    with pytest.raises(CoindexError, match="edit the text"):
        change_phase(inline, "evaluation", {"limit_total": 7}, VISIBLE)
    with pytest.raises(CoindexError, match="closes"):
        change_phase(TEXT, "evaluation", {"closes": datetime(2029, 1, 1, tzinfo=UTC)}, VISIBLE)
    with pytest.raises(CoindexError, match="phase"):
        change_phase(TEXT, "elsewhere", {}, VISIBLE)
