"""Bridging and non-referring mentions, as the Universal Anaphora scorer counts them (Yu et al. 2022, 2023).

- `bridging-anaphor`: the mentions that have a bridging relation.
- `bridging-mention`: also with the same anchor mention.
- `bridging-entity`: also with an anchor in the same entity of the key; entities of the response do not matter.
- `non-referring`: the first mention of each entity that does not refer (see `Entity.is_referring`).

Mentions are the same if they have the same words, whatever the matching; only `min` of `ua1` is more lenient with
anchors and non-referring mentions. An anaphor has one anchor: the last one that is annotated. Where only the antecedent
entity is annotated, as in CorefUD, the anchor is its last mention before the anaphor (`document.entities.find_anchor`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ...document.entities import find_anchor
from ..alignment import Alignment, Counts
from ..sides import Side
from ..token_alignment import Words, words_of
from ..ua import UAAlignment
from .registry import Metric


def count_bridging(level: str, alignment: Alignment) -> Counts:
    """Count the bridging anaphors of the key that are found with their anchors."""
    if isinstance(alignment, UAAlignment):
        ua = alignment
        key, response, entity_of = ua.key_side.bridges, ua.response_side.bridges, ua.key_side.cluster_of
        sizes = len(key), len(response)
        both = [(key[anaphor], response[anaphor]) for anaphor in key if anaphor in response]
        pairs = [(ua.match(k, r), entity_of.get(k[0]), entity_of.get(r[0])) for k, r in both]
    else:
        mine, theirs = _find_bridges(alignment.key), _find_bridges(alignment.response)
        sizes = len(mine), len(theirs)
        entities = _find_entities(alignment.key)
        pairs = [(mine[a] == theirs[a], entities.get(mine[a]), entities.get(theirs[a])) for a in mine if a in theirs]
    right = len(pairs)
    if level != "anaphor":
        right = sum(same or (level == "entity" and k is not None and k == r) for same, k, r in pairs)
    return Counts((right, sizes[0], right, sizes[1]))


def _find_bridges(side: Side) -> dict[Words, Words]:
    """Return the words of the anchor of each anaphor."""
    bridges: dict[Words, Words] = {}
    for doc, codes in side.parts:
        for bridge in doc.bridges:
            if anchor := find_anchor(bridge, doc.entities):
                bridges[words_of(bridge.anaphor, codes)] = words_of(anchor, codes)
    return bridges


def _find_entities(side: Side) -> Mapping[Words, int]:
    spots = ((number, side.spot(mention)) for number, mention in side.mentions.items())
    return {words_of(mention, codes): side.cluster_of[number] for number, (_, codes, mention) in spots}


def count_non_referring(alignment: Alignment) -> Counts:
    """Count the non-referring mentions of the key that are non-referring in the response."""
    if isinstance(alignment, UAAlignment):
        key, response = alignment.key_side.non_referring, alignment.response_side.non_referring
        right = sum(any(alignment.match(k, r) for r in response) for k in key)
        spurious = sum(not any(alignment.match(k, r) for k in key) for r in response)
        return Counts((right, len(key), right, right + spurious))
    mine, theirs = _find_non_referring(alignment.key), _find_non_referring(alignment.response)
    right = sum(words in theirs for words in mine)
    spurious = sum(words not in mine for words in theirs)
    return Counts((right, len(mine), right, right + spurious))


def _find_non_referring(side: Side) -> list[Words]:
    return [
        words_of(entity.mentions[0], codes)
        for doc, codes in side.parts
        for entity in doc.entities
        if not entity.is_referring
    ]


ANAPHOR = Metric("bridging-anaphor", "bridging anaphors", partial(count_bridging, "anaphor"), takes_repeated=True)
MENTION = Metric("bridging-mention", "bridging to mentions", partial(count_bridging, "mention"), takes_repeated=True)
ENTITY = Metric("bridging-entity", "bridging to entities", partial(count_bridging, "entity"), takes_repeated=True)
NON_REFERRING = Metric("non-referring", "non-referring mentions", count_non_referring, takes_repeated=True)
