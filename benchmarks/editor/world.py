"""A database with one novel and one annotator."""

from __future__ import annotations

from pathlib import Path

from coindex.annotation_app import projects
from coindex.annotation_app.layers import open_store
from coindex.document import Document
from coindex.server import accounts

from ..serving import PASSWORD

USER = "Ann"


def make_world(database: Path, doc: Document) -> str:
    """Create the project and return the path of the editor with the document and its entities."""
    store = open_store(database)
    with store.write() as session:
        user = accounts.add_user(session, USER, PASSWORD)
        project = projects.add_project(session, "Novels", manager=user.id)
        (document,) = projects.add_documents(session, project.id, [doc])
        layer = projects.start_layer(session, document, name=USER, owner=user.id, with_entities=True)
        path = f"/projects/{project.id}/documents/{document}/layers/{layer.id}/edit"
    store.close()
    return path
