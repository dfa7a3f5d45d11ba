"""The definition of a resolver, and the checks of what it needs from a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from ..document import Document
from ..document.heads import Trees
from ..engines import Workers
from ..errors import CoindexError, quote
from ..formats.registry import Option

Kind = Literal["rules", "step", "parser", "learned"]
"""`rules` and `learned` find entities; a `step` changes entities; a `parser` adds UD columns or named entities."""
Mentions = Literal["detected", "given", "given-nonsingleton"]
MENTIONS: tuple[Mentions, ...] = ("detected", "given", "given-nonsingleton")
Need = Literal["trees", "tags", "lemmas", "mentions", "names"]

Step = Callable[[Document], Document]


@runtime_checkable
class Streaming(Protocol):
    """A step that processes a stream of documents, in batches or across documents."""

    def __call__(self, doc: Document) -> Document: ...

    def pipe(self, docs: Iterable[Document], *, batch_size: int) -> Iterator[Document]: ...


@runtime_checkable
class Distributing(Protocol):
    """A step that resolves several documents together and distributes that work."""

    def __call__(self, doc: Document) -> Document: ...

    def distribute(self, docs: Iterable[Document], workers: Workers | int) -> Iterator[Document]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """The description of a resolver, as `coindex resolvers` lists it.

    `make` takes the options as keyword arguments (strings) and returns the step. For the kinds `rules` and `learned`
    it also takes `mentions="detected"` or `mentions="given"`. With given mentions, the input has one entity per
    mention, and the resolver decides which of them corefer.
    """

    name: str
    kind: Kind
    summary: str
    make: Callable[..., Step]
    needs: tuple[Need, ...] = ()
    languages: tuple[str, ...] = ()
    """ISO 639-1 codes; empty if the resolver works for any language."""
    mentions: tuple[Literal["detected", "given"], ...] = ("detected", "given")
    licence: str = "Apache-2.0"
    source: str = ""
    """The publication that describes it."""
    options: tuple[Option, ...] = field(default=())
    collects: bool = False
    """Whether it resolves several documents together, so that they cannot be distributed over processes."""
    install: str = ""
    """The command that installs it; empty if it is installed."""


def find_shipped_folder(name: str) -> Path:
    """Return the folder of a model that is included in the package."""
    return Path(str(files(__package__.partition(".")[0]))) / "models" / name


PARSE = "parse it first, as in 'spacy(MODEL) + {name}' or, for Russian, 'natasha + {name}' (see coindex resolvers)"

# need -> (check of a document, what is missing, what to do)
CHECKS: dict[Need, tuple[Callable[[Document], bool], str, str]] = {
    "trees": (lambda doc: Trees(doc).has_trees, "no dependency tree", PARSE),
    "tags": (lambda doc: any(token.upos != "_" for token in doc.tokens), "no part-of-speech tags", PARSE),
    "lemmas": (lambda doc: any(token.lemma != "_" for token in doc.tokens), "no lemmas", PARSE),
}


class MissingLayerError(CoindexError):
    """Raised if a document lacks an annotation layer that a resolver needs."""

    default_code = "missing-layer"


def display_name(doc: Document) -> str:
    """Return the id of a document for messages, shortened and printable."""
    return quote(doc.id or "document")[1:-1]


def check_needs(doc: Document, resolver: Resolver) -> None:
    """Raise an error if the document lacks something that the resolver needs; empty documents always pass."""
    if not len(doc.tokens):
        return
    for need in resolver.needs:
        if need in CHECKS:
            has, missing, remedy = CHECKS[need]
            if not has(doc):
                raise MissingLayerError(
                    f"{display_name(doc)}: {missing}; {resolver.name} needs {need}; {remedy.format(name=resolver.name)}"
                )


SCHEME = "scheme"
"""The option of a model that names the annotation scheme."""
NO_SCHEME = "none"


def model_options(schemes: Sequence[str], *, singletons: bool = True) -> tuple[Option, ...]:
    """Return the options of a model that was trained on these annotation schemes."""
    choices = ("yes", "no") if singletons else ("no", "yes")  # the default first
    return (
        Option(SCHEME, tuple(schemes), "corpus whose annotation scheme is followed"),
        Option("singletons", choices, "whether to keep mentions without a link"),
        Option("min_link", (), "lowest probability of a link, from 0 to 1"),
        Option("constraints", (), "rules on links: all, none, names joined by /, or - and the names to leave out"),
    )


def probability(text: str) -> float:
    """Parse a number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise CoindexError(
            f"min_link: {quote(text)} is not a probability; expected a number from 0 to 1",
            code="invalid-option",
        )
    return value
