"""From marks in the text to chains: what the answers name and what the links of an annotated corpus join."""

from __future__ import annotations

from collections.abc import Iterator

from ...document.disjoint_sets import Groups
from ...errors import quote
from ..source import Source
from ..xml import Node
from .text import Link, Mark, Text, get

RELATIONS = ("IDENTITY", "SYNONYMY", "GENERALISATION", "SPECIALISATION")
_SPAN_ATTRIBUTES = frozenset({"start", "end", "id", "head", "value", "antecedent"})


class Marks:
    """The marks of a text, and the chains that answers and links make of them."""

    def __init__(self, source: Source, text: Text) -> None:
        self.source = source
        self.text = text
        self.chains: Groups[Mark] = Groups()
        self.by_id: dict[str, Mark] = {}
        self.by_span: dict[tuple[int, int], Mark] = {}
        for mark in text.marks:
            self._register(mark)

    def _register(self, mark: Mark) -> None:
        if mark.id is not None:
            first = self.by_id.setdefault(mark.id, mark)
            if first is not mark:
                found = f"a second entity {quote(mark.id)}, the first is in line {first.line}"
                self.text.source.problem(mark.line, found, "ids of their own", "renumber one")
                return
        self.by_span.setdefault((mark.start, mark.end), mark)
        self.chains.find(mark)

    def add_pronoun(self, node: Node) -> None:
        """One of the pronouns to resolve. The paper's own list names some that its text does not show."""
        mark = self._pointed_at(node)
        if mark is None:
            self.source.count("anaphoric pronouns that are no entity of the text")
        else:
            mark.attributes["anaphoric"] = "yes"

    def add_chain(self, chain: Node) -> None:
        name = get(chain, "id") or f"line-{chain.line}"
        for member in chain.elements():
            mark = self._needed(member)
            if mark is None:
                continue
            if mark.chain is not None and mark.chain != name:
                if mark.id is not None:
                    found = f"in chain {quote(name)} what is in chain {quote(mark.chain)} already"
                    self._bad(member, found, "each mention in one chain")
                    continue
                mark = self._new_mark(mark.start, mark.end, member)  # one span may be two mentions
            mark.chain = name

    def add_answer(self, answer: Node) -> None:
        """A pronoun with the antecedent that somebody found for it."""
        pronoun = self._needed(answer)
        if pronoun is None:
            return
        pronoun.attributes["anaphoric"] = "yes"
        id = get(answer, "antecedent")
        named = [Node("antecedent", {"id": id}, answer.line)] if id else answer.elements("antecedent")
        for node in named:
            antecedent = self._needed(node)
            if antecedent is not None:
                place = get(node, "id") or f"{get(node, 'start')}-{get(node, 'end')}"
                pronoun.attributes["antecedent"] = place
                self.chains.join(antecedent, pronoun)

    def add_link(self, link: Link) -> None:
        """A link of the annotated corpus, kept or left out by the rules of the exercise."""
        node, count = link.node, self.source.count
        relation = get(node, "relation", "rel", "type_rel") or "IDENTITY"
        if node.tag.lower() == "ucoref":
            count("ucoref links, left out as uncertain")
        elif relation.upper() not in RELATIONS:
            count(f"coref links of other relations than {', '.join(RELATIONS)}, left out")
        elif (get(node, "type", "type_ref") or "NP").upper() != "NP":
            count("coref links that are not between NPs, left out")
        else:
            ana, ante = get(node, "ana"), get(node, "ante", "ref", "src")
            anaphor = link.inside if ana is None else self.by_id.get(ana)
            antecedent = None if ante is None else self.by_id.get(ante)
            if anaphor is None or antecedent is None or anaphor not in self.chains:
                count("coref links that do not resolve")
            else:
                self.chains.join(antecedent, anaphor)

    def named(self) -> Iterator[tuple[str, list[Mark]]]:
        """Chains with their names; one without a name is called by its first mark's id, or by a number."""
        first_of: dict[str, Mark] = {}
        for mark in (mark for group in self.chains for mark in group):
            if mark.chain is not None:
                self.chains.join(first_of.setdefault(mark.chain, mark), mark)
        used = set(first_of)
        for group in self.chains:
            group.sort(key=lambda mark: (mark.start, -mark.end))
            name = next((mark.chain for mark in group if mark.chain is not None), None)
            if name is None:
                name = next((mark.id for mark in group if mark.id is not None), None) or str(len(used) + 1)
                while name in used:
                    name += "'"
                used.add(name)
            yield name, group

    def _pointed_at(self, node: Node) -> Mark | None:
        """The mark that an element names, by the id of an entity or by its first and last node."""
        first, last, name = get(node, "start"), get(node, "end"), get(node, "id")
        if first is None or last is None:
            if name is None or name in self.by_id or name not in self.text.node_at:
                return None if name is None else self.by_id.get(name)
            first = last = name
        start, end = self.text.node_at.get(first), self.text.node_at.get(last)
        if start is None or end is None or end < start:
            return None
        return self.by_span.get((start, end + 1)) or self._new_mark(start, end + 1, node)

    def _new_mark(self, start: int, end: int, node: Node) -> Mark:
        mark = Mark(start, end, node.line)
        mark.attributes = {n: v for n, v in node.attributes.items() if n.lower() not in _SPAN_ATTRIBUTES}
        head = get(node, "head")
        if head is not None:
            mark.head = self.text.node_at.get(head)
            if mark.head is None or not start <= mark.head < end:
                self._bad(node, f"the head {quote(head)} outside its span", "a node of the span as head")
                mark.head = None
        self._register(mark)
        return mark

    def _needed(self, node: Node) -> Mark | None:
        """As `_pointed_at`, but a wrong answer is a problem: to pass over it would change a score unseen."""
        mark = self._pointed_at(node)
        if mark is None:
            named = "".join(f" {name}={quote(value)}" for name, value in node.attributes.items())
            self._bad(
                node,
                f"<{node.tag}{named}>, which is nothing in the text",
                "the id of an entity, or start and end that are nodes in reading order",
            )
        return mark

    def _bad(self, node: Node, found: str, expected: str) -> None:
        self.source.problem(node.line, found, expected, "compare the answers with the text")
