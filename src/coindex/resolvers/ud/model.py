"""A trained model: what it knows of labels and styles, its weights, and the resolver that it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import CoindexError
from ..neural.folder import DESCRIPTION, read_description
from ..neural.words import Floats
from .labels import LabelTable
from .styles import Style, read_style

WEIGHTS = "weights.npz"
MEMBER = ":"
"""Between the number of a network and the name of its weight."""
KEYS = ("config", "labels", "styles", "default_styles", "options", "weights")
"""What the description of such a model has."""


@dataclass(frozen=True, slots=True)
class UdOptions:
    """How scores become entities. `new_bias` is added to the score of beginning an entity.

    Where a document is of no known style, `unknown_bias` is: there the model is less sure of what is annotated.
    """

    new_bias: float = 0.0
    unknown_bias: float = 0.0
    min_linked: float = 0.05


@dataclass(frozen=True)
class UdModel:
    """All that a resolver needs. Style 0 is that of no corpus."""

    name: str
    table: LabelTable
    styles: Mapping[str, Style]
    """By the name of the corpus, in the order of their numbers, which begin with 1; "" is for unknown corpora."""
    default_styles: Mapping[str, str]
    """By language."""
    members: Sequence[Mapping[str, Floats]]
    """The weights of networks whose scores are averaged."""
    options: UdOptions = field(default_factory=UdOptions)
    description: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path) -> UdModel:
        """The model of a folder."""
        description = read_description(folder, keys=KEYS)
        if description.get("kind") != "ud":
            raise CoindexError(f"{folder / DESCRIPTION}: no model over UD columns; expected one; name its folder")
        with np.load(folder / WEIGHTS) as arrays:
            members: dict[str, dict[str, Floats]] = {}
            for name in arrays.files:
                member, _, weight = name.partition(MEMBER)
                members.setdefault(member, {})[weight] = arrays[name].astype(np.float32)
        return cls(
            name=description["name"],
            table=LabelTable.of(description["labels"]),
            styles={name: read_style(one) for name, one in description["styles"].items()},
            default_styles=description["default_styles"],
            members=tuple(members.values()),
            options=UdOptions(**description["options"]),
            description=description,
        )

    @property
    def languages(self) -> tuple[str, ...]:
        """Those that the model was trained on."""
        return tuple(sorted(self.default_styles))

    def style_of(self, language: str) -> str:
        """The style for documents of a language; that of unknown corpora where it was not trained on."""
        return self.default_styles.get(language, "")

    def style_number(self, style: str) -> int:
        return list(self.styles).index(style)
