"""Align the tokens of a key and a response document.

Empty nodes may differ, and words may be cut differently; a response for another text is refused.

One numbering for the words of two documents that should be the same, though empty nodes may differ.

A word is known by its sentence and its place in it. An empty node is known by its id read as a decimal number, as the
official scorers do: 2.1 and 2.10 are one and the same, and stand before 2.2.

Two versions of one text whose words are cut differently, cut alike.

Where mentions are given by characters (RU-EVAL), a reader cuts words at their borders, so a response that marks half a
word has other words than the key, and sentences may have been found in another way. For scoring, both get the borders
of both and the sentences of the key. Pieces keep the columns of their word; of a head that is cut the longest piece is
the head. A document with empty nodes, multiword tokens or a dependency tree is never cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest
from typing import Literal

from ..document import Document, Entity, Mention, Sentence, Token, Tokens
from ..errors import Place, Problem, ProblemError, quote

Codes = Sequence[int]
"""The number of the word at each position."""
Words = tuple[int, ...]
"""The numbers of a mention's words, growing."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of two documents' words: equal numbers for the same word, growing in reading order."""

    key: Codes
    response: Codes
    size: int


def words_of(mention: Mention, codes: Codes) -> Words:
    """The numbers of the mention's words."""
    if isinstance(codes, range):
        offset = codes.start
        return mention.positions if not offset else tuple(p + offset for p in mention.positions)
    return tuple(sorted({codes[position] for position in mention.positions}))


def number_words(key: Document | None, response: Document | None, offset: int, *, same: bool) -> Numbering:
    """Number the words of both sides from `offset` on; where they are the `same`, words are simply counted."""
    if same:
        size = max(len(doc.tokens) for doc in (key, response) if doc is not None)
        codes = range(offset, offset + size)
        return Numbering(codes, codes, size)
    return _merge(key, response, offset)


def have_same_words(key: Document, response: Document) -> bool:
    """Whether both have the same words and empty nodes in the same sentences, each known by its place."""
    one, other = key.tokens, response.tokens
    if one is other and key.sentences is response.sentences:
        return not _has_double_ids(key)
    if len(one) != len(other) or one.empty_positions != other.empty_positions:
        return False
    if [sentence.end for sentence in key.sentences] != [sentence.end for sentence in response.sentences]:
        return False
    if one.forms != other.forms:
        return False
    ids, other_ids = ([token.id for token in tokens.empty_tokens.values()] for tokens in (one, other))
    return ids == other_ids and not _has_double_ids(key)


def _has_double_ids(doc: Document) -> bool:
    return any(len(token.id.partition(".")[2]) > 1 for token in doc.tokens.empty_tokens.values())


def _merge(key: Document | None, response: Document | None, offset: int) -> Numbering:
    codes: tuple[list[int], list[int]] = ([], [])
    sides = [sentences_of(doc) if doc is not None else () for doc in (key, response)]
    at = offset
    for index in range(max(map(len, sides))):
        places = [_places(side[index]) if index < len(side) else [] for side in sides]
        number = {place: at + rank for rank, place in enumerate(sorted({*places[0], *places[1]}))}
        for side, found in zip(codes, places, strict=True):
            side += [number[place] for place in found]
        at += len(number)
    return Numbering(*codes, at - offset)


def sentences_of(doc: Document) -> tuple[Sentence, ...]:
    """The sentences of a document; all of it is one where it has none."""
    return doc.sentences or (Sentence(doc.tokens, 0, len(doc.tokens)),)


def _places(sentence: Sentence) -> list[float]:
    places = []
    words = 0
    for token in sentence.tokens:
        if token.is_empty:
            places.append(float(token.id))
        else:
            words += 1
            places.append(float(words))
    return places


def is_contiguous(words: Words) -> bool:
    return words[-1] - words[0] == len(words) - 1


def contains(words: Words, word: int) -> bool:
    return words[0] <= word <= words[-1] and (is_contiguous(words) or word in words)


def is_inside(inner: Words, outer: Words) -> bool:
    if inner[0] < outer[0] or inner[-1] > outer[-1]:
        return False
    return is_contiguous(outer) or set(outer).issuperset(inner)


def common_words(one: Words, other: Words) -> int:
    """How many words both have."""
    if is_contiguous(one) and is_contiguous(other):
        return max(0, min(one[-1], other[-1]) - max(one[0], other[0]) + 1)
    return len(set(one).intersection(other))


Locate = Callable[[Document, int], Place]
"""Returns where a position of a document is, as people look for it: a file and line, or a sentence and word."""

Compared = Literal["words and empty nodes", "words", "nothing"]
"""What an official scorer compares before it scores."""


class MismatchError(ProblemError):
    """The response is no response to this key.

    Where `expected` is something that the key has, messages say so; `against` names another thing than the key.
    """

    def __init__(
        self,
        side: str,
        place: Place,
        found: str,
        expected: str,
        remedy: str,
        *,
        code: str,
        is_in_key: bool = True,
    ) -> None:
        self._expected = expected
        self._is_in_key = is_in_key
        shown = self._as_in("the key")
        super().__init__(Problem(place.path, place.line, found, shown, remedy, code=code, where=place.where, side=side))

    def _as_in(self, reference: str) -> str:
        return f"{self._expected} as in {reference}" if self._is_in_key else self._expected

    def against(self, reference: str, remedy: str, *, side: str = "") -> Problem:
        """Return the problem in the words of a comparison with `reference` instead of a key."""
        return replace(self.problem, expected=self._as_in(reference), remedy=remedy, side=side)


def describe_place(doc: Document, position: int) -> Place:
    """Return where a position is when the file is not known: document, sentence, word."""
    name = f"document {quote(doc.id)}" if doc.id is not None else "document without an id"
    if not doc.sentences:
        return Place(where=name)
    index = doc.sentence_index(min(position, max(len(doc.tokens) - 1, 0)))
    sentence = doc.sentences[index]
    label = quote(sentence.id) if sentence.id is not None else str(index + 1)
    if position >= len(doc.tokens):
        return Place(where=f"{name}, end of sentence {label}")
    return Place(where=f"{name}, sentence {label}, word {doc.tokens[position].id}")


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
        raise _mismatch(
            locate(response, last),
            f"{len(response.sentences)} sentences",
            str(len(key.sentences)),
            code="missing-sentences" if is_short else "extra-sentences",
        )
    return same


_CUT = "was the response cut short? give all that the key has; --no-strict (strict=False) scores what is there"
_EXTRA = "remove what is not in the key; --no-strict (strict=False) passes over it"
_REMEDIES = {
    "document-mismatch": "give the key's documents, all of them, in the key's order and with the key's ids",
    "sentence-id-mismatch": "give the key's sentences, all of them, in the key's order and with the key's sent_id",
    "missing-sentences": _CUT,
    "extra-sentences": _EXTRA,
    "missing-word": _CUT,
    "extra-word": _EXTRA,
    "word-mismatch": "score a response that was made from this key's text, with the same words",
    "empty-node-mismatch": "the scorers of 2022 and 2023 need the key's empty nodes in the response; "
    "from crac24 on they may differ",
}


def _mismatch(place: Place, found: str, expected: str, *, code: str) -> MismatchError:
    return MismatchError("response", place, found, expected, _REMEDIES[code], code=code)


def _id_error(key: Document, response: Document, locate: Locate) -> MismatchError:
    return _mismatch(
        locate(response, 0),
        f"document {quote(response.id)}" if response.id is not None else "a document without an id",
        f"document {quote(key.id)}" if key.id is not None else "one without an id,",
        code="document-mismatch",
    )


def _check_ids(one: Sentence, other: Sentence, response: Document, locate: Locate) -> None:
    if one.id != other.id and one.id is not None and other.id is not None:
        place = locate(response, other.start)
        raise _mismatch(place, f"the sentence {quote(other.id)}", quote(one.id), code="sentence-id-mismatch")


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
        raise _mismatch(
            locate(response, other.end - 1 if place is None else place),
            _word(found, "no more words in this sentence"),
            _word(word, "the end of the sentence"),
            code=_word_code(word, found),
        )


def _word_code(word: Token | None, found: Token | None) -> str:
    code = "word-mismatch"
    if any(token is not None and token.is_empty for token in (word, found)):
        code = "empty-node-mismatch"
    elif found is None:
        code = "missing-word"
    elif word is None:
        code = "extra-word"
    return code


def _word(token: Token | None, otherwise: str) -> str:
    if token is None:
        return otherwise
    return f"the {'empty node' if token.is_empty else 'word'} {quote(token.form)}"


def cut_alike(key: Document, response: Document) -> tuple[Document, Document]:
    """Both with the same words and sentences if their text is the same, white space aside; else as they are."""
    one, other = _letters(key), _letters(response)
    if one != other or _are_cut_alike(key, response) or key.tokens.empty_positions or response.tokens.empty_positions:
        return key, response
    borders = {*_ends(key), *_ends(response)}
    if any(len(doc.tokens) < len(borders) and not _can_be_cut(doc) for doc in (key, response)):
        return key, response
    key, response = (doc if len(doc.tokens) == len(borders) else _cut(doc, borders) for doc in (key, response))
    return key, _with_sentences(response, key)


def _letters(doc: Document) -> str:
    return "".join("".join(doc.tokens.forms).split())


def _are_cut_alike(key: Document, response: Document) -> bool:
    return key.tokens.forms == response.tokens.forms and _sentence_ends(key) == _sentence_ends(response)


def _sentence_ends(doc: Document) -> list[int]:
    return [sentence.end for sentence in doc.sentences]


def _ends(doc: Document) -> list[int]:
    """Where each word ends, white space not counted."""
    return list(accumulate(len("".join(form.split())) for form in doc.tokens.forms))


def _can_be_cut(doc: Document) -> bool:
    return not doc.tokens.multiwords and all(token.head in ("_", "") for token in doc.tokens)


def _cut(doc: Document, borders: Set[int]) -> Document:
    """The document with its words cut at these borders too."""
    pieces = [_pieces(token, start, borders) for token, start in zip(doc.tokens, [0, *_ends(doc)], strict=False)]
    tokens = Tokens([piece for found in pieces for piece in found], prefix=doc.tokens.prefix)
    first = [0, *accumulate(map(len, pieces))]

    def moved(mention: Mention) -> Mention:
        positions = tuple(new for old in mention.positions for new in range(first[old], first[old + 1]))
        head = mention.head
        if head is not None:
            head = max(range(first[head], first[head + 1]), key=lambda position: len(tokens[position].form))
        return Mention(tokens, positions, head, mention.attributes)

    return doc.replace(
        tokens=tokens,
        sentences=tuple(Sentence(tokens, first[s.start], first[s.end], s.id, s.speaker) for s in doc.sentences),
        entities=tuple(
            Entity(entity.id, tuple(map(moved, entity.mentions)), entity.type, entity.kind, entity.attributes)
            for entity in doc.entities
        ),
        bridges=(),
        split_antecedents=(),
    )


def _pieces(token: Token, start: int, borders: Set[int]) -> list[Token]:
    """A word cut at the borders that lie inside; blanks inside a word stay with the piece before them."""
    pieces = [""]
    for letter in token.form:
        if not letter.isspace():
            if start in borders and pieces[-1]:
                pieces.append("")
            start += 1
        pieces[-1] += letter
    forms = [piece.rstrip() for piece in pieces]
    spaces = [piece[len(form) :] for piece, form in zip(pieces, forms, strict=True)]
    spaces[-1] += token.space
    return [token._replace(form=form, space=space) for form, space in zip(forms, spaces, strict=True)]


def _with_sentences(doc: Document, of: Document) -> Document:
    if _sentence_ends(doc) == _sentence_ends(of) or not _can_be_cut(doc):
        return doc
    return doc.replace(sentences=tuple(Sentence(doc.tokens, s.start, s.end, s.id) for s in of.sentences))
