"""Checks of a sentence's ids and of its dependencies, where it has any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..errors import quote
from .documents import Document
from .findings import Finding, Severity
from .tokens import Token

NOT_GIVEN = "_"
ROOT = "0"


def check_sentence(doc: Document, index: int) -> Iterator[Finding]:
    """What is wrong with the ids of a sentence, else with its tree and its enhanced dependencies."""
    sentence = doc.sentences[index]
    tokens = sentence.tokens
    for offset, (token, expected) in enumerate(zip(tokens, _expected_ids(tokens), strict=True)):
        if token.id != expected:
            yield Finding(
                "error",
                f"token id {quote(token.id)}",
                expected,
                "number words 1, 2, … and empty nodes 1.1, 1.2, … after their word",
                position=sentence.start + offset,
                sentence=index,
            )
            return  # ids after it would be wrong too, and dependencies could not be followed
    for offset, severity, found, expected, remedy in _tree(tokens):
        yield Finding(severity, found, expected, remedy, sentence.start + offset, index)
    for offset, severity, found, expected, remedy in _enhanced(tokens):
        yield Finding(severity, found, expected, remedy, sentence.start + offset, index)


_Found = tuple[int, Severity, str, str, str]


def _expected_ids(tokens: tuple[Token, ...]) -> Iterator[str]:
    word = empty = 0
    for token in tokens:
        if token.is_empty:
            empty += 1
            yield f"{word}.{empty}"
        else:
            word += 1
            empty = 0
            yield str(word)


def _tree(tokens: tuple[Token, ...]) -> Iterator[_Found]:
    words = [(offset, token) for offset, token in enumerate(tokens) if not token.is_empty]
    if all(token.head == NOT_GIVEN for _, token in words):
        return
    known = {token.id for _, token in words} | {ROOT}
    is_whole = True
    for offset, token in words:
        if token.head == NOT_GIVEN:
            is_whole = False
            yield offset, "warning", f"word {token.id} without HEAD", "one, as other words have", "add it"
        elif token.head not in known:
            is_whole = False
            expected = f"0 to {len(words)}"
            yield offset, "error", f"HEAD {quote(token.head)}", expected, "correct it"
    if is_whole:
        yield from _shape(words)


def _shape(words: list[tuple[int, Token]]) -> Iterator[_Found]:
    offsets = {token.id: offset for offset, token in words}
    cycle = _cycle({token.id: token.head for _, token in words})
    if cycle:
        found = f"words that depend on each other in a circle, {quote(' → '.join(cycle))}"
        yield offsets[cycle[0]], "error", found, "a tree", "correct one of their HEADs"
    roots = [token.id for _, token in words if token.head == ROOT]
    if len(roots) > 1:
        found = f"{len(roots)} roots, {quote(', '.join(roots))}"
        yield offsets[roots[1]], "warning", found, "one word with HEAD 0", "let the others depend on it"
    if not roots:
        yield words[0][0], "warning", "no root", "one word with HEAD 0", "correct the HEAD of the main word"


def _cycle(parents: Mapping[str, str]) -> list[str]:
    """The first circle of a sentence, its first word at both ends; none if every way leads to the root."""
    safe = {ROOT}
    for start in parents:
        path: dict[str, None] = {}
        at = start
        while at not in safe and at not in path:
            path[at] = None
            at = parents[at]
        if at in path:
            way = list(path)
            return [*way[way.index(at) :], at]
        safe.update(path)
    return []


def _enhanced(tokens: tuple[Token, ...]) -> Iterator[_Found]:
    known = {token.id for token in tokens} | {ROOT}
    for offset, token in enumerate(tokens):
        if token.deps == NOT_GIVEN:
            continue
        for arc in token.deps.split("|"):
            parent, colon, relation = arc.partition(":")
            expected = ""
            if not (parent and colon and relation):
                expected = "PARENT:RELATION, joined by |"
            elif parent not in known:
                expected = "a parent in the same sentence"
            elif parent == token.id:
                expected = "another parent than the word itself"
            if expected:
                yield offset, "error", f"DEPS {quote(arc)}", expected, "correct it"
