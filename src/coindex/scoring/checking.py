"""Whether two documents are versions of the same text. A response for another text has no score."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Literal

from ..document import Document, Sentence, Token
from ..errors import CoindexError, Problem, quote
from .words import have_same_words, sentences_of

Locate = Callable[[Document, int], str]
"""Says where a position of a document is, as people look for it: a file and line, or a sentence and word."""

Compared = Literal["words and empty nodes", "words", "nothing"]
"""What an official scorer compares before it scores."""


class MismatchError(CoindexError):
    """The response is no response to this key."""

    def __init__(self, place: str, found: str, expected: str, remedy: str) -> None:
        self.problem = Problem(place, None, found, expected, remedy)
        super().__init__(str(self.problem))


def describe_place(doc: Document, position: int) -> str:
    """Where a position is, when nobody knows the file: document, sentence, word."""
    name = f"document {quote(doc.id)}" if doc.id is not None else "document without an id"
    if not doc.sentences:
        return name
    index = doc.sentence_index(min(position, max(len(doc.tokens) - 1, 0)))
    sentence = doc.sentences[index]
    label = quote(sentence.id) if sentence.id is not None else str(index + 1)
    if position >= len(doc.tokens):
        return f"{name}, end of sentence {label}"
    return f"{name}, sentence {label}, word {doc.tokens[position].id}"


def check_pair(
    key: Document, response: Document, *, strict: bool, compares: Compared, locate: Locate = describe_place
) -> bool:
    """Raise where the two are not the same text; whether even the empty nodes are the same.

    Without `strict`, only what the official scorer compares must be equal, and what lies beyond the shorter of two
    sentences or documents is passed over.
    """
    if key.id != response.id:
        raise _id_error(key, response, locate)
    if compares == "nothing" and not strict:
        return True
    same = have_same_words(key, response)
    for one, other in zip(sentences_of(key), sentences_of(response), strict=False):
        _check_ids(one, other, response, locate)
        if not same:
            _check_words(one, other, response, strict=strict, empty_nodes=False, locate=locate)
            if compares == "words and empty nodes":  # as the official scorers do: as far as both sentences go
                _check_words(one, other, response, strict=False, empty_nodes=True, locate=locate)
    if strict and len(response.sentences) != len(key.sentences):
        is_short = len(response.sentences) < len(key.sentences)
        last = len(response.tokens) if is_short else response.sentences[len(key.sentences)].start
        raise MismatchError(
            f"response: {locate(response, last)}",
            f"{len(response.sentences)} sentences",
            f"{len(key.sentences)} as in the key",
            _CUT if is_short else _EXTRA,
        )
    return same


_CUT = "was the response cut short? give all that the key has; --no-strict (strict=False) scores what is there"
_EXTRA = "remove what is not in the key; --no-strict (strict=False) passes over it"
_TEXT = "score a response that was made from this key's text, with the same words"


def _id_error(key: Document, response: Document, locate: Locate) -> MismatchError:
    return MismatchError(
        f"response: {locate(response, 0)}",
        f"document {quote(response.id)}" if response.id is not None else "a document without an id",
        f"document {quote(key.id)} as in the key" if key.id is not None else "one without an id, as in the key",
        "give the key's documents, all of them, in the key's order and with the key's ids",
    )


def _check_ids(one: Sentence, other: Sentence, response: Document, locate: Locate) -> None:
    if one.id != other.id and one.id is not None and other.id is not None:
        raise MismatchError(
            f"response: {locate(response, other.start)}",
            f"the sentence {quote(other.id)}",
            f"{quote(one.id)} as in the key",
            "give the key's sentences, all of them, in the key's order and with the key's sent_id",
        )


def _check_words(
    one: Sentence, other: Sentence, response: Document, *, strict: bool, empty_nodes: bool, locate: Locate
) -> None:
    words = [token for token in one.tokens if empty_nodes or not token.is_empty]
    places = [p for p in range(other.start, other.end) if empty_nodes or not response.tokens[p].is_empty]
    for word, place in zip_longest(words, places):
        found = None if place is None else response.tokens[place]
        if word is not None and found is not None:
            if word.form == found.form and (word.is_empty == found.is_empty or not strict):
                continue
        elif not strict:
            return
        raise MismatchError(
            f"response: {locate(response, other.end - 1 if place is None else place)}",
            _word(found, "no more words in this sentence"),
            f"{_word(word, 'the end of the sentence')} as in the key",
            _remedy(word, found),
        )


_EMPTY = "the scorers of 2022 and 2023 need the key's empty nodes in the response; from crac24 on they may differ"


def _remedy(word: Token | None, found: Token | None) -> str:
    if any(token is not None and token.is_empty for token in (word, found)):
        return _EMPTY
    if found is None:
        return _CUT
    return _EXTRA if word is None else _TEXT


def _word(token: Token | None, otherwise: str) -> str:
    if token is None:
        return otherwise
    return f"the {'empty node' if token.is_empty else 'word'} {quote(token.form)}"
