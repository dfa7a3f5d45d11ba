"""Render the text of a document as HTML: words in nested spans, which the style sheet underlines in lanes.

Everything that is not the document's own text (labels, the ∅ of zeros, sentence numbers) is drawn by the
style sheet from attributes, so what a reader copies from the page is the text, character by character.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..document.entities import is_weak
from .escaping import escape
from .layout import Close, Layout, Line, Mark, Open, Piece, Unit

LONGEST_PARAGRAPH = 40  # lines; a longer one is cut, so that browsers can skip what is not in view


@dataclass(frozen=True, slots=True)
class Pen:
    """How the marks of a document are drawn; with `titles`, one a mention, no script need explain them."""

    layout: Layout
    colours: Sequence[str]
    labels: Sequence[str]
    titles: Sequence[str] | None = None

    def opening(self, mark: Mark, *, is_start: bool, is_end: bool) -> str:
        """The tag that opens a mark, or a part of it if something interrupts it."""
        style = f'style="--c:{self.colours[mark.entity]};--lane:{mark.lane}"'
        if mark.is_gap:
            return f'<span class="gap" data-m="{mark.mention}" {style}>'
        is_whole_start, is_whole_end = is_start and mark.part == 1, is_end and mark.part == mark.parts
        classes = self._classes(mark)
        classes += ["from"] * (not is_whole_start) + ["to"] * (not is_whole_end)
        part = f' data-p="{mark.part}"' if is_start and mark.part > 1 else ""
        label = f' data-l="{escape(self.labels[mark.entity])}"' if is_whole_end else ""
        title = f' title="{escape(self.titles[mark.mention])}"' if self.titles else ""
        return f'<span class="{" ".join(classes)}" data-m="{mark.mention}"{part}{label} {style}{title}>'

    def _classes(self, mark: Mark) -> list[str]:
        entity = self.layout.doc.entities[mark.entity]
        classes = ["m"] if self.titles is None else ["m", f"e{mark.entity}"]
        classes += ["one"] * entity.is_singleton + ["event"] * (entity.kind == "event")
        return classes + ["weak"] * is_weak(self.layout.mentions[mark.mention][0])


def paragraphs(lines: Iterable[Line], pen: Pen) -> Iterator[str]:
    """The document's paragraphs as HTML elements."""
    for _, group in groupby(_numbered(lines), key=lambda pair: pair[0]):
        yield '<div class="par">\n'
        for _, line in group:
            if line.turn:
                yield f'<div class="who" dir="auto">{escape(line.turn)}</div>\n'
            yield _line(line, pen)
        yield "</div>\n"


def _numbered(lines: Iterable[Line]) -> Iterator[tuple[int, Line]]:
    """Each line with the number of its paragraph."""
    paragraph = size = 0
    for line in lines:
        if line.is_paragraph or size == LONGEST_PARAGRAPH:
            paragraph += 1
            size = 0
        size += 1
        yield paragraph, line


def _line(line: Line, pen: Pen) -> str:
    cut = _interrupted(line.pieces)
    inside = "".join(_piece(piece, pen, is_end=at not in cut) for at, piece in enumerate(line.pieces))
    number = "" if line.number is None else f' data-n="{line.number + 1}"'
    depth = f' style="--depth:{line.depth}"' if line.depth else ""
    return f'<div class="line" dir="auto"{number}{depth}>{inside}</div>\n'


def _interrupted(pieces: Sequence[Piece]) -> set[int]:
    """Where a mark is opened that does not end where it is closed."""
    stack: list[int] = []
    found = set()
    for at, piece in enumerate(pieces):
        if isinstance(piece, Open):
            stack.append(at)
        elif isinstance(piece, Close):
            opened = stack.pop()
            if not piece.is_end:
                found.add(opened)
    return found


def _piece(piece: Piece, pen: Pen, *, is_end: bool) -> str:
    if isinstance(piece, str):
        return escape(piece)
    if isinstance(piece, Open):
        return pen.opening(piece.mark, is_start=piece.is_start, is_end=is_end)
    if isinstance(piece, Close):
        return "</span>"
    return _unit(piece, is_head=piece.position in pen.layout.heads)


def _unit(unit: Unit, *, is_head: bool) -> str:
    if unit.is_zero:
        hint = f' data-hint="{escape(unit.hint)}"' if unit.hint else ""
        return f'<span class="zero"{hint}></span>'
    text = escape(unit.text)
    return f'<span class="head">{text}</span>' if is_head else text
