"""Import and export pages: upload, preview, download."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
import weakref
import zipfile
from collections import OrderedDict
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from zlib import compress, decompress

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from ...annotation.cleaning import RULES
from ...api import write
from ...document import Document
from ...errors import CoindexError
from ...formats.registry import Format, get_format
from ...server import models
from ...server.calls import go, parse_json, show
from ...server.database import to_json
from ...server.uploads import Upload, UploadedFile, quiet, read_files
from .. import projects
from ..calls import ProjectCall, may_see_layer
from ..models import Layer
from ..packing import pack, unpack
from ..projects import preview, take_in


def read_upload(call: ProjectCall) -> Upload:
    """Read the uploaded files into documents, or report their problems."""
    files = [(file.filename, file.file, file.size or 0) for file in call.files if file.filename]
    if not files:
        raise CoindexError("no file chosen; choose at least one file", code="nothing-given")
    with tempfile.TemporaryDirectory(prefix="coindex-") as name:
        return read_files(files, Path(name), call.text("format") or None)


def import_documents(call: ProjectCall) -> Response:
    """Import the uploaded files into the project: all of them or none."""
    upload = read_upload(call)
    upload.check()
    with call.store.write() as session:
        ids = projects.add_documents(session, call.project_id, upload.docs)
        models.record(session, "imported", user=call.user_id, project=call.project_id, documents=len(ids))
    return go(f"/projects/{call.project_id}")


def export_layer(call: ProjectCall) -> Response:
    """Download one layer as a file, or as a zip archive if the format is a folder."""
    assert call.layer is not None
    assert call.document is not None
    doc = call.store.layers.document_at(call.layer.id)
    return _download([doc], get_format(call.query("format", "json")), call.document.name, as_zip=False)


def export_project(call: ProjectCall) -> Response:
    """Download one layer of each document: imported, published, of one member, or of one kind and name."""
    which = call.query("layers", "imported")
    with call.store.read() as session:
        infos = projects.documents(session, call.project_id)
        if which == "imported":
            docs = [projects.load_imported_document(session, info.id) for info in infos]
            chosen = []
        else:
            seen = [
                layer
                for layer, _ in projects.layers_of_project(session, call.project_id)
                if may_see_layer(call.who, call.user_id, layer) and _is_asked_for(layer, which)
            ]
            newest = {layer.document_id: layer.id for layer in seen}  # later layers come later
            chosen = [layer.id for layer in seen] if which == "published" else list(newest.values())
            docs = []
    docs += [call.store.layers.document_at(layer) for layer in chosen]
    if not docs:
        raise CoindexError("nothing to export yet; import documents or annotate some first", code="nothing-given")
    name = call.project.name if call.project else "project"
    return _download(docs, get_format(call.query("format", "json")), name, as_zip=call.query("as") == "zip")


def _is_asked_for(layer: Layer, which: str) -> bool:
    """Return whether a layer is published, the annotation of a member, or of a kind and name: "vote:ABC-voting"."""
    if which == "published":
        return layer.is_published
    return which == f"{layer.kind}:{layer.name}" or (layer.kind == "annotation" and which == str(layer.owner_id))


def _download(docs: list[Document], format: Format, name: str, *, as_zip: bool) -> Response:
    folder = Path(tempfile.mkdtemp(prefix="coindex-"))
    try:
        path = _write_download(docs, format, folder, _file_name(name), as_zip=as_zip)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    task = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    return FileResponse(path, filename=path.name, media_type="application/octet-stream", background=task)


def _write_download(docs: list[Document], format: Format, folder: Path, name: str, *, as_zip: bool) -> Path:
    """Write the file to send into the folder and return its path."""
    ending = format.extensions[0] if format.extensions else ""
    with quiet():
        if not format.is_folder and not as_zip:
            write(docs, folder / f"{name}{ending}", format.name)
            return folder / f"{name}{ending}"
        inner = folder / "inner"
        if format.is_folder:
            write(docs, inner, format.name)
        else:
            inner.mkdir()
            for number, doc in enumerate(docs, 1):
                target = inner / f"{_file_name(doc.id or f'document {number}')}{ending}"
                if target.exists():
                    target = inner / f"{target.name.removesuffix(ending)} {number}{ending}"
                write(doc, target, format.name)
    packed = folder / f"{name}.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(inner.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(inner))
    return packed


def _file_name(name: str) -> str:
    """Return a file name that is valid on every system."""
    kept = "".join(char if char.isalnum() or char in " -_." else "_" for char in name).strip(" .")
    return kept[:60] or "export"


SECONDS = 3600
"""How long an upload waits to be confirmed."""
MOST_WAITING = 20
SHOWN = 200
"""How many changes and pairs the page lists."""
ASKED = 100
"""For how many near-duplicates the page asks one by one."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An upload that waits for confirmation: its user, project and file."""

    user: int
    project: int
    path: Path
    until: float


class Staging:
    """Uploads between preview and confirmation, in temporary files; at most one per user and project.

    Not a `cachetools.TTLCache`, because an upload that is dropped or replaced must also delete its file.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._waiting: OrderedDict[str, Waiting] = OrderedDict()
        self._lock = Lock()

    def put(self, user: int, project: int, upload: Upload) -> str:
        """Store an upload and return its secret."""
        secret = secrets.token_urlsafe(16)
        packed = {"files": list(map(asdict, upload.files)), "docs": list(map(pack, upload.docs))}
        content = compress(to_json(packed).encode(), 1)
        with self._lock:
            path = self._ensure_folder() / secret
            path.write_bytes(content)
            self._waiting[secret] = Waiting(user, project, path, time.monotonic() + SECONDS)
            self._sweep(user, project, secret)
        return secret

    def _ensure_folder(self) -> Path:
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
        """Return the upload with this secret, if it belongs to the user and project."""
        with self._lock:
            upload = self._waiting.get(secret)
            if upload is None or (upload.user, upload.project) != (user, project) or upload.until < time.monotonic():
                raise CoindexError("this upload has expired; choose the files again", code="not-found")
            data = upload.path.read_bytes()
        packed = parse_json(decompress(data))
        return Upload(tuple(UploadedFile(**file) for file in packed["files"]), tuple(map(unpack, packed["docs"])))

    def drop(self, secret: str) -> None:
        with self._lock:
            if secret in self._waiting:
                self._drop(secret)


def upload(call: ProjectCall) -> Response:
    """Read the files and keep their documents until the user confirms; if any file has a problem, keep nothing."""
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


def preview_page(call: ProjectCall) -> Response:
    upload = call.state.staging.get(call.path("secret"), call.user_id, call.project_id)
    shown = preview(call.store, call.project_id, upload.docs)
    return show(
        call,
        "import.html",
        title="Import",
        project=call.project,
        found=shown,
        files=upload.files,
        dropped=shown.dropped[:ASKED],
        rest=shown.dropped[ASKED:],
        counts={rule: sum(change.rule == rule for _, change in shown.changes) for rule in RULES},
        shown=SHOWN,
    )


def confirm(call: ProjectCall) -> Response:
    """Import the previewed documents, or cancel."""
    docs = call.state.staging.get(call.path("secret"), call.user_id, call.project_id).docs
    if call.flag("confirmed"):
        without = {int(name[5:]) for name in call.fields if name.startswith("drop ") and name[5:].isdigit()}
        if call.text("drop rest") == "yes":
            without.update(preview(call.store, call.project_id, docs).dropped[ASKED:])
        rules = [rule for rule in RULES if call.text(f"rule {rule}") == "yes"]
        take_in(call.store, call.project_id, docs, user=call.user_id, without=without, rules=rules)
    call.state.staging.drop(call.path("secret"))
    return go(f"/projects/{call.project_id}")
