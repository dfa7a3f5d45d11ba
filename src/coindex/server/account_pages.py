"""Account pages: login, one-time links, users and API tokens, with their routes."""

from __future__ import annotations

from datetime import timedelta

from starlette.responses import Response

from ..errors import CoindexError, UnknownNameError
from . import accounts, models
from .accounts import name_key
from .calls import ADMINISTRATOR, EVERYBODY, NOBODY, NOT_THERE, USERS, Call, Refused, Rule, go, show
from .models import Project, TokenPurpose, User
from .security import SESSION, Limiter, drop_cookie, get_cookie, set_cookie

LASTS = {"30": "30 days", "90": "90 days", "365": "one year", "0": "until revoked"}
"""How long a token is valid, in days."""


def make(call: Call) -> Response:
    days = call.text("days")
    if days not in LASTS:
        raise UnknownNameError("validity of a token", days, LASTS)
    at = call.state.clock()
    expires = at + timedelta(days=int(days)) if days != "0" else None
    with call.store.write() as session:
        secret = accounts.make_token(session, call.user_id, call.text("name"), at=at, expires=expires)
        models.record(session, "token made", user=call.user_id)
    return show(call, "token.html", title="Your new token", secret=secret, base_url=str(call.request.base_url))


def revoke(call: Call) -> Response:
    with call.store.write() as session:
        accounts.revoke_token(session, call.user_id, int(call.path("token")))
        models.record(session, "token revoked", user=call.user_id)
    return go("/account")


QUARTER = 15 * 60


class Limits:
    """Limits of login attempts: by name and address, by name, and by address."""

    def __init__(self) -> None:
        self.name_and_address = Limiter(10, QUARTER)
        self.name = Limiter(100, QUARTER)
        self.address = Limiter(100, QUARTER)

    def check(self, address: str, name: str | None = None) -> None:
        waits = [self.address.wait(address)]
        if name is not None:
            waits += [self.name.wait(name), self.name_and_address.wait(f"{address} {name}")]
        if longest := max(waits):
            raise Refused(429, f"Too many attempts; try again in {longest // 60 + 1} minutes.", wait=longest)


def login_page(call: Call) -> Response:
    return show(call, "login.html", title="Log in", next=_local_path(call.query("next")), error="", name="")


def login(call: Call) -> Response:
    name = call.text("name")
    call.state.limits.check(call.address, name_key(name)[:200])
    with call.store.read() as session:
        user = accounts.find_user(session, name)
    if not accounts.check_password(user, call.text("password")) or user is None:
        error = "Wrong name or password."
        response = show(
            call, "login.html", title="Log in", next=_local_path(call.text("next")), error=error, name=name[:100]
        )
        response.status_code = 403
        return response
    call.state.limits.name_and_address.forget(f"{call.address} {user.key}")
    return start_session(call, user, _local_path(call.text("next")))


def _local_path(path: str) -> str:
    """Return the path if it is on this server, otherwise "/"."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_ours else "/"


def start_session(call: Call, user: User, path: str) -> Response:
    """Replace the session of the browser by a new one."""
    with call.store.write() as session:
        if old := get_cookie(call.request, SESSION):
            accounts.end_session(session, old)
        secret = accounts.start_session(session, user)
    response = go(path)
    set_cookie(call.request, response, SESSION, secret)
    return response


def logout(call: Call) -> Response:
    secret = get_cookie(call.request, SESSION)
    if secret:
        with call.store.write() as session:
            accounts.end_session(session, secret)
    response = go("/login")
    drop_cookie(call.request, response, SESSION)
    return response


# --- one-time links


def setup_page(call: Call) -> Response:
    call.state.limits.check(call.address)
    with call.store.read() as session:
        accounts.find_link(session, call.path("secret"), "setup")
    return show(
        call,
        "account.html",
        title="Create the administrator",
        about="This account has all permissions.",
        asks_name=True,
    )


def set_up(call: Call) -> Response:
    call.state.limits.check(call.address)
    password = _new_password(call, "setup")
    with call.store.write() as session:
        user = accounts.set_up(session, call.path("secret"), call.text("name"), password)
    return start_session(call, user, "/")


def invitation_page(call: Call) -> Response:
    call.state.limits.check(call.address)
    with call.store.read() as session:
        token = accounts.find_link(session, call.path("secret"), "invitation")
        project = session.get(Project, token.project_id) if token.project_id else None
    about = f"You are invited to the project “{project.name}” as {token.role}." if project else "You are invited."
    return show(call, "account.html", title="Invitation", about=about, asks_name=True)


def join(call: Call) -> Response:
    call.state.limits.check(call.address)
    password = _new_password(call, "invitation") if call.user is None else ""
    with call.store.write() as session:
        user = accounts.accept_invitation(
            session, call.path("secret"), user=call.user, name=call.text("name"), password=password
        )
    return go("/") if call.user is not None else start_session(call, user, "/")


def password_page(call: Call) -> Response:
    call.state.limits.check(call.address)
    with call.store.read() as session:
        accounts.find_link(session, call.path("secret"), "password")
    return show(call, "account.html", title="New password", about="Choose a new password.", asks_name=False)


def new_password(call: Call) -> Response:
    call.state.limits.check(call.address)
    password = _new_password(call, "password")
    with call.store.write() as session:
        user = accounts.reset_password(session, call.path("secret"), password)
    return start_session(call, user, "/")


def _new_password(call: Call, purpose: TokenPurpose) -> accounts.PasswordHash:
    """Return the hash of the new password, after checking that the link is valid."""
    with call.store.read() as session:
        accounts.find_link(session, call.path("secret"), purpose)
    return read_new_password(call)


def read_new_password(call: Call) -> accounts.PasswordHash:
    if call.text("password") != call.text("again"):
        raise CoindexError("the two passwords differ; enter the same password twice", code="invalid-password")
    return accounts.hash_password(call.text("password"))


# --- the user's account


def account_page(call: Call) -> Response:
    with call.store.read() as session:
        tokens = accounts.tokens(session, call.user_id)
    return show(call, "own.html", title="Your account", tokens=tokens, lasts=LASTS)


def change_password(call: Call) -> Response:
    user = call.user
    assert user is not None
    call.state.limits.check(call.address, user.key)
    if not accounts.check_password(user, call.text("old")):
        raise CoindexError("wrong old password; try again", code="wrong-password")
    password = read_new_password(call)
    with call.store.write() as session:
        accounts.set_password(session, session.get_one(User, user.id), password)
        models.record(session, "password changed", user=user.id)
    return start_session(call, user, "/account")


# --- all users


def users_page(call: Call) -> Response:
    with call.store.read() as session:
        users = accounts.users(session)
    return show(call, "users.html", title="Users", users=users)


def invite_user(call: Call) -> Response:
    with call.store.write() as session:
        secret = accounts.make_link(session, "invitation", by=call.user_id)
        models.record(session, "invited", user=call.user_id)
    return show_link(call, "invitations", secret, back="/users")


def password_link(call: Call) -> Response:
    with call.store.write() as session:
        user = _require_user(call, session.get(User, call.request.path_params["user"]))
        secret = accounts.make_link(session, "password", by=call.user_id, user=user.id)
        models.record(session, "password link", user=call.user_id, of=user.id)
    return show_link(call, "passwords", secret, back="/users")


def set_active(call: Call) -> Response:
    active = call.flag("active")
    with call.store.write() as session:
        user = _require_user(call, session.get(User, call.request.path_params["user"]))
        accounts.set_active(session, user, active)
        models.record(session, "opened" if active else "locked", user=call.user_id, of=user.id)
    return go("/users")


def _require_user(call: Call, user: User | None) -> User:
    if user is None:
        raise Refused(404, NOT_THERE)
    return user


def show_link(call: Call, kind: str, secret: str, *, back: str) -> Response:
    """Show a link once; only its hash is stored."""
    link = f"{call.request.base_url}{kind}/{secret}"
    return show(call, "link.html", title="Link", link=link, days=accounts.LINK_DAYS, back=back)


ACCOUNT_RULES: tuple[Rule, ...] = (
    Rule("GET", "/login", login_page, EVERYBODY),
    Rule("POST", "/login", login, EVERYBODY, hashes=True),
    Rule("POST", "/logout", logout, USERS),
    Rule("GET", "/setup/{secret}", setup_page, NOBODY),
    Rule("POST", "/setup/{secret}", set_up, NOBODY, hashes=True),
    Rule("GET", "/invitations/{secret}", invitation_page, EVERYBODY),
    Rule("POST", "/invitations/{secret}", join, EVERYBODY, hashes=True),
    Rule("GET", "/passwords/{secret}", password_page, EVERYBODY),
    Rule("POST", "/passwords/{secret}", new_password, EVERYBODY, hashes=True),
    Rule("GET", "/account", account_page, USERS),
    Rule("POST", "/account/password", change_password, USERS, hashes=True),
    Rule("POST", "/account/tokens", make, USERS),
    Rule("POST", "/account/tokens/{token:int}/revoke", revoke, USERS),
    Rule("GET", "/users", users_page, ADMINISTRATOR),
    Rule("POST", "/users/invitations", invite_user, ADMINISTRATOR),
    Rule("POST", "/users/{user:int}/password", password_link, ADMINISTRATOR),
    Rule("POST", "/users/{user:int}/active", set_active, ADMINISTRATOR),
)
