"""Documents from texts with brackets around mentions: `from marked_text import marked`.

    [Alice|a] lost [[her|a] book|b].

The name after the bar is the entity. `tagged` takes words with tags instead, one a line.
"""

from __future__ import annotations

from coindex.document import Document, Entity, Sentence, Token, Tokens
from coindex.document.edits import canonical


def marked(text: str, *, language: str | None = "en", **fields: object) -> Document:
    """A document of raw text: tokens are found, there are no tags."""
    plain, spans, opened = "", [], []
    at = 0
    while at < len(text):
        if text[at] == "[":
            opened.append(len(plain))
        elif text[at] == "|":
            end = text.index("]", at)
            spans.append((opened.pop(), len(plain), text[at + 1 : end]))
            at = end
        else:
            plain += text[at]
        at += 1
    cuts = [offset for start, end, _ in spans for offset in (start, end)]
    doc = Document.from_text(plain, language=language, cuts=cuts, **fields)  # type: ignore[arg-type]
    found: dict[str, list[object]] = {}
    for start, end, name in spans:
        found.setdefault(name, []).append(doc.mention(doc.tokens.positions_in(start, end)))
    return canonical(doc.replace(entities=tuple(Entity(name, tuple(ms)) for name, ms in found.items())))  # type: ignore[arg-type]


def tagged(rows: str, *, language: str | None = "en", **fields: object) -> Document:
    """A document from lines "FORM UPOS HEAD DEPREL FEATS MARKS": marks such as (a or a) or (a).

    A blank line ends a sentence. A form that ends in ~ has no blank after it; one that begins with ∅ is an empty node.
    """
    words: list[Token] = []
    lengths: list[int] = []
    opened: dict[str, list[int]] = {}
    found: dict[str, list[range]] = {}
    for block in rows.strip().split("\n\n"):
        number = empty = 0
        for row in block.split("\n"):
            form, upos, head, deprel, feats, *marks = row.split()
            if form.startswith("∅"):
                empty += 1
                words.append(Token(f"{number}.{empty}", "_", upos=upos, feats=feats, deps=f"{head}:{deprel}"))
            else:
                number, empty = number + 1, 0
                space = "" if form.endswith("~") else " "
                words.append(Token(str(number), form.rstrip("~"), "_", upos, "_", feats, head, deprel, space=space))
            here = len(words) - 1
            for mark in marks:
                name = mark.strip("()")
                if mark.startswith("("):
                    opened.setdefault(name, []).append(here)
                if mark.endswith(")"):
                    found.setdefault(name, []).append(range(opened[name].pop(), here + 1))
        lengths.append(len(words) - sum(lengths))
    layer = Tokens(words)
    starts = [sum(lengths[:n]) for n in range(len(lengths))]
    sentences = tuple(Sentence(layer, start, start + n) for start, n in zip(starts, lengths, strict=True))
    doc = Document(layer, sentences, language=language, **fields)  # type: ignore[arg-type]
    entities = tuple(Entity(name, tuple(map(doc.mention, spans))) for name, spans in found.items())
    return canonical(doc.replace(entities=entities))
