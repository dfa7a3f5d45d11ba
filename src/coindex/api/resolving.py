"""Resolving: a chain of steps by name, to be called with texts or documents."""

from __future__ import annotations

from ..resolvers.chain import Chain, load_chain
from ..resolvers.registry import Mentions, Resolver, all_resolvers


def load(
    name: str, *, mentions: Mentions = "detected", keep_entities: bool = False, language: str | None = None
) -> Chain:
    """A resolver, or a chain of steps such as "simple-rules + heads", ready to be called.

    `mentions` says whether mentions are found or taken from the input; entities in the input are ignored unless
    `keep_entities` is true. `language` is that of texts and of documents which do not say theirs.

    >>> doc = load("sieves")(next(read("story.conllu")))  # doctest: +SKIP
    """
    return load_chain(name, mentions=mentions, keep_entities=keep_entities, language=language)


def resolvers() -> list[Resolver]:
    """Every resolver that coindex knows."""
    return all_resolvers()
