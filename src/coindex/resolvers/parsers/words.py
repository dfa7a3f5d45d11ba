"""What a parser is given of a document and what it gives back; the tree made sound on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...document import Document

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
