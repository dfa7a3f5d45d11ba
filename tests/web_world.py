"""A running app with one person of every kind in it, and browsers for them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from httpx2 import Response
from starlette.applications import Starlette
from starlette.testclient import TestClient

from coindex.annotation_app import assessments, assignments, projects
from coindex.document import Document
from coindex.document.edits import add_mention
from coindex.server import accounts
from coindex.server.database import Store
from coindex.serving import app
from store_samples import TEXT

PASSWORD = "a long password"
BASE = "http://testserver"
ROLES = ("viewer", "annotator", "adjudicator", "manager")
PEOPLE = ("nobody", "stranger", *ROLES, "administrator")


class Browser(TestClient):
    """A client that sends the form token along, as pages do."""

    token = ""

    def see(self, path: str) -> str:
        """The text of a page, whose token is kept."""
        response = self.get(path)
        assert response.status_code == 200, response.text
        self.keep_token(response.text)
        return response.text

    def keep_token(self, text: str) -> None:
        if found := re.search(r'name="form_token" value="([^"]+)"', text):
            self.token = found.group(1)

    def submit(self, path: str, **fields: str) -> Response:
        """A form sent; where it leads is not followed."""
        return self.post(path, data={"form_token": self.token, **fields}, follow_redirects=False)

    def submit_json(self, path: str, data: object) -> Response:
        return self.post(path, json=data, headers={"x-form-token": self.token})

    def login(self, name: str, password: str = PASSWORD) -> None:
        self.see("/login")
        response = self.post("/login", data={"form_token": self.token, "name": name, "password": password})
        assert response.status_code == 200, response.text
        self.keep_token(response.text)


@dataclass
class World:
    """The app, its store, and the ids of what is in it."""

    store: Store
    app: Starlette
    project: int = 0
    document: int = 0
    users: dict[str, int] = field(default_factory=dict)
    layers: dict[str, int] = field(default_factory=dict)
    assignments: dict[str, int] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)

    def browser(self, name: str | None = None) -> Browser:
        browser = Browser(self.app, base_url=BASE)
        if name is not None:
            browser.login(name)
        return browser

    def layer_path(self, owner: str, tail: str = "") -> str:
        return f"/projects/{self.project}/documents/{self.document}/layers/{self.layers[owner]}{tail}"


def make_world(store: Store) -> World:
    """A project with a document; a person of every kind, and a layer and an assignment for each who may have one."""
    made = World(store, app(store))
    with store.write() as session:
        for name in PEOPLE[1:]:
            user = accounts.add_user(session, name, PASSWORD, is_administrator=name == "administrator")
            made.users[name] = user.id
        made.project = projects.add_project(session, "Cats").id
        for role in ROLES:
            projects.set_role(session, made.project, made.users[role], role)
        (made.document,) = projects.add_documents(session, made.project, [Document.from_text(TEXT, id="cats")])
        for name in ("annotator", "adjudicator", "manager"):
            given = assignments.assign(session, made.document, made.users[name])
            made.layers[name] = assignments.begin(session, given).id
            made.assignments[name] = given.id
        layer = projects.start_layer(session, made.document, name="gold", owner=made.users["administrator"])
        layer.is_published = True
        made.layers["gold"] = layer.id
    return made


def add_attempts(world: World, *, kind: str = "tutorial") -> int:
    """A second document with a hidden key, and an attempt of the annotator and of the adjudicator; its id."""
    text = Document.from_text("Tom saw a bird. It sang to him.", id="practice")
    key = add_mention(add_mention(text, [0], entity="HIDDENID"), [8], entity="HIDDENID")
    with world.store.write() as session:
        (document,) = projects.add_documents(session, world.project, [key])
        made = assessments.make(session, document, kind, key)
        for name in ("annotator", "adjudicator"):
            attempt = assessments.begin(session, world.project, made.id, world.users[name])
            world.attempts[name] = attempt.id
    return document
