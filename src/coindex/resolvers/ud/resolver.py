"""The trained UD resolver and its model folder: candidates from trees, scores of a model, entities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...document import Document, Mention
from ...document.entities import DETECTION
from ...document.heads import Trees
from ...errors import CoindexError, UnknownNameError, setting
from ..clusters import add_provenance, with_clusters
from ..linguistics.languages import language_of
from ..neural.folder import DESCRIPTION, read_description
from ..neural.pairs import Pairs as LinkPairs
from ..neural.resolving import EntityLinker, LinkOptions
from ..neural.words import Floats
from ..resolver import Step, display_name
from ..sieves.candidates import Candidate
from .candidates import Reading, Style, mention_positions, read_document, read_style, remove_shared
from .mentions import LabelTable, word_types
from .network import Scores, score_document
from .pairs import describe_document

WEIGHTS = "weights.npz"
MEMBER = ":"
"""The separator between the number of a network and the name of a weight."""
KEYS = ("config", "labels", "styles", "default_styles", "options", "weights")
"""Required keys of the description."""


@dataclass(frozen=True, slots=True)
class UdOptions:
    """Options of decoding. `new_bias` is added to the score of starting a new entity.

    For documents without a known style, where the model is less certain, `unknown_bias` is added instead.
    """

    new_bias: float = 0.0
    unknown_bias: float = 0.0
    min_linked: float = 0.05


@dataclass(frozen=True)
class UdModel:
    """A loaded model. Style 0 is that of no corpus."""

    name: str
    table: LabelTable
    styles: Mapping[str, Style]
    """The styles by the name of the corpus, in the order of their numbers; "" is for unknown corpora."""
    default_styles: Mapping[str, str]
    """The default styles by language."""
    members: Sequence[Mapping[str, Floats]]
    """The weights of the networks, whose scores are averaged."""
    options: UdOptions = field(default_factory=UdOptions)
    description: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path) -> UdModel:
        """Load the model of a folder."""
        description = read_description(folder, keys=KEYS)
        if description.get("kind") != "ud":
            raise CoindexError(
                "not a model for UD columns; choose the folder of such a model",
                code="wrong-model-kind",
                path=folder / DESCRIPTION,
            )
        with np.load(folder / WEIGHTS) as arrays:
            members: dict[str, dict[str, Floats]] = {}
            for name in arrays.files:
                member, _, weight = name.partition(MEMBER)
                members.setdefault(member, {})[weight] = arrays[name].astype(np.float32)
        return cls(
            name=description["name"],
            table=LabelTable.of(description["labels"]),
            styles={name: read_style(style) for name, style in description["styles"].items()},
            default_styles=description["default_styles"],
            members=tuple(members.values()),
            options=UdOptions(**description["options"]),
            description=description,
        )

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that the model was trained on."""
        return tuple(sorted(self.default_styles))

    def style_of(self, language: str) -> str:
        """Return the style for documents of a language, or "" for a language without training data."""
        return self.default_styles.get(language, "")

    def style_number(self, style: str) -> int:
        return list(self.styles).index(style)


LIKELY = 0.5
"""Lowest probability of a singleton."""


@dataclass(frozen=True)
class UdResolver:
    """Resolves documents with a model; `style` is the corpus whose annotation style is followed.

    By default, the style depends on the language of the document.
    """

    model: UdModel
    name: str = "xx-ud"
    style: str | None = None
    given: bool = False
    """Whether only the given mentions of the document are resolved."""
    singletons: bool = False
    options: UdOptions | None = None
    min_link: float = 0.0
    """Lowest probability of a link."""

    def __post_init__(self) -> None:
        if self.style and self.style not in self.model.styles:
            raise UnknownNameError("style", self.style, [name for name in self.model.styles if name])

    def __call__(self, doc: Document) -> Document:
        if not len(doc.tokens):
            return with_clusters(doc, ())
        if not Trees(doc).has_trees:
            raise CoindexError(
                f"{display_name(doc)}: no dependency tree; parse the text first, for example with "
                f"{setting('parser', 'spacy(MODEL)')}, or supply it as CoNLL-U with trees",
                code="missing-layer",
            )
        reading = read_document(doc, given_only=self.given)
        if not reading.candidates:
            return with_clusters(doc, ())
        return self._resolve(reading)

    def pipe(self, docs: Iterable[Document], *, batch_size: int = 1) -> Iterator[Document]:
        """Yield the resolved documents in order."""
        return map(self, docs)

    def _resolve(self, reading: Reading) -> Document:
        model, options = self.model, self.options or self.model.options
        style = model.style_of(language_of(reading.doc).code) if self.style is None else self.style
        described = describe_document(reading)
        scores = score_document(
            model.members,
            word_types(reading.words, model.table),
            described,
            model.style_number(style),
            min_linked=0.0 if self.given else options.min_linked,
        )
        bias = options.new_bias if style else options.unknown_bias
        linker = EntityLinker(LinkOptions(min_link=self.min_link, new_bias=bias))
        pairs = described.pairs.some(scores.kept)
        # the linker uses only the indices of pairs
        linker.add(LinkPairs(pairs.anaphor, pairs.candidate, pairs.classes[:, None]), scores.pairs, scores.new)
        return self._assemble(reading, scores, linker, model.styles[style])

    def _assemble(self, reading: Reading, scores: Scores, linker: EntityLinker, style: Style) -> Document:
        clusters: dict[int, list[int]] = {}
        for number in range(len(reading.candidates)):
            clusters.setdefault(linker.entity[number], []).append(number)
        groups: list[list[Mention]] = []
        used: set[tuple[int, ...]] = set()
        for members in clusters.values():
            is_alone = len(members) == 1
            if is_alone and not self._is_kept(scores.mention[members[0]]):
                continue
            sure = scores.mention if is_alone else scores.linked
            group = []
            for number in members:
                candidate = reading.candidates[number]
                mention = candidate.mention or _mention(reading, candidate, style, used, float(sure[number]))
                if mention is not None:
                    by = f"{self.name}/{'link' if linker.is_link[number] else 'new'}"
                    group.append(add_provenance(mention, by, linker.probability[number]))
            if len(group) > 1 or (group and (self.given or self.singletons)):
                groups.append(group)
        return with_clusters(reading.doc, groups)

    def _is_kept(self, probability: float) -> bool:
        """Return whether a singleton is kept."""
        return self.given or (self.singletons and probability >= LIKELY)


def _mention(
    reading: Reading, candidate: Candidate, style: Style, used: set[tuple[int, ...]], sure: float
) -> Mention | None:
    """Return the mention of a candidate in a style, or None if its span is already used."""
    positions = remove_shared(mention_positions(reading.words, candidate, style), candidate.head, reading.shared)
    if positions in used:
        positions = tuple(range(candidate.start, candidate.end))
    if positions in used:
        return None
    used.add(positions)
    return Mention(reading.doc.tokens, positions, candidate.head, {DETECTION: f"{sure:.4f}"})


@cache
def load_model(folder: Path) -> UdModel:
    """Load a model once per process."""
    return UdModel.load(folder)


def make_step(
    folder: Path,
    *,
    mentions: str,
    singletons: bool = False,
    style: str | None = None,
    min_link: float = 0.0,
    name: str = "xx-ud",
) -> Step:
    """Return the resolver of a model folder."""
    return UdResolver(
        load_model(folder),
        name=name,
        style=style,
        given=mentions == "given",
        singletons=singletons,
        min_link=min_link,
    )
