"""Read ARE files: paragraphs first, because pronoun lists, answers and links point into them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...document import Document, Entity, Mention, Sentence, Token, Tokens, mention_order
from ...document.disjoint_sets import Groups
from ...errors import quote
from ..source import Source
from ..surface import each_once
from ..xml import Node, parse_xml

ENTITY = frozenset({"entity", "markable"})  # the corpus behind ARE calls its noun phrases markables
LINKS = frozenset({"coref", "ucoref"})
_ENDS = frozenset({".", "!", "?", "...", "…", "?!", "!?", "!!", "??", "?..", "!.."})
_CLOSING = frozenset({"''", "”", "’", ")", "]", "»"})
PRONOUN_LIST = "anaphoric_pronouns"
NO_PRONOUNS = "none"
"""The value of `pronouns` in the metadata of a document whose list of pronouns is empty."""
_RESERVED = frozenset({"id", "chain", "head"})


def get(node: Node, *names: str) -> str | None:
    """Return the first of these attributes that is not empty; names may be in upper case."""
    for name in names:
        value = node.attributes.get(name) or node.attributes.get(name.upper())
        if value and value.strip():
            return value.strip()
    return None


def number(text: str) -> int | None:
    """Return a small natural number, or None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


@dataclass(slots=True, eq=False)
class Mark:
    """A span of words that is an entity or is referred to: its half-open span and its attributes."""

    start: int
    end: int
    line: int
    id: str | None = None
    chain: str | None = None
    head: int | None = None
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Link:
    """A coref or ucoref element, with the entity that contains it."""

    node: Node
    inside: Mark | None


class Text:
    """The words and marks of a document; call `add` with its paragraphs in order."""

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
        self._node: str | None = None  # opened, its text follows
        self._blank = True  # after white space or at the beginning of the paragraph

    def add(self, paragraph: Node) -> None:
        self._first, first_mark = len(self.words), len(self.marks)
        self._cut_by_nodes = any(node.tag.lower() == "node" for node in paragraph.walk())
        self._node, self._blank = None, True
        self._walk(paragraph, None)
        self._no_text()
        self.marks[first_mark:] = [mark for mark in self.marks[first_mark:] if self._has_words(mark)]
        lengths = self._read_lengths(paragraph, len(self.words) - self._first)
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
                code="text-outside-element",
                fragment=" ".join(words),
            )

    def _add_word(self, word: str, node: str | None) -> None:
        if node is not None:
            self.node_at[node] = len(self.words)
        self.words.append(word)
        self.spaces.append(" ")
        self.nodes.append(node)

    def _no_text(self) -> None:
        if self._node is not None:
            self.source.count("nodes without text, left out", code="left-out")
            self._node = None

    def _node_id(self, node: Node) -> str | None:
        id = get(node, "id")
        if id is None or "|" in id or len(id.split()) != 1 or id in self.node_at:
            what = "a node without an id" if id is None else f"the node id {quote(id)}"
            self.source.problem(
                node.line,
                what,
                "a unique id for each node",
                "number the nodes",
                code="invalid-annotation-id",
                fragment=id or "",
            )
            return f"line-{node.line}-word-{len(self.words)}"
        return id

    def _open(self, node: Node) -> Mark:
        here = len(self.words)
        mark = Mark(here, here, node.line, get(node, "id"), get(node, "chain"))
        if mark.id is None:
            self.source.problem(
                node.line, "an entity without an id", '<entity id="…">', "give it an id", code="invalid-annotation-id"
            )
        mark.attributes = {n: v for n, v in node.attributes.items() if n.lower() not in _RESERVED}
        head = get(node, "head")
        if head is not None:
            mark.head = number(head) or 0
        self.marks.append(mark)
        return mark

    def _has_words(self, mark: Mark) -> bool:
        if mark.start == mark.end:
            self.source.count("entities without words, left out", code="left-out")
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
                    code="invalid-head",
                )
                mark.head = None
        return True

    def _read_lengths(self, paragraph: Node, words: int) -> list[int]:
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
            code="invalid-sentence",
            fragment=given,
        )
        return []

    def _split(self, start: int, marks: list[Mark]) -> list[int]:
        """Return sentence lengths; sentences end at full stops and the like where no entity is open."""
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
        """Return the tokens and sentences: a line end after each sentence, node ids as Node= in MISC."""
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


RELATIONS = ("IDENTITY", "SYNONYMY", "GENERALISATION", "SPECIALISATION")
_SPAN_ATTRIBUTES = frozenset({"start", "end", "id", "head", "value", "antecedent"})


class Marks:
    """The marks of a text, grouped into entities by answers and links."""

    def __init__(self, source: Source, text: Text) -> None:
        self.source = source
        self.text = text
        self.groups: Groups[Mark] = Groups()
        self.by_id: dict[str, Mark] = {}
        self.by_span: dict[tuple[int, int], Mark] = {}
        for mark in text.marks:
            self._register(mark)

    def _register(self, mark: Mark) -> None:
        if mark.id is not None:
            first = self.by_id.setdefault(mark.id, mark)
            if first is not mark:
                found = f"a second entity {quote(mark.id)}, the first is in line {first.line}"
                self.text.source.problem(
                    mark.line, found, "unique ids", "renumber one", code="invalid-annotation-id", fragment=mark.id
                )
                return
        self.by_span.setdefault((mark.start, mark.end), mark)
        self.groups.find(mark)

    def add_pronoun(self, node: Node) -> None:
        """Add a pronoun to resolve. The list in the paper contains some that its text does not have."""
        mark = self._find_mark(node)
        if mark is None:
            self.source.count("anaphoric pronouns without an entity in the text", code="unresolved-reference")
        else:
            mark.attributes["anaphoric"] = "yes"

    def add_chain(self, chain: Node) -> None:
        name = get(chain, "id") or f"line-{chain.line}"
        for member in chain.elements():
            mark = self._require_mark(member)
            if mark is None:
                continue
            if mark.chain is not None and mark.chain != name:
                if mark.id is not None:
                    found = f"a mention in chain {quote(name)} that is already in chain {quote(mark.chain)}"
                    self._report_bad(member, found, "each mention in one chain", name)
                    continue
                mark = self._new_mark(mark.start, mark.end, member)  # two mentions may have the same span
            mark.chain = name

    def add_answer(self, answer: Node) -> None:
        """Add a pronoun of a response, with its antecedent."""
        pronoun = self._require_mark(answer)
        if pronoun is None:
            return
        pronoun.attributes["anaphoric"] = "yes"
        id = get(answer, "antecedent")
        antecedents = [Node("antecedent", {"id": id}, answer.line)] if id else answer.elements("antecedent")
        for node in antecedents:
            antecedent = self._require_mark(node)
            if antecedent is not None:
                place = get(node, "id") or f"{get(node, 'start')}-{get(node, 'end')}"
                pronoun.attributes["antecedent"] = place
                self.groups.join(antecedent, pronoun)

    def add_link(self, link: Link) -> None:
        """Add a link of the annotated corpus, or leave it out by the rules of the exercise."""
        node, count = link.node, self.source.count
        relation = get(node, "relation", "rel", "type_rel") or "IDENTITY"
        if node.tag.lower() == "ucoref":
            count("ucoref links, left out because they are uncertain", code="left-out")
        elif relation.upper() not in RELATIONS:
            count(f"coref links of relations other than {', '.join(RELATIONS)}, left out", code="left-out")
        elif (get(node, "type", "type_ref") or "NP").upper() != "NP":
            count("coref links that are not between NPs, left out", code="left-out")
        else:
            ana, ante = get(node, "ana"), get(node, "ante", "ref", "src")
            anaphor = link.inside if ana is None else self.by_id.get(ana)
            antecedent = None if ante is None else self.by_id.get(ante)
            if anaphor is None or antecedent is None or anaphor not in self.groups:
                count("coref links to a missing annotation", code="unresolved-reference")
            else:
                self.groups.join(antecedent, anaphor)

    def name_groups(self) -> Iterator[tuple[str, list[Mark]]]:
        """Yield each entity with its name; the default is the id of the first mark, or a number."""
        first_of: dict[str, Mark] = {}
        for mark in (mark for group in self.groups for mark in group):
            if mark.chain is not None:
                self.groups.join(first_of.setdefault(mark.chain, mark), mark)
        used = set(first_of)
        for group in self.groups:
            group.sort(key=lambda mark: (mark.start, -mark.end))
            name = next((mark.chain for mark in group if mark.chain is not None), None)
            if name is None:
                name = next((mark.id for mark in group if mark.id is not None), None) or str(len(used) + 1)
                while name in used:
                    name += "'"
                used.add(name)
            yield name, group

    def _find_mark(self, node: Node) -> Mark | None:
        """Return the mark that an element refers to by the id of an entity or by its first and last node."""
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
                self._report_bad(node, f"the head {quote(head)} outside its span", "a node of the span as head", head)
                mark.head = None
        self._register(mark)
        return mark

    def _require_mark(self, node: Node) -> Mark | None:
        """Return the mark that an element refers to, or report a problem: ignoring it would silently change scores."""
        mark = self._find_mark(node)
        if mark is None:
            attributes = "".join(f" {name}={quote(value)}" for name, value in node.attributes.items())
            self._report_bad(
                node,
                f"<{node.tag}{attributes}>, which refers to nothing in the text",
                "the id of an entity, or start and end that are nodes in reading order",
                next(iter(node.attributes.values()), ""),
            )
        return mark

    def _report_bad(self, node: Node, found: str, expected: str, fragment: str) -> None:
        remedy = "compare the answers with the text"
        self.source.problem(node.line, found, expected, remedy, code="text-mismatch", fragment=fragment)


_FRAGMENT = "fragment"
_WITHOUT_TEXT = ("-key", "-response", "-output")


def read(source: Source) -> Iterator[Document]:
    """Read the documents of an ARE file; any root with `<p>` elements is accepted, and so are several roots."""
    root = parse_xml(source, wrap=_FRAGMENT)
    if root.tag == "are" and next(root.elements(), None) is None:
        return
    meta = {name: value for name in ("task", "kind") if root.tag == "are" and (value := get(root, name))}
    parts = list(root.elements("document")) if root.tag == "are" else []
    beside = None if parts else _pronouns_beside(source, root)
    seen: set[str] = set()
    for number, part in enumerate(parts or [root], 1):
        id = get(part, "id") or (_name(source) if number == 1 else f"{_name(source)}-{number}")
        if id in seen:
            source.problem(
                part.line,
                f"duplicate document id {quote(id)}",
                "a unique id for each document",
                "rename one of them",
                severity="warning",
                code="duplicate-document-id",
                fragment=id,
            )
        seen.add(id)
        doc = _read_part(source, part, beside)
        yield doc.replace(id=id, meta={**meta, **doc.meta})


def _name(source: Source) -> str:
    """Return NAME for NAME-input.xml, NAME-key.xml and the like, which belong to one document."""
    for ending in ("-input", *_WITHOUT_TEXT):
        if source.stem.endswith(ending) and source.stem != ending:
            return source.stem.removesuffix(ending)
    return source.stem


def _pronouns_beside(source: Source, root: Node) -> Node | None:
    """Return the anaphoric pronouns from NAME.pronouns.xml, if the text NAME.xml does not have a list itself."""
    if source.path is None or any(node.tag.lower() == PRONOUN_LIST for node in root.walk()):
        return None
    path = _find_existing(source.path.with_name(source.stem + ".pronouns.xml"))
    return None if path is None or path == source.path else _parse(source.sibling(path))


def _input_beside(source: Source) -> Source | None:
    """Return NAME-input.xml, which has the text of NAME-key.xml."""
    if source.path is None or not source.stem.endswith(_WITHOUT_TEXT):
        return None
    path = _find_existing(source.path.with_name(_name(source) + "-input.xml"))
    return None if path is None else source.sibling(path)


def _find_existing(path: Path) -> Path | None:
    packed = path.with_name(path.name + ".gz")
    return path if path.is_file() else packed if packed.is_file() else None


def _parse(beside: Source) -> Node:
    try:
        return parse_xml(beside, wrap=_FRAGMENT)
    finally:
        beside.close()


@dataclass(slots=True)
class _Elements:
    """The elements of a document, grouped by purpose."""

    paragraphs: list[Node] = field(default_factory=list)
    pronouns: list[Node] = field(default_factory=list)
    answers: list[Node] = field(default_factory=list)
    chains: list[Node] = field(default_factory=list)
    links: list[Node] = field(default_factory=list)
    other_text: int = 0
    has_list: bool = False
    """Whether there is a list of pronouns, which may be empty."""

    def collect(self, part: Node) -> None:
        stack = [(part, False)]
        while stack:
            node, listed = stack.pop()
            tag = node.tag.lower()
            if tag == "p":
                self.paragraphs.append(node)
            elif tag == "pronoun":
                (self.pronouns if listed else self.answers).append(node)
            elif tag == "chain":
                self.chains.append(node)
            elif tag in LINKS:
                self.links.append(node)
            else:
                self.other_text += sum(isinstance(child, str) and bool(child.strip()) for child in node.children)
                listed = listed or tag == PRONOUN_LIST
                self.has_list = self.has_list or listed
                stack.extend((child, listed) for child in reversed(list(node.elements())))


def _read_part(source: Source, part: Node, pronouns: Node | None) -> Document:
    elements, text_source = _Elements(), source
    elements.collect(part)
    if not elements.paragraphs and part.tag != "document":
        input_path = _input_beside(source)
        if input_path is not None:
            elements.collect(_parse(input_path))
            text_source = input_path
    if not elements.paragraphs and part.tag != "document":
        source.problem(
            part.line or 1,
            "no paragraph" if part.tag == _FRAGMENT else f"<{part.tag}> without a paragraph",
            "<p> elements with the text, or a NAME-input.xml beside a NAME-key.xml",
            "add the text",
            code="no-text",
            fragment=part.tag,
        )
    if elements.other_text:
        source.count("pieces of text outside paragraphs, left out", elements.other_text, code="left-out")
    if pronouns is not None:
        elements.pronouns += (node for node in pronouns.walk() if node.tag.lower() == "pronoun")
    doc = _build(source, text_source, elements)
    if text_source is not source:
        text_source.warn_counts()
    return doc


def _build(source: Source, text_source: Source, elements: _Elements) -> Document:
    text = Text(text_source)
    for paragraph in elements.paragraphs:
        text.add(paragraph)
    marks = Marks(source, text)
    for node in elements.chains:
        marks.add_chain(node)
    for node in elements.answers:
        marks.add_answer(node)
    for node in elements.pronouns:
        marks.add_pronoun(node)
    for link in (*text.links, *(Link(node, None) for node in elements.links)):
        marks.add_link(link)
    tokens, sentences = text.layer()
    entities = []
    for name, group in marks.name_groups():
        mentions = []
        for mark in group:
            attributes = mark.attributes if mark.id is None else {"id": mark.id, **mark.attributes}
            mentions.append(Mention(tokens, tuple(range(mark.start, mark.end)), mark.head, attributes))
        entities.append(Entity(name, each_once(mentions, source)))
    entities.sort(key=lambda entity: mention_order(entity.mentions[0]))
    meta = {"pronouns": NO_PRONOUNS} if elements.has_list and not elements.pronouns else {}
    return Document(tokens, sentences, tuple(entities), meta=meta)
