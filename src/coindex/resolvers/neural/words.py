"""The input of a model: words without empty nodes, their sub-word pieces, case shapes and UD columns.

UD columns (part of speech, relation, a few features) are numbered by the values of Universal Dependencies, so that a
model does not need to store these. 0 is a missing or unknown value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...document import Document, Mention, Span, Token, runs
from ...text.character_classes import GHOSTS

GHOST = re.compile(f"[{GHOSTS}]")
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class DocumentWords:
    """Words are counted from 0 without empty nodes; `positions` leads back to the document's tokens."""

    forms: list[str]
    positions: list[int]
    sentences: list[Span]
    speakers: list[int]
    """The speaker of each sentence, numbered in order of appearance; 0 if unknown."""
    columns: Ints | None = field(default=None, compare=False)
    """[words, columns]: UD columns as numbers, for models that use them."""

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def sentence_of(self) -> Ints:
        """The sentence index of each word."""
        lengths = [end - start for start, end in self.sentences]
        return np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)

    @cached_property
    def word_at(self) -> dict[int, int]:
        """The word at a position of the document."""
        return {position: word for word, position in enumerate(self.positions)}


def document_words(doc: Document) -> DocumentWords:
    """Return the words of a document without zero-width characters.

    Sentences without words are left out, and those in which all words are protected.
    """
    empty, protected = doc.tokens.empty_positions, doc.tokens.protected
    forms: list[str] = []
    positions: list[int] = []
    sentences: list[Span] = []
    speakers: list[int] = []
    numbers: dict[str, int] = {}
    all_forms = [remove_invisible(form) for form in doc.tokens.forms]
    for sentence in doc.sentences:
        start = len(forms)
        if sentence.start in protected and all(at in protected for at in range(sentence.start, sentence.end)):
            continue
        for position in range(sentence.start, sentence.end):
            if position not in empty:
                forms.append(all_forms[position])
                positions.append(position)
        if len(forms) > start:
            sentences.append((start, len(forms)))
            name = sentence.speaker
            speakers.append(numbers.setdefault(name, len(numbers) + 1) if name else 0)
    return DocumentWords(forms, positions, sentences, speakers)


def remove_invisible(form: str) -> str:
    """Return a form without zero-width characters, so that names with and without them are the same to the model."""
    return form if form.isascii() else (GHOST.sub("", form) or form)


def word_span(mention: Mention, words: DocumentWords) -> Span | None:
    """Return the words of a mention; for a discontinuous one, the part with its head or the longest part.

    None where the mention has no words, or does not lie in one sentence: such mentions cannot be tagged.
    """
    places = [words.word_at[position] for position in mention.positions if position in words.word_at]
    if not places:
        return None
    head = words.word_at.get(mention.head) if mention.head is not None else None
    pieces = runs(places)
    span = next(
        ((start, end) for start, end in pieces if head is not None and start <= head < end),
        max(pieces, key=lambda piece: piece[1] - piece[0]),
    )
    sentence_of = words.sentence_of
    return span if sentence_of[span[0]] == sentence_of[span[1] - 1] else None


def in_reading_order(spans: Iterable[Span]) -> list[Span]:
    """Return the distinct spans by start; of two with the same start, the longer one comes first."""
    return sorted(set(spans), key=lambda span: (span[0], -span[1]))


MAX_PIECES = 10
"""Of one word; a web address is cut here."""
SHAPES = ("lower", "capital", "upper", "mixed", "other")
"""What an uncased vocabulary forgets: the case of a word."""
LONGEST = 1000
"""The first characters of a word that are looked at: what is longer has more than `MAX_PIECES`, or is unknown."""
CACHE = 200_000
"""Number of forms whose pieces are cached."""


class PieceTokenizer(Protocol):
    """The part of the `tokenizers` API that is used."""

    def encode(self, sequence: str, *, add_special_tokens: bool) -> PieceEncoding: ...

    def token_to_id(self, token: str) -> int | None: ...


class PieceEncoding(Protocol):
    """The pieces of one word."""

    @property
    def ids(self) -> list[int]: ...


class Pieces:
    """Splits words into pieces, with a cache."""

    def __init__(self, tokenizer: PieceTokenizer, *, begin: int, end: int, pad: int, unknown: int) -> None:
        self.begin, self.end, self.pad, self.unknown = begin, end, pad, unknown
        self._tokenizer = tokenizer
        self._pieces = lru_cache(maxsize=CACHE)(self._split)

    def of(self, forms: Iterable[str]) -> list[tuple[int, ...]]:
        """Return the piece ids of each form, at least one and at most `MAX_PIECES`."""
        return [self._pieces(form[:LONGEST]) for form in forms]

    def _split(self, form: str) -> tuple[int, ...]:
        # one by one: for batches, the library starts threads and warns when a process is forked
        text = form.encode("utf-8", "replace").decode("utf-8")  # the library rejects unpaired surrogates
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return tuple(ids[:MAX_PIECES]) or (self.unknown,)


def shape(form: str) -> int:
    """Return the index of the shape of a form in `SHAPES`."""
    if form.islower():
        return 0
    if form[:1].isupper() and (len(form) == 1 or form[1:].islower()):
        return 1
    if form.isupper():
        return 2
    return 3 if any(letter.isalpha() for letter in form) else 4


VALUES = {
    "upos": "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X",
    "deprel": "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated "
    "expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative "
    "xcomp",
    "Number": "Sing Plur Dual Coll Ptan",
    "Gender": "Masc Fem Neut Com",
    "Animacy": "Anim Inan Hum Nhum",
    "Person": "0 1 2 3 4",
    "Case": "Nom Acc Gen Dat Ins Loc Voc",
    "Definite": "Ind Def Spec Cons Com",
    "PronType": "Prs Art Dem Ind Int Rel Neg Tot Rcp Emp Exc",
    "Poss": "Yes",
    "Reflex": "Yes",
}
NUMBER = {name: {value: at for at, value in enumerate(values.split(), 1)} for name, values in VALUES.items()}
COLUMNS = {name: len(values) + 1 for name, values in NUMBER.items()}
"""The available columns with their numbers of values, including 0."""


def with_columns(words: DocumentWords, doc: Document, names: Sequence[str]) -> DocumentWords:
    """Return the words with column values, which are all 0 for raw text."""
    if not names:
        return words
    numbers = np.zeros((len(words), len(names)), dtype=np.int64)
    for row, position in enumerate(words.positions):
        token = doc.tokens[position]
        for column, name in enumerate(names):
            numbers[row, column] = NUMBER[name].get(_value(token, name), 0)
    return replace(words, columns=numbers)


def remove_columns(words: DocumentWords) -> DocumentWords:
    """Return the words as raw text, without column values."""
    return words if words.columns is None else replace(words, columns=np.zeros_like(words.columns))


def _value(token: Token, name: str) -> str:
    """Return the main part of a value: `nsubj` of `nsubj:pass`, `Masc` of `Masc,Neut`."""
    if name == "upos":
        return token.upos
    if name == "deprel":
        return token.deprel.partition(":")[0]
    return token.features.get(name, "_").partition(",")[0]
