"""Writing ECB+: TOPIC/DOCUMENT.xml.

Entities with ids that hold over documents become CROSS_DOC_COREF relations, others INTRA_DOC_COREF ones with
the id as their note; ids that the reader made of a relation or markable ("1_1ecb:r375", "1_1ecb:m12") become
these again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, pairwise

from ...document import Document, Entity, Mention, Sentence
from ..names import file_name, xml_attributes, xml_name
from ..sink import Sink
from ..surface import all_sentences, in_order, ordered_mentions, without_zeros
from ..xml import quoteattr, word_text
from .sentences import UNKNOWN, UNTYPED_EVENT, is_number, kind_of, topic_of, type_of

_MARKABLE_KEYS = ("m_id", "tag")
_INSTANCE_KEYS = ("m_id", "RELATED_TO", "TAG_DESCRIPTOR", "instance_id", "entity_type")


def write(docs: Iterable[Document], sink: Sink) -> None:
    for number, doc in enumerate(docs, 1):
        name = file_name(doc.id, f"doc{number}")
        topic = doc.topic or topic_of(doc.id or name)[0]  # which a reader knows by the name
        folder = f"{file_name(topic, '')}/" if topic else ""
        with sink.file(f"{folder}{name}.xml") as out:
            out.writelines(f"{line}\n" for line in _Writer(without_zeros(doc), doc.id or name).lines())


class _Writer:
    def __init__(self, doc: Document, id: str) -> None:
        self.doc = doc
        self.id = id
        self.mentions = ordered_mentions(doc)
        self.m_ids, self.fresh = _number(self.mentions)

    def lines(self) -> Iterator[str]:
        yield f"<Document{self._about()}>"
        yield from self._tokens()
        yield "<Markables>"
        for mention, entity in self.mentions:
            yield from self._markable(mention, entity)
        chains = [
            (entity, next(self.fresh)) for entity in in_order(self.doc.entities) if not self._stands_alone(entity)
        ]
        for entity, m_id in chains:
            yield self._instance(entity, m_id)
        yield "</Markables>"
        yield "<Relations>"
        r_ids = _free_numbers(rest for entity, _ in chains if (rest := self._own_relation(entity)))
        for entity, m_id in chains:
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
        return f"<{_tag(entity)}{xml_attributes(known)}{xml_attributes(others, reserved=_INSTANCE_KEYS)}/>"

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
        """Whether the markable alone gives the entity back, without a relation."""
        if len(entity.mentions) > 1 or entity.attributes or type_of(_tag(entity)) != entity.type:
            return False
        m_id = self._m_id(entity.mentions[0], entity)
        return self.doc.shared_ids and entity.id == f"{self.id}:m{m_id}"

    def _own_relation(self, entity: Entity) -> str:
        """The r_id that the entity's id was made of, if it was."""
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
    """The m_id of each mention, the one it came with if no other has it; and new ones without end."""
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
    """The numbers the sentences have by their ids, so that a list of sentences still fits; else from 0 on."""
    ids = [sentence.id or "" for sentence in sentences]
    if all(is_number(id) for id in ids):
        numbers = [int(id) for id in ids]
        if all(one < other for one, other in pairwise(numbers)):
            return numbers
    return range(len(ids))
