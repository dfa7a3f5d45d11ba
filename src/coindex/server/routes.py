"""Every route of accounts with those who may call it. A test walks all routes as everybody."""

from __future__ import annotations

from . import account_pages
from .calls import ADMINISTRATOR, EVERYBODY, NOBODY, USERS, Rule

ACCOUNT_RULES: tuple[Rule, ...] = (
    Rule("GET", "/login", account_pages.login_page, EVERYBODY),
    Rule("POST", "/login", account_pages.login, EVERYBODY, hashes=True),
    Rule("POST", "/logout", account_pages.logout, USERS),
    Rule("GET", "/setup/{secret}", account_pages.setup_page, NOBODY),
    Rule("POST", "/setup/{secret}", account_pages.set_up, NOBODY, hashes=True),
    Rule("GET", "/invitations/{secret}", account_pages.invitation_page, EVERYBODY),
    Rule("POST", "/invitations/{secret}", account_pages.join, EVERYBODY, hashes=True),
    Rule("GET", "/passwords/{secret}", account_pages.password_page, EVERYBODY),
    Rule("POST", "/passwords/{secret}", account_pages.new_password, EVERYBODY, hashes=True),
    Rule("GET", "/account", account_pages.account_page, USERS),
    Rule("POST", "/account/password", account_pages.change_password, USERS, hashes=True),
    Rule("POST", "/account/tokens", account_pages.make, USERS),
    Rule("POST", "/account/tokens/{token:int}/revoke", account_pages.revoke, USERS),
    Rule("GET", "/users", account_pages.users_page, ADMINISTRATOR),
    Rule("POST", "/users/invitations", account_pages.invite_user, ADMINISTRATOR),
    Rule("POST", "/users/{user:int}/password", account_pages.password_link, ADMINISTRATOR),
    Rule("POST", "/users/{user:int}/active", account_pages.set_active, ADMINISTRATOR),
)
