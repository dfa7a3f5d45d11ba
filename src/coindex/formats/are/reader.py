"""ARE files to documents: paragraphs first, since pronoun lists, answers and links point into them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...document import Document, Entity, Mention, mention_order
from ...errors import quote
from ..chains import each_once
from ..source import Source
from ..xml import Node, parse_xml
from .marks import Marks
from .text import LINKS, Link, Text, get

_FRAGMENT = "fragment"
_WITHOUT_TEXT = ("-key", "-response", "-output")


def read(source: Source) -> Iterator[Document]:
    """The documents of an ARE file; any root with `<p>` elements will do, and so will several roots."""
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
                f"the document id {quote(id)} for the second time",
                "an id of its own for each document",
                "rename one of them",
                severity="warning",
            )
        seen.add(id)
        yield _read_part(source, part, beside).replace(id=id, meta=meta)


def _name(source: Source) -> str:
    """NAME for NAME-input.xml, NAME-key.xml and the like: they are one document."""
    for ending in ("-input", *_WITHOUT_TEXT):
        if source.stem.endswith(ending) and source.stem != ending:
            return source.stem.removesuffix(ending)
    return source.stem


def _pronouns_beside(source: Source, root: Node) -> Node | None:
    """The anaphoric pronouns from NAME.pronouns.xml, where the text NAME.xml does not have its own list."""
    if source.path is None or any(node.tag.lower() == "anaphoric_pronouns" for node in root.walk()):
        return None
    path = _existing(source.path.with_name(source.stem + ".pronouns.xml"))
    return None if path is None or path == source.path else _parse(source.sibling(path))


def _input_beside(source: Source) -> Source | None:
    """NAME-input.xml, which has the text of NAME-key.xml."""
    if source.path is None or not source.stem.endswith(_WITHOUT_TEXT):
        return None
    path = _existing(source.path.with_name(_name(source) + "-input.xml"))
    return None if path is None else source.sibling(path)


def _existing(path: Path) -> Path | None:
    packed = path.with_name(path.name + ".gz")
    return path if path.is_file() else packed if packed.is_file() else None


def _parse(beside: Source) -> Node:
    try:
        return parse_xml(beside, wrap=_FRAGMENT)
    finally:
        beside.close()


@dataclass(slots=True)
class _Elements:
    """The elements of a document, sorted by what they are for."""

    paragraphs: list[Node] = field(default_factory=list)
    pronouns: list[Node] = field(default_factory=list)
    answers: list[Node] = field(default_factory=list)
    chains: list[Node] = field(default_factory=list)
    links: list[Node] = field(default_factory=list)
    other_text: int = 0

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
                listed = listed or tag == "anaphoric_pronouns"
                stack.extend((child, listed) for child in reversed(list(node.elements())))


def _read_part(source: Source, part: Node, pronouns: Node | None) -> Document:
    elements, text_source = _Elements(), source
    elements.collect(part)
    if not elements.paragraphs and part.tag != "document":
        found = _input_beside(source)
        if found is not None:
            elements.collect(_parse(found))
            text_source = found
    if not elements.paragraphs and part.tag != "document":
        source.problem(
            part.line or 1,
            "no paragraph" if part.tag == _FRAGMENT else f"<{part.tag}> without a paragraph",
            "<p> elements with the text, or a NAME-input.xml beside a NAME-key.xml",
            "add the text",
        )
    if elements.other_text:
        source.count("pieces of text outside paragraphs, left out", elements.other_text)
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
    for name, chain in marks.named():
        mentions = []
        for mark in chain:
            attributes = mark.attributes if mark.id is None else {"id": mark.id, **mark.attributes}
            mentions.append(Mention(tokens, tuple(range(mark.start, mark.end)), mark.head, attributes))
        entities.append(Entity(name, each_once(mentions, source)))
    entities.sort(key=lambda entity: mention_order(entity.mentions[0]))
    return Document(tokens, sentences, tuple(entities))
