"""Reading ECB+: tokens first, then markables on tokens, then relations between markables.

A markable without tokens is an instance: what mentions in one document (INTRA_DOC_COREF) or in several
(CROSS_DOC_COREF) have in common. The release advises to use only the sentences of its list of validated ones,
which were annotated fully; the list is looked for beside the files and in the folders above them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...document import Document, Entity, Kind, Mention, Sentence, Token, Tokens
from ...document.metadata import CONTEXT
from ...errors import quote
from ..source import Source
from ..surface import distinct, in_order
from ..xml import Node, parse_xml
from .sentences import UNKNOWN, is_number, kind_of, topic_of, type_of, validated_sentences

_INSTANCE_KEYS = {"m_id", "instance_id", "entity_type"}


def read(source: Source, *, sentences: str = "") -> Iterator[Document]:
    """The document of one file; `sentences` is "validated" (the default), "context" or "all"."""
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
    """A mention before it has its place: the positions are those of the whole file."""

    id: str
    tag: str
    positions: list[int]
    attributes: dict[str, str]


@dataclass(slots=True)
class _Chain:
    """What the markables of one relation have in common."""

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
        self.chains: dict[str, _Chain] = {}  # by markable

    def document(self, sentences: str) -> Document:
        self._read_tokens()
        self._read_markables()
        self._read_relations()
        valid = None if sentences == "all" else validated_sentences(self.source, self.id)
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
                self.source.count("tokens of nothing but white space, left out", code="left-out")
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
            found = f"a second token with the t_id {quote(id)}"
        self.source.problem(
            node.line,
            found,
            "a t_id of its own and a sentence number for each token",
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
                    f"markable {quote(id)} on the token {quote(token)}, which is not there",
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
            chain = self._chain(node, members[0])
            if len({kind_of(member.tag) for member in members}) > 1:
                self.source.count("chains of both events and entities, each read as two", code="ambiguous-entity")
            for member in members:
                self.chains[member.id] = chain

    def _member(self, relation: Node, end: Node) -> _Markable | None:
        id = end.attributes.get("m_id", "")
        if id in self.chains:
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

    def _chain(self, node: Node, first: _Markable) -> _Chain:
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
        return _Chain(
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
        about: dict[tuple[str, Kind], tuple[_Chain, str | None]] = {}
        for markable in self.markables.values():
            if not all(self.numbers[position] in valid for position in markable.positions):
                continue
            tag, kind = markable.tag, kind_of(markable.tag)
            chain = self.chains.get(markable.id)
            if chain is None:
                chain = _Chain(f"{self.id}:m{markable.id}", type_of(tag), kind)
            key = chain.id, kind
            of_kind = chain.type if kind == chain.kind else type_of(tag)
            _, type = about.setdefault(key, (chain, of_kind))
            if type_of(tag) != type:
                markable.attributes["tag"] = tag
            positions = tuple(new[position] for position in markable.positions)
            groups.setdefault(key, []).append(Mention(tokens, positions, None, markable.attributes))
        for (id, kind), mentions in groups.items():
            chain, type = about[id, kind]
            unique = distinct(mentions)
            if len(unique) < len(mentions):
                self.source.count(
                    "markables that repeat another of their chain",
                    len(mentions) - len(unique),
                    code="duplicate-mention",
                )
            name = id if kind == chain.kind else f"{id}:{kind}"
            yield Entity(name, unique, type, kind, chain.attributes)
