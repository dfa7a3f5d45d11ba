"""Which mentions of key and response correspond: a table of the ways, by the scorer that has them and their name.

A way prepares both sides (what makes two mentions the same, what becomes of a repeated one) and aligns them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from ..errors import UnknownNameError
from . import corefud10, corefud12, lenient
from .alignment import Alignment
from .sides import MentionTable, Part, Preparation, Side, build_side
from .token_alignment import Compared

Zeros = Literal["dependent", "linear"]
Align = Callable[[Side, Side], Alignment]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """A way of matching: how sides are prepared, and how they are aligned for each treatment of zeros."""

    prepare: Preparation
    align: dict[Zeros, Align]
    uses_key_heads: bool = False
    uses_response_heads: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What one official scorer does beside its formulas."""

    name: str
    matchings: dict[str, Matching]
    compares: Compared = "words"
    most_repeated: int | None = None
    """How many repeated mentions a response document may have."""
    cuts_alike: bool = False
    """Whether mentions are known by characters, so that words may be cut differently; see `cuts`."""


def _one_to_one(align: Callable[..., Alignment], **options: bool) -> Matching:
    uses_heads = options.get("uses_response_heads", False)
    return Matching(
        prepare=Preparation(identity="words and head" if uses_heads else "words"),
        align={
            "dependent": partial(align, zeros_by_dependents=True),
            "linear": partial(align, zeros_by_dependents=False),
        },
        **options,
    )


def _look_up(align: Align, *, heads: bool = True, to_heads: bool = False, **options: bool) -> Matching:
    return Matching(prepare=Preparation(heads=heads, to_heads=to_heads), align={"linear": align}, **options)


_EXACT_1_0 = _look_up(corefud10.align_exact, heads=False)
_PARTIAL_1_0 = _look_up(corefud10.align_partial, uses_key_heads=True)

RULES = {
    rules.name: rules
    for rules in (
        Rules(
            name="corefud-1.0",
            compares="words and empty nodes",
            matchings={
                "exact": _EXACT_1_0,
                "partial": _PARTIAL_1_0,
                "head": _look_up(corefud10.align_partial, to_heads=True, uses_key_heads=True, uses_response_heads=True),
            },
        ),
        Rules(
            name="corefud-1.1",
            compares="words and empty nodes",
            matchings={
                "exact": _EXACT_1_0,
                "partial": _PARTIAL_1_0,
                "head": _look_up(corefud10.align_heads, uses_key_heads=True, uses_response_heads=True),
            },
        ),
        Rules(
            name="corefud-1.2",
            matchings={
                "exact": _one_to_one(corefud12.align_exact),
                "partial": _one_to_one(corefud12.align_partial, uses_key_heads=True),
                "head": _one_to_one(corefud12.align_heads, uses_key_heads=True, uses_response_heads=True),
                "lenient": _one_to_one(lenient.align_lenient),
                "overlap": _one_to_one(lenient.align_overlap),
            },
        ),
        Rules(
            name="conll-8.01",
            compares="nothing",
            most_repeated=10,
            matchings={
                "exact": Matching(prepare=Preparation(repeated="first"), align={"linear": corefud10.align_exact}),
            },
        ),
        Rules(name="cross-document", matchings={"exact": _EXACT_1_0}),
        Rules(
            name="rueval-2014",
            cuts_alike=True,
            matchings={
                "lenient": _one_to_one(partial(lenient.align_primary, match=lenient.match_lenient)),
                "exact": _one_to_one(partial(lenient.align_primary, match=lenient.match_exact)),
            },
        ),
        Rules(
            name="are-2007",
            matchings={"exact": _one_to_one(corefud12.align_exact), "overlap": _one_to_one(lenient.align_overlap)},
        ),
    )
}


def get_matching(rules: str, match: str) -> Matching:
    """The way of that name under these rules."""
    known = RULES[rules].matchings
    if match not in known:
        raise UnknownNameError(f"matching of the rules {rules}", match, known)
    return known[match]


def align(key: list[Part], response: list[Part], matching: Matching, *, singletons: bool, zeros: Zeros) -> Alignment:
    """Align the two sides of a unit, whose words are numbered alike."""
    how = replace(matching.prepare, singletons=singletons)
    table = MentionTable(how.identity)
    return matching.align[zeros](build_side(key, table, how), build_side(response, table, how))
