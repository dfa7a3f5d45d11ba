"""Import in two steps: what would come is shown, then it is brought in, without duplicates and cleaned if wanted."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
import weakref
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from zlib import compress, decompress

from starlette.responses import Response

from ..annotation.cleaning import RULES
from ..api.team.importing import preview, take_in
from ..document import Document
from ..errors import CoindexError
from ..store.columns import to_json
from ..store.packing import pack, unpack
from .calls import Call, parse_json
from .pages import go, show
from .transfer import read_upload

SECONDS = 3600
"""How long an upload waits to be confirmed."""
MOST_WAITING = 20
SHOWN = 200
"""How many changes and pairs the page lists."""
ASKED = 100
"""For how many near-duplicates the page asks one by one."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An upload that was read and waits: whose it is, for which project, and the file it is in."""

    user: int
    project: int
    path: Path
    until: float


class Staging:
    """Uploads between the two steps, in files that go when the server stops; one for each user and project."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._waiting: OrderedDict[str, Waiting] = OrderedDict()
        self._lock = Lock()

    def put(self, user: int, project: int, docs: list[Document]) -> str:
        """The secret under which the documents wait."""
        secret = secrets.token_urlsafe(16)
        content = compress(to_json([pack(doc) for doc in docs]).encode(), 1)
        with self._lock:
            path = self._made_folder() / secret
            path.write_bytes(content)
            self._waiting[secret] = Waiting(user, project, path, time.monotonic() + SECONDS)
            self._sweep(user, project, secret)
        return secret

    def _made_folder(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="coindex-import-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    def _sweep(self, user: int, project: int, keep: str) -> None:
        now = time.monotonic()
        for secret, waiting in list(self._waiting.items()):
            same = (waiting.user, waiting.project) == (user, project) and secret != keep
            if same or waiting.until < now or len(self._waiting) > MOST_WAITING:
                self._drop(secret)

    def _drop(self, secret: str) -> None:
        self._waiting.pop(secret).path.unlink(missing_ok=True)

    def get(self, secret: str, user: int, project: int) -> list[Document]:
        """The documents that wait under a secret for this user and project."""
        with self._lock:
            found = self._waiting.get(secret)
            if found is None or (found.user, found.project) != (user, project) or found.until < time.monotonic():
                raise CoindexError("this upload no longer waits; choose the files again")
            data = found.path.read_bytes()
        return [unpack(packed) for packed in parse_json(decompress(data))]

    def drop(self, secret: str) -> None:
        with self._lock:
            if secret in self._waiting:
                self._drop(secret)


def upload(call: Call) -> Response:
    """Read the files and keep what they hold until it is confirmed."""
    docs = read_upload(call)
    secret = call.state.staging.put(call.user_id, call.project_id, docs)
    return go(f"/projects/{call.project_id}/imports/{secret}")


def preview_page(call: Call) -> Response:
    docs = call.state.staging.get(call.path("secret"), call.user_id, call.project_id)
    found = preview(call.store, call.project_id, docs)
    return show(
        call,
        "import.html",
        title="Import",
        project=call.project,
        found=found,
        dropped=found.dropped[:ASKED],
        rest=found.dropped[ASKED:],
        counts={rule: sum(change.rule == rule for _, change in found.changes) for rule in RULES},
        shown=SHOWN,
    )


def confirm(call: Call) -> Response:
    """Bring in what was shown, or nothing."""
    docs = call.state.staging.get(call.path("secret"), call.user_id, call.project_id)
    if call.flag("confirmed"):
        without = {int(name[5:]) for name in call.fields if name.startswith("drop ") and name[5:].isdigit()}
        if call.text("drop rest") == "yes":
            without.update(preview(call.store, call.project_id, docs).dropped[ASKED:])
        rules = [rule for rule in RULES if call.text(f"rule {rule}") == "yes"]
        take_in(call.store, call.project_id, docs, user=call.user_id, without=without, rules=rules)
    call.state.staging.drop(call.path("secret"))
    return go(f"/projects/{call.project_id}")
