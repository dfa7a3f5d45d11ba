"""Single errors written out: lines for people, flat rows for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...document.naming import ZERO, short
from .cases import ErrorCase, Place

COLUMNS = (
    *("id", "kind", "document", "genre", "type", "side", "sentence", "start", "end", "mention", "entity"),
    *("key_antecedent", "response_antecedent", "counterpart", "parts", "distance", "size", "is_alone", "is_matched"),
    *("is_head", "is_lfw", "rare_words", "before", "after"),
)
"""Of a row of CSV and of frames."""
Mark = Callable[[str], str]


def to_row(case: ErrorCase) -> dict[str, str | int | bool | None]:
    """An error as one flat row: of other mentions their text alone."""
    place = case.mention
    return {
        "id": case.id,
        "kind": case.kind,
        "document": case.document,
        "genre": case.genre,
        "type": case.type,
        "side": place.side,
        "sentence": place.sentence,
        "start": place.positions[0],
        "end": place.positions[-1] + 1,
        "mention": place.text,
        "entity": place.entity,
        "key_antecedent": _text(case.key_antecedent),
        "response_antecedent": _text(case.response_antecedent),
        "counterpart": _text(case.counterpart),
        "parts": " | ".join(part.text for part in case.parts) or None,
        "distance": case.distance,
        "size": case.size,
        "is_alone": case.is_alone,
        "is_matched": case.is_matched,
        "is_head": case.is_head,
        "is_lfw": case.is_lfw,
        "rare_words": None if case.rare_words is None else " ".join(case.rare_words),
        "before": case.before,
        "after": case.after,
    }


def _text(place: Place | None) -> str | None:
    return None if place is None else place.text


def to_lines(cases: Iterable[tuple[str, ErrorCase]], bold: Mark = str) -> Iterator[str]:
    """Each error in a few lines: what and where, the mention in its context, what it was linked to.

    The word before an error, if it is not empty, says what became of it in another response.
    """
    for change, case in cases:
        where = f"{case.document or '—'}, sentence {case.mention.sentence}"
        yield f"{case.id}  {f'{change}: ' if change else ''}{case.kind}, {case.type}; {where}"
        gap = " " if case.mention.text.startswith(ZERO) else ""  # a zero stands right before the next word
        yield f"    {case.before}{bold(f'[{short(case.mention.text)}]')}{gap}{case.after}".rstrip()
        yield from (f"    {line}" for line in explain(case))
        yield ""


def explain(case: ErrorCase) -> Iterator[str]:
    """What the error involves beside its mention."""
    if case.counterpart is not None:
        said = " (matched all the same)" if case.is_matched else " (with another head)" if case.is_head else ""
        yield f"response: {short(case.counterpart.text)}{said}"
    if case.parts:
        yield "parts: " + " | ".join(_at(part) for part in case.parts)
    elif case.key_antecedent is not None:
        yield f"key: {_at(case.key_antecedent)}"
    if case.response_antecedent is not None and not case.parts:
        yield f"response: {_at(case.response_antecedent)}"
    if case.is_alone:
        other = "response" if case.mention.side == "key" else "key"
        yield f"alone in the {other}: an entity of one mention, which is not counted"
    if case.rare_words:
        yield f"rare in training: {' '.join(case.rare_words)}"


def _at(place: Place) -> str:
    return f"{short(place.text)} (s. {place.sentence})"
