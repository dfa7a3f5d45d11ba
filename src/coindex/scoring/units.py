"""What is scored by itself: a document, a topic, a subtopic or the whole corpus (Cattan et al. 2021).

Entities may run through the documents of a unit: an id means one entity in all documents that say so
(`Document.shared_ids`), and is local to the others. At the border of a unit entities are cut: each unit sees its own
part, and what has one mention there is a singleton there. The paper does not say what becomes of the few key entities
with mentions in several subtopics; cutting them keeps units independent, so that counts add and no response made for
one unit is asked for links that it cannot have. The unit "corpus" cuts nothing.

Topics and subtopics are those of the key. Their documents need not stand side by side (in the folders of ECB+
subtopics alternate), so all documents are gathered before the first unit is scored: a corpus annotated across
documents is small, 50 MB for the 772 of ECB+.

The paper's other principle, mention detection apart from coreference, is the metric `mentions` of the profiles
`ecb-topic` and `ecb-subtopic`: equal spans, with singletons always. `singletons.score_side_by_side` has
both ways of counting singletons in the metrics of coreference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from ..document import Document, Kind
from ..errors import CoindexError, Problem
from .checking import Locate, MismatchError, describe_place
from .pairing import Pair, Unit, pair_documents
from .profiles import Settings, UnitName

Group = tuple[str, ...]
"""What the documents of a unit have in common: nothing, the topic, or topic and subtopic."""


def make_units(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    locate: Locate = describe_place,
    apart: frozenset[str] = frozenset(),
) -> Iterator[Unit]:
    """The units of a corpus in the key's order, with the entities of the kind that is asked for."""
    units = pair_documents(key, response, settings, locate=locate, apart=apart)
    if settings.kind is not None:
        units = _only_kind(units, settings.kind, strict=settings.strict)
    if settings.unit == "document":
        return units
    return _gather(units, partial(_group, unit=settings.unit, locate=locate))


def _gather(units: Iterable[Unit], group: partial[Group]) -> Iterator[Unit]:
    gathered: dict[Group, list[Pair]] = {}
    for unit in units:
        # Only a document that goes on beyond the key's end has no key, and never comes first.
        first = next(pair.key for pair in unit.pairs if pair.key is not None)
        gathered.setdefault(group(first), []).extend(unit.pairs)
    by_last = {found[-1] for found in gathered if found}
    clear = len(by_last) == len(gathered)  # else subtopics of two topics have one name
    for found, pairs in gathered.items():
        yield Unit((found[-1] if clear else "/".join(found)) if found else "corpus", tuple(pairs))


def _group(doc: Document, unit: UnitName, locate: Locate) -> Group:
    if unit == "corpus":
        return ()
    if doc.topic is None and (unit == "topic" or doc.subtopic is None):
        place = f"key: {locate(doc, 0)}"
        remedy = "give a key in a format that has topics, such as ecbplus, or choose the unit document or corpus"
        raise CoindexError(str(Problem(place, None, f"a document without a {unit}", f"a {unit} for each", remedy)))
    names = (doc.topic, doc.subtopic if unit == "subtopic" else None)
    return tuple(name for name in names if name is not None)


class _Tally:
    """How many entities a side had, and how many of them are of the kind."""

    def __init__(self) -> None:
        self.all = self.kept = 0

    def keep(self, doc: Document | None, kind: Kind) -> Document | None:
        """The document with the entities of the kind."""
        if doc is None:
            return None
        entities = tuple(entity for entity in doc.entities if entity.kind == kind)
        self.all += len(doc.entities)
        self.kept += len(entities)
        return doc.replace(entities=entities)


def _only_kind(units: Iterable[Unit], kind: Kind, *, strict: bool) -> Iterator[Unit]:
    """Units without the entities of the other kind; raise in the end where nothing was left of a side."""
    key, response = _Tally(), _Tally()
    for unit in units:
        pairs = (
            replace(pair, key=key.keep(pair.key, kind), response=response.keep(pair.response, kind))
            for pair in unit.pairs
        )
        yield Unit(unit.id, tuple(pairs))
    for name, side in (("key", key), ("response", response)):
        if strict and side.all and not side.kept and (key.kept or side is key):
            raise MismatchError(
                name,
                f"{side.all} entities, none of the kind {kind}",
                f"some of the kind {kind}",
                "use a format that tells events from entities, such as ecbplus or corefud, or leave out the kind; "
                "--no-strict (strict=False) scores what is there",
            )
