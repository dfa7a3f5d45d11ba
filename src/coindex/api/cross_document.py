"""Resolve collections of documents: all together, or added step by step to a stored state."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ..corpora.resolving import load
from ..document import Document
from ..engines import Workers
from ..errors import CoindexError, quote
from ..resolvers.chain import Chain, parse_chain
from ..resolvers.clusters import without_singletons_of_all
from ..resolvers.cross.resolver import CrossResolver, State, add_documents, load_state, save_state
from ..resolvers.cross.topics import Topics, choose_topics
from ..resolvers.defaults import CROSS_UNTRAINED, choose_cross, warn_about_languages
from ..resolvers.registry import get_resolver
from ..resolvers.resolver import Mentions, Resolver

BASE = CROSS_UNTRAINED
"""The resolver that starts from the clusters of any resolver of single documents."""
BASELINE, ALONE = "head-lemma", "singleton"
SCOPES = {"given": "topic", "subtopic": "subtopic", "predicted": "predicted", "none": "corpus"}
"""The option `scope` of the baseline for each choice of topics."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionSettings:
    """How to resolve a collection.

    `resolver` is a cross-document resolver, or a resolver of single documents whose clusters are then merged across
    documents. `state` is a file with a resolved collection, to which the documents are added.
    """

    resolver: str | None = None
    topics: Topics = "auto"
    mentions: Mentions = "detected"
    language: str | None = None
    parser: str | None = None
    min_link: float | None = None
    singletons: bool | None = None
    state: str | None = None


def resolve_collection(
    docs: Iterable[Document],
    settings: CollectionSettings,
    workers: Workers | int = 1,
    *,
    on_chain: Callable[[str], None] = lambda name: None,
) -> list[Document]:
    """Return all documents with shared entity ids, those of the state first.

    The result does not depend on the workers. `on_chain` is called with the name of the chain.
    """
    held = list(docs)
    before = load_state(settings.state) if settings.state is not None and os.path.exists(settings.state) else State()
    topics = choose_topics(held, settings.topics) if settings.state is None else settings.topics
    chain = load(
        chain_text(settings, topics, choose_cross(held, settings.language)),
        mentions=settings.mentions,
        language=settings.language,
        min_link=settings.min_link,
        singletons=settings.singletons,
    )
    on_chain(chain.name)
    if settings.state is None:
        prepared = warn_about_languages(map(chain.prepare, held), chain)
        return list(chain.run(prepared, workers=workers))
    return _add_to_state(before, held, chain, settings.state, workers)


def _add_to_state(
    before: State, docs: list[Document], chain: Chain, path: str, workers: Workers | int
) -> list[Document]:
    step = chain.parts[-1].step
    if not isinstance(step, CrossResolver):
        raise CoindexError(
            f"{chain.name} cannot add documents to a state; use a chain that ends in cross or en-cross, or omit the "
            "state",
            code="invalid-chain",
        )
    if Path(path).is_dir():
        raise CoindexError("the state is a folder; name a file", code="not-a-file", path=path)
    first = chain.without_last()
    after = add_documents(before, first.pipe(docs), step, workers)
    save_state(after, path)
    kept = step.options.singletons and chain.singletons
    return list(after.documents if kept else without_singletons_of_all(after.documents))


def chain_text(settings: CollectionSettings, topics: Topics, default: str) -> str:
    """Return the chain for a collection: the named or the default resolver, with the choice of topics."""
    steps = [_format_step(name, arguments, topics) for name, arguments in parse_chain(settings.resolver or default)]
    if settings.parser is not None:
        steps.insert(0, settings.parser)
    return " + ".join(steps)


def _format_step(name: str, arguments: list[str], topics: Topics) -> str:
    resolver = get_resolver(name)
    if resolver.kind in ("rules", "learned"):
        if name == BASELINE and not arguments:
            arguments = [f"scope={SCOPES.get(topics, 'predicted')}"]
        elif not resolver.collects and name != ALONE:
            return _wrap_resolver(name, arguments, topics)
        elif _has_topics(resolver) and not any(argument.startswith("topics") for argument in arguments):
            arguments = [*arguments, f"topics={topics}"]
    return f"{name}({', '.join(arguments)})" if arguments else name


def _has_topics(resolver: Resolver) -> bool:
    return any(option.name == "topics" for option in resolver.options)


def _wrap_resolver(name: str, arguments: list[str], topics: Topics) -> str:
    if arguments or any(sign in name for sign in "(),"):
        raise CoindexError(
            f"{name} resolves single documents, and cannot have the options {quote(', '.join(arguments))} as the "
            f"first stage of {BASE}; remove the options",
            code="invalid-chain",
        )
    return f"{BASE}(topics={topics}, chains={name})"
