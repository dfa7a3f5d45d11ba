"""The other readers of files that users write: model folders, configurations of training, campaigns, schemas, …"""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import coindex
from coindex.annotation.schemas import READY, parse_schema
from coindex.campaigns.definition import read_campaign
from coindex.document.edit_log import Edit, apply_all
from coindex.errors import CoindexError
from coindex.formats.archives import Unpacker

from .cases import ROOT, Case, test_module

SOURCE = ROOT / "src/coindex"


@dataclass(frozen=True)
class Reader:
    """How a kind of file is read, and the files to begin with; `seeds` are made when they are needed."""

    read: Callable[[Path], object]
    seeds: Callable[[], list[tuple[str, bytes]]]


def read_model(path: Path) -> None:
    """Read the description of a model; its files do not exist, so they are not loaded."""
    from coindex.resolvers.neural.folder import folder_resolver

    folder_resolver(str(path.parent))


def read_training(path: Path) -> None:
    """Read a training configuration as `coindex train` does before it looks for the corpora."""
    from coindex.training.config import read_run

    read_run(path)


def _read_schema(path: Path) -> None:
    parse_schema(path.read_text(encoding="utf-8", errors="replace"))


def _read_upload(path: Path) -> None:
    with path.open("rb") as file, tempfile.TemporaryDirectory() as folder:
        Unpacker(Path(folder)).take(path.name, file, path.stat().st_size)


def _read_edits(path: Path) -> None:
    """Read a log of edits and apply it to a small document."""
    doc = coindex.Document.from_text("Ann saw Bob. He waved at her.", id="d")
    try:
        steps = [json.loads(line) for line in path.read_text(encoding="utf-8", errors="replace").split("\n") if line]
    except (ValueError, RecursionError) as error:  # the log is kept by the store, which does not write such lines
        raise CoindexError("not JSON") from error
    apply_all(doc, map(Edit.from_json, steps))


def _read_backup(path: Path) -> None:
    from coindex.server.backup import restore

    with tempfile.TemporaryDirectory() as folder:
        restore(Path(folder) / "restored.sqlite", path)


def _files(*patterns: str) -> Callable[[], list[tuple[str, bytes]]]:
    return lambda: [(file.name, file.read_bytes()) for pattern in patterns for file in sorted(SOURCE.glob(pattern))]


def _schemas() -> list[tuple[str, bytes]]:
    return [("schema.json", json.dumps(schema.to_json()).encode()) for schema in READY.values()]


def _uploads() -> list[tuple[str, bytes]]:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("a.conllu", "texts/b.conllu", "ü.txt"):
            archive.writestr(zipfile.ZipInfo(name), "# newdoc id = d\n" * 5)
    return [("upload.zip", packed.getvalue()), ("a.conllu", b"# newdoc id = d\n")]


def _edits() -> list[tuple[str, bytes]]:
    steps = [
        Edit("add_mention", {"positions": [0], "entity": "e1"}),
        Edit("add_mention", {"positions": [2], "entity": "e2", "head": 2, "attributes": {"a": "b"}}),
        Edit("add_mention", {"positions": [4], "entity": "e3"}),
        Edit("resize_mention", {"entity": "e3", "positions": [4], "new_positions": [4, 5]}),
        Edit("merge", {"into": "e1", "other": "e3"}),
        Edit("insert_zero", {"after": 8}),
        Edit("add_bridge", {"entity": "e1", "positions": [0], "antecedent": "e2", "relation": "part"}),
        Edit("rename_entity", {"entity": "e2", "new_id": "e9"}),
    ]
    return [("edits.jsonl", "\n".join(json.dumps(step.to_json()) for step in steps).encode())]


def _backups() -> list[tuple[str, bytes]]:
    from coindex.server.backup import back_up
    from coindex.server.database import Database, Store

    with tempfile.TemporaryDirectory() as folder:
        store = Store(Database(Path(folder) / "team.sqlite"))
        try:
            test_module("store_samples").small_project(store)
            back_up(store.database, Path(folder) / "team.backup")
        finally:
            store.close()
        return [("team.backup", (Path(folder) / "team.backup").read_bytes())]


READERS = {
    "model": Reader(read_model, _files("models/*/model.json")),
    "training": Reader(read_training, _files("training/configurations/*.toml", "models/*/*-*.toml")),
    "campaign": Reader(read_campaign, _files("campaigns/definitions/*.toml")),
    "schema": Reader(_read_schema, _schemas),
    "upload": Reader(_read_upload, _uploads),
    "edits": Reader(_read_edits, _edits),
    "backup": Reader(_read_backup, _backups),
}


def reader_seeds(name: str) -> list[Case]:
    return [Case(name, file, {file: data}, f"{name} {file}") for file, data in READERS[name].seeds()]
