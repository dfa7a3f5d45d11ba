"""A document as the editor in the browser gets it: what can be seen and edited there, and nothing else.

Entities and relations are as `store.packing` has them. Of the words there are the forms and where no blank follows;
of empty nodes all columns, since an edit may take one out and another put it back. `frontend/src/payload.ts` reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from ..document import Document, Sentence, Token, Tokens
from ..render.layout import is_paragraph
from ..store.packing import pack

Payload = dict[str, Any]
_DEFAULTS = Token("", "")._asdict()


def payload(doc: Document) -> Payload:
    """The document as what JSON can say."""
    tokens = doc.tokens
    data = pack(doc.replace(tokens=Tokens(), sentences=(), columns=()))
    data["forms"] = tokens.forms
    ids = [token.id for token in tokens]
    if all(ids[sentence.start : sentence.end] == _plain_ids(sentence) for sentence in doc.sentences):
        del data["ids"]
    else:
        data["ids"] = ids
    spaces = [token.space for token in tokens]
    for multiword in tokens.multiwords:  # its last word has the blank of the whole
        spaces[multiword.end - 1] = multiword.space
    zeros = tokens.empty_positions
    data["zeros"] = sorted(zeros)
    data["joined"] = [at for at, space in enumerate(spaces) if not space and at not in zeros]
    data["multiwords"] = [[multiword.start, multiword.end, multiword.form] for multiword in tokens.multiwords]
    data["columns"] = [[at, columns] for at in _beside(doc) if (columns := _columns(tokens[at]))]
    data["sentences"] = list(_sentences(doc, spaces))
    return data


@cache
def _numbers(length: int) -> list[str]:
    return [str(number) for number in range(1, length + 1)]


def _plain_ids(sentence: Sentence) -> list[str]:
    """The ids as they are nearly everywhere: words count from 1 in each sentence, empty nodes after their word."""
    zeros = sentence.layer.empty_positions
    if not zeros:
        return _numbers(len(sentence))
    ids = []
    word = zero = 0
    for at in range(sentence.start, sentence.end):
        word, zero = (word, zero + 1) if at in zeros else (word + 1, 0)
        ids.append(f"{word}.{zero}" if zero else str(word))
    return ids


def _beside(doc: Document) -> list[int]:
    """The positions in sentences with empty nodes: of others no column is needed."""
    with_zeros = sorted({doc.sentence_index(zero) for zero in doc.tokens.empty_positions})
    return [at for number in with_zeros for at in range(doc.sentences[number].start, doc.sentences[number].end)]


def _columns(token: Token) -> dict[str, Any]:
    """All that an empty node says beside its form; of a word its parents, where an empty node is among them."""
    if token.is_empty:
        rest = token._replace(extra=())._asdict().items()
        said = {name: value for name, value in rest if name not in ("id", "form") and value != _DEFAULTS[name]}
        return said | ({"extra": dict(token.extra)} if token.extra else {})
    if "." in token.head or "." in token.deps:  # only then may it hold an empty node in its place
        return {"head": token.head, "deps": token.deps}
    return {}


def _sentences(doc: Document, spaces: Sequence[str]) -> Iterator[list[Any]]:
    """Of each its borders, 1 where a paragraph opens, and who speaks, if that is known."""
    zeros = doc.tokens.empty_positions
    before = ""
    for sentence in doc.sentences:
        values: list[Any] = [sentence.start, sentence.end, int(is_paragraph(sentence.start, before, sentence))]
        yield values if sentence.speaker is None else [*values, sentence.speaker]
        words = (at for at in range(sentence.end - 1, sentence.start - 1, -1) if at not in zeros)
        before = next((spaces[at] for at in words), before)
