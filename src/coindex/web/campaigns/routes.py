"""Every way into campaigns with those who may take it, by page and by API alike.

What a phase hides from somebody who may come here is decided below, by `coindex.api.campaign_server`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..access import (
    ADMINISTRATOR,
    EVERYBODY,
    INVOLVED,
    MEGABYTE,
    ORGANISERS,
    PARTICIPANTS,
    WORLD,
    Rule,
    Who,
)
from ..calls import Call
from . import checking, findings, joining, organising, public, schedule, submissions, team
from .answers import Way

ONE = "/{campaign:int}"
PHASE = f"{ONE}/phases/{{phase}}"
SUBMISSION = f"{ONE}/submissions/{{submission:int}}"
SAMPLE = f"{ONE}/samples/{{sample:int}}"
KEY = 500 * MEGABYTE
UPLOAD = 100 * MEGABYTE
NEWCOMERS: frozenset[Who] = frozenset({"nobody", "stranger"})


def see(path: str, do: Callable[[Call], Any], who: frozenset[Who], template: str = "", **options: Any) -> Way:
    return Way(method="GET", path=path, do=do, who=who, template=template, **options)


def act(path: str, do: Callable[[Call], Any], who: frozenset[Who], to: str = "", **options: Any) -> Way:
    return Way(method="POST", path=path, do=do, who=who, to=to, **options)


def upload(path: str, do: Callable[[Call], Any], who: frozenset[Who], most: int = UPLOAD, **options: Any) -> Way:
    return Way(method="POST", path=path, do=do, who=who, body="upload", most=most, **options)


def _refused(found: Any) -> int:
    return 200 if found.submission is not None else 422


WAYS = (
    see("", public.campaigns_page, EVERYBODY, "list"),
    see("/new", organising.new_page, ADMINISTRATOR, "new", is_data=False),
    upload("", organising.create, ADMINISTRATOR, MEGABYTE, answer=organising.to_manage, failure=organising.not_created),
    see("/invitations/{secret}", joining.invitation_page, EVERYBODY, "join"),
    act("/invitations/{secret}", joining.join, EVERYBODY, answer=joining.to_team, hashes=True),
    # everybody
    see(ONE, public.campaign_page, WORLD, "campaign"),
    see(f"{PHASE}/boards/{{track}}", public.board, WORLD),
    see(f"{PHASE}/key", organising.download_key, WORLD),
    see(f"{ONE}/register", joining.registration_page, NEWCOMERS, "register"),
    act(f"{ONE}/register", joining.register, NEWCOMERS, answer=joining.to_team, hashes=True),
    # teams
    see(f"{ONE}/team", team.team_page, PARTICIPANTS, "team"),
    act(f"{ONE}/team/name", team.rename, PARTICIPANTS, "/team"),
    act(f"{ONE}/team/invitations", team.invite_member, PARTICIPANTS, answer=team.show_link),
    act(f"{ONE}/team/members/remove", team.remove_member, PARTICIPANTS, "/team"),
    act(f"{ONE}/team/leave", team.leave, PARTICIPANTS),
    act(f"{PHASE}/input", team.download_input, INVOLVED),
    upload(f"{PHASE}/submissions", team.submit, PARTICIPANTS, answer=team.after_submit, status=_refused),
    upload(f"{PHASE}/checks", team.check, INVOLVED, answer=team.after_check),
    see(f"{ONE}/runs", team.runs_page, PARTICIPANTS, "runs"),
    see(f"{ONE}/submissions", submissions.submissions_page, INVOLVED, "submissions"),
    see(SUBMISSION, submissions.submission_page, INVOLVED, "submission"),
    see(f"{SUBMISSION}/state", submissions.submission_state, INVOLVED, is_page=False),
    see(f"{SUBMISSION}/errors", submissions.errors_page, INVOLVED, "errors"),
    see(f"{SUBMISSION}/file", submissions.file, INVOLVED),
    act(f"{SUBMISSION}/cancel", submissions.cancel, INVOLVED, "/submissions"),
    act(f"{SUBMISSION}/choose", submissions.choose, INVOLVED, "/submissions"),
    act(f"{SUBMISSION}/retry", submissions.retry, ORGANISERS, "/submissions"),
    # organisers
    see(f"{ONE}/manage", organising.manage_page, ORGANISERS, "manage"),
    see(f"{ONE}/definition", organising.definition_page, ORGANISERS, "definition"),
    act(
        f"{ONE}/definition",
        organising.save_definition,
        ORGANISERS,
        "/definition",
        most=MEGABYTE,
        failure=organising.not_saved,
    ),
    see(f"{ONE}/schedule", schedule.schedule_page, ORGANISERS, "schedule"),
    act(f"{PHASE}/rules", schedule.change_rules, ORGANISERS, "/schedule"),
    act(f"{ONE}/published", organising.set_published, ORGANISERS, "/manage"),
    act(f"{ONE}/registration", organising.set_registration, ORGANISERS, "/manage"),
    act(f"{ONE}/organisers", organising.add_organiser, ORGANISERS, "/manage"),
    act(f"{ONE}/organisers/remove", organising.remove_organiser, ORGANISERS, "/manage"),
    upload(f"{PHASE}/key", organising.upload_key, ORGANISERS, KEY, answer=organising.to_preview),
    see(f"{PHASE}/preview", organising.preview_page, ORGANISERS, "preview"),
    see(f"{ONE}/teams", organising.teams_page, ORGANISERS, "teams"),
    act(f"{ONE}/teams/invitations", organising.invite_team, ORGANISERS, answer=team.show_link),
    see(f"{ONE}/checking", checking.checking_page, ORGANISERS, "checking"),
    act(f"{ONE}/switches", checking.switch_chain, ORGANISERS, "/checking"),
    act(f"{ONE}/rescore", checking.rescore, ORGANISERS, "/submissions"),
    act(f"{ONE}/samples", checking.request_sample, ORGANISERS, "/checking"),
    see(SAMPLE, checking.sample_page, ORGANISERS, "sample"),
    act(f"{SAMPLE}/verdicts", checking.give_verdicts, ORGANISERS, answer=checking.to_sample, most=MEGABYTE),
    see(f"{ONE}/findings", findings.findings_page, ORGANISERS, "findings"),
    act(f"{PHASE}/findings", findings.request, ORGANISERS, "/findings"),
    see(f"{PHASE}/findings", findings.tables, ORGANISERS),
    see(f"{PHASE}/figures/{{name}}", findings.figure, ORGANISERS),
    see(f"{ONE}/log", organising.log_page, ORGANISERS, "log"),
)
CAMPAIGN_RULES: tuple[Rule, ...] = tuple(rule for way in WAYS for rule in way.rules())
