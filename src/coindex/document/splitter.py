"""Sentences from tokens: which stops end one, and which dots belong to the word before them."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from .abbreviations import language_data
from .entities import Span
from .shapes import CASELESS, EMOJI, FLAG, GHOSTS, HEBREW, HIRAGANA, INVISIBLE

_HARD_STOPS = frozenset("。｡！？؟۔।॥։።፧፨။។៕᠃᱾෴")  # they end a sentence with no blank after them
_STOPS = _HARD_STOPS | frozenset(".!?…‼⁇⁈⁉‽⸮\u037e")
_CLOSERS = frozenset("\"')")
_BULLETS = frozenset("•‣▪◦●*-–—")
_OPENERS = _BULLETS | frozenset("\"'(¿¡―_")
_NO_START = _STOPS | frozenset("),:;%،؛、，：；")
_SAID = {
    "said",
    "asked",
    "cried",
    "replied",
    "answered",
    "exclaimed",
    "added",
    "continued",
    "shouted",
    "thought",
}


class _Dot(Enum):
    """What the dot after a word means."""

    STOP = 0  # it stands by itself
    INSIDE = 1  # it belongs to the word and ends no sentence
    UNSURE = 2  # it belongs to the word, and ends a sentence if a known opener follows
    BOTH = 3  # it belongs to the word and is a stop as well


class Splitter:
    """Groups the tokens of one text into sentences, and gives abbreviations their dots."""

    def __init__(
        self, text: str, shape: str, tokens: list[Span], code: str | None, borders: Collection[int] = ()
    ) -> None:
        """`borders` are characters where a sentence begins whatever stands before."""
        self._text, self._shape, self._tokens, self._borders = text, shape, tokens, borders
        self._language = language_data(code)
        self._english = code in (None, "en")
        self._stops = _STOPS | {";"} if code == "el" else _STOPS
        self._has_capitals = any(char in shape for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")

    def sentences(self) -> list[list[Span]]:
        """All tokens in order; a dot that belongs to an abbreviation is joined to it."""
        sentences: list[list[Span]] = []
        sentence: list[Span] = []
        shape = self._shape
        finals = self._stops.union(INVISIBLE)
        last = -1  # the token that ends the sentence, once it is known
        borders = self._borders
        for index, token in enumerate(self._tokens):
            start, end = token
            if start in borders and sentence:
                sentences.append(sentence)
                sentence = []
            if shape[end - 1] not in finals or self._final(index) not in self._stops:
                sentence.append(token)
            else:
                dot = self._dot(index, sentence)
                if dot is _Dot.STOP or shape[start] != "." or self._language.dots_apart:
                    sentence.append(token)
                else:
                    sentence[-1] = (sentence[-1][0], end)
                if index > last and dot is not _Dot.INSIDE:
                    last = self._last_of_sentence(index, dot)
            if index == last:
                sentences.append(sentence)
                sentence = []
        if sentence:
            sentences.append(sentence)
        return sentences

    def _first(self, index: int) -> str:
        """What the token begins with, in the shape; empty after the last token."""
        if index >= len(self._tokens):
            return ""
        start, end = self._tokens[index]
        char = self._shape[start]
        return self._shape[start : min(end, start + 8)].lstrip(INVISIBLE)[:1] if char in INVISIBLE else char

    def _final(self, index: int) -> str:
        """What the token ends with, in the shape."""
        start, end = self._tokens[index]
        char = self._shape[end - 1]
        return self._shape[max(start, end - 8) : end].rstrip(INVISIBLE)[-1:] if char in INVISIBLE else char

    def _adjoins(self, index: int) -> bool:
        """Whether the token follows another with no white space between."""
        if index >= len(self._tokens):
            return False
        end, start = self._tokens[index - 1][1], self._tokens[index][0]
        return end == start or not self._text[end:start].strip(GHOSTS)

    def _breaks_line(self, index: int) -> bool:
        """Whether the token begins a line that begins a sentence."""
        return index < len(self._tokens) and self._tokens[index][0] in self._borders

    def _dot(self, index: int, sentence: list[Span]) -> _Dot:
        start, end = self._tokens[index]
        if self._shape[start] != ".":
            return _Dot.UNSURE if self._final(index) == "." else _Dot.STOP
        if end - start > 1 or not sentence or sentence[-1][1] != start or start - sentence[-1][0] > 12:
            return _Dot.STOP
        word = self._text[sentence[-1][0] : start].lower()
        language = self._language
        follows = "" if self._breaks_line(index + 1) else self._first(index + 1)
        if word in language.never or (word in language.numbered and follows.isdigit()):
            return _Dot.INSIDE
        if word in language.sometimes:
            return _Dot.UNSURE
        if word in language.often:
            return _Dot.BOTH
        return self._bare_dot(index, follows, sentence) if follows else _Dot.STOP

    def _bare_dot(self, index: int, follows: str, sentence: list[Span]) -> _Dot:
        """The dot after an initial, an ordinal or the number of a heading or list item."""
        start, end = sentence[-1]
        word = self._shape[start:end]
        if len(word.strip(INVISIBLE)) == 1 and word[-1].isalpha():
            pronoun = word == "I" and self._english and len(sentence) > 1
            ends = pronoun and self._shape[sentence[-2][0]].islower()
            return _Dot.STOP if ends or self._is_opener(index + 1) else _Dot.INSIDE
        number = word.replace(".", "").isdigit()
        if not number and word.strip("IVXLC"):
            return _Dot.STOP
        if len(word) < 4 and len(sentence) == 1:
            return _Dot.INSIDE
        year = number and len(word) > 2  # "1990. Ő" ends a sentence, "1990. május" does not
        ordinal = self._language.ordinals and (follows.islower() or not (year or self._is_opener(index + 1)))
        return _Dot.INSIDE if ordinal else _Dot.STOP

    def _last_of_sentence(self, index: int, dot: _Dot) -> int:
        """The last token of the sentence that stops at this token; -1 if it goes on."""
        after = index + 1
        while self._closes(after):
            after += 1
        closed = after > index + 1
        while self._is_note(after):
            after += 3
        while self._first(after) in (EMOJI, FLAG) and not self._breaks_line(after):
            after += 1
        if after == len(self._tokens):
            return after - 1
        stop = self._final(index)
        if stop in _HARD_STOPS:
            ends = self._can_follow(after, stop, closed)
        elif self._adjoins(after):
            ends = False
        elif dot is _Dot.UNSURE:
            ends = self._is_opener(after)
        else:
            ends = self._can_open(after, stop, closed)
        return after - 1 if ends else -1

    def _closes(self, index: int) -> bool:
        """Whether a closing quote or bracket is here: one that adjoins, or the '' of tokenized text."""
        if self._first(index) not in _CLOSERS:
            return False
        return self._adjoins(index) or self._shape.startswith("''", self._tokens[index][0])

    def _is_note(self, index: int) -> bool:
        """Whether the number of a footnote is here, as in "in 1990.[3] He"."""
        if self._first(index) != "(" or self._text[self._tokens[index][0]] != "[" or self._breaks_line(index):
            return False
        return self._first(index + 1).isdigit() and self._first(index + 2) == ")"

    def _can_follow(self, index: int, stop: str, closed: bool) -> bool:
        """Whether a sentence can begin here after a stop that needs no blank."""
        first = self._first(index)
        if closed and self._adjoins(index) and (stop in "！？" or first == HIRAGANA):
            return False  # 「本当？」と彼は聞いた。
        return first not in _NO_START

    def _is_opener(self, index: int) -> bool:
        """Whether a word is here that, with a capital, opens a sentence; not an initial such as "A."."""
        index = self._content(index)
        if not self._first(index).isupper() or (self._first(index + 1) == "." and self._adjoins(index + 1)):
            return False
        start, end = self._tokens[index]
        word = self._text[start:end].lower().replace("’", "'")
        return word in self._language.openers

    def _can_open(self, index: int, stop: str, closed: bool) -> bool:
        index = self._content(index)
        first = self._first(index)
        if not first or first in _NO_START:
            return False
        if first.islower():
            return not self._has_capitals or self._second_is_capital(index)
        if not closed or stop == ".":
            return True
        if first in (CASELESS, HEBREW):
            return False  # no capital tells; a quoted question is more often followed by who asked it
        return not (self._english and self._is_speech_tag(index))

    def _second_is_capital(self, index: int) -> bool:
        """Whether a name like iPhone or eBay is here."""
        start, end = self._tokens[index]
        return self._shape[start + 1 : min(start + 2, end)].isupper()

    def _content(self, index: int) -> int:
        """The next token that is not an opening quote, bracket, dash or the like."""
        for _ in range(6):
            if self._first(index) not in _OPENERS:
                break
            index += 1
        return index

    def _is_speech_tag(self, index: int) -> bool:
        """Whether "I said" or "John asked" is here."""
        if index + 1 >= len(self._tokens):
            return False
        name, verb = (self._text[start:end] for start, end in self._tokens[index : index + 2])
        if name == "I":
            return verb in _SAID or self._first(index + 2) in (".", ",")
        return verb in _SAID and name.lower() not in self._language.openers
