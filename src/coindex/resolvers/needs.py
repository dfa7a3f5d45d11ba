"""What a resolver needs of a document, and what to tell a user whose document lacks it."""

from __future__ import annotations

from collections.abc import Callable

from ..document import Document
from ..document.trees import Trees
from ..errors import CoindexError, quote
from .registry import Need, Resolver

PARSE = "parse it first, as in 'spacy(MODEL) + {name}' or, for Russian, 'natasha + {name}' (coindex resolvers)"

# need -> (whether a document has it, what was found, what to do)
CHECKS: dict[Need, tuple[Callable[[Document], bool], str, str]] = {
    "trees": (lambda doc: Trees(doc).has_trees, "no dependency tree", PARSE),
    "tags": (lambda doc: any(token.upos != "_" for token in doc.tokens), "no part-of-speech tags", PARSE),
    "lemmas": (lambda doc: any(token.lemma != "_" for token in doc.tokens), "no lemmas", PARSE),
}


class MissingLayerError(CoindexError):
    """A document without the layer that a resolver works on."""


def shown_name(doc: Document) -> str:
    """The id of a document for messages, short and printable."""
    return quote(doc.id or "document")[1:-1]


def check_needs(doc: Document, resolver: Resolver) -> None:
    """Refuse a document that the resolver cannot work on; an empty one has nothing to lack."""
    if not len(doc.tokens):
        return
    for need in resolver.needs:
        if need in CHECKS:
            has, found, remedy = CHECKS[need]
            if not has(doc):
                raise MissingLayerError(
                    f"{shown_name(doc)}: {found}; {resolver.name} works on {need}; {remedy.format(name=resolver.name)}"
                )
