"""Key chains that are switched off because annotators could not agree on them, as RU-EVAL 2014 did (section 4.2.4).

A switched-off chain is neither asked for nor held against anybody. Under the rules of RU-EVAL its mentions become
secondary markables (`scoring.markables`). Other scorers know no such thing: there the chain goes out of the key, and
out of every answer go the mentions of the same words, unless the key has them in another entity as well.

The list is a TOML file:

    [[chains]]
    document = "doc7"
    entity = "e12"
    reason = "generic use"
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ..document import Document, Entity, Mention
from ..errors import CoindexError, quote
from ..scoring import Settings
from ..scoring.lenient import ATTRIBUTE
from ..settings import ConfigError, parse_section, read_toml

RUEVAL = "rueval-2014"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """A chain of the key that does not count, and why."""

    document: str
    entity: str
    dataset: str = ""
    """Where several datasets have a document of that name."""
    reason: str = ""

    def __str__(self) -> str:
        place = f"{self.dataset}, " if self.dataset else ""
        why = f": {self.reason}" if self.reason else ""
        return f"switched off: {place}document {quote(self.document)}, chain {quote(self.entity)}{why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputes:
    """All chains that are switched off."""

    chains: tuple[Chain, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.chains)

    def of(self, dataset: str) -> Sequence[Chain]:
        """Those of a dataset, and those that do not say theirs."""
        return [chain for chain in self.chains if chain.dataset in ("", dataset)]

    def digest(self, dataset: str) -> str:
        """What a record says of them: empty where there are none; reasons change no number."""
        names = sorted((chain.document, chain.entity) for chain in self.of(dataset))
        return hashlib.sha256(json.dumps(names).encode()).hexdigest()[:16] if names else ""

    def note(self) -> tuple[str, ...]:
        """What the signature of a number says of them."""
        names = sorted((chain.dataset, chain.document, chain.entity) for chain in self.chains)
        digest = hashlib.sha256(json.dumps(names).encode()).hexdigest()[:8]
        return (f"off:{len(names)}-{digest}",) if names else ()


def read_disputes(path: str | Path) -> Disputes:
    """The list in a TOML file."""
    found: Disputes = parse_section(Disputes, read_toml(Path(path)), str(path))
    return found


def check_disputes(disputes: Disputes, keys: Mapping[str, Sequence[Document]]) -> None:
    """Refuse a chain that is nowhere in the keys: a slip would change nothing, unseen."""
    for chain in disputes.chains:
        docs = [doc for name, docs in keys.items() if chain.dataset in ("", name) for doc in docs]
        if not any(doc.id == chain.document and _has(doc, chain.entity) for doc in docs):
            asked = json.dumps({name: value for name, value in asdict(chain).items() if value}, ensure_ascii=False)
            raise ConfigError(f"{asked}: no such chain in the key; expected one that is there; mend the list")


def _has(doc: Document, entity: str) -> bool:
    return any(one.id == entity for one in doc.entities)


def switch_off(
    key: Iterable[Document], response: Iterable[Document], chains: Sequence[Chain], settings: Settings
) -> tuple[list[Document], list[Document]]:
    """Key and response without the chains, or with them as the scorer passes over them."""
    keys, responses = list(key), list(response)
    off = {(chain.document, chain.entity) for chain in chains}
    if settings.rules == RUEVAL:
        return [_secondary(doc, off) for doc in keys], responses
    if settings.unit != "document" and any(doc.shared_ids for doc in keys):
        # an entity over documents is off everywhere, whichever of its documents the list names
        named = {entity for _, entity in off}
        off |= {(str(doc.id), entity.id) for doc in keys for entity in doc.entities if entity.id in named}
    gone = {doc.id: _only_there(doc, off) for doc in keys}
    if len(gone) != len(keys):
        raise CoindexError(
            "two documents of one id in the key; expected ids that differ to switch chains off",
            code="duplicate-document-id",
        )
    return (
        [doc.replace(entities=_others(doc, off), bridges=(), split_antecedents=()) for doc in keys],
        [_without(doc, gone.get(doc.id, frozenset())) for doc in responses],
    )


def _others(doc: Document, off: Collection[tuple[str, str]]) -> tuple[Entity, ...]:
    return tuple(entity for entity in doc.entities if (str(doc.id), entity.id) not in off)


def _only_there(doc: Document, off: Collection[tuple[str, str]]) -> frozenset[tuple[int, ...]]:
    """The places of mentions that only switched-off chains have."""
    kept = {mention.positions for entity in _others(doc, off) for mention in entity.mentions}
    all_places = {mention.positions for entity in doc.entities for mention in entity.mentions}
    return frozenset(all_places - kept)


def _without(doc: Document, places: Collection[tuple[int, ...]]) -> Document:
    """The document without the mentions at these places."""
    if not places:
        return doc
    entities = []
    for entity in doc.entities:
        mentions = tuple(mention for mention in entity.mentions if mention.positions not in places)
        if mentions:
            entities.append(replace(entity, mentions=mentions))
    return doc.replace(entities=tuple(entities), bridges=(), split_antecedents=())


def _secondary(doc: Document, off: Collection[tuple[str, str]]) -> Document:
    """The document with the mentions of these chains marked as secondary."""

    def marked(mention: Mention) -> Mention:
        return Mention(mention.layer, mention.positions, mention.head, {**mention.attributes, ATTRIBUTE: "secondary"})

    entities = tuple(
        replace(entity, mentions=tuple(map(marked, entity.mentions))) if (str(doc.id), entity.id) in off else entity
        for entity in doc.entities
    )
    return doc.replace(entities=entities)
