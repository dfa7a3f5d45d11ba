"""A database with a document for each annotator."""

from __future__ import annotations

import random
from pathlib import Path

from coindex.annotation_app import assignments, projects
from coindex.annotation_app.layers import open_store
from coindex.document import Document
from coindex.server import accounts

from ..prose import words
from ..serving import PASSWORD

WORDS = 800
SENTENCE = 16


def make_world(database: Path, people: int) -> dict[str, str]:
    """Create the project and return the path of each annotator's layer by name."""
    layers = {}
    chance = random.Random(8)
    password = accounts.hash_password(PASSWORD)
    store = open_store(database)
    with store.write() as session:
        project = projects.add_project(session, "Novels")
        for number in range(1, people + 1):
            user = accounts.add_user(session, f"annotator {number}", password)
            projects.set_role(session, project.id, user.id, "annotator")
            text = Document.from_text(" ".join(words(chance, WORDS, sentence=SENTENCE)), id=f"text {number}")
            (document,) = projects.add_documents(session, project.id, [text])
            layer = assignments.begin(session, assignments.assign(session, document, user.id))
            layers[user.name] = f"/projects/{project.id}/documents/{document}/layers/{layer.id}"
    store.close()
    return layers
