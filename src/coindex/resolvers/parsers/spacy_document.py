"""A spaCy document as one of ours, and the way back from our mentions to its spans."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from ...document import Document, Entity, Mention, Token, Tokens
from ...text.tokenizer import segment
from .frame import filled_token
from .labels import Scheme, pipeline_language
from .spacy import doc_words
from .words import joined

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span


class SpacyText:
    """A spaCy document with its twin; tokens of blanks alone, which spaCy has, are blanks between tokens in ours."""

    def __init__(self, doc: Doc, scheme: Scheme, language: str | None = None) -> None:
        self.doc = doc
        self.indices = [token.i for token in doc if not token.is_space]
        """The token in spaCy's document of each of our positions."""
        self.document = self._document(scheme, language or pipeline_language(doc.lang_))

    def span(self, mention: Mention) -> Span:
        """The span of a mention; a torn one with all that lies between its pieces."""
        return self.doc[self.indices[mention.start] : self.indices[mention.end - 1] + 1]

    def with_mentions(self, places: Iterable[tuple[int, int]]) -> SpacyText:
        """The same with each of these characters a mention, in an entity of its own."""
        return self.with_clusters([place] for place in dict.fromkeys(places))

    def with_clusters(self, clusters: Iterable[Iterable[tuple[int, int]]]) -> SpacyText:
        """The same with these entities, given as characters."""
        layer = self.document.tokens
        entities: list[Entity] = []
        for cluster in clusters:
            spans = [layer.positions_in(start, end) for start, end in cluster]
            mentions = tuple(Mention(layer, tuple(span)) for span in spans if span)
            if mentions:
                entities.append(Entity(f"e{len(entities) + 1}", mentions))
        self.document = self.document.replace(entities=tuple(entities))
        return self

    def _document(self, scheme: Scheme, language: str | None) -> Document:
        text = self.doc.text
        starts = [self.doc[index].idx for index in self.indices]
        tokens: list[Token] = []
        lengths = []
        for sentence in self._sentences(starts, language):
            words = joined([doc_words(self.doc, sentence, scheme)])
            ids = [str(number) for number in range(1, len(words) + 1)]
            tokens += [filled_token(Token(id, word.form), word, ids) for id, word in zip(ids, words, strict=True)]
            lengths.append(len(words))
        following = [*starts[1:], len(text)]
        spaced = (
            (
                token._replace(space=text[start + len(token.form) : end])
                for token, start, end in zip(tokens, starts, following, strict=True)
            )
            if tokens
            else ()
        )
        layer = Tokens(spaced, prefix=text[: starts[0]] if starts else text)
        return Document.from_sentences(layer, lengths, language=language)

    def _sentences(self, starts: list[int], language: str | None) -> Iterator[list[int]]:
        """The tokens of each sentence: as the pipeline cut them, else as we cut texts."""
        if self.doc.has_annotation("SENT_START"):
            first_chars = [sentence.start_char for sentence in self.doc.sents]
        else:
            first_chars = [spans[0][0] for spans in segment(self.doc.text, language=language) if spans]
        cuts = [0, *(bisect_left(starts, char) for char in first_chars), len(starts)]
        for start, end in pairwise(cuts):
            if start < end:
                yield self.indices[start:end]
