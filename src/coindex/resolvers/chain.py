"""Chains of resolvers and steps, such as "spacy(en_core_web_sm) + sieves + heads(merge)", and their recorded scores.

Every chain that detects mentions ends with a filter that removes mentions in code, web addresses and markup;
`coindex.text.structure` describes these protected tokens.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, partial
from itertools import starmap
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from ..document import Document, Entity, Mention
from ..engines import Workers
from ..errors import CoindexError, DataWarning, quote, setting
from ..formats.registry import check_options
from ..text.language_names import language_code
from .clusters import separate_mentions, without_entities, without_singletons, without_singletons_of_all
from .defaults import warn_about_languages
from .linguistics.languages import own_language
from .registry import get_resolver, resolver_names
from .resolver import NO_SCHEME, SCHEME, Distributing, Mentions, Resolver, Step, Streaming, check_needs

INSIDE = frozenset({"emphasis"})
"""Kinds of protected tokens that may stand inside a mention, but not at its edges."""


def remove_protected(doc: Document) -> Document:
    """Return the document without mentions of protected tokens; those at the edges of a mention are cut off."""
    protected = doc.tokens.protected
    if not protected or not doc.entities:
        return doc
    seen = {m.positions for entity in doc.entities for m in entity.mentions if protected.keys().isdisjoint(m.positions)}
    entities = [
        replace(entity, mentions=mentions)
        for entity in doc.entities
        if (mentions := tuple(_trim_mentions(doc, entity, protected, seen)))
    ]
    kept = {entity.id for entity in entities}
    return doc.replace(
        entities=tuple(entities),
        bridges=tuple(bridge for bridge in doc.bridges if {bridge.entity, bridge.antecedent} <= kept),
        split_antecedents=tuple(split for split in doc.split_antecedents if {split.entity, *split.antecedents} <= kept),
    )


def _trim_mentions(
    doc: Document, entity: Entity, protected: Mapping[int, str], seen: set[tuple[int, ...]]
) -> Iterator[Mention]:
    """Yield the mentions of an entity without protected edges; those that become equal to another are dropped."""
    for mention in entity.mentions:
        if protected.keys().isdisjoint(mention.positions):
            yield mention
            continue
        free = [index for index, at in enumerate(mention.positions) if at not in protected]
        positions = mention.positions[free[0] : free[-1] + 1] if free else ()
        is_free = all(at not in protected or protected[at] in INSIDE for at in positions)
        if positions and is_free and positions not in seen:
            seen.add(positions)
            head = mention.head if mention.head in positions else None
            yield doc.mention(positions, head=head, attributes=mention.attributes)


BATCH = 32
STEP = re.compile(r"\s*(?P<name>[^\s()+]+)\s*(?:\((?P<arguments>[^()]*)\))?\s*")


@dataclass(frozen=True, slots=True)
class Part:
    """A step of a chain with its options."""

    resolver: Resolver
    options: Mapping[str, str]
    step: Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The specification of a chain: small, and all that a pickled chain contains.

    Each step consists of its name, its arguments and its location: the same name, or the absolute path of a model
    folder, so that a process with another working directory finds it too.
    """

    steps: tuple[tuple[str, tuple[str, ...], str], ...]
    mentions: Mentions = "detected"
    keep_entities: bool = False
    language: str | None = None
    singletons: bool = True
    find: Callable[[str], Resolver] = get_resolver

    def parts(self) -> tuple[Part, ...]:
        """Create the steps; weights are shared with other chains of this process."""
        parts = []
        for name, arguments, place in self.steps:
            resolver = replace(self.find(place), name=name) if place != name else self.find(name)
            parts.append(_make_part(resolver, list(arguments), self.mentions))
        return tuple(parts)


class Chain:
    """A sequence of steps. Call it with a text or a document, or use `pipe` for a stream of them.

    A chain can be pickled and copied. The copy contains only the recipe and loads its steps on first use.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.mentions = recipe.mentions
        self.keep_entities = recipe.keep_entities
        self.language = recipe.language
        self.singletons = recipe.singletons

    def __reduce__(self) -> tuple[type[Chain], tuple[Recipe]]:
        return Chain, (self.recipe,)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The steps with their options, loaded on first use."""
        return self.recipe.parts()

    @property
    def name(self) -> str:
        """The chain in the syntax of `load`: "spacy(model=en_core_web_sm) + sieves"."""
        return " + ".join(starmap(_format_step, ((part.resolver.name, part.options) for part in self.parts)))

    def __repr__(self) -> str:
        return f"<Chain: {' + '.join(name for name, _, _ in self.recipe.steps)}>"

    @property
    def collects(self) -> bool:
        """Whether a step resolves several documents together, which may depend on its options."""
        return any(getattr(part.step, "collects", part.resolver.collects) for part in self.parts)

    @property
    def languages(self) -> tuple[str, ...]:
        """The ISO 639-1 codes of the languages that the resolver supports; empty if it supports any language."""
        return next((part.resolver.languages for part in self.parts if part.resolver.languages), ())

    def without_last(self) -> Chain:
        """Return the chain without its last step."""
        return Chain(replace(self.recipe, steps=self.recipe.steps[:-1], singletons=True))

    def __call__(self, doc: Document | str) -> Document:
        """Resolve a text or a document and return the document with its entities.

        `doc` is a `str` or a `Document`. If it is clearly in a language that the resolver does not support, a
        `LanguageWarning` is issued.
        """
        (resolved,) = self.pipe([check_input(doc)])
        return resolved

    def pipe(self, docs: Iterable[Document | str], *, batch_size: int = BATCH) -> Iterator[Document]:
        """Resolve texts or documents and yield the results in the same order as soon as they are ready.

        `docs` is an iterable of `str` or `Document`; `batch_size` is the number of documents that a step processes
        together. At the end of the stream, a `LanguageWarning` for each unsupported language gives the number of
        documents in it.
        """
        return self.run(warn_about_languages(self._prepare_all(docs), self), batch_size=batch_size)

    def run(
        self, docs: Iterable[Document], *, batch_size: int = BATCH, workers: Workers | int = 1
    ) -> Iterator[Document]:
        """Resolve prepared documents, without a check of their languages; existing entities are not removed first.

        Only steps that can distribute a collection of documents use the workers.
        """
        stream = docs
        for part in self.parts:
            checked = map(partial(_check_document, resolver=part.resolver), stream)
            if isinstance(part.step, Distributing):
                stream = part.step.distribute(checked, workers)
            elif isinstance(part.step, Streaming):
                stream = part.step.pipe(checked, batch_size=batch_size)
            else:
                stream = map(part.step, checked)
        if self.mentions == "detected" and not self.keep_entities:
            stream = map(remove_protected, stream)
        if self.singletons:
            return iter(stream)
        return without_singletons_of_all(stream) if self.collects else map(without_singletons, stream)

    def _prepare_all(self, docs: Iterable[Document | str]) -> Iterator[Document]:
        if isinstance(docs, str | bytes | Document) or not isinstance(docs, Iterable):
            raise TypeError(
                f"pipe expects an iterable of texts or documents, not {type(docs).__name__}; for a single one, "
                "call the resolver itself: resolver(text)"
            )
        return (self.prepare(check_input(doc, number)) for number, doc in enumerate(docs))

    def prepare(self, doc: Document | str) -> Document:
        """Return the input of the first step: a document with its language, and with entities only if they are kept."""
        if isinstance(doc, str):
            if not doc.strip():
                message = "an empty text gives a document without words"
                warnings.warn(DataWarning(message, code="no-document"), stacklevel=4)
            doc = Document.from_text(doc, language=self.language)
        else:
            language = own_language(doc) or self.language
            if language != doc.language:
                doc = doc.replace(language=language)
        if self.keep_entities:
            return doc
        if self.mentions == "detected":
            return without_entities(doc)
        return separate_mentions(doc, singletons=self.mentions == "given")


def check_input(doc: object, number: int | None = None) -> Document | str:
    """Return a text or document unchanged; raise TypeError for anything else, with its `number` in the stream."""
    if isinstance(doc, str | Document):
        return doc
    place = "" if number is None else f"item {number}: "
    got = "None" if doc is None else type(doc).__name__
    hint = ""
    if isinstance(doc, bytes):
        hint = "; decode it first: text.decode('utf-8')"
    elif isinstance(doc, PathLike):
        hint = "; read the file first: coindex.read(path)"
    elif type(doc).__module__.startswith("spacy."):
        hint = "; convert it first: coindex.from_spacy(doc)"
    elif isinstance(doc, Iterable):
        hint = "; for several texts call resolver.pipe(texts), for lists of words use Document.from_tokens(sentences)"
    raise TypeError(f"{place}a resolver expects a text (str) or a coindex.Document, not {got}{hint}")


def _check_document(doc: Document, resolver: Resolver) -> Document:
    """Return the document if it has what the resolver needs."""
    check_needs(doc, resolver)
    return doc


def load_chain(
    text: str | os.PathLike[str],
    *,
    mentions: Mentions = "detected",
    keep_entities: bool = False,
    language: str | None = None,
    min_link: float | None = None,
    singletons: bool | None = None,
    zeros: str | None = None,
    scheme: str | None = None,
    keep_words: bool = False,
    find: Callable[[str], Resolver] = get_resolver,
) -> Chain:
    """Return the chain for a text such as "simple-rules + heads(merge)"; `find` returns the resolver with a name.

    A path object is always taken as a model folder, whatever characters it contains. `min_link`, `singletons`, `zeros`
    and `scheme` are passed to resolvers that have these options. With `keep_words`, no resolver adds empty nodes, so
    that callers can keep using their tokens.
    """
    steps = parse_chain(text) if isinstance(text, str) else [(_folder_name(text), [])]
    named = [(find(name), arguments) for name, arguments in steps]
    _check_order([resolver for resolver, _ in named], mentions, keep_entities)
    if min_link is not None:
        named = _with_option(named, "min_link", f"{min_link:g}")
        if not any(argument.startswith("min_link") for _, arguments in named for argument in arguments):
            raise CoindexError(
                f"min_link has no effect with {text}, which gives links no probability; omit min_link, or choose a "
                "learned resolver such as en-small",
                code="invalid-option",
            )
    if zeros is not None:
        if not any(_has(resolver, "zeros") for resolver, _ in named):
            raise CoindexError(
                f"zeros={zeros} has no effect with {text}, which uses empty nodes as they are; omit zeros, or choose a "
                "resolver that predicts dropped subjects, such as xx-ud",
                code="invalid-option",
            )
        named = _with_option(named, "zeros", zeros)
    elif keep_words:
        named = _with_option(named, "zeros", "given")
    if scheme is not None:
        if not any(_has(resolver, SCHEME) for resolver, _ in named):
            raise CoindexError(
                f"scheme={scheme} has no effect with {text}, which follows no annotation scheme of a corpus; omit "
                "scheme, or choose a resolver that was trained on several corpora, such as en-small",
                code="invalid-option",
            )
        named = _with_option(named, SCHEME, scheme)
    if singletons is not None:
        named = _with_option(named, "singletons", "yes" if singletons else "no")
    recipe = Recipe(
        steps=tuple((resolver.name, tuple(arguments), _place(resolver.name)) for resolver, arguments in named),
        mentions=mentions,
        keep_entities=keep_entities,
        language=language_code(language),
        singletons=singletons is not False,
        find=find,
    )
    chain = Chain(recipe)
    assert chain.parts, "a chain has steps; creating them reports wrong names and options now"
    return chain


def _folder_name(path: os.PathLike[str]) -> str:
    """Return a path that cannot be confused with the name of a resolver."""
    name = os.fspath(path)
    return name if os.sep in name or "/" in name else os.path.join(os.curdir, name)


def _place(name: str) -> str:
    """Return the location of a resolver independently of the working directory."""
    return os.path.abspath(name) if name not in resolver_names() and os.path.isdir(name) else name


Named = list[tuple[Resolver, list[str]]]


def _with_option(named: Named, option: str, value: str) -> Named:
    """Return the steps, with the option set for those that have it."""
    return [
        (resolver, [*arguments, f"{option}={value}"] if _has(resolver, option) else arguments)
        for resolver, arguments in named
    ]


def _has(resolver: Resolver, option: str) -> bool:
    return any(known.name == option for known in resolver.options)


def parse_chain(text: str) -> list[tuple[str, list[str]]]:
    """Split a chain into names with arguments: "a(x, n=1) + b" -> [("a", ["x", "n=1"]), ("b", [])].

    The path of an existing folder is one name, whatever characters it contains.
    """
    if ("/" in text or os.sep in text) and os.path.isdir(text):
        return [(text, [])]
    steps = []
    at = 0
    while match := STEP.match(text, at):
        arguments = (match["arguments"] or "").split(",")
        steps.append((match["name"], [argument.strip() for argument in arguments if argument.strip()]))
        at = match.end()
        if at == len(text):
            return steps
        if text[at] != "+":
            break
        at += 1
    raise CoindexError(
        f"resolver {quote(text)}: syntax error at character {at + 1}; expected names joined by +, with options in "
        "parentheses, for example 'simple-rules + heads(merge)'",
        code="invalid-chain",
    )


def _check_order(resolvers: list[Resolver], mentions: Mentions, keep_entities: bool) -> None:
    """Check that at most one resolver finds entities, and that it comes before the steps that change them."""
    finders = [resolver.name for resolver in resolvers if resolver.kind in ("rules", "learned")]
    if len(finders) > 1 or (finders and keep_entities):
        replaced = "the entities kept from the input" if keep_entities else f"those of {finders[0]}"
        raise CoindexError(
            f"{finders[-1]} finds entities from scratch and would replace {replaced}; a chain has at most one "
            "resolver, followed by steps; remove one of them",
            code="invalid-chain",
        )
    has_entities = keep_entities or mentions != "detected"
    for resolver in resolvers:
        if resolver.kind == "step" and not has_entities:
            raise CoindexError(
                f"{resolver.name} changes entities, but there are none yet; put a resolver before it, as in "
                f"'sieves + {resolver.name}', or start with the entities of the input: {setting('keep_entities')}",
                code="invalid-chain",
            )
        has_entities = has_entities or resolver.kind in ("rules", "learned")


def _make_part(resolver: Resolver, arguments: list[str], mentions: Mentions) -> Part:
    """Parse the arguments of a step, and create it."""
    options: dict[str, str] = {}
    for argument in arguments:
        name, equals, value = (piece.strip() for piece in argument.partition("="))
        if not equals:  # a bare value belongs to the first option
            if not resolver.options:
                raise CoindexError(
                    f"{resolver.name} has no options, but got {quote(argument)}; remove it",
                    code="invalid-chain",
                )
            name, value = resolver.options[0].name, name
        options[name] = value
    check_options(options, resolver.options, resolver.name)
    if resolver.kind not in ("rules", "learned"):
        return Part(resolver, options, resolver.make(**options))
    how = "detected" if mentions == "detected" else "given"
    if how not in resolver.mentions:
        raise CoindexError(
            f"{resolver.name} works with {resolver.mentions[0]} mentions only; choose "
            f"{setting('mentions', resolver.mentions[0])} or another resolver",
            code="invalid-option",
        )
    return Part(resolver, options, resolver.make(mentions=how, **options))


class SchemeChoice(NamedTuple):
    """The annotation scheme that a step of a chain follows, and all schemes that it knows."""

    step: str
    scheme: str
    known: tuple[str, ...]
    is_given: bool
    """Whether the chain names the scheme, and it is not the default."""


def find_scheme(text: str) -> SchemeChoice | None:
    """Return the annotation scheme of the first step that was trained on several; None if there is none."""
    for name, arguments in parse_chain(text):
        option = next((known for known in get_resolver(name).options if known.name == SCHEME), None)
        known = () if option is None else tuple(choice for choice in option.choices if choice != NO_SCHEME)
        if option is None or len(known) < 2:
            continue
        values = [argument.removeprefix(f"{SCHEME}=") for argument in arguments]
        given = [value for value in values if value in option.choices]
        return SchemeChoice(name, given[0] if given else option.choices[0], known, bool(given))
    return None


def _format_step(name: str, options: Mapping[str, str]) -> str:
    return f"{name}({', '.join(f'{key}={value}' for key, value in options.items())})" if options else name


PATH = Path(__file__).with_name("scores.json")
CONLL = "CoNLL"
MAIN_MEASURES = {
    "singleton": "CoNLL with singletons",  # it produces nothing else
    "nearest-np": "F1 of ARE task 3",  # it resolves pronouns only
    "head-lemma": "CoNLL of events",  # the number that papers compare with
}
"""The most informative measure of a resolver, where it is not CoNLL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A recorded score with everything that is needed to reproduce it."""

    chain: str
    corpus: str
    mentions: str
    measure: str
    """The name of the number, such as CoNLL."""
    number: float
    """In percent."""
    signature: str
    version: str
    """The version of coindex that it was measured with."""

    def __str__(self) -> str:
        chain = f" in '{self.chain}'" if {"+", "("} & set(self.chain) else ""
        given = "" if self.mentions == "detected" else f", {self.mentions} mentions"
        return f"{self.number:.1f} {self.measure}{chain} on {self.corpus}{given}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@cache
def all_scores() -> tuple[Measured, ...]:
    """Return all recorded scores; those of the main corpora and chains come first."""
    return tuple(Measured(**row) for row in json.loads(PATH.read_text(encoding="utf-8"))["scores"])


def scores_of(name: str) -> list[Measured]:
    """Return the scores of the chains that end with a resolver, or, for a parser, of all chains that contain it."""
    return [score for score in all_scores() if name in _find_measured(score.chain)]


def find_main_score(name: str) -> Measured | None:
    """Return the score to show for a resolver: the first one of its main measure; for a parser, with all columns."""
    scores = scores_of(name)
    if get_resolver(name).kind == "parser":
        scores = [score for score in scores if "columns=" not in score.chain]
    wanted = MAIN_MEASURES.get(name, CONLL)
    return next((score for score in scores if score.measure == wanted), next(iter(scores), None))


@cache
def _find_measured(chain: str) -> frozenset[str]:
    """Return the resolvers that the score of a chain belongs to: the last one and the parsers."""
    names = [name for name, _ in parse_chain(chain)]
    parsers = {name for name in names[:-1] if name in resolver_names() and get_resolver(name).kind == "parser"}
    return frozenset({names[-1], *parsers})
