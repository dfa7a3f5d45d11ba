"""What is measured by name: a chain such as "spacy(MODEL) + sieves", or the folder of a model.

`FOLDER@gum` is a model with the annotation scheme `gum`; without it the model uses none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coindex
from coindex import Document
from coindex.resolvers.neural.folder import DESCRIPTION, load_resolver, read_description
from coindex.resolvers.neural.resolving import NeuralResolver
from coindex.resolvers.neural.runtime import GRAPHS

Pipe = Callable[[Iterable[Document]], Iterator[Document]]


@dataclass(frozen=True)
class System:
    """A resolver that is ready. `description` is what a model folder says of itself."""

    name: str
    pipe: Pipe
    description: dict[str, Any] = field(default_factory=dict)
    megabytes: float | None = None
    """Size of the model's files."""

    @property
    def short_name(self) -> str:
        """Without the annotation scheme: a name for files and headings."""
        return str(self.description["config"]["name"]) if self.description else self.name


def load_system(text: str) -> System:
    """Load the chain or the model of this name."""
    folder, _, scheme = text.partition("@")
    if not (Path(folder) / DESCRIPTION).is_file():
        chain = coindex.load(text, language="en")
        return System(chain.name, chain.pipe)
    return _model(Path(folder), scheme or None)


def _model(folder: Path, scheme: str | None) -> System:
    description = read_description(folder)
    resolver: NeuralResolver
    if (folder / GRAPHS[0]).is_file():
        resolver = load_resolver(folder, corpus=scheme)
        runtime = "onnxruntime"
    else:
        from coindex.training.neural.folder import load_model

        resolver = load_model(folder).resolver(scheme)
        runtime = "torch"
    name = f"{description['config']['name']} ({runtime}{f', {scheme}' if scheme else ''})"
    size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
    return System(name, resolver.pipe, description, size / 2**20)
