"""Import in two steps: what would come is shown, then it is brought in, without duplicates and cleaned if wanted."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
import weakref
from collections import OrderedDict
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from zlib import compress, decompress

from starlette.responses import Response

from ..annotation.cleaning import RULES
from ..api.team.importing import preview, take_in
from ..api.team.uploads import Upload, UploadedFile
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

    def put(self, user: int, project: int, upload: Upload) -> str:
        """The secret under which the upload waits."""
        secret = secrets.token_urlsafe(16)
        packed = {"files": list(map(asdict, upload.files)), "docs": list(map(pack, upload.docs))}
        content = compress(to_json(packed).encode(), 1)
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

    def get(self, secret: str, user: int, project: int) -> Upload:
        """The upload that waits under a secret for this user and project."""
        with self._lock:
            found = self._waiting.get(secret)
            if found is None or (found.user, found.project) != (user, project) or found.until < time.monotonic():
                raise CoindexError("this upload no longer waits; choose the files again")
            data = found.path.read_bytes()
        packed = parse_json(decompress(data))
        return Upload(tuple(UploadedFile(**file) for file in packed["files"]), tuple(map(unpack, packed["docs"])))

    def drop(self, secret: str) -> None:
        with self._lock:
            if secret in self._waiting:
                self._drop(secret)


def upload(call: Call) -> Response:
    """Read the files and keep what they hold until it is confirmed; with a problem in any of them, keep nothing."""
    upload = read_upload(call)
    if upload.problems:
        wrong = sum(bool(file.problems) for file in upload.files)
        page = show(
            call,
            "import_refused.html",
            title="Import",
            project=call.project,
            files=sorted(upload.files, key=lambda file: not file.problems),
            wrong=wrong,
            shown=SHOWN,
        )
        page.status_code = 422
        return page
    secret = call.state.staging.put(call.user_id, call.project_id, upload)
    return go(f"/projects/{call.project_id}/imports/{secret}")


def preview_page(call: Call) -> Response:
    upload = call.state.staging.get(call.path("secret"), call.user_id, call.project_id)
    found = preview(call.store, call.project_id, upload.docs)
    return show(
        call,
        "import.html",
        title="Import",
        project=call.project,
        found=found,
        files=upload.files,
        dropped=found.dropped[:ASKED],
        rest=found.dropped[ASKED:],
        counts={rule: sum(change.rule == rule for _, change in found.changes) for rule in RULES},
        shown=SHOWN,
    )


def confirm(call: Call) -> Response:
    """Bring in what was shown, or nothing."""
    docs = call.state.staging.get(call.path("secret"), call.user_id, call.project_id).docs
    if call.flag("confirmed"):
        without = {int(name[5:]) for name in call.fields if name.startswith("drop ") and name[5:].isdigit()}
        if call.text("drop rest") == "yes":
            without.update(preview(call.store, call.project_id, docs).dropped[ASKED:])
        rules = [rule for rule in RULES if call.text(f"rule {rule}") == "yes"]
        take_in(call.store, call.project_id, docs, user=call.user_id, without=without, rules=rules)
    call.state.staging.drop(call.path("secret"))
    return go(f"/projects/{call.project_id}")
