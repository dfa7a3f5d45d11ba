"""Every route of campaigns as everybody; API tokens; nothing that a phase hides is in any answer, header or log."""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response

from campaign_pages import DAYS, TEAMS, CampaignWorld, Program, fill_campaign, make_campaign
from campaign_routes import expected
from coindex.annotation_app.layers import open_store
from coindex.campaigns.routes import CAMPAIGN_RULES
from coindex.server import accounts
from web_world import BASE, Browser

A, B = TEAMS
PEOPLE = {
    "nobody": None,
    "stranger": "stranger",
    "participant": A,
    "other": B,
    "organiser": "olga",
    "administrator": "root",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CampaignWorld]:
    """For tests that look; those that change something make their own."""
    store = open_store(tmp_path_factory.mktemp("campaigns") / "web.db")
    made = CampaignWorld(store)
    fill_campaign(made)
    yield made
    made.close()
    store.close()


def filled(path: str, world: CampaignWorld) -> str:
    sample = world.program("olga").find(f"/{world.campaign}/checking")["samples"][0]["id"]
    names = {
        "C": world.campaign,
        "S": world.submissions[A, "practice"],
        "T": world.submissions[A, "evaluation"],
        "M": sample,
    }
    path, _, query = path.partition("?")
    return "/".join(str(names.get(part, part)) for part in path.split("/")) + (f"?{query}" if query else "")


# --- who may what


def is_refused(response: Response) -> bool:
    is_login = response.status_code == 303 and response.headers["location"].startswith("/login?next=")
    role = response.status_code == 403 and "Your role" in response.text
    return is_login or role or response.status_code in (401, 404)


# --- what is seen when


def rule_paths(world: CampaignWorld, method: str) -> list[str]:
    """Every route of the app, filled with everything that can stand in it."""
    values: dict[str, list[Any]] = {
        "{campaign:int}": [world.campaign],
        "{phase}": ["practice", "evaluation", "after", "reveal"],
        "{track}": ["main"],
        "{submission:int}": list(world.submissions.values()),
        "{sample:int}": [world.program("olga").find(f"/{world.campaign}/checking")["samples"][0]["id"]],
        "{secret}": ["SECRET"],
        "{name}": ["main-metrics"],
    }
    found = []
    for rule in CAMPAIGN_RULES:
        if rule.method == method:
            paths = [rule.path]
            for name, all_values in values.items():
                paths = [path.replace(name, str(value)) for path in paths for value in all_values]
            assert "{" not in paths[0], f"{rule.path}: say what can stand in it"
            found += [path + query for path in dict.fromkeys(paths) for query in queries(path)]
    return found


def queries(path: str) -> list[str]:
    """Every format of one phase's board; of the others what programs read."""
    if "/boards/" in path:
        forms = ("json", "csv", "html", "markdown", "latex", "text") if "/evaluation/" in path else ("json",)
        return [f"?format={form}" for form in forms]
    return ["?track=main&dataset=x&document=x"] if path.endswith("/errors") else [""]


def told(response: Response) -> str:
    """All that an answer says: headers, text, and what is in an archive."""
    text = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
    if response.content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
            parts = [name + archive.read(name).decode() for name in archive.namelist()]
        return "\n".join([text, *parts])
    return f"{text}\n{response.content.decode('utf-8', 'replace')}"


def secrets_of(world: CampaignWorld) -> dict[str, list[str]]:
    """Everything that may be hidden: what it is called here, and how it would look."""
    found = {f"{who} name": [name] for who, name in zip("AB", TEAMS.values(), strict=True)}
    for who, member in zip("AB", TEAMS, strict=True):
        found[f"{who} member"] = [f">{member}<", f'"{member}"']
        found[f"{who} file"] = [f"{member}-file"]
        for phase in ("practice", "evaluation"):
            found[f"{who} {phase} run"] = [f"{member}-{phase}-run"]
    for one in world.program("olga").find(f"/{world.campaign}/submissions")["submissions"]:
        who = "A" if one["team"] == TEAMS[A] else "B"
        score = one["scores"]["main"]
        found[f"{who} {one['phase']} score"] = [f"{100 * score:.2f}", repr(score)[:9]]
    for phase in ("practice", "evaluation"):
        found[f"{phase} key"] = [f"{phase}key"]
    return found


ALWAYS_A = {"A name", "A member", "A file", "A practice run", "A evaluation run"}
PUBLIC = {
    "after": {"A evaluation score", "B evaluation score"},
    "reveal": {"A evaluation score", "B evaluation score", "A name", "B name", "evaluation key"}
    | {"A evaluation run", "B evaluation run"},
}
BEGUN = {"A practice score", "practice key"}
SEEN: dict[str, dict[str, set[str]]] = {
    "nobody": {moment: PUBLIC.get(moment, set()) for moment in DAYS},
    "stranger": {moment: PUBLIC.get(moment, set()) for moment in ("practice", "gap", "reveal")},
    "participant": {
        "before": ALWAYS_A,
        "practice": ALWAYS_A | BEGUN | {"B name"},
        "evaluation": ALWAYS_A | BEGUN,
        "gap": ALWAYS_A | BEGUN,
        "after": ALWAYS_A | BEGUN | PUBLIC["after"] | {"evaluation key"},  # in the errors of one's own documents
        "reveal": ALWAYS_A | BEGUN | PUBLIC["reveal"],
    },
}


def clients(world: CampaignWorld, who: str) -> tuple[Browser, Any]:
    """The same person with a browser, and with a program."""
    name = PEOPLE[who]
    browser = world.browser(name)
    return browser, browser if name is None else world.program(name)


def walk(world: CampaignWorld, who: str) -> Iterator[tuple[str, Response]]:
    """Every answer that somebody can get without changing anything."""
    browser, program = clients(world, who)
    for path in rule_paths(world, "GET"):
        client = program if path.startswith("/api") else browser
        yield path, client.get(path, follow_redirects=False)
    if who == "organiser":
        return
    browser.see("/login")
    for path in rule_paths(world, "POST"):
        if not path.endswith("/leave"):
            is_api = path.startswith("/api") and PEOPLE[who] is not None
            data = {} if is_api else {"form_token": browser.token}
            yield path, (program if is_api else browser).post(path, data=data, follow_redirects=False)


@pytest.mark.parametrize("who", SEEN)
def test_no_response_reveals_what_a_phase_hides(
    world: CampaignWorld, who: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Of what could be hidden exactly that is found which the phase shows."""
    caplog.set_level(logging.DEBUG)
    known = secrets_of(world)
    for moment, allowed in SEEN[who].items():
        world.at(moment)
        seen: dict[str, str] = {}
        for path, response in walk(world, who):
            assert response.status_code < 500, (path, response.text)
            text = told(response)
            for name, looks in known.items():
                if any(look in text for look in looks):
                    seen.setdefault(name, path)
        leaks = {name: path for name, path in seen.items() if name not in allowed}
        assert leaks == {}, (who, moment)
        assert allowed - seen.keys() == set(), (who, moment)
    logged = caplog.text
    assert [name for name, looks in known.items() if any(look in logged for look in looks)] == []


def test_organisers_see_everything_whenever(world: CampaignWorld) -> None:
    """So the walk above looks where things would be."""
    known = secrets_of(world)
    world.at("evaluation")
    text = "\n".join(told(response) for _, response in walk(world, "organiser"))
    assert [name for name, looks in known.items() if not any(look in text for look in looks)] == []


def test_a_token_that_does_not_hold_opens_nothing(world: CampaignWorld) -> None:
    world.at("reveal")
    with world.store.write() as session:
        user = accounts.find_token(session, world.tokens[A], at=world.clock())
        assert user is not None
        id, at = user[0].id, world.clock()
        old = accounts.make_token(session, id, "old", at=at, expires=at + timedelta(hours=1))
        gone = accounts.make_token(session, id, "gone", at=at)
        accounts.revoke_token(session, id, accounts.tokens(session, id)[-1].id)
    assert Program(world.app, old).get("/api/campaigns").status_code == 200
    world.days += 1
    paths = [path for path in rule_paths(world, "GET") if path.startswith("/api")]
    for number, token in enumerate((old, gone, "made up")):
        program = Program(world.app, token, f"198.51.100.{number}")
        tried = paths[:: 1 if token == old else 9][:100]
        assert {program.get(path).status_code for path in tried} == {401}
    guesser = Program(world.app, "made up", "198.51.100.9")
    assert [guesser.get("/api/campaigns").status_code for _ in range(101)][-2:] == [401, 429]
    assert Program(world.app, world.tokens[A]).get("/campaigns/1/team", follow_redirects=False).status_code == 303, (
        "a token is for the API alone"
    )


def test_every_route_as_everybody(tmp_path: Path) -> None:
    """The requests are empty, so allowed roles get an error about missing values."""
    store = open_store(tmp_path / "web.db")
    world = CampaignWorld(store)
    try:
        fill_campaign(world)
        world.at("evaluation")
        people = {who: clients(world, who) for who in PEOPLE}
        for browser, _ in people.values():
            browser.see("/login")
        wrong = []
        for method, pattern, allowed in expected():
            path = filled(pattern, world)
            for who, (browser, program) in people.items():
                client = program if path.startswith("/api") else browser
                if path.endswith("/leave") and who == ("participant" if client is program else "other"):
                    continue  # one leaves by the page, the other by the API
                if method == "GET":
                    response = client.get(path, follow_redirects=False)
                else:
                    data = {"phase": "practice"} | ({"form_token": browser.token} if client is browser else {})
                    response = client.post(path, data=data, follow_redirects=False)
                assert response.status_code < 500, (who, method, path, response.text)
                if is_refused(response) != (who not in allowed):
                    wrong.append((who, method, path, response.status_code, response.text[-200:]))
        assert wrong == []
    finally:
        world.close()
        store.close()


def test_drafts_are_not_there_for_others(tmp_path: Path) -> None:
    store = open_store(tmp_path / "web.db")
    world = CampaignWorld(store)
    try:
        olga = make_campaign(world)
        olga.act(f"/{world.campaign}/published", published=False)
        world.add_user("stranger")
        for client in (world.browser(), world.browser("stranger"), world.program("stranger")):
            assert client.get(f"/campaigns/{world.campaign}").status_code == 404
            assert client.get(f"/api/campaigns/{world.campaign}").status_code == 404
            assert "tiny" not in client.get("/api/campaigns").text
        assert "tiny" in olga.get("/api/campaigns").text
    finally:
        world.close()
        store.close()


def test_a_browser_needs_its_form_token_for_the_api_and_a_program_does_not(world: CampaignWorld) -> None:
    world.at("practice")
    browser = world.browser(A)
    path = f"/api/campaigns/{world.campaign}/team/invitations"
    assert browser.post(path, json={}).status_code == 403
    assert browser.post(path).status_code == 403
    assert browser.submit_json(path, {}).status_code == 200
    assert world.program(A).post(path).status_code == 200
    both = world.program(A)
    both.cookies = browser.cookies
    assert both.get(f"{BASE}/api/campaigns/{world.campaign}/team").status_code == 200
