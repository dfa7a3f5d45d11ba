"""A document as text with brackets, not yet coloured or escaped: what the terminal and Markdown share.

    [The mayor of [the town]2]1 {picked…}3 [the box]4 {…up}3.

Brackets stand around the mentions of entities, braces around those of events. A part of a discontinuous
mention has dots where it is torn. A zero is ∅ with what is left out. Brackets may cross, as mentions do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .layout import Close, Layout, Line, Mark, Open, Unit
from .naming import ZERO

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
