"""F-coref (Otmazgin et al. 2022) at its real size with random weights: its time and memory, never its quality.

DistilRoBERTa, 6 layers of 768, under the start-to-end head of Kirstain et al. 2021 with vectors of 1,024: 90 million
parameters together. Documents are cut into segments of 512 pieces; full segments are encoded together, what is left
over by itself. Where the package is slower for reasons other than its architecture, this is not: words
are cut by coindex, and attention is the fused kernel. The byte-pair vocabulary is not RoBERTa's but made of training
texts, so that a word has about as many pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from tokenizers import ByteLevelBPETokenizer, Tokenizer
from torch import Tensor, nn
from transformers import RobertaConfig, RobertaModel

from coindex import Document, Entity

PIECES = 16_000
SEGMENT = 512
LONGEST = 30
KEPT = 0.4
"""Mentions kept, by the number of pieces."""
SIZE = 1024


class Head(nn.Module):
    """Mentions by their first and last pieces, links by those of two mentions."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.layers = nn.ModuleDict({name: _layer(hidden) for name in ("start", "end", "link_start", "link_end")})
        self.start, self.end, self.span = nn.Linear(SIZE, 1), nn.Linear(SIZE, 1), nn.Linear(SIZE, SIZE)
        pairs = ("link_start link_start", "link_start link_end", "link_end link_start", "link_end link_end")
        self.links = nn.ModuleDict({pair: nn.Linear(SIZE, SIZE) for pair in pairs})

    def forward(self, vectors: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the first and last pieces of mentions, and the index of each mention's antecedent, or -1."""
        parts = {name: layer(vectors) for name, layer in self.layers.items()}  # pieces × size
        scores = self._mentions(parts["start"], parts["end"])  # pieces × pieces
        length = len(vectors)
        best, places = scores.flatten().topk(max(1, int(length * KEPT)))  # mentions
        places, order = places.sort()
        own = best[order]
        start, end = places // length, places % length
        ends = {"link_start": parts["link_start"][start], "link_end": parts["link_end"][end]}  # mentions × size
        scores = own[:, None] + own[None, :]  # mentions × mentions
        for pair, link in self.links.items():
            first, second = pair.split()
            scores += link(ends[first]) @ ends[second].T
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(), float("-inf"))
        found, antecedent = scores.max(1)
        return start, end, torch.where(found > 0, antecedent, -1)

    def _mentions(self, start: Tensor, end: Tensor) -> Tensor:
        # all pieces with all pieces, as the package has it, though only spans of 30 pieces are wanted
        scores = self.span(start) @ end.T + self.start(start) + self.end(end).T
        wanted = torch.ones_like(scores, dtype=torch.bool).triu().tril(LONGEST - 1)
        return scores.masked_fill(~wanted, float("-inf"))


def _layer(hidden: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(hidden, SIZE), nn.GELU(), nn.LayerNorm(SIZE))


def make_tokenizer(texts: Iterable[str], path: Path) -> Path:
    """Write a file with a byte-pair vocabulary of these texts."""
    tokenizer = ByteLevelBPETokenizer(add_prefix_space=True)
    tokenizer.train_from_iterator(texts, vocab_size=PIECES, show_progress=False)
    tokenizer.save(str(path))
    return path


class Peer:
    """A resolver of documents, one at a time."""

    def __init__(self, tokenizer: Path) -> None:
        torch.manual_seed(1)
        config = RobertaConfig(num_hidden_layers=6, vocab_size=50_265, max_position_embeddings=514, type_vocab_size=1)
        self.encoder: Any = RobertaModel(config, add_pooling_layer=False).eval()
        self.head = Head(config.hidden_size).eval()
        self.tokenizer = Tokenizer.from_file(str(tokenizer))

    @property
    def parameters(self) -> int:
        return sum(weight.numel() for part in (self.encoder, self.head) for weight in part.parameters())

    def pipe(self, docs: Iterable[Document]) -> Iterator[Document]:
        return map(self, docs)

    @torch.inference_mode()
    def __call__(self, doc: Document) -> Document:
        pieces, words = self._pieces(doc)
        if not pieces:
            return doc
        start, end, antecedent = (column.tolist() for column in self.head(self._encode(torch.tensor(pieces))))
        clusters: dict[int, list[tuple[int, int]]] = {}
        entity: list[int] = []
        for number, (first, last, before) in enumerate(zip(start, end, antecedent, strict=True)):
            entity.append(number if before < 0 else entity[before])
            clusters.setdefault(entity[number], []).append((words[first], words[last] + 1))
        found = [set(spans) for spans in clusters.values() if len(spans) > 1]
        entities = (
            Entity(f"e{number}", tuple(doc.mention(range(*span)) for span in sorted(spans)))
            for number, spans in enumerate(found)
        )
        return doc.replace(entities=tuple(entities))

    def _pieces(self, doc: Document) -> tuple[list[int], list[int]]:
        """Return the pieces of all words, and the word of each."""
        pieces: list[int] = []
        words: list[int] = []
        for at, encoded in enumerate(self.tokenizer.encode_batch(doc.tokens.forms)):
            pieces += encoded.ids
            words += [at] * len(encoded.ids)
        return pieces, words

    def _encode(self, pieces: Tensor) -> Tensor:
        full = len(pieces) // SEGMENT * SEGMENT
        parts = []
        if full:
            parts.append(self.encoder(pieces[:full].view(-1, SEGMENT)).last_hidden_state.flatten(0, 1))
        if full < len(pieces):
            parts.append(self.encoder(pieces[None, full:]).last_hidden_state[0])
        return torch.cat(parts)  # pieces × hidden
