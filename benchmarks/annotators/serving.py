"""`coindex serve` in a process of its own, over a database with a document for each annotator."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coindex.document import Document
from coindex.store import accounts, assignments, open_store, projects

PASSWORD = "a long password"
WORDS = 800
VOCABULARY = (
    "the",
    "old",
    "house",
    "river",
    "was",
    "where",
    "they",
    "had",
    "once",
    "met",
    "nobody",
    "knew",
    "she",
    "left",
)


@contextmanager
def served(folder: Path, people: int) -> Iterator[tuple[str, dict[str, str]]]:
    """The address of the server, and for each name the path of their layer."""
    layers = _prepare(folder / "annotators.db", people)
    command = [sys.executable, "-m", "coindex", "serve", "--port", "0", "--database", "annotators.db"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        if not line.startswith("coindex is at "):
            sys.exit(f"the server did not start: {line}")
        try:
            yield line.split()[3], layers
        finally:
            server.send_signal(signal.SIGINT)


def _prepare(database: Path, people: int) -> dict[str, str]:
    layers = {}
    store = open_store(database)
    with store.write() as session:
        project = projects.add_project(session, "Novels")
        chance = random.Random(8)
        for number in range(1, people + 1):
            user = accounts.add_user(session, f"annotator {number}", PASSWORD)
            projects.set_role(session, project.id, user.id, "annotator")
            (document,) = projects.add_documents(session, project.id, [_text(chance, f"text {number}")])
            layer = assignments.begin(session, assignments.assign(session, document, user.id))
            layers[user.name] = f"/projects/{project.id}/documents/{document}/layers/{layer.id}"
    store.close()
    return layers


def _text(chance: random.Random, name: str) -> Document:
    words = [chance.choice(VOCABULARY) if at % 16 else "." for at in range(1, WORDS + 1)]
    return Document.from_text(" ".join(words), id=name)
