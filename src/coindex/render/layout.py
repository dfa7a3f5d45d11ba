"""Lay out a document: lines of words with marks around them, shared by the page, the terminal and Markdown.

What is drawn as one piece is a unit: a word, a multiword token, or an empty node that is a zero mention
(other empty nodes are not drawn). A mark is a stretch of units that belong to one mention; a discontinuous
mention has several, and marks for the gaps between them where it stays within a line. Marks come out
properly nested: one that crosses another, or the end of a line, is closed and opened again, and says so.
Its lane is its place in the stack of underlines, 0 next to the text, so that no two marks that overlap
share one and longer ones are below.

The terminal and Markdown share a text with brackets, which they colour or escape:

    [The mayor of [the town]2]1 {picked…}3 [the box]4 {…up}3.

Brackets stand around the mentions of entities, braces around those of events. A part of a discontinuous
mention has dots where it is interrupted. A zero is ∅ with what is left out. Brackets may cross, as mentions do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from ..document.documents import Document
from ..document.entities import Mention, mention_order, runs
from ..document.naming import ZERO, written
from ..document.tokens import Sentence
from ..text.spans import Span

NOBODY = "—"


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of text with the blanks after it; a zero has no text, at best a hint at what is left out."""

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
    """A mark begins here, or goes on after an interruption."""

    mark: Mark
    is_start: bool = True


@dataclass(frozen=True, slots=True)
class Close:
    """A mark ends here, or is interrupted."""

    mark: Mark
    is_end: bool = True


Piece = Open | Close | Unit | str
"""A string is text between units."""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence as it is drawn; `number` is None for text outside of all sentences.

    `turn` is the name to write before it where the speaker changes, a dash where nobody is known to speak.
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
        """The units, by their positions, that are the heads of mentions of several words."""
        heads = {m.head for m, _ in self.mentions if m.head is not None and len(m) > 1}
        return frozenset(self.units[self.unit_of[head]].position for head in heads if self.unit_of[head] >= 0)

    def _cut(self) -> Iterator[tuple[Span, int | None]]:
        """The lines as spans of units, with the number of the sentence; all units are in one."""
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
        """The first unit at or after a position."""
        for later in range(position, len(self.unit_of)):
            if self.unit_of[later] >= 0:
                return self.unit_of[later]
        return len(self.units)

    def _marks(self) -> tuple[list[Mark], list[int]]:
        """All marks with their lanes, and how many lanes are in use at each unit."""
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
                groups.append(_with_gaps(marks))
            else:
                groups += ([mark] for mark in marks)
        return _in_lanes(groups, len(self.units))

    def _parts(self, mention: Mention) -> list[Span]:
        """The mention as spans of units; a gap in which only zeros stand is none."""
        seen = sorted({self.unit_of[position] for position in mention.positions} - {-1})
        parts: list[Span] = []
        for start, end in runs(seen):
            if parts and all(unit.is_zero for unit in self.units[parts[-1][1] : start]):
                parts[-1] = (parts[-1][0], end)
            else:
                parts.append((start, end))
        return parts

    def lines(self) -> Iterator[Line]:
        """The document line by line."""
        marks, depths = self._marks()
        opening: dict[int, list[Mark]] = defaultdict(list)
        for mark in sorted(marks, key=lambda mark: -mark.lane):
            opening[mark.start].append(mark)
        endings = {mark.end for mark in marks} | {end for (_, end), _ in self._line_spans}
        stack: list[Mark] = []
        before = self.doc.tokens.prefix
        speaker: str | None = None
        for (start, end), number in self._line_spans:
            pieces: list[Piece] = [before] if not start and before else []
            pieces += (Open(mark, is_start=False) for mark in stack)
            for index in range(start, end):
                for mark in opening.get(index, ()):
                    stack.append(mark)
                    pieces.append(Open(mark))
                pieces.append(self.units[index])
                if index + 1 in endings:
                    pieces += _closed(stack, index + 1, line_end=index + 1 == end)
                if self.units[index].space:
                    pieces.append(self.units[index].space)
            sentence = None if number is None else self.doc.sentences[number]
            depth = max(depths[start:end], default=0)
            said_by = sentence.speaker if sentence else None
            turn = (said_by or NOBODY) if said_by != speaker else None
            yield Line(pieces, depth, number, is_paragraph(start, before, sentence), turn)
            speaker = said_by
            before = self.units[end - 1].space if start < end else ""


def _units(doc: Document, zeros: set[int]) -> tuple[list[Unit], list[int]]:
    """The units, and for each position its unit, -1 where it is not drawn."""
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
                units.append(Unit(position, "", "", True, written(token.form) or written(token.lemma)))
                unit_of[position] = len(units) - 1
        elif position < covered:
            unit_of[position] = whole
        else:
            units.append(Unit(position, token.form, token.space))
            unit_of[position] = len(units) - 1
    return units, unit_of


def _with_gaps(marks: list[Mark]) -> list[Mark]:
    found = [marks[0]]
    for before, mark in pairwise(marks):
        gap = Mark(mark.mention, mark.entity, before.end, mark.start, before.part, before.parts, is_gap=True)
        found += (gap, mark)
    return found


def _in_lanes(groups: list[list[Mark]], size: int) -> tuple[list[Mark], list[int]]:
    """Give the marks of each group one lane, the short ones first so that the long ones come below them."""
    used = [0] * size
    placed: list[Mark] = []
    for group in sorted(groups, key=lambda group: group[-1].end - group[0].start):
        start, end = group[0].start, group[-1].end
        lane = max(used[start:end])
        used[start:end] = [lane + 1] * (end - start)
        placed += (Mark(m.mention, m.entity, m.start, m.end, m.part, m.parts, m.is_gap, lane) for m in group)
    return placed, used


def _closed(stack: list[Mark], at: int, *, line_end: bool) -> list[Piece]:
    """Take from the stack what ends here; what stands in the way is closed and opened again."""
    lowest = 0 if line_end else next((n for n, mark in enumerate(stack) if mark.end == at), len(stack))
    above = stack[lowest:]
    stack[lowest:] = [mark for mark in above if mark.end != at]
    pieces: list[Piece] = [Close(mark, is_end=mark.end == at) for mark in reversed(above)]
    if not line_end:
        pieces += (Open(mark, is_start=False) for mark in stack[lowest:])
    return pieces


def is_paragraph(start: int, before: str, sentence: Sentence | None) -> bool:
    """Whether a paragraph begins: by a blank line, or because the format says so."""
    blank_line = before.replace("\r\n", "\n").count("\n") > 1
    announced = sentence is not None and any(c.lstrip("# ").startswith("newpar") for c in sentence.comments)
    return not start or blank_line or announced


TORN = "…"


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text; `entity` is the innermost chain that it is in, or the one that the bracket is of."""

    text: str
    entity: int | None
    is_head: bool = False
    opens: bool = False
    closes: Mark | None = None


class Bracketing:
    """Puts brackets into the lines of one document, one after the other."""

    def __init__(self, layout: Layout, *, singletons: bool = True) -> None:
        self.entities, self.heads = layout.doc.entities, layout.heads
        self.hidden = {i for i, entity in enumerate(self.entities) if entity.is_singleton and not singletons}
        self._zeros = {p for mention, i in layout.mentions if i not in self.hidden for p in mention.positions}
        self._open: list[int] = []
        self._after_zero = False

    def runs(self, line: Line) -> Iterator[Run]:
        """The text of a line with its brackets."""
        for piece in line.pieces:
            if isinstance(piece, str):
                self._after_zero = False
                yield Run(piece, self._inside())
            elif isinstance(piece, Unit):
                yield from self._unit(piece)
            elif not piece.mark.is_gap and piece.mark.entity not in self.hidden:
                yield from self._bracket(piece)

    def _inside(self) -> int | None:
        """The innermost entity here that has other mentions too."""
        return next((i for i in reversed(self._open) if not self.entities[i].is_singleton), None)

    def _unit(self, unit: Unit) -> Iterator[Run]:
        if unit.is_zero and unit.position not in self._zeros:
            return
        yield from self._blank()
        text = ZERO + unit.hint if unit.is_zero else unit.text
        yield Run(text, self._inside(), is_head=unit.position in self.heads)
        self._after_zero = unit.is_zero

    def _blank(self) -> Iterator[Run]:
        """A zero has no blank after it, and what follows would look like a part of it."""
        if self._after_zero:
            yield Run(" ", self._inside())
        self._after_zero = False

    def _bracket(self, piece: Open | Close) -> Iterator[Run]:
        mark = piece.mark
        opening, closing = "{}" if self.entities[mark.entity].kind == "event" else "[]"
        if isinstance(piece, Open):
            if piece.is_start:
                yield from self._blank()
                yield Run(opening + TORN * (mark.part > 1), mark.entity, opens=True)
            self._open.append(mark.entity)
            return
        self._open.pop()
        if piece.is_end:
            yield Run(TORN * (mark.part < mark.parts) + closing, mark.entity, closes=mark)


BRIDGE, SPLIT = "⇠", "⇐"
UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Relation:
    """What a mention is understood through; an antecedent is an entity's index, or an id from elsewhere."""

    mention: int
    entity: int
    antecedents: tuple[int | str, ...]
    is_bridge: bool
    name: str | None = None


def relations(layout: Layout) -> list[Relation]:
    """All of them; mention and entity are indexes, UNKNOWN where the document does not have them."""
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
    """For each mention with relations what to write after it: "⇠3" for bridging, "⇐1+2" for a group."""
    found: dict[int, str] = defaultdict(str)
    for relation in relations(layout):
        names = [labels[one] if isinstance(one, int) else one for one in relation.antecedents]
        found[relation.mention] += (BRIDGE if relation.is_bridge else SPLIT) + spell("+".join(names))
    found.pop(UNKNOWN, None)
    return dict(found)
