"""Resolving: a chain of steps by name, to be called with texts or documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING

from ..document import Document
from ..errors import CoindexError, quote

if TYPE_CHECKING:
    from ..resolvers.chain import Chain
    from ..resolvers.registry import Mentions, Resolver
    from ..resolvers.ud.zeros import Zeros

TOGETHER = 8
"""Documents that a step sees as one batch and that travel to a process together, whatever the number of processes:
so the results are the same to the last bit."""


def load(
    name: str | None = None,
    *,
    mentions: Mentions = "detected",
    keep_entities: bool = False,
    language: str | None = None,
    min_link: float | None = None,
    singletons: bool | None = None,
    zeros: Zeros | None = None,
    keep_words: bool = False,
) -> Chain:
    """A resolver, a model folder by its path, or a chain of steps such as "simple-rules + heads", ready to be called.

    Without a name it is the model for texts of the language, English if none is said.
    `mentions` says whether mentions are found or taken from the input; entities in the input are ignored unless
    `keep_entities` is true. `language` is that of texts and of documents which do not say theirs. `min_link` is the
    least probability of a link, for resolvers that give one; `singletons` says whether entities of one mention are
    kept, as the resolver has it if that is None. `zeros` says whether dropped subjects are found ("predict"), only the
    empty nodes of the input take part ("given") or none do ("ignore"), for resolvers that have the choice; with
    `keep_words` no empty node is added by any of them.

    >>> doc = load()("Ann lost her key. She looked for it.")
    """
    from ..resolvers.chain import load_chain
    from ..resolvers.choice import default_for
    from .training import find_resolver

    return load_chain(
        name or default_for(language),
        mentions=mentions,
        keep_entities=keep_entities,
        language=language,
        min_link=min_link,
        singletons=singletons,
        zeros=zeros,
        keep_words=keep_words,
        find=find_resolver,
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
        from ..resolvers.choice import LEARNED, choose

        choice = choose(doc, parsed=self.parser is not None, language=self.language)
        zeros = self.zeros if choice.resolver == LEARNED else None  # the others take documents as they are
        return replace(self, resolver=choice.resolver, language=choice.language, zeros=zeros)

    def chain(self) -> Chain:
        """The chain, loaded once in each process."""
        return _loaded(self)


@lru_cache(maxsize=4)
def _loaded(settings: ResolveSettings) -> Chain:
    assert settings.resolver is not None, "a resolver is named or chosen before"
    steps = [settings.resolver]
    if settings.parser is not None:
        _check_parser(settings.parser)
        steps.insert(0, settings.parser)
    return load(
        " + ".join(steps),
        mentions=settings.mentions,
        keep_entities=settings.keep_entities,
        language=settings.language,
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
                f"parser {quote(text)}: {name} is no parser; expected {' or '.join(known)}; name a resolver with -r"
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
    from ..scale import map_documents
    from ..scale.mapping import count_jobs

    if settings.resolver is not None:
        chain = settings.chain()
        on_chain(chain.name)
        if count_jobs(jobs) == 1:
            yield from chain.pipe(docs, batch_size=TOGETHER)
            return
        if chain.collects:
            raise CoindexError(
                f"{chain.name} looks at several documents together, so they cannot be spread over processes; "
                "use --jobs 1 (jobs=1 in Python)"
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
    streams = {
        way: way.chain().pipe([doc for doc, its in zip(docs, chosen, strict=True) if its == way], batch_size=TOGETHER)
        for way in dict.fromkeys(chosen)
    }
    return [(next(streams[way]), way.chain().name) for way in chosen]
