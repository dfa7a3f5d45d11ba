"""Render documents in the terminal: brackets around mentions in the colour of their entity, followed by its label.

    [The mayor of [the town]₂]₁ {picked…}₃ [the box]₄ {…up}₃.

See `layout` for the brackets. ⇠₂ is a bridging relation to entity 2, and ⇐₁₊₂ a split antecedent: entities 1 and 2
together. Heads are underlined. Singletons are grey, or hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby
from typing import Literal, TextIO

from rich.console import Console
from rich.text import Text

from ..document.documents import Document
from ..document.naming import entity_name, labels, summarise_document
from .layout import Bracketing, Layout, Line, Run, arrows
from .markup import colours

Colour = Literal["auto", "always", "never"]
GUTTER = 6
LEGEND = 15  # entities
NARROWEST = 20
FILE_WIDTH = 100

_SUBSCRIPTS = str.maketrans("0123456789aehijklmnoprstuvx+-=()", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₊₋₌₍₎")
# Control characters could move the cursor or worse, so their pictures are shown; line breaks become spaces.
_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
_PICTURES |= dict.fromkeys((*range(0x80, 0xA0), *range(0xD800, 0xE000)), 0xFFFD)
_PICTURES |= dict.fromkeys(map(ord, "\t\n\v\f\r\x85\u2028\u2029"), 0x20)


def show(
    docs: Iterable[Document],
    stream: TextIO,
    *,
    colour: Colour = "auto",
    singletons: bool = True,
    width: int | None = None,
) -> None:
    """Print documents; `auto` uses colour only in a terminal, and not if NO_COLOR is set."""
    console = _console(stream, colour, width)
    for number, doc in enumerate(docs):
        if number:
            console.print()
        for line in _document(doc, console, singletons=singletons):
            console.print(line, soft_wrap=True)


def _console(stream: TextIO, colour: Colour, width: int | None) -> Console:
    if width is None and not stream.isatty():
        width = FILE_WIDTH
    make = partial(Console, file=stream, width=width, highlight=False, markup=False, emoji=False)
    if colour == "always":
        return make(force_terminal=True, color_system="truecolor", no_color=False)
    if colour == "never":
        return make(force_terminal=False, color_system=None)
    return make()


def _document(doc: Document, console: Console, *, singletons: bool) -> Iterator[Text]:
    layout = Layout(doc)
    brackets = Bracketing(layout, singletons=singletons)
    pen = _Pen(layout)
    yield Text.assemble((clean(doc.id or "document"), "bold"), "  ", (clean(summarise_document(doc)), "dim"))
    for line in layout.lines():
        if line.is_paragraph:
            yield Text()
        if line.turn:
            yield Text(" " * GUTTER + clean(line.turn) + ":", style="bold")
        yield _wrap(pen.text(brackets.runs(line)), line, console)
    yield from pen.legend()


def _wrap(text: Text, line: Line, console: Console) -> Text:
    """Wrap a line to rows of the terminal, with its number on the left."""
    first = ("" if line.number is None else str(line.number + 1)).rjust(GUTTER - 2) + "  "
    rows = Text()
    for number, row in enumerate(text.wrap(console, max(NARROWEST, console.width - GUTTER))):
        row.rstrip()
        rows.append("\n" + " " * GUTTER if number else first, "dim")
        rows.append(row)
    return rows


class _Pen:
    """Colours the text of one document."""

    def __init__(self, layout: Layout) -> None:
        self.entities = layout.doc.entities
        self.colours = colours(layout.doc)
        self.labels = labels(layout.doc)
        self.subscripts = [subscript(label) for label in self.labels]
        self.arrows = arrows(layout, self.labels, subscript)

    def text(self, runs: Iterable[Run]) -> Text:
        """Return a line before wrapping; neighbours with the same style are joined, for speed."""
        styled = [(self._style(run), self._label(run)) for run in runs]
        groups = groupby(styled, key=lambda pair: pair[0])
        return Text.assemble(*((clean("".join(text for _, text in group)), style) for style, group in groups))

    def _label(self, run: Run) -> str:
        """Return the text of a run, followed by the label of the entity if it closes a mention."""
        if run.closes is None:
            return run.text
        is_last = run.closes.part == run.closes.parts
        return run.text + self.subscripts[run.closes.entity] + (self.arrows.get(run.closes.mention, "") * is_last)

    def _style(self, run: Run) -> str:
        if run.opens or run.closes:
            assert run.entity is not None
            is_singleton = self.entities[run.entity].is_singleton
            return "dim" if is_singleton else f"bold {self.colours[run.entity]}"
        colour = "" if run.entity is None else self.colours[run.entity]
        return f"underline {colour}" if run.is_head else colour

    def legend(self) -> Iterator[Text]:
        """Yield the entities with most mentions."""
        repeated = [i for i, entity in enumerate(self.entities) if not entity.is_singleton]
        repeated.sort(key=lambda i: -len(self.entities[i]))
        if repeated:
            yield Text()
        for i in repeated[:LEGEND]:
            entity, label = self.entities[i], self.labels[i]
            about = (f"×{len(entity)}", entity.type, entity.id if entity.id != label else None)
            yield Text.assemble(
                (clean(label).rjust(GUTTER - 2), f"bold {self.colours[i]}"),
                f"  {clean(entity_name(entity))}",
                (f"  {clean(' '.join(filter(None, about)))}", "dim"),
            )
        if len(repeated) > LEGEND:
            yield Text(" " * GUTTER + f"… and {len(repeated) - LEGEND} more", style="dim")


def subscript(label: str) -> str:
    """Return a label in Unicode subscripts (e12 -> ₑ₁₂), or after "_" if Unicode lacks one of its letters."""
    small = label.translate(_SUBSCRIPTS)
    return small if not re.search(r"[^₀-₎ₐ-ₜᵢᵣᵤᵥⱼ]", small) else f"_{clean(label)}"


def clean(text: str) -> str:
    """Return the text on one line, without characters that control the terminal."""
    return text.translate(_PICTURES)
