"""Lay out a document as lines of words with marks around mentions, for the page, the terminal and Markdown.

A unit is drawn as one piece: a word, a multiword token, or an empty node that is a zero mention (other empty nodes are
not drawn). A mark is a sequence of units of one mention. A discontinuous mention has several marks, and marks for the
gaps between them if it is within one line. Marks are properly nested: one that crosses another, or the end of a line,
is closed and opened again. The lane of a mark is its place in the stack of underlines, 0 next to the text; overlapping
marks have different lanes, and longer ones are below.

The terminal and Markdown use a text with brackets, which they colour or escape:

    [The mayor of [the town]2]1 {picked…}3 [the box]4 {…up}3.

Mentions of entities are in brackets, those of events in braces. Dots show where a discontinuous mention is interrupted.
A zero is ∅ and, if known, the omitted word. Brackets may cross, as mentions do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from ..document.documents import Document
from ..document.entities import Mention, mention_order, runs
from ..document.naming import ZERO, parse_column
from ..document.tokens import Sentence
from ..text.spans import Span

NOBODY = "—"


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of text and the space after it; a zero has no text, but may have a hint at the omitted word."""

    position: int
    text: str
    space: str = ""
    is_zero: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """Part `part` of `parts` of a mention (or the gap after it), over the units start..end."""

    mention: int
    entity: int
    start: int
    end: int
    part: int = 1
    parts: int = 1
    is_gap: bool = False
    lane: int = 0


@dataclass(frozen=True, slots=True)
class Open:
    """The start of a mark, or its continuation after an interruption."""

    mark: Mark
    is_start: bool = True


@dataclass(frozen=True, slots=True)
class Close:
    """The end of a mark, or an interruption."""

    mark: Mark
    is_end: bool = True


Piece = Open | Close | Unit | str
"""A string is text between units."""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence as it is drawn; `number` is None for text outside sentences.

    `turn` is the name to write before the line if the speaker changes, a dash if the speaker is unknown.
    """

    pieces: list[Piece] = field(repr=False)
    depth: int
    number: int | None
    is_paragraph: bool
    turn: str | None = None


class Layout:
    """The units and marks of a document."""

    def __init__(self, doc: Document) -> None:
        self.doc = doc
        pairs = ((mention, index) for index, entity in enumerate(doc.entities) for mention in entity.mentions)
        self.mentions: list[tuple[Mention, int]] = sorted(pairs, key=lambda pair: mention_order(pair[0]))
        """All mentions in reading order, each with the index of its entity."""
        zeros = {p for mention, _ in self.mentions if mention.is_zero for p in mention.positions}
        self.units, self.unit_of = _units(doc, zeros)
        self._line_spans = list(self._cut())

    @cached_property
    def heads(self) -> frozenset[int]:
        """The positions of units that are heads of mentions with several words."""
        heads = {m.head for m, _ in self.mentions if m.head is not None and len(m) > 1}
        return frozenset(self.units[self.unit_of[head]].position for head in heads if self.unit_of[head] >= 0)

    def _cut(self) -> Iterator[tuple[Span, int | None]]:
        """Yield the lines as spans of units, with the number of the sentence; each unit is in one of them."""
        at = 0
        for number, sentence in enumerate(self.doc.sentences):
            start, end = self._first_unit(sentence.start), self._first_unit(sentence.end)
            if at < start:
                yield (at, start), None
            if max(at, start) < end:
                yield (max(at, start), end), number
            at = max(at, end)
        if at < len(self.units) or (not self.units and self.doc.tokens.prefix):
            yield (at, len(self.units)), None

    def _first_unit(self, position: int) -> int:
        """Return the first unit at or after a position."""
        for later in range(position, len(self.unit_of)):
            if self.unit_of[later] >= 0:
                return self.unit_of[later]
        return len(self.units)

    def _marks(self) -> tuple[list[Mark], list[int]]:
        """Return all marks with their lanes, and the number of lanes at each unit."""
        line_of = [0] * len(self.units)
        for number, ((start, end), _) in enumerate(self._line_spans):
            line_of[start:end] = [number] * (end - start)
        groups: list[list[Mark]] = []
        for index, (mention, entity) in enumerate(self.mentions):
            parts = self._parts(mention)
            marks = [
                Mark(index, entity, start, end, number, len(parts)) for number, (start, end) in enumerate(parts, 1)
            ]
            if len(parts) > 1 and line_of[parts[0][0]] == line_of[parts[-1][1] - 1]:
                groups.append(_add_gaps(marks))
            else:
                groups += ([mark] for mark in marks)
        return _assign_lanes(groups, len(self.units))

    def _parts(self, mention: Mention) -> list[Span]:
        """Return the mention as spans of units; a gap that contains only zeros is ignored."""
        seen = sorted({self.unit_of[position] for position in mention.positions} - {-1})
        parts: list[Span] = []
        for start, end in runs(seen):
            if parts and all(unit.is_zero for unit in self.units[parts[-1][1] : start]):
                parts[-1] = (parts[-1][0], end)
            else:
                parts.append((start, end))
        return parts

    def lines(self) -> Iterator[Line]:
        """Yield the lines of the document."""
        marks, depths = self._marks()
        opening: dict[int, list[Mark]] = defaultdict(list)
        for mark in sorted(marks, key=lambda mark: -mark.lane):
            opening[mark.start].append(mark)
        endings = {mark.end for mark in marks} | {end for (_, end), _ in self._line_spans}
        stack: list[Mark] = []
        before = self.doc.tokens.prefix
        speaker: str | None = None
        is_labelled = _has_labels(self.doc.sentences)
        for (start, end), number in self._line_spans:
            pieces: list[Piece] = [before] if not start and before else []
            pieces += (Open(mark, is_start=False) for mark in stack)
            for index in range(start, end):
                for mark in opening.get(index, ()):
                    stack.append(mark)
                    pieces.append(Open(mark))
                pieces.append(self.units[index])
                if index + 1 in endings:
                    pieces += _close_marks(stack, index + 1, line_end=index + 1 == end)
                if self.units[index].space:
                    pieces.append(self.units[index].space)
            sentence = None if number is None else self.doc.sentences[number]
            depth = max(depths[start:end], default=0)
            name = sentence.speaker if sentence else None
            turn = (name or NOBODY) if name != speaker and not is_labelled else None
            yield Line(pieces, depth, number, is_paragraph(start, before, sentence), turn)
            speaker = name
            before = self.units[end - 1].space if start < end else ""


def _has_labels(sentences: Sequence[Sentence]) -> bool:
    """Return whether the text itself names who speaks, as a transcript does: "ALICE:", then what she says."""
    return any(
        before.speaker is None and after.speaker is not None and after.speaker in before.text
        for before, after in pairwise(sentences)
    )


def _units(doc: Document, zeros: set[int]) -> tuple[list[Unit], list[int]]:
    """Return the units, and the unit of each position, -1 if it is not drawn."""
    multiwords = {multiword.start: multiword for multiword in doc.tokens.multiwords}
    units: list[Unit] = []
    unit_of = [-1] * len(doc.tokens)
    whole, covered = -1, 0  # the unit of the last multiword token, and the position where it ends
    for position, token in enumerate(doc.tokens):
        if position >= covered and (multiword := multiwords.get(position)):
            units.append(Unit(position, multiword.form, multiword.space))
            whole, covered = len(units) - 1, multiword.end
        if token.is_empty:
            if position in zeros:
                units.append(Unit(position, "", "", True, parse_column(token.form) or parse_column(token.lemma)))
                unit_of[position] = len(units) - 1
        elif position < covered:
            unit_of[position] = whole
        else:
            units.append(Unit(position, token.form, token.space))
            unit_of[position] = len(units) - 1
    return units, unit_of


def _add_gaps(marks: list[Mark]) -> list[Mark]:
    with_gaps = [marks[0]]
    for before, mark in pairwise(marks):
        gap = Mark(mark.mention, mark.entity, before.end, mark.start, before.part, before.parts, is_gap=True)
        with_gaps += (gap, mark)
    return with_gaps


def _assign_lanes(groups: list[list[Mark]], size: int) -> tuple[list[Mark], list[int]]:
    """Assign a lane to the marks of each group, short ones first, so that long ones are below them."""
    used = [0] * size
    placed: list[Mark] = []
    for group in sorted(groups, key=lambda group: group[-1].end - group[0].start):
        start, end = group[0].start, group[-1].end
        lane = max(used[start:end])
        used[start:end] = [lane + 1] * (end - start)
        placed += (Mark(m.mention, m.entity, m.start, m.end, m.part, m.parts, m.is_gap, lane) for m in group)
    return placed, used


def _close_marks(stack: list[Mark], at: int, *, line_end: bool) -> list[Piece]:
    """Remove marks that end here from the stack; marks above them are closed and opened again."""
    lowest = 0 if line_end else next((n for n, mark in enumerate(stack) if mark.end == at), len(stack))
    above = stack[lowest:]
    stack[lowest:] = [mark for mark in above if mark.end != at]
    pieces: list[Piece] = [Close(mark, is_end=mark.end == at) for mark in reversed(above)]
    if not line_end:
        pieces += (Open(mark, is_start=False) for mark in stack[lowest:])
    return pieces


def is_paragraph(start: int, before: str, sentence: Sentence | None) -> bool:
    """Return whether a paragraph starts, after a blank line or as marked in the format."""
    blank_line = before.replace("\r\n", "\n").count("\n") > 1
    announced = sentence is not None and any(c.lstrip("# ").startswith("newpar") for c in sentence.comments)
    return not start or blank_line or announced


GAP = "…"


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text; `entity` is the innermost entity that contains it, or the one that the bracket belongs to."""

    text: str
    entity: int | None
    is_head: bool = False
    opens: bool = False
    closes: Mark | None = None


class Bracketing:
    """Add brackets to the lines of a document, which must come in order."""

    def __init__(self, layout: Layout, *, singletons: bool = True) -> None:
        self.entities, self.heads = layout.doc.entities, layout.heads
        self.hidden = {i for i, entity in enumerate(self.entities) if entity.is_singleton and not singletons}
        self._zeros = {p for mention, i in layout.mentions if i not in self.hidden for p in mention.positions}
        self._open: list[int] = []
        self._after_zero = False

    def runs(self, line: Line) -> Iterator[Run]:
        """Yield the text of a line with its brackets."""
        for piece in line.pieces:
            if isinstance(piece, str):
                self._after_zero = False
                yield Run(piece, self._inside())
            elif isinstance(piece, Unit):
                yield from self._unit(piece)
            elif not piece.mark.is_gap and piece.mark.entity not in self.hidden:
                yield from self._bracket(piece)

    def _inside(self) -> int | None:
        """Return the innermost entity here that is not a singleton."""
        return next((i for i in reversed(self._open) if not self.entities[i].is_singleton), None)

    def _unit(self, unit: Unit) -> Iterator[Run]:
        if unit.is_zero and unit.position not in self._zeros:
            return
        yield from self._space()
        text = ZERO + unit.hint if unit.is_zero else unit.text
        yield Run(text, self._inside(), is_head=unit.position in self.heads)
        self._after_zero = unit.is_zero

    def _space(self) -> Iterator[Run]:
        """Yield a space after a zero, since the following word would look like a part of it."""
        if self._after_zero:
            yield Run(" ", self._inside())
        self._after_zero = False

    def _bracket(self, piece: Open | Close) -> Iterator[Run]:
        mark = piece.mark
        opening, closing = "{}" if self.entities[mark.entity].kind == "event" else "[]"
        if isinstance(piece, Open):
            if piece.is_start:
                yield from self._space()
                yield Run(opening + GAP * (mark.part > 1), mark.entity, opens=True)
            self._open.append(mark.entity)
            return
        self._open.pop()
        if piece.is_end:
            yield Run(GAP * (mark.part < mark.parts) + closing, mark.entity, closes=mark)


BRIDGE, SPLIT = "⇠", "⇐"
UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Relation:
    """A bridging relation or split antecedent; antecedents are indexes of entities, or ids of other documents."""

    mention: int
    entity: int
    antecedents: tuple[int | str, ...]
    is_bridge: bool
    name: str | None = None


def relations(layout: Layout) -> list[Relation]:
    """Return all relations; mention and entity are indexes, UNKNOWN if the document does not have them."""
    doc = layout.doc
    entity_at = {entity.id: index for index, entity in enumerate(doc.entities)}
    mention_at = {(entity, mention.positions): at for at, (mention, entity) in enumerate(layout.mentions)}

    def place(entity: str, positions: tuple[int, ...]) -> tuple[int, int]:
        index = entity_at.get(entity, UNKNOWN)
        return mention_at.get((index, positions), UNKNOWN), index

    bridges = (
        Relation(
            *place(b.entity, b.anaphor.positions),
            (entity_at.get(b.antecedent, b.antecedent),),
            True,
            b.relation,
        )
        for b in doc.bridges
    )
    splits = (
        Relation(*place(s.entity, s.anaphor.positions), tuple(entity_at.get(id, id) for id in s.antecedents), False)
        for s in doc.split_antecedents
    )
    return [*bridges, *splits]


def arrows(layout: Layout, labels: Sequence[str], spell: Callable[[str], str]) -> dict[int, str]:
    """Return the text after each mention with relations: "⇠3" for bridging, "⇐1+2" for split antecedents."""
    texts: dict[int, str] = defaultdict(str)
    for relation in relations(layout):
        names = [labels[entity] if isinstance(entity, int) else entity for entity in relation.antecedents]
        texts[relation.mention] += (BRIDGE if relation.is_bridge else SPLIT) + spell("+".join(names))
    texts.pop(UNKNOWN, None)
    return dict(texts)
