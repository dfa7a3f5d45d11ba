"""Count what a format cannot represent of a document, so that no loss is silent."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from ..document import Document, Entity, Mention, Span, Token
from ..document.entities import DEIXIS, TYPE_PROBABILITY
from ..document.tokens import PROTECTED
from ..errors import LossWarning
from .surface import surface

_PLAIN = Token("", "")[2:10]
_MARKED = re.compile(rf"{PROTECTED}=[a-z]+")


def _has_columns(token: Token) -> bool:
    """Return whether a token has values in its columns other than those that reading raw text sets."""
    return token[2:10] != _PLAIN and (token[2:9] != _PLAIN[:7] or not _MARKED.fullmatch(token.misc))


def _mentions(doc: Document, test: Callable[[Mention], bool]) -> int:
    return sum(test(mention) for entity in doc.entities for mention in entity.mentions)


def _entities(doc: Document, test: Callable[[Entity], object]) -> int:
    return sum(bool(test(entity)) for entity in doc.entities)


def _is_discontinuous(mention: Mention) -> bool:
    return not mention.is_contiguous and len(mention.char_spans) > 1


def self_crossing(entity: Entity) -> list[Mention]:
    """Return the contiguous mentions that cross another mention of the same entity."""
    mentions = [mention for mention in entity.mentions if mention.is_contiguous]
    crossing = set(_find_crossing({(mention.start, mention.end) for mention in mentions}))
    return [mention for mention in mentions if (mention.start, mention.end) in crossing]


def _find_crossing(spans: Iterable[Span]) -> list[Span]:
    """Return the spans that cross an earlier one: plain brackets of one id would be read as nested."""
    crossing: list[Span] = []
    before: list[Span] = []
    furthest = 0
    for start, end in sorted(spans):
        if start < furthest:  # only then can it cross anything
            before = [span for span in before if span[1] > start]
            if any(span[0] < start < span[1] < end for span in before):
                crossing.append((start, end))
                continue
        furthest = max(furthest, end)
        before.append((start, end))
    return crossing


def _self_crossing(doc: Document) -> int:
    """Count by the spans that are written: the rest of a discontinuous mention may cross another mention too."""
    return sum(bool(_find_crossing(spans)) for _, spans in surface(doc).entities)


def _crossing_sentences(doc: Document) -> int:
    index = doc.sentence_index
    return _mentions(doc, lambda m: len(m.positions) > 1 and index(m.positions[0]) != index(m.positions[-1]))


def _zeros(doc: Document) -> int:
    return _mentions(doc, lambda m: m.is_zero) if doc.tokens.empty_positions else 0


def _with_extra_columns(doc: Document) -> int:
    tokens = doc.tokens
    return sum(bool(token.extra) for token in tokens) + sum(bool(multiword.extra) for multiword in tokens.multiwords)


def _count_lost_spaces(doc: Document) -> int:
    """Count spaces between the words of a sentence that are lost; multiword tokens count as they are written."""
    tokens, empty = doc.tokens, doc.tokens.empty_positions
    spaces = {position: token.space for position, token in enumerate(tokens) if position not in empty}
    for multiword in tokens.multiwords:
        for position in range(multiword.start, multiword.end):
            spaces.pop(position, None)
        spaces[multiword.end - 1] = multiword.space
    for sentence in doc.sentences:
        last = next((p for p in range(sentence.end - 1, sentence.start - 1, -1) if p in spaces), None)
        if last is not None:
            del spaces[last]
    return sum(space != " " for space in spaces.values())


# name -> (what is lost, how many of them a document has)
FEATURES: dict[str, tuple[str, Callable[[Document], int]]] = {
    "spaces": ("places where tokens are not separated by one space", _count_lost_spaces),
    "columns": ("tokens with UD columns", lambda doc: sum(map(_has_columns, doc.tokens))),
    "extra-columns": ("tokens with columns beyond the ten of CoNLL-U", _with_extra_columns),
    "multiwords": ("multiword tokens", lambda doc: len(doc.tokens.multiwords)),
    "sentences": ("sentence boundaries", lambda doc: max(0, len(doc.sentences) - 1)),
    "speakers": ("sentences with a speaker", lambda doc: sum(s.speaker is not None for s in doc.sentences)),
    "zeros": ("zero mentions", _zeros),
    "discontinuous": ("discontinuous mentions", lambda doc: _mentions(doc, _is_discontinuous)),
    "self-crossing": (
        "entities whose mentions cross each other",
        _self_crossing,
    ),
    "cross-sentence": ("mentions that cross a sentence boundary", _crossing_sentences),
    "entities": ("entities", lambda doc: len(doc.entities)),
    "heads": ("mention heads", lambda doc: _mentions(doc, lambda m: m.head is not None and len(m) > 1)),
    "attributes": ("mentions with attributes", lambda doc: _mentions(doc, lambda m: bool(m.attributes))),
    "types": ("entity types", lambda doc: _entities(doc, lambda e: e.type)),
    "events": ("events, written as entities", lambda doc: _entities(doc, lambda e: e.kind == "event")),
    "entity-attributes": (
        "entities with attributes",
        lambda doc: _entities(doc, lambda e: e.attributes.keys() - {TYPE_PROBABILITY, DEIXIS}),
    ),
    "deixis": ("entities of discourse deixis, written as identity", lambda doc: _entities(doc, lambda e: e.is_deixis)),
    "bridging": ("bridging relations", lambda doc: len(doc.bridges)),
    "split-antecedents": ("split antecedents", lambda doc: len(doc.split_antecedents)),
    "topics": ("documents with a topic", lambda doc: int(doc.topic is not None)),
    "genre": ("documents with a genre", lambda doc: int(doc.genre is not None)),
}


def count_losses(doc: Document, carries: frozenset[str]) -> Counter[str]:
    """Return how many of each feature of the document a format with these abilities cannot represent."""
    return Counter({name: count(doc) for name, (_, count) in FEATURES.items() if name not in carries})


def watch_losses(docs: Iterable[Document], carries: frozenset[str], format_name: str) -> Iterator[Document]:
    """Pass documents through to a writer, and warn at the end about what it could not represent."""
    losses: Counter[str] = Counter()
    for doc in docs:
        losses += count_losses(doc, carries)
        yield doc
    warn_losses(format_name, losses, {name: what for name, (what, _) in FEATURES.items()})


def warn_losses(format_name: str, losses: Counter[str], descriptions: Mapping[str, str]) -> None:
    """Warn once about what a writer could not represent; the field `lost` of `details` has the numbers by name."""
    lost = {name: number for name, number in losses.items() if number}
    if lost:
        what = "; ".join(f"{number} {descriptions[name]}" for name, number in lost.items())
        message = f"{format_name} cannot represent: {what}"
        warnings.warn(LossWarning(message, details={"lost": lost}), stacklevel=3)
