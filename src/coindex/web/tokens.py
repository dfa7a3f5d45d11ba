"""API tokens on the page of one's account: made, shown once, revoked."""

from __future__ import annotations

from datetime import timedelta

from starlette.responses import Response

from ..errors import UnknownNameError
from ..store import api_tokens, audit
from .calls import Call
from .pages import go, show

LASTS = {"30": "30 days", "90": "90 days", "365": "a year", "0": "until it is revoked"}
"""How long a token may hold, in days."""


def make(call: Call) -> Response:
    days = call.text("days")
    if days not in LASTS:
        raise UnknownNameError("time that a token holds", days, LASTS)
    at = call.state.clock()
    expires = at + timedelta(days=int(days)) if days != "0" else None
    with call.store.write() as session:
        secret = api_tokens.make_token(session, call.user_id, call.text("name"), at=at, expires=expires)
        audit.record(session, "token made", user=call.user_id)
    return show(call, "token.html", title="Your new token", secret=secret, base_url=str(call.request.base_url))


def revoke(call: Call) -> Response:
    with call.store.write() as session:
        api_tokens.revoke_token(session, call.user_id, int(call.path("token")))
        audit.record(session, "token revoked", user=call.user_id)
    return go("/account")
