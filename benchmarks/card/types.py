"""Scores by the type of mentions, with coindex's own scorer.

The scorer's metric `nominal` counts anaphors whose head is tagged as a noun. So for each type the heads of that type
are shown to it as nouns, on both sides, and all others as something else. Tags are those of the key, or a parser's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import coindex
from coindex import Document, Entity, Mention, Sentence, Token
from coindex.document import Tokens
from coindex.document.heads import find_heads
from coindex.training.card import Anaphors

FIRST = "i me my mine myself we us our ours ourselves"
SECOND = "you your yours yourself yourselves"
THIRD = "he him his himself she her hers herself they them their theirs themselves themself"
SPEAKERS = frozenset(f"{FIRST} {SECOND}".split())
PERSONS = frozenset(THIRD.split())
THINGS = frozenset({"it", "its", "itself"})
DEMONSTRATIVES = frozenset({"this", "that", "these", "those"})


def pronoun(forms: frozenset[str]) -> Callable[[Token], bool]:
    return lambda token: token.upos == "PRON" and token.form.lower() in forms


def tag(*tags: str) -> Callable[[Token], bool]:
    return lambda token: token.upos in tags


TYPES: dict[str, Callable[[Token], bool]] = {
    "pronoun": tag("PRON"),
    "pronoun: I, we, you": pronoun(SPEAKERS),
    "pronoun: he, she, they": pronoun(PERSONS),
    "pronoun: it": pronoun(THINGS),
    "pronoun: this, that": pronoun(DEMONSTRATIVES),
    "name": tag("PROPN"),
    "nominal": tag("NOUN"),
    "other (clauses, numbers …)": lambda token: not token.is_empty and token.upos not in ("PRON", "PROPN", "NOUN"),
}


def on_tokens(doc: Document, tokens: Tokens) -> Document:
    """Return the document with other columns; positions stay."""
    sentences = tuple(Sentence(tokens, s.start, s.end, s.id, s.speaker) for s in doc.sentences)
    entities = (
        Entity(entity.id, tuple(Mention(tokens, m.positions, m.head, m.attributes) for m in entity.mentions))
        for entity in doc.entities
    )
    return doc.replace(
        tokens=tokens, sentences=sentences, entities=tuple(entities), bridges=(), split_antecedents=(), origin=None
    )


def with_columns(docs: Sequence[Document], parsed: Sequence[Document]) -> list[Document]:
    """Return the documents with the columns of others with the same tokens, and with heads if they had none."""
    return [find_heads(on_tokens(doc, other.tokens)) for doc, other in zip(docs, parsed, strict=True)]


def anaphors(key: Sequence[Document], response: Sequence[Document], *, match: str) -> Iterator[Anaphors]:
    """Return a row for each type of anaphor in the key, including zeros."""
    for name, is_type in TYPES.items():
        sides = ([_shown(doc, is_type) for doc in docs] for docs in (key, response))
        yield from _row(name, "nominal", *sides, match=match)
    yield from _row("zero", "zero", list(key), list(response), match=match)


def _row(name: str, metric: str, key: list[Document], response: list[Document], *, match: str) -> Iterator[Anaphors]:
    result = coindex.score(key, response, match=match, metrics=[metric])
    count = int(result.counts[metric].values[1])
    if count:
        score = result[metric]
        yield Anaphors(
            name=name, count=count, recall=100 * score.recall, precision=100 * score.precision, f1=100 * score.f1
        )


def _shown(doc: Document, is_type: Callable[[Token], bool]) -> Document:
    tokens = (token._replace(upos="NOUN" if is_type(token) else "X") for token in doc.tokens)
    return on_tokens(doc, Tokens(tokens, multiwords=doc.tokens.multiwords, prefix=doc.tokens.prefix))


def by_tag(key: Sequence[Document], response: Sequence[Document], *, match: str) -> dict[str, float]:
    """Return the CoNLL score of the entities that have a head with this tag (CRAC 2022, Table 8)."""
    found = coindex.score_by_upos(list(key), list(response), match=match)
    return {tag: 100 * (found[tag].conll or 0) for tag in ("PRON", "PROPN", "NOUN", "VERB") if tag in found}
