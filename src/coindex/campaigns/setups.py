"""What the scores of a phase depend on: the definition, the key, chains switched off; and what they are known by."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from sqlalchemy.orm import Session

from ..errors import CoindexError
from ..scoring import Result
from ..settings import parse_toml
from . import queries
from .definition import Campaign, Track, parse_campaign
from .disputes import Chain, Disputes
from .files import digest
from .models import CampaignRow, KeyRow

PLACE = "the definition"
_OLD = (1980, 1, 1, 0, 0, 0)


@lru_cache(maxsize=64)
def parse_definition(text: str) -> Campaign:
    """The campaign that a text defines."""
    return parse_campaign(parse_toml(text, PLACE), PLACE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A phase of a campaign, ready to check and score submissions."""

    campaign: int
    revision: int
    text: str
    phase: str
    key_phase: str
    """The phase that has the key: itself, or one that it releases."""
    key: int
    key_digest: str
    key_file: int
    input_file: int
    chains: tuple[Chain, ...] = ()

    @property
    def definition(self) -> Campaign:
        return parse_definition(self.text)

    @property
    def disputes(self) -> Disputes:
        return Disputes(chains=self.chains)

    @property
    def switched_off(self) -> str:
        """The chains switched off, in few letters; empty where there are none."""
        note = self.disputes.note()
        return note[0] if note else ""

    def source(self, track: Track) -> str:
        """What scores of the track are known by; another for everything that can change a number."""
        return _source(track, self.key_digest, self.switched_off)

    def sources(self) -> dict[str, str]:
        """By track."""
        return {track.name: self.source(track) for track in self.definition.tracks}


@lru_cache(maxsize=1024)
def _source(track: Track, key: str, switched_off: str) -> str:
    shown = ("title", "primary", "secondary", "report_as")
    about = {name: value for name, value in asdict(track).items() if name not in shown}
    text = json.dumps([signature_of(track), key, switched_off, about], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def signature_of(track: Track) -> str:
    """What this program computes scores of the track by."""
    return Result.of(track.settings, []).signature


def key_phase(definition: Campaign, phase: str, with_keys: Mapping[str, KeyRow]) -> str | None:
    """The phase whose key is used: its own, else that of the last phase with one that it releases."""
    if phase in with_keys:
        return phase
    return next((name for name in reversed(definition.phase(phase).releases) if name in with_keys), None)


def find_setup(session: Session, campaign: CampaignRow, phase: str) -> Setup | None:
    """What the phase depends on now; None where it has no key."""
    definition = parse_definition(campaign.definition)
    current = queries.current_keys(session, campaign.id)
    owner = key_phase(definition, phase, current)
    if owner is None:
        return None
    key = current[owner]
    off = queries.switched_off(session, campaign.id, owner)
    return Setup(
        campaign=campaign.id,
        revision=campaign.revision,
        text=campaign.definition,
        phase=phase,
        key_phase=owner,
        key=key.id,
        key_digest=key.digest,
        key_file=key.file_id,
        input_file=key.input_id,
        chains=tuple(
            Chain(document=row.document, entity=row.entity, dataset=row.dataset, reason=row.reason) for row in off
        ),
    )


def get_setup(session: Session, campaign: int, phase: str) -> Setup:
    """The same; a phase without a key is an error."""
    found = find_setup(session, queries.get_campaign(session, campaign), phase)
    if found is None:
        raise CoindexError(
            f"{phase} has no key yet; expected one; the organisers have to upload it", code="missing-key"
        )
    return found


# --- keys as bytes


def pack_folder(folder: Path) -> bytes:
    """A zip of a folder; the same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _OLD)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, path.read_bytes())
    return out.getvalue()


def unpack_folder(content: bytes, folder: Path) -> None:
    """The files of a zip that we packed ourselves."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)


def folder_digest(folder: Path) -> str:
    return digest(folder)


def chains_for(setup: Setup) -> Sequence[dict[str, str]]:
    """The chains as plain data."""
    return [asdict(chain) for chain in setup.chains]
