"""How teams come in: registration, and invitations that work once."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...api.campaign_server import organising, teams
from ...store import accounts
from ...store.models import User
from ..accounts import logged_in, written_twice
from ..calls import Call
from ..pages import go


def registration_page(call: Call) -> dict[str, Any]:
    info = organising.get_campaign(call.state.campaigns, call.seen_by)
    return {"title": f"Take part in {info.definition.shown_title}", "registration": info.registration}


def register(call: Call) -> dict[str, Any]:
    """A new team; whoever is not logged in makes an account with it."""
    server, viewer = call.state.campaigns, call.seen_by
    if call.user is not None:
        return {"team": teams.register_team(server, viewer, call.text("team"))}
    call.state.limits.check(call.address)
    user = teams.sign_up(server, viewer.campaign, **_account(call))
    return {"user": user.name, "campaign": viewer.campaign, "account": user.id}


def invitation_page(call: Call) -> dict[str, Any]:
    call.state.limits.check(call.address)
    found = teams.find_invitation(call.state.campaigns, call.path("secret"))
    return {"title": "Invitation", "invitation": found}


def join(call: Call) -> dict[str, Any]:
    """Into a team, or with a new one, by a link."""
    call.state.limits.check(call.address)
    server, secret = call.state.campaigns, call.path("secret")
    campaign = teams.find_invitation(server, secret).campaign
    if call.user is not None:
        return {"campaign": campaign, "team": teams.join(server, secret, call.user.id, team_name=call.text("team"))}
    user = teams.sign_up_invited(server, secret, **_account(call))
    return {"user": user.name, "campaign": campaign, "account": user.id}


def _account(call: Call) -> dict[str, str]:
    """What a new account needs. Pages ask for the password twice; a program that sends it once means it."""
    once = call.rule.is_api and "again" not in call.fields
    password = accounts.hash_password(call.text("password")) if once else written_twice(call)
    return {"user_name": call.text("name"), "password": password, "team_name": call.text("team")}


def to_team(call: Call, found: dict[str, Any]) -> Response:
    """To the page of one's team, logged in."""
    campaign = found.get("campaign", call.request.path_params.get("campaign"))
    path = f"/campaigns/{campaign}/team"
    if call.user is not None:
        return go(path)
    with call.store.read() as session:
        user = session.get_one(User, found["account"])
    return logged_in(call, user, path)


def link(call: Call, secret: str) -> dict[str, Any]:
    """The link of an invitation, told once."""
    return {"link": f"{call.request.base_url}campaigns/invitations/{secret}", "days": accounts.LINK_DAYS}
