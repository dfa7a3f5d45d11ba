"""Documents from words and from turns of a conversation: what is checked, and how words become text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..errors import CoindexError, quote
from .tokens import Token, Tokens

Words = Sequence[str]
Turn = tuple[str | Words | Sequence[Words], str | None]
"""What a speaker says, as text, as the words of a sentence or as several such sentences; and the speaker's name."""


class Piece(NamedTuple):
    """A sentence on its way into a document: words with the text after each of them."""

    forms: list[str]
    spaces: list[str]
    speaker: str | None = None


def checked_sentences(sentences: object, name: str = "sentences") -> list[list[str]]:
    """Return sentences as lists of words; TypeError for anything else, CoindexError for what no token can be."""
    if isinstance(sentences, str | bytes) or not isinstance(sentences, Iterable):
        raise TypeError(f"{name}: expected a list of sentences, each a list of words, not {type(sentences).__name__}")
    found = []
    for number, words in enumerate(sentences):
        if isinstance(words, str):
            raise TypeError(
                f"{name}, item {number}: expected a list of words, not a str; put the words of a single sentence into "
                "one more list, or use Document.from_text for raw text"
            )
        if isinstance(words, bytes) or not isinstance(words, Iterable):
            raise TypeError(f"{name}, item {number}: expected a list of words, not {type(words).__name__}")
        found.append([_checked_word(word, f"{name}, item {number}, word {at}") for at, word in enumerate(words)])
    return [words for words in found if words]


def _checked_word(word: object, name: str) -> str:
    if not isinstance(word, str):
        raise TypeError(f"{name}: expected a str, not {type(word).__name__}")
    if not word or word != word.strip() or "\n" in word:
        raise CoindexError(
            f"{name}: {quote(word)} is no token; expected characters without white space at the ends or a line end; "
            "strip the words, and leave out empty ones",
            code="invalid-token",
        )
    return word


def spaced_sentences(sentences: list[list[str]]) -> list[Piece]:
    """Return the sentences with a space between words and a line end after each sentence."""
    return [Piece(words, [" "] * (len(words) - 1) + ["\n"]) for words in sentences]


def aligned_sentences(sentences: list[list[str]], text: str) -> tuple[list[Piece], str]:
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
        said, speaker = turn
        if speaker is not None and not isinstance(speaker, str):
            raise TypeError(f"{name}: expected the speaker's name (str) or None, not {type(speaker).__name__}")
        own = _said(said, name, language)
        if own:
            own[-1].spaces[-1] = "\n"
        pieces += (piece._replace(speaker=speaker) for piece in own)
    return pieces


def _shape(turn: object) -> str:
    size = f" of {len(turn)}" if isinstance(turn, tuple | list) else ""
    return type(turn).__name__ + size


def _said(said: object, name: str, language: str | None) -> list[Piece]:
    if isinstance(said, str):
        from ..text.tokenizer import segment

        pieces = []
        spans = [sentence for sentence in segment(said, language=language) if sentence]
        starts = [start for sentence in spans for start, _ in sentence]
        following = iter([*starts[1:], len(said)])
        for sentence in spans:
            pieces.append(Piece([said[a:b] for a, b in sentence], [said[b : next(following)] for _, b in sentence]))
        return pieces
    if isinstance(said, Sequence) and said and all(isinstance(word, str) for word in said):
        said = [said]
    return spaced_sentences(checked_sentences(said, name))


def joined_tokens(pieces: Iterable[Piece], prefix: str = "", *, ends: str | None = None) -> Tokens:
    """Return the tokens of all sentences; `ends` is the text after the last word in place of its own."""
    tokens = [
        Token(str(number), form, space=space)
        for piece in pieces
        for number, (form, space) in enumerate(zip(piece.forms, piece.spaces, strict=True), 1)
    ]
    if tokens and ends is not None:
        tokens[-1] = tokens[-1]._replace(space=ends)
    return Tokens(tokens, prefix=prefix)
