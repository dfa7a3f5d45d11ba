"""Documents to ARE XML: the key, the input or a response of each of the four tasks."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ...document import Document
from ...errors import LossWarning
from ..names import xml_attributes
from ..sink import Sink
from ..xml import escape
from .view import Item, View

_WRITTEN_ELSEWHERE = frozenset({"id", "anaphoric", "antecedent"})
_RESERVED = ("id", "chain", "head", "start", "end", "value", "anaphoric", "antecedent")
_Values = dict[str, str | int | None]


def write(docs: Iterable[Document], sink: Sink, task: str = "1", kind: str = "key") -> None:
    """Write each document as one of the tasks; what only this format loses is counted in a warning."""
    out = sink.stream
    lost: Counter[str] = Counter()
    out.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<are task="{task}" kind="{kind}">\n')
    for doc in docs:
        given = kind == "input" == doc.meta.get("kind")  # an input has no chains to tell who corefers
        view = View(doc, lost, nest=task in "12", corefer=task in "24" and not given)
        out.write(_element("document", {"id": (doc.id or "").strip() or None}) + "\n")
        out.writelines(_entities(view, kind) if task in "12" else _nodes(view))
        if task == "1" or (task == "3" and kind == "key"):
            out.writelines(_pronouns(view, task))
        if kind == "response" or (kind == "key" and task in "34"):
            pairs = kind == "response" and task in "13"
            out.write("<answers>\n")
            out.writelines(_resolved(view, task) if pairs else _chains(view, task))
            out.write("</answers>\n")
        out.write("</document>\n")
    out.write("</are>\n")
    if lost:
        what = "; ".join(f"{number} {name}" for name, number in lost.items())
        warnings.warn(f"are cannot say: {what}", LossWarning, stacklevel=2)


def _element(
    tag: str,
    values: Mapping[str, str | int | None],
    more: Mapping[str, str] | None = None,
    *,
    empty: bool = False,
) -> str:
    """A tag with its own values and the attributes of a mention that have no place of their own."""
    own = {name: str(value) for name, value in values.items() if value is not None}
    rest = {name: value for name, value in (more or {}).items() if name not in _WRITTEN_ELSEWHERE}
    written = xml_attributes(own) + xml_attributes(rest, reserved=_RESERVED)
    return f"<{tag}{written}{'/' if empty else ''}>"


def _paragraphs(view: View, items: Iterable[Item]) -> Iterator[tuple[str, range]]:
    """The opening of each paragraph and its words: a sentence, or several that an entity binds together."""
    bound = {position for item in items for position in range(item.start + 1, item.end)}
    start = end = 0
    lengths: list[str] = []
    for length in filter(None, view.lengths):
        end += length
        lengths.append(str(length))
        if end not in bound:
            yield _element("p", {"sentences": " ".join(lengths)}), range(start, end)
            start, lengths = end, []


def _nodes(view: View) -> Iterator[str]:
    for opening, positions in _paragraphs(view, ()):
        words = (_element("node", {"id": view.nodes[i]}, empty=True) + escape(view.words[i]) for i in positions)
        yield f"{opening}{' '.join(words)}</p>\n"


def _entities(view: View, kind: str) -> Iterator[str]:
    openings: dict[int, str] = {}
    closings: Counter[int] = Counter()
    for item in view.items:
        values: _Values = {"id": item.id}
        if kind == "key":
            values["chain"] = item.chain
        if kind != "input":
            values["head"] = None if item.head is None else item.head - item.start + 1
        opening = _element("entity", values, {} if kind == "input" else item.mention.attributes)
        openings[item.start] = openings.get(item.start, "") + opening
        closings[item.end - 1] += 1
    for opening, positions in _paragraphs(view, view.items):
        words = (openings.get(i, "") + escape(view.words[i]) + "</entity>" * closings[i] for i in positions)
        yield f"{opening}{' '.join(words)}</p>\n"


def _place(view: View, item: Item, task: str) -> _Values:
    """What names a mention: its id, or its nodes in the tasks without entities."""
    if task in "12":
        return {"id": item.id}
    first, last = view.span(item)
    return {"start": first, "end": last}


def _pronouns(view: View, task: str) -> Iterator[str]:
    yield "<anaphoric_pronouns>\n"
    for item in view.items:
        if item.anaphoric:
            value = " ".join(view.words[item.start : item.end])
            yield _element("pronoun", {**_place(view, item, task), "value": value}, empty=True) + "\n"
    yield "</anaphoric_pronouns>\n"


def _resolved(view: View, task: str) -> Iterator[str]:
    for item in view.items:
        found = view.antecedent(item) if item.anaphoric else None
        if found is None:
            continue
        place = _place(view, item, task)
        if task == "1":
            yield _element("pronoun", {**place, "antecedent": found.id}, empty=True) + "\n"
        else:
            target = _element("antecedent", _place(view, found, task), empty=True)
            yield f"{_element('pronoun', place)}{target}</pronoun>\n"


def _chains(view: View, task: str) -> Iterator[str]:
    for name, items in view.chains.items():
        yield _element("chain", {"id": name})
        for item in items:
            values = _place(view, item, task)
            if task in "34":
                values["head"] = None if item.head is None else view.nodes[item.head]
            yield _element("member", values, item.mention.attributes if task in "34" else {}, empty=True)
        yield "</chain>\n"
