"""The resolvers by name. A dull table: each name is a module here with a `RESOLVER`, imported when it is needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from ..document import Document
from ..errors import UnknownNameError
from ..formats.registry import Option

MODULES = {
    "en-small": "neural.en_small",
    "xx-ud": "ud.xx_ud",
    "singleton": "rules.singleton",
    "heads": "rules.heads",
    "spacy": "parsers.spacy",
    "natasha": "parsers.natasha",
    "simple-rules": "rules.simple_rules",
    "propn-merge": "rules.propn_merge",
    "ne-post": "rules.ne_post",
    "nearest-np": "rules.nearest_np",
    "are-baseline": "rules.are_baseline",
    "head-lemma": "rules.head_lemma",
    "cross": "cross.resolver",
    "en-cross": "cross.en_cross",
    "sieves": "sieves",
}

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


def get_resolver(name: str) -> Resolver:
    """The resolver of that name, or of a model folder if the name is a path ("./mine")."""
    if name not in MODULES and ("/" in name or os.sep in name):
        from .neural.model import folder_resolver

        return folder_resolver(name)
    if name not in MODULES:
        raise UnknownNameError("resolver", name, MODULES)
    found: Resolver = import_module(f"{__package__}.{MODULES[name]}").RESOLVER
    return found


def shipped_folder(name: str) -> Path:
    """Where the weights of a model are that comes with the package."""
    return Path(str(files(__package__.partition(".")[0]))) / "models" / name


def all_resolvers() -> list[Resolver]:
    """Every resolver, in the order of the table."""
    return [get_resolver(name) for name in MODULES]
