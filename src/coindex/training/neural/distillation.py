"""Distillation: a small model (the pupil) learns the probabilities that larger models (teachers) predict.

Documents can be annotated or not. Teachers predict mentions and links; the mean of their probabilities is stored in
files, since prediction takes longer than a training step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ...document import Span
from ...resolvers.neural.detection import Detector, TagSet, describe
from ...resolvers.neural.folder import DESCRIPTION, file_hash
from ...resolvers.neural.pairs import PairMaker
from ...resolvers.neural.windows import make_batch, make_windows
from ...resolvers.neural.words import DocumentWords, Floats, Ints
from ...settings import ConfigError
from ..run import remove_stale_parts, write_whole
from .config import Config
from .data import Example, Labels
from .folder import WEIGHTS, TorchScorer, TrainedModel, load_model
from .network import log_sum

TINY = 1e-8


class Teachers:
    """Models whose predictions are averaged."""

    def __init__(self, config: Config, detector: Detector, folder: Path) -> None:
        self.settings = config.distil
        self.candidates = config.decode.candidates
        self.hints = config.model.hints
        self.folder = folder
        remove_stale_parts(folder, "*.npz")
        paths = [Path(path) for path in config.distil.teachers]
        self.models = [load_model(path) for path in paths]
        for path, model in zip(paths, self.models, strict=True):
            _check(path, model, config, detector)
            model.model.words.is_mixed = config.train.precision == "bfloat16"
        self.detector = _add_tags(detector, self.models)
        """The detector of the pupil, which must know all tags of the teachers."""
        files = [file_hash(path / name) for path in paths for name in (WEIGHTS, DESCRIPTION)]
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
        scorers = [TorchScorer(teacher.model) for teacher in self.models]
        views = [_encode(teacher, scorer, words, scheme) for teacher, scorer in zip(self.models, scorers, strict=True)]
        probabilities = np.mean(
            [self._probabilities(m, scores) for m, (_, scores) in zip(self.models, views, strict=True)], 0
        )
        spans = self.detector.decode(_scores(probabilities, self.detector), words.sentences)
        mentions = describe(words, spans)
        half: Any = np.float16
        hints = views[0][0].astype(half) if self.hints else np.zeros((len(words), 0), dtype=half)
        if not spans:
            none = np.zeros(0, dtype=np.int64)
            return Labels(probabilities.astype(half), none, none, none, none.astype(half), none.astype(half), hints)
        parts = [scorer.mentions(vectors, mentions) for scorer, (vectors, _) in zip(scorers, views, strict=True)]
        head = parts[0].head
        links, new = [], []
        for teacher, scorer, own in zip(self.models, scorers, parts, strict=True):
            pairs = PairMaker(words, self.candidates, teacher.config.model.features).add(mentions, head)
            scores = scorer.links(own.query, own.key, pairs) if len(pairs) else np.zeros(0, dtype=np.float32)
            bias = np.float32(teacher.config.decode.new_bias)
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

    def _probabilities(self, teacher: TrainedModel, scores: Floats) -> Floats:
        """Return the probabilities of tags in the order of the pupil, or those of spans."""
        if not isinstance(self.detector, TagSet) or not isinstance(teacher.detector, TagSet):
            return _numpy(torch.from_numpy(scores).sigmoid())
        own = _numpy(torch.from_numpy(scores).softmax(1))
        number, nothing = teacher.detector.number, np.zeros(len(own), dtype=own.dtype)
        return np.stack([own[:, number[tag]] if tag in number else nothing for tag in self.detector.names], axis=1)


def _add_tags(detector: Detector, teachers: Sequence[TrainedModel]) -> Detector:
    if not isinstance(detector, TagSet):
        return detector
    known = {name for teacher in teachers if isinstance(teacher.detector, TagSet) for name in teacher.detector.names}
    return TagSet.of(known | set(detector.names), detector.depth)


def _check(path: Path, teacher: TrainedModel, config: Config, detector: Detector) -> None:
    """Raise an error for a teacher that does not match the pupil."""
    schemes = {corpus.name for corpus in config.corpora if corpus.train}
    if type(teacher.detector) is not type(detector) or (
        not isinstance(detector, TagSet) and teacher.detector != detector
    ):
        raise ConfigError(f"{path}: the teacher detects mentions in another way than the model; use another teacher")
    size = teacher.model.words.encoder.config.hidden_size
    if config.model.hints not in (0, size) and path == Path(config.distil.teachers[0]):
        raise ConfigError(f"model: hints must be {size}, the size of word vectors of {path}, not {config.model.hints}")
    if teacher.config.model.columns != config.model.columns:
        raise ConfigError(f"{path}: the teacher uses other columns than model.columns; use another teacher")
    if missing := sorted(schemes - set(teacher.corpora)) if teacher.corpora else []:
        raise ConfigError(
            f"{path}: the teacher does not know the corpus {missing[0]}; use the names of the corpora that it was "
            f"trained on: {', '.join(teacher.corpora)}"
        )


def _encode(teacher: TrainedModel, scorer: TorchScorer, words: DocumentWords, scheme: str) -> tuple[Floats, Floats]:
    """Return word vectors and detection scores, computed window by window."""
    limit = teacher.config.decode.window
    context = teacher.config.model.context(limit)
    pieces = teacher.pieces.of(words.forms)
    number = teacher.corpus_number(scheme) if teacher.corpora else 0
    views = [
        scorer.words(make_batch(words, pieces, [window], teacher.pieces, context), number)
        for window in make_windows(words, pieces, limit, context)
    ]
    return np.concatenate([vectors for vectors, _ in views]), np.concatenate([scores for _, scores in views])


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
