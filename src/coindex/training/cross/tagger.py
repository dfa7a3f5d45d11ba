"""Train the tagger: several members from one start, each step reproducible, resumed after a kill."""

from __future__ import annotations

import copy
import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ...document import Document, Entity, Kind, Span
from ...errors import CoindexError
from ...resolvers.cross.model import (
    LOWER,
    LOWER_INPUTS,
    LOWER_OUTPUTS,
    PLAIN,
    PLAIN_INPUTS,
    PLAIN_OUTPUTS,
    TAG_INPUTS,
    TAG_OUTPUTS,
    TAGS,
    KindTags,
    Text,
    Window,
    group_by_length,
    read_text,
    text_windows,
    window_batch,
)
from ...resolvers.cross.within import Tagger
from ...resolvers.neural.detection import NO_TARGET
from ...resolvers.neural.folder import TOKENIZER, make_pieces
from ...resolvers.neural.windows import Batch
from ...resolvers.neural.words import SHAPES, Floats, Ints, Pieces, in_reading_order, word_span
from ...scoring import make_settings, score_documents
from ...settings import ConfigError
from ..encoders import layers_of, load_encoder, load_tokenizer, run_layers
from ..loop import StepLosses, TrainingLoop, make_adamw
from ..neural.config import ModelConfig
from ..neural.export import PIECES, WORD_AXES, put_graph
from ..neural.folder import check_window, load_or_refuse
from ..neural.network import zeros
from ..run import Reader, Report, Tick
from .config import CorpusConfig, CrossConfig, TaggerConfig

OTHER = "other"
"""The type of mentions whose own is rare."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Texts with the tags that their words should get, of all kinds, and the windows that they are cut into."""

    texts: list[Text]
    targets: list[Ints]  # of each text [words, kinds]; NO_TARGET in sentences that are context
    windows: list[Window]


def read_topics(corpus: CorpusConfig, read: Reader) -> tuple[list[Document], list[Document]]:
    """Return the documents of the training topics and of the development topics."""
    docs = list(read(corpus.path, **({"sentences": corpus.sentences} if corpus.sentences else {})))
    there = {doc.topic for doc in docs}
    for name, topics in (("train", corpus.train), ("dev", corpus.dev)):
        lacking = [topic for topic in topics if topic not in there]
        if lacking:
            raise ConfigError(f"corpus: {corpus.path} has no document of topic {lacking[0]!r}; correct the list {name}")
    train, dev = ([doc for doc in docs if doc.topic in topics] for topics in (corpus.train, corpus.dev))
    if not any(doc.entities for doc in train):
        raise CoindexError(
            "the training topics have no mentions; use a corpus with coreference annotation",
            code="no-entities",
            path=corpus.path,
        )
    return train, dev


def make_tags(docs: Iterable[Document], config: TaggerConfig) -> dict[Kind, KindTags]:
    """Return the tags for the mentions of training documents; raise an error for a kind without mentions."""
    counts: dict[Kind, Counter[str]] = {kind: Counter() for kind in config.kinds}
    for doc in docs:
        for entity in doc.entities:
            if entity.kind in counts:
                counts[entity.kind][entity.type or OTHER] += len(entity.mentions)
    tags = {}
    for kind, numbers in counts.items():
        if not numbers:
            raise CoindexError(
                f"the training topics have no mentions of the kind {kind}; remove {kind!r} from model.kinds, or use "
                "another corpus",
                code="no-entities",
            )
        frequent = sorted(name for name, count in numbers.items() if config.types and count >= config.types)
        types = [*(name for name in frequent if name != OTHER), OTHER]
        is_needed = any(name not in frequent for name in numbers) or OTHER in frequent
        tags[kind] = KindTags(tuple(types if is_needed else types[:-1]))
    return tags


def make_examples(
    docs: Sequence[Document], pieces: Pieces, tags: Mapping[Kind, KindTags], config: TaggerConfig
) -> Examples:
    """Return the documents as training examples of the tagger."""
    texts = [read_text(doc, pieces, config.windows, config.window, validated=True) for doc in docs]
    targets = [_targets(doc, text, tags) for doc, text in zip(docs, texts, strict=True)]
    return Examples(texts, targets, text_windows(texts))


def _targets(doc: Document, text: Text, tags: Mapping[Kind, KindTags]) -> Ints:
    columns = []
    for kind, own in tags.items():
        types: dict[Span, str] = {}
        for entity in doc.entities:
            if entity.kind == kind:
                for mention in entity.mentions:
                    span = word_span(mention, text.words)
                    if span is not None:
                        types.setdefault(span, _type(entity, own))
        columns.append(own.targets(((span, types[span]) for span in in_reading_order(types)), len(text.words)))
    whole = np.stack(columns, axis=1)
    learned = np.full_like(whole, NO_TARGET)
    for start, end in text.sentences:
        learned[start:end] = whole[start:end]
    return learned


def _type(entity: Entity, tags: KindTags) -> str:
    return entity.type if entity.type in tags.types else tags.types[-1]


def folds(docs: Sequence[Document], number: int) -> list[tuple[str, ...]]:
    """Split the topics into parts of about equally many documents; the result is deterministic."""
    sizes = Counter(doc.topic or "" for doc in docs)
    parts: list[list[str]] = [[] for _ in range(number)]
    loads = [0] * number
    for topic, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        at = loads.index(min(loads))
        parts[at].append(topic)
        loads[at] += size
    return [tuple(part) for part in parts if part]


class Plain(nn.Module):
    """A pretrained encoder, split into lower and upper layers."""

    def __init__(self, base: Any, frozen: int) -> None:
        super().__init__()
        layers = layers_of(base)
        if layers is None or frozen > len(layers):
            depth = "no list of layers" if layers is None else f"{len(layers)} layers"
            raise ConfigError(
                f"model: {type(base).__name__} has {depth}, but {frozen} are frozen; use an encoder such as BERT, "
                "RoBERTa or MPNet, or lower frozen"
            )
        self.base = base.requires_grad_(False)
        self.frozen = frozen

    @property
    def hidden(self) -> int:
        return int(self.base.config.hidden_size)

    @property
    def upper(self) -> Any:
        """The layers above the frozen ones."""
        return self.base.encoder.layer[self.frozen :]

    def lower(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the output of the lower layers: [windows, pieces, hidden]."""
        states = self.base.embeddings(input_ids=ids)
        project = getattr(self.base, "embeddings_project", None)
        return run_layers(
            self.base, self.base.encoder.layer[: self.frozen], states if project is None else project(states), mask
        )

    def train(self, mode: bool = True) -> Plain:
        """Do nothing: there are no weights to train and no dropout."""
        super().train(False)
        return self


class Branch(nn.Module):
    """Upper layers and the tags of the kinds that share them."""

    def __init__(self, plain: Plain, outputs: int, config: TaggerConfig) -> None:
        super().__init__()
        self.layers = copy.deepcopy(plain.upper).requires_grad_(True)
        self.shape = zeros(len(SHAPES), plain.hidden)
        self.dense = nn.Linear(plain.hidden, plain.hidden)
        self.tags = nn.Linear(plain.hidden, outputs)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, base: Any, states: Tensor, mask: Tensor, words: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        piece_index, piece_weight, word_shapes = words
        states = run_layers(base, self.layers, states, mask)
        # [words, pieces of a word, hidden]
        parts = functional.embedding(piece_index, states.flatten(0, 1))
        # [words, hidden]
        vectors = (parts * piece_weight.unsqueeze(-1)).sum(1) + self.shape(word_shapes)
        vectors = self.dropout(vectors)
        vectors = self.dropout(functional.gelu(self.dense(vectors)) + vectors)
        tags: Tensor = self.tags(vectors)
        return tags


class TagNetwork(nn.Module):
    """Pieces to the scores of tags, those of all kinds side by side."""

    def __init__(self, base: Any, tags: Mapping[Kind, KindTags], config: TaggerConfig) -> None:
        super().__init__()
        self.plain = Plain(base, config.frozen)
        self.branches = nn.ModuleList(
            Branch(self.plain, sum(tags[kind].outputs for kind in kinds), config) for kinds in config.branches
        )

    def forward(self, ids: Tensor, mask: Tensor, *words: Tensor) -> Tensor:
        with torch.no_grad():
            states = self.plain.lower(ids, mask)
        return self.upper(states, mask, *words)

    def upper(self, states: Tensor, mask: Tensor, *words: Tensor) -> Tensor:
        """Return the scores of the tags: [words, tags]."""
        index, weight, shapes = words
        return torch.cat(
            [branch(self.plain.base, states, mask, (index, weight, shapes)) for branch in self.branches], dim=1
        )


def batch_inputs(batch: Batch) -> tuple[Tensor, ...]:
    """Return the inputs of the network, in its order."""
    arrays = (batch.ids, batch.mask, batch.piece_index, batch.piece_weight, batch.word_shapes)
    return tuple(map(torch.from_numpy, arrays))


class TorchTags:
    """The network behind the protocol of the runtime, so that dev is tagged by the code that users run."""

    def __init__(self, network: TagNetwork) -> None:
        self.network = network

    @torch.inference_mode()
    def __call__(self, batch: Batch) -> Floats:
        self.network.eval()
        scores: Floats = self.network(*batch_inputs(batch)).numpy()
        return scores


def select_trained_weights(network: TagNetwork) -> dict[str, Tensor]:
    """Return the trained weights by name."""
    return {name: weight.detach() for name, weight in network.named_parameters() if weight.requires_grad}


@torch.no_grad()
def put_weights(network: TagNetwork, weights: Mapping[str, Tensor]) -> None:
    """Put learned weights in place."""
    for name, weight in network.named_parameters():
        if weight.requires_grad:
            weight.copy_(weights[name])


NEAR = 16
"""Batches whose windows are sorted by length together."""
KEPT = 2 << 30
"""Bytes of states that are kept at most."""


def epoch_batches(windows: Sequence[Window], size: int, rng: np.random.Generator) -> list[list[int]]:
    """Return window numbers in random order; windows of a batch have similar lengths to reduce padding."""
    order = rng.permutation(len(windows)).tolist()
    batches = []
    for start in range(0, len(order), size * NEAR):
        some = sorted(order[start : start + size * NEAR], key=lambda number: windows[number].size)
        batches += [some[at : at + size] for at in range(0, len(some), size)]
    return [batches[number] for number in rng.permutation(len(batches))]


class LowerStates:
    """What the frozen layers make of the windows, computed once and kept in 16 bits, unless it would be too much."""

    def __init__(self, network: TagNetwork, examples: Examples, pieces: Pieces) -> None:
        self.network = network
        self.kept: dict[Window, Tensor] = {}
        self.windows = examples.windows
        if sum(window.size for window in self.windows) * network.plain.hidden * 2 > KEPT:
            return
        network.eval()
        for group in group_by_length(self.windows):
            ids, mask, *_ = batch_inputs(window_batch(examples.texts, group, pieces))
            states = self._compute(ids, mask)
            self.kept |= {window: states[row, : window.size].half() for row, window in enumerate(group)}

    @torch.no_grad()
    def _compute(self, ids: Tensor, mask: Tensor) -> Tensor:
        return self.network.plain.lower(ids, mask)

    def __call__(self, numbers: Sequence[int], ids: Tensor, mask: Tensor) -> Tensor:
        """Return the hidden states of the windows with these numbers: [windows, pieces, hidden]."""
        if not self.kept:
            return self._compute(ids, mask)
        states = torch.zeros(*ids.shape, self.network.plain.hidden)
        for row, number in enumerate(numbers):
            own = self.kept[self.windows[number]]
            states[row, : len(own)] = own
        return states


@dataclass(frozen=True)
class TrainedTagger:
    """A network with what is needed to use it."""

    config: TaggerConfig
    network: TagNetwork
    tags: Mapping[Kind, KindTags]
    pieces: Pieces
    tokenizer: Any

    def tagger(self) -> Tagger:
        """Return the tagger, computed with torch."""
        scorer = TorchTags(self.network)
        return Tagger(scorer, self.pieces, self.tags, windows=self.config.windows, limit=self.config.window)


def new_tagger(
    config: TaggerConfig, tags: Mapping[Kind, KindTags], seed: int, *, attention: str = "sdpa"
) -> TrainedTagger:
    """Return an untrained tagger; its new weights depend on the seed alone."""
    shape = ModelConfig(encoder=config.encoder, encoder_dropout=config.encoder_dropout)
    encoder = load_or_refuse(lambda: load_encoder(shape, attention=attention), shape)
    tokenizer = load_or_refuse(lambda: load_tokenizer(shape), shape)
    check_window("model: window", config.window, encoder)
    torch.manual_seed(seed)
    return TrainedTagger(config, TagNetwork(encoder, tags, config), tags, make_pieces(tokenizer), tokenizer)


class TaggerLoop(TrainingLoop):
    """The training of one tagger: several members from one start, whose mean weights are kept.

    `name` is what log rows call the tagger. Members that an earlier run has trained are not trained again.
    """

    def __init__(
        self,
        config: CrossConfig,
        docs: Sequence[Document],
        tags: Mapping[Kind, KindTags],
        path: Path,
        *,
        name: str,
        members: int,
        fingerprint: str,
        report: Report,
        tick: Tick,
    ) -> None:
        settings = config.train
        self.name, self.members = name, members
        self.trained = new_tagger(config.model, tags, settings.seed)
        self.network: TagNetwork = self.trained.network
        self.examples: Examples = make_examples(docs, self.trained.pieces, tags, config.model)
        self.lower = LowerStates(self.network, self.examples, self.trained.pieces)
        self.first = {name: weight.clone() for name, weight in select_trained_weights(self.network).items()}
        self.finished: list[dict[str, Tensor]] = []
        """The weights of members that are trained."""
        self.training = settings
        length = math.ceil(len(self.examples.windows) / settings.batch)
        super().__init__(
            self.network,
            settings,
            [length] * settings.epochs,
            path,
            fingerprint=hashlib.sha256(json.dumps([fingerprint, name]).encode()).hexdigest(),
            warmup=round(settings.warmup * settings.epochs * length),
            report=report,
            tick=tick,
        )

    def start(self) -> None:
        """Start the next member, from the weights that all start with."""
        self.member = len(self.finished)
        put_weights(self.network, self.first)
        super().start()

    def make_optimiser(self) -> torch.optim.AdamW:
        """Return an optimizer with a lower rate for the encoder; biases, norms and embeddings do not decay."""
        settings = self.training

        def choose(name: str, weight: Tensor) -> tuple[float, float]:
            rate = settings.encoder_rate if ".layers." in name else settings.head_rate
            return rate, settings.weight_decay if weight.dim() > 1 and "shape" not in name else 0.0

        return make_adamw(self.network, choose)

    @property
    def label(self) -> dict[str, Any]:
        return {"tagger": self.name, "member": self.member + 1}

    @property
    def is_finished(self) -> bool:
        return len(self.finished) >= self.members

    def train(self) -> None:
        """Train the members that are left, and give the network the mean of the weights of all."""
        while not self.is_finished:
            super().train()
            with self.average.swap_in(self.network):
                self.finished.append(
                    {name: weight.clone() for name, weight in select_trained_weights(self.network).items()}
                )
            if not self.is_finished:
                self.start()
            self.save()
        members = self.finished[: self.members]
        mean = {name: torch.stack([weights[name] for weights in members]).mean(0) for name in self.first}
        put_weights(self.network, mean)
        self.network.eval()

    def start_epoch(self) -> None:
        self.seeds = (self.training.seed, self.member, self.epoch)
        self.order = epoch_batches(self.examples.windows, self.training.batch, np.random.default_rng(self.seeds))

    def compute_losses(self) -> StepLosses:
        torch.manual_seed(int(np.random.default_rng((*self.seeds, self.done)).integers(2**31)))
        loss = self._loss(self.order[self.done])
        return StepLosses(loss, {"tag": float(loss.detach())})

    def _loss(self, numbers: Sequence[int]) -> Tensor:
        """Return the cross-entropy, summed over the kinds."""
        windows = [self.examples.windows[number] for number in numbers]
        ids, mask, *words = batch_inputs(window_batch(self.examples.texts, windows, self.trained.pieces))
        scores = self.network.upper(self.lower(numbers, ids, mask), mask, *words)
        # [words, kinds]
        targets = self.examples.targets
        wanted = torch.from_numpy(np.concatenate([targets[window.text][slice(*window.span)] for window in windows]))
        parts = scores.split([tags.outputs for tags in self.trained.tags.values()], dim=1)
        losses = [
            functional.cross_entropy(part, wanted[:, number], label_smoothing=self.training.smoothing)
            for number, part in enumerate(parts)
        ]
        return torch.stack(losses).sum()

    def weights(self) -> dict[str, Tensor]:
        return select_trained_weights(self.network)

    def load_weights(self, weights: dict[str, Tensor]) -> None:
        put_weights(self.network, weights)

    def state(self) -> dict[str, Any]:
        return {**super().state(), "finished": self.finished, "member": self.member}

    def load(self, state: dict[str, Any]) -> None:
        super().load(state)
        self.finished, self.member = state["finished"], state["member"]
        if self.member < len(self.finished) < self.members:  # it was the last one that was wanted
            self.start()

    def upgrade(self, state: dict[str, Any]) -> dict[str, Any]:
        """Convert the state of version 0.1, which counted the steps of all epochs together."""
        if "model" in state:
            return state
        epoch, done = divmod(state["done"], self.lengths[0])
        losses = {"tag": state["loss"]} if done else {}
        return {**state, "model": state["weights"], "epoch": epoch, "done": done, "losses": losses, "scores": []}


BIASES = tuple(number / 4 for number in range(-8, 9))
PROFILE = "ecb-topic"


def mention_scores(key: Sequence[Document], response: Sequence[Document], kind: Kind) -> dict[str, Any]:
    """Return the mention detection scores (exact spans, with singletons) in percent, with their signature."""
    there = any(entity.kind == kind for doc in response for entity in doc.entities)  # a tagger may find nothing yet
    settings = make_settings(PROFILE, kind=kind, unit="document", singletons=True, metrics=("mentions",), strict=there)
    result = score_documents(key, response, settings)
    sides = {side: round(100 * getattr(result["mentions"], side), 2) for side in ("recall", "precision", "f1")}
    return {**sides, "signature": result.signature}


def score_tagger(tagger: Tagger, key: Sequence[Document]) -> dict[str, Any]:
    """Return the scores of the tagger for each kind."""
    response = list(tagger.pipe(key))
    return {kind: mention_scores(key, response, kind) for kind in tagger.tags}


def choose_bias(tagger: Tagger, key: Sequence[Document]) -> Tagger:
    """Return the tagger with the bias of each kind that gives the best F1; of ties, the one nearest to 0."""
    scored = tagger.scores(key)
    tags = dict(tagger.tags)
    for kind, own in tagger.tags.items():
        results = {}
        for bias in sorted(BIASES, key=abs):
            trial = tagger.with_tags({**tags, kind: replace(own, bias=bias)})
            response = [trial.decode(doc, *scores) for doc, scores in zip(key, scored, strict=True)]
            results[bias] = mention_scores(key, response, kind)["f1"]
        tags[kind] = replace(own, bias=_best(results))
    return tagger.with_tags(tags)


def _best(results: dict[float, float]) -> float:
    return max(results, key=lambda bias: results[bias])


SHARED = ("ids", "mask", "piece_index", "piece_weight", "word_shapes", "tags")
AXES = {name: WORD_AXES[name] for name in SHARED} | {"states": PIECES, "vectors": PIECES}


class LowerGraph(nn.Module):
    """Pieces to the states of the frozen layers."""

    def __init__(self, plain: Plain) -> None:
        super().__init__()
        self.plain = plain

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        return self.plain.lower(ids, mask)


class PlainGraph(nn.Module):
    """Those to the vectors of the encoder as it came."""

    def __init__(self, plain: Plain) -> None:
        super().__init__()
        self.plain = plain

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        return run_layers(self.plain.base, self.plain.upper, states, mask)


class TagGraph(nn.Module):
    """Those to the scores of tags."""

    def __init__(self, network: TagNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, *inputs: Tensor) -> Tensor:
        return self.network.upper(*inputs)


def put_graphs(trained: TrainedTagger, folder: Path, bits: int) -> None:
    """Write graphs and vocabulary to an existing folder. Attention must be eager: the fused kernel has no ONNX form."""
    network = trained.network.eval()
    # no size is 1, which a trace would take for a constant
    ids = torch.full((2, 7), trained.pieces.unknown)
    mask = torch.ones_like(ids)
    states = torch.zeros(2, 7, network.plain.hidden)
    words = (torch.tensor([[1, 2], [3, 3], [8, 9]]), torch.full((3, 2), 0.5), torch.zeros(3, dtype=torch.int64))
    put_graph(folder / LOWER, LowerGraph(network.plain), (ids, mask), LOWER_INPUTS, LOWER_OUTPUTS, AXES, bits)
    put_graph(folder / PLAIN, PlainGraph(network.plain), (states, mask), PLAIN_INPUTS, PLAIN_OUTPUTS, AXES, bits)
    put_graph(folder / TAGS, TagGraph(network), (states, mask, *words), TAG_INPUTS, TAG_OUTPUTS, AXES, bits)
    (folder / TOKENIZER).write_text(trained.tokenizer.to_str(), encoding="utf-8")
