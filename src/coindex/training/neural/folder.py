"""Model folders of trained networks, and the network as a scorer for the runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn

from ...resolvers.neural.detection import Detector, Mentions
from ...resolvers.neural.folder import (
    DESCRIPTION,
    TOKENIZER,
    TRAINED_WEIGHTS,
    VERSION,
    ModelFolderError,
    corpus_number,
    file_hash,
    make_pieces,
    read_description,
    read_detector,
    resolve_options,
)
from ...resolvers.neural.pairs import Pairs
from ...resolvers.neural.resolving import NeuralResolver, ResolveOptions
from ...resolvers.neural.runtime import GRAPHS, SYNTAX, Arcs, MentionScores, some_pairs
from ...resolvers.neural.windows import Batch
from ...resolvers.neural.words import Floats, Pieces
from ...scoring.result import package_version
from ...settings import ConfigError, parse_section
from ..encoders import load_encoder, load_own, load_tokenizer, own_weights
from ..run import put_json, write_folder
from .config import Config, ModelConfig
from .network import CoreferenceModel


class TorchScorer:
    """Computes scores with torch, from arrays to arrays; the model is set to evaluation mode."""

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
            types=self.model.type_probabilities(parts.key).numpy() if self.model.has_types else None,
        )

    @torch.inference_mode()
    def syntax(self, vectors: Floats) -> Arcs | None:
        if not self.model.has_syntax:
            return None
        child, parent, relation = self.model.lessons.arcs(torch.from_numpy(vectors))
        return Arcs(child.numpy(), parent.numpy(), relation.numpy())

    @torch.inference_mode()
    def links(self, query: Floats, key: Floats, pairs: Pairs) -> Floats:
        keys = torch.from_numpy(np.ascontiguousarray(key))
        scores: list[Floats] = [
            self.model.links(torch.from_numpy(rows), keys, *pair_tensors(some)).numpy()
            for rows, some in some_pairs(query, pairs)
        ]
        return np.concatenate(scores) if scores else np.zeros(0, dtype=np.float32)


def batch_tensors(batch: Batch, corpus: int) -> tuple[torch.Tensor, ...]:
    """Return the inputs of the word encoder in order."""
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
    """Return the inputs of the mention encoder after the word vectors."""
    arrays = (mentions.start, mentions.end, mentions.kind, mentions.width, mentions.number)
    return tuple(map(torch.from_numpy, arrays))


def pair_tensors(pairs: Pairs) -> tuple[torch.Tensor, ...]:
    """Return the inputs of the link scorer after queries and keys."""
    return tuple(map(torch.from_numpy, (pairs.anaphor, pairs.candidate, pairs.features)))


WEIGHTS = TRAINED_WEIGHTS
ENCODER = "encoder.json"
SAVED = (WEIGHTS, TOKENIZER, ENCODER)
"""The files of a trained model besides its description."""
OWN = frozenset((DESCRIPTION, *SAVED, *GRAPHS, SYNTAX))
"""All names of files in a model folder."""


@dataclass(frozen=True)
class TrainedModel:
    """A model with everything that is needed to use it."""

    config: Config
    detector: Detector
    corpora: tuple[str, ...]
    """Names of annotation schemes, numbered from 1; empty if the model does not use them."""
    model: CoreferenceModel
    pieces: Pieces
    tokenizer: Any

    def corpus_number(self, name: str | None) -> int:
        """Return the number of a scheme; 0 for none."""
        return corpus_number(self.corpora, name)

    def resolver(
        self, corpus: str | None, *, given: bool = False, options: ResolveOptions | None = None
    ) -> NeuralResolver:
        """Return a resolver that uses torch; the default options are those of the configuration."""
        return NeuralResolver(
            TorchScorer(self.model),
            self.pieces,
            self.detector,
            name=self.config.name,
            features=self.config.model.features,
            columns=self.config.model.columns,
            types=self.config.model.types,
            corpus=self.corpus_number(corpus),
            given=given,
            options=options or resolve_options(self.config.to_dict(), corpus),
        )


def new_model(config: Config, detector: Detector, corpora: tuple[str, ...]) -> TrainedModel:
    """Return an untrained model with its pretrained encoder."""
    encoder = load_or_refuse(lambda: load_encoder(config.model), config.model)
    tokenizer = load_or_refuse(lambda: load_tokenizer(config.model), config.model)
    check_windows(config, encoder)
    model = CoreferenceModel(encoder, config.model, outputs=detector.outputs, corpora=len(corpora))
    return TrainedModel(config, detector, corpora, model, make_pieces(tokenizer), tokenizer)


def load_or_refuse(load: Callable[[], Any], config: ModelConfig) -> Any:
    """Return the result of `load`; errors of transformers about names and folders become a `ConfigError`."""
    try:
        return load()
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise ConfigError(
            f"model: encoder {config.encoder!r} cannot be loaded ({reason}); use the name of a Hugging Face encoder, "
            "or a folder with one if there is no network"
        ) from error


def check_windows(config: Config, encoder: nn.Module) -> None:
    """Raise an error for windows that are too long for the encoder."""
    check_window("train: window", config.train.window[1], encoder)
    check_window("decode: window", config.decode.window, encoder)


def check_window(name: str, window: int, encoder: nn.Module) -> None:
    """Raise an error if a window is too long for the encoder."""
    modules = (module for name, module in encoder.named_modules() if name.endswith("position_embeddings"))
    positions = next((module for module in modules if isinstance(module, nn.Embedding)), None)
    if positions is None:  # positions are relative: any length will do
        return
    first = 0 if positions.padding_idx is None else positions.padding_idx + 1
    most = positions.num_embeddings - first
    if window > most:
        raise ConfigError(f"{name}: {window} pieces are too many for this encoder; use at most {most}")


def save_model(folder: Path, trained: TrainedModel, facts: dict[str, Any]) -> None:
    """Write a model folder; `facts` such as data hashes, scores and the seed are added to its description."""
    write_folder(folder, lambda beside: _put_model(beside, trained, facts), OWN)


def _put_model(folder: Path, trained: TrainedModel, facts: dict[str, Any]) -> None:
    _put_weights(folder / WEIGHTS, own_weights(trained.model))
    (folder / TOKENIZER).write_text(trained.tokenizer.to_str(), encoding="utf-8")
    shape = trained.model.words.encoder.config.to_dict()
    put_json(folder / ENCODER, {name: value for name, value in shape.items() if name != "_name_or_path"})
    put_json(
        folder / DESCRIPTION,
        {
            "version": VERSION,
            "coindex": package_version(),
            "config": trained.config.to_dict(),
            **trained.detector.description(),
            "corpora": trained.corpora,
            "weights": {name: file_hash(folder / name) for name in SAVED},
            **facts,
        },
    )


def _put_weights(path: Path, weights: dict[str, Tensor]) -> None:
    try:
        save_file({name: weight.detach().contiguous() for name, weight in weights.items()}, path)
    except SafetensorError as error:  # raised if a disk is full
        raise OSError(str(error)) from error


def load_model(folder: str | Path, *, attention: str = "sdpa", encoder: str | None = None) -> TrainedModel:
    """Load the model of a folder, to use it with torch or to export it.

    `encoder` is the name or folder of the encoder of a model of adapters (default: the one it was trained on).
    """
    folder = Path(folder)
    data = read_description(folder)
    config: Config = parse_section(Config, data["config"], str(folder / DESCRIPTION))
    detector = read_detector(data)
    check_saved(folder, SAVED)
    shape = config.model if encoder is None else replace(config.model, encoder=encoder)
    network = load_or_refuse(lambda: load_encoder(shape, settings=folder / ENCODER, attention=attention), shape)
    model = CoreferenceModel(network, config.model, outputs=detector.outputs, corpora=len(data["corpora"]))
    try:
        load_own(model, load_file(folder / WEIGHTS))
    except (RuntimeError, SafetensorError) as error:  # parts that this version does not have, or no weights at all
        raise ModelFolderError(
            f"the weights do not match {DESCRIPTION} ({error}); train the model again",
            code="invalid-model",
            path=folder,
        ) from error
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    return TrainedModel(config, detector, tuple(data["corpora"]), model.eval(), make_pieces(tokenizer), tokenizer)


def check_saved(folder: Path, names: Sequence[str]) -> None:
    """Raise an error for a folder without these files, such as that of an exported model."""
    for name in names:
        if not (folder / name).is_file():
            raise ModelFolderError(
                f"{name} is missing; use the folder that coindex train wrote, which has the weights",
                code="missing-model-file",
                path=folder,
            )


def load_trained(
    folder: Path, *, corpus: str | None, given: bool = False, options: ResolveOptions | None = None
) -> NeuralResolver:
    """Load the resolver of a trained model that is not exported."""
    return load_model(folder).resolver(corpus, given=given, options=options)
