"""Import and export: files in every format, one or many, plain or as a zip."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from ..api import write
from ..api.team.quiet import quiet
from ..api.team.uploads import Upload, read_files
from ..document import Document
from ..errors import CoindexError
from ..formats.registry import Format, get_format
from ..store import audit, projects
from ..store.models import Layer
from .access import may_see_layer
from .calls import Call
from .pages import go


def read_upload(call: Call) -> Upload:
    """The uploaded files with their documents, or with the problems that stand in the way."""
    files = [(file.filename, file.file, file.size or 0) for file in call.files if file.filename]
    if not files:
        raise CoindexError("no file; choose one or more")
    with tempfile.TemporaryDirectory(prefix="coindex-") as name:
        return read_files(files, Path(name), call.text("format") or None)


def import_documents(call: Call) -> Response:
    """Uploaded files as documents of the project: all of them or none."""
    upload = read_upload(call)
    upload.check()
    with call.store.write() as session:
        ids = projects.add_documents(session, call.project_id, upload.docs)
        audit.record(session, "imported", user=call.user_id, project=call.project_id, documents=len(ids))
    return go(f"/projects/{call.project_id}")


def export_layer(call: Call) -> Response:
    """One layer as a file, or a zip where the format is a folder."""
    assert call.layer is not None
    assert call.document is not None
    doc = call.store.layers.document_at(call.layer.id)
    return _download([doc], get_format(call.query("format", "json")), call.document.name, as_zip=False)


def export_project(call: Call) -> Response:
    """One layer of each document: as imported, what is published, those of one member, or of one kind and name."""
    which = call.query("layers", "imported")
    with call.store.read() as session:
        infos = projects.documents(session, call.project_id)
        if which == "imported":
            docs = [projects.imported_document(session, info.id) for info in infos]
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
        raise CoindexError("there is nothing to export yet; import documents or annotate first")
    name = call.project.name if call.project else "project"
    return _download(docs, get_format(call.query("format", "json")), name, as_zip=call.query("as") == "zip")


def _is_asked_for(layer: Layer, which: str) -> bool:
    """Whether a layer is published, a member's annotation, or of that kind and name: "vote:ABC-voting"."""
    if which == "published":
        return layer.is_published
    return which == f"{layer.kind}:{layer.name}" or (layer.kind == "annotation" and which == str(layer.owner_id))


def _download(docs: list[Document], format: Format, name: str, *, as_zip: bool) -> Response:
    folder = Path(tempfile.mkdtemp(prefix="coindex-"))
    try:
        path = _written(docs, format, folder, _file_name(name), as_zip=as_zip)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    task = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    return FileResponse(path, filename=path.name, media_type="application/octet-stream", background=task)


def _written(docs: list[Document], format: Format, folder: Path, name: str, *, as_zip: bool) -> Path:
    """The file to send, in the folder."""
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
    """A name that every system can keep."""
    kept = "".join(char if char.isalnum() or char in " -_." else "_" for char in name).strip(" .")
    return kept[:60] or "export"
