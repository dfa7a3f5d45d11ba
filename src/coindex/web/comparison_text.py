"""Versions of a text as markup: words with marks around them, those that differ set off. No style, no script inside."""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ..annotation.differences import Comparison, Difference, shared_numbers
from ..document import Document
from ..render.layout import Close, Layout, Open, Unit

ZERO = "∅"
HUES = 12
"""How many colours quality.css has for entities; their numbers tell them apart as well."""
Key = tuple[tuple[int, ...], str]
"""A mention by its positions and its entity."""


@dataclass(frozen=True)
class Drawing:
    """How the mentions of one version are drawn."""

    numbers: Mapping[str, int]
    """Of the entities, by their ids."""
    differing: Mapping[Key, tuple[int, ...]]
    """The numbers of the differences that a mention is part of."""
    missing: Mapping[int, tuple[int, ...]]
    """The same for words that others marked there and this version did not."""


def sentences(doc: Document, drawing: Drawing, wanted: Container[int]) -> dict[int, Markup]:
    """The markup of some sentences by their numbers."""
    layout = Layout(doc)
    return {
        line.number: Markup("".join(_piece(piece, layout, drawing) for piece in line.pieces))
        for line in layout.lines()
        if line.number is not None and line.number in wanted
    }


def _piece(piece: Open | Close | Unit | str, layout: Layout, drawing: Drawing) -> str:
    """A piece of text, escaped, or a tag."""
    if isinstance(piece, str):
        return " " if piece else ""
    if isinstance(piece, Unit):
        return _word(piece, drawing)
    mention, entity_at = layout.mentions[piece.mark.mention]
    entity = layout.doc.entities[entity_at]
    number = drawing.numbers.get(entity.id, 0)
    if isinstance(piece, Close):
        is_whole = piece.is_end and not piece.mark.is_gap and piece.mark.part == piece.mark.parts
        return f"<sup>{number}</sup></span>" if is_whole else "</span>"
    if piece.mark.is_gap:
        return '<span class="gap">'
    found = drawing.differing.get((mention.positions, entity.id), ())
    kind = " differs" if found else ""
    return f'<span class="mark hue-{number % HUES}{kind}" data-at="{_listed(found)}">'


def _word(unit: Unit, drawing: Drawing) -> str:
    text = html.escape(unit.text or f"{ZERO}{unit.hint}")
    found = drawing.missing.get(unit.position, ())
    return f'<span class="missing" data-at="{_listed(found)}">{text}</span>' if found else text


def _listed(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def drawings(comparison: Comparison, chosen: Mapping[int, Difference]) -> list[Drawing]:
    """How each version is drawn, with some of the differences set off, by their numbers."""
    numbers = shared_numbers(comparison.docs)
    found = []
    for at in range(len(comparison.docs)):
        differing: dict[Key, tuple[int, ...]] = defaultdict(tuple)
        missing: dict[int, tuple[int, ...]] = defaultdict(tuple)
        for number, difference in chosen.items():
            marks = comparison.spots[difference.spot].marks
            if at in marks:
                mention, entity = marks[at]
                differing[mention.positions, entity.id] += (number,)
            elif difference.kind in ("mention", "span"):
                for position in difference.positions:
                    missing[position] += (number,)
        found.append(Drawing(numbers[at], differing, missing))
    return found


def result_drawing(doc: Document, comparison: Comparison) -> Drawing:
    """How a result is drawn: its entities in the colours of the versions, nothing set off."""
    return Drawing(shared_numbers([*comparison.docs, doc])[-1], {}, {})


def changed_sentences(before: Document, after: Document, comparison: Comparison) -> dict[int, Markup]:
    """The markup of the sentences that look different after a decision."""
    old, new = result_drawing(before, comparison), result_drawing(after, comparison)
    differing = _looks(before, old) ^ _looks(after, new)
    wanted = {after.sentence_index(position) for positions, _ in differing for position in positions}
    return sentences(after, new, wanted)


def _looks(doc: Document, drawing: Drawing) -> set[tuple[tuple[int, ...], int]]:
    return {(mention.positions, drawing.numbers[entity.id]) for entity in doc.entities for mention in entity.mentions}


# --- what differences say, in words


def words(doc: Document, positions: Sequence[int]) -> str:
    """The text of some words; a zero shows what it stands for."""
    mention = doc.mention(positions)
    hint = "" if mention.text else "".join(doc.tokens[at].form for at in positions if doc.tokens[at].form != "_")
    return mention.text or f"{ZERO}{hint}"


def answer(doc: Document, difference: Difference, value: Any) -> str:
    """An option of a difference as people read it."""
    if difference.kind in ("mention", "span"):
        return "no mention" if value is None else f"“{words(doc, value)}”"
    if difference.kind == "link":
        return "a new entity" if value is None else _with(doc, value)
    if difference.kind == "head":
        return "no head" if value is None else f"head “{doc.tokens[value].form}”"
    if difference.kind == "attributes":
        return _attributes(value) or "no attributes"
    if difference.kind == "entity":
        parts = [value["type"] or "no type", value["kind"] if value["kind"] != "entity" else ""]
        return ", ".join(filter(None, [*parts, _attributes(value["attributes"])]))
    return "; ".join(value) or "no relation"


def _with(doc: Document, positions: Sequence[int]) -> str:
    return f"with “{words(doc, positions)}” of sentence {doc.sentence_index(positions[0]) + 1}"


def _attributes(attributes: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in attributes.items())
