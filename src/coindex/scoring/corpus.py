"""Score a corpus: pair documents, group them into units, align, count, sum.

Key and response documents side by side, one pair after the other, so that memory does not grow with their number.

Documents of the same id count as one, as in the official scorers. Where such documents stand apart, a second pass over
both sides is needed, so both must be something that can be gone through twice.

What is scored by itself: a document, a topic, a subtopic or the whole corpus (Cattan et al. 2021).

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

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any, TypeVar

from ..document import Document, Kind
from ..errors import CoindexError, Place, Problem, ProblemError, quote
from .alignment import Alignment
from .matching import RULES, align, get_matching
from .metrics.registry import get_metric
from .profiles import Settings, UnitName, make_settings
from .result import Result, UnitCounts, check_repeated, collect_notes, warn
from .sides import Part
from .token_alignment import Locate, MismatchError, check_pair, cut_alike, describe_place, number_words


@dataclass(frozen=True, slots=True)
class Pair:
    """A key document and the response to it; one is missing where official scorers pass over that."""

    key: Document | None
    response: Document | None
    same: bool = True
    """Whether words and empty nodes are the same, so that equal positions mean equal words."""

    @property
    def id(self) -> str | None:
        doc = self.key or self.response
        return None if doc is None else doc.id


@dataclass(frozen=True, slots=True)
class Unit:
    """What is scored by itself: usually one document and the response to it."""

    id: str | None
    pairs: tuple[Pair, ...]


class DocumentsApart(Exception):  # noqa: N818  # not an error: the sign to begin again
    """A document has the id of one that is scored already."""


def pair_documents(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    locate: Locate = describe_place,
    apart: frozenset[str] = frozenset(),
) -> Iterator[Unit]:
    """The units of a corpus in the key's order; those whose ids are known to stand `apart` come last."""
    waiting: dict[str, list[Pair]] = {}
    current: list[Pair] = []
    done: set[str] = set()
    for pair in _pairs(key, response, settings, locate):
        if pair.id is not None and pair.id in apart:
            waiting.setdefault(pair.id, []).append(pair)
            continue
        if current and pair.id is not None and pair.id == current[0].id:
            current.append(pair)
            continue
        if pair.id in done:
            raise DocumentsApart(pair.id)
        if current:
            yield Unit(current[0].id, tuple(current))
        if pair.id is not None:
            done.add(pair.id)
        current = [pair]
    if current:
        yield Unit(current[0].id, tuple(current))
    for id, pairs in waiting.items():
        yield Unit(id, tuple(pairs))


def repeated_ids(docs: Iterable[Document]) -> frozenset[str]:
    """The ids that several documents have."""
    if iter(docs) is docs:
        raise CoindexError(
            "two documents of one id stand apart, which takes a second look at all of them; give paths or lists, "
            "not iterators, or rename the documents",
            code="scattered-documents",
        )
    counts = Counter(doc.id for doc in docs if doc.id is not None)
    return frozenset(id for id, number in counts.items() if number > 1)


def _pairs(key: Iterable[Document], response: Iterable[Document], settings: Settings, locate: Locate) -> Iterator[Pair]:
    """Documents side by side, checked. Without `strict`, response documents after the last key one are passed over."""
    rules = RULES[settings.rules]
    compares = rules.compares
    uneven: Document | None = None  # a document with missing or additional sentences must be the last
    seen: set[str] = set()
    for one, other in zip_longest(key, response):
        if one is None:
            if settings.strict:
                raise _extra(other, locate)
            if other.id in seen:  # more of a document that the key has
                yield Pair(None, other, same=False)
            continue
        if other is None:
            raise _missing(one)
        if uneven is not None:
            raise _uneven(uneven, locate)
        if rules.cuts_alike:
            one, other = cut_alike(one, other)
        same = check_pair(one, other, strict=settings.strict, compares=compares, locate=locate)
        if len(one.sentences) != len(other.sentences) and compares != "nothing":
            uneven = other
        if one.id is not None:
            seen.add(one.id)
        yield Pair(one, other, same)


def _named(doc: Document) -> str:
    return f"document {quote(doc.id)}" if doc.id is not None else "a document without an id"


_REMEDY = "give a response to every document of the key, in the key's order"


def _missing(key: Document) -> MismatchError:
    return MismatchError("response", Place(), "the end of the documents", _named(key), _REMEDY, code="missing-document")


def _extra(response: Document, locate: Locate) -> MismatchError:
    return MismatchError(
        "response",
        locate(response, 0),
        _named(response),
        "no more documents,",
        "remove it; --no-strict (strict=False) passes over it",
        code="extra-document",
    )


def _uneven(response: Document, locate: Locate) -> MismatchError:
    return MismatchError(
        "response",
        locate(response, 0),
        f"{_named(response)} with {len(response.sentences)} sentences, not as many as in the key",
        "the key's sentences",
        "give every sentence of the key; what is beyond the end is passed over in the last document only",
        code="missing-sentences",
        is_in_key=False,
    )


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
        place = locate(doc, 0)
        remedy = "give a key in a format that has topics, such as ecbplus, or choose the unit document or corpus"
        found, expected = f"a document without a {unit}", f"a {unit} for each"
        raise ProblemError(
            Problem(
                place.path, place.line, found, expected, remedy, code="missing-topic", where=place.where, side="key"
            )
        )
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
                Place(),
                f"{side.all} entities, none of the kind {kind}",
                f"some of the kind {kind}",
                "use a format that tells events from entities, such as ecbplus or corefud, or leave out the kind; "
                "--no-strict (strict=False) scores what is there",
                code="missing-entity-kind",
                is_in_key=False,
            )


Counted = TypeVar("Counted")
Map = Callable[[Callable[[Unit], Any], Iterable[Unit]], Iterable[Any]]
"""Like the builtin map, in order; one that works on several processes gives the same bits."""


def score_documents(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings | None = None,
    *,
    locate: Locate = describe_place,
    map: Map = map,
) -> Result:
    """Score response documents against key documents, one pair at a time.

    Both sides give their documents in the same order. Oddities of the data are warned of at the end; what makes a score
    meaningless is an error (see `Settings.strict`).
    """
    settings = settings or make_settings()
    count = partial(count_unit, settings=settings, locate=locate)
    found = count_units(count, key, response, settings, locate=locate, map=map)
    warn((note for unit in found for note in unit.notes), stacklevel=2)
    return Result.of(settings, found)


def count_units(
    count: Callable[[Unit], Counted],
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    locate: Locate = describe_place,
    map: Map = map,
) -> list[Counted]:
    """What `count` finds in each unit; begins again where documents of one id turn out to stand apart."""
    try:
        return list(map(count, make_units(key, response, settings, locate=locate)))
    except DocumentsApart:
        apart = repeated_ids(key) | repeated_ids(response)
    return list(map(count, make_units(key, response, settings, locate=locate, apart=apart)))


def count_unit(unit: Unit, settings: Settings, locate: Locate = describe_place) -> UnitCounts:
    """Align the two sides of a unit once and let every metric count."""
    alignment = align_unit(unit, settings)
    check_repeated(alignment, settings, locate)
    metrics = {name: get_metric(name, settings.rules) for name in settings.metrics}
    whole = alignment
    if not settings.singletons and any(metric.with_singletons for metric in metrics.values()):
        whole = align_unit(unit, replace(settings, singletons=True))
    counts = {name: metric.count(whole if metric.with_singletons else alignment) for name, metric in metrics.items()}
    return UnitCounts(unit.id, counts, tuple(collect_notes(alignment, settings, locate)))


def align_unit(unit: Unit, settings: Settings) -> Alignment:
    """Which mentions of the two sides of a unit correspond, under these settings."""
    key, response = _parts(unit)
    matching = get_matching(settings.rules, settings.match)
    return align(key, response, matching, singletons=settings.singletons, zeros=settings.zeros)


def _parts(unit: Unit) -> tuple[list[Part], list[Part]]:
    """The documents of each side, their words numbered one after the other."""
    key: list[Part] = []
    response: list[Part] = []
    offset = 0
    for pair in unit.pairs:
        numbering = number_words(pair.key, pair.response, offset, same=pair.same)
        offset += numbering.size
        if pair.key is not None:
            key.append((pair.key, numbering.key))
        if pair.response is not None:
            response.append((pair.response, numbering.response))
    return key, response
