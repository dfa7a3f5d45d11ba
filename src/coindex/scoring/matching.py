"""The ways to match mentions of key and response, by the rules of an official scorer and by name.

A matching prepares both sides (when two mentions are the same, how repeated mentions are treated) and aligns them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from ..errors import UnknownNameError
from . import corefud10, corefud12, lenient, ua
from .alignment import Alignment
from .sides import MentionTable, Part, Preparation, Side, build_side
from .token_alignment import Compared

Zeros = Literal["dependent", "linear", "none"]
"""How zeros are matched: by their relations, by position, or not at all, as they are removed."""
Align = Callable[[Side, Side], Alignment]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """A way to match mentions: how sides are prepared, and how they are aligned for each treatment of zeros."""

    prepare: Preparation
    align: dict[Zeros, Align]
    uses_key_heads: bool = False
    uses_response_heads: bool = False
    align_parts: Callable[..., Alignment] | None = None
    """Prepares and aligns the sides of scorers that read documents in their own way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What an official scorer does apart from its formulas."""

    name: str
    matchings: dict[str, Matching]
    compares: Compared = "words"
    most_repeated: int | None = None
    """The maximum number of repeated mentions in a response document; None for no limit."""
    cuts_alike: bool = False
    """Whether mentions are given by characters, so that tokens may differ; see `token_alignment.cut_alike`."""
    is_ua: bool = False
    """Whether documents are paired by id whatever their order, sentences do not matter, discourse deixis is separate
    from identity, and split antecedents can be scored."""


def _make_one_to_one(align: Callable[..., Alignment], **options: bool) -> Matching:
    uses_heads = options.get("uses_response_heads", False)
    return Matching(
        prepare=Preparation(identity="words and head" if uses_heads else "words"),
        align={
            "dependent": partial(align, zeros_by_dependents=True),
            "linear": partial(align, zeros_by_dependents=False),
        },
        uses_key_heads=options.get("uses_key_heads", False),
        uses_response_heads=uses_heads,
    )


def _make_lookup(
    align: Align,
    *,
    heads: bool = True,
    to_heads: bool = False,
    uses_key_heads: bool = False,
    uses_response_heads: bool = False,
) -> Matching:
    return Matching(
        prepare=Preparation(heads=heads, to_heads=to_heads),
        align={"linear": align},
        uses_key_heads=uses_key_heads,
        uses_response_heads=uses_response_heads,
    )


def _make_ua(version: ua.Version, match: str, *zeros: Zeros) -> Matching:
    return Matching(
        prepare=Preparation(),
        align=dict.fromkeys(zeros, corefud10.align_exact),
        align_parts=partial(ua.align, version=version, match=match),
    )


_EXACT_1_0 = _make_lookup(corefud10.align_exact, heads=False)
_PARTIAL_1_0 = _make_lookup(corefud10.align_partial, uses_key_heads=True)

RULES = {
    rules.name: rules
    for rules in (
        Rules(
            name="corefud-1.0",
            compares="words and empty nodes",
            matchings={
                "exact": _EXACT_1_0,
                "partial": _PARTIAL_1_0,
                "head": _make_lookup(
                    corefud10.align_partial, to_heads=True, uses_key_heads=True, uses_response_heads=True
                ),
            },
        ),
        Rules(
            name="corefud-1.1",
            compares="words and empty nodes",
            matchings={
                "exact": _EXACT_1_0,
                "partial": _PARTIAL_1_0,
                "head": _make_lookup(corefud10.align_heads, uses_key_heads=True, uses_response_heads=True),
            },
        ),
        Rules(
            name="corefud-1.2",
            matchings={
                "exact": _make_one_to_one(corefud12.align_exact),
                "partial": _make_one_to_one(corefud12.align_partial, uses_key_heads=True),
                "head": _make_one_to_one(corefud12.align_heads, uses_key_heads=True, uses_response_heads=True),
                "lenient": _make_one_to_one(lenient.align_lenient),
                "overlap": _make_one_to_one(lenient.align_overlap),
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
                "lenient": _make_one_to_one(partial(lenient.align_primary, match=lenient.match_lenient)),
                "exact": _make_one_to_one(partial(lenient.align_primary, match=lenient.match_exact)),
            },
        ),
        Rules(
            name="are-2007",
            matchings={
                "exact": _make_one_to_one(corefud12.align_exact),
                "overlap": _make_one_to_one(lenient.align_overlap),
            },
        ),
        Rules(
            name="ua-1",
            compares="rows and zeros",
            is_ua=True,
            matchings={match: _make_ua(1, match, "linear") for match in ("exact", "min")},
        ),
        Rules(
            name="ua-2",
            compares="rows",
            is_ua=True,
            matchings={match: _make_ua(2, match, "none", "linear") for match in ("exact", "partial", "craft")},
        ),
    )
}


def get_matching(rules: str, match: str) -> Matching:
    """Return the matching of that name under these rules."""
    known = RULES[rules].matchings
    if match not in known:
        raise UnknownNameError(f"matching of the rules {rules}", match, known)
    return known[match]


def align(
    key: list[Part],
    response: list[Part],
    matching: Matching,
    *,
    singletons: bool,
    zeros: Zeros,
    split: ua.Split = "ignored",
) -> Alignment:
    """Align the two sides of a unit, whose words share one numbering."""
    if matching.align_parts is not None:
        return matching.align_parts(key, response, singletons=singletons, zeros=zeros != "none", split=split)
    how = replace(matching.prepare, singletons=singletons)
    table = MentionTable(how.identity)
    return matching.align[zeros](build_side(key, table, how), build_side(response, table, how))
