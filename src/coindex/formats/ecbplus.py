"""ECB+: one XML file per document, with events and entities and their chains within and across documents.

Reading: tokens first, then markables on tokens, then relations between markables. A markable without tokens is an
instance, the referent of mentions in one document (INTRA_DOC_COREF) or in several (CROSS_DOC_COREF). The release
advises using only the sentences of its list of validated ones, which were annotated completely; the list is searched
beside the files and in the folders above them.

Writing: TOPIC/DOCUMENT.xml. Entities with ids that are shared across documents become CROSS_DOC_COREF relations, others
INTRA_DOC_COREF ones with the id as their note; ids that the reader generated from a relation or markable
("1_1ecb:r375", "1_1ecb:m12") are converted back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count, pairwise
from pathlib import Path

from ..document import Document, Entity, Kind, Mention, Sentence, Token, Tokens
from ..document.documents import CONTEXT
from ..errors import quote
from .detection import ECB_SENTENCES
from .registry import Format, Option
from .sink import Sink
from .source import Source
from .surface import all_sentences, distinct, in_order, sort_mentions, without_zeros
from .xml import Node, file_name, parse_xml, quoteattr, watch_words, word_text, xml_attributes, xml_name

UNKNOWN = "UNKNOWN_INSTANCE_TAG"
"""The release's tag for instances of within-document chains; also written for entities without a type."""
UNTYPED_EVENT = "ACTION"

_FILE = re.compile(r"([0-9]+)_[0-9]+(ecb|ecbplus)")


def kind_of(tag: str) -> Kind:
    """Return the kind for a tag: (negated) actions are events; times, places and participants are entities."""
    return "event" if tag.startswith(("ACTION", "NEG_ACTION")) else "entity"


def type_of(tag: str) -> str | None:
    return None if tag in (UNKNOWN, UNTYPED_EVENT) else tag


def topic_of(id: str) -> tuple[str | None, str | None]:
    """Return topic and subtopic from the document's name: 1_10ecbplus belongs to topic 1, subtopic 1_ecbplus."""
    name = _FILE.fullmatch(id)
    return (name[1], f"{name[1]}_{name[2]}") if name else (None, None)


def is_number(text: str) -> bool:
    """Return whether a text is a plain number of reasonable size (int() accepts more than that)."""
    return text.isascii() and text.isdigit() and len(text) < 10


FOLDERS_ABOVE = 3


def read_validated_sentences(source: Source, id: str) -> frozenset[int] | None:
    """Return the numbers of the document's validated sentences; None if there is no list."""
    path = _find_list(source.path)
    if path is None:
        return None
    about = path.stat()
    by_document, bad_lines = _read_list(path, about.st_mtime_ns, about.st_size)
    for line, text in bad_lines:
        source.sibling(path).problem(
            line,
            f"the row {quote(text)}",
            "topic,file,sentence number",
            "correct the row, or read all sentences (option sentences=all)",
            code="invalid-line",
            fragment=text,
        )
    return by_document.get(id, frozenset())


def _find_list(path: Path | None) -> Path | None:
    if path is None:
        return None
    for folder in path.absolute().parents[: FOLDERS_ABOVE + 1]:
        if (candidate := folder / ECB_SENTENCES).is_file():
            return candidate
    return None


@lru_cache(maxsize=4)
def _read_list(path: Path, modified: int, size: int) -> tuple[dict[str, frozenset[int]], tuple[tuple[int, str], ...]]:
    """Read the list, once for all documents of a corpus, and again when the file changes."""
    source = Source(path)
    try:
        text = source.read_bytes().decode("utf-8-sig", errors="replace")
    finally:
        source.close()
    by_document: dict[str, set[int]] = {}
    bad: list[tuple[int, str]] = []
    for line, row in enumerate(text.splitlines(), 1):
        cells = [cell.strip(' \t"') for cell in row.split(",")]  # three cells of the release end in spaces
        if not row.strip() or (line == 1 and cells[:1] == ["Topic"]):
            continue
        if len(cells) != 3 or not is_number(cells[2]):
            bad.append((line, row))
            continue
        by_document.setdefault(f"{cells[0]}_{cells[1]}", set()).add(int(cells[2]))
    return {id: frozenset(numbers) for id, numbers in by_document.items()}, tuple(bad)


_INSTANCE_KEYS = {"m_id", "instance_id", "entity_type"}


def read(source: Source, *, sentences: str = "") -> Iterator[Document]:
    """Read the document of a file; `sentences` is "validated" (the default), "context" or "all"."""
    root = parse_xml(source)
    if root.tag != "Document":
        source.problem(
            root.line,
            f"the root element <{quote(root.tag)[1:-1]}>",
            "<Document> with tokens, Markables and Relations",
            "name the right format with --from (format=… in Python)",
            code="wrong-root-element",
            fragment=root.tag,
        )
        return
    yield _Reader(source, root).document(sentences)


@dataclass(slots=True)
class _Markable:
    """A mention as it is read; its positions count all tokens of the file."""

    id: str
    tag: str
    positions: list[int]
    attributes: dict[str, str]


@dataclass(slots=True)
class _EntityProperties:
    """The properties that the markables of a relation share."""

    id: str
    type: str | None
    kind: Kind
    attributes: Mapping[str, str] = field(default_factory=dict)


class _Reader:
    def __init__(self, source: Source, root: Node) -> None:
        self.source = source
        self.root = root
        self.id = root.attributes.get("doc_name", "").removesuffix(".xml") or source.stem
        self.forms: list[str] = []
        self.numbers: list[int] = []  # of the sentence of each token
        self.position: dict[str, int] = {}
        self.markables: dict[str, _Markable] = {}
        self.instances: dict[str, Node] = {}
        self.properties_of: dict[str, _EntityProperties] = {}  # by markable

    def document(self, sentences: str) -> Document:
        self._read_tokens()
        self._read_markables()
        self._read_relations()
        valid = None if sentences == "all" else read_validated_sentences(self.source, self.id)
        if valid is None and sentences == "validated":
            self.source.count(
                "file without a list of validated sentences: all its sentences are read", code="missing-companion-file"
            )
        if valid is None:
            valid = frozenset(self.numbers)
        shown = frozenset(self.numbers) if sentences == "context" else valid
        kept = [position for position, number in enumerate(self.numbers) if number in shown]
        return self._build(kept, valid)

    def _read_tokens(self) -> None:
        seen: set[str] = set()
        for node in self.root.elements("token"):
            id, number = node.attributes.get("t_id"), node.attributes.get("sentence", "")
            if id is None or id in seen or not is_number(number):
                self._report_token(node, id, number)
                continue
            seen.add(id)
            form = node.text.strip()
            if not form:
                self.source.count("tokens that consist of white space, left out", code="left-out")
                continue
            self.position[id] = len(self.forms)
            self.forms.append(form)
            self.numbers.append(int(number))
        self.blank = seen - self.position.keys()

    def _report_token(self, node: Node, id: str | None, number: str) -> None:
        if id is None:
            found = "a token without t_id"
        elif not is_number(number):
            found = f"token {quote(id)} with the sentence number {quote(number)}"
        else:
            found = f"duplicate t_id {quote(id)}"
        self.source.problem(
            node.line,
            found,
            "a unique t_id and a sentence number for each token",
            "correct the token",
            code="invalid-annotation-id",
            fragment=id or "",
        )

    def _read_markables(self) -> None:
        parent = self.root.find("Markables")
        for node in parent.elements() if parent else ():
            id = node.attributes.get("m_id")
            if id is None or id in self.markables or id in self.instances:
                what = "without m_id" if id is None else f"with the m_id {quote(id)}, which another has"
                self.source.problem(
                    node.line,
                    f"a markable {what}",
                    "an m_id for each",
                    "give it a new number",
                    code="duplicate-annotation-id",
                    fragment=id or "",
                )
                continue
            anchors = list(node.elements("token_anchor"))
            if not anchors:
                self.instances[id] = node
            elif positions := self._positions(id, anchors):
                others = {key: value for key, value in node.attributes.items() if value}
                self.markables[id] = _Markable(id, node.tag, positions, others)

    def _positions(self, id: str, anchors: list[Node]) -> list[int]:
        positions = set()
        for anchor in anchors:
            token = anchor.attributes.get("t_id", "")
            if token in self.position:
                positions.add(self.position[token])
            elif token not in self.blank:
                self.source.problem(
                    anchor.line,
                    f"markable {quote(id)} on the token {quote(token)}, which does not exist",
                    "the t_id of a token",
                    "correct the token_anchor",
                    code="unresolved-reference",
                    fragment=id,
                )
        return sorted(positions)

    def _read_relations(self) -> None:
        parent = self.root.find("Relations")
        for node in parent.elements() if parent else ():
            if node.tag not in ("CROSS_DOC_COREF", "INTRA_DOC_COREF"):
                self.source.count(f"{node.tag[:40]} relations, left out: they are not coreference", code="left-out")
                continue
            members = [m for end in node.elements("source") if (m := self._member(node, end))]
            if not members:
                continue
            properties = self._read_properties(node, members[0])
            if len({kind_of(member.tag) for member in members}) > 1:
                self.source.count("chains of both events and entities, each read as two", code="ambiguous-entity")
            for member in members:
                self.properties_of[member.id] = properties

    def _member(self, relation: Node, end: Node) -> _Markable | None:
        id = end.attributes.get("m_id", "")
        if id in self.properties_of:
            self.source.count("markables in two relations, kept in the first", code="ambiguous-entity")
            return None
        if id not in self.markables:
            self.source.problem(
                end.line,
                f"a {relation.tag} relation of the markable {quote(id)}, which is no mention",
                "the m_id of a markable that has tokens",
                "correct the relation, or remove its source",
                code="unresolved-reference",
                fragment=id,
            )
        return self.markables.get(id)

    def _read_properties(self, node: Node, first: _Markable) -> _EntityProperties:
        target = node.find("target")
        instance = self.instances.get(target.attributes.get("m_id", "")) if target else None
        about = instance.attributes if instance else {}
        tag = instance.tag if instance and instance.tag != UNKNOWN else first.tag
        note = node.attributes.get("note", "")
        if node.tag == "CROSS_DOC_COREF":
            id = note or about.get("instance_id", "")
            if not id:
                self.source.problem(
                    node.line,
                    "a CROSS_DOC_COREF relation without an instance",
                    'note="…" with the id of an instance',
                    "add the note, or make it an INTRA_DOC_COREF",
                    code="missing-instance",
                )
        else:
            id = f"{self.id}:{note}" if note else ""
        return _EntityProperties(
            id or f"{self.id}:r{node.attributes.get('r_id', first.id)}",
            about.get("entity_type") or type_of(tag),
            kind_of(tag),
            {key: value for key, value in about.items() if value and key not in _INSTANCE_KEYS},
        )

    def _build(self, kept: list[int], valid: frozenset[int]) -> Document:
        ends = [i for i, position in enumerate(kept) if self._ends_sentence(kept, i)]
        tokens = Tokens(self._tokens(kept, set(ends)))
        starts = [0, *(end + 1 for end in ends)]
        spans = zip(starts, ends, strict=False)
        new = {old: position for position, old in enumerate(kept)}
        topic, subtopic = topic_of(self.id)
        attributes = self.root.attributes
        return Document(
            tokens,
            tuple(self._sentence(tokens, kept, start, end + 1, valid) for start, end in spans),
            in_order(self._entities(tokens, new, valid)),
            id=self.id,
            topic=attributes.get("topic") or topic,
            subtopic=attributes.get("subtopic") or subtopic,
            shared_ids=True,
            meta={"doc_id": attributes["doc_id"]} if attributes.get("doc_id") else {},
        )

    def _sentence(self, tokens: Tokens, kept: list[int], start: int, end: int, valid: frozenset[int]) -> Sentence:
        number = self.numbers[kept[start]]
        return Sentence(tokens, start, end, id=str(number), comments=() if number in valid else (CONTEXT,))

    def _ends_sentence(self, kept: list[int], index: int) -> bool:
        return index + 1 == len(kept) or self.numbers[kept[index]] != self.numbers[kept[index + 1]]

    def _tokens(self, kept: list[int], ends: set[int]) -> Iterator[Token]:
        number = 0
        for index, position in enumerate(kept):
            number += 1
            space = " " if index not in ends else "\n" if index + 1 < len(kept) else ""
            yield Token(str(number), self.forms[position], space=space)
            if index in ends:
                number = 0

    def _entities(self, tokens: Tokens, new: Mapping[int, int], valid: frozenset[int]) -> Iterator[Entity]:
        groups: dict[tuple[str, Kind], list[Mention]] = {}
        about: dict[tuple[str, Kind], tuple[_EntityProperties, str | None]] = {}
        for markable in self.markables.values():
            if not all(self.numbers[position] in valid for position in markable.positions):
                continue
            tag, kind = markable.tag, kind_of(markable.tag)
            properties = self.properties_of.get(markable.id)
            if properties is None:
                properties = _EntityProperties(f"{self.id}:m{markable.id}", type_of(tag), kind)
            key = properties.id, kind
            of_kind = properties.type if kind == properties.kind else type_of(tag)
            _, type = about.setdefault(key, (properties, of_kind))
            if type_of(tag) != type:
                markable.attributes["tag"] = tag
            positions = tuple(new[position] for position in markable.positions)
            groups.setdefault(key, []).append(Mention(tokens, positions, None, markable.attributes))
        for (id, kind), mentions in groups.items():
            properties, type = about[id, kind]
            unique = distinct(mentions)
            if len(unique) < len(mentions):
                self.source.count(
                    "markables that repeat another one of their chain",
                    len(mentions) - len(unique),
                    code="duplicate-mention",
                )
            name = id if kind == properties.kind else f"{id}:{kind}"
            yield Entity(name, unique, type, kind, properties.attributes)


_MARKABLE_KEYS = ("m_id", "tag")
_WRITTEN_INSTANCE_KEYS = ("m_id", "RELATED_TO", "TAG_DESCRIPTOR", "instance_id", "entity_type")


def write(docs: Iterable[Document], sink: Sink) -> None:
    for number, doc in enumerate(watch_words(docs, "ecbplus"), 1):
        name = file_name(doc.id, f"doc{number}")
        topic = doc.topic or topic_of(doc.id or name)[0]  # which a reader derives from the name
        folder = f"{file_name(topic, '')}/" if topic else ""
        with sink.file(f"{folder}{name}.xml") as out:
            out.writelines(f"{line}\n" for line in _Writer(without_zeros(doc), doc.id or name).lines())


class _Writer:
    def __init__(self, doc: Document, id: str) -> None:
        self.doc = doc
        self.id = id
        self.mentions = sort_mentions(doc)
        self.m_ids, self.fresh = _number(self.mentions)

    def lines(self) -> Iterator[str]:
        yield f"<Document{self._about()}>"
        yield from self._tokens()
        yield "<Markables>"
        for mention, entity in self.mentions:
            yield from self._markable(mention, entity)
        numbered_entities = [
            (entity, next(self.fresh)) for entity in in_order(self.doc.entities) if not self._stands_alone(entity)
        ]
        for entity, m_id in numbered_entities:
            yield self._instance(entity, m_id)
        yield "</Markables>"
        yield "<Relations>"
        r_ids = _free_numbers(rest for entity, _ in numbered_entities if (rest := self._own_relation(entity)))
        for entity, m_id in numbered_entities:
            yield from self._relation(entity, m_id, r_ids)
        yield "</Relations>"
        yield "</Document>"

    def _about(self) -> str:
        about = {"doc_name": f"{self.id}.xml"}
        if "doc_id" in self.doc.meta:
            about["doc_id"] = self.doc.meta["doc_id"]
        topic, subtopic = topic_of(self.id)
        if self.doc.topic is not None and self.doc.topic != topic:
            about["topic"] = self.doc.topic
        if self.doc.subtopic is not None and self.doc.subtopic != subtopic:
            about["subtopic"] = self.doc.subtopic
        return xml_attributes(about)

    def _tokens(self) -> Iterator[str]:
        sentences = all_sentences(self.doc)
        for number, sentence in zip(_sentence_numbers(sentences), sentences, strict=True):
            for index, token in enumerate(sentence.tokens):
                where = f't_id="{sentence.start + index + 1}" sentence="{number}" number="{index}"'
                yield f"<token {where}>{word_text(token.form)}</token>"

    def _markable(self, mention: Mention, entity: Entity) -> Iterator[str]:
        tag = mention.attributes.get("tag")
        if tag is None or kind_of(tag) != entity.kind or tag != xml_name(tag):
            tag = _tag(entity)
        others = {key: value for key, value in mention.attributes.items() if value and key not in _MARKABLE_KEYS}
        attributes = xml_attributes(others, reserved=_MARKABLE_KEYS)
        yield f"<{tag} m_id={quoteattr(self._m_id(mention, entity))}{attributes}>"
        for position in mention.positions:
            yield f'  <token_anchor t_id="{position + 1}"/>'
        yield f"</{tag}>"

    def _instance(self, entity: Entity, m_id: str) -> str:
        known = {"m_id": m_id, "RELATED_TO": "", "TAG_DESCRIPTOR": ""}
        for key in ("RELATED_TO", "TAG_DESCRIPTOR"):
            known[key] = entity.attributes.get(key, "")
        if self._is_shared(entity):
            known["instance_id"] = entity.id
        if type_of(_tag(entity)) != entity.type and entity.type:
            known["entity_type"] = entity.type
        others = {key: value for key, value in entity.attributes.items() if value and key not in known}
        return f"<{_tag(entity)}{xml_attributes(known)}{xml_attributes(others, reserved=_WRITTEN_INSTANCE_KEYS)}/>"

    def _relation(self, entity: Entity, m_id: str, r_ids: Iterator[str]) -> Iterator[str]:
        tag = "CROSS_DOC_COREF" if self._is_shared(entity) else "INTRA_DOC_COREF"
        if own := self._own_relation(entity):
            about = {"r_id": own}
        else:
            about = {"r_id": next(r_ids), "note": entity.id.removeprefix(f"{self.id}:")}
        yield f"<{tag}{xml_attributes(about)}>"
        for mention in entity.mentions:
            yield f"  <source m_id={quoteattr(self._m_id(mention, entity))}/>"
        yield f'  <target m_id="{m_id}"/>'
        yield f"</{tag}>"

    def _m_id(self, mention: Mention, entity: Entity) -> str:
        return self.m_ids[entity.id, mention.positions]

    def _is_shared(self, entity: Entity) -> bool:
        return self.doc.shared_ids and not entity.id.startswith(f"{self.id}:")

    def _stands_alone(self, entity: Entity) -> bool:
        """Return whether the entity can be read back from the markable alone, without a relation."""
        if len(entity.mentions) > 1 or entity.attributes or type_of(_tag(entity)) != entity.type:
            return False
        m_id = self._m_id(entity.mentions[0], entity)
        return self.doc.shared_ids and entity.id == f"{self.id}:m{m_id}"

    def _own_relation(self, entity: Entity) -> str:
        """Return the r_id in the entity's id, if the id was generated from one."""
        prefix = f"{self.id}:r"
        return entity.id.removeprefix(prefix) if self.doc.shared_ids and entity.id.startswith(prefix) else ""


def _tag(entity: Entity) -> str:
    if entity.type is None:
        return UNTYPED_EVENT if entity.kind == "event" else UNKNOWN
    tag = xml_name(entity.type)
    if kind_of(tag) != entity.kind:
        return f"ACTION_{tag}" if entity.kind == "event" else f"ENTITY_{tag}"
    return tag


def _number(
    mentions: list[tuple[Mention, Entity]],
) -> tuple[dict[tuple[str, tuple[int, ...]], str], Iterator[str]]:
    """Return the m_id of each mention, its own if it is unique, and an endless iterator of new ones."""
    taken: dict[str, tuple[str, tuple[int, ...]]] = {}
    for mention, entity in mentions:
        if m_id := mention.attributes.get("m_id"):
            taken.setdefault(m_id, (entity.id, mention.positions))
    numbers = {key: m_id for m_id, key in taken.items()}
    fresh = _free_numbers(taken)
    for mention, entity in mentions:
        if (entity.id, mention.positions) not in numbers:
            numbers[entity.id, mention.positions] = next(fresh)
    return numbers, fresh


def _free_numbers(taken: Iterable[str]) -> Iterator[str]:
    used = set(taken)
    return (name for number in count(1) if (name := str(number)) not in used)


def _sentence_numbers(sentences: list[Sentence]) -> Iterable[int]:
    """Return sentence numbers from their ids, so that a list of sentences still fits; otherwise from 0 on."""
    ids = [sentence.id or "" for sentence in sentences]
    if all(is_number(id) for id in ids):
        numbers = [int(id) for id in ids]
        if all(first < other for first, other in pairwise(numbers)):
            return numbers
    return range(len(ids))


FORMAT = Format(
    name="ecbplus",
    summary="ECB+ XML: events and entities within and across documents, with topics",
    carries=frozenset(
        {
            "sentences",
            "discontinuous",
            "self-crossing",
            "cross-sentence",
            "entities",
            "attributes",
            "types",
            "events",
            "entity-attributes",
            "topics",
        }
    ),
    read=read,
    write=write,
    is_folder=True,
    read_options=(
        Option(
            "sentences",
            ("validated", "context", "all"),
            "validated: only the sentences of the list beside the files; context: all sentences, but only "
            "the mentions of those; all: everything, whether or not there is a list",
        ),
    ),
)
