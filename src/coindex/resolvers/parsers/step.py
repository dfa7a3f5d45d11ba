"""The parser as a step of a chain: which documents it works on, in batches, and how its words fill the columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, NamedTuple, Protocol

from ...document import Document
from ...document.documents import with_columns
from ...document.heads import Trees
from ...document.tokens import Token
from ...formats.registry import Option

ROOT = -1


class Word(NamedTuple):
    """What a parser says of a word. `head` is an index into the words of the sentence, ROOT, or None: no tree."""

    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    head: int | None = None
    deprel: str = "_"
    name: str = "O"
    """A BIO tag: "B-PER", "I-PER", "O"."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, or a part of a very long one, as a parser sees it: words without empty nodes."""

    sentence: int
    positions: list[int]
    forms: list[str]
    spaces: list[bool]


def pieces(doc: Document, longest: int) -> Iterator[Piece]:
    """The sentences of a document in order, cut where one is longer than `longest` words."""
    tokens, empty = doc.tokens, doc.tokens.empty_positions
    spaced = [bool(token.space) for token in tokens]
    for multiword in tokens.multiwords:
        spaced[multiword.start : multiword.end] = [False] * (multiword.end - multiword.start)
        spaced[multiword.end - 1] = bool(multiword.space)
    for number, sentence in enumerate(doc.sentences):
        words = [position for position in range(sentence.start, sentence.end) if position not in empty]
        for start in range(0, len(words), longest):
            part = words[start : start + longest]
            forms = [tokens[position].form or "_" for position in part]
            yield Piece(number, part, forms, [spaced[position] for position in part])


def joined(parts: Sequence[Sequence[Word]]) -> list[Word]:
    """The words of the pieces of one sentence, with heads that count over all of it and one root."""
    words: list[Word] = []
    for part in parts:
        by = len(words)
        words += [word if word.head in (None, ROOT) else word._replace(head=(word.head or 0) + by) for word in part]
    return sound(words) if words and words[0].head is not None else words


def sound(words: list[Word]) -> list[Word]:
    """The sentence with one root and no cycle, which not every parser grants.

    The first root that is no punctuation stays; the others hang on it, as does a word of every cycle.
    """
    heads = [ROOT if word.head is None or not 0 <= word.head < len(words) else word.head for word in words]
    roots = [index for index, head in enumerate(heads) if head in (ROOT, index)]
    root = next((index for index in roots if words[index].upos != "PUNCT"), roots[0] if roots else 0)
    heads[root] = ROOT
    for index in roots:
        if index != root:
            heads[index] = root
    for index in _cycle_starts(heads):
        heads[index] = root
    return [
        word if word.head == head else word._replace(head=head, deprel=_loose(word, head))
        for word, head in zip(words, heads, strict=True)
    ]


def _loose(word: Word, head: int) -> str:
    """The relation of a word that was hung on the root for want of a better place, or became the root."""
    if head == ROOT:
        return "root"
    return "punct" if word.upos == "PUNCT" else "parataxis"


def _cycle_starts(heads: list[int]) -> list[int]:
    """One word of each cycle."""
    done = [False] * len(heads)
    found = []
    for start in range(len(heads)):
        path: list[int] = []
        on_path: set[int] = set()
        at = start
        while at != ROOT and not done[at]:
            done[at] = True
            path.append(at)
            on_path.add(at)
            at = heads[at]
        if at in on_path:
            found.append(at)
    return found


NAME = "NE"
"""The key in MISC of a word that belongs to a name: NE=B-PER, NE=I-PER, with the types of the tagger."""
OPTIONS = (
    Option("overwrite", ("no", "yes"), "no: leave documents with trees unchanged; yes: parse them again"),
    Option("columns", ("all", "names"), "all: write UD columns and named entities; names: only named entities"),
)


class Engine(Protocol):
    """A package that parses: its words for the pieces of sentences, piece by piece, in order."""

    longest: int
    """The longest piece that it takes, in words."""
    language: str | None
    """The language that it parses, None where it takes any."""

    def parse(self, parts: Iterable[Piece], *, batch_size: int) -> Iterator[list[Word]]: ...


class Parser:
    """A step that fills columns. Tokens, sentences, empty nodes and mentions stay as they are."""

    def __init__(self, engine: Engine, *, overwrite: str = "no", columns: str = "all") -> None:
        self.engine = engine
        self.overwrites = overwrite == "yes"
        self.only_names = columns == "names"

    def __call__(self, doc: Document) -> Document:
        return next(self.pipe([doc], batch_size=1))

    def pipe(self, docs: Iterable[Document], *, batch_size: int) -> Iterator[Document]:
        """Documents parsed together, as many as a batch has; they keep their order."""
        stream = iter(docs)
        while batch := list(islice(stream, batch_size)):
            work = [list(pieces(doc, self.engine.longest)) if self._is_wanted(doc) else [] for doc in batch]
            parsed = self.engine.parse((part for parts in work for part in parts), batch_size=batch_size)
            for doc, parts in zip(batch, work, strict=True):
                yield self._filled(doc, parts, parsed) if parts else doc

    def _is_wanted(self, doc: Document) -> bool:
        if self.overwrites:
            return True
        if self.only_names:
            return not any(NAME in token.misc_values for token in doc.tokens)
        return not Trees(doc).has_trees

    def _filled(self, doc: Document, parts: list[Piece], parsed: Iterator[list[Word]]) -> Document:
        tokens = list(doc.tokens)
        for _, group in groupby(parts, key=lambda part: part.sentence):
            sentence = list(group)
            positions = [position for part in sentence for position in part.positions]
            words = joined([next(parsed) for _ in sentence])
            ids = [tokens[position].id for position in positions]
            for position, word in zip(positions, words, strict=True):
                tokens[position] = self._token(tokens[position], word, ids)
        return with_columns(doc, tokens).replace(language=doc.language or self.engine.language)

    def _token(self, token: Token, word: Word, ids: list[str]) -> Token:
        return token._replace(misc=_named(token.misc, word.name)) if self.only_names else filled_token(token, word, ids)


def filled_token(token: Token, word: Word, ids: list[str]) -> Token:
    """The token with what the parser says of it, and else as it was; `ids` are those of the sentence's words."""
    columns: dict[str, Any] = {"misc": _named(token.misc, word.name)} | {
        column: value
        for column, value in (
            ("lemma", word.lemma),
            ("upos", word.upos),
            ("xpos", word.xpos),
            ("feats", word.feats),
        )
        if value != "_" or word.upos != "_"
    }
    if word.head is not None:  # the enhanced graph belongs to the tree that goes
        columns |= {"head": "0" if word.head == ROOT else ids[word.head], "deprel": word.deprel, "deps": "_"}
    return token._replace(**columns)


def _named(misc: str, name: str) -> str:
    kept = [] if misc == "_" else [pair for pair in misc.split("|") if pair.partition("=")[0] != NAME]
    return "|".join(kept if name == "O" else [*kept, f"{NAME}={name}"]) or "_"
