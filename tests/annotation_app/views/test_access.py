"""Every route with every role. The permissions are listed here again, not taken from the table of routes."""

from __future__ import annotations

import pytest
from httpx2 import Response

import campaign_routes
from coindex.server.database import Store
from coindex.serving import RULES
from web_world import PEOPLE, Browser, World, add_attempts, make_world

EVERYBODY = set(PEOPLE)
USERS = EVERYBODY - {"nobody"}
MEMBERS = USERS - {"stranger"}
MANAGERS = {"manager", "administrator"}
REVIEWERS = MANAGERS | {"adjudicator"}
ROOT = {"administrator"}
WORKERS = {"annotator", "adjudicator", "manager"}

# method, path (with names of `World` in it), who may; @NAME is the layer or assignment of that person
EXPECTED: list[tuple[str, str, set[str]]] = [
    ("GET", "/login", EVERYBODY),
    ("POST", "/login", EVERYBODY),
    ("POST", "/logout", USERS),
    ("GET", "/setup/SECRET", {"nobody"}),
    ("POST", "/setup/SECRET", {"nobody"}),
    ("GET", "/invitations/SECRET", EVERYBODY),
    ("POST", "/invitations/SECRET", EVERYBODY),
    ("GET", "/passwords/SECRET", EVERYBODY),
    ("POST", "/passwords/SECRET", EVERYBODY),
    ("GET", "/account", USERS),
    ("POST", "/account/password", USERS),
    ("POST", "/account/tokens", USERS),
    ("POST", "/account/tokens/TOKEN/revoke", USERS),
    ("GET", "/users", ROOT),
    ("POST", "/users/invitations", ROOT),
    ("POST", "/users/USER/password", ROOT),
    ("POST", "/users/USER/active", ROOT),
    ("GET", "/history", ROOT),
    ("GET", "/", USERS),
    ("POST", "/projects", ROOT),
    ("GET", "/projects/P", MEMBERS),
    ("POST", "/projects/P", MANAGERS),
    ("POST", "/projects/P/invitations", MANAGERS),
    ("POST", "/projects/P/members/USER", MANAGERS),
    ("POST", "/projects/P/documents", MANAGERS),
    ("GET", "/projects/P/export", REVIEWERS),
    ("POST", "/projects/P/assignments", MANAGERS),
    ("POST", "/projects/P/assignments/@annotator/begin", {"annotator"}),
    ("POST", "/projects/P/assignments/@adjudicator/begin", {"adjudicator"}),
    ("POST", "/projects/P/assignments/@annotator", MANAGERS | {"annotator"}),
    ("POST", "/projects/P/assignments/@adjudicator", REVIEWERS),
    ("GET", "/projects/P/work", WORKERS),
    ("POST", "/projects/P/work/next", WORKERS),
    ("GET", "/projects/P/progress", MANAGERS),
    ("GET", "/projects/P/history", MANAGERS),
    ("GET", "/projects/P/dealing", MANAGERS),
    ("POST", "/projects/P/dealing", MANAGERS),
    ("GET", "/projects/P/settings", MANAGERS),
    ("POST", "/projects/P/settings/work", MANAGERS),
    ("POST", "/projects/P/settings/schema", MANAGERS),
    ("POST", "/projects/P/settings/assessment", MANAGERS),
    ("POST", "/projects/P/settings/shared", MANAGERS),
    ("GET", "/projects/P/schema", MEMBERS),
    ("GET", "/projects/P/assessment", MEMBERS - {"viewer"}),
    ("POST", "/projects/P/members/USER/exempt", MANAGERS),
    ("POST", "/projects/P/documents/D/assessment", MANAGERS),
    ("POST", "/projects/P/documents/D/attempts", WORKERS),
    ("GET", "/projects/P/attempts/@annotator", REVIEWERS | {"annotator"}),
    ("GET", "/projects/P/attempts/@adjudicator", REVIEWERS),
    ("POST", "/projects/P/attempts/@annotator/hand-in", {"annotator"}),
    ("POST", "/projects/P/attempts/@adjudicator/hand-in", {"adjudicator"}),
    ("POST", "/projects/P/attempts/@annotator/again", MANAGERS),
    ("POST", "/projects/P/documents/D/delete", MANAGERS),
    ("POST", "/projects/P/documents/D/layers", REVIEWERS),
    *(
        ("GET", f"/projects/P/documents/D/layers/@{owner}/{what}", who)
        for what in ("edit", "data", "shared", "operations", "export")
        for owner, who in (
            ("annotator", REVIEWERS | {"annotator"}),
            ("adjudicator", REVIEWERS),
            ("manager", REVIEWERS),
            ("gold", REVIEWERS | {"viewer"}),
        )
    ),
    ("POST", "/projects/P/documents/D/layers/@annotator/operations", {"annotator"}),
    ("POST", "/projects/P/documents/D/layers/@adjudicator/operations", {"adjudicator"}),
    ("POST", "/projects/P/documents/D/layers/@manager/operations", {"manager"}),
    ("POST", "/projects/P/documents/D/layers/@gold/operations", ROOT),
    ("POST", "/projects/P/documents/D/layers/@annotator/publish", REVIEWERS),
    ("POST", "/projects/P/imports", MANAGERS),
    ("GET", "/projects/P/imports/SECRET", MANAGERS),
    ("POST", "/projects/P/imports/SECRET", MANAGERS),
    ("GET", "/projects/P/agreement", REVIEWERS),
    ("GET", "/projects/P/quality", REVIEWERS),
    ("POST", "/projects/P/votes", REVIEWERS),
    ("GET", "/projects/P/suggestions", MANAGERS),
    ("POST", "/projects/P/suggestions", MANAGERS),
    ("GET", "/projects/P/documents/D/compare", REVIEWERS),
    ("POST", "/projects/P/documents/D/adjudications", REVIEWERS),
    *(
        (method, f"/projects/P/documents/D/layers/@{owner}/{what}", {"administrator"} if owner == "gold" else {owner})
        for owner in ("adjudicator", "manager", "gold")
        for method, what in (("GET", "adjudicate"), ("POST", "decisions"))
    ),
    *(("GET", f"/projects/P/documents/D/layers/@{owner}/origin", REVIEWERS) for owner in ("annotator", "gold")),
    *(
        (method, f"/projects/P/documents/D/layers/@{owner}/{what}", {"administrator"} if owner == "gold" else {owner})
        for owner in ("annotator", "adjudicator", "manager", "gold")
        for method, what in (
            ("POST", "finish"),
            ("GET", "suggestions"),
            ("POST", "suggestions"),
            ("POST", "suggestions/decide"),
        )
    ),
]
UNSAFE = [(method, path) for method, path, who in EXPECTED if method == "POST" and "administrator" in who]


@pytest.fixture
def world(store: Store) -> World:
    made = make_world(store)
    add_attempts(made)
    return made


def filled(path: str, world: World) -> str:
    parts = []
    for part in path.split("/"):
        names = {"P": world.project, "D": world.document, "USER": world.users["viewer"], "TOKEN": 1}
        if part.startswith("@"):
            kinds = {"assignments": world.assignments, "attempts": world.attempts}
            part = str(next((ids for kind, ids in kinds.items() if f"/{kind}/" in path), world.layers)[part[1:]])
        parts.append(str(names.get(part, part)))
    return "/".join(parts)


def browsers(world: World) -> dict[str, Browser]:
    found = {}
    for name in PEOPLE:
        found[name] = world.browser(None if name == "nobody" else name)
        found[name].see("/login")
    return found


def is_refused(response: Response) -> bool:
    """Not for the likes of you: to the login, not allowed, or as if it were not there."""
    is_login = response.status_code == 303 and response.headers["location"].startswith("/login?next=")
    return (
        is_login or response.status_code in (401, 404) or (response.status_code == 403 and "Your role" in response.text)
    )


def request(browser: Browser, method: str, path: str, *, token: bool = True) -> Response:
    if method == "GET":
        return browser.get(path, follow_redirects=False)
    given = browser.token if token else ""
    if path.endswith("/operations"):
        return browser.post(path, json={}, headers={"x-form-token": given})
    return browser.post(path, data={"form_token": given} if token else {}, follow_redirects=False)


def test_every_route_is_walked() -> None:
    def shape(path: str) -> tuple[str, ...]:
        marks = {"P", "D", "USER", "SECRET", "TOKEN"}
        return tuple("*" if p in marks or p.startswith(("@", "{")) else p for p in path.split("/"))

    def campaign_shape(path: str) -> tuple[str, ...]:
        marks = {"C", "S", "T", "M", "SECRET", "practice", "evaluation", "main", "main-metrics"}
        return tuple("*" if p in marks or p.startswith("{") else p for p in path.partition("?")[0].split("/"))

    walked = {(m, shape(path)) for m, path, _ in EXPECTED}
    walked |= {(m, campaign_shape(path)) for m, path, _ in campaign_routes.expected()}  # by test_campaign_access
    assert {(rule.method, shape(rule.path)) for rule in RULES} == walked
    assert len({(rule.method, rule.path) for rule in RULES}) == len(RULES)


def test_every_route_as_everybody(world: World) -> None:
    """The requests are empty, so those who may are told what is missing, and nothing changes on the way."""
    people = browsers(world)
    wrong = []
    for method, path, allowed in EXPECTED:
        if path == "/logout":
            continue  # it would end the walk; walked below
        for name, browser in people.items():
            response = request(browser, method, filled(path, world))
            assert response.status_code < 500, (name, method, path, response.text)
            if is_refused(response) != (name not in allowed):
                wrong.append((name, method, path, response.status_code))
    assert wrong == []


def test_who_is_logged_in_can_log_out(world: World) -> None:
    for name, browser in browsers(world).items():
        assert is_refused(request(browser, "POST", "/logout")) == (name == "nobody")
        assert browser.get("/account", follow_redirects=False).status_code == 303


@pytest.mark.parametrize("how", ["no token", "another's token", "other site", "other origin"])
def test_nothing_unsafe_is_done_without_the_token_of_a_page_of_ours(world: World, how: str) -> None:
    browser, other = world.browser("administrator"), world.browser("manager")
    other.see("/")
    headers = {}
    if how == "another's token":
        browser.token = other.token
    elif how == "other site":
        headers = {"sec-fetch-site": "cross-site"}
    elif how == "other origin":
        headers = {"origin": "http://elsewhere"}
    browser.headers.update(headers)
    for method, path in UNSAFE:
        response = request(browser, method, filled(path, world), token=how != "no token")
        assert response.status_code == 403, (path, response.text)
        assert "form token" in response.text or "another site" in response.text


def test_parts_of_another_project_are_not_there(world: World) -> None:
    from coindex.annotation_app import projects

    with world.store.write() as session:
        other = projects.add_project(session, "Dogs", manager=world.users["manager"]).id
    browser = world.browser("manager")
    layer = world.layers["annotator"]
    assert browser.get(f"/projects/{other}/documents/{world.document}/layers/{layer}/data").status_code == 404
    assert browser.submit(f"/projects/{other}/documents/{world.document}/delete", name="cats").status_code == 404
    assert browser.submit(f"/projects/{other}/assignments/{world.assignments['annotator']}").status_code == 404


def test_the_project_page_shows_to_each_what_they_may_see(world: World) -> None:
    with world.store.write() as session:
        from coindex.annotation_app.models import Layer

        for name, layer in world.layers.items():
            session.get_one(Layer, layer).name = f"layer-of-{name}"
    seen = {}
    for name in ("viewer", "annotator", "adjudicator", "manager", "administrator"):
        text = world.browser(name).see(f"/projects/{world.project}")
        seen[name] = {owner for owner in world.layers if f"layer-of-{owner}<" in text}
    everything = set(world.layers)
    assert seen == {
        "viewer": {"gold"},
        "annotator": {"annotator"},
        "adjudicator": everything,
        "manager": everything,
        "administrator": everything,
    }
