"""A parser as a step of a chain: split documents into pieces, parse them in batches, and fill their columns."""

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
    """The analysis of a word. `head` is an index into the words of the sentence, ROOT, or None without a tree."""

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
    """A sentence, or a part of a very long one, as the input of a parser: words without empty nodes."""

    sentence: int
    positions: list[int]
    forms: list[str]
    spaces: list[bool]


def split_document(doc: Document, longest: int) -> Iterator[Piece]:
    """Yield the sentences of a document in order; those with more than `longest` words are cut."""
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


def join_pieces(parts: Sequence[Sequence[Word]]) -> list[Word]:
    """Return the words of all pieces of a sentence as one tree."""
    words: list[Word] = []
    for part in parts:
        offset = len(words)
        words += [word if word.head in (None, ROOT) else word._replace(head=(word.head or 0) + offset) for word in part]
    return repair_tree(words) if words and words[0].head is not None else words


def repair_tree(words: list[Word]) -> list[Word]:
    """Return the sentence with exactly one root and no cycles, which not every parser guarantees.

    The first root that is not punctuation is kept; the others, and one word of every cycle, are attached to it.
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
        word if word.head == head else word._replace(head=head, deprel=_repair_relation(word, head))
        for word, head in zip(words, heads, strict=True)
    ]


def _repair_relation(word: Word, head: int) -> str:
    """Return the relation of a word that was attached to the root or became the root."""
    if head == ROOT:
        return "root"
    return "punct" if word.upos == "PUNCT" else "parataxis"


def _cycle_starts(heads: list[int]) -> list[int]:
    """Return one word of each cycle."""
    done = [False] * len(heads)
    starts = []
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
            starts.append(at)
    return starts


NAME = "NE"
"""The MISC key of named entities: NE=B-PER, NE=I-PER, with the types of the tagger."""
OPTIONS = (
    Option("overwrite", ("no", "yes"), "no: leave documents with trees unchanged; yes: parse them again"),
    Option("columns", ("all", "names"), "all: write UD columns and named entities; names: only named entities"),
)


class Engine(Protocol):
    """A parsing package: it returns the analyses of pieces in order."""

    longest: int
    """The maximum length of a piece in words."""
    language: str | None
    """The language that it parses, or None for any."""

    def parse(self, parts: Iterable[Piece], *, batch_size: int) -> Iterator[list[Word]]: ...


class Parser:
    """A step that fills columns. Tokens, sentences, empty nodes and mentions do not change."""

    def __init__(self, engine: Engine, *, overwrite: str = "no", columns: str = "all") -> None:
        self.engine = engine
        self.overwrites = overwrite == "yes"
        self.only_names = columns == "names"

    def __call__(self, doc: Document) -> Document:
        return next(self.pipe([doc], batch_size=1))

    def pipe(self, docs: Iterable[Document], *, batch_size: int) -> Iterator[Document]:
        """Parse the documents in batches and yield them in order."""
        stream = iter(docs)
        while batch := list(islice(stream, batch_size)):
            work = [list(split_document(doc, self.engine.longest)) if self._is_wanted(doc) else [] for doc in batch]
            parsed = self.engine.parse((part for parts in work for part in parts), batch_size=batch_size)
            for doc, parts in zip(batch, work, strict=True):
                yield self._fill(doc, parts, parsed) if parts else doc

    def _is_wanted(self, doc: Document) -> bool:
        if self.overwrites:
            return True
        if self.only_names:
            return not any(NAME in token.misc_values for token in doc.tokens)
        return not Trees(doc).has_trees

    def _fill(self, doc: Document, parts: list[Piece], parsed: Iterator[list[Word]]) -> Document:
        tokens = list(doc.tokens)
        for _, group in groupby(parts, key=lambda part: part.sentence):
            sentence = list(group)
            positions = [position for part in sentence for position in part.positions]
            words = join_pieces([next(parsed) for _ in sentence])
            ids = [tokens[position].id for position in positions]
            for position, word in zip(positions, words, strict=True):
                tokens[position] = self._token(tokens[position], word, ids)
        return with_columns(doc, tokens).replace(language=doc.language or self.engine.language)

    def _token(self, token: Token, word: Word, ids: list[str]) -> Token:
        return (
            token._replace(misc=_add_name(token.misc, word.name)) if self.only_names else fill_token(token, word, ids)
        )


def fill_token(token: Token, word: Word, ids: list[str]) -> Token:
    """Return the token with the analysis of the parser; `ids` are those of the words of the sentence."""
    columns: dict[str, Any] = {"misc": _add_name(token.misc, word.name)} | {
        column: value
        for column, value in (
            ("lemma", word.lemma),
            ("upos", word.upos),
            ("xpos", word.xpos),
            ("feats", word.feats),
        )
        if value != "_" or word.upos != "_"
    }
    if word.head is not None:  # the enhanced graph belongs to the replaced tree
        columns |= {"head": "0" if word.head == ROOT else ids[word.head], "deprel": word.deprel, "deps": "_"}
    return token._replace(**columns)


def _add_name(misc: str, name: str) -> str:
    kept = [] if misc == "_" else [pair for pair in misc.split("|") if pair.partition("=")[0] != NAME]
    return "|".join(kept if name == "O" else [*kept, f"{NAME}={name}"]) or "_"
