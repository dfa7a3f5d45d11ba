"""What of a document ARE can say: words without empty nodes, and mentions with an id and a chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ...document import Document, Mention
from ...document.pronouns import antecedent, is_pronoun
from ..mention_names import distinct_spans, main_span, mention_ids
from ..xml import MAX_DEPTH, writable
from ..zeros import all_sentences, without_zeros

_MAX_NESTING = MAX_DEPTH - 20


@dataclass(slots=True, eq=False)
class Item:
    """A mention as it is written: the words start..end."""

    mention: Mention
    chain: str
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
        self.words = [self._word(token.form) for token in doc.tokens]
        nodes = [token.misc_values.get("Node", "") for token in doc.tokens]
        unique = all(nodes) and len(set(nodes)) == len(nodes)
        self.nodes = nodes if unique else [str(number) for number in range(1, len(nodes) + 1)]
        self.lengths = [len(sentence) for sentence in all_sentences(doc)]
        # Of mentions at the same words, files of tasks 1 and 2 keep the ids, the others the names of the chains.
        items = sorted(_items(doc), key=lambda item: (item.start, -item.end, item.id if nest else item.chain))
        if nest:
            items = list(self._nested(items))
        sizes = Counter(item.chain for item in items)
        self.items = [item for item in items if not corefer or sizes[item.chain] > 1]
        self.chains: dict[str, list[Item]] = {}
        for item in self.items:
            self.chains.setdefault(item.chain, []).append(item)
        self._find_anaphors()

    def _word(self, form: str) -> str:
        word = writable("_".join(form.split())) or "_"
        if word != form:
            self.lost["words with blanks or control characters inside, written with _ or U+FFFD"] += 1
        return word

    def _nested(self, items: list[Item]) -> Iterator[Item]:
        """Mentions that nest; one that crosses another, begun before it, cannot be an element."""
        stack: list[Item] = []
        for item in items:
            while stack and stack[-1].end <= item.start:
                stack.pop()
            if (stack and item.end > stack[-1].end) or len(stack) >= _MAX_NESTING:
                self.lost["mentions that cross others"] += 1
                continue
            stack.append(item)
            yield item

    def _find_anaphors(self) -> None:
        """The pronouns to resolve: those that the document says, else all that have an antecedent."""
        given = any("anaphoric" in item.mention.attributes for item in self.items)
        for item in self.items:
            if given:
                item.anaphoric = item.mention.attributes.get("anaphoric") == "yes"
            else:
                item.anaphoric = is_pronoun(item.mention) and self.antecedent(item) is not None

    def antecedent(self, item: Item) -> Item | None:
        """What a pronoun was resolved to, where the document says it, else what its chain offers."""
        chain = self.chains[item.chain]
        said = item.mention.attributes.get("antecedent")
        if said is not None:
            for other in chain:
                if said in (other.id, "-".join(self.span(other))):
                    return other
        found = antecedent(item.mention, [other.mention for other in chain])
        return next((other for other in chain if other.mention is found), None)

    def span(self, item: Item) -> tuple[str, str]:
        """The first and the last node; the last is inside."""
        return self.nodes[item.start], self.nodes[item.end - 1]


def _items(doc: Document) -> Iterator[Item]:
    found = distinct_spans(doc, main_span)
    ids = mention_ids([mention for mention, _, _ in found])
    for (mention, entity, (start, end)), id in zip(found, ids, strict=True):
        head = mention.head if mention.head is not None and start <= mention.head < end else None
        yield Item(mention, entity.id, id, start, end, head)
