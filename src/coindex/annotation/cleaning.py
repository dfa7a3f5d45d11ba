"""Clean raw text and find near-duplicates before annotation, as PreCo did (Chen et al. 2018, section 3.1).

Three rules clean a text. They never cut a word of a mention or break a dependency tree.

- `words`: two English words without a space between them ("inthe") are split. PreCo used a spell checker; here a word
  that is not in the vocabulary of the English model is split if one half is a common short word and both halves occur
  in the text. Capitalised words are kept.
- `blanks`: a full stop directly before a word ("home.Then") gets a space, and the sentence ends there.
- `quotes`: an opening quotation mark moves to the sentence that it opens, a closing one to the sentence that it closes.
  The spaces around it, or otherwise its form, show which it is; ambiguous straight quotes are kept.

Two documents are near-duplicates if max(|S1∩S2| / |S1|, |S1∩S2| / |S2|) of their bags of words is above a threshold.
Words count as often as they occur. The shorter document is dropped.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib import resources
from itertools import accumulate
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..document import Document, Entity, Mention, Multiword, Sentence, Token, Tokens
from ..errors import CoindexError, UnknownNameError

Items = NDArray[np.int32]
"""A bag as sorted numbers, one for each word and occurrence, so that bags are sets."""
THRESHOLD = Fraction(9, 10)
# The index finds exactly the pairs that comparing all pairs would find. If a bag has s words, of which more than t·s
# must be common, at most d may be missing; so of its d + k rarest words at least k are in the other bag, for every k.
# Only these rare words are indexed, larger bags look up all their words, and pairs with enough hits are compared.
EXTRA = 8
"""How many more hits are required than the minimum, at the cost of as many more indexed words."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two near-duplicates by their numbers: the shorter one (of equal ones the later) is dropped."""

    dropped: int
    kept: int
    common: int
    """The number of common words."""
    size: int
    """The number of words of the shorter one."""

    @property
    def similarity(self) -> float:
        return self.common / self.size


def parse_threshold(text: str) -> Fraction:
    """Parse a threshold exactly, without the rounding of binary fractions."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError) as error:
        raise CoindexError(
            f"threshold {text!r} is not a number; give one from 0 up to but not including 1, such as 0.9",
            code="invalid-option",
        ) from error
    if not 0 <= value < 1:
        raise CoindexError(
            f"threshold {text} is out of range; give one from 0 up to but not including 1, such as 0.9",
            code="invalid-option",
        )
    return value


def bag_words(doc: Document) -> Iterator[str]:
    """Yield the words of a document, without empty nodes."""
    empty = doc.tokens.empty_positions
    return (form for position, form in enumerate(doc.tokens.forms) if position not in empty)


class Bags:
    """Bags of words, stored as numbers; the documents themselves are not stored."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, int], int] = {}
        self._bags: list[Items] = []

    def add(self, words: Iterable[str]) -> None:
        """Add a bag."""
        numbers = self._numbers
        duplicates = [
            numbers.setdefault((word, times), len(numbers))
            for word, many in Counter(words).items()
            for times in range(many)
        ]
        self._bags.append(np.sort(np.array(duplicates, dtype=np.int32)))

    def add_document(self, doc: Document) -> None:
        """Add the words of a document, without empty nodes."""
        self.add(bag_words(doc))

    def __len__(self) -> int:
        return len(self._bags)

    def duplicates(self, threshold: Fraction = THRESHOLD) -> Iterator[Duplicate]:
        """Yield all pairs with a similarity above the threshold, relative to the size of the shorter one."""
        order = sorted(range(len(self)), key=lambda number: (len(self._bags[number]), -number))
        order = [number for number in order if len(self._bags[number])]
        index = _Index([self._bags[number] for number in order], len(self._numbers), threshold)
        for larger in range(len(order)):
            for smaller, common in index.smaller_ones(larger):
                yield Duplicate(order[smaller], order[larger], common, len(index.bags[smaller]))


class _Index:
    """An index of bags by their rarest words; bags are numbered from the smallest to the largest."""

    def __init__(self, bags: Sequence[Items], words: int, threshold: Fraction) -> None:
        sizes = np.array([len(bag) for bag in bags], dtype=np.int64)
        self.bags = bags
        self.least = sizes * threshold.numerator // threshold.denominator + 1
        """Return how many words must be common."""
        missing = sizes - self.least
        indexed = np.minimum(sizes, 2 * missing + EXTRA)
        self.hits = indexed - missing
        """Return how many of the indexed words must be common."""
        frequency = np.bincount(np.concatenate(bags), minlength=words) if bags else np.zeros(words, dtype=np.int64)
        rare = [bag[np.lexsort((bag, frequency[bag]))[:many]] for bag, many in zip(bags, indexed.tolist(), strict=True)]
        flat = np.concatenate(rare) if bags else np.zeros(0, dtype=np.int32)
        owners = np.repeat(np.arange(len(bags), dtype=np.int32), indexed)
        by_word = np.argsort(flat, kind="stable")
        self.owners = owners[by_word]
        self.starts = np.searchsorted(flat[by_word], np.arange(words + 1))

    def smaller_ones(self, larger: int) -> list[tuple[int, int]]:
        """Return the smaller bags that overlap this one enough, and the number of common words."""
        if not larger:
            return []
        bag = self.bags[larger]
        starts, ends = self.starts[bag], self.starts[bag + 1]
        changes = [
            self.owners[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True) if end > start
        ]
        if not changes:
            return []
        counts = np.bincount(np.concatenate(changes), minlength=larger)[:larger]
        pairs = []
        for smaller in np.flatnonzero(counts >= self.hits[:larger]).tolist():
            common = len(np.intersect1d(self.bags[smaller], bag, assume_unique=True))
            if common >= self.least[smaller]:
                pairs.append((smaller, common))
        return pairs


def rebuild(doc: Document, words: Sequence[Token], places: Sequence[int], starts: Sequence[int]) -> Document:
    """Return the document with new words and sentence starts; `places` maps old words to their new positions."""
    bounds = list(zip(starts, [*starts[1:], len(words)], strict=True))
    numbered = []
    for start, end in bounds:
        plain = not any(word.head not in ("_", "") or word.is_empty for word in words[start:end])
        numbered += [
            word._replace(id=str(number)) if plain else word for number, word in enumerate(words[start:end], 1)
        ]
    layer = Tokens(
        numbered, multiwords=[_move_multiword(each, places) for each in doc.tokens.multiwords], prefix=doc.tokens.prefix
    )
    old = {places[sentence.start]: sentence for sentence in doc.sentences}
    sentences = []
    last = doc.sentences[0]
    for start, end in bounds:
        same = old.get(start)
        last = same or last
        comments = same.comments if same is not None else ()
        sentences.append(Sentence(layer, start, end, same.id if same is not None else None, last.speaker, comments))

    def move_mention(mention: Mention) -> Mention:
        head = None if mention.head is None else places[mention.head]
        return Mention(layer, tuple(places[position] for position in mention.positions), head, mention.attributes)

    return doc.replace(
        tokens=layer,
        sentences=tuple(sentences),
        entities=tuple(
            Entity(entity.id, tuple(map(move_mention, entity.mentions)), entity.type, entity.kind, entity.attributes)
            for entity in doc.entities
        ),
        bridges=tuple(replace(bridge, anaphor=move_mention(bridge.anaphor)) for bridge in doc.bridges),
        split_antecedents=tuple(replace(split, anaphor=move_mention(split.anaphor)) for split in doc.split_antecedents),
        origin=None,
    )


def _move_multiword(multiword: Multiword, places: Sequence[int]) -> Multiword:
    return replace(multiword, start=places[multiword.start], end=places[multiword.end - 1] + 1)


LEAST = 4
"""Characters of a word that may be two."""


def _split_words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_SMALL = _split_words(
    """the and his its their this that these those was were are has had have will would could should but which because
    they she you your"""
)
"""Function words that are rarely part of another word: one of them is enough for a split."""
_SHORT = _split_words(
    "of he it we is her our my not who what when then there with from in on to at by for as an be or if so"
)
"""Function words that are often part of other words: split only next to one of those above."""


def split_form(form: str, words: Collection[str]) -> tuple[str, str] | None:
    """Return the two words that a form consists of, or None; `words` are those of the text in lower case."""
    if len(form) < LEAST or not form.isascii() or not form.islower() or not form.isalpha() or form in vocabulary():
        return None
    changes = [
        (form[:at], form[at:])
        for at in range(1, len(form))
        if form[:at] in words and form[at:] in words and _may_meet(form[:at], form[at:])
    ]
    return changes[0] if len(changes) == 1 else None  # of two ways to read it, neither


def _may_meet(left: str, right: str) -> bool:
    known = vocabulary()
    if left in _SMALL:
        return right in _SMALL | _SHORT or (right in known and len(right) > 2)
    return right in _SMALL and (left in _SHORT or (left in known and len(left) > 2))


@cache
def vocabulary() -> frozenset[str]:
    """Return the whole words in the vocabulary of the English model, about twenty thousand."""
    text = resources.files("coindex").joinpath("models", "en-small", "tokenizer.json").read_text(encoding="utf-8")
    return frozenset(word for word in json.loads(text)["model"]["vocab"] if word.isalpha())


Rule = Literal["words", "blanks", "quotes"]
RULES: tuple[Rule, ...] = ("words", "blanks", "quotes")
WIDTH = 3
"""How many words of context a change shows on either side."""
_GLUED = re.compile(r"(?<=[^\W\d_]{2})([.!?…]+)([\"'”’»)]*)(?=[\"'“‘«(]?[^\W\d_]{2})")
_ADDRESS = re.compile(r"[@/\\]|www\.|\.(?:com|org|net|edu|gov|[a-z]{2})\b", re.IGNORECASE)
_STOP = re.compile(r"[.!?…]+")
_OPENING = frozenset(["“", "‘", "«", "``", "„", "‚"])
_CLOSING = frozenset(["”", "’’", "''", "»"])
_QUOTES = _OPENING | _CLOSING | {'"', "'", "’"}


@dataclass(frozen=True, slots=True)
class Change:
    """A change: the rule, the number of the sentence from 0, and the text before and after."""

    rule: Rule
    sentence: int
    before: str
    after: str


def clean(doc: Document, rules: Collection[str] = RULES) -> tuple[Document, list[Change]]:
    """Return the cleaned document and the changes by rule; positions refer to the new text."""
    for rule in rules:
        if rule not in RULES:
            raise UnknownNameError("rule", rule, RULES)
    changes: list[Change] = []
    for rule, apply_rule in (("words", _with_words), ("blanks", _with_spaces), ("quotes", _with_quotes)):
        if rule in rules:
            doc, more = apply_rule(doc)
            changes += more
    return doc, changes


def _uncut(doc: Document) -> set[int]:
    """Return the positions of words that are never split: in mentions, multiword tokens, trees, and empty nodes."""
    mentioned = {position for mention, _ in doc.mentions() for position in mention.positions}
    for multiword in doc.tokens.multiwords:
        mentioned.update(range(multiword.start, multiword.end))
    mentioned.update(at for at, token in enumerate(doc.tokens) if token.head not in ("_", "") or token.is_empty)
    return mentioned


# --- words


def _with_words(doc: Document) -> tuple[Document, list[Change]]:
    if doc.language not in (None, "en"):
        return doc, []
    words = {token.form.lower() for token in doc.tokens}
    whole = _uncut(doc)
    pieces: list[list[Token]] = []
    changes = []
    for position, token in enumerate(doc.tokens):
        halves = None if position in whole else split_form(token.form, words)
        if halves is None:
            pieces.append([token])
            continue
        bare = Token(token.id, halves[0], space=" ")
        pieces.append([bare, bare._replace(form=halves[1], space=token.space)])
        before, after = doc.tokens[max(position - WIDTH, 0) : position], doc.tokens[position + 1 : position + 1 + WIDTH]
        text = [_text([*before, *tokens, *after]) for tokens in ([token], pieces[-1])]
        changes.append(Change("words", doc.sentence_index(position), *text))
    if not changes:
        return doc, []
    places = [0, *accumulate(map(len, pieces))]
    starts = [places[sentence.start] for sentence in doc.sentences]
    return rebuild(doc, [piece for tokens in pieces for piece in tokens], places, starts), changes


# --- blanks


def _with_spaces(doc: Document) -> tuple[Document, list[Change]]:
    pieces = _cut_words(doc)
    starts = [0, *accumulate(map(len, pieces))]
    words = [piece for tokens in pieces for piece in tokens]
    borders = {starts[sentence.start] for sentence in doc.sentences}
    ends = _stops(words, doc, starts)
    if not ends:
        return doc, []
    changes = []
    for position in sorted(ends):
        before, after = words[: position + 1], words[position + 1 :]
        left, right = _text(before[-WIDTH:]), _text(after[:WIDTH])
        number = sum(1 for sentence in doc.sentences if starts[sentence.start] <= position) - 1
        changes.append(Change("blanks", number, (left + right).strip(), f"{left} {right}".strip()))
    words = [word._replace(space=" ") if position in ends else word for position, word in enumerate(words)]
    return rebuild(doc, words, starts, sorted(borders | {position + 1 for position in ends})), changes


def _cut_words(doc: Document) -> list[list[Token]]:
    """Split words that contain the end of a sentence."""
    whole = _uncut(doc)
    changes = []
    for position, token in enumerate(doc.tokens):
        glued = None if position in whole else _GLUED.search(token.form)
        if glued is None or _ADDRESS.search(token.form) or not _begins(token.form[glued.end() :]):
            changes.append([token])
            continue
        forms = [token.form[: glued.start()], glued[1], *glued[2], *_words(token.form[glued.end() :])]
        bare = Token(token.id, "", space="")
        changes.append([bare._replace(form=form) for form in forms[:-1]])
        changes[-1].append(bare._replace(form=forms[-1], space=token.space))
    return changes


def _words(rest: str) -> list[str]:
    """Split the text after a stop: an opening quote or bracket is separate from the word."""
    return [rest] if rest[0].isalpha() else [rest[0], rest[1:]]


def _begins(text: str) -> bool:
    """Return whether a sentence can start with the text: an upper-case and a lower-case letter."""
    bare = text.lstrip("\"'“‘«(")
    return bare[:1].isupper() and bare[1:2].islower()


def _stops(words: Sequence[Token], doc: Document, starts: Sequence[int]) -> set[int]:
    """Return the positions after which a space is missing: a stop, with or without closing quotes, before a capital."""
    inside = _find_crossed(doc, starts)
    vocabulary_words = set()
    for position, word in enumerate(words[:-1]):
        if not _STOP.fullmatch(word.form) or position == 0 or word.is_empty:
            continue
        before = words[position - 1]
        end = position
        while end + 1 < len(words) and words[end].space == "" and words[end + 1].form in _CLOSING | {'"', "’"}:
            end += 1
        if end + 1 >= len(words) or words[end].space != "" or end + 1 in inside:
            continue
        opens = words[end + 1].form in _OPENING and end + 2 < len(words)
        following = words[end + 2].form if opens else words[end + 1].form
        if len(before.form) > 1 and before.form[-2:].isalpha() and before.form[-1].islower() and _begins(following):
            vocabulary_words.add(end)
    return vocabulary_words


def _find_crossed(doc: Document, starts: Sequence[int]) -> set[int]:
    """Return positions before which no sentence can end: inside mentions, trees and multiword tokens."""
    positions: set[int] = set()
    spans = [(mention.start, mention.end) for mention, _ in doc.mentions()]
    spans += [(multiword.start, multiword.end) for multiword in doc.tokens.multiwords]
    spans += [(sentence.start, sentence.end) for sentence in doc.sentences if _has_tree(sentence)]
    for start, end in spans:
        positions.update(range(starts[start] + 1, starts[end]))
    return positions


def _has_tree(sentence: Sentence) -> bool:
    return any(token.head not in ("_", "") or token.is_empty for token in sentence.tokens)


def _text(words: Sequence[Token]) -> str:
    """Return words on one line."""
    return " ".join("".join(word.form + word.space for word in words).split())


# --- quotes


def _with_quotes(doc: Document) -> tuple[Document, list[Change]]:
    """Move sentence borders over quotes; a sentence that is only a quote joins its neighbour."""
    borders = [sentence.start for sentence in doc.sentences][1:]
    crossed = _find_crossed(doc, range(len(doc.tokens) + 1))
    changes: list[Change] = []
    moved: list[int] = []
    for number, border in enumerate(borders):
        target = border
        low = moved[-1] if moved else doc.sentences[number].start
        high = doc.sentences[number + 1].end
        while target < high and _side(doc.tokens, target) == "closes":
            target += 1
        while border >= target > low and _side(doc.tokens, target - 1) == "opens":
            target -= 1
        whole = any(_has_tree(sentence) for sentence in doc.sentences[number : number + 2])
        if target != border and not whole and target not in crossed:
            changes.append(_quote_change(doc, number, border, target))
            moved.append(target)
        else:
            moved.append(border)
    if not changes:
        return doc, []
    return rebuild(doc, list(doc.tokens), range(len(doc.tokens) + 1), _starts([0, *moved], doc)), changes


def _starts(borders: Sequence[int], doc: Document) -> list[int]:
    """Return each border once, without one after the last word."""
    return [border for border in sorted(set(borders)) if border < len(doc.tokens)]


def _quote_change(doc: Document, number: int, border: int, target: int) -> Change:
    tokens = doc.tokens
    start, end = max(min(border, target) - WIDTH, 0), max(border, target) + WIDTH
    before = _text(tokens[start:border]) + " ‖ " + _text(tokens[border:end])
    after = _text(tokens[start:target]) + " ‖ " + _text(tokens[target:end])
    return Change("quotes", number, before, after)


def _side(tokens: Tokens, position: int) -> str | None:
    """Return whether a quote opens or closes; None for other words and unclear cases."""
    token = tokens[position]
    if token.form not in _QUOTES:
        return None
    space_before = position == 0 or tokens[position - 1].space != ""
    space_after = token.space != ""
    if space_before != space_after:
        return "opens" if space_before else "closes"
    if token.form in _OPENING:
        return "opens"
    return "closes" if token.form in _CLOSING else None
