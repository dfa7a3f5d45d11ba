"""The XML of groups and its texts to documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...document import Document, Entity, Mention, Span, mention_order
from ...errors import CoindexError, quote
from ..source import BOM, Source
from ..surface import each_once
from ..text import has_words
from ..xml import Node, parse_xml, writable
from .tables import FIRST_COLUMN, read_tables

_OWN = frozenset({"id", "chain", "offset", "length", "head_offset", "head_length"})


def read(source: Source) -> Iterator[Document]:
    """The documents of an XML file of groups, or of RuCor's tables."""
    if source.head().removeprefix(BOM).startswith(FIRST_COLUMN):
        yield from read_tables(source)
        return
    root = parse_xml(source)
    if root.tag != "rueval":
        source.problem(
            root.line,
            f"the root <{root.tag}>",
            "<rueval>",
            "check that this is the file of groups",
            code="wrong-root-element",
            fragment=root.tag,
        )
    seen: set[str] = set()
    for node in root.elements("text"):
        id = node.attributes.get("id", "").strip()
        if not id or id in seen:
            found = f"a second text {quote(id)}" if id else "a text without an id"
            source.problem(
                node.line,
                found,
                "an id of its own for each text",
                "number the texts",
                code="invalid-annotation-id",
                fragment=id,
            )
        seen.add(id)
        doc = _document(source, node, id)
        track = node.attributes.get("track") or root.attributes.get("track")
        if doc is not None:
            yield doc.replace(meta={"track": track}) if track else doc


def parts(path: Path) -> list[Path]:
    """The texts that an XML file of groups names; reading the file reports what is wrong with it."""
    source = Source(path, on_problem=lambda problem: None)
    try:
        if source.head().removeprefix(BOM).startswith(FIRST_COLUMN):
            return []  # RuCor's tables are known by their columns
        texts = [
            _path(source, node, node.attributes.get("id", "").strip()) for node in parse_xml(source).elements("text")
        ]
    except CoindexError:
        return []
    finally:
        source.close()
    return [text for text in texts if text is not None]


def _document(source: Source, node: Node, id: str) -> Document | None:
    path = _path(source, node, id)
    if path is None:
        return None
    text_source = source.sibling(path)
    try:
        text = text_source.text()
    finally:
        text_source.close()
    groups = list(_groups(source, node, text))
    cuts = [border for group in groups for border in (*group.span, *(group.head or ()))]
    doc = Document.from_text(
        text, id=id or path.stem, language=node.attributes.get("language", "ru"), cuts=cuts, markup="none"
    )
    return doc.replace(entities=_entities(doc, groups, source))


def _path(source: Source, node: Node, id: str) -> Path | None:
    """Where the text lies: below the folder of the XML file and nowhere else, whatever the file says."""
    given = node.attributes.get("file")
    names = [given] if given else [f"{id}.txt", f"texts/{id}.txt"]
    if source.path is None:
        expected, remedy = (
            "a file, beside which its texts lie",
            "name the file instead of reading from a pipe",
        )
        source.problem(node.line, "groups from standard input", expected, remedy, code="unsupported-standard-input")
        return None
    folder = source.path.parent.resolve()
    for name in (*names, *(f"{name}.gz" for name in names)):
        try:
            path = (folder / name).resolve()
            if folder not in path.parents:
                expected = "a path below the folder of the XML file"
                source.problem(
                    node.line,
                    f"the text file {quote(name)}",
                    expected,
                    "move the text there",
                    code="missing-companion-file",
                    fragment=name,
                )
                return None
            if path.is_file():
                return source.path.parent / name
        except (OSError, ValueError, RuntimeError):  # too long, no file name, a loop of links
            continue
    expected = f"the text {quote(id)} at {' or '.join(quote(name) for name in names)}"
    source.problem(
        node.line,
        "no text file",
        expected,
        "put the text there or correct the attribute file",
        code="missing-companion-file",
    )
    return None


@dataclass(frozen=True, slots=True)
class _Group:
    id: str
    chain: str | None
    span: Span
    head: Span | None
    attributes: dict[str, str]


def _groups(source: Source, text_node: Node, text: str) -> Iterator[_Group]:
    seen: set[str] = set()
    for node in text_node.elements("group"):
        id = node.attributes.get("id", "").strip()
        if not id or id in seen:
            found = f"a second group {quote(id)}" if id else "a group without an id"
            source.problem(
                node.line,
                found,
                "an id of its own for each group of a text",
                "number the groups",
                code="invalid-annotation-id",
                fragment=id,
            )
            continue
        seen.add(id)
        span = _span(source, node, "offset", "length", len(text))
        if span is None or not _is_expression(source, node, text[slice(*span)]):
            continue
        head = None
        if "head_offset" in node.attributes or "head_length" in node.attributes:
            head = _span(source, node, "head_offset", "head_length", len(text))
            if head is not None and not span[0] <= head[0] < head[1] <= span[1]:
                expected = "a head inside its group"
                source.problem(
                    node.line,
                    f"a head outside of group {quote(id)}",
                    expected,
                    "correct its offset",
                    code="invalid-head",
                    fragment=id,
                )
                head = None
        more = {name: value for name, value in node.attributes.items() if name not in _OWN}
        yield _Group(id, node.attributes.get("chain", "").strip() or None, span, head, {"id": id, **more})


def _span(source: Source, node: Node, offset: str, length: str, size: int) -> Span | None:
    numbers = []
    for name in (offset, length):
        value = node.attributes.get(name)
        if value is None or not (value.isascii() and value.isdigit() and len(value) < 16):
            found = f"no {name}" if value is None else f"{name}={quote(value)}"
            source.problem(
                node.line,
                found,
                "a number of characters",
                "correct the group",
                code="invalid-span",
                fragment=value or "",
            )
            return None
        numbers.append(int(value))
    start, end = numbers[0], sum(numbers)
    if start < end <= size:
        return start, end
    found = f"characters {start} to {end} of a text of {size}"
    source.problem(
        node.line, found, "at least one character, all inside the text", "correct the group", code="invalid-span"
    )
    return None


def _is_expression(source: Source, node: Node, there: str) -> bool:
    said, found = node.text.split(), writable(there).split()
    if not has_words(there):
        remedy = "correct offset and length"
        source.problem(
            node.line,
            f"a group of white space {quote(there)}",
            "a group with words",
            remedy,
            code="invalid-span",
            fragment=there,
        )
        return False
    if said and said != found:
        source.problem(
            node.line,
            f"the expression {quote(' '.join(said))} where the text has {quote(' '.join(found))}",
            "the expression that is at the offset",
            "count characters, not bytes, from 0, line ends included",
            code="text-mismatch",
            fragment=" ".join(said),
        )
        return False
    return True


def _entities(doc: Document, groups: list[_Group], source: Source) -> tuple[Entity, ...]:
    chains: dict[str, list[Mention]] = {}
    taken = {group.chain for group in groups}
    for group in groups:
        name = group.chain
        if name is None:
            name = group.id
            while name in taken:
                name += "'"
            taken.add(name)
        positions = doc.tokens.positions_in(*group.span)
        head = doc.tokens.positions_in(*group.head) if group.head else ()
        mention = Mention(doc.tokens, tuple(positions), head[0] if head else None, group.attributes)
        chains.setdefault(name, []).append(mention)
    entities = [Entity(name, each_once(mentions, source)) for name, mentions in chains.items()]
    return tuple(sorted(entities, key=lambda entity: mention_order(entity.mentions[0])))
