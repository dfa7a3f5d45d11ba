"""The words of ARE paragraphs, with what is marked in them: entities, nodes and links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...document import Sentence, Token, Tokens
from ...errors import quote
from ..source import Source
from ..xml import Node

ENTITY = frozenset({"entity", "markable"})  # markable is what the corpus behind ARE calls its noun phrases
LINKS = frozenset({"coref", "ucoref"})
_ENDS = frozenset({".", "!", "?", "...", "…", "?!", "!?", "!!", "??", "?..", "!.."})
_CLOSING = frozenset({"''", "”", "’", ")", "]", "»"})
_RESERVED = frozenset({"id", "chain", "head"})


def get(node: Node, *names: str) -> str | None:
    """The first of these attributes that the element has and that is not empty; upper case names will do."""
    for name in names:
        value = node.attributes.get(name) or node.attributes.get(name.upper())
        if value and value.strip():
            return value.strip()
    return None


def number(text: str) -> int | None:
    """A small natural number, or None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


@dataclass(slots=True, eq=False)
class Mark:
    """A stretch of words that is marked or named: its half-open span and all that is said of it."""

    start: int
    end: int
    line: int
    id: str | None = None
    chain: str | None = None
    head: int | None = None
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Link:
    """A coref or ucoref element, with the entity it stands in."""

    node: Node
    inside: Mark | None


class Text:
    """The words and marks of one document; `add` takes its paragraphs in order."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.words: list[str] = []
        self.spaces: list[str] = []
        self.nodes: list[str | None] = []
        self.lengths: list[int] = []
        self.marks: list[Mark] = []
        self.links: list[Link] = []
        self.node_at: dict[str, int] = {}
        self._cut_by_nodes = False
        self._first = 0  # word of this paragraph
        self._node: str | None = None  # opened, its text is still to come
        self._blank = True  # white space, or nothing of this paragraph, went before

    def add(self, paragraph: Node) -> None:
        self._first, first_mark = len(self.words), len(self.marks)
        self._cut_by_nodes = any(node.tag.lower() == "node" for node in paragraph.walk())
        self._node, self._blank = None, True
        self._walk(paragraph, None)
        self._no_text()
        self.marks[first_mark:] = [mark for mark in self.marks[first_mark:] if self._has_words(mark)]
        lengths = self._given_lengths(paragraph, len(self.words) - self._first)
        self.lengths += lengths or self._split(self._first, self.marks[first_mark:])

    def _walk(self, node: Node, inside: Mark | None) -> None:
        for child in node.children:
            if isinstance(child, str):
                self._add_text(child, node.line)
                continue
            tag, within = child.tag.lower(), inside
            if tag in ENTITY:
                within = self._open(child)
            elif tag == "node":
                self._no_text()
                self._node = self._node_id(child)
            elif tag in LINKS:
                self.links.append(Link(child, inside))
            self._walk(child, within)
            if tag in ENTITY and within is not None:
                within.end = len(self.words)

    def _add_text(self, text: str, line: int) -> None:
        words = text.split()
        glued = not self._blank and not text[0].isspace()
        self._blank = text[-1].isspace()
        if not words:
            return
        if not self._cut_by_nodes:
            if glued:
                self.spaces[-1] = ""
            for word in words:
                self._add_word(word, None)
        elif self._node is not None:
            self._add_word(" ".join(words), self._node)
            self._node = None
        elif len(self.words) > self._first:
            self.words[-1] += ("" if glued else " ") + " ".join(words)
        else:
            self.source.problem(
                line,
                f"text {quote(' '.join(words))} before the first node",
                "a <node id> first",
                "add the node",
            )

    def _add_word(self, word: str, node: str | None) -> None:
        if node is not None:
            self.node_at[node] = len(self.words)
        self.words.append(word)
        self.spaces.append(" ")
        self.nodes.append(node)

    def _no_text(self) -> None:
        if self._node is not None:
            self.source.count("nodes without text, left out")
            self._node = None

    def _node_id(self, node: Node) -> str | None:
        id = get(node, "id")
        if id is None or "|" in id or len(id.split()) != 1 or id in self.node_at:
            what = "a node without an id" if id is None else f"the node id {quote(id)}"
            self.source.problem(node.line, what, "an id of its own for each node", "number the nodes")
            return f"line-{node.line}-word-{len(self.words)}"
        return id

    def _open(self, node: Node) -> Mark:
        here = len(self.words)
        mark = Mark(here, here, node.line, get(node, "id"), get(node, "chain"))
        if mark.id is None:
            self.source.problem(node.line, "an entity without an id", '<entity id="…">', "give it an id")
        mark.attributes = {n: v for n, v in node.attributes.items() if n.lower() not in _RESERVED}
        head = get(node, "head")
        if head is not None:
            mark.head = number(head) or 0
        self.marks.append(mark)
        return mark

    def _has_words(self, mark: Mark) -> bool:
        if mark.start == mark.end:
            self.source.count("entities without words, left out")
            return False
        if mark.head is not None:
            if 1 <= mark.head <= mark.end - mark.start:
                mark.head += mark.start - 1
            else:
                self.source.problem(
                    mark.line,
                    f"an entity of {mark.end - mark.start} words whose head is none of them",
                    f"head from 1 to {mark.end - mark.start}, counted in its words",
                    "correct the head or leave it out",
                )
                mark.head = None
        return True

    def _given_lengths(self, paragraph: Node, words: int) -> list[int]:
        given = get(paragraph, "sentences")
        if given is None:
            return []
        lengths = [number(length) or 0 for length in given.split()]
        if all(lengths) and sum(lengths) == words:
            return lengths
        self.source.problem(
            paragraph.line,
            f"sentences={quote(given)} in a paragraph of {words} words",
            "the number of words of each sentence",
            "correct the numbers or leave the attribute out",
        )
        return []

    def _split(self, start: int, marks: list[Mark]) -> list[int]:
        """Sentence lengths by full stops and the like, where no entity is open."""
        open_before = {position for mark in marks for position in range(mark.start + 1, mark.end)}
        ends = [end for end in self._sentence_ends(start) if end not in open_before]
        if len(self.words) > start:
            ends.append(len(self.words))
        return [end - begin for begin, end in zip([start, *ends], ends, strict=False) if end > begin]

    def _sentence_ends(self, start: int) -> Iterator[int]:
        quotes, ended = 0, False
        for position in range(start, len(self.words)):
            word = self.words[position]
            quotes += word == '"'
            closes = word in _CLOSING or (word == '"' and quotes % 2 == 0)
            if ended and not closes and word not in _ENDS:
                yield position
                ended = False
            ended = ended or word in _ENDS

    def layer(self) -> tuple[Tokens, tuple[Sentence, ...]]:
        """The tokens and sentences: a line end after each sentence, node ids as Node= in MISC."""
        tokens, borders, start = [], [], 0
        for length in self.lengths:
            for position in range(start, start + length):
                node = self.nodes[position]
                misc = "_" if node is None else f"Node={node}"
                space = "\n" if position == start + length - 1 else self.spaces[position]
                tokens.append(Token(str(position - start + 1), self.words[position], misc=misc, space=space))
            borders.append((start, start + length))
            start += length
        if tokens:
            tokens[-1] = tokens[-1]._replace(space="")
        layer = Tokens(tokens)
        return layer, tuple(Sentence(layer, begin, end) for begin, end in borders)
