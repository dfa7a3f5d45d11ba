"""What the user should know of the data, collected unit by unit and told once."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from ..document import Mention
from ..errors import DataWarning, quote
from .alignment import Alignment, Remark
from .matching import RULES, get_matching
from .metrics.registry import get_metric
from .profiles import Settings
from .sides import Side, Spot
from .token_alignment import Locate, MismatchError, describe_place

SHOWN = 20


class Note(NamedTuple):
    """An oddity of one unit: the side it is on, how often it occurs, the first places, and its code."""

    side: str
    number: int
    places: tuple[str, ...]
    code: str


_BOTH_SIDES = {
    "repeated-mentions": (
        "{n} mentions of the {side} occur more than once and are counted as the official scorer does; "
        "write each mention once, in one entity"
    ),
    "no-head": (
        "{n} mentions of the {side} say nothing of their head, so the first word counts as the head; "
        "add heads with: coindex heads"
    ),
    "no-deps": (
        "{n} zeros of the {side} have no DEPS to be matched by and are matched by position; "
        "add DEPS, or choose zeros linear"
    ),
}
TEXTS = {
    **{(code, side): text for code, text in _BOTH_SIDES.items() for side in ("key", "response")},
    ("unknown-head", "key"): (
        "{n} mentions of the key have neither a head nor a dependency tree, so any word they share with a response "
        "mention makes a match; give their heads"
    ),
    ("unknown-head", "response"): (
        "{n} mentions of the response that hold more than a key mention have neither a head nor a dependency tree, so "
        "they match though their head may lie outside; give their heads"
    ),
    ("local-ids", "response"): (
        "{n} documents of the response have entity ids of their own, so no response entity runs through several of "
        "them as entities of the key do; use a format with ids for the whole corpus, such as ecbplus"
    ),
}


def collect_notes(alignment: Alignment, settings: Settings, locate: Locate = describe_place) -> list[Note]:
    """The oddities of one unit."""
    matching = get_matching(settings.rules, settings.match)
    found: list[Remark] = [*alignment.remarks]
    takes_repeated = all(get_metric(name, settings.rules).takes_repeated for name in settings.metrics)
    for name, side, uses_heads in (
        ("key", alignment.key, matching.uses_key_heads),
        ("response", alignment.response, matching.uses_response_heads),
    ):
        if not takes_repeated:
            found.append(Remark(name, side, side.repeated, code="repeated-mentions"))
        if uses_heads:
            found.append(Remark(name, side, side.headless(), code="no-head"))
        if settings.zeros == "dependent":
            found.append(Remark(name, side, _without_deps(side), code="no-deps"))
    notes = []
    for name, side, mentions, code in found:
        shown = [] if code == "no-head" else mentions[:SHOWN]  # heads are missing everywhere or nowhere
        if mentions:
            notes.append(Note(name, len(mentions), tuple(_place(side.spot(m), locate) for m in shown), code=code))
    if settings.unit != "document" and any(doc.shared_ids for doc, _ in alignment.key.parts):
        local = sum(not doc.shared_ids for doc, _ in alignment.response.parts)
        notes += [Note("response", local, (), code="local-ids")] if local else []
    return notes


def check_repeated(alignment: Alignment, settings: Settings, locate: Locate = describe_place) -> None:
    """Refuse a response that repeats more mentions than the official scorer takes."""
    most = RULES[settings.rules].most_repeated
    repeated = alignment.response.repeated
    if most is not None and len(repeated) > most:
        spot = alignment.response.spot(repeated[0])
        raise MismatchError(
            "response",
            locate(spot.doc, spot.mention.start),
            f"{len(repeated)} repeated mentions in one document",
            f"at most {most}, as in the reference scorer",
            f"write no mention twice, as {quote(spot.mention.text)}",
            code="repeated-mentions",
            is_in_key=False,
        )


def _place(spot: Spot, locate: Locate) -> str:
    return f"{locate(spot.doc, spot.mention.start)} {quote(spot.mention.text)}"


def _without_deps(side: Side) -> list[Mention]:
    return [side.mentions[mention] for mention, zero in side.zeros.items() if not zero.relations]


def warn(notes: Iterable[Note], stacklevel: int = 2) -> None:
    """One warning a kind, which names the first places."""
    numbers: Counter[tuple[str, str]] = Counter()
    places: dict[tuple[str, str], list[str]] = {}
    for note in notes:
        numbers[note.code, note.side] += note.number
        places.setdefault((note.code, note.side), []).extend(note.places)
    for (code, side), number in numbers.items():
        message = TEXTS[code, side].format(n=number, side=side)
        if shown := places[code, side]:
            more = f"; and {number - SHOWN} more" if number > SHOWN else ""
            message += f": {'; '.join(shown[:SHOWN])}{more}"
        warning = DataWarning(message, code=code, details={"side": side, "number": number})
        warnings.warn(warning, stacklevel=stacklevel + 1)
