"""The model folder of cross-document coreference: graphs, vocabulary, pair scorers, and what they are.

`lower.onnx` has the embeddings and the lowest layers of an encoder, `plain.onnx` the layers above as the encoder came,
`tags.onnx` the same layers as they were tuned to find mentions. Both stand on the lower part, which is stored once.
`entity.npz` and `event.npz` score pairs, if there are any.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...document import Kind
from ...errors import CoindexError, MissingPackageError
from ..neural.folder import TOKENIZER, ModelFolderError, make_pieces, read_description
from ..neural.runtime import Sessions
from ..neural.words import Pieces
from .collection import KINDS
from .tags import KindTags, read_tags
from .windows import Windows

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
            "a model of single documents; expected one of cross-document coreference; use it without "
            "model=, or name it with chains=",
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
        raise ModelFolderError(
            f"a model without {lacking[0]}; expected a whole one; train it anew", code="invalid-model", path=path
        )
    config = data["config"]
    try:
        name, tags = str(config["name"]), read_tags(data["tags"])
        windows, limit = config["model"]["windows"], int(config["model"]["window"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelFolderError(
            f"model.json cannot be used ({error!r}); expected tags and windows; train it anew",
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
            f"cannot be loaded ({first}); expected a model that these versions of onnxruntime and tokenizers "
            "can use; install newer ones, or train it anew",
            code="invalid-model",
            path=folder,
        ) from error
