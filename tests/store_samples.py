"""A small project in a store, as tests of the store and of the web begin with."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from coindex.annotation_app import projects
from coindex.annotation_app.layers import Operation
from coindex.document import Document
from coindex.document.edit_log import Edit
from coindex.server import accounts
from coindex.server.database import Store
from coindex.server.models import User

TEXT = "Ann saw her cat. She fed it. Ann and Tom left."


def mark(sequence: int, *positions: int, entity: str | None = None) -> Operation:
    """An operation that marks these words, of an entity or of a new one."""
    arguments: dict[str, object] = {"positions": list(positions)}
    if entity is not None:
        arguments["entity"] = entity
    return Operation(sequence, (Edit("add_mention", arguments),))


def plain_user(session: Session, name: str) -> int:
    """Somebody with an account and no password, which would take a while to hash."""
    user = User(name=name, key=name.lower(), password="")
    session.add(user)
    session.flush()
    return user.id


@dataclass(frozen=True)
class Sample:
    """The ids of what is there."""

    user: int
    project: int
    document: int
    layer: int


def small_project(store: Store, doc: Document | None = None) -> Sample:
    """One annotator with one layer of one document."""
    with store.write() as session:
        user = accounts.add_user(session, "Ann", "a long password")
        project = projects.add_project(session, "Cats", manager=user.id)
        text = doc or Document.from_text(TEXT, id="cats")
        (document,) = projects.add_documents(session, project.id, [text])
        layer = projects.start_layer(session, document, name="Ann", owner=user.id, with_entities=doc is not None)
        return Sample(user.id, project.id, document, layer.id)
