"""Documents and corpora: plain data with tokens, sentences and entities.

The genre of a document is in its field `genre`, in its `meta` (as "genre" or "meta::genre"), or only in its id;
`genre_of` looks in all three places, so that all tables have the same groups.

ECB+ has a list of the sentences that were annotated. If all sentences are read, the others are marked as context by a
comment: resolvers find no mentions in them, and they are removed before scoring.
"""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..errors import CoindexError, quote
from ..text.language_names import language_code
from ..text.spans import Span
from .entities import Bridge, Entity, Mention, SplitAntecedent, mention_order
from .tokens import PROTECTED, Sentence, Token, Tokens

if TYPE_CHECKING:
    from ..text.turns import Speech

Words = Sequence[str]
Turn = tuple[str | Words | Sequence[Words], str | None]
"""What a speaker says, as text, as the words of a sentence or as several such sentences; and the speaker's name."""


class Piece(NamedTuple):
    """A sentence that becomes part of a document: words with the text after each of them."""

    forms: list[str]
    spaces: list[str]
    speaker: str | None = None


def check_sentences(sentences: object, name: str = "sentences") -> list[list[str]]:
    """Return sentences as lists of words; raise TypeError or CoindexError if they cannot be tokens."""
    if isinstance(sentences, str | bytes) or not isinstance(sentences, Iterable):
        raise TypeError(f"{name}: expected a list of sentences, each a list of words, not {type(sentences).__name__}")
    pieces = []
    for number, words in enumerate(sentences):
        if isinstance(words, str):
            raise TypeError(
                f"{name}, item {number}: expected a list of words, not a str; put the words of a single sentence into "
                "one more list, or use Document.from_text for raw text"
            )
        if isinstance(words, bytes) or not isinstance(words, Iterable):
            raise TypeError(f"{name}, item {number}: expected a list of words, not {type(words).__name__}")
        pieces.append([_check_word(word, f"{name}, item {number}, word {at}") for at, word in enumerate(words)])
    return [words for words in pieces if words]


def _check_word(word: object, name: str) -> str:
    if not isinstance(word, str):
        raise TypeError(f"{name}: expected a str, not {type(word).__name__}")
    if not word or word != word.strip() or "\n" in word:
        raise CoindexError(
            f"{name}: {quote(word)} is not a token; expected a word without white space at its ends or a line end; "
            "strip the words, and leave out empty ones",
            code="invalid-token",
        )
    return word


def space_sentences(sentences: list[list[str]]) -> list[Piece]:
    """Return the sentences with a space between words and a line end after each sentence."""
    return [Piece(words, [" "] * (len(words) - 1) + ["\n"]) for words in sentences]


def align_sentences(sentences: list[list[str]], text: str) -> tuple[list[Piece], str]:
    """Return the sentences with the white space that the text has after each word, and what it has before the first."""
    if not isinstance(text, str):
        raise TypeError(f"text: expected a str, not {type(text).__name__}")
    at = _skip_space(text, 0)
    prefix = text[:at]
    pieces = []
    for number, words in enumerate(sentences):
        spaces = []
        for word in words:
            if not text.startswith(word, at):
                raise CoindexError(
                    f"text: {quote(text[at : at + 40])} at character {at}; expected {quote(word)}, a word of sentence "
                    f"{number}; give the text that the words were cut from",
                    code="text-mismatch",
                )
            end = at + len(word)
            at = _skip_space(text, end)
            spaces.append(text[end:at])
        pieces.append(Piece(words, spaces))
    if at < len(text):
        raise CoindexError(
            f"text: {quote(text[at : at + 40])} at character {at} belongs to no word; expected the end of the text; "
            "give all words of the text",
            code="text-mismatch",
        )
    return pieces, prefix


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def turn_pieces(turns: object, language: str | None) -> list[Piece]:
    """Return the sentences of all turns with their speakers; turns are separated by a line end in the text."""
    if isinstance(turns, str | bytes) or not isinstance(turns, Iterable):
        raise TypeError(f"turns: expected a list of (text or words, speaker), not {type(turns).__name__}")
    pieces: list[Piece] = []
    for number, turn in enumerate(turns):
        name = f"turns, item {number}"
        if not isinstance(turn, tuple | list) or len(turn) != 2:
            raise TypeError(f"{name}: expected a pair (text or words, speaker), not {_shape(turn)}")
        utterance, speaker = turn
        if speaker is not None and not isinstance(speaker, str):
            raise TypeError(f"{name}: expected the speaker's name (str) or None, not {type(speaker).__name__}")
        own = _split_utterance(utterance, name, language)
        if own:
            own[-1].spaces[-1] = "\n"
        pieces += (piece._replace(speaker=speaker) for piece in own)
    return pieces


def _shape(turn: object) -> str:
    size = f" of {len(turn)}" if isinstance(turn, tuple | list) else ""
    return type(turn).__name__ + size


def _split_utterance(utterance: object, name: str, language: str | None) -> list[Piece]:
    if isinstance(utterance, str):
        from ..text.tokenizer import segment

        pieces = []
        spans = [sentence for sentence in segment(utterance, language=language) if sentence]
        starts = [start for sentence in spans for start, _ in sentence]
        following = iter([*starts[1:], len(utterance)])
        for sentence in spans:
            pieces.append(
                Piece([utterance[a:b] for a, b in sentence], [utterance[b : next(following)] for _, b in sentence])
            )
        return pieces
    if isinstance(utterance, Sequence) and utterance and all(isinstance(word, str) for word in utterance):
        utterance = [utterance]
    return space_sentences(check_sentences(utterance, name))


_token_id = lru_cache(maxsize=1 << 10)(str)
"""Returns the id of a token by its number in the sentence; documents share the strings, which saves memory."""


def join_tokens(pieces: Iterable[Piece], prefix: str = "", *, ends: str | None = None) -> Tokens:
    """Return the tokens of all sentences; `ends` replaces the text after the last word."""
    tokens = [
        Token(_token_id(number), form, space=space)
        for piece in pieces
        for number, (form, space) in enumerate(zip(piece.forms, piece.spaces, strict=True), 1)
    ]
    if tokens and ends is not None:
        tokens[-1] = tokens[-1]._replace(space=ends)
    return Tokens(tokens, prefix=prefix)


Markup = Literal["plain", "markdown", "none"]
Keep = str | Span
"""Text that resolved text leaves unchanged: every occurrence of an exact string, or a range of characters."""
Persons = Literal["third", "all"]
_RENDERERS: dict[str, Callable[..., str]] = {}


def register_renderers(**functions: Callable[..., str]) -> None:
    """Set the functions behind `resolved_text` and `_repr_html_`: the model does not import what renders it."""
    _RENDERERS.update(functions)


RESOLVED_OPTIONS = {
    "persons": ("third", "all"),
    "descriptions": ("replaced", "kept"),
    "zeros": ("left-out", "inserted"),
    "quotations": ("kept", "replaced"),
}
"""The values that options of resolved text can have, the default first."""
CONFIDENCE = 0.7
"""The least probability of the links between a name and the pronoun that it replaces in resolved text."""


@dataclass(frozen=True)
class Document:
    """A text with its entities. Immutable: the edits of `coindex.document.edits` return a new document.

    `shared_ids` means that an entity id refers to the same entity in the other documents of the corpus.
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
        cls,
        text: str,
        *,
        id: str | None = None,
        language: str | None = None,
        cuts: Iterable[int] = (),
        markup: Markup = "plain",
    ) -> Document:
        """Return a document of raw text, cut into tokens and sentences; every character is kept.

        `language` is an ISO 639 code or a name ("es", "Spanish"); it selects abbreviations and clitics. `cuts` are
        character offsets where a token has to end, such as the boundaries of standoff annotations. Code, web addresses
        and the like are marked as protected: no resolver finds mentions in them. `markup` is "plain", "markdown",
        which protects all markup too, or "none" to protect nothing. Sentences get their speakers where English text
        names them as transcripts, chats, screenplays and e-mails do, except with "none".

        >>> Document.from_text("Ann slept. She snored.", id="night")
        <Document 'night': 6 tokens, 2 sentences, 0 entities>
        """
        if not isinstance(text, str):
            raise TypeError(f"text: expected a str, not {type(text).__name__}")
        # its patterns are compiled only where raw text is read
        from ..text.structure import mark_protected_tokens
        from ..text.tokenizer import segment_raw

        language = language_code(language)
        segments = segment_raw(text, language=language, markdown=markup == "markdown", speakers=markup != "none")
        spans = cut_spans(text, segments.sentences, cuts)
        flat = [span for sentence in spans for span in sentence]
        following = [start for start, _ in flat[1:]] + [len(text)]
        ids = [_token_id(number) for sentence in spans for number in range(1, len(sentence) + 1)]
        marked = {} if markup == "none" else mark_protected_tokens(flat, segments.protected)
        misc = {reason: f"{PROTECTED}={reason}" for reason in set(marked.values())}
        tokens = Tokens(
            (
                Token(
                    name,
                    text[start:end],
                    space=text[end:next_start],
                    misc=misc[marked[number]] if number in marked else "_",
                )
                for number, (name, (start, end), next_start) in enumerate(zip(ids, flat, following, strict=True))
            )
            if flat
            else (),
            prefix=text[: flat[0][0]] if flat else text,
        )
        doc = cls.from_sentences(tokens, map(len, spans), id=id, language=language)
        return _with_turns(doc, segments.turns) if segments.turns else doc

    @classmethod
    def from_tokens(
        cls,
        sentences: Iterable[Sequence[str]],
        *,
        text: str | None = None,
        speakers: Sequence[str | None] | None = None,
        id: str | None = None,
        language: str | None = None,
    ) -> Document:
        """Return a document of sentences that are lists of words.

        `text` is the text that the words were cut from: character offsets are then those of this text. Without it,
        words are joined by spaces and sentences are lines. `speakers` has the speaker of each sentence, or None. Empty
        sentences are left out. `language` is an ISO 639 code or a name.

        >>> Document.from_tokens([["Ann", "slept", "."], ["She", "snored", "."]]).text
        'Ann slept .\\nShe snored .'
        """
        checked = check_sentences(sentences)
        if speakers is not None and (isinstance(speakers, str) or len(speakers) != len(checked)):
            given = "a str" if isinstance(speakers, str) else f"{len(speakers)} speakers"
            raise CoindexError(
                f"speakers: {given} for {len(checked)} sentences with words; expected a list with a name or None for "
                "each; leave out empty sentences and their speakers",
                code="invalid-argument",
            )
        if text is None:
            pieces, prefix, ends = space_sentences(checked), "", ""
        else:
            (pieces, prefix), ends = align_sentences(checked, text), None
        if speakers is not None:
            pieces = [piece._replace(speaker=name) for piece, name in zip(pieces, speakers, strict=True)]
        return cls._of(pieces, join_tokens(pieces, prefix, ends=ends), id, language_code(language))

    @classmethod
    def from_turns(cls, turns: Iterable[Turn], *, id: str | None = None, language: str | None = None) -> Document:
        """Return a document from a conversation, a list of pairs of an utterance and its speaker.

        An utterance is raw text, the words of a sentence, or several sentences of words; the speaker is a name or None.
        Resolvers use the speakers to resolve *I* and *you*. Turns are lines of the document's text. `language` is
        an ISO 639 code or a name.

        >>> doc = Document.from_turns([("I am late.", "Ann"), ("So am I.", "Bob")])
        >>> [(sentence.speaker, sentence.text) for sentence in doc.sentences]
        [('Ann', 'I am late.'), ('Bob', 'So am I.')]
        """
        code = language_code(language)
        pieces = turn_pieces(turns, code)
        return cls._of(pieces, join_tokens(pieces, ends=""), id, code)

    @classmethod
    def _of(cls, pieces: list[Piece], tokens: Tokens, id: str | None, language: str | None) -> Document:
        doc = cls.from_sentences(tokens, (len(piece.forms) for piece in pieces), id=id, language=language)
        spoken = zip(doc.sentences, pieces, strict=True)
        return doc.replace(
            sentences=tuple(dataclasses.replace(sentence, speaker=piece.speaker) for sentence, piece in spoken)
        )

    @classmethod
    def from_sentences(cls, tokens: Tokens, lengths: Iterable[int], **fields: Any) -> Document:
        """Return a document of tokens whose sentences have the given lengths, without annotation."""
        sentences = []
        start = 0
        for length in lengths:
            sentences.append(Sentence(tokens, start, start + length))
            start += length
        return cls(tokens, tuple(sentences), **fields)

    @property
    def text(self) -> str:
        """The text, character by character as it was read."""
        return self.tokens.text

    def mention(
        self,
        positions: Iterable[int],
        *,
        head: int | None = None,
        attributes: Mapping[str, str] | None = None,
    ) -> Mention:
        """Return a mention of these positions that is not part of an entity yet."""
        return Mention(self.tokens, tuple(sorted(set(positions))), head, dict(attributes or {}))

    def mentions(self) -> list[tuple[Mention, Entity]]:
        """Return all mentions in reading order, each with its entity."""
        pairs = [(mention, entity) for entity in self.entities for mention in entity.mentions]
        return sorted(pairs, key=lambda pair: mention_order(pair[0]))

    def entity(self, id: str) -> Entity:
        """Return the entity with an id; raise KeyError if there is none."""
        for entity in self.entities:
            if entity.id == id:
                return entity
        raise KeyError(id)

    def sentence_index(self, position: int) -> int:
        """Return the index of the sentence that contains a position."""
        return bisect_right(self._sentence_starts, position) - 1

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [sentence.start for sentence in self.sentences]

    def sentence_at(self, position: int) -> Sentence:
        """Return the sentence that contains a position."""
        return self.sentences[self.sentence_index(position)]

    def resolved_text(
        self,
        *,
        keep: str | Iterable[Keep] = (),
        persons: Persons = "third",
        descriptions: Literal["replaced", "kept"] = "replaced",
        zeros: Literal["left-out", "inserted"] = "left-out",
        quotations: Literal["kept", "replaced"] = "kept",
        confidence: float = CONFIDENCE,
    ) -> str:
        """Return the text with pronouns and other anaphors replaced by the names of their entities.

        The options are those of the format `resolved`. `keep` protects text: a list of exact strings and of ranges of
        characters `(start, end)`, or a str as on the command line ("10-25;the girl"). `persons="all"` replaces *I*,
        *you* and *we* too; with `descriptions="kept"`, descriptions such as *the girl* stay; with `zeros="inserted"`,
        names are inserted for dropped subjects; with `quotations="replaced"`, quotations are changed too. `confidence`
        is the least probability, from 0 to 1, that a name and the pronoun corefer; it has no effect on documents whose
        mentions have no score.

        >>> doc.resolved_text(keep=["him"])  # doctest: +SKIP
        """
        chosen = {"persons": persons, "descriptions": descriptions, "zeros": zeros, "quotations": quotations}
        for name, known in RESOLVED_OPTIONS.items():
            if chosen[name] not in known:
                expected = " or ".join(map(repr, known))
                raise CoindexError(
                    f"{name}: unknown value {chosen[name]!r}; expected {expected}", code="unknown-choice"
                )
        return _RENDERERS["resolved_text"](
            self,
            keep=keep,
            persons=persons,
            nominals=descriptions == "replaced",
            zeros=zeros == "inserted",
            quotations=quotations == "replaced",
            confidence=confidence,
        )

    def replace(self, **changes: Any) -> Document:
        """Return a copy of the document with some fields changed."""
        return dataclasses.replace(self, **changes)

    def _repr_html_(self) -> str:
        return _RENDERERS["html"](self)

    def __repr__(self) -> str:
        name = f" {self.id!r}" if self.id else ""
        return (
            f"<Document{name}: {len(self.tokens)} tokens, {len(self.sentences)} sentences, "
            f"{len(self.entities)} entities>"
        )


@dataclass(frozen=True)
class Corpus(Sequence[Document]):
    """Documents that belong together, grouped by topic and subtopic if the format has them."""

    documents: tuple[Document, ...]
    name: str | None = None

    def __getitem__(self, index: Any) -> Any:
        return self.documents[index]

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def topics(self) -> dict[str | None, list[Document]]:
        """Return the documents of each topic, in the order of their first document."""
        return self._group(lambda doc: doc.topic)

    def subtopics(self) -> dict[str | None, list[Document]]:
        """Return the documents of each subtopic; a document without one counts under its topic."""
        return self._group(lambda doc: doc.subtopic or doc.topic)

    def _group(self, key: Any) -> dict[str | None, list[Document]]:
        groups: dict[str | None, list[Document]] = {}
        for doc in self.documents:
            groups.setdefault(key(doc), []).append(doc)
        return groups

    def entities(self) -> dict[str, list[tuple[Document, Entity]]]:
        """Return each entity across documents, by id; without `shared_ids`, ids are local to a document."""
        by_id: dict[str, list[tuple[Document, Entity]]] = {}
        uses = Counter(doc.id for doc in self.documents)
        for number, doc in enumerate(self.documents):
            name = doc.id if doc.id and uses[doc.id] == 1 else f"{doc.id or ''}#{number}"
            for entity in doc.entities:
                key = entity.id if doc.shared_ids else f"{name}/{entity.id}"
                by_id.setdefault(key, []).append((doc, entity))
        return by_id


def cut_spans(text: str, sentences: Iterable[Iterable[Span]], cuts: Iterable[int]) -> list[list[Span]]:
    """Split token spans at every offset that lies inside one; the pieces have no white space at their ends."""
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


def with_columns(doc: Document, tokens: Iterable[Token]) -> Document:
    """Return the document with its tokens replaced one by one; positions, text, sentences and mentions stay."""
    layer = Tokens(tokens, multiwords=doc.tokens.multiwords, prefix=doc.tokens.prefix)
    assert len(layer) == len(doc.tokens)

    def move_mention(mention: Mention) -> Mention:
        return Mention(layer, mention.positions, mention.head, mention.attributes)

    return doc.replace(
        tokens=layer,
        sentences=tuple(replace(sentence, layer=layer) for sentence in doc.sentences),
        entities=tuple(
            Entity(entity.id, tuple(map(move_mention, entity.mentions)), entity.type, entity.kind, entity.attributes)
            for entity in doc.entities
        ),
        bridges=tuple(replace(bridge, anaphor=move_mention(bridge.anaphor)) for bridge in doc.bridges),
        split_antecedents=tuple(replace(split, anaphor=move_mention(split.anaphor)) for split in doc.split_antecedents),
    )


META = ("genre", "meta::genre")
IDS = (
    re.compile(r"[A-Z]{2,}_([a-z]+)_."),  # GUM_academic_exposure, GENTLE_poetry_raven: the corpus, the genre, the text
    re.compile(r"([a-z]{2})[/:]."),  # bc/cctv/00/cctv_0000: two letters, as in OntoNotes
)
"""Patterns of document ids that contain a genre."""


def genre_of(doc: Document) -> str | None:
    """Return the genre of a document, from its fields or otherwise from its id; None if neither has one.

    >>> genre_of(Document(id="GUM_academic_exposure")), genre_of(Document(id="nw/wsj/24/wsj_2400"))
    ('academic', 'nw')
    >>> genre_of(Document(id="nw/wsj", genre="news")), genre_of(Document(id="chapter_one"))
    ('news', None)
    """
    values = (doc.genre, *(doc.meta.get(name) for name in META))
    genre = next((text.strip() for text in values if text and text.strip()), None)
    return genre or genre_in(doc.id or "")


def genre_in(id: str) -> str | None:
    """Return the genre in an id of a known form, for formats that have it nowhere else."""
    return next((match[1] for pattern in IDS if (match := pattern.match(id))), None)


ADDRESSEE = "# addressee ="
"""The comment of a sentence with the name of the person who is spoken to."""


def _with_turns(doc: Document, turns: Sequence[Speech]) -> Document:
    """Return a document of raw text with the speakers and addressees of turns, which sentences do not cross."""
    starts = [turn.start for turn in turns]
    sentences = []
    for sentence in doc.sentences:
        first = doc.tokens.start_char(sentence.start)
        turn = turns[bisect_right(starts, first) - 1]
        if turn.start <= first < turn.end:
            comments = (f"{ADDRESSEE} {turn.addressee}",) if turn.addressee else ()
            sentence = dataclasses.replace(sentence, speaker=turn.speaker, comments=comments)
        sentences.append(sentence)
    return doc.replace(sentences=tuple(sentences))


def addressee_of(sentence: Sentence) -> str | None:
    """Return the name of the person who is spoken to, if a comment has it."""
    named = (comment.removeprefix(ADDRESSEE) for comment in sentence.comments if comment.startswith(ADDRESSEE))
    return next((name.strip() for name in named if name.strip()), None)


CONTEXT = "# validated = no"
"""The comment that marks a sentence as context."""


def is_validated(sentence: Sentence) -> bool:
    """Return whether a sentence was annotated; sentences that are not marked as context are."""
    return CONTEXT not in sentence.comments


def keep_validated(doc: Document) -> Document:
    """Return the document without context sentences and the mentions in them."""
    if all(map(is_validated, doc.sentences)):
        return doc
    shown = [sentence for sentence in doc.sentences if is_validated(sentence)]
    kept = [position for sentence in shown for position in range(sentence.start, sentence.end)]
    new = {position: place for place, position in enumerate(kept)}
    last = len(kept) - 1
    tokens = Tokens(doc.tokens[old]._replace(space="") if new[old] == last else doc.tokens[old] for old in kept)
    sentences = []
    start = 0
    for old in shown:
        sentences.append(Sentence(tokens, start, start + len(old), old.id, old.speaker, old.comments))
        start += len(old)
    entities = (_move_entity(entity, tokens, new) for entity in doc.entities)
    return doc.replace(
        tokens=tokens,
        sentences=tuple(sentences),
        entities=tuple(entity for entity in entities if entity.mentions),
        bridges=(),
        split_antecedents=(),
    )


def _move_entity(entity: Entity, tokens: Tokens, new: dict[int, int]) -> Entity:
    mentions = tuple(
        Mention(tokens, tuple(new[at] for at in old.positions), _head(old, new), old.attributes)
        for old in entity.mentions
        if all(at in new for at in old.positions)
    )
    return Entity(entity.id, mentions, entity.type, entity.kind, entity.attributes)


def _head(mention: Mention, new: dict[int, int]) -> int | None:
    return None if mention.head is None else new[mention.head]
