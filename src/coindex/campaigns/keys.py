"""Upload and download the keys of phases; the blind input is generated from a key when it is uploaded."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

from sqlalchemy.orm import Session

from ..errors import CoindexError
from ..formats.archives import Unpacker
from ..server.uploads import quiet, read_folder
from . import queries
from .definition import Campaign
from .files import Submission, find_datasets, gives, inside, own_part, write_inputs
from .key_review import queue_all
from .models import CampaignRow
from .sandbox_process import Prepared, Request
from .server import CampaignServer, NotFoundError, Viewer, definition_of, find_phase, organiser, sees
from .setups import Setup, folder_digest, get_setup, pack_folder, parse_definition, unpack_folder

ZIP = "application/zip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A file to download."""

    name: str
    content: bytes
    media: str = ZIP


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyInfo:
    """An uploaded key."""

    id: int
    phase: str
    digest: str
    size: int
    by: str
    at: datetime
    why: str
    is_current: bool


def upload_key(
    server: CampaignServer,
    viewer: Viewer,
    phase: str,
    files: Sequence[tuple[str, IO[bytes], int]],
    *,
    why: str = "",
) -> int:
    """Store the key of a phase from files (name, content, size) and return its id.

    Files are plain, zip or .gz. The blind input is generated and stored as well. If the phase already has a key, all
    its submissions are rescored; the old key and scores are kept.
    """
    by = organiser(viewer)
    if not files:
        raise CoindexError("no file selected; choose the files of the key", code="nothing-given")
    with server.store.read() as session:
        _, definition = definition_of(session, viewer)
    find_phase(definition, phase)
    with _unpack_upload(definition, files, server.limits.key_bytes) as folder:
        read_folder(folder).check()
        content, digest = pack_folder(folder), folder_digest(folder)
        blind = _blind(definition, folder)
    at = server.clock()
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign)
        if parse_definition(row.definition) != definition:
            raise CoindexError(
                "the definition changed during the upload; upload the key again", code="concurrent-change"
            )
        name = f"{row.name}-{phase}"
        key = queries.add_key(
            session,
            row.id,
            phase,
            digest=digest,
            key=queries.add_file(session, row.id, f"{name}-key.zip", content),
            given=queries.add_file(session, row.id, f"{name}-input.zip", blind),
            by=by,
            at=at,
            reason=why,
        )
        row.revision += 1
        queries.record(session, row.id, "key uploaded", by=by, at=at, phase=phase, digest=digest, why=key.reason)
        queue_all(session, row, at=at)
        return key.id


@contextmanager
def _unpack_upload(definition: Campaign, files: Sequence[tuple[str, IO[bytes], int]], most: int) -> Iterator[Path]:
    if sum(size for _, _, size in files) > most:
        raise CoindexError(
            f"the key is larger than {most >> 20} MB; compress it or remove files", code="upload-too-large"
        )
    with tempfile.TemporaryDirectory(prefix="coindex-") as name:
        unpacker = Unpacker(Path(name))
        for file_name, file, size in files:
            unpacker.take(file_name, file, size)
        names = {name for track in definition.tracks for name in (track.part_name, *track.datasets)}
        folder = inside(Submission(Path(name), "the key"), sorted(names)).path  # skip enclosing folders
        yield folder if folder.is_dir() else folder.parent


def _shorten_path(key: str, path: str) -> str:
    """Return a path without the folder where the key was unpacked."""
    return "the key" if path == key else path.removeprefix(f"{key}/")


def _blind(definition: Campaign, key: Path) -> bytes:
    """Return the blind input as a zip archive; raise an error if the key cannot be read."""
    with tempfile.TemporaryDirectory(prefix="coindex-") as name, quiet():
        output = Path(name) / "input"
        try:
            prepared = Prepared()
            for track in definition.tracks:  # check that each dataset can be found and read
                paths = find_datasets(track, own_part(key, track))
                inputs = prepared.inputs(track, paths)
                for dataset in paths:
                    if not inputs.docs(dataset):
                        raise CoindexError(
                            f"the dataset {dataset} of the key contains no documents",
                            code="missing-document",
                        )
            write_inputs(definition.tracks, key, output, ())
        except CoindexError as error:
            raise CoindexError(error.text(partial(_shorten_path, str(key))), code=error.code) from error
        return pack_folder(output)


def update_inputs(session: Session, row: CampaignRow, old: Campaign, new: Campaign, *, by: int, at: datetime) -> None:
    """Generate the inputs again if the tracks specify different input. The campaign row must be locked."""
    if _input_settings(old) == _input_settings(new):
        return
    for phase, key in queries.current_keys(session, row.id).items():
        with tempfile.TemporaryDirectory(prefix="coindex-") as name:
            folder = Path(name)
            unpack_folder(queries.file_content(session, key.file_id), folder)
            blind = _blind(new, folder)
        given = queries.add_file(session, row.id, f"{row.name}-{phase}-input.zip", blind)
        queries.add_key(
            session,
            row.id,
            phase,
            digest=key.digest,
            key=key.file_id,
            given=given,
            by=by,
            at=at,
            reason="the definition specifies different input",
        )
        queries.record(session, row.id, "input made anew", by=by, at=at, phase=phase)  # prose: ok, stored


def _input_settings(definition: Campaign) -> list[tuple[object, ...]]:
    return [(track.part_name, *gives(track), track.datasets) for track in definition.tracks]


def key_history(server: CampaignServer, viewer: Viewer) -> list[KeyInfo]:
    """Return all uploaded keys, the newest first."""
    organiser(viewer)
    with server.store.read() as session:
        current = {row.id for row in queries.current_keys(session, viewer.campaign).values()}
        return [
            KeyInfo(
                id=row.id,
                phase=row.phase,
                digest=row.digest,
                size=size,
                by=name or "",
                at=row.at,
                why=row.reason,
                is_current=row.id in current,
            )
            for row, size, name in queries.all_keys(session, viewer.campaign)
        ]


def download_key(server: CampaignServer, viewer: Viewer, phase: str) -> Download:
    """Return the key of a phase as a zip archive, if the phase shows it."""
    with server.store.read() as session:
        row, definition = definition_of(session, viewer)
        if not sees(viewer, "keys", definition, find_phase(definition, phase), at=server.clock()):
            raise NotFoundError(f"the key of {phase} is not visible yet; the organisers decide when it is published")
        setup = get_setup(session, row.id, phase)
        return Download(name=f"{row.name}-{phase}-key.zip", content=queries.file_content(session, setup.key_file))


Unpack = Callable[[Path], None]


def key_unpacker(server: CampaignServer, file: int) -> Unpack:
    """Return a function that unpacks a key or an input into a folder."""

    def unpack(folder: Path) -> None:
        with server.store.read() as session:
            content = queries.file_content(session, file)
        unpack_folder(content, folder)

    return unpack


def perform_with(
    server: CampaignServer, setup: Setup, kind: str, name: str, content: bytes, **more: Any
) -> dict[str, Any]:
    """Run a task on a submission and the key in a sandbox, within the limits of a check."""
    limits = server.limits
    with server.sandbox() as sandbox:
        key = sandbox.key(str(setup.key_file), key_unpacker(server, setup.key_file))
        with sandbox.task_folder() as folder:
            (folder / name).write_bytes(content)
            request = Request(
                kind=kind,
                folder=str(folder),
                definition=setup.text,
                key=str(key),
                name=name,
                seconds=limits.check_seconds,
                memory=limits.memory,
                **more,
            )
            return sandbox.perform(request)
