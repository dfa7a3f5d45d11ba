"""Score a corpus: pair documents, group them into units, align, count and sum.

Key and response documents are read side by side, one pair at a time, so memory does not grow with their number.
Documents with the same id count as one document, as in the official scorers. If such documents are not adjacent, both
sides are read a second time and must therefore be reusable iterables.

**Units.** A unit is scored independently: a document, a topic, a subtopic or the whole corpus (Cattan et al. 2021).
Entities may span the documents of a unit: an id denotes one entity in all documents with `Document.shared_ids` and is
local to the others. Entities are cut at the border of a unit: each unit sees its own part, and an entity with one
mention there is a singleton. The paper does not specify how to treat the few key entities with mentions in several
subtopics; cutting them keeps units independent, so that counts add up and no response for one unit needs links that it
cannot have. The unit "corpus" cuts nothing.

Topics and subtopics are those of the key. Their documents need not be adjacent (in the folders of ECB+ subtopics
alternate), so all documents are collected before the first unit is scored: corpora annotated across documents are
small (50 MB for the 772 documents of ECB+).

Following the same paper, the metric `mentions` of the profiles `ecb-topic` and `ecb-subtopic` measures mention
detection separately from coreference: equal spans, always with singletons. `score_side_by_side` scores the other
metrics both with and without singletons.

**Macro average and scores by part of speech.** `macro_average` gives each dataset the same weight, whatever its size.
Every number is the plain mean of the datasets' numbers, as in the shared tasks: F1 is the mean of their F1 scores, not
the F1 of mean recall and mean precision, and CoNLL is the mean of their CoNLL scores.

`score_by_upos` keeps, on both sides, only the entities that have a mention with a head of a given tag, and scores them
as usual. The tags of a head's `flat` children count too: "Mr. Brown" is both NOUN and PROPN.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any, NamedTuple, TypeVar

from ..document import Document
from ..errors import CoindexError, Place, Problem, ProblemError, quote
from .alignment import Alignment, Score
from .matching import RULES, align, get_matching
from .metrics.registry import get_metric
from .profiles import ScoredKind, Settings, UnitName, make_settings, signature
from .result import ByMetric, Result, UnitCounts, check_repeated, collect_notes, common_settings, package_version, warn
from .sides import Part, head_position
from .token_alignment import Locate, MismatchError, check_pair, cut_alike, describe_place, number_words


@dataclass(frozen=True, slots=True)
class Pair:
    """A key document and its response; one of them may be missing where official scorers allow it."""

    key: Document | None
    response: Document | None
    same: bool = True
    """Whether both have the same words and empty nodes, so that equal positions mean equal words."""

    @property
    def id(self) -> str | None:
        """The id of the documents."""
        doc = self.key or self.response
        return None if doc is None else doc.id


@dataclass(frozen=True, slots=True)
class Unit:
    """The documents that are scored together: usually one document and its response."""

    id: str | None
    pairs: tuple[Pair, ...]


class DocumentsApart(Exception):  # noqa: N818  # not an error: the signal to start again
    """A document has the same id as one that is already scored."""


def pair_documents(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    locate: Locate = describe_place,
    apart: frozenset[str] = frozenset(),
) -> Iterator[Unit]:
    """Yield a unit for each document id in the key's order; ids in `apart`, which are not adjacent, come last."""
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


def find_repeated_ids(docs: Iterable[Document]) -> frozenset[str]:
    """Return the ids that several documents have."""
    if iter(docs) is docs:
        raise CoindexError(
            "documents with the same id are not adjacent, so the documents must be read twice; pass paths or lists "
            "instead of iterators, or rename the documents",
            code="scattered-documents",
        )
    counts = Counter(doc.id for doc in docs if doc.id is not None)
    return frozenset(id for id, number in counts.items() if number > 1)


def _pairs(key: Iterable[Document], response: Iterable[Document], settings: Settings, locate: Locate) -> Iterator[Pair]:
    """Yield checked pairs of documents; without `strict`, ignore response documents after the last key document."""
    rules = RULES[settings.rules]
    compares = rules.compares
    if rules.is_ua:
        yield from _pairs_by_id(key, response, settings, locate)
        return
    uneven: Document | None = None  # only the last document may have missing or additional sentences
    seen: set[str] = set()
    for key_doc, response_doc in zip_longest(key, response):
        if key_doc is None:
            if settings.strict:
                raise _extra(response_doc, locate)
            if response_doc.id in seen:  # more of a document that the key has
                yield Pair(None, response_doc, same=False)
            continue
        if response_doc is None:
            raise _make_missing_error(key_doc)
        if uneven is not None:
            raise _make_uneven_error(uneven, locate)
        if rules.cuts_alike:
            key_doc, response_doc = cut_alike(key_doc, response_doc)
        same = check_pair(key_doc, response_doc, strict=settings.strict, compares=compares, locate=locate)
        if len(key_doc.sentences) != len(response_doc.sentences) and compares != "nothing":
            uneven = response_doc
        if key_doc.id is not None:
            seen.add(key_doc.id)
        yield Pair(key_doc, response_doc, same)


def _pairs_by_id(
    key: Iterable[Document], response: Iterable[Document], settings: Settings, locate: Locate
) -> Iterator[Pair]:
    """Yield checked pairs of documents with the same id, whatever their order.

    Without `strict`, documents that only one side has are ignored, as in the Universal Anaphora scorer 1.
    """
    waiting: dict[str | None, Document] = {}
    for doc in response:
        if doc.id in waiting:
            raise _make_repeated_error("response", doc, locate)
        waiting[doc.id] = doc
    seen: set[str | None] = set()
    for key_doc in key:
        if key_doc.id in seen:
            raise _make_repeated_error("key", key_doc, locate)
        seen.add(key_doc.id)
        response_doc = waiting.pop(key_doc.id, None)
        if response_doc is not None:
            compares = RULES[settings.rules].compares
            check_pair(key_doc, response_doc, strict=settings.strict, compares=compares, locate=locate)
            yield Pair(key_doc, response_doc)
        elif settings.strict:
            raise _make_missing_error(key_doc)
    if waiting and settings.strict:
        raise _extra(next(iter(waiting.values())), locate)


def _make_repeated_error(side: str, doc: Document, locate: Locate) -> MismatchError:
    return MismatchError(
        side,
        locate(doc, 0),
        f"a second {_describe(doc)}",
        "documents with different ids",
        "rename one of them; the Universal Anaphora scorer forgets all but the last",
        code="duplicate-document-id",
        is_in_key=False,
    )


def _describe(doc: Document) -> str:
    return f"document {quote(doc.id)}" if doc.id is not None else "a document without an id"


_REMEDY = "the response must contain every document of the key, in the same order"


def _make_missing_error(key: Document) -> MismatchError:
    return MismatchError(
        "response", Place(), "the end of the documents", _describe(key), _REMEDY, code="missing-document"
    )


def _extra(response: Document, locate: Locate) -> MismatchError:
    return MismatchError(
        "response",
        locate(response, 0),
        _describe(response),
        "no more documents,",
        "remove it, or ignore it with --no-strict (strict=False)",
        code="extra-document",
    )


def _make_uneven_error(response: Document, locate: Locate) -> MismatchError:
    return MismatchError(
        "response",
        locate(response, 0),
        f"{_describe(response)} with {len(response.sentences)} sentences, unlike the key",
        "the key's sentences",
        "include every sentence of the key; only the last document may be shorter or longer",
        code="missing-sentences",
        is_in_key=False,
    )


Group = tuple[str, ...]
"""What the documents of a unit share: nothing, the topic, or topic and subtopic."""


def make_units(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    locate: Locate = describe_place,
    apart: frozenset[str] = frozenset(),
) -> Iterator[Unit]:
    """Yield the units of a corpus in the key's order, with the entities of the selected kind."""
    units = pair_documents(key, response, settings, locate=locate, apart=apart)
    if RULES[settings.rules].is_ua:  # sides without such annotation are common there
        units = _filter_kind(units, settings.kind, strict=False)
    elif settings.kind is not None:
        units = _filter_kind(units, settings.kind, strict=settings.strict)
    if settings.unit == "document":
        return units
    return _gather(units, partial(_get_group, unit=settings.unit, locate=locate))


def _gather(units: Iterable[Unit], group: partial[Group]) -> Iterator[Unit]:
    groups: dict[Group, list[Pair]] = {}
    for unit in units:
        # Only a document that continues beyond the key's end has no key, and it never comes first.
        first = next(pair.key for pair in unit.pairs if pair.key is not None)
        groups.setdefault(group(first), []).extend(unit.pairs)
    last_names = {names[-1] for names in groups if names}
    is_unique = len(last_names) == len(groups)  # otherwise subtopics of two topics share a name
    for names, pairs in groups.items():
        yield Unit((names[-1] if is_unique else "/".join(names)) if names else "corpus", tuple(pairs))


def _get_group(doc: Document, unit: UnitName, locate: Locate) -> Group:
    if unit == "corpus":
        return ()
    if doc.topic is None and (unit == "topic" or doc.subtopic is None):
        place = locate(doc, 0)
        remedy = "use a key in a format with topics, such as ecbplus, or choose the unit document or corpus"
        found, expected = f"a document without a {unit}", f"a {unit} for each document"
        raise ProblemError(
            Problem(
                place.path, place.line, found, expected, remedy, code="missing-topic", where=place.where, side="key"
            )
        )
    names = (doc.topic, doc.subtopic if unit == "subtopic" else None)
    return tuple(name for name in names if name is not None)


class _Tally:
    """The number of entities of a side, and the number of those of the selected kind."""

    def __init__(self) -> None:
        self.all = self.kept = 0

    def keep(self, doc: Document | None, kind: ScoredKind | None) -> Document | None:
        """Return the document with only the entities of the kind; None means all but discourse deixis."""
        if doc is None:
            return None
        entities = tuple(
            entity
            for entity in doc.entities
            if entity.is_deixis == (kind == "deixis") and kind in (None, "deixis", entity.kind)
        )
        self.all += len(doc.entities)
        self.kept += len(entities)
        return doc.replace(entities=entities)


def _filter_kind(units: Iterable[Unit], kind: ScoredKind | None, *, strict: bool) -> Iterator[Unit]:
    """Yield the units with only the entities of a kind; raise at the end if a side has none."""
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
                f"entities of the kind {kind}",
                "use a format that distinguishes events from entities, such as ecbplus or corefud, or omit the kind; "
                "--no-strict (strict=False) scores the data as they are",
                code="missing-entity-kind",
                is_in_key=False,
            )


Counted = TypeVar("Counted")
Map = Callable[[Callable[[Unit], Any], Iterable[Unit]], Iterable[Any]]
"""Like the builtin `map`, in order; an implementation on several processes returns identical results."""


def score_documents(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings | None = None,
    *,
    locate: Locate = describe_place,
    map: Map = map,
) -> Result:
    """Score response documents against key documents, one pair at a time.

    Problems that would make a score meaningless raise an error (see `Settings.strict`); other oddities of the data are
    reported as warnings at the end.

    Parameters:
        key: The key documents.
        response: The response documents, in the same order.
        settings: How to score, from `make_settings`; by default the profile crac24.
        locate: Returns the place of a token for messages.
        map: Replaces the builtin `map`, for example to use several processes.

    Returns:
        The scores by metric, with the counts of each unit.
    """
    settings = settings or make_settings()
    count = partial(count_unit, settings=settings, locate=locate)
    units = count_units(count, key, response, settings, locate=locate, map=map)
    warn((note for unit in units for note in unit.notes), stacklevel=2)
    return Result.of(settings, units)


def count_units(
    count: Callable[[Unit], Counted],
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    locate: Locate = describe_place,
    map: Map = map,
) -> list[Counted]:
    """Return the result of `count` for each unit; start again if documents with the same id are not adjacent."""
    try:
        return list(map(count, make_units(key, response, settings, locate=locate)))
    except DocumentsApart:
        apart = find_repeated_ids(key) | find_repeated_ids(response)
    return list(map(count, make_units(key, response, settings, locate=locate, apart=apart)))


def count_unit(unit: Unit, settings: Settings, locate: Locate = describe_place) -> UnitCounts:
    """Return the counts of every metric for a unit.

    Parameters:
        unit: The documents that are scored together.
        settings: How to score.
        locate: Returns the place of a token for messages.
    """
    alignment = align_unit(unit, settings)
    check_repeated(alignment, settings, locate)
    metrics = {name: get_metric(name, settings.rules) for name in settings.metrics}
    whole = alignment
    if not settings.singletons and any(metric.with_singletons for metric in metrics.values()):
        whole = align_unit(unit, replace(settings, singletons=True))
    counts = {name: metric.count(whole if metric.with_singletons else alignment) for name, metric in metrics.items()}
    return UnitCounts(unit.id, counts, tuple(collect_notes(alignment, settings, locate)))


def align_unit(unit: Unit, settings: Settings) -> Alignment:
    """Match the mentions of the two sides of a unit under these settings."""
    key, response = _number_parts(unit)
    matching = get_matching(settings.rules, settings.match)
    return align(key, response, matching, singletons=settings.singletons, zeros=settings.zeros, split=settings.split)


def _number_parts(unit: Unit) -> tuple[list[Part], list[Part]]:
    """Return the documents of each side, with their words numbered consecutively."""
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


@dataclass(frozen=True)
class MacroResult(ByMetric):
    """Mean scores by metric, like those of a `Result`; `results` has the result of each dataset."""

    results: Mapping[str, Result]
    scores: Mapping[str, Score]
    conll: float | None
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: the mean scores and those of each dataset, as fractions that are not rounded."""
        datasets = {name: result.to_dict() for name, result in self.results.items()}
        for data in datasets.values():
            del data["signature"]  # the same as that of the mean
        return {
            "signature": self.signature,
            "metrics": {name: score.to_dict() for name, score in self.scores.items()},
            "conll": self.conll,
            "datasets": datasets,
        }


def macro_average(results: Mapping[str, Result]) -> MacroResult:
    """Return the unweighted mean of results.

    Parameters:
        results: Results by the name of their dataset, all scored with the same settings.
    """
    settings = common_settings(results)
    scores = {}
    for name in settings.metrics:
        values = [result[name] for result in results.values()]
        scores[name] = Score(
            _mean([score.recall for score in values]),
            _mean([score.precision for score in values]),
            _mean([score.f1 for score in values]),
        )
    conll = [result.conll for result in results.values() if result.conll is not None]
    return MacroResult(
        dict(results),
        scores,
        _mean(conll) if conll else None,
        signature(settings, package_version(), f"macro:{len(results)}"),
    )


def _mean(numbers: list[float]) -> float:
    return math.fsum(numbers) / len(numbers)


class SideBySide(NamedTuple):
    """A response scored without and with singletons. Mention detection of the `ecb` profiles is the same in both."""

    without_singletons: Result
    with_singletons: Result


def score_side_by_side(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    locate: Locate = describe_place,
    map: Map = map,
) -> SideBySide:
    """Score without and with singletons in one pass over the documents.

    The parameters are those of `score_documents`; `settings.singletons` is ignored.
    """
    count = partial(count_both, settings=settings, locate=locate)
    units = count_units(count, key, response, settings, locate=locate, map=map)
    warn((note for _, unit in units for note in unit.notes), stacklevel=2)
    return finish_both(settings, units)


def count_both(unit: Unit, settings: Settings, locate: Locate = describe_place) -> tuple[UnitCounts, UnitCounts]:
    """Return the counts of a unit without and with singletons."""
    without, within = _make_both_settings(settings)
    return count_unit(unit, without, locate), count_unit(unit, within, locate)


def finish_both(settings: Settings, units: Sequence[tuple[UnitCounts, UnitCounts]]) -> SideBySide:
    """Return the results of summing the units."""
    without, within = _make_both_settings(settings)
    return SideBySide(Result.of(without, [unit for unit, _ in units]), Result.of(within, [unit for _, unit in units]))


def _make_both_settings(settings: Settings) -> tuple[Settings, Settings]:
    return replace(settings, singletons=False), replace(settings, singletons=True)


TAGS = (
    *("NOUN", "PRON", "PROPN", "DET", "ADJ", "VERB", "ADV", "NUM"),
    *("ADP", "AUX", "CCONJ", "INTJ", "PART", "PUNCT", "SCONJ", "SYM", "X"),
)
"""All universal POS tags; those in Table 8 of the CRAC 2022 paper come first."""


def head_tags(doc: Document) -> list[frozenset[str]]:
    """Return for each entity the tags of its heads and of their flat children."""
    flat = _find_flat_children(doc)
    return [
        frozenset(
            tag
            for position in map(head_position, entity.mentions)
            for tag in (doc.tokens[position].upos, *flat.get(position, ()))
        )
        for entity in doc.entities
    ]


def _find_flat_children(doc: Document) -> dict[int, list[str]]:
    """Return the tags of the `flat` children (or a subtype) of each position that has some."""
    tags: dict[int, list[str]] = {}
    for sentence in doc.sentences:
        tokens = sentence.tokens
        if any(token.deprel.partition(":")[0] == "flat" for token in tokens):
            place = {token.id: sentence.start + offset for offset, token in enumerate(tokens)}
            for token in tokens:
                if token.deprel.partition(":")[0] == "flat" and token.head in place:
                    tags.setdefault(place[token.head], []).append(token.upos)
    return tags


def score_by_upos(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    tags: Sequence[str] = TAGS,
    locate: Locate = describe_place,
) -> dict[str, Result]:
    """Return a result for each tag that an entity of either side has.

    The parameters are those of `score_documents`; `tags` are the universal tags to score.
    """
    count = partial(count_by_tag, settings=settings, locate=locate, tags=tags)
    return finish_tags(settings, count_units(count, key, response, settings, locate=locate))


def finish_tags(settings: Settings, units: Sequence[Mapping[str, UnitCounts]]) -> dict[str, Result]:
    """Return the results of summing, for each tag, the units in which it occurs."""
    seen = dict.fromkeys(tag for unit in units for tag in unit)
    order = {tag: number for number, tag in enumerate(TAGS)}
    return {
        tag: Result.of(settings, [unit[tag] for unit in units if tag in unit])
        for tag in sorted(seen, key=lambda tag: order.get(tag, len(order)))
    }


def count_by_tag(
    unit: Unit, settings: Settings, locate: Locate = describe_place, tags: Sequence[str] = TAGS
) -> dict[str, UnitCounts]:
    """Return the counts of a unit for each tag that occurs in it."""
    docs = [doc for pair in unit.pairs for doc in (pair.key, pair.response) if doc is not None]
    cached = {id(doc): head_tags(doc) for doc in docs}
    present = {tag for entities in cached.values() for entity_tags in entities for tag in entity_tags}
    return {tag: count_unit(_filter_tag(unit, tag, cached), settings, locate) for tag in tags if tag in present}


def _filter_tag(unit: Unit, tag: str, tags: dict[int, list[frozenset[str]]]) -> Unit:
    def keep(doc: Document | None) -> Document | None:
        if doc is None:
            return None
        pairs = zip(doc.entities, tags[id(doc)], strict=True)
        return doc.replace(entities=tuple(entity for entity, own in pairs if tag in own))

    return Unit(unit.id, tuple(replace(p, key=keep(p.key), response=keep(p.response)) for p in unit.pairs))
