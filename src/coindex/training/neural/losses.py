"""Losses: tags or spans, heads, mentions, and the marginal likelihood of gold antecedents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ...document import Span
from ...resolvers.neural.detection import NO_TARGET
from ...resolvers.neural.words import Ints
from .data import NO_HEAD, Example

NOTHING = -1
"""The entity of a span that is no gold mention."""


def detection_loss(scores: Tensor, targets: Tensor, smoothing: float) -> Tensor:
    """Cross-entropy of tags, a mean over words, or of each span being a mention, a sum for each word.

    Tags that training has not seen and spans that cannot be are passed over.
    """
    if targets.dim() == 1:
        return functional.cross_entropy(scores, targets, ignore_index=NO_TARGET, label_smoothing=smoothing)
    possible = targets != NO_TARGET
    wanted = targets[possible].to(scores.dtype)
    losses = functional.binary_cross_entropy_with_logits(scores[possible], wanted, reduction="sum")
    return losses / len(scores)


def head_loss(scores: Tensor, heads: Ints) -> Tensor:
    """Cross-entropy of the head among the words of the mention, where the head is known and not the only word."""
    return known_loss(scores, torch.from_numpy(heads), unknown=NO_HEAD)


def known_loss(scores: Tensor, targets: Tensor, *, unknown: int) -> Tensor:
    """The mean cross-entropy of what is known; 0 where nothing is."""
    known = torch.nonzero(targets != unknown).squeeze(1)
    return functional.cross_entropy(scores[known], targets[known]) if len(known) else scores.sum() * 0


def mention_loss(scores: Tensor, entities: Ints) -> Tensor:
    """Whether a span is a mention at all."""
    return functional.binary_cross_entropy_with_logits(
        scores, torch.from_numpy((entities != NOTHING).astype(np.float32))
    )


def link_loss(scores: Tensor, new: Tensor, anaphor: Ints, candidate: Ints, entities: Ints) -> Tensor:
    """Minus the log probability of all gold antecedents together, or of beginning an entity where there are none."""
    gold = (entities[anaphor] == entities[candidate]) & (entities[anaphor] != NOTHING)
    has_antecedent = np.zeros(len(entities), dtype=bool)
    has_antecedent[anaphor[gold]] = True
    rows = torch.from_numpy(anaphor)
    # [mentions]
    total = log_sum(torch.cat([scores, new]), torch.cat([rows, torch.arange(len(new))]), len(new))
    right = torch.from_numpy(np.flatnonzero(gold))
    alone = torch.from_numpy(np.flatnonzero(~has_antecedent))
    chosen = log_sum(torch.cat([scores[right], new[alone]]), torch.cat([rows[right], alone]), len(new))
    return (total - chosen).mean()


def log_sum(scores: Tensor, rows: Tensor, count: int) -> Tensor:
    """log-sum-exp of the scores of each row; every row has at least one."""
    # [rows]
    top = torch.full((count,), -torch.inf).scatter_reduce(0, rows, scores.detach(), "amax")
    total = torch.zeros(count).index_add(0, rows, (scores - top[rows]).exp())
    return total.log() + top


def align_spans(spans: Sequence[Span], heads: Ints, example: Example) -> tuple[Ints, Ints]:
    """Entity and head of each span that the model proposed: those of the gold mention that it is or that it stands for.

    A span that is no gold mention stands for one with its head that no other span is.
    """
    exact = {span: row for row, span in enumerate(example.spans)}
    free: dict[int, int] = {}
    taken = set(spans)
    for row, (span, head) in enumerate(zip(example.spans, example.heads, strict=True)):
        if head != NO_HEAD and span not in taken:
            free.setdefault(head, row)
    entities = np.full(len(spans), NOTHING, dtype=np.int64)
    gold_heads = np.full(len(spans), NO_HEAD, dtype=np.int64)
    for number, span in enumerate(spans):
        match = exact.get(span)
        if match is None:
            match = free.pop(int(heads[number]), None)
        if match is not None:
            entities[number] = example.entities[match]
            head = example.heads[match]
            gold_heads[number] = head if span[0] <= head < span[1] else NO_HEAD
    return entities, gold_heads
