"""One training step: a document forward, its losses."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from ..document import Span
from ..resolvers.neural.detection import Detector
from ..resolvers.neural.mentions import Mentions, describe
from ..resolvers.neural.pairs import PairMaker, coarse_choice
from .config import Config
from .data import NO_HEAD, Stretch
from .distillation import soft_detection_loss, soft_link_loss, spans_of
from .labels import Labels
from .losses import align_spans, detection_loss, head_loss, link_loss, mention_loss
from .mention_parts import MentionParts
from .model import CoreferenceModel
from .scoring_model import batch_tensors, mention_tensors, pair_tensors
from .syntax import NO_VALUE, moved


@dataclass(frozen=True, slots=True)
class StepLosses:
    """The loss to go down, and its parts."""

    total: Tensor
    parts: dict[str, float]


def forward(
    model: CoreferenceModel,
    stretch: Stretch,
    detector: Detector,
    config: Config,
    *,
    corpus: int,
    draw: np.random.Generator | None,
    soft: bool = False,
) -> StepLosses:
    """The losses of a document.

    Links are trained on its own mentions, with `draw` on mentions that are drawn from the detector, or with `soft` on
    those that its teachers found.
    """
    vectors, found = model.words(*batch_tensors(stretch.batch, corpus))
    losses = detection_losses(found, stretch, detector, config)
    if stretch.example.syntax is not None:
        losses["syntax"] = config.train.lesson_weight * syntax_loss(model, vectors, stretch)
    if config.model.hints and stretch.example.labels is not None:
        wanted = stretch.example.labels.vectors[stretch.start : stretch.start + len(vectors)]
        losses["hint"] = config.distil.hint_weight * model.lessons.teacher(vectors, wanted)
    if stretch.example.labels is not None and soft:
        losses |= soft_losses(model, vectors, stretch, stretch.example.labels, config)
    elif stretch.example.is_annotated:
        spans = list(stretch.example.spans) if draw is None else draw_spans(found, stretch, detector, config, draw)
        losses |= hard_losses(model, vectors, stretch, spans, config, are_gold=draw is None)
    total = torch.stack(list(losses.values())).sum()
    return StepLosses(total, {name: float(loss.detach()) for name, loss in losses.items()})


def detection_losses(found: Tensor, stretch: Stretch, detector: Detector, config: Config) -> dict[str, Tensor]:
    """What finding mentions costs, by the annotation and by the teachers."""
    settings, labels = config.train, stretch.example.labels
    part = 0.0 if labels is None else config.distil.tag_weight if stretch.example.is_annotated else 1.0
    losses = {}
    if part < 1:
        loss = detection_loss(found, torch.from_numpy(stretch.targets), settings.tag_smoothing)
        losses["tag"] = (1 - part) * settings.tag_weight * loss
    if labels is not None and part > 0:
        losses["soft tag"] = part * settings.tag_weight * soft_detection_loss(found, labels, detector)
    return losses


def syntax_loss(model: CoreferenceModel, vectors: Tensor, stretch: Stretch) -> Tensor:
    """What the trees of the words that are learned cost."""
    example, start = stretch.example, stretch.start
    assert example.syntax is not None
    rows = slice(start, start + len(vectors))
    return model.lessons.words(vectors, moved(example.syntax[rows], start), example.words.sentence_of[rows])


def draw_spans(
    found: Tensor, stretch: Stretch, detector: Detector, config: Config, draw: np.random.Generator
) -> list[Span]:
    """Mentions as the detector might find them."""
    noise = draw.gumbel(size=found.shape).astype(np.float32) * config.train.temperature
    drawn = detector.decode(found.detach().numpy() + noise, stretch.sentences)
    return [(first + stretch.start, last + stretch.start) for first, last in drawn]


def hard_losses(
    model: CoreferenceModel, vectors: Tensor, stretch: Stretch, spans: list[Span], config: Config, *, are_gold: bool
) -> dict[str, Tensor]:
    """Heads, mentions and links by the annotation."""
    if not spans:
        return {}
    example, settings = stretch.example, config.train
    mentions, parts = mention_vectors(model, vectors, stretch, spans)
    heads = parts.heads.detach().argmax(1).numpy() + stretch.start
    losses = {}
    if are_gold:
        entities, gold_heads = np.array(example.entities), np.array(example.heads)
    else:
        entities, gold_heads = align_spans(spans, heads, example)
        losses["mention"] = settings.mention_weight * mention_loss(parts.mention, entities)
    if example.types:
        known = dict(zip(example.spans, example.types, strict=True))
        types = np.array([known.get(span, NO_VALUE) for span in spans])
        losses["type"] = settings.lesson_weight * model.lessons.mentions(parts.key, types)
    local_heads = np.where(gold_heads == NO_HEAD, NO_HEAD, gold_heads - stretch.start)
    losses["head"] = settings.head_weight * head_loss(parts.heads, local_heads)
    query, key = parts.query.detach().numpy(), parts.key.detach().numpy()
    choose = coarse_choice(query, key, size=config.model.coarse, limit=config.decode.antecedents)
    pairs = PairMaker(example.words, config.decode.candidates, config.model.features).add(mentions, heads, choose)
    scores = model.links(parts.query, parts.key, *pair_tensors(pairs))
    losses["link"] = settings.link_weight * link_loss(scores, parts.new, pairs.anaphor, pairs.candidate, entities)
    return losses


def soft_losses(
    model: CoreferenceModel, vectors: Tensor, stretch: Stretch, labels: Labels, config: Config
) -> dict[str, Tensor]:
    """Heads and links by the teachers, on the mentions that they found."""
    spans = spans_of(labels)
    if not spans:
        return {}
    mentions, parts = mention_vectors(model, vectors, stretch, spans)
    heads = labels.head
    pairs = PairMaker(stretch.example.words, config.decode.candidates, config.model.features).add(mentions, heads)
    scores = model.links(parts.query, parts.key, *pair_tensors(pairs))
    return {
        "soft head": config.train.head_weight * head_loss(parts.heads, heads),
        "soft link": config.train.link_weight * soft_link_loss(scores, parts.new, pairs.anaphor, labels),
    }


def mention_vectors(
    model: CoreferenceModel, vectors: Tensor, stretch: Stretch, spans: list[Span]
) -> tuple[Mentions, MentionParts]:
    """What the words tell of mentions, and what the model makes of them."""
    mentions = describe(stretch.example.words, spans)
    local = replace(mentions, start=mentions.start - stretch.start, end=mentions.end - stretch.start)
    return mentions, model.mentions(vectors, *mention_tensors(local))
