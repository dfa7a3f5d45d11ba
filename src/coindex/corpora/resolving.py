"""Load resolvers, and resolve documents in one or several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NoReturn

from ..document import Document
from ..errors import CoindexError, quote, setting

if TYPE_CHECKING:
    from ..engines import Workers
    from ..resolvers.chain import Chain
    from ..resolvers.resolver import Mentions, Resolver
    from ..resolvers.ud.zeros import Zeros

BATCH_SIZE = 8
"""Batch size. It does not depend on the number of processes, so that results are always exactly the same."""
BATCH_WORDS, BATCH_DOCUMENTS = 2000, 64
"""Words and documents after which a batch is sent to a worker."""


def load(
    name: str | os.PathLike[str] | None = None,
    *,
    mentions: Mentions = "detected",
    keep_entities: bool = False,
    language: str | None = None,
    parser: str | None = None,
    min_link: float | None = None,
    singletons: bool | None = None,
    zeros: Zeros | None = None,
    keep_words: bool = False,
) -> Chain:
    """Load a resolver.

    The result can be pickled and copied: a copy contains names and options but no weights, which it loads on first use.
    Weights are loaded once per process.

    Parameters:

    - `name`: a resolver ("en-small"), the path of a model folder ("./mine"), or steps joined by + ("simple-rules +
      heads"). The default is the model for `language`, or for English if no language is given.
    - `mentions`: "detected" finds mentions; "given" uses those of the input; "given-nonsingleton" uses those of
      entities with several mentions.
    - `keep_entities`: start with the entities of the input; by default they are ignored.
    - `language`: the language of texts, and of documents that do not specify one, as an ISO 639 code or a name ("es",
      "Spanish"). Without it, a text that is clearly in a language that the resolver does not support causes a warning.
    - `parser`: a parser for documents without trees ("spacy(es_core_news_sm)"); it becomes the first step of the chain.
    - `min_link`: the lowest probability of a link, from 0 to 1, for resolvers that compute probabilities.
    - `singletons`: whether to keep entities with a single mention (default: depends on the resolver).
    - `zeros`: "predict" finds dropped subjects, "given" uses only the empty nodes of the input, "ignore" uses none; for
      resolvers that support this option.
    - `keep_words`: whether resolvers are prevented from adding empty nodes.

    Returns a `Chain`: `resolver(text)` returns a `Document`, `resolver.pipe(texts)` an iterator of documents.

    >>> doc = load()("Ann lost her key. She looked for it.")
    """
    from ..arguments import check_load_options
    from ..resolvers.chain import load_chain
    from ..resolvers.defaults import default_for, with_trees

    check_load_options(
        name=name,
        mentions=mentions,
        keep_entities=keep_entities,
        language=language,
        parser=parser,
        min_link=min_link,
        singletons=singletons,
        zeros=zeros,
        keep_words=keep_words,
    )
    if parser is not None:
        _check_parser(parser)
        name = f"{parser} + {os.fspath(name) if name is not None else with_trees()}"
    return load_chain(
        name if name is not None else default_for(language),
        mentions=mentions,
        keep_entities=keep_entities,
        language=language,
        min_link=min_link,
        singletons=singletons,
        zeros=zeros,
        keep_words=keep_words,
    )


def resolvers() -> list[Resolver]:
    """Return all resolvers."""
    from ..resolvers.registry import all_resolvers

    return all_resolvers()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveSettings:
    """The arguments of `load`, as data that can be sent to another process.

    Without `resolver`, one is chosen for each document. `parser` runs before it, for documents without trees.
    """

    resolver: str | None = None
    mentions: Mentions = "detected"
    keep_entities: bool = False
    language: str | None = None
    parser: str | None = None
    min_link: float | None = None
    singletons: bool | None = None
    zeros: Zeros | None = None
    keep_words: bool = False

    def choose_for(self, doc: Document) -> ResolveSettings:
        """Return the settings with a resolver, which is chosen for the document if none is named."""
        if self.resolver is not None:
            return self
        from ..resolvers.defaults import LEARNED, choose

        choice = choose(doc, parsed=self.parser is not None, language=self.language)
        zeros = self.zeros if choice.resolver == LEARNED else None  # the others take documents as they are
        return replace(self, resolver=choice.resolver, language=choice.language, zeros=zeros)

    def chain(self) -> Chain:
        """Return the chain, which is loaded once in each process."""
        return _load_settings(self)


@lru_cache(maxsize=4)
def _load_settings(settings: ResolveSettings) -> Chain:
    assert settings.resolver is not None, "choose_for() chooses a resolver first"
    return load(
        settings.resolver,
        mentions=settings.mentions,
        keep_entities=settings.keep_entities,
        language=settings.language,
        parser=settings.parser,
        min_link=settings.min_link,
        singletons=settings.singletons,
        zeros=settings.zeros,
        keep_words=settings.keep_words,
    )


def _check_parser(text: str) -> None:
    from ..resolvers.chain import parse_chain
    from ..resolvers.registry import all_resolvers, get_resolver

    for name, _ in parse_chain(text):
        if get_resolver(name).kind != "parser":
            known = [resolver.name for resolver in all_resolvers() if resolver.kind == "parser"]
            raise CoindexError(
                f"parser {quote(text)}: {name} is not a parser; use {' or '.join(known)}, or select a resolver with "
                f"{setting('resolver', name)}",
                code="invalid-chain",
            )


def resolve_documents(
    docs: Iterable[Document],
    settings: ResolveSettings,
    workers: Workers | int = 1,
    *,
    on_chain: Callable[[str], None] = lambda name: None,
) -> Iterator[Document]:
    """Resolve documents in order, in this process or by workers.

    `on_chain` is called with the name of each chain before the first document that it resolved.
    """
    from ..engines import Workers, map_documents

    if settings.resolver is not None:
        chain = settings.chain()
        on_chain(chain.name)
        yield from pipe_documents(docs, chain, workers)
        return
    known = set()
    work = partial(_resolve_batch, settings=settings)
    most = BATCH_SIZE if Workers.of(workers).are_here else BATCH_DOCUMENTS
    for batch in map_documents(work, _batches(docs, most), workers, on_lost=_report_lost):
        for doc, name in batch:
            if name not in known:
                known.add(name)
                on_chain(name)
            yield doc


def pipe_documents(docs: Iterable[Document], chain: Chain, workers: Workers | int = 1) -> Iterator[Document]:
    """Resolve documents in order with a chain, in this process or by workers, each of which loads the chain."""
    from ..engines import Workers, map_documents
    from ..resolvers.defaults import warn_about_languages

    if Workers.of(workers).are_here:
        yield from chain.pipe(docs, batch_size=BATCH_SIZE)
        return
    if chain.collects:
        raise CoindexError(
            f"{chain.name} resolves several documents together, so it cannot use several processes; "
            "use --jobs 1 (jobs=1 in Python)",
            code="several-documents",
        )
    prepared = warn_about_languages(map(chain.prepare, docs), chain)  # here, so that the count is that of all workers
    for batch in map_documents(partial(_run_batch, chain=chain), _batches(prepared), workers, on_lost=_report_lost):
        yield from batch


def _report_lost(docs: Sequence[Document], reason: str) -> NoReturn:
    names = " to ".join(dict.fromkeys(doc.id or "a document without id" for doc in (docs[0], docs[-1])))
    raise CoindexError(
        f"{names} cannot be resolved: {reason}",
        remedy="to set such documents aside, write to a folder with --shard-words",
        code="process-died",
    )


def _batches(docs: Iterable[Document], most: int = BATCH_DOCUMENTS) -> Iterator[list[Document]]:
    """Yield batches of about the same number of words, so that they take about the same time."""
    batch: list[Document] = []
    words = 0
    for doc in docs:
        batch.append(doc)
        words += len(doc.tokens)
        if words >= BATCH_WORDS or len(batch) == most:
            yield batch
            batch, words = [], 0
    if batch:
        yield batch


def _run_batch(docs: list[Document], chain: Chain) -> list[Document]:
    return list(chain.run(docs, batch_size=BATCH_SIZE))


def _resolve_batch(docs: list[Document], settings: ResolveSettings) -> list[tuple[Document, str]]:
    """Resolve documents, and return each with the name of the chain that was chosen for it."""
    chosen = [settings.choose_for(doc) for doc in docs]
    streams = {}
    for choice in dict.fromkeys(chosen):
        chain = choice.chain()
        prepared = [chain.prepare(doc) for doc, own in zip(docs, chosen, strict=True) if own == choice]
        streams[choice] = chain.run(prepared, batch_size=BATCH_SIZE)
    return [(next(streams[choice]), choice.chain().name) for choice in chosen]
