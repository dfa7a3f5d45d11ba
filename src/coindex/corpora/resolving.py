"""Resolve texts and documents: a chain of steps by name, and many documents on several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING

from ..document import Document
from ..errors import CoindexError, quote, setting

if TYPE_CHECKING:
    from ..resolvers.chain import Chain
    from ..resolvers.resolver import Mentions, Resolver
    from ..resolvers.ud.zeros import Zeros

TOGETHER = 8
"""Documents that a step sees as one batch and that travel to a process together, whatever the number of processes:
so the results are the same to the last bit."""


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
    """Load a resolver, and return it ready to be called with texts and documents.

    The result can be pickled and copied: a copy holds names and options, no weights, and loads them when it is first
    used. In each process, weights are loaded once.

    Parameters:

    - `name`: a resolver ("en-small"), the path of a model folder ("./mine"), or steps joined by + ("simple-rules +
      heads"). By default the model for texts of the language, or for English without `language`.
    - `mentions`: "detected" finds mentions; "given" takes those of the input; "given-nonsingleton" takes those of
      entities with several mentions.
    - `keep_entities`: start with the entities of the input; by default they are ignored.
    - `language`: the language of texts, and of documents that do not say theirs: an ISO 639 code or a name ("es",
      "Spanish"). Without it, a text that is clearly in another language than the resolver's gives a warning.
    - `parser`: a parser for documents without trees ("spacy(es_core_news_sm)"); the same as the first step of a chain.
    - `min_link`: the lowest probability of a link, from 0 to 1, for resolvers that give one.
    - `singletons`: whether entities of one mention are kept; by default as the resolver has it.
    - `zeros`: "predict" finds dropped subjects, "given" takes only the empty nodes of the input, "ignore" none; for
      resolvers that have the choice.
    - `keep_words`: whether no resolver may add empty nodes.

    Returns a `Chain`: `resolver(text)` gives a `Document`, `resolver.pipe(texts)` an iterator of documents.

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
    """Every resolver that coindex knows."""
    from ..resolvers.registry import all_resolvers

    return all_resolvers()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveSettings:
    """How to resolve: what `load` is told, as data that can go to another process.

    Without `resolver` one is chosen for each document; `parser` goes before it, for documents without trees.
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

    def chosen_for(self, doc: Document) -> ResolveSettings:
        """The same with a resolver, chosen by what the document is like if none was named."""
        if self.resolver is not None:
            return self
        from ..resolvers.defaults import LEARNED, choose

        choice = choose(doc, parsed=self.parser is not None, language=self.language)
        zeros = self.zeros if choice.resolver == LEARNED else None  # the others take documents as they are
        return replace(self, resolver=choice.resolver, language=choice.language, zeros=zeros)

    def chain(self) -> Chain:
        """The chain, loaded once in each process."""
        return _loaded(self)


@lru_cache(maxsize=4)
def _loaded(settings: ResolveSettings) -> Chain:
    assert settings.resolver is not None, "a resolver is named or chosen before"
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
                f"parser {quote(text)}: {name} is no parser; expected {' or '.join(known)}; name a resolver with "
                f"{setting('resolver', name)}",
                code="invalid-chain",
            )


def resolve_documents(
    docs: Iterable[Document],
    settings: ResolveSettings,
    *,
    jobs: int = 1,
    on_chain: Callable[[str], None] = lambda name: None,
) -> Iterator[Document]:
    """Documents resolved in order, as they come, on as many processes as `jobs` says; 0 means one a processor.

    `on_chain` is told the name of each chain before the first document that it resolved.
    """
    from ..engines import count_jobs, map_documents
    from ..resolvers.defaults import watch_languages

    if settings.resolver is not None:
        chain = settings.chain()
        on_chain(chain.name)
        if count_jobs(jobs) == 1:
            yield from chain.pipe(docs, batch_size=TOGETHER)
            return
        docs = watch_languages(map(chain.prepare, docs), chain)  # here, so that the count is that of all processes
        if chain.collects:
            raise CoindexError(
                f"{chain.name} looks at several documents together, so they cannot be spread over processes; "
                "use --jobs 1 (jobs=1 in Python)",
                code="several-documents",
            )
        on_chain = _ignore
    known = set()
    for batch in map_documents(partial(_resolve_batch, settings=settings), _batches(docs), jobs):
        for doc, name in batch:
            if name not in known:
                known.add(name)
                on_chain(name)
            yield doc


def _ignore(name: str) -> None:
    """The chain was told before."""


def _batches(docs: Iterable[Document]) -> Iterator[list[Document]]:
    stream = iter(docs)
    while batch := list(islice(stream, TOGETHER)):
        yield batch


def _resolve_batch(docs: list[Document], settings: ResolveSettings) -> list[tuple[Document, str]]:
    """The documents resolved, each with the name of the chain that was chosen for it."""
    chosen = [settings.chosen_for(doc) for doc in docs]
    streams = {}
    for way in dict.fromkeys(chosen):
        chain = way.chain()
        prepared = [chain.prepare(doc) for doc, its in zip(docs, chosen, strict=True) if its == way]
        streams[way] = chain.run(prepared, batch_size=TOGETHER)
    return [(next(streams[way]), way.chain().name) for way in chosen]
