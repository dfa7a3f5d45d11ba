"""Write ARE XML: the key, the input or a response of each of the four tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...document import Document, Mention
from ...document.naming import antecedent, is_pronoun
from ..losses import warn_losses
from ..sink import Sink
from ..surface import all_sentences, distinct_spans, main_span, mention_ids, without_zeros
from ..xml import MAX_DEPTH, escape, writable, xml_attributes
from .reader import NO_PRONOUNS, PRONOUN_LIST

_MAX_NESTING = MAX_DEPTH - 20
_LOSSES = {
    "characters": "words that contain white space or control characters, written with _ or U+FFFD",
    "crossing": "mentions that cross other mentions",
}


@dataclass(slots=True, eq=False)
class Item:
    """A mention as it is written: the words start..end."""

    mention: Mention
    entity_id: str
    id: str
    start: int
    end: int
    head: int | None
    anaphoric: bool = False


class View:
    """A document for one task: `nest` keeps only mentions that nest, `corefer` only chains of two or more."""

    def __init__(self, doc: Document, lost: Counter[str], *, nest: bool, corefer: bool) -> None:
        doc = without_zeros(doc)
        self.lost = lost
        self.no_pronouns = doc.meta.get("pronouns") == NO_PRONOUNS
        self.words = [self._word(token.form) for token in doc.tokens]
        nodes = [token.misc_values.get("Node", "") for token in doc.tokens]
        unique = all(nodes) and len(set(nodes)) == len(nodes)
        self.nodes = nodes if unique else [str(number) for number in range(1, len(nodes) + 1)]
        self.lengths = [len(sentence) for sentence in all_sentences(doc)]
        # Of mentions at the same words, files of tasks 1 and 2 keep the ids, the others the names of the chains.
        items = sorted(_items(doc), key=lambda item: (item.start, -item.end, item.id if nest else item.entity_id))
        if nest:
            items = list(self._drop_crossing(items))
        sizes = Counter(item.entity_id for item in items)
        self.items = [item for item in items if not corefer or sizes[item.entity_id] > 1]
        self.entities: dict[str, list[Item]] = {}
        for item in self.items:
            self.entities.setdefault(item.entity_id, []).append(item)
        self._find_anaphors()

    def _word(self, form: str) -> str:
        word = writable("_".join(form.split())) or "_"
        if word != form:
            self.lost["characters"] += 1
        return word

    def _drop_crossing(self, items: list[Item]) -> Iterator[Item]:
        """Return mentions that nest; a mention that crosses an earlier one cannot be an element."""
        stack: list[Item] = []
        for item in items:
            while stack and stack[-1].end <= item.start:
                stack.pop()
            if (stack and item.end > stack[-1].end) or len(stack) >= _MAX_NESTING:
                self.lost["crossing"] += 1
                continue
            stack.append(item)
            yield item

    def _find_anaphors(self) -> None:
        """Mark the pronouns to resolve: those of the list that was read, otherwise all that have an antecedent."""
        given = self.no_pronouns or any("anaphoric" in item.mention.attributes for item in self.items)
        for item in self.items:
            if given:
                item.anaphoric = item.mention.attributes.get("anaphoric") == "yes"
            else:
                item.anaphoric = is_pronoun(item.mention) and self.antecedent(item) is not None

    def antecedent(self, item: Item) -> Item | None:
        """Return the antecedent of a pronoun: the one given in the document, otherwise one from its chain."""
        members = self.entities[item.entity_id]
        given = item.mention.attributes.get("antecedent")
        if given is not None:
            for other in members:
                if given in (other.id, "-".join(self.span(other))):
                    return other
        nearest = antecedent(item.mention, [other.mention for other in members])
        return next((other for other in members if other.mention is nearest), None)

    def span(self, item: Item) -> tuple[str, str]:
        """Return the first and the last node, both inclusive."""
        return self.nodes[item.start], self.nodes[item.end - 1]


def _items(doc: Document) -> Iterator[Item]:
    spans = distinct_spans(doc, main_span)
    ids = mention_ids([mention for mention, _, _ in spans])
    for (mention, entity, (start, end)), id in zip(spans, ids, strict=True):
        head = mention.head if mention.head is not None and start <= mention.head < end else None
        yield Item(mention, entity.id, id, start, end, head)


_WRITTEN_ELSEWHERE = frozenset({"id", "anaphoric", "antecedent"})
_RESERVED = ("id", "chain", "head", "start", "end", "value", "anaphoric", "antecedent")
_Values = dict[str, str | int | None]


def write(docs: Iterable[Document], sink: Sink, task: str = "1", kind: str = "key") -> None:
    """Write each document for one of the tasks; a warning counts what only this format loses."""
    out = sink.stream
    lost: Counter[str] = Counter()
    out.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<are task="{task}" kind="{kind}">\n')
    for doc in docs:
        given = kind == "input" == doc.meta.get("kind")  # an input has no chains, so it has to contain all mentions
        view = View(doc, lost, nest=task in "12", corefer=task in "24" and not given)
        out.write(_element("document", {"id": (doc.id or "").strip() or None}) + "\n")
        out.writelines(_entities(view, kind) if task in "12" else _nodes(view))
        if task == "1" or (task == "3" and kind == "key"):
            out.writelines(_pronouns(view, task))
        if kind == "response" or (kind == "key" and task in "34"):
            pairs = kind == "response" and task in "13"
            out.write("<answers>\n")
            out.writelines(_write_answers(view, task) if pairs else _write_chains(view, task))
            out.write("</answers>\n")
        out.write("</document>\n")
    out.write("</are>\n")
    warn_losses("are", lost, _LOSSES)


def _element(
    tag: str,
    values: Mapping[str, str | int | None],
    more: Mapping[str, str] | None = None,
    *,
    empty: bool = False,
) -> str:
    """Return a tag with its values and the other attributes of a mention."""
    own = {name: str(value) for name, value in values.items() if value is not None}
    rest = {name: value for name, value in (more or {}).items() if name not in _WRITTEN_ELSEWHERE}
    written = xml_attributes(own) + xml_attributes(rest, reserved=_RESERVED)
    return f"<{tag}{written}{'/' if empty else ''}>"


def _paragraphs(view: View, items: Iterable[Item]) -> Iterator[tuple[str, range]]:
    """Yield the opening tag of each paragraph and its words: a sentence, or several that an entity spans."""
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
            values["chain"] = item.entity_id
        if kind != "input":
            values["head"] = None if item.head is None else item.head - item.start + 1
        opening = _element("entity", values, {} if kind == "input" else item.mention.attributes)
        openings[item.start] = openings.get(item.start, "") + opening
        closings[item.end - 1] += 1
    for opening, positions in _paragraphs(view, view.items):
        words = (openings.get(i, "") + escape(view.words[i]) + "</entity>" * closings[i] for i in positions)
        yield f"{opening}{' '.join(words)}</p>\n"


def _place(view: View, item: Item, task: str) -> _Values:
    """Return the attributes that identify a mention: its id, or its nodes in the tasks without entities."""
    if task in "12":
        return {"id": item.id}
    first, last = view.span(item)
    return {"start": first, "end": last}


def _pronouns(view: View, task: str) -> Iterator[str]:
    yield f"<{PRONOUN_LIST}>\n"
    for item in view.items:
        if item.anaphoric:
            value = " ".join(view.words[item.start : item.end])
            yield _element("pronoun", {**_place(view, item, task), "value": value}, empty=True) + "\n"
    yield f"</{PRONOUN_LIST}>\n"


def _write_answers(view: View, task: str) -> Iterator[str]:
    for item in view.items:
        nearest = view.antecedent(item) if item.anaphoric else None
        if nearest is None:
            continue
        place = _place(view, item, task)
        if task == "1":
            yield _element("pronoun", {**place, "antecedent": nearest.id}, empty=True) + "\n"
        else:
            target = _element("antecedent", _place(view, nearest, task), empty=True)
            yield f"{_element('pronoun', place)}{target}</pronoun>\n"


def _write_chains(view: View, task: str) -> Iterator[str]:
    for name, items in view.entities.items():
        yield _element("chain", {"id": name})
        for item in items:
            values = _place(view, item, task)
            if task in "34":
                values["head"] = None if item.head is None else view.nodes[item.head]
            yield _element("member", values, item.mention.attributes if task in "34" else {}, empty=True)
        yield "</chain>\n"
