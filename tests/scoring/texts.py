"""Documents for scoring tests, written as short texts: `from scoring.texts import doc, score, expect`.

A text has words and brackets separated by spaces. "(a" opens a mention of entity a and ")a" closes it; "(a:2" marks
the second word as the head; "(a)" before a word is a mention of that word alone. "(a[1/2]" opens and ")a[1/2]" closes a
part of a discontinuous one. "@2:nsubj" is an empty node with these DEPS, "@" one without; "@2:nsubj#5" sets its number.
A word may have columns: "saw/VERB/0/root" has UPOS, HEAD and DEPREL.

>>> doc("(a:2 the cat )a saw (a) itself .").entities[0].mentions[0].positions
(0, 1)
"""

from __future__ import annotations

import re
import warnings
from fractions import Fraction

import pytest

from coindex.document import Document, Entity, Mention, Sentence, Token, Tokens
from coindex.scoring import Result, make_settings, score_documents

_OPEN = re.compile(r"\((\w+)(\[\d+/\d+\])?(?::(\d+))?(\)?)")
_CLOSE = re.compile(r"\)(\w+)(\[\d+/\d+\])?")
Number = float | Fraction


class _Builder:
    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self.sentences: list[tuple[int, int]] = []
        self.mentions: list[tuple[str, list[int], int | None]] = []
        self.open: list[tuple[str, str, int | None, int]] = []
        self.parts: dict[str, tuple[list[int], int | None]] = {}

    def sentence(self, text: str) -> None:
        start, words, minor = len(self.tokens), 0, 0
        single: list[tuple[str, int | None]] = []
        for piece in text.split():
            if match := _OPEN.fullmatch(piece):
                name, part, head, closed = match.groups()
                if closed:
                    single.append((name, None))
                else:
                    self.open.append((name, part or "", int(head) if head else None, len(self.tokens)))
                continue
            if match := _CLOSE.fullmatch(piece):
                self.close(match[1], match[2] or "")
                continue
            if piece.startswith("@"):
                deps, _, number = piece[1:].partition("#")
                minor = int(number) if number else minor + 1
                self.tokens.append(Token(f"{words}.{number or minor}", "_", deps=deps or "_"))
            else:
                words, minor = words + 1, 0
                form, _, columns = piece.partition("/")
                upos, _, rest = columns.partition("/")
                head_id, _, deprel = rest.partition("/")
                self.tokens.append(Token(str(words), form, upos=upos or "_", head=head_id or "_", deprel=deprel or "_"))
            self.mentions += [(name, [len(self.tokens) - 1], len(self.tokens) - 1) for name, _ in single]
            single = []
        self.sentences.append((start, len(self.tokens)))

    def close(self, name: str, part: str) -> None:
        index = max(i for i, (other, p, _, _) in enumerate(self.open) if (other, p) == (name, part))
        _, _, head, start = self.open.pop(index)
        positions = list(range(start, len(self.tokens)))
        if part:
            number, total = part.strip("[]").split("/")
            before, first_head = self.parts.pop(name, ([], head))
            positions, head = before + positions, first_head if before else head
            if number != total:
                self.parts[name] = positions, head
                return
        self.mentions.append((name, positions, None if head is None else positions[head - 1]))


def doc(*sentences: str, id: str | None = "d", ids: tuple[str, ...] | None = None) -> Document:
    """A document of these sentences."""
    builder = _Builder()
    for text in sentences:
        builder.sentence(text)
    tokens = Tokens(builder.tokens)
    entities: dict[str, list[Mention]] = {}
    for name, positions, head in builder.mentions:
        entities.setdefault(name, []).append(Mention(tokens, tuple(positions), head))
    names = ids or tuple(f"s{number}" for number in range(1, len(sentences) + 1))
    return Document(
        tokens,
        tuple(Sentence(tokens, *span, name) for span, name in zip(builder.sentences, names, strict=True)),
        tuple(Entity(name, tuple(mentions)) for name, mentions in entities.items()),
        id=id,
        shared_ids=True,
    )


def score(
    key: Document | list[Document],
    response: Document | list[Document],
    profile: str | None = None,
    *,
    quiet: bool = True,
    **options: object,
) -> Result:
    """Score documents; warnings are left out unless a test is about them."""
    keys = [key] if isinstance(key, Document) else key
    responses = [response] if isinstance(response, Document) else response
    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore")
        return score_documents(keys, responses, make_settings(profile, **options))  # type: ignore[arg-type]


def expect(result: Result, **wanted: tuple[Number, Number] | Number) -> None:
    """Compare metrics with (recall, precision), or with one number for both; F1 must be their harmonic mean."""
    for name, value in wanted.items():
        recall, precision = map(float, value if isinstance(value, tuple) else (value, value))
        found = result[name]
        assert (found.recall, found.precision) == pytest.approx((recall, precision), abs=1e-12), name
        if name != "blanc":
            both = recall + precision
            assert found.f1 == pytest.approx(2 * recall * precision / both if both else 0, abs=1e-12), name
