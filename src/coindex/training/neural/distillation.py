"""Distillation: a small model (the pupil) learns the probabilities that larger models (teachers) predict.

Documents can be annotated or not. Teachers predict mentions and links; the mean of their probabilities is stored in
files, since prediction takes longer than a training step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ...document import Span
from ...resolvers.neural.detection import Detector, TagSet, describe
from ...resolvers.neural.folder import (
    DESCRIPTION,
    corpus_number,
    decode_settings,
    file_hash,
    is_exported,
    load_resolver,
    model_settings,
    read_description,
)
from ...resolvers.neural.pairs import PairMaker
from ...resolvers.neural.runtime import GraphScorer, Scorer
from ...resolvers.neural.windows import Context, make_batch, make_windows
from ...resolvers.neural.words import DocumentWords, Floats, Ints, Pieces
from ...settings import ConfigError
from ..run import remove_stale_parts, write_whole
from .config import Config
from .data import Example, Labels
from .folder import TorchScorer, load_model
from .network import log_sum

TINY = 1e-8


@dataclass(frozen=True)
class Teacher:
    """A model to learn from: a trained one, run by torch, or an exported one, run by onnxruntime."""

    path: Path
    scorer: Scorer
    pieces: Pieces
    detector: Detector
    corpora: tuple[str, ...]
    features: tuple[str, ...]
    columns: tuple[str, ...]
    window: int
    context: Context | None
    new_bias: float
    vector_size: int

    def encode(self, words: DocumentWords, scheme: str) -> tuple[Floats, Floats]:
        """Return word vectors and detection scores, computed window by window."""
        pieces = self.pieces.of(words.forms)
        number = corpus_number(self.corpora, scheme)
        views = [
            self.scorer.words(make_batch(words, pieces, [window], self.pieces, self.context), number)
            for window in make_windows(words, pieces, self.window, self.context)
        ]
        return np.concatenate([vectors for vectors, _ in views]), np.concatenate([scores for _, scores in views])


def load_teacher(path: Path, *, is_mixed: bool) -> Teacher:
    """Load the model of a folder; with `is_mixed`, torch computes products in bfloat16."""
    description = read_description(path)
    config = description["config"]
    model, decode = model_settings(config), decode_settings(config)
    if is_exported(path):
        resolver = load_resolver(path, corpus=None)
        scorer, pieces, detector = resolver.scorer, resolver.pieces, resolver.detector
        assert isinstance(scorer, GraphScorer)
        size = scorer.sizes()["vectors"]
    else:
        trained = load_model(path)
        trained.model.words.is_mixed = is_mixed
        pieces, detector = trained.pieces, trained.detector
        scorer = TorchScorer(trained.model)
        size = trained.model.words.encoder.config.hidden_size
    return Teacher(
        path,
        scorer,
        pieces,
        detector,
        tuple(description["corpora"]),
        model.features,
        model.columns,
        decode.window,
        Context(decode.window, model.right) if model.windows == "sentence" else None,
        decode.new_bias,
        size,
    )


class Teachers:
    """Models whose predictions are averaged."""

    def __init__(self, config: Config, detector: Detector, folder: Path) -> None:
        self.settings = config.distil
        self.candidates = config.decode.candidates
        self.hints = config.model.hints
        self.folder = folder
        remove_stale_parts(folder, "*.npz")
        paths = [Path(path) for path in config.distil.teachers]
        is_mixed = config.train.precision == "bfloat16"
        self.teachers = [load_teacher(path, is_mixed=is_mixed) for path in paths]
        for teacher in self.teachers:
            _check(teacher, config, detector)
        self.detector = _add_tags(detector, self.teachers)
        """The detector of the pupil, which must know all tags of the teachers."""
        # The description contains the checksums of the weights, which were compared with the files.
        files = [file_hash(path / DESCRIPTION) for path in paths]
        self._version = repr([self.candidates, self.detector.description(), files, self.hints, config.train.precision])

    def label(self, examples: Sequence[list[Example]], tick: Callable[[int, int], None]) -> list[list[Example]]:
        """Return the examples with the predictions of the teachers.

        `tick` is called with the number of finished examples and their total. Annotated documents get no predictions
        if the settings do not use them.
        """
        total, done = sum(self._is_wanted(example) for group in examples for example in group), 0
        labelled: list[list[Example]] = []
        for group in examples:
            labelled.append([])
            for example in group:
                if self._is_wanted(example):
                    example = replace(example, labels=self._load_or_ask(example))
                    done += 1
                    tick(done, total)
                labelled[-1].append(example)
        return labelled

    def _is_wanted(self, example: Example) -> bool:
        return not example.is_annotated or max(self.settings.tag_weight, self.settings.share) > 0

    def _load_or_ask(self, example: Example) -> Labels:
        """Return the predictions for an example, from a file if there is one."""
        words = example.words
        text = "\n".join([self._version, example.corpus, *words.forms, repr(words.sentences), repr(words.speakers)])
        digest = hashlib.sha256(text.encode(errors="surrogatepass"))  # half a pair occurs in real texts
        if words.columns is not None:
            digest.update(words.columns.tobytes())
        path = self.folder / f"{digest.hexdigest()[:24]}.npz"
        try:
            with path.open("rb") as stream, np.load(stream) as data:
                return Labels(*(data[name] for name in Labels.__slots__))
        except (OSError, ValueError, KeyError, BadZipFile):  # missing or incomplete
            labels = self.ask(words, example.corpus)
        arrays: dict[str, Any] = {name: getattr(labels, name) for name in Labels.__slots__}

        def write(beside: Path) -> None:
            with beside.open("wb") as stream:
                np.savez_compressed(stream, **arrays)

        write_whole(path, write)
        return labels

    def ask(self, words: DocumentWords, scheme: str) -> Labels:
        """Return the mean probabilities of tags or spans, and of links between the mentions that these yield."""
        views = [teacher.encode(words, scheme) for teacher in self.teachers]
        probabilities = np.mean(
            [self._probabilities(teacher, scores) for teacher, (_, scores) in zip(self.teachers, views, strict=True)], 0
        )
        spans = self.detector.decode(_scores(probabilities, self.detector), words.sentences)
        mentions = describe(words, spans)
        half: Any = np.float16
        hints = views[0][0].astype(half) if self.hints else np.zeros((len(words), 0), dtype=half)
        if not spans:
            none = np.zeros(0, dtype=np.int64)
            return Labels(probabilities.astype(half), none, none, none, none.astype(half), none.astype(half), hints)
        parts = [
            teacher.scorer.mentions(vectors, mentions)
            for teacher, (vectors, _) in zip(self.teachers, views, strict=True)
        ]
        head = parts[0].head
        links, new = [], []
        for teacher, own in zip(self.teachers, parts, strict=True):
            pairs = PairMaker(words, self.candidates, teacher.features).add(mentions, head)
            scores = teacher.scorer.links(own.query, own.key, pairs)
            bias = np.float32(teacher.new_bias)
            log_links = normalise_links(torch.from_numpy(scores), torch.from_numpy(own.new) + bias, pairs.anaphor)
            links.append(log_links[0].exp().numpy())
            new.append(log_links[1].exp().numpy())
        return Labels(
            probabilities.astype(half),
            mentions.start,
            mentions.end,
            head,
            np.mean(links, axis=0).astype(half),
            np.mean(new, axis=0).astype(half),
            hints,
        )

    def _probabilities(self, teacher: Teacher, scores: Floats) -> Floats:
        """Return the probabilities of tags in the order of the pupil, or those of spans."""
        if not isinstance(self.detector, TagSet) or not isinstance(teacher.detector, TagSet):
            return _numpy(torch.from_numpy(scores).sigmoid())
        own = _numpy(torch.from_numpy(scores).softmax(1))
        number, nothing = teacher.detector.number, np.zeros(len(own), dtype=own.dtype)
        return np.stack([own[:, number[tag]] if tag in number else nothing for tag in self.detector.names], axis=1)


def _add_tags(detector: Detector, teachers: Sequence[Teacher]) -> Detector:
    if not isinstance(detector, TagSet):
        return detector
    known = {name for teacher in teachers if isinstance(teacher.detector, TagSet) for name in teacher.detector.names}
    return TagSet.of(known | set(detector.names), detector.depth)


def _check(teacher: Teacher, config: Config, detector: Detector) -> None:
    """Raise an error for a teacher that does not match the pupil."""
    path, size = teacher.path, teacher.vector_size
    schemes = {corpus.name for corpus in config.corpora if corpus.train}
    if type(teacher.detector) is not type(detector) or (
        not isinstance(detector, TagSet) and teacher.detector != detector
    ):
        raise ConfigError(f"{path}: the teacher detects mentions in another way than the model; use another teacher")
    if config.model.hints not in (0, size) and path == Path(config.distil.teachers[0]):
        raise ConfigError(f"model: hints must be {size}, the size of word vectors of {path}, not {config.model.hints}")
    if teacher.columns != config.model.columns:
        raise ConfigError(f"{path}: the teacher uses other columns than model.columns; use another teacher")
    if missing := sorted(schemes - set(teacher.corpora)) if teacher.corpora else []:
        raise ConfigError(
            f"{path}: the teacher does not know the corpus {missing[0]}; use the names of the corpora that it was "
            f"trained on: {', '.join(teacher.corpora)}"
        )


def _scores(probabilities: Floats, detector: Detector) -> Floats:
    """Convert probabilities to scores."""
    logs: Floats = np.log(probabilities + TINY)
    return logs if isinstance(detector, TagSet) else logs - np.log(1 - probabilities + TINY)


def _numpy(values: Tensor) -> Floats:
    array: Floats = values.numpy()
    return array


def normalise_links(scores: Tensor, new: Tensor, anaphor: Ints) -> tuple[Tensor, Tensor]:
    """Return log probabilities of pairs and of starting an entity; the probabilities of each mention add up to 1."""
    rows = torch.from_numpy(anaphor)
    total = log_sum(torch.cat([scores, new]), torch.cat([rows, torch.arange(len(new))]), len(new))
    return scores - total[rows], new - total


def soft_detection_loss(scores: Tensor, labels: Labels, detector: Detector) -> Tensor:
    """Return the cross-entropy with the probabilities of tags or spans that the teachers predict."""
    wanted = torch.from_numpy(labels.detection.astype(np.float32))
    if isinstance(detector, TagSet):
        return functional.cross_entropy(scores, wanted)
    return functional.binary_cross_entropy_with_logits(scores, wanted, reduction="sum") / len(scores)


def soft_link_loss(scores: Tensor, new: Tensor, anaphor: Ints, labels: Labels) -> Tensor:
    """Return the mean cross-entropy over mentions with the teachers' probabilities of candidates and new entities."""
    links, starts = normalise_links(scores, new, anaphor)
    wanted_links, wanted_starts = (torch.from_numpy(part.astype(np.float32)) for part in (labels.links, labels.new))
    return -((wanted_links * links).sum() + (wanted_starts * starts).sum()) / len(new)


def spans_of(labels: Labels) -> list[Span]:
    """Return the mentions that the teachers found."""
    return list(zip(labels.start.tolist(), labels.end.tolist(), strict=True))
