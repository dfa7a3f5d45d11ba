"""Sub-word pieces: each word is tokenised alone, so that no piece belongs to two words; case as shapes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

MAX_PIECES = 10
"""Of one word; a web address is cut here."""
SHAPES = ("lower", "capital", "upper", "mixed", "other")
"""What an uncased vocabulary forgets: the case of a word."""
LONGEST = 1000
"""The first characters of a word that are looked at: what is longer has more than `MAX_PIECES`, or is unknown."""
CACHE = 200_000


class PieceTokenizer(Protocol):
    """What is used of the `tokenizers` library."""

    def encode(self, sequence: str, *, add_special_tokens: bool) -> PieceEncoding: ...

    def token_to_id(self, token: str) -> int | None: ...


class PieceEncoding(Protocol):
    """The pieces of one word."""

    @property
    def ids(self) -> list[int]: ...


class Pieces:
    """The pieces of words, each form looked up once."""

    def __init__(self, tokenizer: PieceTokenizer, *, begin: int, end: int, pad: int, unknown: int) -> None:
        self.begin, self.end, self.pad, self.unknown = begin, end, pad, unknown
        self._tokenizer = tokenizer
        self._known: dict[str, tuple[int, ...]] = {}

    def of(self, forms: Iterable[str]) -> list[tuple[int, ...]]:
        """The piece ids of each form, at least one and at most `MAX_PIECES`."""
        forms = [form[:LONGEST] for form in forms]
        if len(self._known) > CACHE:
            self._known.clear()
        for form in dict.fromkeys(forms):
            if form not in self._known:
                # one by one: in batches the library starts threads of its own, and warns when a process is forked
                text = form.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair is no text to it
                ids = self._tokenizer.encode(text, add_special_tokens=False).ids
                self._known[form] = tuple(ids[:MAX_PIECES]) or (self.unknown,)
        return [self._known[form] for form in forms]


def shape(form: str) -> int:
    """The number of a form's shape in `SHAPES`."""
    if form.islower():
        return 0
    if form[:1].isupper() and (len(form) == 1 or form[1:].islower()):
        return 1
    if form.isupper():
        return 2
    return 3 if any(letter.isalpha() for letter in form) else 4
