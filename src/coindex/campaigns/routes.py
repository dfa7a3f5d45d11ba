"""All routes of campaigns, as pages and in the API, with the roles that may use them.

What a phase hides from a role is decided by the functions that the handlers call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..server.calls import ADMINISTRATOR, EVERYBODY, INVOLVED, MEGABYTE, ORGANISERS, PARTICIPANTS, WORLD, Rule, Who
from .views import answers, key_review, organisers, teams
from .views.answers import CampaignCall, Way

CAMPAIGN = "/{campaign:int}"
PHASE = f"{CAMPAIGN}/phases/{{phase}}"
SUBMISSION = f"{CAMPAIGN}/submissions/{{submission:int}}"
SAMPLE = f"{CAMPAIGN}/samples/{{sample:int}}"
KEY = 500 * MEGABYTE
UPLOAD = 100 * MEGABYTE
NEWCOMERS: frozenset[Who] = frozenset({"nobody", "stranger"})


def see(path: str, do: Callable[[CampaignCall], Any], who: frozenset[Who], template: str = "", **options: Any) -> Way:
    return Way(method="GET", path=path, do=do, who=who, template=template, **options)


def act(path: str, do: Callable[[CampaignCall], Any], who: frozenset[Who], to: str = "", **options: Any) -> Way:
    return Way(method="POST", path=path, do=do, who=who, to=to, **options)


def upload(
    path: str, do: Callable[[CampaignCall], Any], who: frozenset[Who], most: int = UPLOAD, **options: Any
) -> Way:
    return Way(method="POST", path=path, do=do, who=who, body="upload", most=most, **options)


def _choose_status(receipt: Any) -> int:
    return 200 if receipt.submission is not None else 422


WAYS = (
    see("", answers.campaigns_page, EVERYBODY, "list"),
    see("/new", organisers.new_page, ADMINISTRATOR, "new", is_data=False),
    upload(
        "",
        organisers.create,
        ADMINISTRATOR,
        MEGABYTE,
        answer=organisers.to_manage,
        failure=organisers.show_creation_error,
    ),
    see("/invitations/{secret}", teams.invitation_page, EVERYBODY, "join"),
    act("/invitations/{secret}", teams.join, EVERYBODY, answer=teams.to_team, hashes=True),
    # everybody
    see(CAMPAIGN, answers.campaign_page, WORLD, "campaign"),
    see(f"{PHASE}/boards/{{track}}", answers.board, WORLD),
    see(f"{PHASE}/key", organisers.download_key, WORLD),
    see(f"{CAMPAIGN}/register", teams.registration_page, NEWCOMERS, "register"),
    act(f"{CAMPAIGN}/register", teams.register, NEWCOMERS, answer=teams.to_team, hashes=True),
    # teams
    see(f"{CAMPAIGN}/team", teams.team_page, PARTICIPANTS, "team"),
    act(f"{CAMPAIGN}/team/name", teams.rename, PARTICIPANTS, "/team"),
    act(f"{CAMPAIGN}/team/invitations", teams.invite_member, PARTICIPANTS, answer=teams.show_link),
    act(f"{CAMPAIGN}/team/members/remove", teams.remove_member, PARTICIPANTS, "/team"),
    act(f"{CAMPAIGN}/team/leave", teams.leave, PARTICIPANTS),
    act(f"{PHASE}/input", teams.download_input, INVOLVED),
    upload(f"{PHASE}/submissions", teams.submit, PARTICIPANTS, answer=teams.after_submit, status=_choose_status),
    upload(f"{PHASE}/checks", teams.check, INVOLVED, answer=teams.after_check),
    see(f"{CAMPAIGN}/runs", teams.runs_page, PARTICIPANTS, "runs"),
    see(f"{CAMPAIGN}/submissions", teams.submissions_page, INVOLVED, "submissions"),
    see(SUBMISSION, teams.submission_page, INVOLVED, "submission"),
    see(f"{SUBMISSION}/state", teams.submission_state, INVOLVED, is_page=False),
    see(f"{SUBMISSION}/errors", teams.errors_page, INVOLVED, "errors"),
    see(f"{SUBMISSION}/file", teams.file, INVOLVED),
    act(f"{SUBMISSION}/cancel", teams.cancel, INVOLVED, "/submissions"),
    act(f"{SUBMISSION}/choose", teams.choose, INVOLVED, "/submissions"),
    act(f"{SUBMISSION}/retry", teams.retry, ORGANISERS, "/submissions"),
    # organisers
    see(f"{CAMPAIGN}/manage", organisers.manage_page, ORGANISERS, "manage"),
    see(f"{CAMPAIGN}/definition", organisers.definition_page, ORGANISERS, "definition"),
    act(
        f"{CAMPAIGN}/definition",
        organisers.save_definition,
        ORGANISERS,
        "/definition",
        most=MEGABYTE,
        failure=organisers.show_saving_error,
    ),
    see(f"{CAMPAIGN}/schedule", organisers.schedule_page, ORGANISERS, "schedule"),
    act(f"{PHASE}/rules", organisers.change_rules, ORGANISERS, "/schedule"),
    act(f"{CAMPAIGN}/published", organisers.set_published, ORGANISERS, "/manage"),
    act(f"{CAMPAIGN}/registration", organisers.set_registration, ORGANISERS, "/manage"),
    act(f"{CAMPAIGN}/organisers", organisers.add_organiser, ORGANISERS, "/manage"),
    act(f"{CAMPAIGN}/organisers/remove", organisers.remove_organiser, ORGANISERS, "/manage"),
    upload(f"{PHASE}/key", organisers.upload_key, ORGANISERS, KEY, answer=organisers.to_preview),
    see(f"{PHASE}/preview", organisers.preview_page, ORGANISERS, "preview"),
    see(f"{CAMPAIGN}/teams", organisers.teams_page, ORGANISERS, "teams"),
    act(f"{CAMPAIGN}/teams/invitations", organisers.invite_team, ORGANISERS, answer=teams.show_link),
    see(f"{CAMPAIGN}/checking", key_review.key_review_page, ORGANISERS, "checking"),
    act(f"{CAMPAIGN}/switches", key_review.switch_chain, ORGANISERS, "/checking"),
    act(f"{CAMPAIGN}/rescore", key_review.rescore, ORGANISERS, "/submissions"),
    act(f"{CAMPAIGN}/samples", key_review.request_sample, ORGANISERS, "/checking"),
    see(SAMPLE, key_review.sample_page, ORGANISERS, "sample"),
    act(f"{SAMPLE}/verdicts", key_review.give_verdicts, ORGANISERS, answer=key_review.to_sample, most=MEGABYTE),
    see(f"{CAMPAIGN}/findings", key_review.findings_page, ORGANISERS, "findings"),
    act(f"{PHASE}/findings", key_review.request, ORGANISERS, "/findings"),
    see(f"{PHASE}/findings", key_review.tables, ORGANISERS),
    see(f"{PHASE}/figures/{{name}}", key_review.figure, ORGANISERS),
    see(f"{CAMPAIGN}/log", organisers.log_page, ORGANISERS, "log"),
)
CAMPAIGN_RULES: tuple[Rule, ...] = tuple(rule for way in WAYS for rule in way.rules())
