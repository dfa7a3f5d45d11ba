"""What a resolver is, and what each needs of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from ..document import Document
from ..document.heads import Trees
from ..errors import CoindexError, quote
from ..formats.registry import Option

Kind = Literal["rules", "step", "parser", "learned"]
"""`rules` and `learned` find entities; a `step` changes those it is given; a `parser` fills UD columns or names."""
Mentions = Literal["detected", "given", "given-nonsingleton"]
MENTIONS: tuple[Mentions, ...] = ("detected", "given", "given-nonsingleton")
Need = Literal["trees", "tags", "lemmas", "mentions", "names"]

Step = Callable[[Document], Document]


@runtime_checkable
class Streaming(Protocol):
    """A step that wants to see many documents: to work in batches, or across documents."""

    def __call__(self, doc: Document) -> Document: ...

    def pipe(self, docs: Iterable[Document], *, batch_size: int) -> Iterator[Document]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """What is known of a resolver before it is made: the row of `coindex resolvers`.

    `make` takes the options as strings, by name, and returns the step. A resolver of kind `rules` or `learned` is also
    told `mentions="detected"` or `mentions="given"`; with the latter, every mention of the input is an entity of its
    own, and the resolver says which of them belong together.
    """

    name: str
    kind: Kind
    summary: str
    make: Callable[..., Step]
    needs: tuple[Need, ...] = ()
    languages: tuple[str, ...] = ()
    """ISO 639-1 codes; none where any language will do."""
    mentions: tuple[Literal["detected", "given"], ...] = ("detected", "given")
    licence: str = "Apache-2.0"
    source: str = ""
    """The publication that describes it."""
    options: tuple[Option, ...] = field(default=())
    collects: bool = False
    """Whether it looks at several documents together, so that they cannot be spread over processes."""


def shipped_folder(name: str) -> Path:
    """Where the weights of a model are that comes with the package."""
    return Path(str(files(__package__.partition(".")[0]))) / "models" / name


PARSE = "parse it first, as in 'spacy(MODEL) + {name}' or, for Russian, 'natasha + {name}' (coindex resolvers)"

# need -> (whether a document has it, what was found, what to do)
CHECKS: dict[Need, tuple[Callable[[Document], bool], str, str]] = {
    "trees": (lambda doc: Trees(doc).has_trees, "no dependency tree", PARSE),
    "tags": (lambda doc: any(token.upos != "_" for token in doc.tokens), "no part-of-speech tags", PARSE),
    "lemmas": (lambda doc: any(token.lemma != "_" for token in doc.tokens), "no lemmas", PARSE),
}


class MissingLayerError(CoindexError):
    """A document without the layer that a resolver works on."""

    default_code = "missing-layer"


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


NO_SCHEME = "none"


def model_options(schemes: Sequence[str], *, singletons: bool = True) -> tuple[Option, ...]:
    """What can be chosen of a model that knows these annotation schemes."""
    kept = ("yes", "no") if singletons else ("no", "yes")
    return (
        Option("scheme", tuple(schemes), "the corpus whose way of annotating is followed"),
        Option("singletons", kept, "whether mentions without a link are kept"),
        Option("min_link", (), "the least probability of a link, from 0 to 1"),
    )


def probability(text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise CoindexError(
            f"min_link {quote(text)}: no probability; expected a number from 0 to 1; choose another",
            code="invalid-option",
        )
    return value
