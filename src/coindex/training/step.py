"""One training step: a document forward, its losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..document import Span
from ..resolvers.neural.mentions import describe
from ..resolvers.neural.pairs import PairMaker
from ..resolvers.neural.tags import TagSet
from .config import TrainConfig
from .data import Stretch
from .losses import align_spans, head_loss, link_loss, mention_loss, tag_loss
from .model import CoreferenceModel
from .scoring_model import batch_tensors, mention_tensors, pair_tensors


@dataclass(frozen=True, slots=True)
class StepLosses:
    """The loss to go down, and its parts."""

    total: Tensor
    parts: dict[str, float]


def forward(
    model: CoreferenceModel,
    stretch: Stretch,
    tags: TagSet,
    config: TrainConfig,
    *,
    corpus: int,
    candidates: int,
    features: Sequence[str],
    draw: np.random.Generator | None,
) -> StepLosses:
    """The losses of a document; with `draw`, links are trained on mentions that are drawn from the tagger."""
    example = stretch.example
    vectors, logits = model.words(*batch_tensors(stretch.batch, corpus))
    losses = {"tag": config.tag_weight * tag_loss(logits, torch.from_numpy(stretch.tags), config.tag_smoothing)}
    spans: list[Span] = list(example.spans)
    if draw is not None:
        noise = draw.gumbel(size=logits.shape).astype(np.float32) * config.temperature
        spans = tags.decode(torch.log_softmax(logits.detach(), 1).numpy() + noise, example.words.sentences)
    if spans:
        mentions = describe(example.words, spans)
        parts = model.mentions(vectors, *mention_tensors(mentions))
        heads = parts.heads.detach().argmax(1).numpy()
        if draw is None:
            entities, gold_heads = np.array(example.entities), np.array(example.heads)
        else:
            entities, gold_heads = align_spans(spans, heads, example)
            losses["mention"] = config.mention_weight * mention_loss(parts.mention, entities)
        losses["head"] = config.head_weight * head_loss(parts.heads, gold_heads)
        pairs = PairMaker(example.words, candidates, features).add(mentions, heads)
        scores = model.links(parts.query, parts.key, *pair_tensors(pairs))
        losses["link"] = config.link_weight * link_loss(scores, parts.new, pairs.anaphor, pairs.candidate, entities)
    total = torch.stack(list(losses.values())).sum()
    return StepLosses(total, {name: float(loss.detach()) for name, loss in losses.items()})
