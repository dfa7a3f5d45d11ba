"""A torch model behind the protocol of the runtime, so that dev is resolved by the code that users run."""

from __future__ import annotations

import numpy as np
import torch

from ..resolvers.neural.mentions import Mentions
from ..resolvers.neural.pairs import Pairs
from ..resolvers.neural.runtime import MentionScores, some_pairs
from ..resolvers.neural.windows import Batch
from ..resolvers.neural.words import Floats
from .model import CoreferenceModel


class TorchScorer:
    """Arrays in, arrays out; the model is put into evaluation mode."""

    def __init__(self, model: CoreferenceModel) -> None:
        self.model = model.eval()

    @torch.inference_mode()
    def words(self, batch: Batch, corpus: int) -> tuple[Floats, Floats]:
        vectors, logits = self.model.words(*batch_tensors(batch, corpus))
        return vectors.numpy(), logits.numpy()

    @torch.inference_mode()
    def mentions(self, vectors: Floats, mentions: Mentions) -> MentionScores:
        parts = self.model.mentions(torch.from_numpy(vectors), *mention_tensors(mentions))
        return MentionScores(
            head=parts.heads.argmax(1).numpy(),
            query=parts.query.numpy(),
            key=parts.key.numpy(),
            new=parts.new.numpy(),
            probability=parts.mention.sigmoid().numpy(),
        )

    @torch.inference_mode()
    def links(self, query: Floats, key: Floats, pairs: Pairs) -> Floats:
        keys = torch.from_numpy(np.ascontiguousarray(key))
        scores: list[Floats] = [
            self.model.links(torch.from_numpy(rows), keys, *pair_tensors(some)).numpy()
            for rows, some in some_pairs(query, pairs)
        ]
        return np.concatenate(scores) if scores else np.zeros(0, dtype=np.float32)


def batch_tensors(batch: Batch, corpus: int) -> tuple[torch.Tensor, ...]:
    """The inputs of the word encoder, in its order."""
    columns = () if batch.columns is None else (torch.from_numpy(batch.columns),)
    return (
        torch.from_numpy(batch.ids),
        torch.from_numpy(batch.mask),
        torch.from_numpy(batch.shapes),
        torch.from_numpy(batch.speakers),
        torch.tensor([corpus]),
        torch.from_numpy(batch.piece_index),
        torch.from_numpy(batch.piece_weight),
        torch.from_numpy(batch.word_shapes),
        *columns,
    )


def mention_tensors(mentions: Mentions) -> tuple[torch.Tensor, ...]:
    """The inputs of the mention encoder after the word vectors."""
    arrays = (mentions.start, mentions.end, mentions.kind, mentions.width, mentions.number)
    return tuple(map(torch.from_numpy, arrays))


def pair_tensors(pairs: Pairs) -> tuple[torch.Tensor, ...]:
    """The inputs of the link scorer after queries and keys."""
    return tuple(map(torch.from_numpy, (pairs.anaphor, pairs.candidate, pairs.features)))
