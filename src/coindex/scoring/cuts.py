"""Two versions of one text whose words are cut differently, cut alike.

Where mentions are given by characters (RU-EVAL), a reader cuts words at their borders, so a response that marks half a
word has other words than the key, and sentences may have been found in another way. For scoring, both get the borders
of both and the sentences of the key. Pieces keep the columns of their word; of a head that is cut the longest piece is
the head. A document with empty nodes, multiword tokens or a dependency tree is never cut.
"""

from __future__ import annotations

from collections.abc import Set
from itertools import accumulate

from ..document import Document, Entity, Mention, Sentence, Token, Tokens


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
