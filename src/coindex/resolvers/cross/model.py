"""Model folders for cross-document coreference: graphs, vocabulary, pair scorers, and the tags of the mention tagger.

`lower.onnx` contains the embeddings and the lowest layers of an encoder, `plain.onnx` the original upper layers, and
`tags.onnx` the upper layers fine-tuned to find mentions. Both use the output of the lower part, which is stored once.
`entity.npz` and `event.npz`, if present, score pairs.

Mentions are tagged as flat spans: outside, first word of a mention of some type, inside. Events and entities have
separate tags, because a word can belong to one of each; within a kind, mentions do not nest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ...document import Document, Kind, Span
from ...document.documents import is_validated
from ...errors import CoindexError, MissingPackageError
from ..neural.folder import TOKENIZER, ModelFolderError, make_pieces, read_description
from ..neural.runtime import Sessions
from ..neural.windows import Batch, Context, join_batches, make_batch, make_windows
from ..neural.words import DocumentWords, Floats, Ints, Pieces, document_words
from .collection import KINDS

Windows = Literal["sentence", "document", "validated"]
"""Each sentence alone; with as much context as fits; or with context from validated sentences only."""
AT_ONCE = 512
"""Number of pieces in a batch, including padding; the states of larger ones do not fit into the cache."""


@dataclass(frozen=True, slots=True)
class Text:
    """A document as the input of an encoder."""

    words: DocumentWords
    pieces: list[tuple[int, ...]]
    windows: list[Span]
    sentences: list[Span]
    """The requested sentences; each is covered by one or several windows."""


@dataclass(frozen=True, slots=True)
class Window:
    """A span of words of a text, and its number of pieces including the special tokens."""

    text: int
    span: Span
    size: int


def read_text(doc: Document, table: Pieces, windows: Windows, limit: int, *, validated: bool = False) -> Text:
    """Return the words, pieces and windows of a document; a window has at most `limit` pieces.

    With `validated`, sentences that the document says are context alone are at most in windows of others.
    """
    words = document_words(doc)
    if windows == "validated":
        words = _keep_validated_words(doc, words)
    pieces = table.of(words.forms)
    alone = Context(limit, 0) if windows == "sentence" else None
    spans = make_windows(words, pieces, limit, alone)
    sentences = _select_validated(doc, words) if validated else words.sentences
    if len(sentences) < len(words.sentences):
        spans = _overlapping_windows(spans, sentences, len(words))
    return Text(words, pieces, spans, sentences)


def _select_validated(doc: Document, words: DocumentWords) -> list[Span]:
    return [span for span in words.sentences if is_validated(doc.sentence_at(words.positions[span[0]]))]


def _keep_validated_words(doc: Document, words: DocumentWords) -> DocumentWords:
    """Return only the words of validated sentences."""
    kept = _select_validated(doc, words)
    if len(kept) == len(words.sentences):
        return words
    numbers = [word for span in kept for word in range(*span)]
    ends = np.cumsum([end - start for start, end in kept]).tolist()
    return DocumentWords(
        forms=[words.forms[word] for word in numbers],
        positions=[words.positions[word] for word in numbers],
        sentences=list(zip([0, *ends[:-1]], ends, strict=True)) if ends else [],
        speakers=[words.speakers[int(words.sentence_of[start])] for start, _ in kept],
    )


def _overlapping_windows(spans: list[Span], sentences: list[Span], words: int) -> list[Span]:
    """Return the windows that contain words of these sentences."""
    wanted = np.zeros(words + 1, dtype=np.int64)
    for start, end in sentences:
        wanted[start + 1 : end + 1] = 1
    before = wanted.cumsum()
    return [span for span in spans if before[span[1]] > before[span[0]]]


def text_windows(texts: Iterable[Text]) -> list[Window]:
    """Return the windows of all texts in order."""
    return [
        Window(number, span, 2 + sum(map(len, text.pieces[slice(*span)])))
        for number, text in enumerate(texts)
        for span in text.windows
    ]


def group_by_length(windows: Iterable[Window], most: int = AT_ONCE) -> Iterator[list[Window]]:
    """Yield groups of windows of similar length, each with at most `most` pieces including padding."""
    group: list[Window] = []
    for window in sorted(windows, key=lambda window: window.size):
        if group and (len(group) + 1) * window.size > most:
            yield group
            group = []
        group.append(window)
    if group:
        yield group


def window_batch(texts: Sequence[Text], windows: Sequence[Window], table: Pieces) -> Batch:
    """Return the arrays of some windows; their words are concatenated."""
    parts = []
    for window in windows:
        text = texts[window.text]
        parts.append(make_batch(text.words, text.pieces, [window.span], table))
    return join_batches(parts)


OUTSIDE = 0
IMPOSSIBLE = np.float32(-1e9)


class DetectedSpan(NamedTuple):
    """A detected mention: its span and its probability."""

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
        """The penalties [tags, tags] of impossible transitions: inside a mention that was not started."""
        before, after = np.meshgrid(np.arange(self.outputs), np.arange(self.outputs), indexing="ij")
        goes_on = (after > 0) & (after % 2 == 0)
        fits = (before == after) | (before == after - 1)
        return np.where(goes_on & ~fits, IMPOSSIBLE, np.float32(0))

    def targets(self, spans: Iterable[tuple[Span, str]], words: int) -> Ints:
        """Return the tags of words for typed mentions; of two that overlap, the first one is used."""
        tags = np.zeros(words, dtype=np.int64)
        for (start, end), name in spans:
            if not tags[start:end].any():
                first = 1 + 2 * self.types.index(name)
                tags[start] = first
                tags[start + 1 : end] = first + 1
        return tags

    def decode(self, scores: Floats, sentences: Sequence[Span]) -> list[DetectedSpan]:
        """Return the mentions of the most probable valid tag sequence; `scores` are log probabilities."""
        biased = scores.copy()
        biased[:, OUTSIDE] += self.bias
        probability = np.exp(scores)
        inside = probability[:, 2::2].sum(axis=1)
        begins = probability[:, 1::2].sum(axis=1)
        return [
            DetectedSpan(first, last, _probability(begins, inside, first, last, end))
            for start, end in sentences
            for first, last in _spans(self._best(biased[start:end]), start)
        ]

    def _best(self, scores: Floats) -> list[int]:
        """Return the best tag sequence of a sentence (Viterbi)."""
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
    """Return the probability of a mention of any type with this span."""
    ends = 1 - inside[last] if last < end else 1.0
    return float(begins[first] * inside[first + 1 : last].prod() * ends)


def read_tags(data: Mapping[str, Any]) -> dict[Kind, KindTags]:
    """Read the tags from the description of a model folder, in the order of its columns."""
    return {_kind(name): KindTags(tuple(values["types"]), float(values["bias"])) for name, values in data.items()}


def tags_description(tags: Mapping[Kind, KindTags]) -> dict[str, Any]:
    """Return the tags for the description of a model folder."""
    return {kind: {"types": list(own.types), "bias": own.bias} for kind, own in tags.items()}


def _kind(name: str) -> Kind:
    if name not in ("entity", "event"):
        raise ValueError(f"unknown kind {name!r}")
    return "event" if name == "event" else "entity"


KIND = "cross"
"""The `kind` in the description of such a folder."""
LOWER, PLAIN, TAGS = "lower.onnx", "plain.onnx", "tags.onnx"
GRAPHS = (LOWER, PLAIN, TAGS)
SCORERS: Mapping[Kind, str] = {kind: f"{kind}.npz" for kind in KINDS}
KEYS = ("config", "tags", "weights")
"""Required keys of the description."""

# Names of inputs and outputs, in the order of the parts that were exported.
LOWER_INPUTS, LOWER_OUTPUTS = ("ids", "mask"), ("states",)
PLAIN_INPUTS, PLAIN_OUTPUTS = ("states", "mask"), ("vectors",)
TAG_INPUTS, TAG_OUTPUTS = ("states", "mask", "piece_index", "piece_weight", "word_shapes"), ("tags",)


@dataclass(frozen=True, eq=False)
class CrossModel:
    """An opened model folder."""

    folder: Path
    name: str
    sessions: Sessions
    pieces: Pieces
    tags: Mapping[Kind, KindTags]
    windows: Windows
    limit: int
    """Maximum number of pieces in a window."""
    scorers: Mapping[Kind, Path]
    """Paths of the pair scorers."""


def describe(folder: Path, *, check_files: bool = True) -> dict[str, Any]:
    """Return the description of the folder; raise an error for another kind of model."""
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
    """Open a model folder; its files are opened once per process."""
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
    except Exception as error:  # both packages raise their own exceptions for invalid files
        first = next(iter(str(error).splitlines()), type(error).__name__)
        raise ModelFolderError(
            f"cannot load the model ({first}); install newer versions of onnxruntime and tokenizers, or train the "
            "model again",
            code="invalid-model",
            path=folder,
        ) from error
