"""XML as a small tree with line numbers. Declared entities are refused, because attacks use them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from ..document import Document
from ..errors import FormatError, Problem, quote
from .losses import warn_losses
from .source import BOM, Source

__all__ = ["Node", "escape", "parse_xml", "quoteattr", "watch_words", "word_text", "writable"]

MAX_DEPTH = 200
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WITH_PROLOGUE = (b"<?xml", b"<!DOCTYPE", b"\xff\xfe", b"\xfe\xff")


@dataclass(slots=True)
class Node:
    """An element: its children are elements and strings, in order."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    children: list[Node | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Return all text inside, at any depth."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def elements(self, tag: str | None = None) -> Iterator[Node]:
        """Return the child elements, all or those with a tag."""
        for child in self.children:
            if isinstance(child, Node) and (tag is None or child.tag == tag):
                yield child

    def find(self, tag: str) -> Node | None:
        return next(self.elements(tag), None)

    def walk(self) -> Iterator[Node]:
        """Yield this element and all below it in document order, without recursion."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(list(node.elements())))


def writable(text: str) -> str:
    """Return the text with U+FFFD for each character that XML does not allow, such as control characters."""
    return _FORBIDDEN.sub("\ufffd", text)


def word_text(form: str) -> str:
    """Return a word as the text of an element; white space becomes "_", because readers strip it."""
    return escape(writable(form.strip()) or "_")


def watch_words(docs: Iterable[Document], format_name: str) -> Iterator[Document]:
    """Pass documents through to a writer that uses `word_text`, and warn at the end about words that it changes."""
    changed = 0
    for doc in docs:
        changed += sum(bool(_FORBIDDEN.search(token.form)) for token in doc.tokens if not token.is_empty)
        yield doc
    what = "words with control characters, which XML does not allow, written with U+FFFD or without them"
    warn_losses(format_name, Counter({"characters": changed}), {"characters": what})


def parse_xml(source: Source, *, wrap: str | None = None) -> Node:
    """Parse an XML source and return its root. XML that is not well-formed stops reading, also when validating.

    `wrap` is the tag of an element to put around a source that begins without a prologue, so that fragments
    with several roots can be read; a source that has one root keeps it.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    root = Node("", {}, 0)
    open_nodes = [root]

    def start(tag: str, attributes: dict[str, str]) -> None:
        node = Node(tag, attributes, parser.CurrentLineNumber)
        open_nodes[-1].children.append(node)
        open_nodes.append(node)
        if len(open_nodes) > MAX_DEPTH:
            found = f"elements {MAX_DEPTH} deep"
            _stop(source, node.line, found, "flat XML", "check how the file was made", code="xml-too-deep")

    def end(tag: str) -> None:
        _join_strings(open_nodes.pop())

    def add_text(text: str) -> None:
        open_nodes[-1].children.append(text)

    def refuse(name: str, *_: object) -> None:
        _stop(
            source,
            parser.CurrentLineNumber,
            f"a declared entity {quote(name)}",
            "plain XML",
            "remove the declaration and write the text itself",
            code="xml-entity-declaration",
            fragment=name,
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = add_text
    parser.EntityDeclHandler = refuse
    parser.SkippedEntityHandler = refuse
    data = source.read_bytes()
    if wrap is not None:
        data = data.removeprefix(BOM)  # a byte order mark is allowed only at the very beginning
    wrapped = wrap is not None and not data.lstrip().startswith(_WITH_PROLOGUE)
    try:
        if wrapped:
            parser.Parse(f"<{wrap}>".encode(), False)
            parser.Parse(data, False)
            data = f"</{wrap}>".encode()
        parser.Parse(data, True)
    except expat.ExpatError as error:
        added = len(f"<{wrap}>") if wrapped and error.lineno == 1 else 0
        _stop(
            source,
            error.lineno,
            f"not well-formed XML ({expat.ErrorString(error.code)})",
            "well-formed XML",
            "fix the file at this place",
            code="invalid-xml",
            column=error.offset - added + 1,
        )
    except (ValueError, LookupError) as error:  # an encoding that expat does not support
        _stop(
            source,
            1,
            f"XML that cannot be decoded ({quote(str(error))[1:-1]})",
            "XML in UTF-8",
            "save the file as UTF-8",
            code="xml-encoding",
        )
    top = next(root.elements())
    inner = list(top.elements())
    if wrapped and len(inner) == 1 and not any(isinstance(c, str) and c.strip() for c in top.children):
        return inner[0]
    return top


def _join_strings(node: Node) -> None:
    """Join the pieces of long text, which the parser splits anywhere, even inside words."""
    if any(isinstance(before, str) and isinstance(after, str) for before, after in pairwise(node.children)):
        runs = [list(run) for _, run in groupby(node.children, key=lambda child: isinstance(child, str))]
        texts = ((["".join(map(str, run))] if isinstance(run[0], str) else run) for run in runs)
        node.children = [child for run in texts for child in run]


def _stop(
    source: Source,
    line: int,
    found: str,
    expected: str,
    remedy: str,
    *,
    code: str,
    column: int | None = None,
    fragment: str = "",
) -> None:
    raise FormatError(Problem(source.name, line, found, expected, remedy, code=code, column=column, fragment=fragment))


_NO_FILE_NAME = re.compile("[/\\\\\x00-\x1f\x7f\ud800-\udfff]")
_NO_XML_NAME = re.compile("[^A-Za-z0-9_.-]")
MAX_BYTES = 180  # file systems allow 255, and the extension has to fit


def file_name(id: str | None, default: str) -> str:
    """Return a document id as a file name that stays in its folder, is not hidden and not too long."""
    name = _NO_FILE_NAME.sub("_", id or default)
    if name.startswith("."):
        name = "_" + name[1:]
    encoded = name.encode()
    if len(encoded) > MAX_BYTES:
        name = encoded[: MAX_BYTES - 9].decode(errors="ignore") + "-" + hashlib.sha256(encoded).hexdigest()[:8]
    return name


def xml_name(name: str) -> str:
    """Return the name with "_" for each character that is not allowed (or unusual) in an XML name."""
    name = _NO_XML_NAME.sub("_", name)
    return name if name[:1].isalpha() or name[:1] == "_" else f"_{name}"


def xml_attributes(attributes: Mapping[str, str], *, reserved: Iterable[str] = ()) -> str:
    """Return attributes as in a tag, each after a space; "_" is appended to names that are reserved or repeated."""
    taken = set(reserved)
    parts = []
    for key, value in attributes.items():
        name = xml_name(key)
        while name in taken:
            name += "_"
        taken.add(name)
        parts.append(f" {name}={quoteattr(writable(value))}")
    return "".join(parts)
