"""Model folders of cross-document coreference: graphs, vocabulary, pair scorers, and the tags of the mention tagger.

A mention is a run of tags: outside, first word of a mention of some type, inside it.

Flat mentions as tags of words: outside, the first word of a mention of some type, one further inside it.

Events and entities have tags of their own, since a word may be in one of each; within a kind mentions do not nest.

`lower.onnx` has the embeddings and the lowest layers of an encoder, `plain.onnx` the layers above as the encoder came,
`tags.onnx` the same layers as they were tuned to find mentions. Both stand on the lower part, which is stored once.
`entity.npz` and `event.npz` score pairs, if there are any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...document import Kind, Span
from ...errors import CoindexError, MissingPackageError
from ..neural.folder import TOKENIZER, ModelFolderError, make_pieces, read_description
from ..neural.runtime import Sessions
from ..neural.words import Floats, Ints, Pieces
from .collection import KINDS
from .windows import Windows

OUTSIDE = 0
IMPOSSIBLE = np.float32(-1e9)


class Found(NamedTuple):
    """A mention: its words, and how probable it is."""

    start: int
    end: int
    probability: float


@dataclass(frozen=True)
class KindTags:
    """The tags of one kind. `bias` is added to the score of being outside: below 0 more mentions are found.

    Tag 0 is outside; type n begins with tag 1 + 2n and goes on with tag 2 + 2n.
    """

    types: tuple[str, ...]
    bias: float = 0.0

    @property
    def outputs(self) -> int:
        return 1 + 2 * len(self.types)

    @cached_property
    def _barred(self) -> Floats:
        """[tags, tags]: what stands against a tag after another: it goes on with what is not there."""
        before, after = np.meshgrid(np.arange(self.outputs), np.arange(self.outputs), indexing="ij")
        goes_on = (after > 0) & (after % 2 == 0)
        fits = (before == after) | (before == after - 1)
        return np.where(goes_on & ~fits, IMPOSSIBLE, np.float32(0))

    def targets(self, spans: Iterable[tuple[Span, str]], words: int) -> Ints:
        """The tags of words for mentions with their types; of two that overlap the first one counts."""
        tags = np.zeros(words, dtype=np.int64)
        for (start, end), name in spans:
            if not tags[start:end].any():
                first = 1 + 2 * self.types.index(name)
                tags[start] = first
                tags[start + 1 : end] = first + 1
        return tags

    def decode(self, scores: Floats, sentences: Sequence[Span]) -> list[Found]:
        """The mentions of the likeliest tags that fit each other; `scores` are logarithms of probabilities."""
        biased = scores.copy()
        biased[:, OUTSIDE] += self.bias
        probability = np.exp(scores)
        inside = probability[:, 2::2].sum(axis=1)
        begins = probability[:, 1::2].sum(axis=1)
        return [
            Found(first, last, _probability(begins, inside, first, last, end))
            for start, end in sentences
            for first, last in _spans(self._best(biased[start:end]), start)
        ]

    def _best(self, scores: Floats) -> list[int]:
        """Viterbi over the words of a sentence."""
        total = scores[0] + self._barred[OUTSIDE]
        back = []
        for row in scores[1:]:
            # [tags before, tags]
            steps = total[:, None] + self._barred
            back.append(steps.argmax(axis=0))
            total = steps.max(axis=0) + row
        tags = [int(total.argmax())]
        for sources in reversed(back):
            tags.append(int(sources[tags[-1]]))
        return tags[::-1]


def _spans(tags: Sequence[int], start: int) -> list[Span]:
    spans: list[Span] = []
    begin = None
    for at, tag in enumerate([*tags, OUTSIDE], start):
        if begin is not None and (tag % 2 == 1 or tag == OUTSIDE):
            spans.append((begin, at))
            begin = None
        if tag % 2 == 1:
            begin = at
    return spans


def _probability(begins: Floats, inside: Floats, first: int, last: int, end: int) -> float:
    """That a mention of any type begins here, goes on, and ends here."""
    ends = 1 - inside[last] if last < end else 1.0
    return float(begins[first] * inside[first + 1 : last].prod() * ends)


def read_tags(data: Mapping[str, Any]) -> dict[Kind, KindTags]:
    """The tags that a model folder describes, in the order of its columns."""
    return {_kind(name): KindTags(tuple(values["types"]), float(values["bias"])) for name, values in data.items()}


def tags_description(tags: Mapping[Kind, KindTags]) -> dict[str, Any]:
    """What a model folder says of its tags."""
    return {kind: {"types": list(own.types), "bias": own.bias} for kind, own in tags.items()}


def _kind(name: str) -> Kind:
    if name not in ("entity", "event"):
        raise ValueError(f"unknown kind {name!r}")
    return "event" if name == "event" else "entity"


KIND = "cross"
"""What such a folder says that it is."""
LOWER, PLAIN, TAGS = "lower.onnx", "plain.onnx", "tags.onnx"
GRAPHS = (LOWER, PLAIN, TAGS)
SCORERS: Mapping[Kind, str] = {kind: f"{kind}.npz" for kind in KINDS}
KEYS = ("config", "tags", "weights")
"""What the description has."""

# Names of inputs and outputs, in the order of the parts that were exported.
LOWER_INPUTS, LOWER_OUTPUTS = ("ids", "mask"), ("states",)
PLAIN_INPUTS, PLAIN_OUTPUTS = ("states", "mask"), ("vectors",)
TAG_INPUTS, TAG_OUTPUTS = ("states", "mask", "piece_index", "piece_weight", "word_shapes"), ("tags",)


@dataclass(frozen=True, eq=False)
class CrossModel:
    """An opened folder."""

    folder: Path
    name: str
    sessions: Sessions
    pieces: Pieces
    tags: Mapping[Kind, KindTags]
    windows: Windows
    limit: int
    """The most pieces of a window."""
    scorers: Mapping[Kind, Path]
    """The files of pair scorers."""


def describe(folder: Path, *, check_files: bool = True) -> dict[str, Any]:
    """What the folder says of itself; a model of another kind is refused."""
    data = read_description(folder, check_files=check_files, keys=KEYS)
    if data.get("kind") != KIND:
        raise ModelFolderError(
            "this model resolves single documents; expected a model for cross-document coreference; use this one "
            "without model=, or pass it as chains=",
            code="wrong-model-kind",
            path=folder,
        )
    return data


def open_model(folder: str | Path, *, threads: int = 0) -> CrossModel:
    """The model of a folder; opened once, however many ask for it."""
    path = Path(folder)
    data = describe(path)
    lacking = [name for name in (*GRAPHS, TOKENIZER) if name not in data["weights"]]
    if lacking:
        raise ModelFolderError(f"the model has no {lacking[0]}; train it again", code="invalid-model", path=path)
    config = data["config"]
    try:
        name, tags = str(config["name"]), read_tags(data["tags"])
        windows, limit = config["model"]["windows"], int(config["model"]["window"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelFolderError(
            f"invalid tags or windows in model.json ({error!r}); train the model again",
            code="invalid-model",
            path=path,
        ) from error
    sessions, pieces = _open(path.resolve(), tuple(data["weights"].items()), threads)
    scorers = {kind: path / file for kind, file in SCORERS.items() if file in data["weights"]}
    return CrossModel(path, name, sessions, pieces, tags, windows, limit, scorers)


@lru_cache(maxsize=2)
def _open(folder: Path, weights: tuple[tuple[str, str], ...], threads: int) -> tuple[Sessions, Pieces]:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingPackageError("tokenizers") from error
    try:
        return Sessions(folder, GRAPHS, threads=threads), make_pieces(Tokenizer.from_file(str(folder / TOKENIZER)))
    except CoindexError:
        raise
    except Exception as error:  # both packages raise kinds of their own for a file that they cannot use
        first = next(iter(str(error).splitlines()), type(error).__name__)
        raise ModelFolderError(
            f"cannot load the model ({first}); install newer versions of onnxruntime and tokenizers, or train the "
            "model again",
            code="invalid-model",
            path=folder,
        ) from error
