"""Scores by the part of speech of heads (CRAC 2022, Table 8).

On both sides only the entities are kept that have a mention with such a head; then they are scored as usual. The tags
of a head's `flat` children count too: "Mr. Brown" is both NOUN and PROPN.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ..document import Document
from .checking import Locate, describe_place
from .corpus import count_unit, count_units
from .heads import head_position
from .pairing import Unit
from .profiles import Settings
from .result import Result, UnitCounts

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
