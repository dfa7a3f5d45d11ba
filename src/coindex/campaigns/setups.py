"""The setup of a phase, on which its scores depend: definition, key, and excluded key chains.

As in RU-EVAL 2014 (section 4.2.4), chains that annotators could not agree on can be excluded ("switched off"). An
excluded chain does not affect any score. Under the rules of RU-EVAL its mentions become secondary markables
(`scoring.markables`). For other scorers the chain is removed from the key, and mentions at the same positions are
removed from every response unless they also belong to another key entity.

The list of excluded chains is a TOML file:

    [[chains]]
    document = "doc7"
    entity = "e12"
    reason = "generic use"
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path

from sqlalchemy.orm import Session

from ..document import Document, Entity, Mention
from ..errors import CoindexError, quote
from ..scoring import Result, Settings
from ..scoring.lenient import ATTRIBUTE
from ..settings import ConfigError, parse_section, parse_toml, read_toml
from . import queries
from .definition import Campaign, Track, parse_campaign
from .files import digest
from .models import CampaignRow, KeyRow

RUEVAL = "rueval-2014"


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputedEntity:
    """An excluded chain of the key, with the reason."""

    document: str
    entity: str
    dataset: str = ""
    """The dataset, if several contain a document with this id."""
    reason: str = ""

    def __str__(self) -> str:
        place = f"{self.dataset}, " if self.dataset else ""
        why = f": {self.reason}" if self.reason else ""
        return f"excluded: {place}document {quote(self.document)}, chain {quote(self.entity)}{why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputes:
    """All excluded chains."""

    chains: tuple[DisputedEntity, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.chains)

    def of(self, dataset: str) -> Sequence[DisputedEntity]:
        """Return the chains of a dataset, including those without a dataset."""
        return [disputed for disputed in self.chains if disputed.dataset in ("", dataset)]

    def digest(self, dataset: str) -> str:
        """Return a digest for score records, empty if no chain is excluded; reasons do not change it."""
        names = sorted((disputed.document, disputed.entity) for disputed in self.of(dataset))
        return hashlib.sha256(json.dumps(names).encode()).hexdigest()[:16] if names else ""

    def note(self) -> tuple[str, ...]:
        """Return the part of a signature that identifies the excluded chains."""
        names = sorted((disputed.dataset, disputed.document, disputed.entity) for disputed in self.chains)
        digest = hashlib.sha256(json.dumps(names).encode()).hexdigest()[:8]
        return (f"off:{len(names)}-{digest}",) if names else ()


def read_disputes(path: str | Path) -> Disputes:
    """Read the excluded chains from a TOML file."""
    disputes: Disputes = parse_section(Disputes, read_toml(Path(path)), str(path))
    return disputes


def check_disputes(disputes: Disputes, keys: Mapping[str, Sequence[Document]]) -> None:
    """Raise an error for a chain that is not in the keys; a typo would otherwise have no effect."""
    for disputed in disputes.chains:
        docs = [doc for name, docs in keys.items() if disputed.dataset in ("", name) for doc in docs]
        if not any(doc.id == disputed.document and _has(doc, disputed.entity) for doc in docs):
            asked = json.dumps({name: value for name, value in asdict(disputed).items() if value}, ensure_ascii=False)
            raise ConfigError(f"{asked}: no such chain in the key; correct the list of excluded chains")


def _has(doc: Document, entity: str) -> bool:
    return any(other.id == entity for other in doc.entities)


def switch_off(
    key: Iterable[Document], response: Iterable[Document], disputes: Sequence[DisputedEntity], settings: Settings
) -> tuple[list[Document], list[Document]]:
    """Return key and response without the chains, or with their mentions marked so that the scorer ignores them."""
    keys, responses = list(key), list(response)
    off = {(disputed.document, disputed.entity) for disputed in disputes}
    if settings.rules == RUEVAL:
        return [_mark_secondary(doc, off) for doc in keys], responses
    if settings.unit != "document" and any(doc.shared_ids for doc in keys):
        # a cross-document entity is excluded everywhere, whichever of its documents the list names
        named = {entity for _, entity in off}
        off |= {(str(doc.id), entity.id) for doc in keys for entity in doc.entities if entity.id in named}
    gone = {doc.id: _find_excluded_positions(doc, off) for doc in keys}
    if len(gone) != len(keys):
        raise CoindexError(
            "two documents of the key have the same id; chains can be excluded only if document ids are unique",
            code="duplicate-document-id",
        )
    return (
        [doc.replace(entities=_keep_entities(doc, off), bridges=(), split_antecedents=()) for doc in keys],
        [_remove_mentions(doc, gone.get(doc.id, frozenset())) for doc in responses],
    )


def _keep_entities(doc: Document, off: Collection[tuple[str, str]]) -> tuple[Entity, ...]:
    return tuple(entity for entity in doc.entities if (str(doc.id), entity.id) not in off)


def _find_excluded_positions(doc: Document, off: Collection[tuple[str, str]]) -> frozenset[tuple[int, ...]]:
    """Return the positions of mentions that belong only to excluded chains."""
    kept = {mention.positions for entity in _keep_entities(doc, off) for mention in entity.mentions}
    all_places = {mention.positions for entity in doc.entities for mention in entity.mentions}
    return frozenset(all_places - kept)


def _remove_mentions(doc: Document, places: Collection[tuple[int, ...]]) -> Document:
    """Return the document without the mentions at these positions."""
    if not places:
        return doc
    entities = []
    for entity in doc.entities:
        mentions = tuple(mention for mention in entity.mentions if mention.positions not in places)
        if mentions:
            entities.append(replace(entity, mentions=mentions))
    return doc.replace(entities=tuple(entities), bridges=(), split_antecedents=())


def _mark_secondary(doc: Document, off: Collection[tuple[str, str]]) -> Document:
    """Return the document with the mentions of these chains marked as secondary."""

    def mark(mention: Mention) -> Mention:
        return Mention(mention.layer, mention.positions, mention.head, {**mention.attributes, ATTRIBUTE: "secondary"})

    entities = tuple(
        replace(entity, mentions=tuple(map(mark, entity.mentions))) if (str(doc.id), entity.id) in off else entity
        for entity in doc.entities
    )
    return doc.replace(entities=entities)


PLACE = "campaign definition"
_OLD = (1980, 1, 1, 0, 0, 0)


@lru_cache(maxsize=64)
def parse_definition(text: str) -> Campaign:
    """Parse the text of a campaign definition."""
    return parse_campaign(parse_toml(text, PLACE), PLACE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A phase of a campaign, ready to check and score submissions."""

    campaign: int
    revision: int
    text: str
    phase: str
    key_phase: str
    """The phase whose key is used: this phase, or one that it releases."""
    key: int
    key_digest: str
    key_file: int
    input_file: int
    chains: tuple[DisputedEntity, ...] = ()

    @property
    def definition(self) -> Campaign:
        return parse_definition(self.text)

    @property
    def disputes(self) -> Disputes:
        return Disputes(chains=self.chains)

    @property
    def switched_off(self) -> str:
        """A short identifier of the excluded chains; empty if there are none."""
        note = self.disputes.note()
        return note[0] if note else ""

    def source(self, track: Track) -> str:
        """Return an identifier of everything that scores of the track depend on."""
        return _source(track, self.key_digest, self.switched_off)

    def sources(self) -> dict[str, str]:
        """Return the source of each track."""
        return {track.name: self.source(track) for track in self.definition.tracks}


@lru_cache(maxsize=1024)
def _source(track: Track, key: str, switched_off: str) -> str:
    shown = ("title", "primary", "secondary", "report_as")
    about = {name: value for name, value in asdict(track).items() if name not in shown}
    text = json.dumps([signature_of(track), key, switched_off, about], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def signature_of(track: Track) -> str:
    """Return the signature of scores of the track computed by this version of coindex."""
    return Result.of(track.settings, []).signature


def key_phase(definition: Campaign, phase: str, with_keys: Mapping[str, KeyRow]) -> str | None:
    """Return the phase whose key is used: itself, or the last phase with a key that it releases."""
    if phase in with_keys:
        return phase
    return next((name for name in reversed(definition.phase(phase).releases) if name in with_keys), None)


def find_setup(session: Session, campaign: CampaignRow, phase: str) -> Setup | None:
    """Return the current setup of a phase, or None if it has no key."""
    definition = parse_definition(campaign.definition)
    current = queries.current_keys(session, campaign.id)
    owner = key_phase(definition, phase, current)
    if owner is None:
        return None
    key = current[owner]
    off = queries.find_active_switches(session, campaign.id, owner)
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
            DisputedEntity(document=row.document, entity=row.entity, dataset=row.dataset, reason=row.reason)
            for row in off
        ),
    )


def get_setup(session: Session, campaign: int, phase: str) -> Setup:
    """Return the current setup of a phase; raise an error if it has no key."""
    setup = find_setup(session, queries.get_campaign(session, campaign), phase)
    if setup is None:
        raise CoindexError(f"the phase {phase} has no key yet; the organisers have to upload one", code="missing-key")
    return setup


# --- keys as bytes


def pack_folder(folder: Path) -> bytes:
    """Return a zip archive of a folder; the same files produce the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _OLD)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, path.read_bytes())
    return out.getvalue()


def unpack_folder(content: bytes, folder: Path) -> None:
    """Unpack an archive created by `pack_folder`."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)


def folder_digest(folder: Path) -> str:
    return digest(folder)
