"""Chains of steps: "spacy(en_core_web_sm) + sieves + heads(merge)", each `Document -> Document`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import starmap

from ..document import Document
from ..errors import CoindexError, DataWarning, quote
from ..formats.registry import check_options
from .clusters import given_mentions, without_entities, without_singletons, without_singletons_of_all
from .needs import check_needs
from .registry import Mentions, Resolver, Step, Streaming, get_resolver

BATCH = 32
STEP = re.compile(r"\s*(?P<name>[^\s()+]+)\s*(?:\((?P<arguments>[^()]*)\))?\s*")


@dataclass(frozen=True, slots=True)
class Part:
    """One step of a chain, with the options that it was called with."""

    resolver: Resolver
    options: Mapping[str, str]
    step: Step


class Chain:
    """Steps in order. Call it with a document or a text; `pipe` streams many."""

    def __init__(
        self,
        parts: tuple[Part, ...],
        *,
        mentions: Mentions = "detected",
        keep_entities: bool = False,
        language: str | None = None,
        singletons: bool = True,
    ) -> None:
        self.parts = parts
        self.mentions = mentions
        self.keep_entities = keep_entities
        self.language = language
        self.singletons = singletons

    @property
    def name(self) -> str:
        return " + ".join(starmap(_spelled, ((part.resolver.name, part.options) for part in self.parts)))

    @property
    def collects(self) -> bool:
        """Whether some step looks at several documents together; one may do so only with certain options."""
        return any(getattr(part.step, "collects", part.resolver.collects) for part in self.parts)

    def __call__(self, doc: Document | str) -> Document:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Document | str], *, batch_size: int = BATCH) -> Iterator[Document]:
        """Documents or texts resolved one after another, in order, as they come."""
        stream: Iterable[Document] = map(self._prepare, docs)
        for part in self.parts:
            checked = map(partial(_checked, resolver=part.resolver), stream)
            if isinstance(part.step, Streaming):
                stream = part.step.pipe(checked, batch_size=batch_size)
            else:
                stream = map(part.step, checked)
        if self.singletons:
            return iter(stream)
        return without_singletons_of_all(stream) if self.collects else map(without_singletons, stream)

    def _prepare(self, doc: Document | str) -> Document:
        if isinstance(doc, str):
            if not doc.strip():
                warnings.warn("an empty text becomes a document without words", DataWarning, stacklevel=4)
            doc = Document.from_text(doc, language=self.language)
        elif self.language is not None and doc.language is None:
            doc = doc.replace(language=self.language)
        if self.keep_entities:
            return doc
        if self.mentions == "detected":
            return without_entities(doc)
        return given_mentions(doc, singletons=self.mentions == "given")


def _checked(doc: Document, resolver: Resolver) -> Document:
    check_needs(doc, resolver)
    return doc


def load_chain(
    text: str,
    *,
    mentions: Mentions = "detected",
    keep_entities: bool = False,
    language: str | None = None,
    min_link: float | None = None,
    singletons: bool | None = None,
    zeros: str | None = None,
    keep_words: bool = False,
    find: Callable[[str], Resolver] = get_resolver,
) -> Chain:
    """The steps that a text such as "simple-rules + heads(merge)" names; `find` knows the resolver of a name.

    `min_link`, `singletons` and `zeros` are said to the resolver that finds entities, if it has options of these names.
    With `keep_words` none of them adds empty nodes, for callers that go on with the tokens they have.
    """
    named = [(find(name), arguments) for name, arguments in parse_chain(text)]
    _check_order([resolver for resolver, _ in named], mentions, keep_entities)
    if min_link is not None:
        named = _told(named, "min_link", f"{min_link:g}")
        if not any(argument.startswith("min_link") for _, arguments in named for argument in arguments):
            raise CoindexError(
                f"{text} gives links no probability, so min_link means nothing to it; expected a learned resolver such "
                "as en-small; leave it out, or choose another resolver"
            )
    if zeros is not None:
        if not any(_has(resolver, "zeros") for resolver, _ in named):
            raise CoindexError(
                f"{text} takes empty nodes as they are, so zeros={zeros} means nothing to it; expected a resolver that "
                "finds dropped subjects, such as xx-ud; leave it out, or choose another resolver"
            )
        named = _told(named, "zeros", zeros)
    elif keep_words:
        named = _told(named, "zeros", "given")
    if singletons is not None:
        named = _told(named, "singletons", "yes" if singletons else "no")
    parts = tuple(_made(resolver, arguments, mentions) for resolver, arguments in named)
    return Chain(
        parts,
        mentions=mentions,
        keep_entities=keep_entities,
        language=language,
        singletons=singletons is not False,
    )


Named = list[tuple[Resolver, list[str]]]


def _told(named: Named, option: str, value: str) -> Named:
    """The same steps, those that have the option with this value."""
    return [
        (resolver, [*arguments, f"{option}={value}"] if _has(resolver, option) else arguments)
        for resolver, arguments in named
    ]


def _has(resolver: Resolver, option: str) -> bool:
    return any(known.name == option for known in resolver.options)


def parse_chain(text: str) -> list[tuple[str, list[str]]]:
    """Names with their arguments: "a(x, n=1) + b" -> [("a", ["x", "n=1"]), ("b", [])]."""
    steps = []
    at = 0
    while found := STEP.match(text, at):
        arguments = (found["arguments"] or "").split(",")
        steps.append((found["name"], [argument.strip() for argument in arguments if argument.strip()]))
        at = found.end()
        if at == len(text):
            return steps
        if text[at] != "+":
            break
        at += 1
    raise CoindexError(
        f"resolver {quote(text)}: cannot be read at character {at + 1}; expected names joined by +, "
        "each with its options in brackets if any; write for example 'simple-rules + heads(merge)'"
    )


def _check_order(resolvers: list[Resolver], mentions: Mentions, keep_entities: bool) -> None:
    """Entities come from one resolver at most, before every step that changes them."""
    finders = [resolver.name for resolver in resolvers if resolver.kind in ("rules", "learned")]
    if len(finders) > 1 or (finders and keep_entities):
        begun = "entities kept from the input" if keep_entities else finders[0]
        raise CoindexError(
            f"{finders[-1]} finds entities anew, so nothing would be left of {begun}; expected one resolver followed "
            "by steps; leave one of them out"
        )
    has_entities = keep_entities or mentions != "detected"
    for resolver in resolvers:
        if resolver.kind == "step" and not has_entities:
            raise CoindexError(
                f"{resolver.name} is a step that changes entities, and there are none yet; expected a resolver "
                f"before it, as in 'sieves + {resolver.name}', or --keep-entities (keep_entities=True) to start with "
                "those of the input"
            )
        has_entities = has_entities or resolver.kind in ("rules", "learned")


def _made(resolver: Resolver, arguments: list[str], mentions: Mentions) -> Part:
    options: dict[str, str] = {}
    for argument in arguments:
        name, equals, value = (piece.strip() for piece in argument.partition("="))
        if not equals:  # a bare value belongs to the first option
            if not resolver.options:
                raise CoindexError(f"{resolver.name} has no options, but was given {quote(argument)}; leave it out")
            name, value = resolver.options[0].name, name
        options[name] = value
    check_options(options, resolver.options, resolver.name)
    if resolver.kind not in ("rules", "learned"):
        return Part(resolver, options, resolver.make(**options))
    how = "detected" if mentions == "detected" else "given"
    if how not in resolver.mentions:
        raise CoindexError(
            f"{resolver.name} works with {resolver.mentions[0]} mentions only; choose --mentions "
            f"{resolver.mentions[0]} or another resolver"
        )
    return Part(resolver, options, resolver.make(mentions=how, **options))


def _spelled(name: str, options: Mapping[str, str]) -> str:
    return f"{name}({', '.join(f'{key}={value}' for key, value in options.items())})" if options else name
