"""A campaign in a running app, with three teams and a clock that is set by hand: `from campaign_pages import …`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from httpx2 import Response
from starlette.applications import Starlette
from starlette.testclient import TestClient

from campaigns.server_world import zipped
from coindex.campaigns.worker import run_all
from coindex.server import accounts
from coindex.server.database import Store
from coindex.serving import app
from corefud_text import document, sentence
from web_world import BASE, PASSWORD, Browser

START = datetime(2030, 1, 1, tzinfo=UTC)
DEFINITION = """
name = "tiny"
title = "A tiny task"
counts = "{counts}"
report = "crac22"
[[tracks]]
name = "main"
profile = "crac22"
primary = "conll"
secondary = ["lea", "muc"]
[[phases]]
name = "practice"
opens = 2030-01-01T00:00:00Z
closes = 2030-01-11T00:00:00Z
[phases.visible]
scores = "own"
keys = "teams"
team_names = "teams"
document_errors = "own"
[[phases]]
name = "evaluation"
opens = 2030-01-11T00:00:00Z
closes = 2030-01-21T00:00:00Z
hours_from_download = 48
limit_a_day = 2
limit_total = 3
[phases.visible]
team_names = "nobody"
[[phases]]
name = "after"
opens = 2030-01-31T00:00:00Z
downloads = false
submissions = false
releases = ["evaluation"]
[phases.visible]
scores = "everyone"
team_names = "nobody"
document_errors = "own"
[[phases]]
name = "reveal"
opens = 2030-02-10T00:00:00Z
downloads = false
submissions = false
releases = ["evaluation"]
[phases.visible]
scores = "everyone"
keys = "everyone"
team_names = "everyone"
document_errors = "own"
"""
DAYS = {"before": -1, "practice": 5, "evaluation": 15, "gap": 25, "after": 35, "reveal": 45}
"""Days from the start on which something else is shown each time."""
TEXT = "Ann met Bob . She liked him and he liked her . Then Ann left him and Bob slept ."
WORDS = TEXT.split()
KEY = {0: "a", 2: "b", 4: "a", 6: "b", 8: "b", 10: "a", 13: "a", 15: "b", 17: "b"}


def written(marks: Mapping[int, str], id: str, prefix: str = "e") -> str:
    """A CorefUD file of one document, in which some words are mentions."""
    words = [f"{word} Entity=({prefix}{marks[at]})" if at in marks else word for at, word in enumerate(WORDS)]
    return document(sentence(*words, comments=("# sent_id = s1",)), id=id)


def answer(marks: Mapping[int, str]) -> bytes:
    """A submission: both datasets in a zip."""
    return zipped({f"{name}.conllu": written(marks, name) for name in ("x", "y")})


class Program(TestClient):
    """A client that sends an API token along, and no cookie."""

    def __init__(self, made: Starlette, token: str, address: str = "192.0.2.1") -> None:
        headers = {"authorization": f"Bearer {token}"}
        super().__init__(made, base_url=BASE, headers=headers, client=(address, 50000))

    def find(self, path: str) -> Any:
        response = self.get(f"/api/campaigns{path}")
        assert response.status_code == 200, (path, response.text)
        return response.json()

    def act(self, path: str, **data: Any) -> Any:
        response = self.post(f"/api/campaigns{path}", json=data)
        assert response.status_code == 200, (path, response.text)
        return response.json()

    def upload(self, path: str, name: str, content: bytes, **fields: str) -> Response:
        return self.post(f"/api/campaigns{path}", files={"file": (name, content)}, data=fields)


@dataclass
class CampaignWorld:
    """The app, its store, the clock, and those who take part."""

    store: Store
    days: float = 0
    tokens: dict[str, str] = field(default_factory=dict)
    campaign: int = 0
    submissions: dict[tuple[str, str], int] = field(default_factory=dict)
    app: Starlette = field(init=False)

    def __post_init__(self) -> None:
        self.app = app(self.store, clock=self.clock)
        self.server = self.app.state.campaigns

    def clock(self) -> datetime:
        return START + timedelta(days=self.days)

    def at(self, moment: str) -> None:
        self.days = DAYS[moment]

    def add_user(self, name: str, *, is_administrator: bool = False) -> str:
        """Somebody with an account and a token."""
        with self.store.write() as session:
            user = accounts.add_user(session, name, PASSWORD, is_administrator=is_administrator)
            self.tokens[name] = accounts.make_token(session, user.id, "tests", at=self.clock())
        return name

    def program(self, name: str) -> Program:
        return Program(self.app, self.tokens[name])

    def browser(self, name: str | None = None) -> Browser:
        browser = Browser(self.app, base_url=BASE)
        if name is not None:
            browser.login(name)
        return browser

    def work(self) -> int:
        return run_all(self.server)

    def close(self) -> None:
        self.server.close()


def make_campaign(world: CampaignWorld, text: str = "", *, counts: str = "last") -> Program:
    """A campaign that is published and open, with a key for practice and one for evaluation; its organiser."""
    root = world.program(world.add_user("root", is_administrator=True))
    world.add_user("olga")
    world.campaign = root.act("", text=text or DEFINITION.format(counts=counts))["campaign"]
    root.act(f"/{world.campaign}/organisers", name="olga")
    olga = world.program("olga")
    olga.act(f"/{world.campaign}/published", published=True)
    olga.act(f"/{world.campaign}/registration", registration="open")
    for phase in ("practice", "evaluation"):
        files = {f"{name}.conllu": written(KEY, name, f"{phase}key") for name in ("x", "y")}
        response = olga.upload(f"/{world.campaign}/phases/{phase}/key", "key.zip", zipped(files))
        assert response.status_code == 200, response.text
    return olga


TEAMS = {"wandaquok": "Quokkazoid", "bertzebr": "Zebrulon"}
"""Teams by their members, under names that stand nowhere else."""
MARKS: dict[tuple[str, str], dict[int, str]] = {
    ("wandaquok", "practice"): {**KEY, 6: "a"},
    ("wandaquok", "evaluation"): {**KEY, 8: "a", 10: "b"},
    ("bertzebr", "practice"): {at: mark for at, mark in KEY.items() if at < 13},
    ("bertzebr", "evaluation"): {at: mark for at, mark in KEY.items() if at not in (2, 10)},
}


def fill_campaign(world: CampaignWorld) -> None:
    """Two teams that sent a run in each phase, all scored; a sample and findings that were made."""
    olga = make_campaign(world)
    one = f"/{world.campaign}"
    world.add_user("stranger")
    world.at("practice")
    for name, team in TEAMS.items():
        world.program(world.add_user(name)).act(f"{one}/register", team=team)
    for (name, phase), marks in MARKS.items():
        world.at(phase)
        program = world.program(name)
        assert program.post(f"/api/campaigns{one}/phases/{phase}/input").status_code == 200
        path, file = f"{one}/phases/{phase}/submissions", f"{name}-file.zip"
        response = program.upload(path, file, answer(marks), run=f"{name}-{phase}-run")
        assert response.status_code == 200, response.text
        world.submissions[name, phase] = response.json()["submission"]
    world.work()
    olga.act(f"{one}/samples", phase="practice", track="main", size=2, seed=1)
    olga.act(f"{one}/phases/practice/findings")
    assert world.work() == 2
