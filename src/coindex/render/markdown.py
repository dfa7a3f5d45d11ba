"""Render documents as Markdown for GitHub: brackets around mentions, labels as subscripts, a table of entities.

The brackets of `layout.Bracketing` are bold with an HTML tag, since ** next to a bracket does not always work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ..document.documents import Document
from ..document.naming import entity_name, labels, summarise_document
from .escaping import SPACES
from .escaping import escape_markdown as escape
from .layout import Bracketing, Layout, Run, arrows

_AT_START = re.compile(r"\A(\d*)([#+=.)-])")  # special at the start of a line: headings, lists, underlines
PARAGRAPH, HARD_BREAK = "\n\n", "\\\n"


def document_markdown(doc: Document, *, singletons: bool = True) -> Iterator[str]:
    """Yield a heading, the text with one sentence per line, and a table of entities."""
    yield f"# {escape(doc.id or 'document')}\n\n{escape(summarise_document(doc))}"
    names = labels(doc)
    yield from _text(Layout(doc), names, singletons=singletons)
    yield "\n"
    yield from _table(doc, names, singletons=singletons)


def _text(layout: Layout, names: Sequence[str], *, singletons: bool) -> Iterator[str]:
    brackets = Bracketing(layout, singletons=singletons)
    notes = arrows(layout, names, escape)
    is_first = True
    for line in layout.lines():
        text = "".join(_run(run, names, notes) for run in brackets.runs(line))
        shown = _AT_START.sub(r"\1\\\2", SPACES.sub(" ", text).strip())
        turn = f"<b>{escape(line.turn)}:</b> " if line.turn else ""
        if turn or shown:
            yield (PARAGRAPH if is_first or turn or line.is_paragraph else HARD_BREAK) + turn + shown
            is_first = False


def _run(run: Run, names: Sequence[str], notes: Mapping[int, str]) -> str:
    if run.opens:
        return f"<b>{run.text}</b>"
    if run.closes:
        is_last = run.closes.part == run.closes.parts
        note = notes.get(run.closes.mention, "") if is_last else ""
        return f"<b>{run.text}</b><sub>{escape(names[run.closes.entity])}{note}</sub>"
    return escape(run.text)


def _table(doc: Document, names: Sequence[str], *, singletons: bool) -> Iterator[str]:
    """Yield a table of entities, those with most mentions first."""
    rows = [pair for pair in zip(names, doc.entities, strict=True) if singletons or not pair[1].is_singleton]
    if rows:
        yield "\n| | entity | mentions | type | kind | id |\n|---|---|--:|---|---|---|\n"
    for name, entity in sorted(rows, key=lambda pair: -len(pair[1])):
        cells = (name, entity_name(entity), str(len(entity)), entity.type or "", entity.kind, entity.id)
        yield f"| {' | '.join(map(escape, cells))} |\n"
