"""A document is plain data: tokens, sentences, entities. A corpus is documents with topics."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from .entities import Bridge, Entity, Mention, Span, SplitAntecedent, mention_order
from .tokens import Sentence, Token, Tokens


@dataclass(frozen=True)
class Document:
    """A text with its entities. Immutable: the edits of `coindex.document.edits` give a new one.

    `shared_ids` says that an entity id means the same entity in the other documents of the corpus.
    `columns` names the columns of the CoNLL-U Plus file that it was read from, in order; empty for plain CoNLL-U.
    `origin` is what the format that read the document keeps to write it back byte for byte.
    """

    tokens: Tokens = field(default_factory=Tokens)
    sentences: tuple[Sentence, ...] = ()
    entities: tuple[Entity, ...] = ()
    id: str | None = None
    bridges: tuple[Bridge, ...] = ()
    split_antecedents: tuple[SplitAntecedent, ...] = ()
    topic: str | None = None
    subtopic: str | None = None
    genre: str | None = None
    language: str | None = None
    shared_ids: bool = False
    meta: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    origin: object = field(default=None, repr=False, compare=False)

    @classmethod
    def from_text(
        cls, text: str, *, id: str | None = None, language: str | None = None, cuts: Iterable[int] = ()
    ) -> Document:
        """Raw text cut into tokens and sentences; every character is kept.

        `cuts` are character offsets where a token has to end, such as the borders of standoff annotations.
        """
        from .tokenizer import segment  # its patterns are compiled only where raw text is read

        spans = cut_spans(text, segment(text, language=language), cuts)
        flat = [span for sentence in spans for span in sentence]
        following = [start for start, _ in flat[1:]] + [len(text)]
        ids = [str(number) for sentence in spans for number in range(1, len(sentence) + 1)]
        tokens = Tokens(
            (
                Token(name, text[start:end], space=text[end:next_start])
                for name, (start, end), next_start in zip(ids, flat, following, strict=True)
            )
            if flat
            else (),
            prefix=text[: flat[0][0]] if flat else text,
        )
        return cls.from_sentences(tokens, map(len, spans), id=id, language=language)

    @classmethod
    def from_sentences(cls, tokens: Tokens, lengths: Iterable[int], **fields: Any) -> Document:
        """A document whose sentences have these lengths and nothing else to say."""
        sentences = []
        start = 0
        for length in lengths:
            sentences.append(Sentence(tokens, start, start + length))
            start += length
        return cls(tokens, tuple(sentences), **fields)

    @property
    def text(self) -> str:
        return self.tokens.text

    def mention(
        self,
        positions: Iterable[int],
        *,
        head: int | None = None,
        attributes: Mapping[str, str] | None = None,
    ) -> Mention:
        """A mention of these positions, not yet part of any entity."""
        return Mention(self.tokens, tuple(sorted(set(positions))), head, dict(attributes or {}))

    def mentions(self) -> list[tuple[Mention, Entity]]:
        """All mentions in reading order, each with its entity."""
        pairs = [(mention, entity) for entity in self.entities for mention in entity.mentions]
        return sorted(pairs, key=lambda pair: mention_order(pair[0]))

    def entity(self, id: str) -> Entity:
        """The entity of that id; KeyError where there is none."""
        for entity in self.entities:
            if entity.id == id:
                return entity
        raise KeyError(id)

    def sentence_index(self, position: int) -> int:
        """The number of the sentence that holds the position."""
        return bisect_right(self._sentence_starts, position) - 1

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [sentence.start for sentence in self.sentences]

    def sentence_at(self, position: int) -> Sentence:
        return self.sentences[self.sentence_index(position)]

    def replace(self, **changes: Any) -> Document:
        """The same document with some fields changed."""
        return dataclasses.replace(self, **changes)

    def _repr_html_(self) -> str:
        from .html import document_fragment  # loaded only in notebooks

        return document_fragment(self)

    def __repr__(self) -> str:
        name = f" {self.id!r}" if self.id else ""
        return (
            f"<Document{name}: {len(self.tokens)} tokens, {len(self.sentences)} sentences, "
            f"{len(self.entities)} entities>"
        )


@dataclass(frozen=True)
class Corpus(Sequence[Document]):
    """Documents that belong together, grouped by topic and subtopic where the format has them."""

    documents: tuple[Document, ...]
    name: str | None = None

    def __getitem__(self, index: Any) -> Any:
        return self.documents[index]

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def topics(self) -> dict[str | None, list[Document]]:
        """The documents of each topic, in the order of their first document."""
        return self._grouped(lambda doc: doc.topic)

    def subtopics(self) -> dict[str | None, list[Document]]:
        """The documents of each subtopic; a document without one counts under its topic."""
        return self._grouped(lambda doc: doc.subtopic or doc.topic)

    def _grouped(self, key: Any) -> dict[str | None, list[Document]]:
        groups: dict[str | None, list[Document]] = {}
        for doc in self.documents:
            groups.setdefault(key(doc), []).append(doc)
        return groups

    def entities(self) -> dict[str, list[tuple[Document, Entity]]]:
        """Entities over documents: ids are shared where a document says so, else local to it."""
        found: dict[str, list[tuple[Document, Entity]]] = {}
        uses = Counter(doc.id for doc in self.documents)
        for number, doc in enumerate(self.documents):
            name = doc.id if doc.id and uses[doc.id] == 1 else f"{doc.id or ''}#{number}"
            for entity in doc.entities:
                key = entity.id if doc.shared_ids else f"{name}/{entity.id}"
                found.setdefault(key, []).append((doc, entity))
        return found


def cut_spans(text: str, sentences: Iterable[Iterable[Span]], cuts: Iterable[int]) -> list[list[Span]]:
    """Token spans cut at every offset that lies inside one; pieces keep no white space at their ends."""
    borders = sorted(set(cuts))
    cut_sentences = []
    for sentence in sentences:
        spans: list[Span] = []
        for start, end in sentence:
            inside = borders[bisect_right(borders, start) : bisect_left(borders, end)]
            spans += _pieces(text, [start, *inside, end]) if inside else [(start, end)]
        cut_sentences.append(spans)
    return cut_sentences


def _pieces(text: str, edges: list[int]) -> Iterator[Span]:
    for start, end in pairwise(edges):
        piece = text[start:end].rstrip()
        if bare := piece.lstrip():
            yield start + len(piece) - len(bare), start + len(piece)
