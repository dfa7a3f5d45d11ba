"""Every route of accounts with those who may call it. A test walks all routes as everybody."""

from __future__ import annotations

from .account_pages import (
    account_page,
    change_password,
    invitation_page,
    invite_user,
    join,
    login,
    login_page,
    logout,
    make,
    new_password,
    password_link,
    password_page,
    revoke,
    set_active,
    set_up,
    setup_page,
    users_page,
)
from .calls import ADMINISTRATOR, EVERYBODY, NOBODY, USERS, Rule

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
