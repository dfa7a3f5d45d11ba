"""A project in which several people have annotated the same documents, for tests of its pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from starlette.applications import Starlette

from coindex.annotation_app import assignments, projects
from coindex.annotation_app.layers import Appended, Operation
from coindex.annotation_app.models import Assignment, Layer
from coindex.document import Document
from coindex.document.edit_log import Edit
from coindex.server import accounts
from coindex.server.database import Store
from coindex.serving import app
from web_world import BASE, PASSWORD, Browser

TEXT = "Ann lost the old key . She looked for it . Tom found the key and gave it to her ."
#        0   1    2   3   4  5 6    7      8   9 10 11 12   13  14  15  16  17 18 19 20
Marks = Mapping[str, Iterable[tuple[int, ...]]]
"""What somebody marked: for each entity its mentions."""

ADA: Marks = {"ann": [(0,), (6,), (19,)], "key": [(2, 3, 4), (9,), (13, 14), (17,)], "tom": [(11,)]}
BEN: Marks = {"ann": [(0,), (6,)], "key": [(3, 4), (9,), (13, 14), (17,)], "her": [(19,)], "tom": [(11,)]}
CLEO: Marks = {"a": [(0,), (6,), (19,)], "k": [(2, 3, 4), (9,)], "other": [(13, 14), (17,)]}


@dataclass
class Team:
    """The app, and the ids of people, documents and layers by name."""

    store: Store
    app: Starlette
    project: int = 0
    users: dict[str, int] = field(default_factory=dict)
    documents: list[int] = field(default_factory=list)
    layers: dict[tuple[str, int], int] = field(default_factory=dict)
    """By name and number of the document."""

    @property
    def base(self) -> str:
        return f"/projects/{self.project}"

    def browser(self, name: str) -> Browser:
        browser = Browser(self.app, base_url=BASE)
        browser.login(name)
        return browser

    def layer_path(self, layer: int, tail: str = "") -> str:
        with self.store.read() as session:
            document = session.get_one(Layer, layer).document_id
        return f"{self.base}/documents/{document}/layers/{layer}{tail}"

    def layer(self, id: int) -> Layer:
        with self.store.read() as session:
            return session.get_one(Layer, id)

    def made(self, kind: str) -> list[Layer]:
        """The layers of a kind, in the order of their making."""
        with self.store.read() as session:
            return [layer for layer, _ in projects.layers_of_project(session, self.project) if layer.kind == kind]


def make_team(store: Store, texts: Iterable[str] = (TEXT,)) -> Team:
    """Ada, Ben and Cleo annotate, Dora adjudicates, Max manages."""
    team = Team(store, app(store))
    with store.write() as session:
        team.project = projects.add_project(session, "Keys").id
        for name in ("Ada", "Ben", "Cleo", "Dora", "Max"):
            user = accounts.add_user(session, name, PASSWORD)
            team.users[name] = user.id
            role = {"Dora": "adjudicator", "Max": "manager"}.get(name, "annotator")
            projects.set_role(session, team.project, user.id, role)
        docs = [Document.from_text(text, id=f"d{number}", language="en") for number, text in enumerate(texts, 1)]
        team.documents = projects.add_documents(session, team.project, docs)
    return team


def annotate(team: Team, name: str, marks: Marks, document: int = 0, *, finish: bool = True) -> int:
    """Somebody's annotation of a document, handed in; the layer."""
    with team.store.write() as session:
        given = assignments.assign(session, team.documents[document], team.users[name])
        layer = assignments.begin(session, given).id
        assignment = given.id
    edits = [
        Edit("add_mention", {"positions": positions, "entity": entity})
        for entity, mentions in marks.items()
        for positions in mentions
    ]
    if edits:
        done = team.store.layers.append(layer, 0, [Operation(0, tuple(edits))], client="test", user=team.users[name])
        assert isinstance(done, Appended)
    if finish:
        with team.store.write() as session:
            assignments.finish(session, session.get_one(Assignment, assignment))
    team.layers[name, document] = layer
    return layer


def spans(doc: Document) -> set[frozenset[tuple[int, ...]]]:
    """The entities as sets of positions."""
    return {frozenset(mention.positions for mention in entity.mentions) for entity in doc.entities}
