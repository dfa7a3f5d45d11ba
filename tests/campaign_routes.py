"""Every route of campaigns and who may take it, on a day in the evaluation; written out, not taken from the app.

A path stands for a page and for its twin below /api; "page" or "api" where there is one of them only.
"""

from __future__ import annotations

WORLD = {"nobody", "stranger", "participant", "other", "organiser", "administrator"}
NEWCOMERS = {"nobody", "stranger"}
TEAMS = {"participant", "other"}
ORGANISERS = {"organiser", "administrator"}
INVOLVED = TEAMS | ORGANISERS
OWN = ORGANISERS | {"participant"}
ROOT = {"administrator"}

# C is the campaign, S and T a submission of the participant in practice and in the evaluation, M a sample
ROUTES: list[tuple[str, str, set[str], str]] = [
    ("GET", "", WORLD, "both"),
    ("GET", "/new", ROOT, "page"),
    ("POST", "", ROOT, "both"),
    ("GET", "/invitations/SECRET", WORLD, "both"),
    ("POST", "/invitations/SECRET", WORLD, "both"),
    ("GET", "/C", WORLD, "both"),
    ("GET", "/C/phases/practice/boards/main", INVOLVED, "both"),
    ("GET", "/C/phases/evaluation/boards/main", ORGANISERS, "both"),
    ("GET", "/C/phases/practice/key", INVOLVED, "both"),
    ("GET", "/C/phases/evaluation/key", ORGANISERS, "both"),
    ("GET", "/C/register", NEWCOMERS, "both"),
    ("POST", "/C/register", NEWCOMERS, "both"),
    ("GET", "/C/team", TEAMS, "both"),
    ("POST", "/C/team/name", TEAMS, "both"),
    ("POST", "/C/team/invitations", TEAMS, "both"),
    ("POST", "/C/team/members/remove", TEAMS, "both"),
    ("POST", "/C/phases/evaluation/input", INVOLVED, "both"),
    ("POST", "/C/phases/evaluation/submissions", TEAMS, "both"),
    ("POST", "/C/phases/evaluation/checks", INVOLVED, "both"),
    ("GET", "/C/runs", TEAMS, "both"),
    ("GET", "/C/submissions", INVOLVED, "both"),
    ("GET", "/C/submissions/S", OWN, "both"),
    ("GET", "/C/submissions/T", OWN, "both"),
    ("GET", "/C/submissions/T/state", OWN, "api"),
    ("GET", "/C/submissions/S/errors?track=main&dataset=x&document=x", OWN, "both"),
    ("GET", "/C/submissions/T/errors?track=main&dataset=x&document=x", ORGANISERS, "both"),
    ("GET", "/C/submissions/T/file", OWN, "both"),
    ("POST", "/C/submissions/T/choose", OWN, "both"),
    ("POST", "/C/submissions/T/retry", ORGANISERS, "both"),
    ("GET", "/C/manage", ORGANISERS, "both"),
    ("GET", "/C/definition", ORGANISERS, "both"),
    ("POST", "/C/definition", ORGANISERS, "both"),
    ("GET", "/C/schedule", ORGANISERS, "both"),
    ("POST", "/C/phases/evaluation/rules", ORGANISERS, "both"),
    ("POST", "/C/published", ORGANISERS, "both"),
    ("POST", "/C/registration", ORGANISERS, "both"),
    ("POST", "/C/organisers", ORGANISERS, "both"),
    ("POST", "/C/organisers/remove", ORGANISERS, "both"),
    ("POST", "/C/phases/evaluation/key", ORGANISERS, "both"),
    ("GET", "/C/phases/evaluation/preview", ORGANISERS, "both"),
    ("GET", "/C/teams", ORGANISERS, "both"),
    ("POST", "/C/teams/invitations", ORGANISERS, "both"),
    ("GET", "/C/checking", ORGANISERS, "both"),
    ("POST", "/C/switches", ORGANISERS, "both"),
    ("POST", "/C/rescore", ORGANISERS, "both"),
    ("POST", "/C/samples", ORGANISERS, "both"),
    ("GET", "/C/samples/M", ORGANISERS, "both"),
    ("POST", "/C/samples/M/verdicts", ORGANISERS, "both"),
    ("GET", "/C/findings", ORGANISERS, "both"),
    ("POST", "/C/phases/evaluation/findings", ORGANISERS, "both"),
    ("GET", "/C/phases/practice/findings", ORGANISERS, "both"),
    ("GET", "/C/phases/practice/figures/main-metrics", ORGANISERS, "both"),
    ("GET", "/C/log", ORGANISERS, "both"),
    # what a walk would spoil comes last
    ("POST", "/C/submissions/T/cancel", OWN, "both"),
    ("POST", "/C/team/leave", TEAMS, "both"),
]
BASES = {"page": ["/campaigns"], "api": ["/api/campaigns"], "both": ["/campaigns", "/api/campaigns"]}


def expected() -> list[tuple[str, str, set[str]]]:
    """All of them with their whole paths."""
    return [(method, base + path, who) for method, path, who, kind in ROUTES for base in BASES[kind]]
