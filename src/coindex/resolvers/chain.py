"""Chains of steps: "spacy(en_core_web_sm) + sieves + heads(merge)", each `Document -> Document`.

No mention in code, web addresses and markup: the filter that every chain of resolvers ends with.

`coindex.text.structure` describes which tokens are protected and why.
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
from typing import Any

from ..document import Document, Entity, Mention
from ..errors import CoindexError, DataWarning, quote, setting
from ..formats.registry import check_options
from ..text.language_names import language_code
from .clusters import given_mentions, without_entities, without_singletons, without_singletons_of_all
from .defaults import watch_languages
from .linguistics.languages import own_language
from .registry import MODULES, get_resolver
from .resolver import Mentions, Resolver, Step, Streaming, check_needs

INSIDE = frozenset({"emphasis"})
"""Reasons for which a token may not stand at the edge of a mention, but inside it."""


def unprotected(doc: Document) -> Document:
    """The document without mentions that overlap protected tokens; those at the edges of a mention are cut off."""
    protected = doc.tokens.protected
    if not protected or not doc.entities:
        return doc
    seen = {m.positions for entity in doc.entities for m in entity.mentions if protected.keys().isdisjoint(m.positions)}
    entities = [
        replace(entity, mentions=mentions)
        for entity in doc.entities
        if (mentions := tuple(_free(doc, entity, protected, seen)))
    ]
    kept = {entity.id for entity in entities}
    return doc.replace(
        entities=tuple(entities),
        bridges=tuple(bridge for bridge in doc.bridges if {bridge.entity, bridge.antecedent} <= kept),
        split_antecedents=tuple(split for split in doc.split_antecedents if {split.entity, *split.antecedents} <= kept),
    )


def _free(doc: Document, entity: Entity, protected: Mapping[int, str], seen: set[tuple[int, ...]]) -> Iterator[Mention]:
    """The mentions of an entity that may stay, as far as they may; one that became equal to another is left out."""
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
    """One step of a chain, with the options that it was called with."""

    resolver: Resolver
    options: Mapping[str, str]
    step: Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a chain is made from: small, and all that a pickled chain holds.

    A step is its name, its arguments, and the place where it is found: the same name, or the absolute path of a model
    folder, so that a process that works in another folder finds it too.
    """

    steps: tuple[tuple[str, tuple[str, ...], str], ...]
    mentions: Mentions = "detected"
    keep_entities: bool = False
    language: str | None = None
    singletons: bool = True
    find: Callable[[str], Resolver] = get_resolver

    def parts(self) -> tuple[Part, ...]:
        """Make the steps; weights are shared with other chains of this process."""
        made = []
        for name, arguments, place in self.steps:
            resolver = replace(self.find(place), name=name) if place != name else self.find(name)
            made.append(_made(resolver, list(arguments), self.mentions))
        return tuple(made)


class Chain:
    """Steps in order. Call it with a text or a document; `pipe` streams many.

    A chain can be pickled and copied: the copy holds its recipe, and loads its steps when it is first used.
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
        """The steps with their options, loaded when they are first needed."""
        return self.recipe.parts()

    @property
    def name(self) -> str:
        """The steps as `load` takes them: "spacy(model=en_core_web_sm) + sieves"."""
        return " + ".join(starmap(_spelled, ((part.resolver.name, part.options) for part in self.parts)))

    def __repr__(self) -> str:
        return f"<Chain: {' + '.join(name for name, _, _ in self.recipe.steps)}>"

    @property
    def collects(self) -> bool:
        """Whether some step looks at several documents together; one may do so only with certain options."""
        return any(getattr(part.step, "collects", part.resolver.collects) for part in self.parts)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages (ISO 639-1) that the resolver is for; none where any language will do."""
        return next((part.resolver.languages for part in self.parts if part.resolver.languages), ())

    def without_last(self) -> Chain:
        """Return the chain without its last step."""
        return Chain(replace(self.recipe, steps=self.recipe.steps[:-1], singletons=True))

    def __call__(self, doc: Document | str) -> Document:
        """Resolve a text or a document, and return the document with its entities.

        `doc` is a `str` or a `Document`. A text or document that is clearly in another language than the resolver is
        for gives a `LanguageWarning`.
        """
        (resolved,) = self.pipe([checked_input(doc)])
        return resolved

    def pipe(self, docs: Iterable[Document | str], *, batch_size: int = BATCH) -> Iterator[Document]:
        """Resolve texts or documents one after another, and yield the results in the same order, as they come.

        `batch_size` is how many documents a step sees at once. At the end of the stream a `LanguageWarning` counts
        the documents that are clearly in another language than the resolver is for, one warning per language.
        """
        return self.run(watch_languages(self._prepared(docs), self), batch_size=batch_size)

    def run(self, docs: Iterable[Document], *, batch_size: int = BATCH) -> Iterator[Document]:
        """Resolve prepared documents: no language is checked, and entities stay as they are."""
        stream = docs
        for part in self.parts:
            checked = map(partial(_checked, resolver=part.resolver), stream)
            if isinstance(part.step, Streaming):
                stream = part.step.pipe(checked, batch_size=batch_size)
            else:
                stream = map(part.step, checked)
        if self.mentions == "detected" and not self.keep_entities:
            stream = map(unprotected, stream)
        if self.singletons:
            return iter(stream)
        return without_singletons_of_all(stream) if self.collects else map(without_singletons, stream)

    def _prepared(self, docs: Iterable[Document | str]) -> Iterator[Document]:
        if isinstance(docs, str | bytes | Document) or not isinstance(docs, Iterable):
            raise TypeError(
                f"pipe expects an iterable of texts or documents, not {type(docs).__name__}; call the resolver itself "
                "for a single one: resolver(text)"
            )
        return (self.prepare(checked_input(doc, number)) for number, doc in enumerate(docs))

    def prepare(self, doc: Document | str) -> Document:
        """Return what the first step gets: a document with its language, and with entities only if they are kept."""
        if isinstance(doc, str):
            if not doc.strip():
                message = "an empty text becomes a document without words"
                warnings.warn(DataWarning(message, code="no-document"), stacklevel=4)
            doc = Document.from_text(doc, language=self.language)
        else:
            said = own_language(doc) or self.language
            if said != doc.language:
                doc = doc.replace(language=said)
        if self.keep_entities:
            return doc
        if self.mentions == "detected":
            return without_entities(doc)
        return given_mentions(doc, singletons=self.mentions == "given")


def checked_input(doc: object, number: int | None = None) -> Document | str:
    """Return a text or document; TypeError for anything else, with its `number` in the stream."""
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
        hint = "; make a document of it first: coindex.from_spacy(doc)"
    elif isinstance(doc, Iterable):
        hint = "; for several texts call resolver.pipe(texts), for lists of words use Document.from_tokens(sentences)"
    raise TypeError(f"{place}a resolver expects a text (str) or a coindex.Document, not {got}{hint}")


def _checked(doc: Document, resolver: Resolver) -> Document:
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
    keep_words: bool = False,
    find: Callable[[str], Resolver] = get_resolver,
) -> Chain:
    """The steps that a text such as "simple-rules + heads(merge)" names; `find` knows the resolver of a name.

    A path object names a model folder, whatever characters it has. `min_link`, `singletons` and `zeros` are said to the
    resolver that finds entities, if it has options of these names. With `keep_words` none of them adds empty nodes, for
    callers that go on with the tokens they have.
    """
    steps = parse_chain(text) if isinstance(text, str) else [(_folder_name(text), [])]
    named = [(find(name), arguments) for name, arguments in steps]
    _check_order([resolver for resolver, _ in named], mentions, keep_entities)
    if min_link is not None:
        named = _told(named, "min_link", f"{min_link:g}")
        if not any(argument.startswith("min_link") for _, arguments in named for argument in arguments):
            raise CoindexError(
                f"{text} gives links no probability, so min_link means nothing to it; expected a learned resolver such "
                "as en-small; leave it out, or choose another resolver",
                code="invalid-option",
            )
    if zeros is not None:
        if not any(_has(resolver, "zeros") for resolver, _ in named):
            raise CoindexError(
                f"{text} takes empty nodes as they are, so zeros={zeros} means nothing to it; expected a resolver that "
                "finds dropped subjects, such as xx-ud; leave it out, or choose another resolver",
                code="invalid-option",
            )
        named = _told(named, "zeros", zeros)
    elif keep_words:
        named = _told(named, "zeros", "given")
    if singletons is not None:
        named = _told(named, "singletons", "yes" if singletons else "no")
    recipe = Recipe(
        steps=tuple((resolver.name, tuple(arguments), _place(resolver.name)) for resolver, arguments in named),
        mentions=mentions,
        keep_entities=keep_entities,
        language=language_code(language),
        singletons=singletons is not False,
        find=find,
    )
    chain = Chain(recipe)
    assert chain.parts, "what is wrong with a name or option is reported now"
    return chain


def _folder_name(path: os.PathLike[str]) -> str:
    """Return a path that is not mistaken for the name of a resolver."""
    name = os.fspath(path)
    return name if os.sep in name or "/" in name else os.path.join(os.curdir, name)


def _place(name: str) -> str:
    """Return where a resolver is found from any folder."""
    return os.path.abspath(name) if name not in MODULES and os.path.isdir(name) else name


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
    """Names with their arguments: "a(x, n=1) + b" -> [("a", ["x", "n=1"]), ("b", [])].

    The path of an existing folder is that folder, whatever characters it has.
    """
    if ("/" in text or os.sep in text) and os.path.isdir(text):
        return [(text, [])]
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
        "each with its options in brackets if any; write for example 'simple-rules + heads(merge)'",
        code="invalid-chain",
    )


def _check_order(resolvers: list[Resolver], mentions: Mentions, keep_entities: bool) -> None:
    """Entities come from one resolver at most, before every step that changes them."""
    finders = [resolver.name for resolver in resolvers if resolver.kind in ("rules", "learned")]
    if len(finders) > 1 or (finders and keep_entities):
        begun = "entities kept from the input" if keep_entities else finders[0]
        raise CoindexError(
            f"{finders[-1]} finds entities from scratch, so nothing would be left of {begun}; expected one "
            "resolver followed by steps; leave one of them out",
            code="invalid-chain",
        )
    has_entities = keep_entities or mentions != "detected"
    for resolver in resolvers:
        if resolver.kind == "step" and not has_entities:
            raise CoindexError(
                f"{resolver.name} is a step that changes entities, and there are none yet; expected a resolver "
                f"before it, as in 'sieves + {resolver.name}', or {setting('keep_entities')} to start with "
                "those of the input",
                code="invalid-chain",
            )
        has_entities = has_entities or resolver.kind in ("rules", "learned")


def _made(resolver: Resolver, arguments: list[str], mentions: Mentions) -> Part:
    options: dict[str, str] = {}
    for argument in arguments:
        name, equals, value = (piece.strip() for piece in argument.partition("="))
        if not equals:  # a bare value belongs to the first option
            if not resolver.options:
                raise CoindexError(
                    f"{resolver.name} has no options, but was given {quote(argument)}; leave it out",
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


def _spelled(name: str, options: Mapping[str, str]) -> str:
    return f"{name}({', '.join(f'{key}={value}' for key, value in options.items())})" if options else name


PATH = Path(__file__).with_name("scores.json")
CONLL = "CoNLL"
TELLING = {
    "singleton": "CoNLL with singletons",  # without them nothing is left of it
    "nearest-np": "F1 of ARE task 3",  # it resolves pronouns only
    "head-lemma": "CoNLL of events",  # what it is known for
}
"""The measure that tells most about a resolver, where it is not CoNLL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A number with all that it takes to get it again."""

    chain: str
    corpus: str
    mentions: str
    measure: str
    """The name of the number, such as CoNLL."""
    number: float
    """In percent."""
    signature: str
    version: str
    """That of coindex when it was measured."""

    def __str__(self) -> str:
        chain = f" in '{self.chain}'" if {"+", "("} & set(self.chain) else ""
        given = "" if self.mentions == "detected" else f", {self.mentions} mentions"
        return f"{self.number:.1f} {self.measure}{chain} on {self.corpus}{given}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@cache
def all_scores() -> tuple[Measured, ...]:
    """Every score, those on the main corpora and of the main chains first."""
    return tuple(Measured(**row) for row in json.loads(PATH.read_text(encoding="utf-8"))["scores"])


def scores_of(name: str) -> list[Measured]:
    """The scores of a resolver: of chains that it ends, for that is what they measure; a parser, of those it is in."""
    return [score for score in all_scores() if name in _measured(score.chain)]


def telling_score(name: str) -> Measured | None:
    """The one number to show beside a resolver: the first by its measure; a parser's, where it fills all columns."""
    scores = scores_of(name)
    if get_resolver(name).kind == "parser":
        scores = [score for score in scores if "columns=" not in score.chain]
    wanted = TELLING.get(name, CONLL)
    return next((score for score in scores if score.measure == wanted), next(iter(scores), None))


@cache
def _measured(chain: str) -> frozenset[str]:
    names = [name for name, _ in parse_chain(chain)]
    parsers = {name for name in names[:-1] if name in MODULES and get_resolver(name).kind == "parser"}
    return frozenset({names[-1], *parsers})
