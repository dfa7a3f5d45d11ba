"""Align the tokens of a key and a response document.

The words of both documents share one numbering; a response for a different text is an error. A word is identified by
its sentence and its position in it. Empty nodes may differ; they are identified by their id read as a decimal number,
as in the official scorers: 2.1 and 2.10 are the same and come before 2.2.

Where mentions are given by characters (RU-EVAL), a reader splits words at the borders of mentions. A response that
marks half a word therefore has different words than the key, and its sentences may differ as well. For scoring,
`cut_alike` splits both documents at the borders of both and uses the sentences of the key. The pieces of a word keep
its columns; the longest piece of a head is the new head. A document with empty nodes, multiword tokens or a dependency
tree is never split.
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
"""The numbers of the words of a mention, in ascending order."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of the words of two documents in reading order; the same word has the same number."""

    key: Codes
    response: Codes
    size: int


def words_of(mention: Mention, codes: Codes) -> Words:
    """Return the numbers of the words of a mention."""
    if isinstance(codes, range):
        offset = codes.start
        return mention.positions if not offset else tuple(p + offset for p in mention.positions)
    return tuple(sorted({codes[position] for position in mention.positions}))


def number_words(key: Document | None, response: Document | None, offset: int, *, same: bool) -> Numbering:
    """Number the words of both sides from `offset`; if both are the `same`, simply by position."""
    if same:
        size = max(len(doc.tokens) for doc in (key, response) if doc is not None)
        codes = range(offset, offset + size)
        return Numbering(codes, codes, size)
    return _merge(key, response, offset)


def have_same_words(key: Document, response: Document) -> bool:
    """Return whether both have the same words and empty nodes in the same sentences."""
    mine, theirs = key.tokens, response.tokens
    if mine is theirs and key.sentences is response.sentences:
        return not _has_double_ids(key)
    if len(mine) != len(theirs) or mine.empty_positions != theirs.empty_positions:
        return False
    if [sentence.end for sentence in key.sentences] != [sentence.end for sentence in response.sentences]:
        return False
    if mine.forms != theirs.forms:
        return False
    ids, other_ids = ([token.id for token in tokens.empty_tokens.values()] for tokens in (mine, theirs))
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
        for side, own in zip(codes, places, strict=True):
            side += [number[place] for place in own]
        at += len(number)
    return Numbering(*codes, at - offset)


def sentences_of(doc: Document) -> tuple[Sentence, ...]:
    """Return the sentences of a document; a document without sentences is one sentence."""
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
    """Return whether there is no gap between the words."""
    return words[-1] - words[0] == len(words) - 1


def contains(words: Words, word: int) -> bool:
    """Return whether a word is among the words of a mention."""
    return words[0] <= word <= words[-1] and (is_contiguous(words) or word in words)


def is_inside(inner: Words, outer: Words) -> bool:
    """Return whether all words of a mention are words of another one."""
    if inner[0] < outer[0] or inner[-1] > outer[-1]:
        return False
    return is_contiguous(outer) or set(outer).issuperset(inner)


def common_words(first: Words, second: Words) -> int:
    """Return the number of words that both mentions have."""
    if is_contiguous(first) and is_contiguous(second):
        return max(0, min(first[-1], second[-1]) - max(first[0], second[0]) + 1)
    return len(set(first).intersection(second))


Locate = Callable[[Document, int], Place]
"""Returns the place of a token for messages: a file and line, or a sentence and word."""

Compared = Literal["words and empty nodes", "words", "nothing", "rows", "rows and zeros"]
"""What an official scorer compares before scoring; rows are those of a document, whatever its sentences."""


class MismatchError(ProblemError):
    """The response does not belong to this key.

    With `is_in_key`, messages state that the key contains what is expected; `against` names another reference instead.
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
        """Return the problem with `reference` instead of the key in its message."""
        return replace(self.problem, expected=self._as_in(reference), remedy=remedy, side=side)


def describe_place(doc: Document, position: int) -> Place:
    """Return the place of a token without its file: document, sentence and word."""
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
    """Check that two documents have the same text, and return whether their empty nodes are the same too.

    Without `strict`, only what the official scorer compares must be equal, and the rest of the longer of two sentences
    or documents is ignored.

    Raises:
        MismatchError: The documents differ.
    """
    if key.id != response.id:
        raise _id_error(key, response, locate)
    if compares in ("rows", "rows and zeros"):
        if strict:
            _check_rows(key, response, zeros=compares == "rows and zeros", locate=locate)
        return True
    if compares == "nothing" and not strict:
        return True
    same = have_same_words(key, response)
    for mine, theirs in zip(sentences_of(key), sentences_of(response), strict=False):
        _check_ids(mine, theirs, response, locate)
        if not same:
            _check_words(mine, theirs, response, strict=strict, empty_nodes=False, locate=locate)
            if compares == "words and empty nodes":  # up to the end of the shorter sentence, as in the official scorers
                _check_words(mine, theirs, response, strict=False, empty_nodes=True, locate=locate)
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


def _check_rows(key: Document, response: Document, *, zeros: bool, locate: Locate) -> None:
    """Check that two documents have the same rows: words, multiword tokens, and zeros if these are words too."""
    for mine, theirs in zip_longest(_list_rows(key, zeros=zeros), _list_rows(response, zeros=zeros)):
        if mine is not None and theirs is not None and mine[1] == theirs[1]:
            continue
        code = "missing-word" if theirs is None else "extra-word" if mine is None else "word-mismatch"
        raise _mismatch(
            locate(response, len(response.tokens) if theirs is None else theirs[0]),
            "the end of the document" if theirs is None else f"the word {quote(theirs[1])}",
            "the end of the document" if mine is None else f"the word {quote(mine[1])}",
            code=code,
        )


def _list_rows(doc: Document, *, zeros: bool) -> list[tuple[int, str]]:
    begins = {multiword.start: multiword.form for multiword in doc.tokens.multiwords}
    rows = []
    for position, form in enumerate(doc.tokens.forms):
        if position in begins:
            rows.append((position, begins[position]))
        if zeros or position not in doc.tokens.empty_positions:
            rows.append((position, form))
    return rows


_CUT = "the response may be truncated; complete it, or score it as it is with --no-strict (strict=False)"
_EXTRA = "remove what is not in the key, or ignore it with --no-strict (strict=False)"
_REMEDIES = {
    "document-mismatch": "the response must contain all documents of the key, in the same order and with the same ids",
    "sentence-id-mismatch": "the response must contain all sentences of the key, in order and with the same sent_id",
    "missing-sentences": _CUT,
    "extra-sentences": _EXTRA,
    "missing-word": _CUT,
    "extra-word": _EXTRA,
    "word-mismatch": "the response must be based on the text of the key, with the same tokens",
    "empty-node-mismatch": "crac22 and crac23 require the empty nodes of the key; with crac24 they may differ",
}


def _mismatch(place: Place, found: str, expected: str, *, code: str) -> MismatchError:
    return MismatchError("response", place, found, expected, _REMEDIES[code], code=code)


def _id_error(key: Document, response: Document, locate: Locate) -> MismatchError:
    return _mismatch(
        locate(response, 0),
        f"document {quote(response.id)}" if response.id is not None else "a document without an id",
        f"document {quote(key.id)}" if key.id is not None else "a document without an id,",
        code="document-mismatch",
    )


def _check_ids(mine: Sentence, theirs: Sentence, response: Document, locate: Locate) -> None:
    if mine.id != theirs.id and mine.id is not None and theirs.id is not None:
        place = locate(response, theirs.start)
        raise _mismatch(place, f"the sentence {quote(theirs.id)}", quote(mine.id), code="sentence-id-mismatch")


def _check_words(
    mine: Sentence, theirs: Sentence, response: Document, *, strict: bool, empty_nodes: bool, locate: Locate
) -> None:
    words = [token for token in mine.tokens if empty_nodes or not token.is_empty]
    places = [p for p in range(theirs.start, theirs.end) if empty_nodes or not response.tokens[p].is_empty]
    for word, place in zip_longest(words, places):
        token = None if place is None else response.tokens[place]
        if word is not None and token is not None:
            if word.form == token.form and (word.is_empty == token.is_empty or not strict):
                continue
        elif not strict:
            return
        raise _mismatch(
            locate(response, theirs.end - 1 if place is None else place),
            _describe_word(token, "no more words in this sentence"),
            _describe_word(word, "the end of the sentence"),
            code=_find_code(word, token),
        )


def _find_code(word: Token | None, other: Token | None) -> str:
    code = "word-mismatch"
    if any(token is not None and token.is_empty for token in (word, other)):
        code = "empty-node-mismatch"
    elif other is None:
        code = "missing-word"
    elif word is None:
        code = "extra-word"
    return code


def _describe_word(token: Token | None, otherwise: str) -> str:
    if token is None:
        return otherwise
    return f"the {'empty node' if token.is_empty else 'word'} {quote(token.form)}"


def cut_alike(key: Document, response: Document) -> tuple[Document, Document]:
    """Return both documents with the same words and sentences, or unchanged if their letters differ."""
    if _letters(key) != _letters(response) or _are_cut_alike(key, response):
        return key, response
    if key.tokens.empty_positions or response.tokens.empty_positions:
        return key, response
    borders = {*_ends(key), *_ends(response)}
    if any(len(doc.tokens) < len(borders) and not _can_be_cut(doc) for doc in (key, response)):
        return key, response
    key, response = (doc if len(doc.tokens) == len(borders) else _cut(doc, borders) for doc in (key, response))
    return key, _copy_sentences(response, key)


def _letters(doc: Document) -> str:
    return "".join("".join(doc.tokens.forms).split())


def _are_cut_alike(key: Document, response: Document) -> bool:
    return key.tokens.forms == response.tokens.forms and _sentence_ends(key) == _sentence_ends(response)


def _sentence_ends(doc: Document) -> list[int]:
    return [sentence.end for sentence in doc.sentences]


def _ends(doc: Document) -> list[int]:
    """Return the end of each word in characters, without white space."""
    return list(accumulate(len("".join(form.split())) for form in doc.tokens.forms))


def _can_be_cut(doc: Document) -> bool:
    return not doc.tokens.multiwords and all(token.head in ("_", "") for token in doc.tokens)


def _cut(doc: Document, borders: Set[int]) -> Document:
    """Return the document with its words split at these borders."""
    pieces = [_split(token, start, borders) for token, start in zip(doc.tokens, [0, *_ends(doc)], strict=False)]
    tokens = Tokens([piece for parts in pieces for piece in parts], prefix=doc.tokens.prefix)
    first = [0, *accumulate(map(len, pieces))]

    def move(mention: Mention) -> Mention:
        positions = tuple(new for old in mention.positions for new in range(first[old], first[old + 1]))
        head = mention.head
        if head is not None:
            head = max(range(first[head], first[head + 1]), key=lambda position: len(tokens[position].form))
        return Mention(tokens, positions, head, mention.attributes)

    return doc.replace(
        tokens=tokens,
        sentences=tuple(Sentence(tokens, first[s.start], first[s.end], s.id, s.speaker) for s in doc.sentences),
        entities=tuple(
            Entity(entity.id, tuple(map(move, entity.mentions)), entity.type, entity.kind, entity.attributes)
            for entity in doc.entities
        ),
        bridges=(),
        split_antecedents=(),
    )


def _split(token: Token, start: int, borders: Set[int]) -> list[Token]:
    """Split a word at the borders inside it; a space inside a word belongs to the piece before it."""
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


def _copy_sentences(doc: Document, of: Document) -> Document:
    if _sentence_ends(doc) == _sentence_ends(of) or not _can_be_cut(doc):
        return doc
    return doc.replace(sentences=tuple(Sentence(doc.tokens, s.start, s.end, s.id) for s in of.sentences))
