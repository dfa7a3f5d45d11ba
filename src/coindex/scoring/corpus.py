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

Scores by part of speech, with and without singletons, and macro-averaged over datasets.

The macro average over datasets: each counts the same, however large it is.

Every number is the plain mean of the datasets' numbers, as in the shared tasks: F1 is the mean of their F1, not the F1
of mean recall and mean precision, and CoNLL the mean of their CoNLL scores.

On both sides only the entities are kept that have a mention with such a head; then they are scored as usual. The tags
of a head's `flat` children count too: "Mr. Brown" is both NOUN and PROPN.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any, NamedTuple, TypeVar

from ..document import Document, Kind
from ..errors import CoindexError, Place, Problem, ProblemError, quote
from .alignment import Alignment, Score
from .matching import RULES, align, get_matching
from .metrics.registry import get_metric
from .profiles import Settings, UnitName, make_settings, signature
from .result import ByMetric, Result, UnitCounts, check_repeated, collect_notes, common_settings, package_version, warn
from .sides import Part, head_position
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


@dataclass(frozen=True)
class MacroResult(ByMetric):
    """Mean scores by metric, like those of a `Result`; `results` has the datasets they are the mean of."""

    results: Mapping[str, Result]
    scores: Mapping[str, Score]
    conll: float | None
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: fractions, not rounded; the datasets one by one beside their mean."""
        datasets = {name: result.to_dict() for name, result in self.results.items()}
        for data in datasets.values():
            del data["signature"]  # theirs says the same as ours
        return {
            "signature": self.signature,
            "metrics": {name: score.to_dict() for name, score in self.scores.items()},
            "conll": self.conll,
            "datasets": datasets,
        }


def macro_average(results: Mapping[str, Result]) -> MacroResult:
    """The unweighted mean of results, by the name of the dataset; all must have been scored alike."""
    settings = common_settings(results)
    scores = {}
    for name in settings.metrics:
        found = [result[name] for result in results.values()]
        scores[name] = Score(
            _mean([score.recall for score in found]),
            _mean([score.precision for score in found]),
            _mean([score.f1 for score in found]),
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
    """The same response scored twice. Mention detection by the `ecb` profiles is the same in both."""

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
    """Score without and with singletons in one pass over the documents, whatever the settings say of them."""
    count = partial(count_both, settings=settings, locate=locate)
    found = count_units(count, key, response, settings, locate=locate, map=map)
    warn((note for _, unit in found for note in unit.notes), stacklevel=2)
    return finish_both(settings, found)


def count_both(unit: Unit, settings: Settings, locate: Locate = describe_place) -> tuple[UnitCounts, UnitCounts]:
    """What the metrics find in a unit without and with singletons."""
    without, within = _both(settings)
    return count_unit(unit, without, locate), count_unit(unit, within, locate)


def finish_both(settings: Settings, units: Sequence[tuple[UnitCounts, UnitCounts]]) -> SideBySide:
    """The results of summing the units."""
    without, within = _both(settings)
    return SideBySide(Result.of(without, [one for one, _ in units]), Result.of(within, [other for _, other in units]))


def _both(settings: Settings) -> tuple[Settings, Settings]:
    return replace(settings, singletons=False), replace(settings, singletons=True)


TAGS = (
    *("NOUN", "PRON", "PROPN", "DET", "ADJ", "VERB", "ADV", "NUM"),
    *("ADP", "AUX", "CCONJ", "INTJ", "PART", "PUNCT", "SCONJ", "SYM", "X"),
)
"""All universal tags, those of the paper's table first."""


def head_tags(doc: Document) -> list[frozenset[str]]:
    """For each entity, the tags of its heads and of their flat children."""
    flat = _flat_children(doc)
    return [
        frozenset(
            tag
            for position in map(head_position, entity.mentions)
            for tag in (doc.tokens[position].upos, *flat.get(position, ()))
        )
        for entity in doc.entities
    ]


def _flat_children(doc: Document) -> dict[int, list[str]]:
    """The tags of the words that hang on a position by `flat` or a subtype of it."""
    found: dict[int, list[str]] = {}
    for sentence in doc.sentences:
        tokens = sentence.tokens
        if any(token.deprel.partition(":")[0] == "flat" for token in tokens):
            place = {token.id: sentence.start + offset for offset, token in enumerate(tokens)}
            for token in tokens:
                if token.deprel.partition(":")[0] == "flat" and token.head in place:
                    found.setdefault(place[token.head], []).append(token.upos)
    return found


def score_by_upos(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    tags: Sequence[str] = TAGS,
    locate: Locate = describe_place,
) -> dict[str, Result]:
    """A result for each tag that some entity of either side has."""
    count = partial(count_by_tag, settings=settings, locate=locate, tags=tags)
    return finish_tags(settings, count_units(count, key, response, settings, locate=locate))


def finish_tags(settings: Settings, units: Sequence[Mapping[str, UnitCounts]]) -> dict[str, Result]:
    """The results of summing the units in which each tag was found."""
    seen = dict.fromkeys(tag for unit in units for tag in unit)
    order = {tag: number for number, tag in enumerate(TAGS)}
    return {
        tag: Result.of(settings, [unit[tag] for unit in units if tag in unit])
        for tag in sorted(seen, key=lambda tag: order.get(tag, len(order)))
    }


def count_by_tag(
    unit: Unit, settings: Settings, locate: Locate = describe_place, tags: Sequence[str] = TAGS
) -> dict[str, UnitCounts]:
    """What the metrics find in the entities of each tag that is there."""
    docs = [doc for pair in unit.pairs for doc in (pair.key, pair.response) if doc is not None]
    cached = {id(doc): head_tags(doc) for doc in docs}
    present = {tag for found in cached.values() for entity in found for tag in entity}
    return {tag: count_unit(_with_tag(unit, tag, cached), settings, locate) for tag in tags if tag in present}


def _with_tag(unit: Unit, tag: str, tags: dict[int, list[frozenset[str]]]) -> Unit:
    def keep(doc: Document | None) -> Document | None:
        if doc is None:
            return None
        pairs = zip(doc.entities, tags[id(doc)], strict=True)
        return doc.replace(entities=tuple(entity for entity, found in pairs if tag in found))

    return Unit(unit.id, tuple(replace(p, key=keep(p.key), response=keep(p.response)) for p in unit.pairs))
