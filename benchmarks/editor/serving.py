"""A server with one document and one annotator."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coindex.document import Document
from coindex.store import accounts, open_store, projects
from coindex.web import app
from coindex.web.serving import listen

USER, PASSWORD = "Ann", "a long password"


@contextmanager
def served(folder: Path, doc: Document) -> Iterator[str]:
    """The address of the editor with the document's entities."""
    import uvicorn

    store = open_store(folder / "editor.db")
    with store.write() as session:
        user = accounts.add_user(session, USER, PASSWORD)
        project = projects.add_project(session, "Novels", manager=user.id)
        (document,) = projects.add_documents(session, project.id, [doc])
        layer = projects.start_layer(session, document, name=USER, owner=user.id, with_entities=True)
        path = f"/projects/{project.id}/documents/{document}/layers/{layer.id}/edit"
    listener, address = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app(store), log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield address + path
    server.should_exit = True
    thread.join(timeout=10)
    store.close()
