"""What the user should know of the data, collected unit by unit and told once."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from ..document import Mention
from ..errors import DataWarning, quote
from .alignment import Alignment
from .matching import RULES, get_matching
from .metrics.registry import get_metric
from .profiles import Settings
from .sides import Side, Spot
from .token_alignment import Locate, MismatchError, describe_place

SHOWN = 20


class Note(NamedTuple):
    """An oddity of one unit: its kind, which is a key of `TEXTS`, how often, and the first places."""

    kind: str
    number: int
    places: tuple[str, ...]


_REPEATED = (
    "{n} mentions of the {side} occur more than once and are counted as the official scorer does; "
    "write each mention once, in one entity"
)
_NO_HEAD = (
    "{n} mentions of the {side} say nothing of their head, so the first word counts as the head; "
    "add heads with: coindex heads"
)
_NO_DEPS = (
    "{n} zeros of the {side} have no DEPS to be matched by and are matched by position; "
    "add DEPS, or choose zeros linear"
)
TEXTS = {
    f"{kind} {side}": text.replace("{side}", side)
    for kind, text in (("repeated", _REPEATED), ("no head in", _NO_HEAD), ("no deps in", _NO_DEPS))
    for side in ("key", "response")
}
TEXTS["unknown head in key"] = (
    "{n} mentions of the key have neither a head nor a dependency tree, so any word they share with a response mention "
    "makes a match; give their heads"
)
TEXTS["unknown head in response"] = (
    "{n} mentions of the response that hold more than a key mention have neither a head nor a dependency tree, so they "
    "match though their head may lie outside; give their heads"
)
TEXTS["local ids in response"] = (
    "{n} documents of the response have entity ids of their own, so no response entity runs through several of them as "
    "entities of the key do; use a format with ids for the whole corpus, such as ecbplus"
)


def collect_notes(alignment: Alignment, settings: Settings, locate: Locate = describe_place) -> list[Note]:
    """The oddities of one unit."""
    matching = get_matching(settings.rules, settings.match)
    found: list[tuple[str, Side, list[Mention]]] = [*alignment.remarks]
    takes_repeated = all(get_metric(name, settings.rules).takes_repeated for name in settings.metrics)
    for name, side, uses_heads in (
        ("key", alignment.key, matching.uses_key_heads),
        ("response", alignment.response, matching.uses_response_heads),
    ):
        if not takes_repeated:
            found.append(("repeated " + name, side, side.repeated))
        if uses_heads:
            found.append(("no head in " + name, side, side.headless()))
        if settings.zeros == "dependent":
            found.append(("no deps in " + name, side, _without_deps(side)))
    notes = []
    for kind, side, mentions in found:
        shown = [] if kind.startswith("no head") else mentions[:SHOWN]  # heads are missing everywhere or nowhere
        if mentions:
            notes.append(Note(kind, len(mentions), tuple(_place(side.spot(m), locate) for m in shown)))
    if settings.unit != "document" and any(doc.shared_ids for doc, _ in alignment.key.parts):
        local = sum(not doc.shared_ids for doc, _ in alignment.response.parts)
        notes += [Note("local ids in response", local, ())] if local else []
    return notes


def check_repeated(alignment: Alignment, settings: Settings, locate: Locate = describe_place) -> None:
    """Refuse a response that repeats more mentions than the official scorer takes."""
    most = RULES[settings.rules].most_repeated
    repeated = alignment.response.repeated
    if most is not None and len(repeated) > most:
        raise MismatchError(
            f"response: {_place(alignment.response.spot(repeated[0]), locate)}",
            f"{len(repeated)} repeated mentions in one document",
            f"at most {most}, as in the reference scorer",
            "write no mention twice",
        )


def _place(spot: Spot, locate: Locate) -> str:
    return f"{locate(spot.doc, spot.mention.start)} {quote(spot.mention.text)}"


def _without_deps(side: Side) -> list[Mention]:
    return [side.mentions[mention] for mention, zero in side.zeros.items() if not zero.relations]


def warn(notes: Iterable[Note], stacklevel: int = 2) -> None:
    """One warning a kind, which names the first places."""
    numbers: Counter[str] = Counter()
    places: dict[str, list[str]] = {}
    for note in notes:
        numbers[note.kind] += note.number
        places.setdefault(note.kind, []).extend(note.places)
    for kind, number in numbers.items():
        message = TEXTS[kind].format(n=number)
        if places[kind]:
            more = f"; and {number - SHOWN} more" if number > SHOWN else ""
            message += f": {'; '.join(places[kind][:SHOWN])}{more}"
        warnings.warn(message, DataWarning, stacklevel=stacklevel + 1)
