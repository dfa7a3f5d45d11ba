"""`xx-ud`, the included model for text with dependency trees. Its weights are loaded on first use."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from ...document import Document
from ...formats.registry import Option
from ..resolver import Resolver, Step, find_shipped_folder, probability
from .zeros import ZEROS, Zeros

if TYPE_CHECKING:
    from .zeros import ZeroTable

NAME = "xx-ud"
BY_LANGUAGE = "language"
"""The style of the corpus for the language of the document."""
NO_STYLE = "none"


def model_folder() -> Path:
    """Return the folder of the included weights."""
    return find_shipped_folder(NAME)


def is_there() -> bool:
    """Return whether the weights are installed."""
    return (model_folder() / "model.json").is_file()


@dataclass(frozen=True)
class UdStep:
    """A step that predicts dropped subjects, resolves entities, and finds split antecedents."""

    folder: Path
    mentions: str
    zeros: Zeros = "predict"
    style: str = BY_LANGUAGE
    singletons: bool = False
    min_link: float = 0.0
    name: str = NAME

    def __call__(self, doc: Document) -> Document:
        from .split_antecedents import link_splits
        from .zeros import predict_zeros

        if self.zeros == "predict" and self.mentions == "detected" and self._table is not None:
            doc = predict_zeros(doc, self._table)
        resolved = self._resolve(doc)
        return link_splits(resolved, self.name) if self.mentions == "detected" else resolved

    def pipe(self, docs: Iterable[Document], *, batch_size: int = 1) -> Iterator[Document]:
        """Yield the resolved documents in order."""
        return map(self, docs)

    @cached_property
    def _resolve(self) -> Step:
        from .resolver import make_step
        from .zeros import ignore_nodes

        style = None if self.style == BY_LANGUAGE else "" if self.style == NO_STYLE else self.style
        step = make_step(
            self.folder,
            mentions=self.mentions,
            singletons=self.singletons,
            style=style,
            min_link=self.min_link,
            name=self.name,
        )
        return ignore_nodes(step) if self.zeros == "ignore" else step

    @cached_property
    def _table(self) -> ZeroTable | None:
        from .resolver import load_model
        from .zeros import ZeroTable

        data = load_model(self.folder).description.get("zeros")
        return ZeroTable.from_dict(data) if data else None


def make_model(
    folder: Path,
    *,
    mentions: str,
    zeros: Zeros = "predict",
    style: str = BY_LANGUAGE,
    singletons: str = "no",
    min_link: str = "0",
    name: str = NAME,
) -> Step:
    """Return the step of a model folder with these options."""
    return UdStep(folder, mentions, zeros, style, singletons == "yes", probability(min_link), name)


def folder_resolver(path: str) -> Resolver:
    """Return the resolver of a model folder written by `coindex train`."""
    from ..neural.folder import COMMON_KEYS, read_description

    name = str(read_description(Path(path), check_files=False, keys=COMMON_KEYS).get("name", path))
    return Resolver(
        name=path,
        kind="learned",
        summary=f"{name}, a trained model for Universal Dependencies, from a folder",
        make=partial(make_model, Path(path), name=name),
        needs=("trees",),
        licence="see the model",
        options=_options(Path(path)),
    )


def _options(folder: Path) -> tuple[Option, ...]:
    return (
        Option("zeros", tuple(ZEROS), "; ".join(f"{name}: {what}" for name, what in ZEROS.items())),
        Option(
            "style",
            (BY_LANGUAGE, NO_STYLE, *_styles(folder)),
            "corpus whose annotation style is followed; language: that of the document's language, if there is one",
        ),
        Option("singletons", ("no", "yes"), "whether to keep mentions without a link"),
        Option("min_link", (), "lowest probability of a link, from 0 to 1"),
    )


def _styles(folder: Path) -> tuple[str, ...]:
    """Return the styles of the weights; errors in the folder are reported when the model is used."""
    try:
        known: dict[str, object] = json.loads((folder / "model.json").read_text(encoding="utf-8"))["styles"]
        return tuple(name for name in known if name)
    except (OSError, ValueError, LookupError, TypeError):
        return ()


RESOLVER = Resolver(
    name=NAME,
    kind="learned",
    summary="small model over UD trees, trained on six European languages; finds zeros and gives probabilities",
    make=lambda **options: make_model(model_folder(), **options),
    needs=("trees",),
    licence="CC BY-NC-SA 4.0, as its training data",
    source="Straka and Straková 2022 (the task: CorefUD, zeros as mentions); weights trained for coindex",
    options=_options(model_folder()),
)
