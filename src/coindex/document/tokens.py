"""Tokens, the text between them, and the mapping between positions and characters.

A position is a 0-based index into the tokens of one document, empty nodes included; spans are half-open.
The CoNLL-U columns are kept as the strings of the file ("_" = not given), so that nothing is lost.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol, overload

Extra = tuple[tuple[str, str], ...]
"""The values of further columns by name, sorted by name; a column without a value ("_") is left out."""


def extra_columns(values: Mapping[str, str]) -> Extra:
    """Return the values of further columns in the form that tokens store."""
    return tuple(sorted((name, value) for name, value in values.items() if value != "_"))


class Token(NamedTuple):
    """A syntactic word or an empty node: the ten CoNLL-U columns and the text up to the next token.

    `id` counts words in the sentence from 1, and is "8.1" for an empty node; `head` is the id of the parent.
    `misc` contains the attributes that have no other field (not SpaceAfter, not Entity).
    `extra` contains the columns that only CoNLL-U Plus has.
    """

    id: str
    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    head: str = "_"
    deprel: str = "_"
    deps: str = "_"
    misc: str = "_"
    space: str = " "
    extra: Extra = ()

    @property
    def is_empty(self) -> bool:
        """Whether this is an empty node, which stands for an omitted word and has no surface text."""
        return "." in self.id

    @property
    def features(self) -> dict[str, str]:
        """The FEATS column as a dictionary."""
        return _pairs(self.feats)

    @property
    def misc_values(self) -> dict[str, str]:
        """The MISC column as a dictionary."""
        return _pairs(self.misc)


def _pairs(column: str) -> dict[str, str]:
    if column == "_":
        return {}
    return {name: value for name, _, value in (pair.partition("=") for pair in column.split("|"))}


@dataclass(frozen=True, slots=True)
class Multiword:
    """A surface token written as several words ("del" = "de" + "el"): the words at positions start..end."""

    start: int
    end: int
    form: str
    misc: str = "_"
    space: str = " "
    extra: Extra = ()


PROTECTED = "Protected"
"""The MISC attribute with the reason why no mention may be here."""
FEW = 100
"""How many single tokens are requested from a loader before all of them are loaded."""
Content = tuple[tuple[Token, ...], tuple[Multiword, ...]]


class Loader(Protocol):
    """What a reader provides instead of tokens, so that columns that are never used are never parsed."""

    @property
    def length(self) -> int: ...

    @property
    def empty_positions(self) -> frozenset[int]: ...

    def __call__(self) -> Content: ...

    def forms(self) -> list[str]: ...

    def token(self, position: int) -> Token | None: ...

    def empty_tokens(self) -> dict[int, Token]: ...


class Tokens(Sequence[Token]):
    """The tokens of a document in order, with its surface text; mentions and sentences point into it."""

    def __init__(self, tokens: Iterable[Token] = (), *, multiwords: Iterable[Multiword] = (), prefix: str = "") -> None:
        self.prefix = prefix
        self._loader: Loader | None = None
        self._looks = 0
        self._content = tuple(tokens), tuple(multiwords)
        self._length = len(self._content[0])

    @classmethod
    def deferred(cls, loader: Loader) -> Tokens:
        """Return tokens that are loaded on first access."""
        tokens = cls.__new__(cls)
        tokens.prefix = ""
        tokens._loader = loader
        tokens._looks = FEW
        tokens._length = loader.length
        tokens.__dict__["empty_positions"] = loader.empty_positions
        return tokens

    @cached_property
    def _content(self) -> Content:
        assert self._loader is not None
        self._looks = 0
        return self._loader()

    @property
    def _tokens(self) -> tuple[Token, ...]:
        return self._content[0]

    @property
    def multiwords(self) -> tuple[Multiword, ...]:
        return self._content[1]

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Token, ...]: ...
    def __getitem__(self, index: int | slice) -> Token | tuple[Token, ...]:
        if self._looks > 0 and isinstance(index, int) and 0 <= index < self._length:
            self._looks -= 1
            token = self._loader.token(index) if self._loader is not None else None
            if token is not None:
                return token
        return self._tokens[index]

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Token]:
        return iter(self._tokens)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tokens):
            return NotImplemented
        if self is other:
            return True
        return self._content == other._content and self.prefix == other.prefix

    __hash__ = None  # type: ignore[assignment]  # compared by content, too long to hash

    def __repr__(self) -> str:
        return f"<Tokens: {len(self)}>"

    @cached_property
    def forms(self) -> list[str]:
        """The forms alone, cheaper than the tokens."""
        return self._loader.forms() if self._loader is not None else [token.form for token in self._tokens]

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All forms, to look up whether a word also occurs in another case."""
        return frozenset(self.forms)

    @cached_property
    def _surface(self) -> tuple[str, list[int], list[int]]:
        multiword_at = {multiword.start: multiword for multiword in self.multiwords}
        starts: list[int] = []
        ends: list[int] = []
        parts = [self.prefix]
        at = len(self.prefix)
        for position, token in enumerate(self._tokens):
            if position < len(starts):  # inside a multiword token, already placed
                continue
            multiword = multiword_at.get(position)
            if multiword is not None:
                width = multiword.end - position
                form, space = multiword.form, multiword.space
            elif token.is_empty:
                starts.append(at)
                ends.append(at)
                continue
            else:
                width, form, space = 1, token.form, token.space
            parts += (form, space)
            starts += [at] * width
            ends += [at + len(form)] * width
            at += len(form) + len(space)
        return "".join(parts), starts, ends

    @property
    def text(self) -> str:
        """The surface text, character by character as it was read."""
        return self._surface[0]

    def start_char(self, position: int) -> int:
        """Return the character offset where a token starts; the words of a multiword token share its offsets."""
        return self._surface[1][position]

    def end_char(self, position: int) -> int:
        """Return the character offset where a token ends; an empty node starts and ends at the same offset."""
        if position in self.empty_positions:  # also inside a multiword token, which has a surface
            return self._surface[1][position]
        return self._surface[2][position]

    def positions_in(self, start_char: int, end_char: int) -> range:
        """Return the positions of the tokens that overlap the characters start_char..end_char (half-open)."""
        _, starts, ends = self._surface
        first = bisect_right(ends, start_char)
        return range(first, max(first, bisect_left(starts, end_char)))

    @cached_property
    def empty_tokens(self) -> dict[int, Token]:
        """The empty nodes by their positions, cheaper than all tokens."""
        if self._loader is not None and "_content" not in self.__dict__:
            return self._loader.empty_tokens()
        return {position: self[position] for position in sorted(self.empty_positions)}

    @cached_property
    def protected(self) -> dict[int, str]:
        """Why tokens are protected, by position: code, web addresses and the like in raw text."""
        key = f"{PROTECTED}="
        return {at: token.misc_values[PROTECTED] for at, token in enumerate(self._tokens) if key in token.misc}

    @cached_property
    def empty_positions(self) -> frozenset[int]:
        """Where the empty nodes are."""
        return frozenset(position for position, token in enumerate(self._tokens) if token.is_empty)


@dataclass(frozen=True, slots=True)
class Sentence:
    """The tokens start..end of a document, with the id, speaker and comments of the sentence."""

    layer: Tokens = field(repr=False, compare=False)
    start: int
    end: int
    id: str | None = None
    speaker: str | None = None
    comments: tuple[str, ...] = ()

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the sentence, empty nodes included."""
        return self.layer[self.start : self.end]

    @property
    def text(self) -> str:
        """The surface text of the sentence."""
        if self.start == self.end:
            return ""
        return self.layer.text[self.start_char : self.end_char]

    @property
    def start_char(self) -> int:
        """Where the surface of the sentence begins in the text."""
        return self.layer.start_char(self.start)

    @property
    def end_char(self) -> int:
        """Where the last word ends; empty nodes after it are placed after the space."""
        empty = self.layer.empty_positions
        last = next((p for p in range(self.end - 1, self.start, -1) if p not in empty), self.start)
        return self.layer.end_char(last)

    def __len__(self) -> int:
        return self.end - self.start
